// What NVIDIA and the frameworks publish, and measurements of their tools, as typed queries over the JSON
// files of this folder. Each file is parsed when a query first needs it. Every answer has its row and source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/arch.hpp"
#include "model/finding.hpp"
#include "model/json.hpp"
#include "model/origin.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct HostCompilerLimits {
    std::optional<int> gcc_max;         // newest gcc major that host_config.h accepts
    std::optional<int> clang_max;       // newest clang major
    std::optional<int> msvc_ver_min;    // lowest _MSC_VER
    std::optional<int> msvc_ver_below;  // first _MSC_VER that is refused
    // First _MSC_VER that -allow-unsupported-compiler does not help: its STL or cudafe++ fails.
    std::optional<int> unchecked_msvc_ver_below;
    Origin origin;
};

// One CUDA minor release: facts/cuda/13.0.json.
struct CudaRelease {
    Version release;                          // 13.0
    std::optional<PtxVersion> ptx_max;        // newest .version that its ptxas accepts = what its nvcc emits
    std::vector<Arch> ptxas_archs;            // -arch values, a and f forms included
    std::optional<Arch> default_arch;         // of an nvcc without -arch: a cubin and PTX for it
    std::vector<Version> updates;             // 13.0.0, 13.0.1, ...
    std::optional<Version> announced_update;  // the newest with its own driver: 13.0.2 (13.0.3 has none)
    // From the newest update that lists each: "cuda-nvcc" -> 13.0.88, "cuda-crt", "nvvm", "cuda-runtime",
    // "cublas" ...
    std::map<std::string, Version> newest_components;
    std::optional<Version> driver_of_release_linux;  // driver of the release (for JIT of its PTX)
    std::optional<Version> driver_of_release_windows;
    HostCompilerLimits host_compilers;
    Origin origin;
};

struct DriverBranch {
    int branch = 0;                     // 535
    std::optional<Version> cuda;        // CUDA release that it reports: 12.2
    std::optional<PtxVersion> ptx_max;  // newest .version that its JIT accepts
    std::optional<Version> first_linux, first_windows;
    Origin origin;
};

struct ArchFacts {
    Arch arch;
    std::string generation;                              // "Blackwell (Thor)"
    std::optional<Version> first_toolkit, last_toolkit;  // last: absent = the newest still supports it
    std::optional<PtxVersion> first_ptx;  // introduced it: drivers that accept less do not run it
    std::optional<int> last_driver;  // the last branch that supports it: 470; absent = the newest still does
    bool integrated = false;         // Tegra, Jetson: cubins of other GPUs may not run there
    Origin origin;
};

// What a build of a release for one CUDA contains: torch 2.5.1+cu121 for Windows.
struct CudaBuild {
    Version cuda;  // major and minor count
    System system = System::linux_;
    std::vector<Target> archs;
    std::optional<int> cxx_abi;
    Origin origin;
};

// What the metadata of a release's default wheel for Linux requires.
struct RequiredPackage {
    std::string package;  // canonical
    std::string range;    // "==9.1.0.70", ">=9.0,<10"
    std::string extra;    // only with this extra: "and-cuda"
};

// A framework release of facts/frameworks/<package>.json.
struct FrameworkRelease {
    std::string package;  // torch
    Version version;
    std::vector<std::string> variants;     // published builds: cu117, cu118, cpu; empty = not known
    std::vector<std::string> only_pinned;  // those that only users' lock files list, not the project
    std::string index;                     // where pip finds those, each in a folder of its name
    std::optional<Version> cuda;           // of the default build (PyPI, Linux)
    std::optional<Version> cuda_windows;
    std::optional<Version> cudnn, cudnn_windows;
    bool cpu_only = false;          // the default Linux build is known to contain no CUDA
    bool cpu_only_windows = false;  // the same for Windows
    std::vector<Target> archs;      // of the default build
    std::vector<CudaBuild> builds;  // the default one for Linux, and those for other CUDA releases
    std::optional<int> cxx_abi, cxx_standard;
    std::map<std::string, Version> cudnn_by_cuda;  // "12.1" -> 9.1.0.70
    std::map<std::string, Version> nccl_by_cuda;   // of builds for another major than the default build's
    std::vector<RequiredPackage> required;
    std::map<std::string, Version> tools;  // that it contains: "ptxas" -> 12.8.93
    std::string pip;  // what installs it with its CUDA libraries: "tensorflow[and-cuda]"; empty = not known
    std::optional<Version> python_from, python_to;  // both inclusive: Python versions of its wheels
    Origin origin;

