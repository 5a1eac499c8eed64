// SPDX-License-Identifier: Apache-2.0
#include "judge/check_list.hpp"

#include <algorithm>

#include "judge/build_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/search_questions.hpp"

namespace ptxguard {
namespace {

// What was found for an area; if not `checked`, the text is what is missing.
struct Seen {
    bool checked = false;
    std::string text;
    std::string decide = {};                     // option to pass
    std::vector<std::string> not_compared = {};  // what it met without a result
    std::string brief = {};                      // its names, without what they were compared with
    std::vector<std::string> refused = {};       // names of which no pair is accepted and some are refused
    std::vector<const Obligation*> refusals = {};
};

// What one thing was compared with.
struct Met {
    std::vector<const Obligation*> refused;
    std::vector<std::string> with, open;  // decided and accepted; without a result
};

constexpr std::size_t k_names = 3;

struct CheckList {
    const Scenario& scenario;
    const Facts& facts;
    const std::vector<Obligation>& pairs;
    const Toolkit* const build = toolkit_of_build(scenario);

    // "PyTorch 2.11.0 (cubin sm_80)", "A100 (sm_80, cubin sm_80)": the other side of a pair, and the basis of
    // its outcome.
    static std::string other_side(const Obligation& pair, const std::string& name) {
        std::string other = pair.left == name ? pair.right : pair.left;
        // A framework is named with its CUDA.
        const bool basis =
            pair.kind == Meeting::code_gpu || (pair.kind == Meeting::code_driver && pair.right == name);
        if (!basis || pair.evidence.empty() || !decided(pair)) return other;
        if (!ends_with(other, ")")) return SAY("{} ({})", other, pair.evidence);
        other.back() = ',';
        return SAY("{} {})", other, pair.evidence);
    }

    Met met(const std::string& name) const {
        Met met;
        for (const Obligation& pair : pairs) {
            if ((pair.left != name && pair.right != name) || pair.kind == Meeting::library_set) continue;
            if (pair.outcome == Outcome::refused)
                met.refused.push_back(&pair);
            else
                add_once(decided(pair) ? met.with : met.open, other_side(pair, name));
        }
        return met;
    }

