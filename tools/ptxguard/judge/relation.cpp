// SPDX-License-Identifier: Apache-2.0
#include "judge/relation.hpp"

#include "judge/build_questions.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/loading_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/relation_pairs.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_run_there = "a run on that GPU";

Outcome outcome_of_code(CodeFit fit) {
    return fit == CodeFit::none   ? Outcome::refused
           : fit == CodeFit::open ? Outcome::unknown
                                  : Outcome::accepted;
}

struct Relation : Pairs {
    const bool builds_here = scenario.project.wanted && scenario.source == SourceKind::machine;

    static End this_build() { return {k_build, k_this_build}; }

    // Whether a driver of that GPU refuses the PTX of this build.
    bool is_ptx_refused_for(const Gpu& gpu) const {
        if (!toolkit || !toolkit->part(PartKind::nvcc)) return false;
        if (driver_without_ptx_compiler(scenario)) return true;
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
            Obligation& pair = add(Meeting::code_gpu, this_build(), end(*gpu), outcome_of_code(fit));
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
        const bool refused = (nvrtc && !nvrtc->runs) || (ptx && driver_that_refuses(scenario, facts, *ptx)) ||
                             (fit == CodeFit::ptx && driver_without_ptx_compiler(scenario));
        Obligation& pair =
            add(Meeting::code_gpu, end(one), end(gpu), refused ? Outcome::refused : outcome_of_code(fit));
        pair.evidence = code_for(*one.archs, *gpu.arch, fit);
        pair.named = gpu.declared && scenario.source == SourceKind::machine;
        pair.decide = k_run_there;
        if (nvrtc) pair.evidence += SAY(", NVRTC {}", nvrtc->library->version->text);
    }

