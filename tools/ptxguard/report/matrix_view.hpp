// A matrix as shown in reports: names of tools, targets with equal results, cells. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/matrix.hpp"

namespace ptxguard {

constexpr const char* k_predicted = "~";

struct MatrixView {
    const Matrix& matrix;
    std::map<std::string, std::string> producers, consumers;  // id -> "nvcc 13.0.88", "nvcc 13.0.88 #2"
    bool color = false;
    bool symbols = false;   // marks before the words
    std::size_t width = 0;  // columns; 0 = not known
};
MatrixView view_of(const Matrix& matrix, bool color = false);

std::string text_of(const Cell& cell);  // "accepted", "~refused"
std::string list_of(const std::vector<Arch>& archs);
// Targets whose tables are equal, in the order of their first one.
std::vector<std::vector<Arch>> groups_of(const Matrix& matrix);
const Cell* cell_of(const Matrix& matrix, const std::string& producer, const std::string& consumer,
                    Arch target);

}  // namespace ptxguard
