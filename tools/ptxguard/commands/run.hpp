// What `check`, `matrix`, `inspect` and `deps` have in common: each fills a scenario, and the rest is the
// same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/settings.hpp"
#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/scenario.hpp"
#include "report/report.hpp"

namespace ptxguard {

struct Run {
    std::unique_ptr<Host> host;  // this machine, or the tree under --root
    Facts facts;
    std::vector<Suppression> suppressions;
};
Result<Run> prepare_run(const Settings& settings);

// Judges the scenario, writes the report and says the exit code.
int finish_run(const char* command, Run& run, const Settings& settings, Scenario scenario);
// The same for a report that holds more than its scenarios.
int finish_run(const char* command, Run& run, const Settings& settings, Report report);
// Writes what was asked for to the file of -o, with `text` on standard output beside it; without -o to
// standard output.
std::optional<Trouble> write_report(const Settings& settings, const std::string& asked,
                                    const std::string& text);
// Prints "ptxguard COMMAND: ..." and says the exit code of wrong usage.
int usage_error(const char* command, const Trouble& trouble);

std::map<std::string, std::string> given_environment(const Settings& settings);  // --env
// The request; under --root an option may name a place of this machine that lies inside the tree.
Request request_for(const Host& host, const Settings& settings);
void describe_host(const Host& host, Scenario& scenario);
// The files that the command line names, as paths of the judged system, and the scenario that they go to.
std::vector<std::string> named_files(const Host& host, const Settings& settings);
Scenario scenario_of_files(const Host& host, const Settings& settings);

}  // namespace ptxguard