    // Which of its code runs is decided by its compiler, if it compiles what it runs.
    void compiler_and_gpu(const Expectation& one, const Gpu& gpu) {
        const CompilerFit fit = ask_its_compilers(one, *gpu.arch, scenario, facts);
        if (!fit.supports && !needs_cuda_runtime(one, facts)) return;  // it also finds other compilers
        Obligation& pair = add(Meeting::code_gpu, end(one), end(gpu), outcome_of(fit.supports));
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
                if (fit == CodeFit::none && has_variant_that_runs(scenario, facts, module, *gpu)) continue;
                const bool jit = fit == CodeFit::ptx && module.ptx;
                const bool refused =
                    (jit && driver_that_refuses(scenario, facts, *module.ptx)) ||
                    (module.texts && driver_that_refuses(scenario, facts, *module.texts)) ||
                    ((fit == CodeFit::ptx || module.texts) && driver_without_ptx_compiler(scenario));
                Obligation& pair =
                    add(Meeting::code_gpu,
                        {id_of(scenario, module), module.package.empty() ? module.path : module.package},
                        end(*gpu), refused ? Outcome::refused : outcome_of_code(fit));
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
                Obligation& pair =
                    add(Meeting::code_gpu, {id_of(scenario, *file), file->path}, end(*met.gpu), outcome);
                pair.evidence = answer.said.why;
            }
    }

    void gpus_and_drivers() {
        if (scenario.source != SourceKind::machine) return;
        for (const RunPair& met : pairs_concerned(scenario)) {
            if (!met.driver) continue;
            Obligation& pair = add(Meeting::gpu_driver, end(*met.gpu), end(*met.driver),
                                   outcome_of(driver_knows(scenario, facts, *met.driver, *met.gpu->arch)));
            pair.named = met.driver->declared || met.gpu->declared;
            pair.evidence = "the tables of drivers and architectures";
            pair.decide = "newer tables: --facts DIR";
        }
    }

    void modules_and_drivers() {
        for (const NativeModule* module : modules_with_runtime(scenario))
            for (const Driver* driver : drivers_concerned(scenario))
                add(Meeting::code_driver, {id_of(scenario, *module), name_of_package(*module)}, end(*driver),
                    outcome_of(runtime_starts(scenario, facts, *driver, *module->cuda)))
                    .evidence = SAY("CUDA {}", module->cuda->text);
    }

    // A framework with an unknown CUDA release is paired with no driver: the unknown release is the finding.
    void frameworks_and_drivers() {
        for (const Expectation& one : scenario.expectations) {
            if (!runs_with_cuda(one) || !needs_cuda_runtime(one, facts)) continue;
            if (!one.cuda && one.required) {
                Obligation& pair =
                    add(Meeting::code_driver, end(one), {k_some_driver, "a driver"}, Outcome::unknown);
                pair.named = true;
                pair.evidence = "neither its files nor a table give the CUDA release that it is built with";
                pair.decide = SAY("the build that will be used: --framework {}==VERSION+cuXXX", one.package);
            }
            for (const Driver* driver :
                 one.cuda ? drivers_concerned(scenario) : std::vector<const Driver*>{}) {
                if (is_refused(packages_on_drivers(scenario, facts), one.package, *driver)) continue;
                Obligation& pair = add(Meeting::code_driver, end(one), end(*driver),
                                       outcome_of(runtime_starts(scenario, facts, *driver, *one.cuda)));
                pair.evidence = SAY("CUDA {}", one.cuda->text);
                pair.decide = "the driver's whole version: --driver VERSION";
                pair.named = driver->declared && version_of(*driver);
            }
        }
    }

    // A merely required package may never use its CUDA.
    void packages_and_drivers() {
        for (const PackageOnDriver& met : packages_on_drivers(scenario, facts)) {
            if (!met.package->required_by.empty()) continue;
            const DriverBoundPackage& package = *met.package;
            Obligation& pair = add(Meeting::code_driver,
                                   {id_of(scenario, package), with_release(package.package, package.version)},
                                   end(*met.driver), outcome_of(std::optional<bool>(met.works)));
            pair.evidence = met.works ? "the functions of the driver that it calls" : met.row->effect;
        }
    }

    void build_and_drivers() {
        const Known<Version> release = toolkit ? release_of(*toolkit) : Known<Version>{};
        const bool runtime = toolkit && (toolkit->part(PartKind::nvcc) || toolkit->part(PartKind::cudart));
        if (!builds_here || !release || !runtime) return;
        // CC208 asks for the whole version.
        for (const Driver* driver : drivers_concerned(scenario))
            if (const auto starts = runtime_starts(scenario, facts, *driver, *release))
                add(Meeting::code_driver, this_build(), end(*driver), outcome_of(starts)).evidence =
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
            add(Meeting::framework_toolkit, end(one), end(*compiles),
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
            const auto reads = lacks_ptx_compiler(*driver) ? std::optional<bool>(false)
                               : made                      ? ask_driver(scenario, facts, *driver, *made).reads
                                                           : std::nullopt;
            Obligation& pair = add(Meeting::code_driver, this_build(), end(*driver), outcome_of(reads));
            pair.named = driver->declared;
            pair.evidence = made ? SAY("PTX {}", made->text()) : "which PTX nvcc writes is not known";
            pair.decide = "--driver-libs DIR with the libnvidia-ptxjitcompiler.so.1 of that driver";
        }
    }

    void run_time_ptx_and_drivers() {
        for (const RunTimePtx& made : run_time_ptx(scenario, facts))
            for (const Driver* driver :
                 made.linked ? std::vector<const Driver*>() : drivers_concerned(scenario))
                add(Meeting::code_driver, {made.id, made.consumer}, end(*driver),
                    lacks_ptx_compiler(*driver)
                        ? Outcome::refused
                        : outcome_of(ask_driver(scenario, facts, *driver, made.ptx).reads))
                    .evidence = SAY("PTX {}", made.ptx.text());
    }
};

}  // namespace

std::vector<Obligation> relation(const Scenario& scenario, const Facts& facts, const LibraryFaults& faults) {
    Relation relation{{scenario, facts, faults}};
    relation.build_and_gpus();
    relation.frameworks_and_gpus();
    relation.modules_and_gpus();
    relation.files_and_gpus();
    relation.gpus_and_drivers();
    relation.modules_and_drivers();
    relation.frameworks_and_drivers();
    relation.packages_and_drivers();
    relation.build_and_drivers();
    relation.frameworks_and_toolkit();
    relation.build_ptx_and_drivers();
    relation.run_time_ptx_and_drivers();
    add_pairs_of_parts(relation);
    return std::move(relation.pairs);
}

}  // namespace ptxguard