    // One thing of an area: ok only if it was compared.
    static void take(Seen& seen, const std::string& name, const Met& met) {
        if (met.with.empty() && met.refused.empty()) return add_once(seen.not_compared, name);
        for (const std::string& one : met.open) add_once(seen.not_compared, one);
        if (met.with.empty()) {
            add_once(seen.refused, name);
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

    Seen drivers() const {
        Seen seen;
        std::vector<std::string> names;
        for (const Driver* driver : drivers_concerned(scenario)) {
            const Known<Version> version = version_of(*driver);
            const std::string name = version ? version->text : name_of(*driver);
            if (contains(names, name)) continue;
            names.push_back(name);
            Met all = met(name_of(*driver));
            for (const ProbeResult& probe : scenario.probes) {
                if (probe.driver != driver->id || !probe.ptx) continue;
                if (probe.outcome == Outcome::accepted) add_once(all.with, SAY("PTX {}", probe.ptx->text()));
            }
            take(seen, name, all);
        }
        if (names.empty()) return {false, "no driver found", "--driver VERSION"};
        if (!seen.brief.empty()) seen.brief = SAY("driver {}", seen.brief);
        return seen;
    }

    Seen gpus() const {
        Seen seen;
        std::vector<std::string> names;
        for (const Gpu* gpu : gpus_judged(scenario)) {
            if (!facts.arch(Arch{gpu->arch->number, 0}))
                return {false, SAY("{} is in no table", name_of(*gpu))};
            if (contains(names, name_of(*gpu))) continue;
            names.push_back(name_of(*gpu));
            const Met all = met(names.back());
            take(seen, names.back(), all);
            for (const Obligation* pair : all.refused) {
                if (pair->left != k_this_build || contains(seen.refusals, pair)) continue;
                seen.refusals.push_back(pair);
                add_once(seen.refused, names.back());
            }
        }
        if (names.empty()) return {false, "no GPU found", "--gpu NAME"};
        return seen;
    }

    // What it was built for is compared with its libraries if there is nothing else.
    Seen frameworks() const {
        Seen seen;
        std::vector<std::string> names;
        for (const Expectation& one : scenario.expectations) {
            if (!is_there(one) || contains(names, name_of(one))) continue;
            names.push_back(name_of(one));
            Met all = met(name_of(one));
            if (all.with.empty() && has_its_libraries(one)) all.with.push_back("its libraries");
            if (!one.may_use_cuda()) all.with = {"built without CUDA"};
            take(seen, one.cuda ? SAY("{} (CUDA {})", name_of(one), one.cuda->text) : name_of(one), all);
        }
        if (names.empty()) return {false, "no framework found", "--framework NAME"};
        return seen;
    }

    // Some of them were found, and none is missing or wrong.
    bool has_its_libraries(const Expectation& one) const {
        return any_of(scenario.traces, [&](const LoadTrace& trace) {
            const auto of_it = [&](const Obligation& pair) {
                return pair.kind == Meeting::library_set && pair.left == process_name(trace, &one) &&
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
        if (names.empty() && !empty.empty()) return {false, SAY("none found of {}", some_of(empty, k_names))};
        for (const std::string& framework : empty) add_once(open, SAY("those of {}, none found", framework));
        if (names.empty()) return {false, "no framework's CUDA libraries found"};
        return {true, some_of(names, k_names), "", open, some_of(counts, k_names)};
    }

    // A finding reports a tool that is missing for certain.
    Seen run_time_tools() const {
        std::vector<std::string> names, open, missing;
        for (const Pick& pick : scenario.picks) {
            if (!pick.search || !is_used(scenario, pick)) continue;
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

// An architecture that the ptxas of a framework does not support is nothing of the build.
std::string area_of(const std::vector<Rule>& table, const Scenario& scenario, const Finding& finding) {
    const auto* rule = first_where(table, [&](const Rule& one) { return finding.code == one.code; });
    if (!rule) return "";
    const auto is_its_consumer = [&](const Pick& pick) {
        return pick.search && pick.consumer == finding.subject;
    };
    const bool of_build = std::string_view(rule->area) == "architectures";
    return of_build && any_of(scenario.picks, is_its_consumer) ? "run-time tools" : rule->area;
}

// The finding in few words: the line of a list names its area.
std::string cause_words(const Finding& finding, const std::string& area) {
    std::string text = finding.brief.empty() ? finding.message : finding.brief;
    return starts_with(text, area + " ") ? text.substr(area.size() + 1) : text;
}

// The causes of an area, worst first; what follows from another finding only where nothing else is wrong.
std::string causes_of(std::vector<const Finding*> found, const std::string& area) {
    constexpr std::size_t k_causes = 2;
    const auto is_effect = [](const Finding* one) { return one->caused_by.has_value(); };
    std::stable_sort(found.begin(), found.end(), [&](const Finding* a, const Finding* b) {
        return std::make_pair(is_effect(a), b->level) < std::make_pair(is_effect(b), a->level);
    });
    std::vector<std::string> words;
    for (const Finding* one : found)
        if (!is_effect(one) || words.empty()) add_once(words, cause_words(*one, area));
    std::string text = words.front();
    for (std::size_t i = 1; i < std::min(words.size(), k_causes); ++i) text += "; " + words[i];
    const std::size_t more = words.size() - std::min(words.size(), k_causes);
    return more ? SAY("{}; and {} more", text, more) : text;
}

// A pair is refused, and the rule that reports it has another area. A name may go on: "PyTorch 2.9.1
// (CUDA 13.0)".
std::string refusal_words(const std::vector<const Obligation*>& refusals,
                          const std::vector<std::string>& names) {
    std::vector<std::string> others;
    for (const Obligation* pair : refusals)
        for (const std::string& side : {pair->left, pair->right})
            if (none_of(names, [&](const std::string& name) { return starts_with(name, side); }))
                add_once(others, side);
    return others.empty() ? some_of(names, k_names)
                          : SAY("{}: not with {}", some_of(names, k_names), some_of(others, k_names));
}

// As far as what was compared shows it.
CheckedArea area_from(const char* name, const Seen& seen) {
    CheckedArea area{name,
                     seen.checked ? AreaState::ok : AreaState::not_checked,
                     seen.text,
                     {},
                     {},
                     seen.not_compared,
                     seen.brief.empty() && seen.checked ? seen.text : seen.brief};
    if (area.text.empty() && !seen.refused.empty()) area.text = area.brief = some_of(seen.refused, k_names);
    if (area.text.empty()) {
        area.brief = some_of(area.not_compared, k_names);
        area.text = SAY("{}, nothing to compare it with", some_of(area.not_compared, k_names));
        area.not_compared.clear();
    }
    if (!seen.decide.empty()) area.text += SAY(" ({})", seen.decide);
    area.decide = seen.decide;
    return area;
}

bool is_reported(const Finding& finding, const Scenario& scenario) {
    return !finding.suppressed && finding.scenario == scenario.name && finding.level != Level::note;
}

AreaState state_with(Level worst, AreaState otherwise) {
    return worst == Level::error     ? AreaState::error
           : worst == Level::warning ? AreaState::warning
           : worst == Level::unknown ? AreaState::not_checked
                                     : otherwise;
}

// With the findings of the area, and those that report a pair which it refuses.
void add_findings(const std::vector<Rule>& table, const Scenario& scenario,
                  const std::vector<Finding>& findings, const Seen& seen, CheckedArea& area) {
    Level worst = Level::note;
    std::vector<const Finding*> own;
    for (const Finding& finding : findings) {
        if (!is_reported(finding, scenario)) continue;
        const auto reports = [&](const Obligation* pair) { return reports_pair(finding, *pair); };
        const bool is_own = area_of(table, scenario, finding) == area.area;
        if (!is_own && none_of(seen.refusals, reports)) continue;
        worst = std::max(worst, finding.level);
        add_once(area.codes, finding.code);
        if (is_own && finding.level >= Level::warning) own.push_back(&finding);
        if (finding.level == Level::unknown && area.decide.empty() && !finding.decide.empty())
            area.decide = finding.decide.front();
    }
    area.state = state_with(worst, area.state);
    if (area.state != AreaState::not_checked) area.decide.clear();
    if (!own.empty()) {
        area.text = causes_of(std::move(own), area.area);
        area.not_compared.clear();
    } else if (area.state == AreaState::error || area.state == AreaState::warning) {
        area.text = refusal_words(seen.refusals, seen.refused);
    }
}

}  // namespace

std::vector<CheckedArea> check_list(const std::vector<Rule>& table, const Scenario& scenario,
                                    const Facts& facts, const std::vector<Obligation>& pairs,
                                    const std::vector<Finding>& findings) {
    const CheckList list{scenario, facts, pairs};
    std::vector<CheckedArea> areas;
    for (const auto& [name, look] : k_areas) {
        const Seen seen = (list.*look)();
        CheckedArea area = area_from(name, seen);
        add_findings(table, scenario, findings, seen, area);
        areas.push_back(std::move(area));
    }
    return areas;
}

}  // namespace ptxguard
