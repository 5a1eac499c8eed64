// A rule's code. The constants (CC001 ...) are in rule_codes.hpp, which judge/rule_table.cmake makes from the
// folders of judge/rules: the code of a rule that does not exist does not compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ptxguard {

class RuleCode {
public:
    constexpr RuleCode(const char (&none)[1]) : m_text(none) {}  // "": no rule
    constexpr explicit RuleCode(const char* text) : m_text(text) {}
    constexpr operator const char*() const { return m_text; }
    constexpr operator std::string_view() const { return m_text; }

    friend bool operator==(std::string_view text, RuleCode code) { return text == code.m_text; }
    friend bool operator!=(std::string_view text, RuleCode code) { return text != code.m_text; }

private:
    const char* m_text;
};

}  // namespace ptxguard
