// SPDX-License-Identifier: Apache-2.0
#include "diagnose/question.hpp"
#include "facts/pypi.hpp"
#include "facts/variants.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

// Packages of frameworks and of NVIDIA.
bool is_of_cuda(std::string name) {
    name = lower(trim(name));
    for (const char* start :
         {"torch",         "tensorflow",   "jax",        "nvidia-",       "cupy",       "onnxruntime-gpu",
          "xformers",      "flash-attn",   "flash_attn", "triton",        "cuda",       "libcud",
          "libcublas",     "libnccl",      "cudnn",      "cudatoolkit",   "pytorch",    "vllm",
          "tensorrt",      "bitsandbytes", "mmcv",       "paddlepaddle",  "libnv",      "nvidia-cuda",
          "flashinfer",    "sgl-kernel",   "faiss-gpu",  "cumm",          "spconv",     "ctranslate2",
          "dgl",           "deepspeed",    "mamba-ssm",  "causal-conv1d", "natten",     "pytorch3d",
          "gsplat",        "auto-gptq",    "autoawq",    "exllamav2",     "detectron2", "transformer-engine",
          "sageattention", "cudf",         "cuml",       "cugraph",       "cuvs",       "cucim",
          "rmm-",          "pylibraft",    "libcudf",    "numba-cuda",    "pycuda",     "kaolin",
          "nvdiffrast",    "warp-lang",    "tinycudann", "lmdeploy",      "sglang",     "ktransformers",
          "horovod",       "mxnet",        "tf-nightly", "unsloth"})
        if (starts_with(name, start)) return true;
    return false;
}
bool has_cuda_tag(const std::string& requirement) { return requirement.find("+cu") != std::string::npos; }
// "x-1.0+torch26.cuda126-cp312-cp312-win_amd64.whl", "+pt27cu128": what an extension was built for.
bool has_build_tag(const std::string& wheel) {
    const std::size_t plus = wheel.find('+');
    if (plus == std::string::npos) return false;
    const std::string tag = lower(wheel.substr(plus + 1, wheel.find('-', plus) - plus - 1));
    return tag.find("cu") != std::string::npos || tag.find("torch") != std::string::npos ||
           (starts_with(tag, "pt") && tag.size() > 2 && is_digit(tag[2]));
}

std::string name_of_requirement(const std::string& text) {
    return text.substr(0, text.find_first_of("[<>=!~{; "));
}

// These exist, so that a build for this platform is missing; of another name the index may have nothing at
// all.
bool is_large_framework(const std::string& requirement) {
    const std::string name = lower(name_of_requirement(requirement));
    for (const char* one :
         {"torch", "torchvision", "torchaudio", "tensorflow", "jaxlib", "onnxruntime-gpu", "triton"})
        if (name == one) return true;
    return false;
}

// "torch==1.11.0+cu113": whether the tables list this build.
Published listed_build(const LogQuestion& q) {
    const std::string requirement = q.value("requirement");
    const std::size_t equals = requirement.rfind('='), plus = requirement.find('+');
    if (equals == std::string::npos || plus == std::string::npos || plus < equals) return Published::open;
    const auto version = parse_version(requirement.substr(equals + 1, plus - equals - 1));
    if (!version) return Published::open;
    return published_build(q.facts, lower(name_of_requirement(requirement)), *version,
                           requirement.substr(plus + 1));
}

// "3.13"; "" = the log does not say.
std::string python_of_log(const LogQuestion& q) {
    const std::string minor = q.value("python_minor");
    return minor.empty() ? "" : "3." + minor;
}

enum class OnPypi { fits, not_for_python, never, open };
// Whether the pinned release exists, and for the Python of the log. Other builds of it are for the same ones.
OnPypi on_pypi(const LogQuestion& q) {
    const std::string requirement = q.value("requirement");
    const std::size_t equals = requirement.rfind("==");
    const PypiPackage* package = pypi_package(q.facts, lower(name_of_requirement(requirement)));
    if (!package || equals == std::string::npos) return OnPypi::open;
    std::string release = requirement.substr(equals + 2);
    release.resize(std::min(release.find('+'), release.size()));
    if (const PypiRelease* known = package->find(release)) {
        const std::string python = python_of_log(q);
        if (python.empty()) return OnPypi::open;
        return fits_python(package->row(*known), python) ? OnPypi::fits : OnPypi::not_for_python;
    }
    return package->never_released(release) ? OnPypi::never : OnPypi::open;
}

