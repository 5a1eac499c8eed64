// SPDX-License-Identifier: Apache-2.0
#include "report/matrix_view.hpp"

#include "model/ranges.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

// "nvcc 13.0.88", or "nvcc 13.0.88 #2" if there are several.
template <typename Tool>
std::map<std::string, std::string> labels_of(const std::vector<Tool>& tools) {
    std::map<std::string, int> count, seen;
    for (const Tool& tool : tools) ++count[visible(name_of(tool))];
    std::map<std::string, std::string> labels;
    for (const Tool& tool : tools) {
        const std::string name = visible(name_of(tool));
        labels[tool.id] = count[name] > 1 ? name + " #" + std::to_string(++seen[name]) : name;
    }
    return labels;
}

// Everything that a table shows about one target.
std::string signature_of(const Matrix& matrix, Arch target) {
    std::string text;
    for (const Cell& cell : matrix.cells)
        if (cell.target == target)
            text += cell.producer + " " + cell.consumer + " " +
                    (cell.ptx  ? cell.ptx->text()
                     : cell.ir ? cell.ir->text()
                               : "") +
                    " " + text_of(cell) + "\n";
    return text;
}

}  // namespace

MatrixView view_of(const Matrix& matrix, bool color) {
    return {matrix, labels_of(matrix.producers), labels_of(matrix.consumers), color};
}

std::string text_of(const Cell& cell) {
    if (cell.outcome == Outcome::unknown && cell.basis == Certainty::measured && !cell.ptx) return "no PTX";
    return (cell.basis == Certainty::predicted ? k_predicted : "") + std::string(to_string(cell.outcome));
}

std::string list_of(const std::vector<Arch>& archs) {
    std::string text;
    for (Arch arch : archs) text += (text.empty() ? "" : ", ") + arch.sm();
    return text;
}

std::vector<std::vector<Arch>> groups_of(const Matrix& matrix) {
    std::vector<Arch> all = matrix.targets;
    for (const Cell& cell : matrix.cells)
        if (!contains(all, cell.target)) all.push_back(cell.target);
    std::vector<std::pair<std::string, std::vector<Arch>>> groups;
    for (Arch target : all) {
        const std::string signature = signature_of(matrix, target);
        if (signature.empty()) continue;
        auto* known = first_where(groups, [&](const auto& group) { return group.first == signature; });
        if (!known)
            groups.push_back({signature, {target}});
        else
            known->second.push_back(target);
    }
    std::vector<std::vector<Arch>> archs;
    for (auto& group : groups) archs.push_back(std::move(group.second));
    return archs;
}

const Cell* cell_of(const Matrix& matrix, const std::string& producer, const std::string& consumer,
                    Arch target) {
    for (const Cell& cell : matrix.cells)
        if (cell.producer == producer && cell.consumer == consumer && cell.target == target) return &cell;
    return nullptr;
}

}  // namespace ptxguard
