// What recipes name and no other table lists: facts/recipes.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/build_tables.hpp"
#include "facts/facts.hpp"
#include "facts/image_tables.hpp"

namespace ptxguard {

// A package whose sources contain device code.
struct DeviceSources {
    std::string package;
    bool by_name = false;                // PyPI has no wheel: an installation by name compiles it
    bool by_cmake_args = false;          // the same, with device code only if CMAKE_ARGS requests it
    std::vector<std::string> variables;  // each makes the installation compile device code: DS_BUILD_OPS=1
    // Names of its repository, if not its own: "flash-attention", "state-spaces/mamba".
    std::vector<std::string> repositories;
    std::string by_option;  // in the command without which it compiles nothing: "cuda_ext"
    // Its sources require the torch that its wheels require.
    bool pins_torch = false;
    std::string target_variable;  // with another value than "cuda" they do not: VLLM_TARGET_DEVICE
    // Each makes the installation leave out the device code: VLLM_USE_PRECOMPILED=1.
    std::vector<std::string> skipped_by;
    bool own_archs = false;      // its setup.py has its own -gencode and does not read TORCH_CUDA_ARCH_LIST
    bool imports_torch = false;  // its setup.py imports torch, which no isolated build has
    bool links_torch = false;    // its wheels need torch's libraries
    bool needs_cuda = false;     // it is of no use beside a torch for CPUs
    bool needs_nvcc = false;     // its build ends with an error where no nvcc is; others go on without it
    // From that release on, its pyproject.toml requires torch; has one that does not.
    std::optional<Version> builds_with_torch_from, isolated_from;
};

// NVIDIA's package repository for a system.
struct NvidiaRepository {
    std::string repository;                     // "ubuntu2404", its folder
    std::string system;                         // "ubuntu24.04", as in tags of images
    std::vector<std::string> runners;           // of CI with that system: "ubuntu-latest"
    std::optional<Version> cuda_from, cuda_to;  // both inclusive; nothing = not ended
    std::string keyring;                        // the oldest cuda-keyring in it: "1.1-1"; empty = 1.0-1
    std::optional<Version> cudnn_from;          // the oldest major of cuDNN
    std::optional<Version> tensorrt_from;       // the oldest major of TensorRT
    // The whole toolkit of these releases requires the package libtinfo5.
    std::optional<Version> tinfo5_from, tinfo5_to;
    bool lacks_tinfo5 = false;  // the system has no such package
    Origin origin;
};

// A package that images of nvidia/cuda hold at their version, and its package with headers, which requires
// the same version.
struct HeldPackage {
    std::string package, headers;    // "libnccl2", "libnccl-dev"
    bool of_cudnn = false;           // in images with cuDNN only
    std::optional<Version> cuda_to;  // the last CUDA for which a repository has a newer one; nothing = any
    Origin origin;
};

// A component of the toolkit that not every release has as a package: cuda-nvprof-12-9.
struct AptComponent {
    std::string component;  // "cuda-nvprof"
    std::optional<Version> from,
        to;  // the first and the last release with it; nothing = not known, not ended
    Origin origin;
};

// A CI action that installs the toolkits in its own table.
struct ToolkitAction {
    std::string action;  // "jimver/cuda-toolkit"
    std::optional<Version> from;
    std::vector<Version> updates;  // that are in the table from that release on
    Origin origin;
};

// The entries that torch's builder accepts in TORCH_CUDA_ARCH_LIST, alone or with "+PTX", in those releases.
struct TorchArchs {
    std::optional<Version> from, to;  // both inclusive
    std::vector<std::string> archs;   // "9.0a"
    Origin origin;
};

// The installers of one update that NVIDIA's download site has.
struct CudaInstallers {
    std::optional<Version> cuda;
    std::vector<std::string> files;  // for x86-64: "cuda_12.4.1_550.54.15_linux.run"
    Origin origin;
};

// A distribution's own packages: the CUDA of nvidia-cuda-toolkit, the Python of python3.
struct DistributionToolkit {
    std::string system;  // "ubuntu22.04"
    std::string codename;
    std::optional<Version> cuda, python;
    std::vector<std::string> pythons;  // others than `python` that its archive has: "3.11"
    // Others that only dependencies name: apt takes python3.10 for a regular expression, and goes on without
    // it.
    std::vector<std::string> pattern_pythons;
    bool left_by_deadsnakes = false;  // that PPA has no packages for it any more
    bool needs_contrib = false;       // in Debian's non-free, with requirements in contrib
    Origin origin;
};

// A name that neither NVIDIA's package repository nor a distribution of apt has.
struct MisnamedPackage {
    std::string package;  // "cuda-nvcc"
    std::string instead;  // "cuda-nvcc-12-9", that of a release
    Origin origin;
};

// A system's own CMake, or its C library.
struct SystemRelease {
    std::string system;  // "ubuntu22.04"
    std::optional<Version> version;
    Origin origin;
};

// The Python that the newest installer of a conda distribution brings: this one or a newer one.
struct CondaInstaller {
    std::string installer;  // the first letters of its file name, in lower case
    std::optional<Version> python;
    std::optional<Version> glibc;  // without which it ends with an error
    Origin origin;
};

// The releases of a conda package with CUDA's version numbers: all, or the last.
struct CondaReleases {
    std::string package;
    std::vector<std::string> releases;
    std::optional<Version> last;
    std::string instead;                          // package with newer ones
    std::string channel, requires_channel;        // the only one that has it; the one with what it requires
    std::vector<std::string> lacking, lacked_by;  // releases that these channels do not have
    Origin origin;
};

// A channel of conda that has no newer release of the package.
struct EndedChannel {
    std::string channel, package;
    std::optional<Version> last;
};

// Up to and including `last`; without cudnn it loads no cuDNN.
struct Ctranslate2Build {
    std::optional<Version> last, cuda, cudnn;
};

// The local versions of jaxlib's builds with CUDA.
struct JaxlibBuilds {
    std::string form;  // "cuda11.cudnnN"; N = a digit, at its end any number of them
    std::optional<Version> from, to;
    Origin origin;

