// Runs a program to get its version.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "ask/questions.hpp"
#include "model/origin.hpp"
#include "model/toolkit.hpp"
#include "model/version.hpp"

namespace ptxguard {

// PROGRAM --version. The answer is kept only if the program is what its name says: a script, or a link to
// another program (ccache), runs one that we do not see.
Question version_question(const Host& host, const std::string& program,
                          std::vector<std::string> arguments = {"--version"});

struct SaidVersion {
    Known<Version> version;
    std::string trouble;  // why there is no version
    PartFault fault = PartFault::none;
};
// The number after `marker`; without a marker, the whole output.
SaidVersion said_version(const Question& question, const Answer& answer, const std::string& marker);
constexpr const char* k_cuda_marker = ", V";  // "Cuda compilation tools, release 13.0, V13.0.88"
// Adds the question and passes the result to `take`.
void ask_version(const Host& host, const std::string& program, const std::string& marker,
                 Questions& questions, std::function<void(const SaidVersion&)> take);
// `version` is unchanged if the program prints none.
void ask_version(const Host& host, const std::string& program, const std::string& marker,
                 Questions& questions, Known<Version>& version);

}  // namespace ptxguard
