// What the messages of a log say, for the rules that judge logs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The messages that show one of these causes, in the order of the log.
std::vector<const LogMessage*> messages_with(const Scenario& scenario,
                                             std::initializer_list<const char*> causes);
// "line 12" and its text.
Evidence evidence_of(const LogMessage& message);

const Expectation* framework_of_log(const Scenario& scenario);  // null: it names none, or several
std::string program_of_log(const Scenario& scenario);           // "PyTorch 2.5.1"; "the program" without one

std::string search_variable(const Scenario& scenario);  // "LD_LIBRARY_PATH", on Windows "PATH"
// "remove the folder of cuDNN 8.2.4 from LD_LIBRARY_PATH"
Fix leave_out_fix(const Scenario& scenario, const std::string& library, const Version& release);

// The nvcc that the log names; null = none.
const Part* nvcc_of_log(const Scenario& scenario);
// "nvcc 12.6.85" if the log names it and it writes this PTX, else "nvcc 12.5 or 12.6"; empty = not known.
std::string compiler_of(const Scenario& scenario, const Facts& facts, PtxVersion made);
// "ptxas 12.2"; "ptxas" if no release is known whose ptxas reads up to this version.
std::string assembler_of(const Facts& facts, PtxVersion read);

}  // namespace ptxguard
