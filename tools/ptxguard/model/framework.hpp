// What a framework requires of the toolchain that builds for it. Filled from an installed framework (read,
// not imported), from a lock file, or from a name and version on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

// A tool that the framework's package contains and uses ("triton/backends/nvidia/bin/ptxas").
struct BundledTool {
    std::string path;
    std::string tool;  // "ptxas", "ptxas-blackwell"
    Known<Version> version;
    std::string used_for;  // where it is used: "Triton, capability < 10.0"

    PTXGUARD_MEMBERS_SET(path, tool, version, used_for)
};

// A difference between the framework's own files and the tables; the files win.
struct Disagreement {
    std::string what;         // what differs: "CUDA", "cuDNN"
    std::string used, other;  // the value that is used and the other one: "12.8", "12.9"
    Origin used_origin, other_origin;

    PTXGUARD_MEMBERS((what, used, other), (used_origin, other_origin))
};

// Effect of a package conflict: the framework cannot be imported, it runs without the GPU, parts of it fail,
// or nothing yet.
enum class Harm { later, part, gpu, import };
const char* to_string(Harm harm);

// A package built against one release of the framework and installed beside it (torchvision).
struct InstalledCompanion {
    std::string package;
    Known<Version> version;
    Known<Version> built_for;   // release of the framework that its record lists
    Known<Version> cuda;        // CUDA release that it was built with
    bool without_cuda = false;  // built without CUDA
    Known<int> cxx_abi;         // _GLIBCXX_USE_CXX11_ABI of its modules: 0 or 1
    // All its modules use only interfaces that later releases of the framework keep.
    bool stable_abi = false;

    PTXGUARD_MEMBERS((package), (version, built_for, cuda, without_cuda, cxx_abi, stable_abi))
};

// A file that two packages list in their records, with different sizes.
struct SharedFile {
    std::string file;            // path in site-packages: "nvidia/nccl/lib/libnccl.so.2"
    std::string package, other;  // packages that list it
    Known<Version> version, other_version;
    std::string owner;   // the package whose size it has; empty = not known
    bool mixed = false;  // both are builds of one framework with CUDA

    PTXGUARD_MEMBERS((file, package, other), (version, other_version, owner, mixed))
};

// A package that the framework's record requires in exactly one release, and that is installed in another.
struct UnmetPin {
    std::string package;
    Known<Version> version;
    Version wanted;

    PTXGUARD_MEMBERS((package), (version, wanted))
};

// The packages of JAX; of several plugins the one that jaxlib uses first.
struct JaxPackages {
    Known<Version> jax, jaxlib;
    Known<Version> lowest_jaxlib;  // lowest jaxlib release that this jax accepts
    std::string plugin, pjrt;      // "jax-cuda12-plugin", "jax-cuda12-pjrt"; empty = no plugin
    Known<Version> plugin_version, pjrt_version;
    bool has_modules = false;  // the plugin contains its modules
    bool has_library = false;  // pjrt contains xla_cuda_plugin.so
    bool compares = false;     // this jaxlib skips a plugin of another release
    bool requires_it = false;  // jax's record requires a plugin of this release

    PTXGUARD_MEMBERS_SET(jax, jaxlib, lowest_jaxlib, plugin, pjrt, plugin_version, pjrt_version, has_modules,
                         has_library, compares, requires_it)
};

// Vendor of the GPUs that a build is for.
enum class Vendor { cuda, rocm, xpu, cpu };
const char* to_string(Vendor vendor);
// Form in which it is installed.
enum class Installation { wheel, conda, libtorch, libtensorflow, editable, system, declared, unknown };
const char* to_string(Installation installation);
// How a framework gets cuDNN; none: it does not use cuDNN.
enum class CudnnWay { bundled, wheels, conda, system, none };
const char* to_string(CudnnWay way);

struct Expectation {
    std::string framework;                     // "PyTorch", "TensorFlow" ..., spelt like the CMake component
    std::string package;                       // canonical name: "torch", "tensorflow"
    Known<Version> version;                    // release: 2.5.1+cu121
    std::string path;                          // package folder or libtorch root; empty if only declared
    std::string site;                          // folder of its packages (site-packages); empty = none
    Installation how = Installation::unknown;  // form in which it is installed
    std::string python;                        // interpreter or site-packages folder where it was found
    std::string python_because;  // what selected it: "--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
    bool declared = false;       // given by name and version, not found on the machine
    bool required = false;       // a COMPONENT or --framework: must not stay unknown
    bool newest = false;         // of a recipe: no pin decides the release, the newest listed one is taken

    Known<bool> cpu_only;              // built without GPU support
    Known<Vendor> vendor;              // vendor of the GPUs that it is built for
    Known<Version> cuda;               // CUDA release that it was built with
    Known<Version> cudnn;              // cuDNN release; may be only the major
    Known<CudnnWay> cudnn_from;        // how it gets cuDNN
    Known<std::vector<Target>> archs;  // architectures of its device code
    Known<int> cxx_abi;                // _GLIBCXX_USE_CXX11_ABI: 0 or 1
    Known<int> cxx_standard;           // C++ standard: 14, 17, 20
    std::vector<BundledTool> tools;    // tools that its package contains and uses
    // Package that contains its CUDA code, if not `package`: "jax-cuda12-plugin".
    std::string build_package;
    Known<Version> build_version;  // release of build_package
    // NVIDIA packages that its metadata requires, including extras: "nvidia-cudnn-cu12<10.0,>=9.8".
    std::vector<std::string> asks_for;
    std::vector<InstalledCompanion> companions;  // packages built against it
    std::vector<SharedFile> shared_files;
    std::vector<UnmetPin> unmet_pins;
    JaxPackages jax;
    std::vector<Disagreement> disagreements;  // where its files differ from the tables

    // Whether a declared build (torch==2.0.0+cu121) was ever published; known only if the table lists the
    // release.
    Known<bool> published;
    std::vector<std::string> published_variants;  // published builds of that release: "cu117", "cu118", "cpu"
    // For a release that never existed: the named package ("tensorflow-gpu"), if not `package`.
    std::string named_package;
    // For such a release: neighbouring releases that exist, and other packages that have this release.
    std::vector<std::string> near_releases, other_packages;
    std::string successor;  // package that replaces the named one
    std::string machine;    // that its files are for, where it is not x86-64: "aarch64"
    std::string trouble;    // what could not be read; empty = nothing

    // "PyTorch 2.5.1+cu121"; "PyTorch" if the version is unknown.
    std::string name() const { return framework + (version ? " " + version->text : ""); }
    bool is_of(Vendor one) const { return vendor && *vendor == one; }
    // Built for CUDA as far as is known: neither CPU-only nor for another vendor.
    bool may_use_cuda() const { return !cpu_only.value.value_or(false) && (!vendor || is_of(Vendor::cuda)); }

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, framework, package);
        PTXGUARD_FIELDS(v, version, path, site, how, python, python_because, declared, required, newest,
                        cpu_only, vendor, cuda, cudnn, cudnn_from, archs, cxx_abi, cxx_standard, tools,
                        build_package, build_version, asks_for, companions, shared_files, unmet_pins);
        v.when("jax", jax, jax.jax || jax.jaxlib);
        PTXGUARD_FIELDS(v, disagreements, published, published_variants, named_package, near_releases,
                        other_packages, successor, machine, trouble);
    }
};

}  // namespace ptxguard
