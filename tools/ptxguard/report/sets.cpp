// Which builds run where, and how to install the newest.
// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "model/text.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

// "--gpu V100"; the rest of a framework's name ("+cu130") is obvious beside another build.
bool is_option(const std::string& wish) { return starts_with(wish, "--"); }

std::string answer(const PlannedSet& set) {
    if (!set.builds.empty()) {
        const std::vector<std::string> older(set.builds.begin() + 1, set.builds.end());
        return set.builds.front() + " runs" + (older.empty() ? "" : " (also " + list(older) + ")");
    }
    if (!set.unproven.empty())
        return set.unproven + " is the newest without a known conflict; not known: " + list(set.unknown);
    if (set.because.empty() && set.without.empty() && set.unknown.empty())
        return "which " + set.framework + " runs is not known: no table lists its builds and what they need";
    std::string text = "no build of " + set.framework + " that pip installs with its CUDA libraries runs";
    if (!set.because.empty())
        text = set.framework + " does not run (" + list(set.because) + ")";
    else if (!set.unknown.empty())
        text = "whether " + set.framework + " runs is not known: " + list(set.unknown);
    for (const std::string& change : set.instead) text += "; with " + change + " it does";
    for (const WishInTheWay& one : set.without)
        text += "; " + one.build + " does" + (is_option(one.wish) ? " without " + one.wish : "");
    return text;
}

}  // namespace

std::string sets_text(const std::vector<PlannedSet>& sets, const ReportOptions& options) {
    std::string text;
    for (std::size_t i = 0; i < sets.size(); ++i) {
        const PlannedSet& set = sets[i];
        const auto same = [&](std::size_t other) { return sets[other].framework == set.framework; };
        // The one after each pair of a driver and a GPU.
        const bool all = i > 0 && same(i - 1) && (i + 1 == sets.size() || !same(i + 1));
        text += folded_line((all ? "on all of these" : set.machine) + ": " + answer(set), 4, options.width) + "\n";
        for (const InstallLine& one : set.install) {
            std::string label = one.by;
            std::istringstream rows(one.text);
            for (std::string row; std::getline(rows, row);) {
                text += line("  " + label + std::string(8 - label.size(), ' ') + row);
                label.clear();
            }
        }
    }
    return text + "\n";
}

}  // namespace ptxguard
