// SPDX-License-Identifier: Apache-2.0
#include "judge/check_list_areas.hpp"

#include <algorithm>

#include "facts/tool_search.hpp"
#include "judge/build_questions.hpp"
#include "judge/entities.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/search_questions.hpp"

namespace ptxguard {
namespace {

// What is shown in one line: things of one name, such as the eight GPUs of a machine.
struct Shown {
    std::string name;
    std::vector<Entity> ids;
};

void add_shown(std::vector<Shown>& all, const std::string& name, const Entity& id) {
    auto* same = first_where(all, [&](const Shown& one) { return one.name == name; });
    if (!same) same = &all.emplace_back(Shown{name, {}});
    same->ids.push_back(id);
}

// What one thing was compared with.
struct Met {
    std::vector<const Obligation*> refused;
    std::vector<std::string> with, open;  // decided and accepted; without a result
};

struct CheckList {
    const Scenario& scenario;
    const Facts& facts;
    const std::vector<Obligation>& pairs;
    const Toolkit* const build = toolkit_of_build(scenario);

    // "PyTorch 2.11.0 (cubin sm_80)", "A100 (sm_80, cubin sm_80)": the other side of a pair, and the basis of
    // its outcome.
    static std::string other_side(const Obligation& pair, const Shown& shown) {
        const bool is_right = contains(shown.ids, pair.right.id);
        std::string other = is_right ? pair.left.name : pair.right.name;
        // A framework is named with its CUDA.
        const bool basis = pair.kind == Meeting::code_gpu || (pair.kind == Meeting::code_driver && is_right);
        if (!basis || pair.evidence.empty() || !decided(pair)) return other;
        if (!ends_with(other, ")")) return SAY("{} ({})", other, pair.evidence);
        other.back() = ',';
        return SAY("{} {})", other, pair.evidence);
    }

    Met met(const Shown& shown) const {
        Met met;
        for (const Obligation& pair : pairs) {
            const bool is_here = contains(shown.ids, pair.left.id) || contains(shown.ids, pair.right.id);
            if (!is_here || pair.kind == Meeting::library_set) continue;
            if (pair.outcome == Outcome::refused)
                met.refused.push_back(&pair);
            else
                add_once(decided(pair) ? met.with : met.open, other_side(pair, shown));
        }
        return met;
    }

    // One thing of an area: ok only if it was compared.
    static void take(Seen& seen, const Shown& shown, const Met& met) {
        const std::string& name = shown.name;
        if (met.with.empty() && met.refused.empty()) return add_once(seen.not_compared, name);
        for (const std::string& one : met.open) add_once(seen.not_compared, one);
        if (met.with.empty()) {
            add_once(seen.refused, name);
            append(seen.refused_ids, shown.ids);
            append(seen.refusals, met.refused);
            return;
        }
        seen.checked = true;
        if (!seen.text.empty()) seen.text += "; ", seen.brief += ", ";
        seen.brief += name;
        seen.text += SAY("{}: {}", name, some_of(met.with, k_names));
    }

    Seen no_build() const {
        if (scenario.project.wanted) return {false, "no toolkit found", "--toolkit DIR"};
        return {false, "no build requested", "--build"};
    }

    // Without a version its name is its folder.
    static std::string with_root(const Toolkit& toolkit) {
        return release_of(toolkit) ? SAY("{} at {}", name_of(toolkit), toolkit.root) : name_of(toolkit);
    }

    Seen toolkit() const {
        if (build) {
            const std::string& because = scenario.project.toolkit_because;
            const std::string brief = with_root(*build);
            return {true, because.empty() ? brief : SAY("{}, {}", brief, because), "", {}, brief};
        }
        if (scenario.project.wanted || scenario.toolkits.empty())
            return {false, "no toolkit found", "--toolkit DIR"};
        const Toolkit& first = scenario.toolkits.front();
        const std::size_t others = scenario.toolkits.size() - 1;
        return {false,
                others ? SAY("{} and {} more, no build requested", with_root(first), others)
                       : SAY("{}, no build requested", with_root(first)),
                "--build"};
    }