// PyTorch's index in place of PyPI: it has no other packages, and few to build others with.
bool searches_only_torch(const LogQuestion& q) {
    return q.has_value("index_of_all") || (q.has_value("torch_index") && !q.has_value("torch_index", ","));
}

// Of other packages: no toolchain problem.
Suspects absent_elsewhere(const LogQuestion& q) {
    if (searches_only_torch(q)) return {{"only_torch_index", likely}};
    return q.has_cause("network") ? Suspects{} : Suspects{{"release_absent", likely}};
}

Suspects requirement_absent(LogQuestion& q) {
    const std::string requirement = q.value("requirement");
    if (!is_of_cuda(requirement)) return absent_elsewhere(q);
    if (q.has_cause("network")) return {{"no_build_for_platform", possible}};
    const OnPypi release = on_pypi(q);
    if (release == OnPypi::not_for_python)
        return {{"no_build_for_platform", likely}, {"framework_build_missing", possible}};
    if (release == OnPypi::never)
        return {{"framework_build_missing", likely}, {"no_build_for_platform", possible}};
    // There is no CUDA for macOS.
    if (has_cuda_tag(requirement) && q.all.of_apple) return {{"no_build_for_platform", likely}};
    if (has_cuda_tag(requirement)) {
        // Another build in the list: the index is searched.
        const bool lists_builds = !q.value("released_cuda").empty();
        if (listed_build(q) == Published::yes)
            return lists_builds
                       ? Suspects{{"no_build_for_platform", likely}, {"index_without_effect", possible}}
                       : Suspects{{"index_without_effect", likely}, {"no_build_for_platform", likely}};
        return {{"framework_build_missing", likely},
                {"index_without_effect", likely},
                {"no_build_for_platform", possible}};
    }
    if (requirement.find("==") != std::string::npos || requirement.find('<') != std::string::npos)
        return {{"no_build_for_platform", likely}, {"framework_build_missing", likely}};
    return {{"no_build_for_platform", is_large_framework(requirement) ? likely : possible}};
}

// uv: "there is no version of X==1.2": the index that was searched lacks the release; the platform plays no
// part.
Suspects version_absent(LogQuestion& q) {
    const std::string requirement = q.value("requirement");
    if (!is_of_cuda(requirement)) return {};
    if (requirement.find("==") == std::string::npos || on_pypi(q) == OnPypi::not_for_python)
        return requirement_absent(q);
    return {{"index_without_effect", likely}, {"framework_build_missing", likely}};
}

Suspects requirement_absent_everywhere(LogQuestion& q) {
    const std::string requirement = q.value("requirement");
    if (!is_of_cuda(requirement)) return absent_elsewhere(q);
    if (q.has_cause("network")) return {{"no_build_for_platform", possible}};
    if (on_pypi(q) == OnPypi::not_for_python) return {{"no_build_for_platform", likely}};
    // An index of PyTorch that has nothing at all of the package: there is none for this CUDA.
    if (q.has_value("torch_index"))
        return {{"index_without_effect", likely}, {"no_build_for_platform", likely}};
    if (has_cuda_tag(requirement)) {
        if (listed_build(q) == Published::yes)
            return {{"no_build_for_platform", likely}, {"index_without_effect", likely}};
        return {{"index_without_effect", likely},
                {"framework_build_missing", possible},
                {"no_build_for_platform", possible}};
    }
    return {{"no_build_for_platform", is_large_framework(requirement) ? likely : possible}};
}

Suspects not_in_registry(LogQuestion& q) {
    if (searches_only_torch(q) && is_of_cuda(q.value("requirement")))
        return {{"index_without_effect", likely}, {"no_build_for_platform", likely}};
    return requirement_absent(q);
}

