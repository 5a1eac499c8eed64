// Edit distance with swaps (optimal string alignment), three rows at a time.
// SPDX-License-Identifier: Apache-2.0
#include "model/spelling.hpp"

#include <algorithm>

namespace ptxguard {

int edit_distance(std::string_view a, std::string_view b) {
    std::vector<int> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = static_cast<int>(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            int replace = previous[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = std::min({replace, previous[j] + 1, row[j - 1] + 1});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        before.swap(previous);
        previous.swap(row);
    }
    return previous[b.size()];
}

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
    std::string nearest;
    // One number is no misspelling of another.
    if (std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) return nearest;
    int best = std::max(1, static_cast<int>(word.size()) / 3) + 1;
    for (const std::string& candidate : known) {
        int distance = edit_distance(word, candidate);
        if (distance < best) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
    std::string nearest = nearest_word(word, known);
    return nearest.empty() ? "" : ", did you mean '" + nearest + "'?";
}

}  // namespace ptxguard
