// CC304 cudnn_for_other_cuda: a process loads a cuDNN that was built for another CUDA major than that of the
// process.
// SPDX-License-Identifier: Apache-2.0
#include "judge/cudnn_questions.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

// A project that links cuDNN, if all installed copies are for another CUDA than its toolkit's.
void judge_project(const Scenario& scenario, Findings& findings) {
    const Toolkit* toolkit = scenario.requires_("cudnn") ? toolkit_of_build(scenario) : nullptr;
    const Known<Version> release = toolkit ? release_of(*toolkit) : Known<Version>{};
    if (!release || scenario.cudnns.empty()) return;
    for (const CudnnCopy& copy : scenario.cudnns)
        if (!copy.cuda || copy.cuda->major() == release->major()) return;
    const std::string wanted = std::to_string(release->major());
    const CudnnCopy& copy = scenario.cudnns.front();
    Composed finding =
        add(findings, "CC304", Level::error, "cuDNN of this project",
            SAY("this project links cuDNN with CUDA {}, but every installed cuDNN is for another CUDA",
                release->release()));
    finding.expected("cuDNN", SAY("for CUDA {}", wanted), release.origin)
        .because("cuDNN loads the cuBLAS and the runtime of its own CUDA into the process")
        .by_hand(SAY("install cuDNN {} for CUDA {}", copy.major, wanted));
    for (const CudnnCopy& one : scenario.cudnns)
        finding.found(SAY("cuDNN {}", text_of(one.version)), SAY("for CUDA {}", one.cuda->text),
                      one.cuda.origin);
}

// NVIDIA's repositories have these for each CUDA; without a number the newest is installed, which is for
// CUDA 12 or newer in all of them.
bool is_newest(const RecipePin& pin) {
    const std::string& name = pin.package;
    return name == "cudnn" || name == "cudnn9" ||
           (pin.specifier.empty() && !pin.open && pin.unreadable.empty() &&
            (name == "libcudnn8" || name == "libcudnn8-dev"));
}

// The library of a system's package that is built for one CUDA and opens the cuBLAS of that.
std::string library_of_package(const std::string& package) {
    if (starts_with_any(package, {"libcudnn", "cudnn9-cuda", "cudnn-cuda"}) || package == "cudnn" ||
        package == "cudnn9")
        return "cuDNN";
    for (const char* start :
         {"libnvinfer", "libnvonnxparsers", "libnvparsers", "tensorrt", "python3-libnvinfer"})
        if (package.rfind(start, 0) == 0) return "TensorRT";
    return "";
}

// 11.8 of "8.6.0.163-1+cuda11.8" (apt) and "8.6.0.163-1.cuda11.8" (dnf), 12 of "libcudnn9-cuda-12".
std::optional<Version> cuda_of_package(const RecipePin& pin, const Version& here) {
    const Version oldest = *parse_version("12");
    if (is_newest(pin)) return here < oldest ? std::optional<Version>(oldest) : std::nullopt;
    for (const char* mark : {"+cuda", ".cuda"})
        if (const std::size_t at = pin.specifier.find(mark); at != std::string::npos)
            return parse_version(pin.specifier.substr(at + 5));
    const std::size_t name = pin.package.find("-cuda-");
    return name == std::string::npos ? std::nullopt : parse_version(pin.package.substr(name + 6));
}

void say_other_cuda(const RecipePin& pin, const std::string& library, const Version& cuda,
                    const Known<Version>& here, Findings& findings) {
    const bool newest = is_newest(pin), drifts = newest && starts_with(pin.package, "lib");
    const bool by_minor = cuda.major() == here->major(), open = pin.specifier.empty();
    const std::string wanted = by_minor ? here->release() : std::to_string(here->major());
    const std::string named = open ? pin.package : SAY("{} {}", pin.package, pin.specifier);
    add(findings, "CC304", by_minor || drifts || library == "TensorRT" ? Level::warning : Level::error,
        pin.package,
        newest ? SAY("{} is for CUDA {} or newer, this recipe has CUDA {}", named, cuda.text, here->text)
               : SAY("{} is for CUDA {}, this recipe has CUDA {}", named, cuda.text, here->text))
        .found(pin.by, open ? pin.package : SAY("{}={}", pin.package, pin.specifier), pin.origin)
        .expected(library, SAY("for CUDA {}", wanted), here.origin)
        .because(by_minor ? "before CUDA 11 two minor releases are as incompatible as two majors"
                          : SAY("{} opens the cuBLAS of its own CUDA", library))
        .by_hand(SAY("install the {} for CUDA {}", library, wanted));
}

// The CUDA whose cuBLAS such a package finds. A base image has none: what is there is of pip's packages.
Known<Version> cuda_of_libraries(const Scenario& scenario) {
    const RecipeFacts& recipe = scenario.recipe;
    if (recipe.libraries_cuda || recipe.image.flavour == ImageFlavour::base) return recipe.libraries_cuda;
    return fixed_cuda(scenario);
}