    Seen ptx() const {
        if (!build) return no_build();
        const Known<PtxVersion> made = ptx_made(scenario, facts, *build);
        if (!made) return {false, SAY("the PTX version of {} is not known", name_of(*build))};
        if (failed(find_probe(scenario, ProbeKind::ptx, build->id)))
            return {false, SAY("{} does not compile the test kernel", name_of(*build))};
        std::string text = SAY("PTX {}", made->text());
        if (made.origin.certainty == Certainty::predicted) return {true, SAY("{} (predicted)", text)};
        const ProbeResult* assembled = find_probe(scenario, ProbeKind::assemble, build->id);
        const bool accepted = assembled && assembled->outcome == Outcome::accepted;
        return {true, accepted ? SAY("{}, compiled and assembled by its ptxas", text) : text, "", {}, text};
    }

    Seen architectures() const {
        const Known<std::string>& asked = scenario.project.archs_text;
        const Known<std::vector<Target>> code = code_of_build(scenario, facts);
        if (!build && !asked) return no_build();
        if (scenario.project.archs_open)
            return {false, SAY("the build decides: {}", *scenario.project.archs_open), "--arch LIST"};
        if (!code && asked) return {false, SAY("{} is not known here", *asked)};
        if (!code) return {false, "no list", "--arch LIST"};
        const std::string& by = asked.origin.variable;
        return {true, asked ? SAY("{} ({})", *asked, by.empty() ? asked.origin.for_people() : by)
                            : SAY("{} (default of nvcc)", words_of(*code))};
    }

    void add_compiled(const Driver& driver, Met& met) const {
        for (const ProbeResult& probe : scenario.probes)
            if (probe.driver == driver.id && probe.ptx && probe.outcome == Outcome::accepted)
                add_once(met.with, SAY("PTX {}", probe.ptx->text()));
    }

    Seen drivers() const {
        Seen seen;
        std::vector<Shown> shown;
        for (const Driver* driver : drivers_concerned(scenario)) {
            const Known<Version> version = version_of(*driver);
            add_shown(shown, version ? version->text : name_of(*driver), id_of(scenario, *driver));
        }
        for (const Shown& one : shown) {
            Met all = met(one);
            for (const Entity& id : one.ids) add_compiled(scenario.drivers[id.index], all);
            take(seen, one, all);
        }
        if (shown.empty()) return {false, "no driver found", "--driver VERSION"};
        if (!seen.brief.empty()) seen.brief = SAY("driver {}", seen.brief);
        return seen;
    }

    Seen gpus() const {
        Seen seen;
        std::vector<Shown> shown;
        for (const Gpu* gpu : gpus_judged(scenario)) {
            if (!facts.arch(Arch{gpu->arch->number, 0}))
                return {false, SAY("{} is in no table", name_of(*gpu))};
            add_shown(shown, name_of(*gpu), id_of(scenario, *gpu));
        }
        for (const Shown& one : shown) {
            const Met all = met(one);
            take(seen, one, all);
            for (const Obligation* pair : all.refused) {
                if (pair->left.id != k_build || contains(seen.refusals, pair)) continue;
                seen.refusals.push_back(pair);
                add_once(seen.refused, one.name);
                append(seen.refused_ids, one.ids);
            }
        }
        if (shown.empty()) return {false, "no GPU found", "--gpu NAME"};
        return seen;
    }

    // What it was built for is compared with its libraries if there is nothing else.
    Seen frameworks() const {
        Seen seen;
        std::vector<Shown> shown;
        for (const Expectation& one : scenario.expectations)
            if (is_there(one))
                add_shown(shown, one.cuda ? SAY("{} (CUDA {})", name_of(one), one.cuda->text) : name_of(one),
                          id_of(scenario, one));
        for (const Shown& one : shown) {
            const Expectation& framework = scenario.expectations[one.ids.front().index];
            Met all = met(one);
            if (all.with.empty() && has_its_libraries(framework)) all.with.push_back("its libraries");
            if (!framework.may_use_cuda()) all.with = {"built without CUDA"};
            take(seen, one, all);
        }
        if (shown.empty()) return {false, "no framework found", "--framework NAME"};
        return seen;
    }

    // Some of them were found, and none is missing or wrong.
    bool has_its_libraries(const Expectation& one) const {
        return any_of(scenario.traces, [&](const LoadTrace& trace) {
            const auto of_it = [&](const Obligation& pair) {
                return pair.kind == Meeting::library_set && pair.left.id == id_of(scenario, one) &&
                       pair.outcome == Outcome::refused;
            };
            return scenario.framework_of(trace) == &one && !trace.libraries.empty() && none_of(pairs, of_it);
        });
    }

    // Whether the release of a library can be compared with what the framework was built with.
    static bool has_counterpart(const LoadedFile& library, const Expectation* framework) {
        return library.version && framework &&
               (library.library == "cudnn" ? framework->cudnn : framework->cuda);
    }

