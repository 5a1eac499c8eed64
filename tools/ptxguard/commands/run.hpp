// Shared by `check`, `matrix`, `inspect` and `deps`: each fills a scenario; the rest is the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "commands/deliver.hpp"
#include "commands/settings.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "host/progress.hpp"
#include "judge/judge.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "report/report.hpp"

namespace ptxguard {

class RememberingHost;

struct Run {
    std::unique_ptr<Host> host;  // this machine, or the tree under --root
    Facts facts;
    std::vector<Suppression> suppressions;
    std::unique_ptr<own::Progress> progress;  // ends with finish_run()
    // Set by finish_run(): an error was found, whatever --fail-on and the format make of it.
    bool found_errors = false;
    // Why the exit code is 1 although no finding makes it so; empty = it is not.
    std::string missing = {};
    // The text in which findings are located, if their columns count its bytes.
    std::function<Result<std::string>(const std::string& file)> located_text;
    // What a command adds to its findings before they are reported.
    std::function<void(std::vector<Finding>&)> complete;
};
// `of_machine_named`: the options describe another machine, so nothing of this one is read.
Result<Run> prepare_run(const Settings& settings, bool of_machine_named = false);

// Shows on the progress line how many programs have answered.
void show_counts(const Run& run, Asker& ask);

// What `check` examines: this machine, or the tree under --root (check.cpp).
std::vector<Scenario> look_here(const Run& run, const Settings& settings);

// Judges the scenario, writes the report and returns the exit code.
int finish_run(const char* command, Run& run, const Settings& settings, Scenario scenario);
// The same for a report with more than its scenarios.
int finish_run(const char* command, Run& run, const Settings& settings, Report report);
// Writes a report that has its judgement, and returns the exit code.
int finish_judged(Run& run, const Settings& settings, const Report& report, Print print = own::print);
JudgeOptions judge_options(const Settings& settings, std::vector<Suppression> suppressions);
// Prints "ptxguard COMMAND: ..." and returns the exit code of wrong usage.
int usage_error(const char* command, const Trouble& trouble);

// Reports named toolkits that are not toolkits.
void add_unusable_toolkits(Scenario& scenario);

// Reports the limits that readers of the machine's files reached.
void add_limits(const RememberingHost& host, Scenario& scenario);

// A rule's page without its front matter (explain.cpp).
std::string page_text(const std::string& code);
std::map<std::string, std::string> given_environment(const Settings& settings);  // --env
// The request; with --root, an option may name a path on this machine that is inside the tree.
Request request_for(const Host& host, const Settings& settings);
// The folder for cached answers; empty with --no-cache.
std::string cache_folder(const Settings& settings);
void describe_host(const Host& host, Scenario& scenario);
// The files on the command line, as paths of the checked system, and their scenario.
std::vector<std::string> named_files(const Host& host, const Settings& settings);
// An error for a directory, or a pattern without matches.
std::optional<Trouble> check_files(const Host& host, const Settings& settings);
Scenario scenario_of_files(const Host& host, const Settings& settings);

// A GPU that no table lists is reported in one line, before anything is examined.
std::optional<Trouble> check_gpus(const Settings& settings, const Facts& facts);

}  // namespace ptxguard
