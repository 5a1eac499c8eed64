// CC103 selectors_disagree: several selectors name different toolkits. Each program uses its own, so one may
// compile with one toolkit and another link with the other. An error if one build would mix them.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "judge/fixes.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// The Windows installer sets CUDA_PATH_V12_4 besides CUDA_PATH for each release; builds do not use these.
bool is_record_of_installer(const Selector& selector) {
    return starts_with(upper(selector.name), "CUDA_PATH_V");
}

bool has_compiler(const Scenario& scenario, const Selector& selector) {
    const Toolkit* toolkit = scenario.toolkit(selector.toolkit);
    return toolkit && toolkit->part(PartKind::nvcc);
}

// The selectors that a program would follow: only the first match of each search path, and explicit settings
// of the user or CMake.
std::vector<const Selector*> followed(const Scenario& scenario) {
    std::vector<const Selector*> selectors;
    for (const Selector& selector : scenario.selectors) {
        if (!scenario.toolkit(selector.toolkit) || is_record_of_installer(selector)) continue;
        if (selector.kind == SelectorKind::default_folder || selector.kind == SelectorKind::package) continue;
        if (selector.name == "CONDA_PREFIX" && !has_compiler(scenario, selector)) continue;
        const bool later_entry = any_of(selectors, [&](const Selector* earlier) {
            return earlier->kind == SelectorKind::search_path && earlier->name == selector.name;
        });
        if (selector.kind == SelectorKind::search_path && later_entry) continue;
        selectors.push_back(&selector);
    }
    return selectors;
}

bool disagree(const std::vector<const Selector*>& selectors) {
    return any_of(selectors, [&](const Selector* one) { return one->toolkit != selectors.front()->toolkit; });
}

template <typename Same>
bool all_are(const Scenario& scenario, const std::vector<std::string>& toolkits, Same same) {
    const Version* first = scenario.toolkit(toolkits.front())->version();
    return first && all_of(toolkits, [&](const std::string& id) {
               const Toolkit* toolkit = scenario.toolkit(id);
               return !toolkit || (toolkit->version() && same(*toolkit->version(), *first));
           });
}

// Two installations of one release are interchangeable; one build may mix those of exactly the same version.
bool is_harmless(const Scenario& scenario, const std::vector<std::string>& toolkits, bool mixed) {
    for (const std::string& id : toolkits)
        if (const Toolkit* toolkit = scenario.toolkit(id); toolkit && !parts_agree(*toolkit)) return false;
    if (mixed) return all_are(scenario, toolkits, [](const Version& a, const Version& b) { return a == b; });
    return all_are(scenario, toolkits, [](const Version& a, const Version& b) { return same_release(a, b); });
}

const Selector* named(const std::vector<const Selector*>& selectors, const std::string& name) {
    for (const Selector* selector : selectors)
        if (selector->name == name) return selector;
    return nullptr;
}

// One program that uses tools from two toolkits.
std::string mixing(const Scenario& scenario) {
    for (const Pick& one : scenario.picks)
        for (const Pick& other : scenario.picks)
            if (one.consumer == other.consumer && one.tool == "nvcc" && !one.toolkit.empty() &&
                !other.toolkit.empty() && one.toolkit != other.toolkit)
                return SAY("{} would use nvcc from {} and {} from {}", one.consumer, one.path, other.tool,
                           other.path);
    return "";
}

// CMake mixes them only if find_package(CUDAToolkit) comes before CUDA is enabled (measured with 3.25.1).
std::string harm(const std::vector<const Selector*>& selectors) {
    const Selector* compiler = named(selectors, "CMAKE_CUDA_COMPILER");
    const Selector* root = named(selectors, "CUDAToolkit_ROOT");
    if (compiler && root && compiler->toolkit != root->toolkit)
        return "CMake compiles with the nvcc of CMAKE_CUDA_COMPILER, and a find_package(CUDAToolkit) before "
               "CUDA is enabled silently uses headers and libraries from CUDAToolkit_ROOT";
    return "which one is used depends on the program";
}

