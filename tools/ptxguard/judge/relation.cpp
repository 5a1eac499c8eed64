// SPDX-License-Identifier: Apache-2.0
#include "judge/relation.hpp"

#include "judge/build_questions.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/loading_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/search_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_run_there = "a run on that GPU";

Outcome outcome_of(std::optional<bool> good) {
    return !good ? Outcome::unknown : *good ? Outcome::accepted : Outcome::refused;
}

Outcome outcome_of(CodeFit fit) {
    return fit == CodeFit::none   ? Outcome::refused
           : fit == CodeFit::open ? Outcome::unknown
                                  : Outcome::accepted;
}

struct Relation {
    const Scenario& scenario;
    const Facts& facts;
    const LibraryFaults& faults;
    const Known<std::vector<Target>> code = code_of_build(scenario, facts);
    const Toolkit* const toolkit = toolkit_of_build(scenario);
    const bool builds_here = scenario.project.wanted && scenario.source == SourceKind::machine;
    std::vector<Obligation> pairs = {};

    Obligation& add(Meeting kind, std::string left, std::string right, Outcome outcome) {
        pairs.push_back({kind, std::move(left), std::move(right), outcome});
        return pairs.back();
    }

    // Whether a driver of that GPU refuses the PTX of this build.
    bool is_ptx_refused_for(const Gpu& gpu) const {
        if (!toolkit || !toolkit->part(PartKind::nvcc)) return false;
        const Known<PtxVersion> made = ptx_made(scenario, facts, *toolkit);
        return made && any_of(drivers_concerned(scenario), [&](const Driver* driver) {
                   return contains(gpus_concerned(scenario, *driver), &gpu) &&
                          !ask_driver(scenario, facts, *driver, *made).reads.value_or(true);
               });
    }

    void build_and_gpus() {
        const bool compiles = toolkit && toolkit->part(PartKind::nvcc);
        const bool is_judged = builds_here && (asks_for_architectures(scenario) || compiles);
        if (!is_judged || is_decided_later(scenario)) return;
        for (const Gpu* gpu : gpus_of_build(scenario, facts, code.value.value_or(std::vector<Target>{}))) {
            const CodeFit fit = code ? code_fit(*code, *gpu->arch, scenario, facts) : CodeFit::open;
            Obligation& pair = add(Meeting::code_gpu, k_this_build, name_of(*gpu), outcome_of(fit));
            if (fit == CodeFit::ptx && is_ptx_refused_for(*gpu)) pair.outcome = Outcome::refused;
            pair.named = gpu->declared;
            pair.evidence = code ? words_of(*code) : "which code this build makes is not known";
            pair.decide = "the architectures of this build: --arch LIST";
        }
    }

    void frameworks_and_gpus() {
        for (const Expectation& one : scenario.expectations)
            if (runs_with_cuda(one))
                for (const Gpu* gpu : gpus_judged(scenario))
                    one.archs && !one.archs->empty() ? code_and_gpu(one, *gpu) : compiler_and_gpu(one, *gpu);
    }

    void code_and_gpu(const Expectation& one, const Gpu& gpu) {
        const bool listed = !is_of_other_machines(one, *gpu.arch, facts);
        const CodeFit fit = listed ? code_fit(*one.archs, *gpu.arch, scenario, facts) : CodeFit::open;
        const auto nvrtc = ask_its_nvrtc(one, *gpu.arch, scenario, facts);
        const auto ptx = fit == CodeFit::ptx ? ptx_of(one, facts) : std::nullopt;
        const bool refused = (nvrtc && !nvrtc->runs) || (ptx && driver_that_refuses(scenario, facts, *ptx));
        Obligation& pair =
            add(Meeting::code_gpu, name_of(one), name_of(gpu), refused ? Outcome::refused : outcome_of(fit));
        pair.evidence = code_for(*one.archs, *gpu.arch, fit);
        pair.named = gpu.declared && scenario.source == SourceKind::machine;
        pair.decide = k_run_there;
        if (nvrtc) pair.evidence += SAY(", NVRTC {}", nvrtc->library->version->text);
    }

    // Which of its code runs is decided by its compiler, if it compiles what it runs.
    void compiler_and_gpu(const Expectation& one, const Gpu& gpu) {
        const CompilerFit fit = ask_its_compilers(one, *gpu.arch, scenario, facts);
        if (!fit.supports && !needs_cuda_runtime(one, facts)) return;  // it also finds other compilers
        Obligation& pair = add(Meeting::code_gpu, name_of(one), name_of(gpu), outcome_of(fit.supports));
        pair.evidence = fit.words;
        pair.named = gpu.declared && scenario.source == SourceKind::machine;
        pair.decide = one.path.empty()
                          ? "the installed package: --python DIR"
                          : SAY("ptxguard inspect on its libraries with --gpu {}", gpu.arch->cc());
    }

