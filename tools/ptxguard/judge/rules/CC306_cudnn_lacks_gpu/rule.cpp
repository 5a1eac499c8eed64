// CC306 cudnn_lacks_gpu: the cuDNN of a process has no code for a named or found GPU.
// SPDX-License-Identifier: Apache-2.0
#include "facts/cudnn.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

// What the file, or the table of its release, contains for one architecture.
struct Answer {
    enum class State { runs, lacks, open } state = State::runs;
    std::vector<Target> code;  // evidence for the answer
    std::string release;       // release in the table row
    Origin origin;
};

// The file that was read; null if none was read to the end.
const BinaryFile* code_of(const Scenario& scenario, const CudnnInUse& cudnn) {
    for (const char* name : {"cudnn_ops", "cudnn_ops_infer"}) {
        const LoadedFile* library = cudnn.trace->library(name);
        for (const BinaryFile& file : scenario.binaries)
            if (library && library->taken &&
                (file.path == *library->taken || file.path == library->real_path) && file.trouble.empty() &&
                !file.summary.empty())
                return &file;
    }
    return nullptr;
}

Answer ask_file(const BinaryFile& file, Arch gpu, const Scenario& scenario, const Facts& facts) {
    Answer answer;
    answer.origin = Origin::from_file(file.path);
    for (const EntryGroup& group : file.summary) {
        const Target target{group.arch, group.kind == EntryKind::cubin, group.kind == EntryKind::ptx};
        if (target.real || target.ptx) answer.code.push_back(target);
    }
    if (!answer.code.empty() && code_fit(answer.code, gpu, scenario, facts) == CodeFit::none)
        answer.state = Answer::State::lacks;
    return answer;
}

// For a release between two measured ones, use only what both agree on.
Answer ask(const CudnnCodeNear& near, Arch gpu, const Scenario& scenario, const Facts& facts) {
    Answer answer;
    int lacking = 0;
    for (const auto* code : {&near.before, &near.after}) {
        if (!*code) continue;
        const CodeFit fit = code_fit((*code)->code, gpu, scenario, facts);
        if (fit != CodeFit::none) return answer;
        answer.code = (*code)->code;
        answer.release = (*code)->version.text;
        answer.origin = (*code)->origin;
        ++lacking;
    }
    answer.state = lacking == 2 ? Answer::State::lacks : lacking ? Answer::State::open : Answer::State::runs;
    return answer;
}

struct Wanted {
    Arch arch;
    std::string name;  // "Tesla V100 (sm_70)", "sm_70"
    Origin origin;
    bool is_gpu = false;
    bool named = false;
    Entity id = {};
};

// GPUs; without any, the real targets that the user requested by number, because the build is for these GPUs.
std::vector<Wanted> wanted_archs(const Scenario& scenario) {
    std::vector<Wanted> wanted;
    for (const Gpu* gpu : gpus_judged(scenario))
        wanted.push_back(
            {*gpu->arch, name_of(*gpu), gpu->arch.origin, true, gpu->declared, id_of(scenario, *gpu)});
    if (!wanted.empty() || !scenario.project.archs_text || !scenario.project.archs.words.empty())
        return wanted;
    for (const Target& target : scenario.project.archs.targets)
        if (target.real)
            wanted.push_back(
                {target.arch, target.arch.sm(), scenario.project.archs_text.origin, false, false, k_build});
    return wanted;
}

Fix cudnn_fix_for(int cuda_major, Arch gpu) {
    if (gpu.number >= 75) return by_hand("install a newer cuDNN");
    if (cuda_major == 12)
        return by_hand(SAY("install cuDNN 9.10.2 for CUDA 12, the last with code for {}", gpu.sm()));
    return by_hand("use a framework for CUDA 12 with cuDNN 9.10.2 or older");
}

constexpr const char* k_old_gpus_dropped =
    "newer releases of cuDNN drop old GPUs under the same file names: calls fail with "
    "CUDNN_STATUS_ARCH_MISMATCH or CUDNN_STATUS_EXECUTION_FAILED";

void say(const Scenario& scenario, const CudnnInUse& cudnn, const Wanted& wanted, const Answer& answer,
         Findings& findings) {
    const bool open = answer.state == Answer::State::open;
    const Level level = open ? Level::unknown : wanted.is_gpu ? Level::error : Level::warning;
    const std::string release = SAY("{} for CUDA {}", cudnn.version->text, cudnn.cuda->major());
    const std::string name = process_name(*cudnn.trace, cudnn.framework);
    const LoadedFile& library = cudnn.version_library ? *cudnn.version_library : *cudnn.asked;
    Composed finding =
        add(findings, "CC306", level, SAY("{}, cuDNN on {}", name, wanted.name),
            open ? SAY("cannot determine whether cuDNN {}, which {} loads, has code for {}", release, name,
                       wanted.name)
                 : SAY("cuDNN {}, which {} loads, has no code for {}", release, name, wanted.name));
    finding.about(wanted.id)
        .about(scenario, *cudnn.trace)
        .found(evidence_of(library))
        .found("its device code", words_of(answer.code), answer.origin)
        .expected(needed_code(wanted.arch, wanted.origin))
        .because(open ? SAY("the nearest release that was measured, {}, has none", answer.release)
                      : k_old_gpus_dropped)
        .required(open && wanted.named);
    if (open)
        finding.decide(SAY("ptxguard inspect on its libcudnn_ops with --gpu {}", wanted.arch.cc()));
    else
        finding.fix(cudnn_fix_for(cudnn.cuda->major(), wanted.arch));
}

