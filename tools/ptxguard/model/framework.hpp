// What a framework expects of the toolchain that builds for it. Filled from an installed framework (read
// without importing it), from a lock file, or from a name and version on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

// A tool in the framework's package that it uses ("triton/backends/nvidia/bin/ptxas").
struct BundledTool {
    std::string path;
    std::string tool;  // "ptxas", "ptxas-blackwell"
    Known<Version> version;
    std::string used_for;  // "Triton, capability < 10.0"

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, path, tool, version, used_for);
    }
};

// A disagreement between the framework's own files and the tables; the files win.
struct Disagreement {
    std::string what;         // "CUDA", "cuDNN"
    std::string used, other;  // "12.8", "12.9"
    Origin used_origin, other_origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, what, used, other);
        PTXGUARD_FIELDS(v, used_origin, other_origin);
    }
};

// What a conflict of packages does: the framework cannot be imported, it runs without the GPU, or nothing
// yet.
enum class Harm { later, gpu, import };
const char* to_string(Harm harm);

// A package that is built against one release of the framework (torchvision), installed beside it.
struct InstalledCompanion {
    std::string package;
    Known<Version> version;
    Known<Version> built_for;  // the release of the framework that its record names
    Known<Version> cuda;       // built with
    bool without_cuda = false;
    Known<int> cxx_abi;  // of its modules, as the framework's
    // All of its modules use only the interface that later releases of the framework keep.
    bool stable_abi = false;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, package);
        PTXGUARD_FIELDS(v, version, built_for, cuda, without_cuda, cxx_abi, stable_abi);
    }
};

// A file that the records of two packages list, with different sizes.
struct SharedFile {
    std::string file;  // "nvidia/nccl/lib/libnccl.so.2"
    std::string package, other;
    Known<Version> version, other_version;
    std::string owner;  // the one whose size it has; empty = not known

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, file, package, other);
        PTXGUARD_FIELDS(v, version, other_version, owner);
    }
};

// The packages of JAX; of its plugins the one that jaxlib uses first.
struct JaxPackages {
    Known<Version> jax, jaxlib;
    Known<Version> lowest_jaxlib;  // that this jax accepts
    std::string plugin, pjrt;      // "jax-cuda12-plugin", "jax-cuda12-pjrt"; empty = no plugin
    Known<Version> plugin_version, pjrt_version;
    bool has_modules = false;  // of the plugin
    bool has_library = false;  // xla_cuda_plugin.so of pjrt
    bool compares = false;     // this jaxlib skips a plugin of another release
    bool requires_it = false;  // jax's record requires a plugin of this release

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, jax, jaxlib, lowest_jaxlib, plugin, pjrt, plugin_version, pjrt_version,
                        has_modules, has_library, compares, requires_it);
    }
};

// Whose GPUs a build is for.
enum class Vendor { cuda, rocm, xpu, cpu };
const char* to_string(Vendor vendor);
// In which form it is on this machine.
enum class Installation { wheel, conda, libtorch, libtensorflow, editable, system, declared, unknown };
const char* to_string(Installation installation);
// How a framework gets cuDNN; none: it does not use it.
enum class CudnnWay { bundled, wheels, conda, system, none };
const char* to_string(CudnnWay way);

struct Expectation {
    std::string framework;   // "PyTorch", "TensorFlow" ...: the CMake component's spelling
    std::string package;     // "torch", "tensorflow"
    Known<Version> version;  // 2.5.1+cu121
    std::string path;        // package folder or libtorch root; empty if only declared
    std::string site;        // folder of its packages (site-packages); empty if there is none
    Installation how = Installation::unknown;
    std::string python;          // interpreter or site-packages folder where it was found
    std::string python_because;  // "--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
    bool declared = false;
    bool required = false;  // a COMPONENT or --framework: must not stay unknown

    Known<bool> cpu_only;
    Known<Vendor> vendor;
    Known<Version> cuda;   // built with
    Known<Version> cudnn;  // may be only the major
    Known<CudnnWay> cudnn_from;
    Known<std::vector<Target>> archs;
    Known<int> cxx_abi;       // _GLIBCXX_USE_CXX11_ABI: 0 or 1
    Known<int> cxx_standard;  // 14, 17, 20
    std::vector<BundledTool> tools;
    // The package with its CUDA part, if that is another one: "jax-cuda12-plugin".
    std::string build_package;
    Known<Version> build_version;
    // NVIDIA packages that its metadata requires, including extras: "nvidia-cudnn-cu12<10.0,>=9.8".
    std::vector<std::string> asks_for;
    std::vector<InstalledCompanion> companions;
    std::vector<SharedFile> shared_files;
    JaxPackages jax;
    std::vector<Disagreement> disagreements;

    // For a declared build (torch==2.0.0+cu121): was it ever published? Known only if the table lists the
    // release.
    Known<bool> published;
    std::vector<std::string> published_variants;  // "cu117", "cu118", "cpu"
    // For a release that never existed: the named package ("tensorflow-gpu") if `package` is another one,
    // neighbouring releases that exist, and packages that have this very release.
    std::string named_package;
    std::vector<std::string> near_releases, other_packages;
    std::string successor;  // package that replaces the named one
    std::string trouble;    // what could not be read

    // "PyTorch 2.5.1+cu121"; "PyTorch" if the version is unknown.
    std::string name() const { return framework + (version ? " " + version->text : ""); }
    bool is_of(Vendor one) const { return vendor && *vendor == one; }
    // Built for CUDA as far as is known: neither CPU-only nor for another vendor.
    bool may_use_cuda() const { return !cpu_only.value.value_or(false) && (!vendor || is_of(Vendor::cuda)); }

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, framework, package);
        PTXGUARD_FIELDS(v, version, path, site, how, python, python_because, declared, required, cpu_only,
                        vendor, cuda, cudnn, cudnn_from, archs, cxx_abi, cxx_standard, tools, build_package,
                        build_version, asks_for, companions, shared_files);
        v.when("jax", jax, jax.jax || jax.jaxlib);
        PTXGUARD_FIELDS(v, disagreements, published, published_variants, named_package, near_releases,
                        other_packages, successor, trouble);
    }
};

}  // namespace ptxguard
