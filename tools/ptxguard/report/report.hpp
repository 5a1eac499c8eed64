// A Judgement with its payload as text or in a machine format. One file per format; report_formats() is the
// table for --format, its help and the dispatch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/diagnosis.hpp"
#include "model/json.hpp"
#include "model/judgement.hpp"
#include "model/matrix.hpp"
#include "model/planned.hpp"
#include "model/scenario.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct Report {
    std::string command;  // "check"
    std::vector<Scenario> scenarios;
    Judgement judgement;
    std::optional<Matrix> matrix;
    std::vector<PlannedSet> sets;            // of plan
    std::optional<Explanation> explanation;  // of explain and run
    // The file of the project at which CI systems show findings that are about none of its files.
    Location root{"ptxguard.toml", 1, 0};
    std::vector<std::string> named = {};  // files of the command line: a finding about one is shown at it
    std::string why_exit = {};  // the exit code is 1 although no finding makes it so: why; empty = it is not
    // Of lint: how many files it read, the line of a place in one of them, how many findings --fix has fixed.
    std::size_t files_read = 0;
    std::function<std::string(const Location&)> source_line = {};
    std::size_t fixed = 0;
};

// "PyTorch>=2.11,<3": a framework or library that find_package() asks for.
struct Component {
    struct Bound {
        std::string relation;  // "==", ">=", "<=", ">", "<"
        Version version;
    };
    std::string text, name;
    std::vector<Bound> bounds;
    bool optional = false;  // of OPTIONAL_COMPONENTS
};

struct ReportOptions {
    std::string configuration;  // the configuration file that was used
    bool color = false;
    bool symbols = false;           // check marks instead of words
    std::size_t width = 0;          // columns; 0 = lines are not wrapped
    std::vector<std::string> show;  // of check: "inventory", "picks", "compiled"
    bool only_findings = false;     // print nothing if there is no finding to show
    bool entries = false;           // of binaries: each entry, not only the summary
    bool quiet = false;             // only warnings, errors, unknown requirements and the verdict
    bool verbose = false;           // everything that was found, and all evidence
    bool brief = false;             // evidence only for errors, two lines each
    bool failed = false;            // the verdict: what is unknown is only counted then
    std::string (*page)(const std::string& code) = nullptr;  // text of a rule's page, for SARIF
    std::string pages = {};                                  // address of the rules' pages; empty = none
    bool planned = false;                                    // a plan follows, with the fixes for errors
    std::vector<Component> components;                       // for cmake_script()
    bool lists_later = false;                                // for cmake_script(): they are judged later
};

struct ReportFormat {
    const char* name;  // "text", "json"
    const char* help;
    bool machine;  // nothing else on stdout, never coloured
    std::string (*write)(const Report&, const ReportOptions&);
    bool exit_zero = false;  // exit code 0 despite findings: its readers treat others as a failed tool
};
const std::vector<ReportFormat>& report_formats();

std::string text_report(const Report& report, const ReportOptions& options);
std::string json_report(const Report& report, const ReportOptions& options);
std::string oneline_report(const Report& report, const ReportOptions& options);
std::string sarif_report(const Report& report, const ReportOptions& options);
std::string junit_report(const Report& report, const ReportOptions& options);
std::string github_report(const Report& report, const ReportOptions& options);
std::string gitlab_report(const Report& report, const ReportOptions& options);
std::string markdown_report(const Report& report, const ReportOptions& options);
std::string html_report(const Report& report, const ReportOptions& options);
// For find_package(CudaConsistent): set() commands with the results, see cmake.cpp.
std::string cmake_script(const Report& report, const ReportOptions& options);
// The errors and warnings as blocks, with the plan if there is one.
std::string findings_text(const Report& report, ReportOptions options);
std::string report_schema();  // JSON schema of json_report()
// The findings of lint as a compiler prints them: place, message, source line, notes.
std::string lint_text(const Report& report, const ReportOptions& options);
// One finding in the README's form, ending in a line break. `consequences`: from consequences_of().
std::string finding_block(const Finding& finding, const ReportOptions& options,
                          const std::string& consequences = "");
// Its headline, of a note in a brief report.
std::string finding_head(const Finding& finding, const ReportOptions& options);
// "CC201 ptx_newer_than_assembler: follows from this"; empty if nothing follows. Such a finding is only shown
// as this text at its cause.
std::string consequences_of(const Finding& cause, const std::vector<Finding>& findings);
// Several causes, or more than one step: one finding is not enough to show what to do.
bool shows_plan(const Judgement& judgement);
// Causes of a log, best first, with the lines that show them.
std::string explanation_text(const Explanation& explanation, const ReportOptions& options);
// For `plan`: a line for each machine, and how to install the first build if all are named together.
std::string sets_text(const std::vector<PlannedSet>& sets, const ReportOptions& options);
std::string plan_text(const std::vector<Plan>& plans, const ReportOptions& options);
// One line per area: what was found to be right, what is wrong, what was not checked.
std::string check_list_text(const std::vector<CheckedArea>& checklist, const ReportOptions& options);
// What was found, selected by options.show or options.verbose: toolkits and components, frameworks, drivers,
// GPUs ("inventory"), the tools of each program ("picks"), test compiles ("compiled").
std::string inventory_text(const Scenario& scenario, const ReportOptions& options);
// The device code of a binary: a line per kind, architecture and PTX version, and which GPUs run it.
std::string binary_text(const BinaryFile& file, bool with_entries);
// Which file the loader resolves each library to, by which rule, and the skipped ones.
std::string trace_text(const LoadTrace& trace);
// Producers by consumers, with one line of reason for each refusal.
std::string matrix_text(const Matrix& matrix, const ReportOptions& options);
// The payload of `inspect` and `deps`: "files".
Json files_json(const Scenario& scenario, const std::string& command, bool with_entries);
Json modules_json(const std::vector<NativeModule>& modules);
// What a build system uses: nvcc, ptxas, ptx_version, architectures_ok, frameworks, findings, first, later,
// inputs.
Json build_json(const Scenario& scenario, const Judgement& judgement);
// "2 errors, 1 warning"; empty = none. `following`: findings whose cause is among the errors.
std::string counts_text(const Counts& counts, int following = 0, int ignored = 0);
// "fail (1 error, 1 that follows from it)", "ok, 2 notes": a consequence of an error is not a separate cause.
std::string verdict_text(const Judgement& judgement);

}  // namespace ptxguard