    bool covers(const std::string& local, const Version& version) const;
};

// The build of jaxlib that an extra of jax requires.
struct JaxExtra {
    std::string extra;  // "cuda"
    std::optional<Version> from, to;
    std::string build;  // "cuda11.cudnn86"
    Origin origin;
};

struct FirstRelease {
    std::string package;
    std::optional<Version> from;
    std::optional<Version> cuda;  // and from that CUDA
    Origin origin;
};

// Extensions that are built for one minor release of torch and work with another one.
struct KeptExtensions {
    std::optional<Version> built_for, torch;
    Origin origin;
};

// Names that the indexes below download.pytorch.org/whl may have; all others are not there.
struct PytorchIndex {
    std::vector<std::string> packages, families;  // families: beginnings of names
    std::vector<std::string> builds;              // of those, the ones that are built for each CUDA
    Origin origin;
};

// NVIDIA's own index: beginnings of names that it lacks, and names that it has all the same.
struct NvidiaIndex {
    std::vector<std::string> hosts, lacks, packages;
};

// A project with a page of wheels for each release of torch, and the last torch and CUDA that have one.
struct TorchPages {
    std::string start, package;  // of the address, without "https://"
    std::optional<Version> torch, cuda;
    bool fails = false;           // without a page pip ends with an error
    std::string effect, instead;  // what pip does without one
    Origin origin;
};

// Releases of a package with one library for each CUDA, that opens the one of torch's CUDA.
struct LibraryPerCuda {
    std::string package;
    std::optional<Version> from, to;  // both inclusive
    std::vector<Version> cudas;
    Origin origin;
};

// Releases of a package with one module for each torch: nixl_ep of nixl-cu12.
struct ModulePerTorch {
    std::string package;
    std::optional<Version> from, to;  // both inclusive
    std::string module;
    std::vector<Version> torches;
    Origin origin;
};

// Packages with the libraries of another one, of the same release, that its record does not require.
struct SiblingLibraries {
    std::string start, end;  // of its name: "tensorrt", "-bindings"
    std::string libraries;   // instead of the end
};

// Releases of packages whose oldest device code is for that GPU. Those of one list have the CUDA at the end
// of their names: "cudf" of cudf-cu12.
struct PackageCode {
    std::vector<std::string> packages;
    std::optional<Version> from, to;  // both inclusive; none = open
    std::vector<Version> cudas;       // in the name, majors; empty = any, or none
    int oldest = 0;                   // 60 for sm_60

