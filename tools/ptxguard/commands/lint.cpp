// `ptxguard lint [PATH...]`: the CUDA stack that recipes (Dockerfiles, requirements, workflows ...) would
// create. Runs and downloads nothing.
// SPDX-License-Identifier: Apache-2.0
#include "commands/command.hpp"
#include "commands/linting.hpp"
#include "commands/run.hpp"

namespace ptxguard {

int run_lint(const Settings& settings) {
    auto run = prepare_run(settings);
    if (!run) return usage_error("lint", run.trouble());
    std::vector<std::string> paths = settings.arguments;
    if (paths.empty()) paths = {"."};
    for (const std::string& path : paths)
        if (run->host->status(path).type == FileType::missing)
            return usage_error("lint", {path, "does not exist", ""});
    run->progress->say("reading recipes");
    Linting linting(*run->host);
    for (const std::string& path : paths) linting.read(path);
    for (const Suppression& one : linting.suppressions()) run->suppressions.push_back(one);
    Report report;
    report.scenarios = linting.scenarios(run->facts);
    return finish_run("lint", *run, settings, std::move(report));
}

}  // namespace ptxguard
