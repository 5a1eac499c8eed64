// NVIDIA's run-time libraries by file name, what each opens later, and which belong together: queries over
// facts/sonames/*.json and facts/loading.json.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "facts/facts.hpp"

namespace ptxguard {

struct LibraryName {
    std::string
        library;  // "cublas", "cublasLt", "cudnn", "cudnn_graph", "nvrtc-builtins", "nvJitLink", "cuda"
    int cuda_major = 0;             // 0 = not in the name (libcurand.so.10 is in 11, 12 and 13)
    std::optional<Version> number;  // in the name: 12 of libcublas.so.12, 12.8.4.1 of libcublas.so.12.8.4.1
    bool driver = false;            // installed with the driver, not a toolkit (libcuda.so.1, nvcuda.dll)
    std::string capability;   // of a container that brings a driver's library: "video"; empty = not known
    bool no_runtime = false;  // a compiler or a tool, which starts no CUDA runtime (libnvrtc.so.12)
};
// "libcublas.so.12", "libcublas.so", "cublas64_12.dll", "libcublas-3965bdd0.so.12" (renamed by auditwheel);
// nothing for a name that is not NVIDIA's.
std::optional<LibraryName> library_by_file_name(const Facts& facts, const std::string& file_name);

// The oldest CUDA whose runtime a file with these needs starts: libcudart's, or the one in libcublas.so.12.
// 0 = none by name (libcurand.so.10 is in several).
struct StartedRuntime {
    int cuda_major = 0;
    std::string by;  // the library's file name
};
StartedRuntime runtime_started_by(const Facts& facts, const std::vector<std::string>& needed);

// A library that another opens by dlopen / LoadLibrary.
struct OpensLater {
    std::string name;         // file name, with the numbers filled in
    bool optional = false;    // the opener works without it
    bool if_present = false;  // opened only if it is next to the opener (a plugin)
    bool as_opener = false;   // as optional as the opener itself, if that is opened later too
    bool by_file = false;     // listed for this opener file, not for an NVIDIA library
    std::string when;         // "at the first call", "for runtime-compiled engines"
    std::string without;      // what fails if an optional one is not found: "kernels that cuDNN compiles"
    // More exact names that are tried first, each in all folders (libcudnn_graph.so.9.19.0, then .so.9.19).
    std::vector<std::string> tried_first;
    Origin origin;
};
// `opener_folder`: the name of the opener's folder, if it distinguishes openers of one name. `cuda_major`:
// the CUDA that the opener is built with, where its name does not contain it (cuDNN); 0 = not known.
std::vector<OpensLater> opens_later(const Facts& facts, const std::string& opener_file_name, System system,
                                    const std::optional<Version>& opener_version,
                                    const std::string& opener_folder = {}, int cuda_major = 0);

// Folders that a Python package adds to the DLL search (os.add_dll_directory), relative to site-packages
// ("{prefix}" in front: to the folder of python.exe), and DLLs or libraries that it loads by path when it is
// imported (torch preloads its wheels' libraries).
// A library that a package searches for itself before the loader does (cuda-pathfinder for CuPy).
struct LibraryFind {
    std::string library, finder;
    // In order: "{site}/nvidia/cublas/lib/libcublas.so.12", "$CUDA_PATH/lib64/libcublas.so.12", and a bare
    // name for the loader's own search. The first existing one is loaded by its path.
    std::vector<std::string> places;
    std::vector<std::string>
        beside;  // patterns of libraries that are loaded with it from the same folder (Linux)
};
struct PackageHabit {
    std::string package;                     // "torch": folder in site-packages
    std::vector<std::string> distributions;  // packages that contain it: "onnxruntime-gpu", "cupy-cuda*"
    std::vector<std::string> dll_folders;    // may contain '*'
    std::vector<std::string> preloads;       // glob patterns relative to site-packages, in order
    std::vector<LibraryFind> finds;
    std::string only_with;                  // only if this package is installed too,
    std::optional<Version> only_with_from;  // of this release or newer
    bool every_site = false;  // looked for in every folder that Python imports from, not only its own
    bool only_asked = false;  // load only those preloads that its file opens or needs
    std::optional<Version> from, below;  // releases of the package with this behaviour
    bool retries_with_path = false;      // Windows: a failed load is tried again with PATH
    bool only_after_failure = false;     // preloads only after loading without them has failed
    std::string by_call;                 // preloads only if the program calls this function of the package
    // Not empty: libraries of the package that its extensions link without an RPATH. Such an extension is
    // loaded into a process that has imported the package, together with its `preloads`.
    std::vector<std::string> lends;  // "libc10.so", "libtorch_cpu.so"
    // For a package with `lends`: the C++ namespaces that its libraries define, the prefixes of names that
    // later releases keep, and the preloads visible to all later modules (RTLD_GLOBAL).
    std::vector<std::string> scopes, stable, global;
    std::string when;  // "only where the first try fails"
    Origin origin;
};
// Names that a framework builds from version numbers in a header of its package: "cublas" and
// TF_CUBLAS_VERSION "64_11" give cublas64_11.dll.
struct ComposedNames {
    std::string package;
    std::vector<std::string> headers;  // relative to site-packages; the first existing one is used
    std::vector<std::pair<std::string, std::vector<std::string>>>
        defines;                      // TF_CUBLAS_VERSION -> cublas, cublasLt
    std::string pattern;              // "{library}{value}.dll"
    std::vector<std::string> always;  // names without a number
    // Linux: symbol of the function that calls the loader. If the file only links the library that defines
    // it, that library's search list applies.
    std::string asks_by;
    std::string when;
    Origin origin;
};
std::vector<ComposedNames> composed_names(const Facts& facts, const std::string& opener_file_name,
                                          System system);
// A package with one library for each CUDA release, of which it opens that of a framework's CUDA.
struct CudaVariants {
    std::string package, of;   // "bitsandbytes", "torch"
    std::string file;          // relative to site-packages: ".../libbitsandbytes_cuda{cuda}.so"
    std::string opener;        // its file that opens it
    std::string variable;      // whose digits are used instead
    bool by_variable = false;  // without the variable another one of the same major does
    std::optional<Version> from, below;
    Origin origin;
};
std::vector<CudaVariants> cuda_variants(const Facts& facts);
// The library of NVIDIA that defines a function, by the beginning of its name: "ncclCommRegister" -> "nccl";
// empty = not known. cuDNN's are in several of its libraries.
std::string library_of_function(const Facts& facts, const std::string& name);
std::vector<PackageHabit> package_habits(const Facts& facts, System system);

// Files of a framework, relative to its own folder ("{site}/..." to site-packages). traced: those that need
// NVIDIA's libraries; the first readable one shows what an import loads. kernels: those with the framework's
// own device code.
enum class FrameworkFile { traced, kernels };
std::vector<std::string> framework_files(const Facts& facts, const std::string& package, System system,
                                         FrameworkFile kind = FrameworkFile::traced);

// How its libraries are loaded into a process.
struct FrameworkLoading {
    bool together = false;              // all traced files are loaded into one process, not only the first
    std::vector<std::string> optional;  // files as above that it can work without
    // CUDA major of its build -> names that it opens: "libnvrtc.so.12"
    std::vector<std::pair<int, std::vector<std::string>>> opens, opens_optional;
    // Windows: searched in the folders of os.add_dll_directory, not on PATH.
    bool opens_by_python = false;
};
FrameworkLoading framework_loading(const Facts& facts, const std::string& package, System system,
                                   const std::optional<Version>& version);

// Libraries that must be from one release: cublas with cublasLt, all of cudnn, nvrtc with its builtins.
struct LibrarySet {
    std::string id;  // "cublas"
    std::vector<std::string> libraries;
    enum class Rule { same_version, same_cuda_release, other_not_older } rule = Rule::same_version;
    Origin origin;
};
const char* to_string(LibrarySet::Rule rule);
std::vector<LibrarySet> library_sets(const Facts& facts);

// A package whose modules are built against one release of a framework and link its libraries.
// A wheel of a companion on PyPI.
struct CompanionWheel {
    Version version;
    Version of;    // release of the framework that it requires
    int cuda = 0;  // CUDA major that its modules need; 0 = not known
};
struct Companion {
    std::string package;                 // canonical: "torchvision"
    std::string of;                      // "torch"
    std::vector<std::string> libraries;  // relative to site-packages, one '*' in the last part
    Harm harm = Harm::later;
    std::string effect;
    // Its releases before this one refuse a framework for another CUDA minor release.
    std::optional<Version> compares_minor_before;
    bool cpu_build_works = false;  // beside a framework for CUDA: PyPI's torchcodec decodes on the CPU
    std::string index;             // where builds for each CUDA are, without the framework's tag at the end
    std::string builds;            // page with builds for each release of the framework and CUDA
    std::map<std::string, Version> releases;  // "0.20" -> 2.5, the release of the framework that it is for
    // Its releases from this one use only what the framework keeps from `stable_of` on.
    std::optional<Version> stable_from, stable_of;
    std::vector<CompanionWheel> wheels;
    // A release with one library for each of several releases of the framework -> those, ascending.
    std::map<std::string, std::vector<Version>> works_with;
    Origin origin;