std::vector<Evidence> table(const Scenario& scenario, const std::vector<const Selector*>& selectors) {
    std::vector<Evidence> rows;
    for (const Selector* selector : selectors) {
        Evidence row = evidence_of(*selector);
        row.value += " -> " + name_and_root(*scenario.toolkit(selector->toolkit));
        rows.push_back(row);
    }
    for (const Pick& pick : scenario.picks) {
        if (pick.search) continue;  // a framework's own search uses no selector
        Evidence row{SAY("{} uses {}", pick.consumer, pick.tool), pick.path.empty() ? "none" : pick.path, {}};
        if (pick.version) row.value += SAY(" ({})", pick.version->text);
        row.origin = pick.version.origin;
        row.origin.text = pick.because;
        rows.push_back(row);
    }
    return rows;
}

// Environment modules set these variables together; changing only one would mix even more.
bool is_set_by_module(const Selector& selector) {
    return selector.name.rfind("NVHPC", 0) == 0 || selector.name.rfind("EBROOT", 0) == 0;
}

Fix bring_to(const Scenario& scenario, const Selector& selector, const Toolkit& toolkit) {
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    const std::string compiler = nvcc ? nvcc->path : nvcc_below(toolkit.root, scenario.system);
    const bool is_compiler = selector.name == "CUDACXX" || selector.name == "CMAKE_CUDA_COMPILER";
    const std::string value = is_compiler ? compiler : toolkit.root;
    if (selector.kind == SelectorKind::search_path)
        return prepend_list_entry(selector.name, compiler.substr(0, compiler.find_last_of('/')),
                                  scenario.system);
    if (selector.name == "CONDA_PREFIX") return {FixKind::command, "conda deactivate"};
    if (is_set_by_module(selector))
        return by_hand(SAY("load the module that goes with {}, or unset {}", toolkit.root, selector.name));
    if (selector.kind == SelectorKind::cmake)
        return {FixKind::setting, SAY("-D{}={}", selector.name, shell_word(value, scenario.system))};
    return set_variable(selector.name, value, scenario.system);
}

// Separate fix lines are alternatives. These steps must all be done, so they go into one line.
Fix all_of_them(const std::vector<Fix>& steps) {
    Fix whole = steps.front();
    const auto is_option = [](const Fix& fix) { return fix.text.compare(0, 2, "-D") == 0; };
    for (std::size_t i = 1; i < steps.size(); ++i) {
        const bool manual = steps[i].kind == FixKind::manual || whole.kind == FixKind::manual ||
                            is_option(steps[i]) != is_option(whole);
        if (manual)
            whole.kind = FixKind::manual;
        else if (steps[i].kind == FixKind::command)
            whole.kind = FixKind::command;
        whole.text += manual             ? SAY(", and {}", steps[i].text)
                      : is_option(whole) ? SAY(" {}", steps[i].text)
                                         : SAY("; {}", steps[i].text);
        if (!whole.in_cmd.empty())
            whole.in_cmd += manual ? SAY(", and {}", steps[i].in_cmd) : SAY(" & {}", steps[i].in_cmd);
    }
    return whole;
}

bool clashes_with_root(const std::vector<const Selector*>& selectors) {
    const Selector* compiler = named(selectors, "CMAKE_CUDA_COMPILER");
    const Selector* root = named(selectors, "CUDAToolkit_ROOT");
    return compiler && root && compiler->toolkit != root->toolkit;
}