// The framework itself has no code for it: CC607 reports that, and another cuDNN would not help.
bool lacks(const Expectation& framework, Arch gpu, const Scenario& scenario, const Facts& facts) {
    return framework.archs && !framework.archs->empty() &&
           code_fit(*framework.archs, gpu, scenario, facts) == CodeFit::none;
}

// The cuDNN that a recipe installs for a framework: NVIDIA's package, else the one that its build pins.
struct CudnnInstalled {
    Known<Version> version;
    bool newest = false;  // no pin decides it
};
CudnnInstalled installed_cudnn(const Scenario& scenario, const Expectation& framework) {
    const std::string package = "nvidia-cudnn-cu" + std::to_string(framework.cuda->major());
    for (const Installed& one : scenario.recipe.installed)
        if (one.package == package) return {{*one.version, one.asked}, one.newest};
    // Without a package of its own it loads that of the image.
    if (loads_libraries_here(scenario, framework)) return {};
    return {framework.cudnn, false};
}

void judge_packages(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Expectation& framework : scenario.expectations) {
        if (!framework.cuda || never_released(framework) || !framework.may_use_cuda()) continue;
        const CudnnInstalled cudnn = installed_cudnn(scenario, framework);
        if (!cudnn.version || cudnn.version->numbers.size() < 3) continue;
        const int major = framework.cuda->major();
        for (const Gpu* gpu : gpus_judged(scenario)) {
            if (lacks(framework, *gpu->arch, scenario, facts)) continue;
            const Answer answer = ask(cudnn_code(facts, *cudnn.version, major), *gpu->arch, scenario, facts);
            if (answer.state != Answer::State::lacks) continue;
            const std::string release = cudnn.newest
                                            ? SAY("{} for CUDA {} (the newest)", cudnn.version->text, major)
                                            : SAY("{} for CUDA {}", cudnn.version->text, major);
            add(findings, "CC306", cudnn.newest ? Level::warning : Level::error,
                SAY("{}, cuDNN on {}", name_of(framework), name_of(*gpu)),
                SAY("cuDNN {}, which {} loads, has no code for {}", release, name_of(framework),
                    name_of(*gpu)))
                .about(scenario, framework, *gpu)
                .found("cuDNN", cudnn.version)
                .found("its device code", words_of(answer.code), answer.origin)
                .expected(needed_code(*gpu->arch, gpu->arch.origin))
                .because(k_old_gpus_dropped)
                .fix(major == 12 && gpu->arch->number < 75
                         ? Fix{FixKind::edit, "nvidia-cudnn-cu12<9.11"}
                         : by_hand(gpu->arch->number < 75 ? "use a build of the framework for CUDA 12"
                                                          : "install a newer cuDNN"));
        }
    }
}

// cuDNN reported that it lacks the GPU. The log names that GPU, one release of cuDNN and its CUDA.
void judge_gpu_of_log(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const auto failed = messages_with(scenario, {"cudnn_lacks_gpu"});
    const auto files = messages_with(scenario, {"cudnn_file"});
    const Expectation* framework = framework_of_log(scenario);
    if (failed.empty() || scenario.gpus.size() != 1 || files.empty()) return;
    const LogMessage& file = *files.front();
    for (const LogMessage* one : files)
        if (!same_release(*one->loaded, *file.loaded)) return;
    const auto cuda = file.cuda ? file.cuda : framework ? framework->cuda.value : std::nullopt;
    if (!cuda) return;
    const Gpu& gpu = scenario.gpus.front();
    const Answer answer = ask(cudnn_code(facts, *file.loaded, cuda->major()), *gpu.arch, scenario, facts);
    if (answer.state != Answer::State::lacks) return;
    add(findings, "CC306", Level::error, "cuDNN",
        SAY("cuDNN {} for CUDA {} has no code for {}", file.loaded->text, cuda->major(), name_of(gpu)))
        .found(evidence_of(*failed.front()))
        .found(evidence_of(file))
        .found("its device code", words_of(answer.code), answer.origin)
        .expected(needed_code(*gpu.arch, gpu.arch.origin))
        .because("newer releases of cuDNN drop old GPUs under the same file names")
        .fix(cudnn_fix_for(cuda->major(), *gpu.arch));
}

}  // namespace

PTXGUARD_RULE(CC306) {
    if (scenario.source == SourceKind::log) return judge_gpu_of_log(scenario, facts, findings);
    if (is_recipe(scenario)) judge_packages(scenario, facts, findings);
    const auto wanted = wanted_archs(scenario);
    for (const CudnnInUse& cudnn : cudnns_in_use(scenario)) {
        if (!is_taken(*cudnn.asked) || cudnn.mixed || !cudnn.version || !cudnn.cuda || wanted.empty())
            continue;
        const BinaryFile* file = code_of(scenario, cudnn);
        const CudnnCodeNear near =
            file ? CudnnCodeNear{} : cudnn_code(facts, *cudnn.version, cudnn.cuda->major());
        for (const Wanted& one : wanted) {
            if (cudnn.framework && lacks(*cudnn.framework, one.arch, scenario, facts)) continue;
            const Answer answer =
                file ? ask_file(*file, one.arch, scenario, facts) : ask(near, one.arch, scenario, facts);
            if (answer.state != Answer::State::runs) say(scenario, cudnn, one, answer, findings);
        }
    }
}

}  // namespace ptxguard
