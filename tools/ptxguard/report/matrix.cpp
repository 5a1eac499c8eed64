// The matrix as text: producers and consumers, one table for all targets with equal results, and one line per
// reason of refusal.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/matrix_view.hpp"
#include "report/report.hpp"
#include "report/table.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_line = 110;  // columns where no width is known

const char* color_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::accepted: return "\x1b[32m";
        case Outcome::refused: return "\x1b[1;31m";
        case Outcome::broken: return "\x1b[1;33m";
        case Outcome::unknown: break;
    }
    return "\x1b[35m";
}

// JSON lists them.
std::string other_names(const std::vector<std::string>& names) {
    if (names.empty()) return "";
    return " (and " + std::to_string(names.size()) + (names.size() == 1 ? " other name)" : " other names)");
}

const char* people_code(EntryKind code) {
    return code == EntryKind::ltoir ? "LTO-IR" : code == EntryKind::tileir ? "Tile IR" : "PTX";
}

std::string other_code(const Producer& producer) {
    for (const Made& made : producer.made)
        if (made.ir) return std::string(people_code(producer.code)) + " " + made.ir->text();
    return std::string("no ") + people_code(producer.code);
}

std::vector<Row> producer_rows(const MatrixView& view) {
    std::vector<Row> rows;
    for (const Producer& producer : view.matrix.producers) {
        const std::string makes = producer.ptx ? "PTX " + producer.ptx->text() : other_code(producer);
        rows.push_back({view.producers.at(producer.id), makes, producer.path + other_names(producer.names)});
        if (!producer.trouble.empty()) rows.push_back({"", "", producer.trouble});
    }
    return rows;
}

std::vector<Row> consumer_rows(const MatrixView& view) {
    std::vector<Row> rows;
    for (const Consumer& consumer : view.matrix.consumers) {
        std::string reads = consumer.reads ? "up to PTX " + consumer.reads->text() : "";
        if (consumer.reads && consumer.reads_basis == Certainty::predicted) reads = k_predicted + reads;
        std::string where = consumer.path.empty() ? consumer.driver.origin.for_people() : consumer.path;
        if (!consumer.used_for.empty()) where += " (" + consumer.used_for + ")";
        where += other_names(consumer.names);
        rows.push_back({view.consumers.at(consumer.id), reads, where});
        if (!consumer.trouble.empty()) rows.push_back({"", "", consumer.trouble});
    }
    return rows;
}