    // Those of frameworks and programs without a trace.
    void add_counted(std::vector<std::string>& names, std::vector<std::string>& counts,
                     std::vector<std::string>& open) const {
        for (const CountedLibraries& one : counted_libraries(scenario, facts)) {
            const std::string its = SAY("those of {}", one.name);
            if (!one.not_compared.empty())
                add_once(open, SAY("{}: {}", its, one.not_compared));
            else if (!one.count)
                add_once(open, its);
            if (!one.count) continue;
            add_once(names, SAY("{}: {} found", one.name, one.count));
            add_once(counts, SAY("{} libraries of {}", one.count, one.name));
        }
    }

    Seen libraries() const {
        std::vector<std::string> names, counts, open, empty;
        for (const LoadTrace& trace : scenario.traces) {
            if (!trace.traced_for) continue;
            const auto there = [](const LoadedFile& one) { return one.taken && !one.library.empty(); };
            const auto count = std::count_if(trace.libraries.begin(), trace.libraries.end(), there);
            std::string text = SAY("{}: {} found", trace.framework(), count);
            for (const char* name : {"cudart", "cublas", "cudnn"}) {
                const LoadedFile* library = trace.library(name);
                if (!library || !library->taken) continue;
                const std::string words = with_release(name, library->version);
                if (has_counterpart(*library, scenario.framework_of(trace)))
                    text += ", " + words;
                else
                    add_once(open, SAY("{} of {}", words, trace.framework()));
            }
            if (!count) {
                if (!trace.libraries.empty()) add_once(empty, trace.framework());
                continue;
            }
            add_once(names, text);
            add_once(counts, SAY("{} libraries of {}", count, trace.framework()));
        }
        add_counted(names, counts, open);
        if (names.empty() && !empty.empty()) return {false, SAY("none found of {}", some_of(empty, k_names))};
        for (const std::string& framework : empty) add_once(open, SAY("those of {}, none found", framework));
        if (names.empty())
            return {false, open.empty() ? "no framework's CUDA libraries found" : some_of(open, k_names)};
        return {true, some_of(names, k_names), "", open, some_of(counts, k_names)};
    }

    // A finding reports a tool that is missing for certain.
    Seen run_time_tools() const {
        std::vector<std::string> names, open, missing;
        for (const Pick& pick : scenario.picks) {
            if (!pick.search || !is_used(scenario, pick)) continue;
            // It is on most machines, and looked for on PATH only: nothing was compared with it.
            const bool is_usual =
                pick.tool == k_c_compiler && (!pick.path.empty() || !is_complete(scenario, pick));
            if (is_usual) continue;
            const std::string whose = SAY(" for {}", pick.search->package);
            if (pick.path.empty()) {
                const bool undecided = is_needed(scenario, pick) && !is_complete(scenario, pick);
                add_once(undecided ? open : missing, undecided
                                                         ? SAY("{}{}, PATH is not known", pick.tool, whose)
                                                         : SAY("{}{}", pick.tool, whose));
                continue;
            }
            const bool known = pick.version && facts.cuda(*pick.version);
            const std::string words = with_release(pick.tool, pick.version);
            add_once(makes_code(pick) && !known ? open : names, words + whose);
        }
        if (!names.empty() || !open.empty()) return {!names.empty(), some_of(names, k_names), "", open};
        if (missing.empty()) return {false, "no framework that compiles for GPUs found"};
        return {false, SAY("not found: {}", some_of(missing, k_names))};
    }
};

using Look = Seen (CheckList::*)() const;
const std::pair<const char*, Look> k_areas[] = {{"toolkit", &CheckList::toolkit},
                                                {"PTX", &CheckList::ptx},
                                                {"architectures", &CheckList::architectures},
                                                {"driver", &CheckList::drivers},
                                                {"GPU", &CheckList::gpus},
                                                {"frameworks", &CheckList::frameworks},
                                                {"libraries", &CheckList::libraries},
                                                {"run-time tools", &CheckList::run_time_tools}};

}  // namespace

std::vector<Seen> areas_seen(const Scenario& scenario, const Facts& facts,
                             const std::vector<Obligation>& pairs) {
    const CheckList list{scenario, facts, pairs};
    std::vector<Seen> areas;
    for (const auto& [name, look] : k_areas) {
        areas.push_back((list.*look)());
        areas.back().area = name;
    }
    return areas;
}

}  // namespace ptxguard
