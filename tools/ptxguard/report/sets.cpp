// Which builds run where, and how to install the newest.
// SPDX-License-Identifier: Apache-2.0
#include "report/sets.hpp"

#include <sstream>

#include "model/text.hpp"
#include "report/report.hpp"

namespace ptxguard {
namespace {

// "--gpu V100"; the rest of a framework's name ("+cu130") is obvious beside another build.
std::string without_words(const WishInTheWay& one) {
    if (!one.needs.empty()) return one.build + " needs " + one.needs;
    const bool option = starts_with(one.wish, "--");
    return (option ? "without " + one.wish.substr(one.wish.find(' ') + 1) + ", " : "") + one.build + " runs";
}

// What the tables say of the builds; empty if they say nothing.
std::string fit_words(const PlannedSet& set) {
    if (!set.builds.empty()) {
        const std::vector<std::string> older(set.builds.begin() + 1, set.builds.end());
        return set.builds.front() + (set.together ? " fit together" : " runs") +
               (older.empty() ? "" : " (also " + list(older) + ")");
    }
    if (!set.unproven.empty())
        return "unknown whether " + set.unproven + (set.together ? " fit together" : " runs");
    if (set.settled) return "";
    if (set.because.empty() && set.without.empty() && set.unknown.empty())
        return set.says.empty() ? "no listed build of " + set.framework + " is known to run there" : "";
    std::string text = "no pip build of " + set.framework + " runs there";
    if (!set.because.empty())
        text = set.framework + " does not run (" + list(set.because) + ")";
    else if (!set.unknown.empty())
        text = "unknown whether " + set.framework + " runs";
    for (const std::string& change : set.instead) text += "; with " + change + " it does";
    for (const WishInTheWay& one : set.without) text += "; " + without_words(one);
    return text;
}

std::string cell_words(const PlannedCell& cell) {
    if (cell.fit == PlannedFit::runs) return "runs";
    if (cell.fit == PlannedFit::unknown) return "?";
    std::string codes;
    for (const std::string& code : cell.because) codes += (codes.empty() ? "" : ", ") + code;
    return "no: " + codes;
}

constexpr std::size_t k_label = 8;

std::string labelled(const std::string& label, const std::string& text) {
    return "  " + label + std::string(label.size() < k_label ? k_label - label.size() : 1, ' ') + text;
}

// Why something is unknown, and what machines that were not named need.
std::vector<InstallLine> notes_of(const PlannedSet& set) {
    std::vector<InstallLine> notes;
    if (!set.unknown.empty() && set.builds.empty()) notes.push_back({"unknown", joined(set.unknown, "; ")});
    std::vector<std::string> needs, options;
    for (const PlannedNeed& one : set.provided) {
        needs.push_back(one.needs);
        options.push_back(one.option);
    }
    if (!needs.empty())
        notes.push_back({"needs", list(needs) + " (name yours: " + joined(options, ", ") + ")"});
    return notes;
}

std::string notes_text(const PlannedSet& set, std::size_t width) {
    std::string text;
    for (const InstallLine& note : notes_of(set))
        text += folded_line(labelled(note.by, note.text), k_label + 2, width) + "\n";
    return text;
}

std::string install_text(const PlannedSet& set) {
    std::string text;
    for (const InstallLine& one : set.install) {
        std::string label = one.by;
        std::istringstream rows(one.text);
        for (std::string row; std::getline(rows, row);) {
            text += line(labelled(label, row));
            label.clear();
        }
    }
    return text;
}

// The rows of a table that is too wide for the terminal are split: as many columns as fit, then the rest.
std::string grid_text(const std::vector<Row>& rows, std::size_t width) {
    const std::size_t columns = rows.empty() ? 0 : rows.front().size();
    std::string text;
    for (std::size_t from = 1; from < columns;) {
        std::size_t to = from + 1;
        const auto part = [&](std::size_t end) {
            std::vector<Row> some;
            for (const Row& row : rows) {
                some.push_back({row.front()});
                some.back().insert(some.back().end(), row.begin() + static_cast<std::ptrdiff_t>(from),
                                   row.begin() + static_cast<std::ptrdiff_t>(end));
            }
            return table(std::move(some), 0);
        };
        const auto fits = [&](std::size_t end) { return width == 0 || part(end).find('\n') <= width; };
        while (to < columns && fits(to + 1)) ++to;
        text += part(to) + "\n";
        from = to;
    }
    return text;
}

}  // namespace

std::string name_of(const PlannedSet& set) {
    if (set.all) return "on all of these";
    return set.node.empty() ? set.machine : set.node + " (" + set.machine + ")";
}

std::string answer_of(const PlannedSet& set) {
    std::string text;
    const std::string fit = fit_words(set);
    for (const std::string& sentence : set.says) text += (text.empty() ? "" : "; ") + sentence;
    return text + (text.empty() || fit.empty() ? "" : "; ") + fit;
}

std::string answer_with_notes(const PlannedSet& set) {
    std::string text = answer_of(set);
    for (const InstallLine& note : notes_of(set)) text += "; " + note.by + ": " + note.text;
    return text;
}

std::vector<SetGroup> groups_of(const std::vector<PlannedSet>& sets) {
    std::vector<SetGroup> groups;
    for (const PlannedSet& set : sets) {
        const bool same = !groups.empty() && groups.back().front()->framework == set.framework &&
                          !groups.back().back()->all;
        if (!same) groups.emplace_back();
        groups.back().push_back(&set);
    }
    return groups;
}

std::vector<Row> grid_of(const SetGroup& group) {
    std::vector<Row> rows;
    if (group.size() < 2 || group.front()->cells.empty()) return rows;
    Row head{""};
    for (const PlannedCell& cell : group.front()->cells) head.push_back(cell.build);
    rows.push_back(std::move(head));
    for (const PlannedSet* set : group) {
        if (set->all) continue;
        rows.push_back({set->node.empty() ? set->machine : set->node});
        for (const PlannedCell& cell : set->cells) rows.back().push_back(cell_words(cell));
    }
    return rows;
}

std::string sets_text(const std::vector<PlannedSet>& sets, const ReportOptions& options) {
    std::string text;
    for (const SetGroup& group : groups_of(sets)) {
        text += grid_text(grid_of(group), options.width);
        for (const PlannedSet* set : group)
            text += folded_line(name_of(*set) + ": " + answer_of(*set), 4, options.width) + "\n" +
                    notes_text(*set, options.width) + install_text(*set);
    }
    return text + "\n";
}

}  // namespace ptxguard