std::string cell_text(const std::string& text, std::size_t width) {
    return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

// "8.8"; for LTO-IR "1.64".
std::size_t version_width(const Matrix& matrix) {
    const bool other = any_of(matrix.cells, [](const Cell& cell) { return cell.ir.has_value(); });
    return other ? 4 : 3;
}

// "✓ accepted", where the terminal shows it.
constexpr std::size_t k_mark_columns = 2;
std::string mark_of(const MatrixView& view, const Cell& cell) {
    if (!view.symbols) return "";
    return cell.outcome == Outcome::accepted  ? "\u2713 "
           : cell.outcome == Outcome::unknown ? "? "
                                              : "\u2717 ";
}
std::size_t cell_width(const MatrixView& view) {
    return std::string("~accepted").size() + (view.symbols ? k_mark_columns : 0);
}

// A producer's line for the columns [first, last).
std::string line_of(const MatrixView& view, const Producer& producer, Arch target, std::size_t name_width,
                    std::size_t first, std::size_t last) {
    std::string ptx, cells;
    for (std::size_t i = first; i < last; ++i) {
        const Consumer& consumer = view.matrix.consumers[i];
        const Cell* cell = cell_of(view.matrix, producer.id, consumer.id, target);
        const std::string text = cell ? text_of(*cell) : "", mark = cell ? mark_of(view, *cell) : "";
        if (cell && cell->ptx) ptx = cell->ptx->text();
        if (cell && cell->ir) ptx = cell->ir->text();
        const std::size_t width = std::max(view.consumers.at(consumer.id).size(), cell_width(view)) -
                                  (mark.empty() ? 0 : k_mark_columns);
        std::string shown = i + 1 < last ? cell_text(text, width) : text;
        if (cell && view.color)
            shown = color_of(cell->outcome) + mark + text + "\x1b[0m" + shown.substr(text.size());
        else
            shown = mark + shown;
        cells += "   " + shown;
    }
    if (cells.find_first_not_of(' ') == std::string::npos) return "";
    return "  " + cell_text(view.producers.at(producer.id), name_width) + "   " +
           cell_text(ptx.empty() ? "-" : ptx, version_width(view.matrix)) + cells + "\n";
}

std::string heading_of(const MatrixView& view, std::size_t name_width, std::size_t first, std::size_t last) {
    std::string line =
        "  " + std::string(name_width, ' ') + "   " + cell_text("PTX", version_width(view.matrix));
    for (std::size_t i = first; i < last; ++i) {
        const std::string& name = view.consumers.at(view.matrix.consumers[i].id);
        line += "   " + (i + 1 < last ? cell_text(name, cell_width(view)) : name);
    }
    return line + "\n";
}

// As many consumers side by side as fit, at least one.
std::size_t columns_that_fit(const MatrixView& view, std::size_t name_width, std::size_t first) {
    std::size_t width = name_width + 8, last = first;
    while (last < view.matrix.consumers.size()) {
        const std::string& name = view.consumers.at(view.matrix.consumers[last].id);
        width += 3 + std::max(name.size(), cell_width(view));
        if (width > (view.width ? view.width : k_line) && last > first) break;
        ++last;
    }
    return last;
}

std::string table_of(const MatrixView& view, const std::vector<Arch>& targets) {
    std::size_t name_width = 0;
    for (const auto& [id, label] : view.producers) name_width = std::max(name_width, label.size());
    std::string text = folded(list_of(targets) + "\n", view.width);
    for (std::size_t first = 0; first < view.matrix.consumers.size();) {
        const std::size_t last = columns_that_fit(view, name_width, first);
        text += heading_of(view, name_width, first, last);
        for (const Producer& producer : view.matrix.producers)
            text += line_of(view, producer, targets.front(), name_width, first, last);
        first = last;
    }
    return text + "\n";
}

// One line of reason: which PTX, which consumer, which targets (unless all), and why.
struct Reason {
    std::string evidence;
    Outcome outcome = Outcome::refused;
    bool predicted = false;
    std::vector<std::string> producers, consumers;
    std::vector<Arch> targets;
    bool all_targets = false;  // of these producers
};

template <typename T>
void add_once(std::vector<T>& all, const T& one) {
    if (!contains(all, one)) all.push_back(one);
}

std::size_t targets_of_producer(const Matrix& matrix, const std::string& id) {
    for (const Producer& producer : matrix.producers)
        if (producer.id == id) return producer.made.size();
    return 0;
}

// Merges two equal lines into one that names `member` of both.
std::vector<Reason> merged(const std::vector<Reason>& reasons, std::vector<std::string> Reason::*member,
                           std::vector<std::string> Reason::*same) {
    std::vector<Reason> all;
    for (const Reason& reason : reasons) {
        auto* known = first_where(all, [&](const Reason& other) {
            return other.evidence == reason.evidence && other.outcome == reason.outcome &&
                   other.all_targets == reason.all_targets &&
                   (other.all_targets || other.targets == reason.targets) && other.*same == reason.*same;
        });
        if (!known) {
            all.push_back(reason);
            continue;
        }
        for (const std::string& one : reason.*member) add_once((*known).*member, one);
    }
    return all;
}

// Merge cells with the same reason: first over targets, then consumers, then producers.
std::vector<Reason> merged_reasons(const Matrix& matrix, std::vector<Reason> reasons) {
    for (Reason& reason : reasons)
        reason.all_targets = reason.targets.size() == targets_of_producer(matrix, reason.producers.front());
    return merged(merged(reasons, &Reason::consumers, &Reason::producers), &Reason::producers,
                  &Reason::consumers);
}

std::vector<Reason> reasons_of(const Matrix& matrix) {
    std::vector<Reason> reasons;
    std::map<std::string, std::size_t> by_pair;
    for (const Cell& cell : matrix.cells) {
        if (cell.outcome == Outcome::accepted) continue;
        const std::string key = cell.producer + "\n" + cell.consumer + "\n" + cell.evidence;
        const auto [known, fresh] = by_pair.emplace(key, reasons.size());
        if (fresh)
            reasons.push_back({cell.evidence,
                               cell.outcome,
                               cell.basis == Certainty::predicted,
                               {cell.producer},
                               {cell.consumer},
                               {}});
        add_once(reasons[known->second].targets, cell.target);
    }
    return merged_reasons(matrix, std::move(reasons));
}

std::string names_text(const std::map<std::string, std::string>& labels,
                       const std::vector<std::string>& ids) {
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "" : ", ") + labels.at(id);
    return text;
}