Suspects requirement_platform(LogQuestion& q) {
    return is_of_cuda(q.value("requirement")) ? Suspects{{"no_build_for_platform", q.confidence}}
                                              : Suspects{};
}
// uv takes a package from the first index that has its name, and PyTorch's has a few of others' wheels.
Suspects from_torch_index(LogQuestion& q) {
    if (is_of_cuda(q.value("requirement"))) return {{"no_build_for_platform", q.confidence}};
    return {{"torch_index_for_all", q.confidence}};
}
// uv: it has the package, but not that release, which the next index may have.
Suspects found_on_first_index(LogQuestion& q) {
    if (q.value("index").find("pytorch.org") == std::string::npos) return {};
    return {
        {is_of_cuda(q.value("requirement")) ? "index_without_effect" : "torch_index_for_all", q.confidence}};
}
Suspects wheel_unfit(LogQuestion& q) {
    std::string name = q.value("requirement");
    const std::size_t slash = name.find_last_of("/\\");
    if (slash != std::string::npos) name.erase(0, slash + 1);
    return is_of_cuda(name) || has_build_tag(name) ? Suspects{{"no_build_for_platform", certain}}
                                                   : Suspects{};
}
Suspects requirement_absent_in_channel(LogQuestion& q) {
    // mamba draws a tree before the name.
    std::string requirement = q.value("requirement");
    requirement.erase(0,
                      std::min(requirement.find_first_of("abcdefghijklmnopqrstuvwxyz"), requirement.size()));
    q.set("requirement", requirement);
    return is_of_cuda(q.value("requirement"))
               ? Suspects{{"toolkit_release_missing", at_most(q.confidence, likely)}}
               : Suspects{};
}
Suspects requirement_absent_in_source(LogQuestion& q) {
    return is_of_cuda(q.value("requirement")) ? Suspects{{"toolkit_release_missing", q.confidence}}
                                              : Suspects{};
}
// Other packages' requirements are no toolchain problem.
Suspects requirement_odd(LogQuestion& q) {
    const std::string requirement = q.value("requirement");
    if (!requirement.empty() && !is_of_cuda(requirement)) return {};
    return {{"requirement_unreadable", q.confidence}};
}
Suspects conda_absent(LogQuestion& q) {
    return q.has_value("requirement", "cud") ? Suspects{{"toolkit_release_missing", likely}}
                                             : Suspects{{"toolkit_release_missing", possible}};
}
Suspects conda_virtual_cuda(LogQuestion& q) {
    // __cuda is the CUDA release of the driver; with a number there is a driver.
    if (!q.value("driver_cuda").empty() && !q.value("need").empty()) {
        q.set("runtime", "CUDA " + q.value("need"));
        return {{"driver_too_old", q.confidence}};
    }
    return {{"no_driver", at_most(q.confidence, likely)}, {"driver_too_old", at_most(q.confidence, likely)}};
}
// A build with CUDA, where conda lists no __cuda of the machine.
Suspects conda_wants_driver(LogQuestion& q) {
    return q.value("driver_cuda").empty() ? Suspects{{"no_driver", q.confidence}} : Suspects{};
}
Suspects requirement_conflict(LogQuestion& q) {
    return is_of_cuda(q.value("requirement")) && is_of_cuda(q.value("package"))
               ? Suspects{{"companions", likely}}
               : Suspects{{"python_packages", possible}};
}
Suspects requirement_unmet(LogQuestion& q) {
    if (!is_of_cuda(q.value("requirement")) || !is_of_cuda(q.value("package"))) return {};
    q.set("package", q.value("requirement") + " of " + q.value("package"));
    return {{"companions", q.confidence}};
}
// pip: "The user requested nvidia-cudnn-cu12==9.1.0.70. The user requested nvidia-cudnn-cu12==8.9.2.26"
Suspects requirement_twice(LogQuestion& q) {
    const std::string one = q.value("requirement"), other = q.value("other");
    if (name_of_requirement(one) != name_of_requirement(other) || !is_of_cuda(one)) return {};
    q.set("one", one);
    q.forget("package");
    return {{"companions", q.confidence}};
}
// "Because torch==2.11.0 depends on cuda-toolkit==13.0.2 and you require cuda-toolkit==13.2.1"
Suspects requirement_conflict_of_two(LogQuestion& q) {
    const std::string requirement = q.value("requirement"), other = q.value("other");
    if (name_of_requirement(requirement) != name_of_requirement(other) || !is_of_cuda(requirement)) return {};
    q.set("package", requirement + " of " + q.value("package") + " and " + other);
    q.forget("other");
    return {{"companions", likely}};
}
// pip: "The conflict is caused by: torch 2.0.1 depends on triton==2.0.0, xformers 0.0.28 depends on
// triton==3.0"
Suspects requirement_conflict_any(LogQuestion& q) {
    for (const FoundMessage& one : q.all.messages)
        for (const FoundMessage& other : q.all.messages) {
            const std::string *first = one.value("conflicting_requirement"),
                              *second = other.value("conflicting_requirement");
            if (!first || !second || *first == *second || !is_of_cuda(*first)) continue;
            if (name_of_requirement(*first) != name_of_requirement(*second)) continue;
            q.set("package", *first + " of " + *one.value("conflicting") + " and " + *second + " of " +
                                 *other.value("conflicting"));
            return {{"companions", likely}};
        }
    return is_of_cuda(q.value("packages")) ? Suspects{{"companions", possible}} : Suspects{};
}
// conda before 4.7.12 lists only what excludes each other: "pytorch 1.0.1* -> cudatoolkit >=10.0,<10.1".
Suspects conda_chain(LogQuestion& q) {
    if (!q.has_mark("conda_conflict")) return {};
    q.set("package", q.message.text.substr(q.message.text.rfind("-> ") + 3));
    return {{"companions", q.confidence}};
}
// Newer ones list for each package all that require it, Python among them: many such lists say little.
Suspects conda_conflict_on(LogQuestion& q) {
    if (!is_of_cuda(q.value("requirement"))) return {};
    constexpr int k_few = 3;
    const auto lists =
        std::count_if(q.all.messages.begin(), q.all.messages.end(),
                      [&](const FoundMessage& one) { return one.message == q.message.message; });
    q.set("package", q.value("requirement"));
    return {{"companions", lists > k_few ? possible : q.confidence}};
}
Suspects conda_python(LogQuestion& q) {
    if (!q.has_mark("conda_python") || !is_of_cuda(q.value("requirement"))) return {};
    return {{"no_build_for_platform", q.confidence}};
}
// "package torchaudio-2.0.2-py310_cu117 requires pytorch-cuda 11.7.*, but none of the providers ..."
Suspects conda_conflict(LogQuestion& q) {
    const bool on_python = starts_with(q.value("requirement"), "python");
    if (on_python && is_of_cuda(q.value("package"))) return {{"no_build_for_platform", q.confidence}};
    if (!is_of_cuda(q.value("requirement"))) return {};
    if (q.value("package").empty()) q.set("package", q.value("requirement"));
    return {{"companions", likely}};
}
// apt: two sources, or two releases, of NVIDIA's packages.
Suspects apt_depends(LogQuestion& q) {
    return is_of_cuda(q.value("requirement")) && is_of_cuda(q.value("package"))
               ? Suspects{{"apt_conflict", q.confidence}}
               : Suspects{};
}
Suspects torch_absent(LogQuestion& q) {
    const bool builds = q.has_mark("package_build");
    q.set("module", "torch");
    // "pip install flash-attn": its setup.py imports torch. Where torch was installed by the same command,
    // the program was started elsewhere.
    const bool installs = q.has_value("pip_words") && !q.has_value("pip_words", "torch");
    if (installs && !builds) return {{"build_isolation", likely}, {"missing_module", likely}};
    return builds ? Suspects{{"build_isolation", likely}}
                  : Suspects{{"missing_module", likely}, {"build_isolation", possible}};
}

