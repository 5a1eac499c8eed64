// Parts of a rule's page, which begins with a heading and what the rule checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard {

// As one line; empty if the page has none.
std::string first_paragraph(const std::string& page);
// The same, without marks of code; what follows a colon at its end is a list or table.
std::string first_sentence(const std::string& page);

}  // namespace ptxguard