// A framework of pip is built for the CUDA of the package, which is there for it and not for the image's.
bool is_for_framework(const Scenario& scenario, const Version& cuda) {
    return any_of(scenario.expectations, [&](const Expectation& framework) {
        return framework.cuda && framework.cuda->major() == cuda.major();
    });
}

// libcudnn8=8.6.0.163-1+cuda11.8 in an image of CUDA 12, libcudnn7=7.6.5.32-1+cuda10.2 in one of 10.1. Up to
// CUDA 10 two minor releases are as far apart as two majors. Of TensorRT's many packages one is enough.
void judge_system_packages(const Scenario& scenario, Findings& findings) {
    const Known<Version> here = cuda_of_libraries(scenario);
    if (!here) return;
    bool said_tensorrt = false;
    for (const RecipePin& pin : scenario.recipe.pins) {
        // An image with cuDNN has that of its CUDA, and keeps it.
        if (scenario.recipe.image.cudnn && pin.specifier.empty() && starts_with(pin.package, "libcudnn8"))
            continue;
        const std::string library = pin.by == "apt" ? library_of_package(pin.package) : "";
        const auto cuda = library.empty() ? std::nullopt : cuda_of_package(pin, *here);
        const bool tensorrt = library == "TensorRT";
        if (!cuda || (tensorrt && said_tensorrt) || !differs_in_names(*cuda, *here)) continue;
        if (is_for_framework(scenario, *cuda)) continue;
        said_tensorrt = said_tensorrt || tensorrt;
        say_other_cuda(pin, library, *cuda, here, findings);
    }
}

// cuDNN failed, and every package of it that the log lists is for another CUDA than the framework.
void judge_packages_of_log(const Scenario& scenario, Findings& findings) {
    const auto failed = messages_with(
        scenario, {"cudnn_failed", "cudnn_not_initialized", "cudnn_missing", "cudnn_mixed", "cublas_failed"});
    const Expectation* framework = framework_of_log(scenario);
    if (failed.empty() || !framework || !framework->cuda) return;
    const LogMessage* other = nullptr;
    for (const LogMessage* package : messages_with(scenario, {"cudnn_file"})) {
        if (!package->cuda) continue;
        if (package->cuda->major() == framework->cuda->major()) return;
        other = package;
    }
    if (!other) return;
    const std::string wanted = std::to_string(framework->cuda->major());
    add(findings, "CC304", Level::error, "cuDNN",
        SAY("{} is built for CUDA {}, but the log lists a cuDNN for CUDA {}", name_of(*framework),
            framework->cuda->text, other->cuda->major()))
        .found(evidence_of(*failed.front()))
        .found(evidence_of(*other))
        .expected("cuDNN", SAY("for CUDA {}", wanted), framework->cuda.origin)
        .because("cuDNN opens the cuBLAS of its own CUDA")
        .by_hand(
            SAY("uninstall nvidia-cudnn-cu{}, then install nvidia-cudnn-cu{}", other->cuda->major(), wanted));
}

}  // namespace

PTXGUARD_RULE(CC304) {
    if (scenario.source == SourceKind::log) return judge_packages_of_log(scenario, findings);
    judge_system_packages(scenario, findings);
    judge_project(scenario, findings);
    for (const LibraryFault& fault : faults.reported_by("CC304")) {
        const AllAbout about(findings, fault.about);
        const LoadedFile& library = fault.library();
        const std::string name = process_name(*fault.trace, fault.framework);
        const int wanted = fault.wanted->major();
        const Fix restored =
            fault.framework ? lost_files_fix(scenario, *fault.framework, "cudnn") : by_hand("");
        Composed finding = add(findings, "CC304", Level::error, SAY("{}, {}", name, library.name),
                               SAY("{} is built for CUDA {} but loads a cuDNN for CUDA {}", name,
                                   fault.wanted->text, library.cuda->text));
        finding.found(evidence_of(library))
            .found("built for CUDA", library.cuda)
            .expected("cuDNN", SAY("for CUDA {}", wanted), fault.wanted.origin)
            .because(
                "the builds of one cuDNN for several CUDAs have the same file names; each opens the cuBLAS "
                "of its own CUDA, and streams of one runtime are not valid in another")
            .of_entry(entry_of(library))
            .of_package(fault.framework ? fault.framework->package : "")
            .fix(variable_fix(library, scenario.system));
        if (!restored.text.empty()) {
            finding.fix(restored);
            continue;
        }
        const CudnnInUse cudnn = cudnn_of(scenario, *fault.trace);
        const bool built = fault.framework && fault.framework->cudnn;
        if (built || cudnn.version)
            finding.fix(get_cudnn_fix(fault.framework, built ? *fault.framework->cudnn : *cudnn.version,
                                      facts, wanted));
    }
}

}  // namespace ptxguard