    void modules_and_gpus() {
        for (const NativeModule& module : scenario.modules)
            for (const Gpu* gpu : module.archs ? gpus_judged(scenario) : std::vector<const Gpu*>()) {
                const CodeFit fit = code_fit(*module.archs, *gpu->arch, scenario, facts);
                const bool jit = fit == CodeFit::ptx && module.ptx;
                const bool refused = jit && driver_that_refuses(scenario, facts, *module.ptx);
                Obligation& pair =
                    add(Meeting::code_gpu, module.package.empty() ? module.path : module.package,
                        name_of(*gpu), refused ? Outcome::refused : outcome_of(fit));
                pair.evidence = words_of(*module.archs);
                pair.named = gpu->declared;
                pair.decide = k_run_there;
            }
    }

    void files_and_gpus() {
        for (const auto& file : binaries_concerned(scenario))
            for (const RunPair& met : pairs_concerned(scenario)) {
                const RunAnswer answer = ask_run(*file, *met.gpu, met.driver, scenario, facts);
                if (answer.cause == RunCause::no_code || file->entries.empty()) continue;
                const Outcome outcome = answer.cause == RunCause::runs   ? Outcome::accepted
                                        : answer.cause == RunCause::open ? Outcome::unknown
                                                                         : Outcome::refused;
                Obligation& pair = add(Meeting::code_gpu, file->path, name_of(*met.gpu), outcome);
                pair.evidence = answer.said.why;
            }
    }

    void gpus_and_drivers() {
        if (scenario.source != SourceKind::machine) return;
        for (const RunPair& met : pairs_concerned(scenario)) {
            if (!met.driver) continue;
            Obligation& pair = add(Meeting::gpu_driver, name_of(*met.gpu), name_of(*met.driver),
                                   outcome_of(driver_knows(scenario, facts, *met.driver, *met.gpu->arch)));
            pair.named = met.driver->declared || met.gpu->declared;
            pair.evidence = "the tables of drivers and architectures";
            pair.decide = "newer tables: --facts DIR";
        }
    }

    void modules_and_drivers() {
        for (const NativeModule* module : modules_with_runtime(scenario))
            for (const Driver* driver : drivers_concerned(scenario))
                add(Meeting::code_driver, name_of_package(*module), name_of(*driver),
                    outcome_of(runtime_starts(scenario, facts, *driver, *module->cuda)))
                    .evidence = SAY("CUDA {}", module->cuda->text);
    }

    // A framework with an unknown CUDA release is paired with no driver: the unknown release is the finding.
    void frameworks_and_drivers() {
        for (const Expectation& one : scenario.expectations) {
            if (!runs_with_cuda(one) || !needs_cuda_runtime(one, facts)) continue;
            if (!one.cuda && one.required) {
                Obligation& pair = add(Meeting::code_driver, name_of(one), "a driver", Outcome::unknown);
                pair.named = true;
                pair.evidence = "neither its files nor a table give the CUDA release that it is built with";
                pair.decide = SAY("the build that will be used: --framework {}==VERSION+cuXXX", one.package);
            }
            for (const Driver* driver :
                 one.cuda ? drivers_concerned(scenario) : std::vector<const Driver*>{}) {
                Obligation& pair = add(Meeting::code_driver, name_of(one), name_of(*driver),
                                       outcome_of(runtime_starts(scenario, facts, *driver, *one.cuda)));
                pair.evidence = SAY("CUDA {}", one.cuda->text);
                pair.decide = "the driver's whole version: --driver VERSION";
                pair.named = driver->declared && version_of(*driver);
            }
        }
    }

    void build_and_drivers() {
        const Known<Version> release = toolkit ? release_of(*toolkit) : Known<Version>{};
        const bool runtime = toolkit && (toolkit->part(PartKind::nvcc) || toolkit->part(PartKind::cudart));
        if (!builds_here || !release || !runtime) return;
        // CC208 asks for the whole version.
        for (const Driver* driver : drivers_concerned(scenario))
            if (const auto starts = runtime_starts(scenario, facts, *driver, *release))
                add(Meeting::code_driver, k_this_build, name_of(*driver), outcome_of(starts)).evidence =
                    SAY("CUDA {}", release->release());
    }