// apt says the same where it reaches no server.
Suspects release_file_absent(LogQuestion& q) {
    if (q.has_cause("network")) return {};
    return {{"toolkit_release_missing", q.confidence}};
}

}  // namespace

std::vector<Refinement> refinements_of_packages() {
    return {{"release_file_absent", release_file_absent},
            {"requirement_absent", requirement_absent},
            {"requirement_absent_everywhere", requirement_absent_everywhere},
            {"requirement_platform", requirement_platform},
            {"from_torch_index", from_torch_index},
            {"wheel_unfit", wheel_unfit},
            {"requirement_absent_in_channel", requirement_absent_in_channel},
            {"requirement_absent_in_source", requirement_absent_in_source},
            {"requirement_odd", requirement_odd},
            {"conda_absent", conda_absent},
            {"conda_virtual_cuda", conda_virtual_cuda},
            {"conda_wants_driver", conda_wants_driver},
            {"not_in_registry", not_in_registry},
            {"requirement_conflict", requirement_conflict},
            {"requirement_conflict_of_two", requirement_conflict_of_two},
            {"requirement_unmet", requirement_unmet},
            {"requirement_twice", requirement_twice},
            {"requirement_conflict_any", requirement_conflict_any},
            {"version_absent", version_absent},
            {"conda_chain", conda_chain},
            {"conda_conflict_on", conda_conflict_on},
            {"conda_python", conda_python},
            {"conda_conflict", conda_conflict},
            {"found_on_first_index", found_on_first_index},
            {"apt_depends", apt_depends},
            {"torch_absent", torch_absent}};
}

}  // namespace ptxguard
