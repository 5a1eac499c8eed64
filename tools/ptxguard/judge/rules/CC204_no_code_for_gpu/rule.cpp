// A binary contains neither a cubin nor PTX that this GPU can run: error 209, "no kernel image is available".
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "judge/build_questions.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fitting_builds.hpp"
#include "judge/fixes.hpp"
#include "judge/loading_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_builds.hpp"
#include "judge/rule.hpp"
#include "judge/severity.hpp"

namespace ptxguard {
namespace {

bool holds_suffix(const BinaryFile& file, Arch gpu) {
    return any_of(file.entries, [&](const DeviceEntry& entry) {
        return entry.arch.suffix != 0 && entry.arch.major() == gpu.major() && entry.is_run();
    });
}

std::string because_of(const BinaryFile& file, const RunAnswer& answer) {
    std::string text =
        "a cubin runs on its own major version with the same or a newer minor, and PTX is compiled for its "
        "target and newer architectures";
    if (holds_suffix(file, answer.said.arch))
        text += "; 'a' code is for exactly one GPU, 'f' code for its family";
    return SAY("{} (CUDA error 209)", text);
}

constexpr const char* k_gpus_of_its_time = "a driver supports only GPUs that existed when it was released";
constexpr const char* k_gpus_dropped = "newer branches of the driver no longer contain the code for old GPUs";

// No newer driver can help.
Fix last_driver_fix(int branch, const Gpu& gpu) {
    return by_hand(SAY("install a driver of branch {}, the last for {}", branch, name_of(gpu)));
}

std::vector<Fix> fixes_for(const BinaryFile& file, const RunPair& pair, const RunAnswer& answer,
                           const Scenario& scenario, const Facts& facts) {
    if (answer.cause == RunCause::gpu_too_new)
        return {answer.minimum ? driver_fix(*answer.minimum) : by_hand("install a newer driver")};
    if (answer.cause == RunCause::gpu_too_old)
        return {last_driver_fix(*dropped_after(facts, *pair.driver, *pair.gpu->arch), *pair.gpu)};
    return code_for_gpu_fix(file, answer.said.arch, scenario, facts);
}

bool is_of_driver(const RunAnswer& answer) {
    return answer.cause == RunCause::gpu_too_new || answer.cause == RunCause::gpu_too_old;
}

void say_no(const BinaryFile& file, const RunPair& pair, const RunAnswer& answer, const Scenario& scenario,
            const Facts& facts, Findings& findings) {
    const bool by_driver = is_of_driver(answer);
    Composed finding =
        add(findings, "CC204", Level::error, SAY("{} on {}", file.path, answer.said.gpu),
            by_driver ? SAY("{}: does not run on {}: {}", file.path, answer.said.gpu, answer.said.why)
                      : SAY("{}: has no code for {}: {}", file.path, answer.said.gpu, answer.said.why));
    finding.about(scenario, file, *pair.gpu)
        .of_package(file.path)
        .found(evidence_of(file))
        .because(answer.cause == RunCause::gpu_too_old ? k_gpus_dropped
                 : by_driver                           ? k_gpus_of_its_time
                                                       : because_of(file, answer))
        .fix(fixes_for(file, pair, answer, scenario, facts));
    if (by_driver && pair.driver->version) finding.found("driver", pair.driver->version);
    if (by_driver && answer.minimum)
        finding.expected("driver", ">= " + answer.minimum->text, answer.minimum.origin);
    if (!by_driver) finding.expected(needed_code(answer.said.arch, pair.gpu->arch.origin));
}

void say_open(const BinaryFile& file, const RunPair& pair, const RunAnswer& answer, const Scenario& scenario,
              Findings& findings) {
    Composed finding =
        add(findings, "CC204", Level::unknown, SAY("{} on {}", file.path, answer.said.gpu),
            SAY("{}: whether {} runs it is not known: {}", file.path, answer.said.gpu, answer.said.why));
    finding.about(scenario, file, *pair.gpu)
        .found(evidence_of(file))
        .because("none of its code is certain to run there")
        .required(pair.gpu->declared);
    if (!answer.said.decide.empty()) finding.decide(answer.said.decide);
}

// The release whose cuBLAS supports that GPU: it supports the same architectures as ptxas.
std::vector<Fix> other_release_fix(const LoadedFile& library, const std::string& who, Arch gpu,
                                   const Facts& facts) {
    const std::vector<Version> releases = facts.cuda_releases_with(Arch{gpu.number, 0});
    if (releases.empty() || library.cuda_major == 0) return {};
    const bool dropped = releases.back().major() < library.cuda_major;
    const Version& release = dropped ? releases.back() : releases.front();
    if (!dropped && release.major() < library.cuda_major) return {};
    return {by_hand(dropped ? SAY("install a build of {} for CUDA {} or older, which supports {}", who,
                                  release.release(), gpu.sm())
                            : SAY("install a build of {} for CUDA {} or newer, which supports {}", who,
                                  release.release(), gpu.sm()))};
}

// The cuBLAS that a framework loads: without code for the GPU the first matrix multiplication fails, as "Blas
// GEMM launch failed" or CUBLAS_STATUS_ARCH_MISMATCH.
void judge_library(const Scenario& scenario, const Facts& facts, const LoadTrace& trace,
                   const LoadedFile& library, Findings& findings) {
    const auto is_it = [&](const BinaryFile& file) {
        return file.path == *library.taken || file.path == library.real_path;
    };
    const auto* file = first_where(scenario.binaries, is_it);
    if (!file || file->entries.empty() || !file->trouble.empty()) return;
    std::vector<Arch> said;
    const std::vector<RunPair> pairs = pairs_concerned(scenario);
    const auto answer_of = [&](const RunPair& pair) {
        return ask_run(*file, *pair.gpu, pair.driver, scenario, facts);
    };
    const bool another_runs =
        any_of(pairs, [&](const RunPair& pair) { return answer_of(pair).cause == RunCause::runs; });
    for (const RunPair& pair : pairs) {
        const RunAnswer answer = answer_of(pair);
        if (answer.cause != RunCause::not_there) continue;
        if (contains(said, answer.said.arch)) continue;
        said.push_back(answer.said.arch);
        // A cuBLAS from another entry is not the framework's own.

        const Expectation* framework = scenario.framework_of(trace);
        Composed finding =
            add(findings, "CC204", !pair.gpu->declared && another_runs ? Level::note : Level::error,
                SAY("{} of {}", library.name, trace.framework()),
                SAY("{} gets {} {}, in which nothing runs on {}", trace.framework(), library.name,
                    text_of(library.version), answer.said.gpu));
        if (framework && deciding_variable(library.rule).empty()) finding.of_package(framework->package);
        finding.about(scenario, trace);
        for (const RunPair& other : pairs)
            if (*other.gpu->arch == *pair.gpu->arch) finding.about(scenario, *other.gpu);
        Evidence holds = evidence_of(*file);
        holds.origin.text = SAY("{}, by {}", *library.taken, library.rule.text);
        finding.found(holds);
        finding.expected(needed_code(answer.said.arch, pair.gpu->arch.origin));
        finding.because(
            "its first matrix multiplication fails: CUBLAS_STATUS_ARCH_MISMATCH, in TensorFlow \"Blas GEMM "
            "launch failed\" (CUDA error 209)");
        finding.fix(other_release_fix(library, trace.framework(), answer.said.arch, facts));
        finding.by_hand("use another GPU");
    }
}

void judge_frameworks(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (trace.traced_for && library.taken && library.library == "cublas")
                judge_library(scenario, facts, trace, library, findings);
}

// Options for nvcc: the present list plus that GPU, or a release that supports it.
std::vector<Fix> build_fixes(const Scenario& scenario, const Facts& facts, std::vector<Target> code,
                             Arch gpu) {
    const Toolkit* toolkit = toolkit_of_build(scenario);
    const std::vector<Target> own = {{{gpu.number, 0}, true, false}};
    const std::vector<Version> releases = facts.cuda_releases_with(own.front().arch);
    if (toolkit && !knows_all(facts, *toolkit, own) && !releases.empty()) {
        const bool too_new = release_of(*toolkit) && *release_of(*toolkit) < releases.front();
        return {get_toolkit_fix(scenario, too_new ? releases.front() : releases.back(), facts,
                                SAY("(it supports {})", gpu.sm()))};
    }
    code.push_back(own.front());
    std::sort(code.begin(), code.end(), [](const Target& a, const Target& b) { return a.arch < b.arch; });
    return {arch_list_fix(scenario, code)};
}

// The requested build: its list, or the default of its nvcc.
void judge_build(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const Known<std::vector<Target>> code = code_of_build(scenario, facts);
    if (!code) return;
    const Toolkit* toolkit = toolkit_of_build(scenario);
    for (const Gpu* gpu : gpus_of_build(scenario, facts, *code)) {
        const Arch arch{gpu->arch->number, 0};
        if (code_fit(*code, arch, scenario, facts) != CodeFit::none) continue;
        // CC203 reports an nvcc that does not support the GPU: no list would help.
        if (!asks_for_architectures(scenario) && toolkit &&
            !knows_all(facts, *toolkit, {{arch, true, false}}))
            continue;
        Composed finding = add(
            findings, "CC204", gpu->declared ? Level::error : Level::warning,
            SAY("{} on {}", build_of(scenario), name_of(*gpu)),
            SAY("nothing of {} runs on {}: it makes {}", build_of(scenario), name_of(*gpu), words_of(*code)));
        finding.about(k_build)
            .about(scenario, *gpu)
            .found("device code", words_of(*code), code.origin)
            .expected(needed_code(arch, gpu->arch.origin))
            .because(
                "a cubin runs on its own major version with the same or a newer minor, and PTX is compiled "
                "for its target and newer architectures (CUDA error 209)")
            .fix(build_fixes(scenario, facts, *code, arch));
        locate_at_place(scenario, finding);
    }
}

void report_module(const Scenario& scenario, const RunPair& pair, const ModuleForOthers& module,
                   Findings& findings) {
    const std::string driver = name_of(*pair.driver), gpu = name_of(*pair.gpu);
    add(findings, "CC204", Level::error, SAY("{} on {}", gpu, driver),
        SAY("the {} kernel modules of {} do not drive {}: they are for {}", module.here, driver, gpu,
            module.drives))
        .about(scenario, *pair.gpu, *pair.driver)
        .found("kernel modules", module.here, pair.driver->kernel.origin)
        .found("GPU", gpu, pair.gpu->origin)
        .expected("kernel modules", module.needed, {})
        .because("such a GPU gets no device: nvidia-smi says 'No devices were found', cuInit fails with 100")
        .by_hand(SAY("install the {} kernel modules of {} instead of the {} ones", module.needed, driver,
                     module.here));
}

// For any code.
void judge_code_for_drivers(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const RunPair& pair : pairs_concerned(scenario)) {
        if (!pair.driver || driver_knows(scenario, facts, *pair.driver, *pair.gpu->arch) != false) continue;
        const Known<Version> minimum = first_driver_for(scenario, facts, *pair.gpu->arch);
        const std::string wanted = minimum ? SAY("driver {} or newer", minimum->text) : "a newer driver";
        const std::string driver = name_of(*pair.driver), gpu = name_of(*pair.gpu);
        const auto last = dropped_after(facts, *pair.driver, *pair.gpu->arch);
        const auto module = module_for_others(*pair.driver, *pair.gpu->arch);
        if (module && !last) {
            report_module(scenario, pair, *module, findings);
            continue;
        }
        Composed finding =
            add(findings, "CC204", Level::error, SAY("{} on {}", gpu, driver),
                last ? SAY("{} no longer supports {}: the last branch that does is {}", driver, gpu, *last)
                     : SAY("{} is older than {}, which needs {}", driver, gpu, wanted));
        if (!last)
            finding.brief(minimum ? SAY("{}: {} is too old (needs {})", gpu, driver, minimum->text)
                                  : SAY("{}: {} is too old", gpu, driver));
        const Known<Version> version = version_of(*pair.driver);
        finding.about(scenario, *pair.gpu, *pair.driver)
            .found("driver", version ? version->text : driver, pair.driver->origin)
            .found("GPU", gpu, pair.gpu->origin);
        finding.because(last ? k_gpus_dropped : k_gpus_of_its_time);
        if (last) {
            finding
                .expected("driver", SAY("branch {} or older", *last),
                          facts.arch(Arch{pair.gpu->arch->number, 0})->origin)
                .fix(last_driver_fix(*last, *pair.gpu));
            continue;
        }
        if (minimum) finding->expected = {{"driver", ">= " + minimum->text, minimum.origin}};
        finding->fix = {minimum ? driver_fix(*minimum) : by_hand(wanted)};
    }
}

std::string words_for(const NativeModule& module) {
    return module.package.empty() ? module.path : with_release(module.package, module.version);
}

// The newest PTX that the driver reads, and the first driver that reads this one.
void add_readable(const Composed& finding, const Known<PtxVersion>& limit, const PtxVersion& ptx,
                  const Scenario& scenario, const Facts& facts) {
    if (limit) finding.expected("PTX ISA", "<= " + limit->text(), limit.origin);
    if (const auto first = facts.first_driver_for_ptx(ptx, scenario.system)) finding.fix(driver_fix(*first));
}

// Only PTX serves the GPU, and the driver compiles none of its release (CUDA error 222).
void judge_module_ptx(const Scenario& scenario, const Facts& facts, const NativeModule& module,
                      const Gpu& gpu, Findings& findings) {
    const Driver* driver = module.ptx ? driver_that_refuses(scenario, facts, *module.ptx) : nullptr;
    if (!driver) return;
    const std::string name = words_for(module);
    const auto limit = ask_driver(scenario, facts, *driver, *module.ptx).newest;
    Composed finding = add(findings, "CC204", level_of_refused_ptx(module, gpu, scenario, facts),
                           SAY("{} on {}", name, name_of(gpu)),
                           limit ? SAY("{} has only PTX {} for {}, which {} does not read (up to {})", name,
                                       module.ptx->text(), name_of(gpu), name_of(*driver), limit->text())
                                 : SAY("{} has only PTX {} for {}, which {} does not read", name,
                                       module.ptx->text(), name_of(gpu), name_of(*driver)));
    finding.about(scenario, module, gpu)
        .found("device code", words_of(*module.archs), module.archs.origin)
        .found("PTX ISA", module.ptx->text(), module.ptx.origin)
        .because(
            "no cubin fits, and minor version compatibility does not cover PTX: 'the provided PTX was "
            "compiled with an unsupported toolchain' (CUDA error 222)");
    add_readable(finding, limit, *module.ptx, scenario, facts);
}

// What the module passes to the driver itself, beside whatever cubins it has.
void judge_module_texts(const Scenario& scenario, const Facts& facts, const NativeModule& module,
                        const Gpu& gpu, Findings& findings) {
    const Driver* driver = module.texts ? driver_that_refuses(scenario, facts, *module.texts) : nullptr;
    if (!driver) return;
    const std::string name = words_for(module);
    const auto limit = ask_driver(scenario, facts, *driver, *module.texts).newest;
    Composed finding = add(findings, "CC204", level_of_refused_ptx(module, gpu, scenario, facts),
                           SAY("{} on {}", name, name_of(*driver)),
                           SAY("{} passes PTX {} to the driver, and {} does not read it", name,
                               module.texts->text(), name_of(*driver)));
    finding.about(scenario, module, gpu)
        .about(scenario, *driver)
        .found("PTX ISA", module.texts->text(), module.texts.origin)
        .because(
            "kernels that are kept as PTX text are compiled by the driver on every GPU: 'the provided PTX "
            "was compiled with an unsupported toolchain' (CUDA error 222)");
    add_readable(finding, limit, *module.texts, scenario, facts);
    finding.by_hand(SAY("install a build of {} that was made with an older CUDA", name));
}

// Packages of the Python environment: all their modules together.
void judge_modules(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const NativeModule& module : scenario.modules)
        for (const Gpu* gpu : gpus_judged(scenario)) {
            if (!module.archs || !gpu->arch) continue;
            const CodeFit fit = code_fit(*module.archs, *gpu->arch, scenario, facts);
            if (fit == CodeFit::ptx) judge_module_ptx(scenario, facts, module, *gpu, findings);
            if (fit != CodeFit::none) judge_module_texts(scenario, facts, module, *gpu, findings);
            if (fit != CodeFit::none || has_variant_that_runs(scenario, facts, module, *gpu)) continue;
            const std::string name = words_for(module);
            add(findings, "CC204", level_without_code(module, *gpu, scenario, facts),
                SAY("{} on {}", name, name_of(*gpu)),
                SAY("{} has no code that runs on {}", name, name_of(*gpu)))
                .about(scenario, module, *gpu)
                .found("device code", words_of(*module.archs), module.archs.origin)
                .expected(needed_code(*gpu->arch, gpu->arch.origin))
                .because(
                    "its first kernel fails there (CUDA error 209), unless the package has another way for "
                    "this GPU")
                .fix(code_of_package_fix(scenario, facts, module, *gpu->arch));
        }
}

}  // namespace

PTXGUARD_RULE(CC204) {
    judge_modules(scenario, facts, findings);
    judge_build(scenario, facts, findings);
    if (scenario.source == SourceKind::machine && !is_at_place(scenario))
        judge_code_for_drivers(scenario, facts, findings);
    judge_frameworks(scenario, facts, findings);
    for (const auto& file : binaries_concerned(scenario)) {
        std::map<std::string, std::size_t> said;  // report a GPU with two drivers once
        for (const RunPair& pair : pairs_concerned(scenario)) {
            RunAnswer answer = ask_run(*file, *pair.gpu, pair.driver, scenario, facts);
            const bool no = answer.cause == RunCause::not_there || is_of_driver(answer);
            if (!no && answer.cause != RunCause::open) continue;
            if (file->entries.empty()) continue;  // CC002 or CC205 reports unreadable files
            std::string about = answer.said.gpu + answer.said.why;
            const auto [known, is_new] = said.emplace(about, findings.size());
            if (!is_new)
                Composed(findings[known->second]).about(scenario, *pair.gpu);
            else if (no)
                say_no(*file, pair, answer, scenario, facts, findings);
            else
                say_open(*file, pair, answer, scenario, findings);
        }
    }
}

}  // namespace ptxguard
