// SPDX-License-Identifier: Apache-2.0
#include "judge/search_steps.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "facts/libraries.hpp"
#include "judge/library_faults.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

bool is_by_variable(const LoadedFile& library, const Step& step) {
    return library.taken && deciding_variable(library.rule) == step.subject &&
           entry_in_variable(library) == step.from;
}

// A copy without a known version cannot be compared with its set.
bool take(const LoadLoser& copy, const LoadRule& rule, const Facts& facts, LoadedFile& library) {
    if (!copy.version) return false;
    library.taken = library.real_path = copy.path;
    library.rule = rule;
    library.rule_detail.clear();
    library.because.clear();
    library.version = copy.version;
    library.cuda = cuda_of_library(facts, library.library, library.version);
    library.package.clear();
    library.pinned = library.stub = false;
    library.undefined.reset();
    library.undefined_names.clear();
    library.missing_versions.clear();
    return true;
}

bool take_next(const Facts& facts, LoadedFile& library) {
    const auto next = std::find_if(library.losers.begin(), library.losers.end(),
                                   [](const LoadLoser& loser) { return loser.lost == LoadLost::later; });
    if (next == library.losers.end()) {
        if (library.how == LoadHow::preload) return false;  // nothing is known to need it
        library.taken.reset();
        return true;
    }
    const LoadLoser copy = *next;
    library.losers.erase(library.losers.begin(), next + 1);
    return take(copy, copy.rule, facts, library);
}

// DT_RPATH is searched before the variable.
bool take_from(const std::string& folders, const Facts& facts, LoadedFile& library) {
    if (library.taken && library.rule.step == LoadStep::rpath) return true;
    const auto is_there = [&](const LoadLoser& loser) {
        return loser.lost == LoadLost::not_searched &&
               (":" + folders + ":").find(":" + folder_of(loser.path) + ":") != std::string::npos;
    };
    const auto* copy = first_where(library.losers, is_there);
    return !copy || take(LoadLoser(*copy), LoadRule(LoadStep::ld_library_path), facts, library);
}

bool is_entry(const Selector& selector, const Step& step) {
    return selector.name == step.subject && selector.value == step.from;
}

// C:\a\ and c:/a: if they differ on Linux, the result is only more careful.
std::string plain(std::string folder) {
    folder = lower(folder);
    std::replace(folder.begin(), folder.end(), '\\', '/');
    while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
    return folder;
}

// Without the entry other programs are used, which were not tried.
bool selects_compiler(const Step& step, const Scenario& scenario) {
    return any_of(scenario.selectors,
                  [&](const Selector& selector) {
                      return is_entry(selector, step) && (selector.decides || !selector.toolkit.empty());
                  }) ||
           (step.subject == "PATH" && any_of(scenario.picks, [&](const Pick& pick) {
                return !pick.path.empty() && plain(folder_of(pick.path)) == plain(step.from);
            }));
}

// The symbols that were counted with the replaced files.
void forget_symbols(const std::set<std::string>& replaced, std::optional<std::size_t>& count,
                    std::vector<std::string>& names) {
    const auto is_of_replaced = [&](const std::string& name) {
        return replaced.count(name.substr(name.rfind('@') + 1)) != 0;
    };
    erase_if(names, is_of_replaced);
    if (count) count = names.size();
}

// 9.19.0 and 9.19.0.56
bool is_alike(const Known<Version>& a, const Known<Version>& b) {
    return a && b && a->at(0) == b->at(0) && a->at(1) == b->at(1) && a->at(2) == b->at(2);
}

bool load_again(const Step& step, const Facts& facts, LoadTrace& trace) {
    std::set<std::string> replaced;
    std::map<std::string, Known<Version>> gone;  // the path of a replaced file -> its replacement
    for (LoadedFile& library : trace.libraries) {
        const std::optional<std::string> before = library.taken;
        // Its opener is now another file, with its own RPATH: the library found there is only known to be
        // alike.
        const auto opener = gone.find(library.needed_by);
        if (opener != gone.end() && !library.optional && !is_by_variable(library, step) &&
            !(before && is_alike(library.version, opener->second)))
            return false;
        if (is_by_variable(library, step) && !take_next(facts, library)) return false;
        // Another opener may open another name: libcudnn_graph.so.9.3.0 instead of .so.9.1.0.
        if (!library.taken && before && opener != gone.end() && !library.optional) return false;
        if (!step.to.empty() && !take_from(step.to, facts, library)) return false;
        if (library.taken == before) continue;
        replaced.insert(library.name);
        if (before) gone.emplace(*before, library.version);
    }
    forget_symbols(replaced, trace.undefined, trace.undefined_names);
    for (LoadedFile& library : trace.libraries)
        forget_symbols(replaced, library.undefined, library.undefined_names);
    return true;
}

}  // namespace

std::string entry_in_variable(const LoadedFile& library) {
    if (library.rule.step == LoadStep::ld_preload) return library.name;
    if (!library.rule_detail.empty()) return library.rule_detail;
    return library.taken ? folder_of(*library.taken) : "";
}

bool other_entry(const Step& step, Scenario& scenario, const Facts& facts) {
    const bool is_of_loader = starts_with(step.subject, "LD_");
    if (!is_of_loader && (!step.to.empty() || selects_compiler(step, scenario))) return false;
    const auto is_it = [&](const EnvironmentEntry& entry) {
        return entry.variable == step.subject && entry.value == step.from;
    };
    erase_if(scenario.entries, is_it);
    const auto selects = [&](const Selector& selector) { return is_entry(selector, step); };
    erase_if(scenario.selectors, selects);
    return all_of(scenario.traces, [&](LoadTrace& trace) { return load_again(step, facts, trace); });
}

}  // namespace ptxguard
