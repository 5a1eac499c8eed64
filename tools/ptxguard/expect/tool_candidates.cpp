// The steps of a search as a list of files, in the order in which the framework tries them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/tool_search.hpp"
#include "host/paths.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_flags_limit = 64u << 10;

void replace_all(std::string& text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

struct Filler {
    const ToolSearch& search;
    const SearchingPackage& package;
    System system;

    std::string fill(std::string text, const std::string& value) const {
        replace_all(text, "{file}", search.file);
        replace_all(text, "{value}", value);
        replace_all(text, "{package}", package.folder);
        replace_all(text, "{site}", package.site);
        replace_all(text, "{exe}", system == System::windows ? ".exe" : "");
        return text;
    }
};

// XLA_FLAGS contains flags, or the name of a file with flags. The last one wins.
std::optional<std::string> flag_value(const Host& host, std::string text, const std::string& flag) {
    if (const std::string name = trim(text); !name.empty() && name.front() != '-')
        if (const auto file = host.read(name, k_flags_limit)) text = *file;
    std::optional<std::string> found;
    for (const std::string& word : split(text, " \t\r\n")) {
        const std::string bare = trim(word);
        if (starts_with(bare, flag + "=")) found = bare.substr(flag.size() + 1);
    }
    if (found && found->size() > 1 && (found->front() == '"' || found->front() == '\'') &&
        found->front() == found->back())
        found = found->substr(1, found->size() - 2);
    return found;
}

// The values of {value}, each with its description.
std::vector<std::pair<std::string, std::string>> values_of(const Host& host, const SearchStep& step) {
    if (step.variable.empty()) return {{"", step.by}};
    const std::optional<std::string> set = host.env(step.variable);
    if (step.list) {
        std::vector<std::pair<std::string, std::string>> values;
        int position = 0;
        for (const std::string& entry : split_list(set.value_or(""), host.system())) {
            ++position;
            if (!entry.empty())
                values.emplace_back(entry, step.by + " (entry " + std::to_string(position) + ")");
        }
        return values;
    }
    std::optional<std::string> value = set;
    if (set && !step.flag.empty()) value = flag_value(host, *set, step.flag);
    if (value && !value->empty()) return {{*value, step.by}};
    if (step.otherwise.empty()) return {};
    return {{step.otherwise, "where " + step.by + " is not set"}};
}

// Each file once; one that is not tried in one place may be in a later one.
void add(std::vector<ToolCandidate>& candidates, ToolCandidate candidate) {
    const auto same = std::find_if(candidates.begin(), candidates.end(),
                                   [&](const auto& other) { return other.path == candidate.path; });
    const bool known = same != candidates.end();
    if (known && (same->not_looked.empty() || !candidate.not_looked.empty())) return;
    if (known) candidates.erase(same);
    candidates.push_back(std::move(candidate));
}

}  // namespace

std::vector<ToolCandidate> tool_candidates(const Host& host, const ToolSearch& search,
                                           const SearchingPackage& package) {
    const Filler filler{search, package, host.system()};
    std::vector<ToolCandidate> candidates;
    std::map<std::string, std::string> groups;  // name -> the step that gave a place
    for (const SearchStep& step : search.steps) {
        const auto values = values_of(host, step);
        if (values.empty()) continue;
        if (!step.where.empty() && host.status(filler.fill(step.where, "")).type == FileType::missing)
            continue;
        const auto before = step.group.empty() ? groups.end() : groups.find(step.group);
        const bool beaten = before != groups.end();
        // The default of an unset variable is not worth listing if it is skipped.
        if (beaten && values.front().second != step.by) continue;
        if (!step.group.empty() && !beaten) groups[step.group] = step.by;
        for (const auto& [value, by] : values) {
            ToolCandidate candidate{filler.fill(step.at, value), by, step.not_looked};
            if (!is_absolute(candidate.path, host.system())) {
                if (candidate.not_looked.empty())
                    candidate.not_looked = "in the folder in which the program is started: not looked at";
            } else {
                candidate.path = normal_path(candidate.path, host.system());
            }
            if (beaten) candidate.not_looked = "without effect: " + before->second + " comes instead";
            add(candidates, std::move(candidate));
        }
    }
    return candidates;
}

}  // namespace ptxguard