    // Null if no row lists it.
    const CudaBuild* build_for(System system, const Version& of_cuda) const;
    bool offers(const std::string& variant) const;  // fixes suggest only what the project lists
};

// All releases of a package in a range, including those without a row: a release that is not listed never
// existed.
struct ReleaseList {
    Version from, to;               // both inclusive
    std::vector<Version> releases;  // ascending
    std::vector<Version> doubtful;  // not listed, but may have existed
    std::string successor;          // package that replaces this one: "tensorflow" for tensorflow-gpu
    Origin origin;

    bool judges(const Version& version) const;  // in the range, not doubtful, and not a pre-release
    bool holds(const Version& version) const;
};

// A row of facts/known_bad.json.
struct KnownBad {
    std::string id;
    std::string component;         // ptxas, cublas, cudnn, nvcc, cicc, crt
    std::optional<Version> from;   // inclusive
    std::optional<Version> below;  // exclusive
    std::vector<Version> exactly;
    std::string consumer;                                  // "XLA", "JAX", "" = all
    std::optional<Version> consumer_from, consumer_below;  // releases of the consumer
    std::optional<Arch> min_arch, max_arch;                // applies only to targets / GPUs in this range
    std::vector<System> systems;                           // of the consumer; empty = all
    int gpus_from = 0;                  // applies only to a process that uses that many GPUs or more
    bool not_if_built_with_it = false;  // does not apply to a consumer that was built with that very version
    std::string with_component;         // applies only to sets that also contain this component ...
    std::optional<Version> with_from;   // ... in this version or newer
    std::optional<Version> with_below;  // ... and in an older one than this
    std::string unless;                 // of a driver: not if this package is installed
    bool only_refused = false;  // no defect: the search of a consumer with a newer CUDA skips these versions
    Level level = Level::warning;  // or error
    std::string effect;            // one line
    std::string fix;               // one line
    Origin origin;
};

struct CompatTable;      // queries in forward_compat.hpp
struct CudnnRelease;     // queries in cudnn.hpp
struct PypiPackage;      // in pypi.hpp
struct LibraryTable;     // queries in libraries.hpp
struct FrameworkTraits;  // framework_traits.hpp
struct RecipeTables;     // recipe_tables.hpp
struct IrTable;          // queries in lto_ir.hpp
struct ComparedRow;      // compared.hpp
struct CpuBuildRow;      // cpu_builds.hpp
struct SystemLibrary;    // system_libraries.hpp
struct PackageNames;     // queries in package_names.hpp
struct CondaForge;       // queries in conda_forge.hpp
struct Runfile;          // runfiles.hpp
struct IndexBuilds;      // index_builds.hpp
struct ToolSearch;       // tool_search.hpp

struct PciGpu {
    std::string name;  // "GeForce RTX 3090", or the chip: "GA102"
    Known<Arch> arch;
};

class Facts {
public:
    // path inside facts/ ("cuda/13.0.json") -> text.
    using Files = std::map<std::string, std::string>;

    static Facts embedded();
    // Files given here replace or add to the embedded ones (--facts DIR); a bad file causes an error when a
    // query reads it, collected in troubles().
    static Facts with(Files overrides);

