// Releases as Python's packages number them (PEP 440): 1!2.0, v1.0, 2.0.0a1, 2.8.0.dev1, 1.0-1,
// 1.0.post1+cu118. model/version.hpp has only numbers: it does not order post-releases and local versions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

struct PythonRelease {
    int epoch = 0;
    std::vector<int> numbers;
    int pre = 0;  // 1 a, 2 b, 3 rc; 0 = none
    int pre_number = 0;
    int post = -1, dev = -1;  // -1 = none
    std::string local;        // "cu121", lower case

    bool is_prerelease() const { return pre != 0 || dev >= 0; }
    int at(std::size_t i) const { return i < numbers.size() ? numbers[i] : 0; }
};
// Nothing for a text that pip and uv do not accept as a version.
std::optional<PythonRelease> parse_python_release(std::string_view text);

// Without their local versions: the order in which pip prefers releases.
int compare_public(const PythonRelease& a, const PythonRelease& b);
// The same for texts; one that is no version is the oldest.
bool is_older_release(std::string_view a, std::string_view b);

}  // namespace ptxguard