    // Code that is compiled for a framework: the majors of their CUDA. One that is only installed, and that
    // nothing compiles against, may be of another one.
    void frameworks_and_toolkit() {
        const Toolkit* compiles = toolkit_that_compiles(scenario);
        const Known<Version> release = compiles ? release_of(*compiles) : Known<Version>{};
        if (!builds_here || !release) return;
        for (const Expectation& one : scenario.expectations) {
            if (!one.cuda || !runs_with_cuda(one) || !needs_cuda_runtime(one, facts)) continue;
            const bool differs = differs_in_names(*one.cuda, *release);
            if (differs && !is_compiled_against(one, scenario, facts)) continue;
            add(Meeting::framework_toolkit, name_of(one), name_of(*compiles),
                differs ? Outcome::refused : Outcome::accepted)
                .evidence = SAY("CUDA {}", one.cuda->text);
        }
    }

    // PTX that is only a fallback for GPUs newer than the cubins is no pair: the build runs without it.
    void build_ptx_and_drivers() {
        if (!toolkit || !toolkit->part(PartKind::nvcc)) return;
        const Known<PtxVersion> made = ptx_made(scenario, facts, *toolkit);
        for (const Driver* driver : drivers_concerned(scenario)) {
            if (!need_of_ptx(scenario, facts, *driver).needed) continue;
            Obligation& pair =
                add(Meeting::code_driver, k_this_build, name_of(*driver),
                    outcome_of(made ? ask_driver(scenario, facts, *driver, *made).reads : std::nullopt));
            pair.named = driver->declared;
            pair.evidence = made ? SAY("PTX {}", made->text()) : "which PTX nvcc writes is not known";
            pair.decide = "--driver-libs DIR with the libnvidia-ptxjitcompiler.so.1 of that driver";
        }
    }

    void run_time_ptx_and_drivers() {
        for (const RunTimePtx& made : run_time_ptx(scenario, facts))
            for (const Driver* driver :
                 made.linked ? std::vector<const Driver*>() : drivers_concerned(scenario))
                add(Meeting::code_driver, made.consumer, name_of(*driver),
                    outcome_of(ask_driver(scenario, facts, *driver, made.ptx).reads))
                    .evidence = SAY("PTX {}", made.ptx.text());
    }

    void architectures_and_compiler() {
        if (!code || !toolkit || !release_of(*toolkit)) return;
        for (const Target& target : *code) {
            const ArchKnowledge known = ask_compiler(scenario, facts, *toolkit, target.arch);
            if (known.answer == ArchAnswer::not_known) continue;  // the compile itself is the pair
            Obligation& pair = add(Meeting::arch_compiler, target.arch.sm(), name_of(*toolkit),
                                   known.answer == ArchAnswer::known ? Outcome::accepted : Outcome::refused);
            pair.evidence = known.origin.for_people();
        }
    }

    void compiles() {
        if (!scenario.project.wanted || scenario.project.toolkit.empty()) return;
        for (const ProbeResult& probe : scenario.probes) {
            if (!tells_of_build(scenario, probe)) continue;
            const bool open = probe.timed_out || is_for_developer_prompt(scenario, probe) ||
                              (probe.kind == ProbeKind::link && !names_its_cause(probe));
            Obligation& pair =
                add(Meeting::compile, probe.tool, probe.target ? probe.target->sm() : "its default target",
                    probe.outcome == Outcome::accepted ? Outcome::accepted
                    : open                             ? Outcome::unknown
                                                       : Outcome::refused);
            pair.basis = probe.basis;
            pair.evidence = probe.first_error;
        }
    }

    // A test compile decides; without one, the releases of nvcc and of the headers do.
    void compiler_and_headers() {
        const Part* nvcc = scenario.project.wanted && toolkit ? toolkit->part(PartKind::nvcc) : nullptr;
        if (!nvcc || !nvcc->version) return;
        const bool works = compiled(scenario, toolkit->id);
        const std::vector<const Part*> other = parts_that_differ(*toolkit, *nvcc->version, false);
        for (const PartKind kind : {PartKind::crt_headers, PartKind::runtime_headers}) {
            const Part* headers = toolkit->part(kind);
            if (!headers || !headers->version) continue;
            const bool differs = contains(other, headers);
            Obligation& pair = add(Meeting::compiler_headers, version_at(*nvcc), version_at(*headers),
                                   works || !differs ? Outcome::accepted : Outcome::refused);
            pair.basis = works ? Certainty::measured : Certainty::predicted;
            pair.evidence = works ? "a test file compiles" : "their releases";
        }
        for (const HeadersAndLibrary& one : headers_and_libraries(*toolkit))
            add(Meeting::compiler_headers, version_at(*one.headers), version_at(*one.library),
                one.fit ? Outcome::accepted : Outcome::refused)
                .evidence = "their releases";
    }

