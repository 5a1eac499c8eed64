// Facts in the words of a case, checked with the real rules and tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/judge.hpp"

const ptxguard::Facts& tables();  // read once
ptxguard::Scenario scenario_of_lines(const std::vector<std::string>& lines);
ptxguard::Judgement judged(const std::vector<std::string>& lines);
// The first finding of that code; null if there is none.
const ptxguard::Finding* find(const ptxguard::Judgement& judgement, const std::string& code);
std::vector<std::string> texts(const std::vector<ptxguard::Fix>& fixes);