    const CompanionWheel* wheel(const Version& release) const;
    bool compares_minor(const Known<Version>& release) const;
    // The release of the framework that this release is for; the oldest, where newer ones do too.
    std::optional<Version> framework_of(const Version& release) const;
    // The same if `framework` is another one.
    std::optional<Version> needs_other(const Version& release, const Version& framework) const;
};
std::vector<const Companion*> companions_of(const Facts& facts, const std::string& framework);
const Companion* companion_of(const Facts& facts, const std::string& framework, const std::string& package);

// The component in an NVIDIA package: "cudnn" for nvidia-cudnn-cu12 and "nvidia-cudnn-cu12<10.0,>=9.8",
// "cuda-toolkit"; empty if it is not NVIDIA's.
std::string nvidia_component(std::string_view requirement);
// "nvidia-cudnn-cu12" of "nvidia-cudnn-cu12<10.0,>=9.3"
std::string_view required_package(std::string_view requirement);

// Packages that contain a library file of that name, from sonames/. Read at each call, as it is only needed
// for the few missing libraries.
struct LibrarySource {
    std::string cuda;     // "11", "11.0", "11.1 - 11.8"
    std::string package;  // on PyPI: "nvidia-cublas-cu11"; empty = not known
    std::string folder;   // in site-packages: "nvidia/cublas/lib"; empty = not known
};
std::vector<LibrarySource> library_sources(const Facts& facts, const std::string& file_name, System system);
// "custatevec-cu12" for custatevec-cu11 and CUDA 12; empty = no table lists such a package.
std::string wheel_for_cuda(const Facts& facts, const std::string& package, int cuda_major);
// The CUDA majors with packages on PyPI, ascending.
std::vector<int> majors_with_packages(const Facts& facts);

// Library -> the file that a CUDA major has of it ("cublas" -> "libcublas.so.12"), if all its releases agree.
std::map<std::string, std::string> library_files(const Facts& facts, int cuda_major, System system);

// The CUDA release that contains that version of a component ("cublas" 12.8.4.1 or 12.8.4: 12.8); unknown
// between the listed ones of two majors, before the first and after the last.
Known<Version> cuda_release_of(const Facts& facts, const std::string& component, const Version& version);

// The same for a library: "cublasLt" 12.8.4.1, "nvrtc" 12.8.93.
Known<Version> cuda_of_library(const Facts& facts, const std::string& library, const Known<Version>& version);

}  // namespace ptxguard