    bool is_for_cuda(int major) const;  // whether it is the package for that CUDA
    std::optional<Version> python_to;
    std::string index;  // that has them beside PyPI; empty = PyPI
    Origin origin;
};

// Packages whose names end with the CUDA that they are built for, and that share libraries.
struct CudaSuite {
    std::string name;
    std::vector<std::string> packages;  // without "-cu12"
    Origin origin;
};

// Packages that write one module: pip installs several of them, and the last one wins.
struct SameFiles {
    std::string module;
    std::vector<std::string> packages;  // "cupy-cuda*": each that begins so
    bool reports = false;               // importing it with several installed warns
    Origin origin;

    bool has(const std::string& package) const;
};

// One of the packages of PyPI of which each is for another CUDA.
struct CudaPackage {
    std::string family, package;
    std::optional<Version> cuda;
};

// An extra that installs CUDA's libraries or builds, by the beginning of its name: jax[cuda12].
struct CudaExtra {
    std::string package, start;
    std::string instead;    // what to request where a release has no such extra
    bool for_cpus = false;  // without it the package is for CPUs
};

// A package for CPUs, and the one with CUDA.
struct CpuPackage {
    std::string package, instead;
};

struct RecipeTables {
    std::vector<DeviceSources> device_sources;
    std::vector<std::string> compiled_at_use;  // packages that start nvcc at first use
    // Beginnings of names of packages that bring the CUDA in their names, or are it: "nvidia-", "spconv-cu".
    std::vector<std::string> brings_own_cuda;
    std::vector<AptComponent> apt_components;
    std::vector<AptComponent> windows_components;  // "visual_profiler" of the installer
    std::vector<std::string> cuda_in_version;      // "cuda-python": of that CUDA major
    std::vector<NgcImages> ngc_images;             // ascending
    std::vector<NgcTorch> ngc_torch;
    std::vector<UbuntuImages> ubuntu_images;
    std::vector<CudaImages> cuda_images;
    std::vector<ImageDemand> image_demands;
    std::vector<CudnnImages> cudnn_images;
    std::vector<ImageTags> image_tags;
    std::vector<CudnnOfImage> cudnn_of_images;
    std::vector<NvidiaRepository> nvidia_repositories;
    std::vector<HeldPackage> held_packages;
    std::vector<TorchArchs> torch_archs;
    std::vector<ToolkitAction> toolkit_actions;  // of each action ascending
    std::vector<CudaInstallers> cuda_installers;
    std::vector<DistributionToolkit> distribution_toolkits;
    std::vector<CondaReleases> conda_packages;
    std::vector<Ctranslate2Build> ctranslate2;  // ascending
    std::vector<JaxlibBuilds> jaxlib_builds;
    std::vector<JaxExtra> jax_extras;          // of each extra ascending
    std::vector<FirstRelease> nvcc_pins;       // updates from which cuda-toolkit[nvcc] pins all components
    std::vector<FirstRelease> aarch64_wheels;  // first release whose PyPI wheels for aarch64 contain CUDA
    std::vector<FirstRelease> aarch64_builds;  // first release with builds for aarch64 on PyTorch's index
    // Packages of conda-forge whose builds with CUDA require the virtual package __cuda.
    std::vector<FirstRelease> conda_needs_driver;
    // Scripts that are always those of today, and the oldest Python that they run with.
    std::vector<FirstRelease> script_pythons;
    std::vector<EndedChannel> ended_channels;
    std::vector<FirstRelease> built_with_numpy2;
    std::vector<FirstRelease> compares_cuda_from;  // before it, a companion does not depend on torch's CUDA
    std::vector<FirstRelease> compares_plugin_from;
    std::vector<FirstRelease> labelled_from;    // before it, the default build has no local version
    std::vector<FirstRelease> moved_from_pypi;  // releases that only an index of the project's own has

