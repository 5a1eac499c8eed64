// SPDX-License-Identifier: Apache-2.0
#include "commands/plan_together.hpp"

#include "judge/fitting_builds.hpp"
#include "judge/together.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_builds_tried = 60;

// Of all wishes for one framework: torch and fbgemm-gpu.
struct Candidates {
    std::vector<const Wish*> wishes;
    std::vector<Step> builds;  // newest first
};

// Whether a Python has wheels of all of them.
bool share_a_python(const std::vector<Step>& builds, const Facts& facts) {
    std::optional<Version> from, to;
    for (const Step& build : builds) {
        const FrameworkRelease* release = facts.framework_release(build.package, build.version);
        if (!release || !release->python_from || !release->python_to) continue;
        if (!from || *from < *release->python_from) from = release->python_from;
        if (!to || *release->python_to < *to) to = release->python_to;
    }
    return !from || *from <= *to;
}

// Adds to `chosen` one build of each further framework, as new as possible. `because`: the first conflict.
bool choose(const std::vector<Candidates>& all, std::vector<Step>& chosen, std::string& because,
            const Facts& facts) {
    if (chosen.size() == all.size()) return share_a_python(chosen, facts);
    for (const Step& build : all[chosen.size()].builds) {
        std::string conflict;
        for (const Step& other : chosen) {
            conflict = conflict_between(other, build, facts);
            if (!conflict.empty()) break;
        }
        if (because.empty()) because = conflict;
        if (!conflict.empty()) continue;
        chosen.push_back(build);
        if (choose(all, chosen, because, facts)) return true;
        chosen.pop_back();
    }
    return false;
}

// One command if pip can be given all of them at once. A build from another index comes first, and stays.
std::vector<InstallLine> lines_together(const std::vector<std::vector<InstallLine>>& each) {
    std::vector<InstallLine> lines;
    for (const char* by : {"pip", "uv"}) {
        std::string all, first;
        for (const auto& of_one : each)
            for (const InstallLine& one : of_one) {
                if (one.by != by) continue;
                const std::size_t words = one.text.find("install ") + 8;
                if (one.text.find("--index-url") != std::string::npos)
                    first += one.text + " && ";
                else
                    all += all.empty() ? one.text : " " + one.text.substr(words);
            }
        if (all.empty() && !first.empty()) first.resize(first.size() - 4);
        lines.push_back({by, first + all});
    }
    return lines;
}

std::vector<Candidates> own_builds(std::vector<Candidates> all, const Facts& facts) {
    for (Candidates& one : all)
        erase_if(one.builds, [&](const Step& build) { return !is_own_build(build, facts); });
    return all;
}

bool is_among(const Step& build, const std::vector<Step>& builds) {
    return any_of(builds, [&](const Step& one) { return title_of(one) == title_of(build); });
}

void add_candidates(const Wish& wish, std::vector<Step> builds, std::vector<Candidates>& all) {
    for (Candidates& one : all) {
        if (one.wishes.front()->framework.reader != wish.framework.reader) continue;
        erase_if(one.builds, [&](const Step& build) { return !is_among(build, builds); });
        one.wishes.push_back(&wish);
        return;
    }
    all.push_back({{&wish}, std::move(builds)});
}

// The words of the framework, then those of each package beside it.
std::vector<InstallLine> lines_of(const Planner& planner, const Candidates& one, const Step& build) {
    Wish plain = *one.wishes.front();
    plain.companion = nullptr;
    plain.install.clear();
    const std::vector<InstallLine> words = planner.install_lines(build, plain);
    std::vector<InstallLine> lines = words;
    for (const bool same_command : {true, false})
        for (const Wish* wish : one.wishes) {
            if (wish->same_command != same_command) continue;
            const std::vector<InstallLine> with_package = planner.install_lines(build, *wish);
            for (std::size_t i = 0; i < std::min(words.size(), with_package.size()); ++i)
                lines[i].text += with_package[i].text.substr(words[i].text.size());
        }
    return lines;
}

// "torch 2.9.1+cu128" and the packages beside it.
std::vector<std::string> titles_of(const Candidates& one, const Step& build) {
    std::vector<std::string> titles{title_of(build)};
    for (const Wish* wish : one.wishes)
        if (wish->companion || !wish->install.empty()) titles.push_back(wish->named);
    return titles;
}

std::vector<std::string> unknown_of(const std::vector<Candidates>& all) {
    std::vector<std::string> unknown;
    for (const Candidates& one : all)
        for (const Wish* wish : one.wishes) {
            if (wish->own_code) unknown.push_back(own_code_words(*wish));
            if (wish->compiled) add_once(unknown, k_nvcc_words);
        }
    return unknown;
}

PlannedTogether none_together(PlannedTogether together, const std::string& because) {
    together.set.says = {
        "no listed builds fit into one environment" + (because.empty() ? "" : " (" + because + ")"),
        "make an environment for each"};
    together.set.settled = true;
    return together;
}

}  // namespace

std::optional<PlannedTogether> plan_together(const Planner& planner, const std::vector<Wish>& wishes,
                                             const Settings& settings, const Facts& facts) {
    std::vector<Candidates> all;
    std::vector<std::string> names;
    for (const Wish& wish : wishes) {
        if (wish.unlisted) continue;
        std::vector<Wish> machines = machines_of(wish, settings);
        if (machines.empty()) machines.push_back(wish);
        std::vector<Step> builds = planner.running_on_all(wish, machines, k_most_builds_tried);
        if (builds.empty()) return std::nullopt;
        names.push_back(wish.named);
        add_candidates(wish, std::move(builds), all);
    }
    if (names.size() < 2) return std::nullopt;
    PlannedTogether together;
    together.set.framework = list(names);
    together.set.machine = "in one environment";
    together.set.together = true;
    std::string because;
    // One framework requires nothing that another could refuse.
    const bool proven =
        choose(all.size() > 1 ? own_builds(all, facts) : all, together.builds, because, facts);
    if (!proven && !choose(all, together.builds, because, facts))
        return none_together(std::move(together), because);
    std::vector<std::string> titles;
    std::vector<std::vector<InstallLine>> lines;
    for (std::size_t i = 0; i < all.size(); ++i) {
        append(titles, titles_of(all[i], together.builds[i]));
        lines.push_back(lines_of(planner, all[i], together.builds[i]));
    }
    std::vector<std::string> unknown = unknown_of(all);
    if (!proven) unknown.push_back("what the builds of another index require besides cuDNN");
    if (unknown.empty())
        together.set.builds = {list(titles)};
    else
        together.set.unproven = list(titles);
    together.set.unknown = std::move(unknown);
    together.set.install = lines_together(lines);
    return together;
}

}  // namespace ptxguard
