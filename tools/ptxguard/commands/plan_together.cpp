// SPDX-License-Identifier: Apache-2.0
#include "commands/plan_together.hpp"

#include "judge/fitting_builds.hpp"
#include "judge/together.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_builds_tried = 60;

struct Candidates {
    const Wish* wish;
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

}  // namespace

std::optional<PlannedTogether> plan_together(const Planner& planner, const std::vector<Wish>& wishes,
                                             const Settings& settings, const Facts& facts) {
    std::vector<Candidates> all;
    std::vector<std::string> names;
    for (const Wish& wish : wishes) {
        std::vector<Wish> machines = machines_of(wish, settings);
        if (machines.empty()) machines.push_back(wish);
        Candidates one{&wish, planner.running_on_all(wish, machines, k_most_builds_tried)};
        names.push_back(wish.named);
        if (!one.builds.empty()) all.push_back(std::move(one));
    }
    if (all.size() < 2 || all.size() != wishes.size()) return std::nullopt;
    PlannedTogether together;
    together.set.framework = list(names);
    together.set.machine = "in one environment";
    together.set.together = true;
    std::string because;
    const bool proven = choose(own_builds(all, facts), together.builds, because, facts);
    if (!proven && !choose(all, together.builds, because, facts)) {
        together.set.says = {
            "no listed builds fit into one environment" + (because.empty() ? "" : " (" + because + ")"),
            "make an environment for each"};
        together.set.settled = true;
        return together;
    }
    std::vector<std::string> titles;
    std::vector<std::vector<InstallLine>> lines;
    for (std::size_t i = 0; i < all.size(); ++i) {
        titles.push_back(title_of(together.builds[i]));
        lines.push_back(planner.install_lines(together.builds[i], *all[i].wish));
    }
    if (proven)
        together.set.builds = {list(titles)};
    else {
        together.set.unproven = list(titles);
        together.set.unknown = {"what the builds of another index require besides cuDNN"};
    }
    together.set.install = lines_together(lines);
    return together;
}

}  // namespace ptxguard