    void compiler_and_host_compiler() {
        const Toolkit* const chosen = scenario.project.wanted ? scenario.build_toolkit() : nullptr;
        if (!chosen) return;
        const HostCompiler& host = scenario.project.host_compiler;
        const HostCompilerAnswer answer = ask_host_compiler(scenario, facts, *chosen);
        if (host.path.empty() && !answer.refusal) return;
        Obligation& pair = add(Meeting::compiler_host, name_of(*chosen),
                               host.path.empty() ? "host compiler" : host.path, answer.outcome);
        pair.basis = answer.basis;
        if (answer.refusal) pair.evidence = answer.refusal->first_error;
    }

    // Libraries that the process only names in a string, or opens if they exist, need not be there.
    void libraries_and_sets() {
        for (const LoadTrace& trace : scenario.traces) {
            const std::string process = process_name(trace, scenario.framework_of(trace));
            for (const LoadedFile& library : trace.libraries) {
                const LibraryFault* fault = faults.of(trace, library);
                if (!fault && !library.taken && !library.undecided) continue;
                Obligation& pair = add(Meeting::library_set, process, library.name,
                                       fault           ? outcome_of(*fault)
                                       : library.taken ? Outcome::accepted
                                                       : Outcome::unknown);
                pair.basis = Certainty::read;
                pair.evidence = library.taken.value_or(library.because);
                if (fault) pair.rule = fault->rule;
            }
        }
    }

    void packages() {
        for (const Expectation& one : scenario.expectations) {
            if (is_recipe(scenario) && never_released(one)) continue;  // nothing is installed beside it
            for (const Conflict& met : package_conflicts(one, facts))
                if (met.harm == Harm::import)
                    add(Meeting::module_framework, met.package, met.other, Outcome::refused).evidence =
                        SAY("{} {}", met.package, met.message);
        }
        for (const NativeModule& module : scenario.modules)
            if (is_for_other_python(module))
                add(Meeting::framework_python, module.package, SAY("Python {}", scenario.python.version),
                    Outcome::refused)
                    .evidence = module.path;
        for (const BrokenPackage& broken : broken_packages(scenario, facts))
            add(Meeting::module_framework, broken.name(),
                broken.framework ? broken.framework_name() : "its process", Outcome::refused)
                .evidence = broken.first().path;
    }

    void frameworks_and_tools() {
        for (const Pick& pick : scenario.picks) {
            if (!is_needed(scenario, pick)) continue;
            Obligation& pair = add(Meeting::framework_tool, pick.consumer, pick.tool,
                                   !pick.path.empty()            ? Outcome::accepted
                                   : is_complete(scenario, pick) ? Outcome::refused
                                                                 : Outcome::unknown);
            pair.basis = Certainty::read;
            pair.evidence = pick.path.empty() ? pick.because : pick.path;
        }
    }

    void frameworks_and_python() {
        for (const Expectation& one : scenario.expectations)
            if (const auto fit = fit_for_python(one, scenario, facts))
                add(Meeting::framework_python, name_of(one), SAY("Python {}", fit->python.text),
                    outcome_of(std::optional<bool>(fit->has_wheel)))
                    .evidence = fit->release->origin.for_people();
    }

    void project_and_frameworks() {
        const Project& project = scenario.project;
        for (const Expectation& one : scenario.expectations) {
            if (never_released(one) || !is_there(one) || !has_cxx_interface(one, facts)) continue;
            const auto meet = [&](const Known<int>& ours, const Known<int>& its, const char* what,
                                  bool (*fit)(int ours, int its)) {
                if (!ours || (!its && !one.required)) return;
                add(Meeting::project_framework, SAY("the project's {}", what), name_of(one),
                    outcome_of(its ? std::optional<bool>(fit(*ours, *its)) : std::nullopt))
                    .basis = Certainty::read;
            };
            if (scenario.system == System::linux_)
                meet(project.cxx_abi, one.cxx_abi, "C++ ABI", [](int a, int b) { return a == b; });
            meet(project.cxx_standard, one.cxx_standard, "C++ standard", is_standard_enough);
        }
    }
};

}  // namespace

std::vector<Obligation> relation(const Scenario& scenario, const Facts& facts, const LibraryFaults& faults) {
    Relation relation{scenario, facts, faults};
    relation.build_and_gpus();
    relation.frameworks_and_gpus();
    relation.modules_and_gpus();
    relation.files_and_gpus();
    relation.gpus_and_drivers();
    relation.modules_and_drivers();
    relation.frameworks_and_drivers();
    relation.build_and_drivers();
    relation.frameworks_and_toolkit();
    relation.build_ptx_and_drivers();
    relation.run_time_ptx_and_drivers();
    relation.architectures_and_compiler();
    relation.compiles();
    relation.compiler_and_headers();
    relation.compiler_and_host_compiler();
    relation.libraries_and_sets();
    relation.packages();
    relation.frameworks_and_tools();
    relation.frameworks_and_python();
    relation.project_and_frameworks();
    return std::move(relation.pairs);
}

}  // namespace ptxguard
