// A Judgement with its payload as text for people or for machines. One file per format; report_formats() is the table
// that feeds --format, its help and the dispatch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/json.hpp"
#include "model/judgement.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

struct Report {
    std::string command;                    // "check"
    std::vector<Scenario> scenarios;
    Judgement judgement;
    std::vector<std::string> not_checked;   // what could not be decided, one line each
    double milliseconds = 0;
};

struct ReportOptions {
    bool color = false;
    int width = 100;
};

struct ReportFormat {
    const char* name;     // "text", "json"
    const char* help;
    std::string (*write)(const Report&, const ReportOptions&);
};
const std::vector<ReportFormat>& report_formats();

std::string text_report(const Report& report, const ReportOptions& options);
std::string json_report(const Report& report, const ReportOptions& options);
// One finding in the form of the README: used by the text report and, without colour, by the CMake module.
std::string finding_block(const Finding& finding, const ReportOptions& options);

}  // namespace ptxguard
