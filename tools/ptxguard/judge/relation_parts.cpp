// The pairs of the components of a toolkit, of libraries and of packages.
// SPDX-License-Identifier: Apache-2.0
#include "judge/relation_pairs.hpp"

#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/package_conflicts.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/search_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

struct Parts {
    Pairs& own;
    const Scenario& scenario = own.scenario;
    const Facts& facts = own.facts;
    const Toolkit* const toolkit = own.toolkit;

    template <typename Thing>
    End end(const Thing& thing) const {
        return own.end(thing);
    }
    Obligation& add(Meeting kind, End left, End right, Outcome outcome) {
        return own.add(kind, std::move(left), std::move(right), outcome);
    }

    void architectures_and_compiler() {
        if (!own.code || !toolkit || !release_of(*toolkit)) return;
        for (const Target& target : *own.code) {
            const ArchKnowledge known = ask_compiler(scenario, facts, *toolkit, target.arch);
            if (known.answer == ArchAnswer::not_known) continue;  // the compile itself is the pair
            Obligation& pair =
                add(Meeting::arch_compiler, {id_of(target.arch), target.arch.sm()}, end(*toolkit),
                    known.answer == ArchAnswer::known ? Outcome::accepted : Outcome::refused);
            pair.evidence = known.origin.for_people();
        }
    }

    // A toolkit's own components together; a target that it does not know is another side.
    void compiles() {
        if (!scenario.project.wanted || scenario.project.toolkit.empty()) return;
        const Toolkit* const compiler = scenario.build_toolkit();
        const Entity whole = compiler ? id_of(scenario, *compiler) : Entity{};
        for (const ProbeResult& probe : scenario.probes) {
            if (!tells_of_build(scenario, probe)) continue;
            const bool open = probe.timed_out || is_for_developer_prompt(scenario, probe) ||
                              (probe.kind == ProbeKind::link && !names_its_cause(probe));
            const bool by_target = probe.target && probe.failure == Failure::architecture;
            Obligation& pair = add(Meeting::compile, {whole, probe.tool},
                                   {by_target ? id_of(*probe.target) : whole,
                                    probe.target ? probe.target->sm() : "its default target"},
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
            Obligation& pair = add(Meeting::compiler_headers, end(*nvcc), end(*headers),
                                   works || !differs ? Outcome::accepted : Outcome::refused);
            pair.basis = works ? Certainty::measured : Certainty::predicted;
            pair.evidence = works ? "a test file compiles" : "their releases";
        }
        for (const HeadersAndLibrary& one : headers_and_libraries(*toolkit))
            add(Meeting::compiler_headers, end(*one.headers), end(*one.library),
                one.fit ? Outcome::accepted : Outcome::refused)
                .evidence = "their releases";
    }

    void compiler_and_host_compiler() {
        const Toolkit* const chosen = scenario.project.wanted ? scenario.build_toolkit() : nullptr;
        if (!chosen) return;
        const HostCompiler& host = scenario.project.host_compiler;
        const HostCompilerAnswer answer = ask_host_compiler(scenario, facts, *chosen);
        if (host.path.empty() && !answer.refusal) return;
        Obligation& pair =
            add(Meeting::compiler_host, end(*chosen),
                {id_of(scenario, *chosen), host.path.empty() ? "host compiler" : host.path}, answer.outcome);
        pair.basis = answer.basis;
        if (answer.refusal) pair.evidence = answer.refusal->first_error;
    }

    // Libraries that the process only names in a string, or opens if they exist, need not be there.
    void libraries_and_sets() {
        for (const LoadTrace& trace : scenario.traces) {
            const End process{id_of(scenario, trace), process_name(trace, scenario.framework_of(trace))};
            for (const LoadedFile& library : trace.libraries) {
                const LibraryFault* fault = own.faults.of(trace, library);
                if (!fault && !library.taken && !library.undecided) continue;
                Obligation& pair =
                    add(Meeting::library_set, process, {id_of(scenario, trace, library), library.name},
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
            const std::vector<Conflict> conflicts = package_conflicts(one, facts);
            for (std::size_t i = 0; i < conflicts.size(); ++i)
                if (const Conflict& met = conflicts[i]; met.harm == Harm::import)
                    add(Meeting::module_framework, {id_of_conflict(scenario, one, i), met.package},
                        {id_of(scenario, one), met.other}, Outcome::refused)
                        .evidence = SAY("{} {}", met.package, met.message);
        }
        for (const NativeModule& module : scenario.modules)
            if (is_for_other_python(module))
                add(Meeting::framework_python, {id_of(scenario, module), module.package},
                    {k_python, SAY("Python {}", scenario.python.version)}, Outcome::refused)
                    .evidence = module.path;
        for (const BrokenPackage& broken : broken_packages(scenario, facts))
            add(Meeting::module_framework, {broken.id, broken.name()},
                {broken.id, broken.framework ? broken.framework_name() : "its process"},
                broken.is_open() || opens_only_compilers(broken) ? Outcome::unknown : Outcome::refused)
                .evidence = broken.first().path;
    }

    void frameworks_and_tools() {
        for (const Pick& pick : scenario.picks) {
            if (!is_needed(scenario, pick)) continue;
            const Entity id = id_of(scenario, pick);
            Obligation& pair = add(Meeting::framework_tool, {id, pick.consumer}, {id, pick.tool},
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
                add(Meeting::framework_python, end(one), {k_python, SAY("Python {}", fit->python.text)},
                    outcome_of(std::optional<bool>(fit->has_wheel)))
                    .evidence = fit->release->origin.for_people();
    }

    void project_and_frameworks() {
        const Project& project = scenario.project;
        for (const Expectation& one : scenario.expectations) {
            if (never_released(one) || !is_there(one) || !has_cxx_interface(one, facts)) continue;
            const auto meet = [&](const Known<int>& ours, const Known<int>& its, const End& what,
                                  bool (*fit)(int ours, int its)) {
                if (!ours || (!its && !one.required)) return;
                add(Meeting::project_framework, what, end(one),
                    outcome_of(its ? std::optional<bool>(fit(*ours, *its)) : std::nullopt))
                    .basis = Certainty::read;
            };
            if (scenario.system == System::linux_)
                meet(project.cxx_abi, one.cxx_abi, {k_cxx_abi, "the project's C++ ABI"},
                     [](int a, int b) { return a == b; });
            meet(project.cxx_standard, one.cxx_standard, {k_cxx_standard, "the project's C++ standard"},
                 is_standard_enough);
        }
    }
};

}  // namespace

void add_pairs_of_parts(Pairs& pairs) {
    Parts parts{pairs};
    parts.architectures_and_compiler();
    parts.compiles();
    parts.compiler_and_headers();
    parts.compiler_and_host_compiler();
    parts.libraries_and_sets();
    parts.packages();
    parts.frameworks_and_tools();
    parts.frameworks_and_python();
    parts.project_and_frameworks();
}

}  // namespace ptxguard