// CMake follows its compiler, in find_package(CUDAToolkit) too: other programs may use another toolkit.
void say_others(const Scenario& scenario, const Selector& decider,
                const std::vector<const Selector*>& selectors, Findings& findings) {
    std::vector<std::string> names;
    Composed finding = add(findings, "CC103", Level::note, decider.name, "");
    for (const Selector* selector : selectors) {
        if (selector->toolkit == decider.toolkit) continue;
        names.push_back(selector->name);
        finding.found(evidence_of(*selector));
    }
    finding->message = names.size() == 1
                           ? SAY("{} decides: {}; {} leads other programs to another toolkit", decider.name,
                                 name_and_root(*scenario.toolkit(decider.toolkit)), names)
                           : SAY("{} decides: {}; {} lead other programs to another toolkit", decider.name,
                                 name_and_root(*scenario.toolkit(decider.toolkit)), names);
    finding->subject = list(names);
    finding.because("CMake uses the toolkit of its compiler");
}

Fix bring_all_to(const Scenario& scenario, const std::vector<const Selector*>& selectors,
                 const Toolkit& toolkit) {
    std::vector<Fix> steps;
    for (const Selector* selector : selectors)
        if (selector->toolkit != toolkit.id) steps.push_back(bring_to(scenario, *selector, toolkit));
    if (!steps.empty()) return all_of_them(steps);
    return by_hand(SAY("remove the other tool from the search path, or use {} everywhere", toolkit.root));
}

std::vector<std::string> toolkits_of(const Scenario& scenario,
                                     const std::vector<const Selector*>& selectors) {
    std::vector<std::string> toolkits;
    for (const Selector* selector : selectors)
        add_once(toolkits, name_and_root(*scenario.toolkit(selector->toolkit)));
    return toolkits;
}

// `mixed`: what uses tools of two toolkits; empty = nothing.
void say_disagreement(const Scenario& scenario, const std::vector<const Selector*>& selectors,
                      const std::string& mixed, Findings& findings) {
    std::vector<std::string> ids, names;
    for (const Selector* selector : selectors) {
        ids.push_back(selector->toolkit);
        names.push_back(selector->name);
    }
    if (!mixed.empty())
        for (const Pick& pick : scenario.picks) ids.push_back(pick.toolkit);
    const bool harmless = is_harmless(scenario, ids, !mixed.empty());
    const Toolkit* chosen = scenario.build_toolkit();
    const Toolkit& wanted = chosen ? *chosen : *scenario.toolkit(selectors[0]->toolkit);
    const std::string& by = scenario.project.toolkit_because;
    Origin why;
    if (!by.empty()) why.text = SAY("the one that this build uses: {}", by);
    Composed finding = add(findings, "CC103",
                           harmless        ? Level::note
                           : mixed.empty() ? Level::warning
                                           : Level::error,
                           list(names),
                           disagree(selectors) ? SAY("{} lead to different toolkits: {}", names,
                                                     toolkits_of(scenario, selectors))
                                               : SAY("one build uses tools of two toolkits: {}", mixed));
    if (chosen) finding.about(scenario, *chosen);
    finding.found(table(scenario, selectors))
        .expected("all of them", SAY("one toolkit, for example {}", name_and_root(wanted)), why)
        .because(harmless
                     ? "the toolkits are of one release today; an update of one of them makes them differ"
                 : mixed.empty() ? harm(selectors)
                                 : mixed)
        .fix(bring_all_to(scenario, selectors, wanted));
    if (disagree(selectors)) finding.brief(SAY("{} lead to different toolkits", names));
}

}  // namespace

PTXGUARD_RULE(CC103) {
    const Selector* decider = deciding_selector(scenario);
    if (decider && decider->kind == SelectorKind::option) return;  // --toolkit: the user has chosen
    const std::vector<const Selector*> selectors = followed(scenario);
    const std::string mixed = mixing(scenario);
    if (selectors.empty() || (!disagree(selectors) && mixed.empty())) return;
    if (mixed.empty() && is_named_by_cmake(scenario) && !clashes_with_root(selectors))
        say_others(scenario, *decider, selectors, findings);
    else
        say_disagreement(scenario, selectors, mixed, findings);
}

}  // namespace ptxguard
