// `ptxguard inspect FILE...`: the device code in binaries, and whether the named GPUs would run it. Only
// reads the files; runs and loads nothing.
// SPDX-License-Identifier: Apache-2.0
#include "inspect/inspect.hpp"

#include "commands/command.hpp"
#include "commands/run.hpp"
#include "discover/discover.hpp"
#include "host/paths.hpp"
#include "judge/loading_questions.hpp"

namespace ptxguard {
namespace {

std::string driver_name(const Driver& driver) {
    if (driver.version) return "driver " + driver.version->text;
    return driver.cuda ? "a driver of CUDA " + driver.cuda->text : driver.id;
}

// One answer per GPU, or per GPU and driver if several drivers are named.
void ask_gpus(BinaryFile& file, const Scenario& scenario, const Facts& facts) {
    for (const Gpu& gpu : scenario.gpus) {
        if (scenario.drivers.empty()) file.runs_on.push_back(runs_on(file, gpu, nullptr, scenario, facts));
        for (const Driver& driver : scenario.drivers) {
            RunsOn answer = runs_on(file, gpu, &driver, scenario, facts);
            if (scenario.drivers.size() > 1) answer.gpu += ", " + driver_name(driver);
            file.runs_on.push_back(std::move(answer));
        }
    }
}

void extract_code(const Host& host, const Settings& settings, const std::vector<std::string>& paths,
                  Scenario& scenario) {
    if (!settings.has("extract")) return;
    const std::string sm = settings.one("extract"), folder = settings.one("to");
    Extracted so_far;
    for (const std::string& path : paths) {
        auto written = extract(host, path, sm, folder, so_far);
        if (!written) {
            const Trouble trouble = written.trouble();
            const std::string why = trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
            scenario.unreadable.push_back(
                {"--extract: " + trouble.subject, why, true, Origin::from_option("--extract")});
            continue;
        }
        for (BinaryFile& file : scenario.binaries)
            if (file.path == path)
                file.remarks.push_back("code for " + sm + ": " + std::to_string(written->size()) +
                                       " files in " + folder);
    }
}

Scenario look(const Host& host, const Facts& facts, const Settings& settings) {
    Scenario scenario = scenario_of_files(host, settings);
    const std::vector<std::string> paths = named_files(host, settings);
    declare_drivers_and_gpus(host, facts, request_for(host, settings), scenario);
    InspectOptions options;
    options.deep = settings.has("deep");
    inspect(host, facts, paths, options, scenario);
    extract_code(host, settings, paths, scenario);
    for (BinaryFile& file : scenario.binaries) {
        if (!scenario.gpus.empty()) file.kinds = fatbin_kinds(file.entries);
        ask_gpus(file, scenario, facts);
    }
    return scenario;
}

}  // namespace

int run_inspect(const Settings& settings) {
    if (settings.arguments.empty())
        return usage_error("inspect", {"FILE", "is missing", "name the binaries to look at"});
    if (settings.has("extract") != settings.has("to"))
        return usage_error("inspect", settings.has("to") ? Trouble{"--to", "needs --extract SM", ""}
                                                         : Trouble{"--extract", "needs --to DIR", ""});
    auto run = prepare_run(settings);
    if (!run) return usage_error("inspect", run.trouble());
    run->progress->say("reading the files");
    return finish_run("inspect", *run, settings, look(*run->host, run->facts, settings));
}

}  // namespace ptxguard