std::string consumers_text(const MatrixView& view, const Reason& reason) {
    const bool every = reason.consumers.size() == view.matrix.consumers.size() && reason.consumers.size() > 1;
    return every ? "every consumer" : names_text(view.consumers, reason.consumers);
}

std::string reason_line(const MatrixView& view, const Reason& reason) {
    const std::string text = "  " + names_text(view.producers, reason.producers) + " -> " +
                             consumers_text(view, reason) +
                             (reason.all_targets ? "" : " (" + list_of(reason.targets) + ")") + ": " +
                             (reason.predicted ? "predicted: " : "") + line(reason.evidence);
    return folded(text, view.width);
}

std::string reasons_text(const MatrixView& view) {
    const std::vector<Reason> reasons = reasons_of(view.matrix);
    std::string text;
    for (Outcome outcome : {Outcome::refused, Outcome::broken, Outcome::unknown}) {
        std::string lines;
        for (const Reason& reason : reasons)
            if (reason.outcome == outcome) lines += reason_line(view, reason);
        if (!lines.empty()) text += std::string(to_string(outcome)) + "\n" + lines + "\n";
    }
    return text;
}

// nvcc writes its newest version in the header, even if the code does not need it.
std::string notes_text(const MatrixView& view) {
    std::vector<Reason> notes;
    for (const Cell& cell : view.matrix.cells) {
        if (!cell.lowered || cell.lowered->outcome != Outcome::accepted) continue;
        const std::string note =
            "PTX " + cell.ptx->text() + " is accepted with .version " + cell.lowered->version.text();
        auto* known = first_where(notes, [&](const Reason& other) {
            return other.evidence == note && other.producers.front() == cell.producer &&
                   other.consumers.front() == cell.consumer;
        });
        if (!known)
            notes.push_back(
                {note, Outcome::accepted, false, {cell.producer}, {cell.consumer}, {cell.target}});
        else
            add_once(known->targets, cell.target);
    }
    std::string text;
    for (const Reason& note : merged_reasons(view.matrix, std::move(notes))) text += reason_line(view, note);
    return text.empty() ? "" : "works if only the .version line is lowered (measured)\n" + text + "\n";
}

std::string summary_text(const Matrix& matrix) {
    std::map<Outcome, int> outcomes;
    int predicted = 0;
    for (const Cell& cell : matrix.cells) {
        ++outcomes[cell.outcome];
        predicted += cell.basis == Certainty::predicted;
    }
    std::string text;
    for (const auto& [outcome, count] : outcomes)
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + to_string(outcome);
    const int all = static_cast<int>(matrix.cells.size());
    return std::to_string(all) + (all == 1 ? " cell" : " cells") + (text.empty() ? "" : ": " + text) + "; " +
           std::to_string(all - predicted) + " measured, " + std::to_string(predicted) + " predicted" +
           (predicted ? std::string(" (") + k_predicted + ")" : "") + "\n";
}

// A path that does not fit beside the other columns is on a line of its own.
std::string tools_text(const char* title, const std::vector<Row>& rows, std::size_t width) {
    std::string text, end = rows.empty() ? "" : "\n";
    for (const std::string& row : split(section(title, rows), "\n")) {
        const std::size_t path = row.rfind("   ");
        const bool cut = width && row.size() > width && path != npos && path > 0;
        text += cut ? row.substr(0, row.find_last_not_of(' ', path) + 1) + "\n" +
                          folded_line("    " + row.substr(path + 3), 4, width)
                    : row;
        text += "\n";
    }
    return text + end;
}

}  // namespace

std::string matrix_text(const Matrix& matrix, const ReportOptions& options) {
    MatrixView view = view_of(matrix, options.color);
    view.symbols = options.symbols;
    view.width = options.width;
    std::string text = tools_text("producers", producer_rows(view), view.width) +
                       tools_text("consumers", consumer_rows(view), view.width);
    if (!matrix.targets.empty() && !matrix.targets_because.empty())
        text += folded(line("targets: " + list_of(matrix.targets) + " (" + matrix.targets_because + ")"),
                       view.width) +
                "\n";
    for (const std::vector<Arch>& targets : groups_of(matrix)) text += table_of(view, targets);
    text += reasons_text(view) + notes_text(view);
    for (const std::string& remark : matrix.remarks) text += folded(line(remark), view.width);
    return text + summary_text(matrix);
}

}  // namespace ptxguard
