// A condition that may be open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ptxguard {

enum class Truth { no, yes, unknown };

inline Truth truth(bool yes) { return yes ? Truth::yes : Truth::no; }
inline Truth opposite(Truth value) { return value == Truth::unknown ? value : truth(value == Truth::no); }
inline Truth both(Truth a, Truth b) {
    if (a == Truth::no || b == Truth::no) return Truth::no;
    return a == Truth::unknown || b == Truth::unknown ? Truth::unknown : Truth::yes;
}
inline Truth either(Truth a, Truth b) { return opposite(both(opposite(a), opposite(b))); }

}  // namespace ptxguard