    std::vector<Version> cuda_releases() const;             // ascending
    const CudaRelease* cuda(const Version& version) const;  // by major.minor; null if not listed
    // All versions of a component ("cublas") with the CUDA release that lists them, ascending by the release.
    using ComponentVersions = std::vector<std::pair<Version, Version>>;
    const ComponentVersions& component_versions(const std::string& component) const;
    std::vector<int> driver_branches() const;  // ascending
    // By branch number (the first number of a driver version): 535.104.05 -> 535. A branch between two listed
    // ones (537 on Windows) maps to the next lower listed one. Null if it is newer or older than all.
    const DriverBranch* driver_branch(const Version& driver) const;
    // Lowest driver that runs programs of this CUDA major without JIT of newer PTX.
    Known<Version> minimum_driver(int cuda_major, System system) const;
    // First driver whose JIT accepts this PTX version (for fix lines).
    Known<Version> first_driver_for_ptx(PtxVersion ptx, System system) const;
    // Newest CUDA release whose PTX is at most `ptx`.
    std::optional<Version> newest_cuda_for_ptx(PtxVersion ptx) const;
    // The CUDA releases whose nvcc writes exactly this PTX version: 12.5 and 12.6; ascending.
    std::vector<std::string> cuda_releases_for_ptx(PtxVersion ptx) const;
    const ArchFacts* arch(Arch arch) const;
    std::vector<Arch> archs() const;  // all listed ones, ascending
    // Numbers of the architectures that run code of that family ("sm_100f" -> 100, 103, 107); empty = not
    // listed.
    std::vector<int> family(Arch code) const;
    std::vector<Version> cuda_releases_with(Arch arch) const;  // ascending; those whose ptxas lists it
    // "RTX 3090", "H100", "NVIDIA GeForce RTX 3090", "sm_86", "8.6"; unknown for an ambiguous or unlisted
    // name.
    Known<Arch> gpu_by_name(const std::string& name) const;
    std::vector<std::string> gpu_names() const;  // all listed ones
    // By its device id on the PCI bus, "2204"; without an architecture: not listed.
    PciGpu pci_gpu(const std::string& device) const;
    const FrameworkRelease* framework_release(const std::string& package, const Version& version) const;
    std::vector<Version> framework_releases(const std::string& package) const;
    // Null if the package's releases may not all be listed.
    const ReleaseList* release_list(const std::string& package) const;
    // Packages that replace each other, one per CUDA: for "cupy-cuda12x" all of CuPy's, including itself.
    std::vector<std::string> sibling_packages(const std::string& package) const;
    const std::vector<KnownBad>& known_bad() const;

    const LibraryTable& libraries() const;
    const PypiPackage* pypi(const std::string& package) const;         // null if there is no table
    const std::vector<CudnnRelease>& cudnn_releases(int major) const;  // ascending
    const CompatTable& forward_compat() const;
    const std::vector<ToolSearch>& tool_searches() const;
    const std::vector<FrameworkTraits>& framework_traits() const;
    const RecipeTables& recipes() const;
    const IrTable& device_ir() const;
    const std::vector<ComparedRow>& compared() const;
    const std::vector<CpuBuildRow>& cpu_builds() const;
    const std::vector<SystemLibrary>& system_libraries() const;
    const PackageNames& package_names() const;
    const CondaForge& conda_forge() const;
    const std::vector<Runfile>& runfiles() const;
    const std::vector<IndexBuilds>& index_builds() const;

    std::vector<Trouble> troubles() const;

    // The files themselves, for `ptxguard facts` and for data without a query (cudnn/, sonames/): paths in
    // order, and the text that is tried first (the override if there is one; nothing for an unlisted path).
    std::vector<std::string> files(std::string_view folder = {}) const;
    std::optional<std::string> text(const std::string& path) const;

private:
    struct Tables;
    std::shared_ptr<Tables> m_tables;
};

}  // namespace ptxguard
