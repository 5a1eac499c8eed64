// Assignments of plain values in a Python file (torch/version.py, TensorFlow's build_info.py), read without
// Python. Expressions are not computed: a value that is not a literal is `other`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxguard {

struct PythonValue {
    enum class Kind { none, boolean, number, text, list, other };
    Kind kind = Kind::other;
    bool truth = false;              // of boolean
    std::string text;                // of text; the number as written
    std::vector<PythonValue> items;  // of list (a tuple, too)
    int line = 0;

    bool is_text() const { return kind == Kind::text; }
    bool is_none() const { return kind == Kind::none; }
};

struct PythonAssignment {
    std::string name;
    PythonValue value;
    // Keys and values of a dict, or of the ('key', value) tuples of an OrderedDict([...]).
    std::vector<std::pair<std::string, PythonValue>> pairs;
    int line = 0;

    const PythonValue* find(std::string_view key) const;  // the last one with that key
};

// Module-level `name = value` and `name: type = value`, in order; a name may occur twice. Never fails: omits
// what it cannot read.
std::vector<PythonAssignment> read_python_assignments(std::string_view text);
// The last value of that name; null = none.
const PythonValue* value_of(const std::vector<PythonAssignment>& assignments, std::string_view name);

}  // namespace ptxguard