    std::vector<std::string> conda_cuda_in_name;  // "dgl-cuda"
    std::vector<CudaSuite> cuda_suites;
    std::vector<SameFiles> same_files;
    std::vector<CudaExtra> cuda_extras;
    std::vector<CpuPackage> cpu_packages;
    std::vector<CpuPackage> aarch64_instead, windows_instead;  // frameworks that are for CPUs only there
    std::vector<CudaPackage> cuda_packages;
    std::vector<std::string> jetson_images;  // without a framework
    std::vector<PytorchIndex> pytorch_index;
    std::vector<NvidiaIndex> nvidia_index;
    std::vector<LibraryPerCuda> library_per_cuda;
    std::vector<ModulePerTorch> module_per_torch;
    std::vector<SiblingLibraries> sibling_libraries;
    std::vector<PackageCode> package_code;
    std::vector<TorchPages> torch_pages;
    std::vector<KeptExtensions> kept_extensions;
    std::vector<BuildOption> build_options;
    std::vector<SystemCompiler> system_compilers;
    std::vector<SystemRelease> system_cmakes, system_glibcs;
    std::vector<WheelGlibc> wheel_glibcs;
    std::vector<MisnamedPackage> misnamed_packages;
    std::vector<BuildFeature> build_features;
    std::vector<SourcePart> source_parts;
    std::vector<NamedArchsRow> findcuda_archs;
    std::vector<RemovedNames> removed_names;  // of removed_names.json
    std::vector<ImagePython> image_pythons;   // ascending
    // Official images of a system or a language, without their registry: nothing of CUDA is in them.
    std::vector<std::string> plain_images;
    std::vector<CondaInstaller> conda_installers;

    // The newest releases of the package with code for such a GPU, those for the CUDA in its name first; null
    // = none is listed. `listed`: whether any release of the package is.
    const PackageCode* code_for(const std::string& package, int gpu, bool& listed) const;
    const DeviceSources* device_source(const std::string& package) const;
    // By the name of a package or of a repository, canonical.
    const DeviceSources* source_named(const std::string& name) const;
    const BuildFeature* build_feature(const std::string& name) const;
    // Null if all releases that the tables know have it, or if it is none of CUDA's.
    const RemovedNames* removed_name(const std::string& name) const;
    // The last release of the package in that channel of conda; nothing if the channel goes on.
    std::optional<Version> last_in_channel(const std::string& channel, const std::string& package) const;
    // Whether PyTorch's index has a build of the package for each CUDA.
    bool is_built_by_pytorch(const std::string& package) const;
    // Whether the index of that address may have the package; only NVIDIA's is known.
    bool may_have(const std::string& url, const std::string& package) const;
    bool is_plain(std::string image) const;
    // Null if PyTorch's index may have the package.
    const PytorchIndex* pytorch_index_without(const std::string& package) const;
    // Whether extensions for one torch load with another one: of the same minor release, or of
    // `kept_extensions`.
    bool loads_extensions(const Version& torch, const Version& built_for) const;
    // Null if the release has a library for that CUDA, or is not known.
    const LibraryPerCuda* library_without(const std::string& package, const Version& version,
                                          const Version& cuda) const;
    // The first release after that one with a library for that CUDA; null = none is listed.
    const Version* first_with_library(const std::string& package, const Version& after,
                                      const Version& cuda) const;
    // "nixl-cu13" for nixl-cu12 and 13; empty = none is listed.
    std::string package_for_cuda(const std::string& package, int cuda_major) const;
    // The newest releases of a package with a module for that torch; null = none is listed.
    const ModulePerTorch* release_for_torch(const std::string& package, const Version& torch) const;
    // "nixl_ep" of nixl-cu12, with all releases of torch that any release has one for, ascending.
    ModulePerTorch module_of_torches(const std::string& package) const;
    // "tensorrt-cu12-libs" for tensorrt-cu12-bindings; empty = none.
    std::string libraries_beside(const std::string& package) const;
};

const RecipeTables& recipe_tables(const Facts& facts);

}  // namespace ptxguard
