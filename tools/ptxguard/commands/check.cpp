// `ptxguard check`: examine the machine, judge, report.
// SPDX-License-Identifier: Apache-2.0
#include "commands/command.hpp"
#include "commands/constraints.hpp"
#include "commands/places.hpp"
#include "commands/run.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/remembering_host.hpp"
#include "model/ranges.hpp"
#include "model/say.hpp"
#include "model/text.hpp"
#include "recipes/builds/cuda_project.hpp"
#include "runtime/machine.hpp"

namespace ptxguard {
namespace {

// The files of --module; a missing one is reported.
std::vector<std::string> named_modules(const Host& host, const Settings& settings, Scenario& scenario) {
    std::vector<std::string> paths;
    for (const std::string& value : settings.all("module")) {
        const auto real = host.real_path(judged_path(host, value));
        if (real && is_file(host, *real))
            paths.push_back(*real);
        else
            scenario.unreadable.push_back(
                {"--module " + value, "is not a file", true, Origin::from_option("--module")});
    }
    return paths;
}

Scenario scenario_of_machine(const Host& host, const Settings& settings, const Request& request) {
    Scenario scenario;
    scenario.name = settings.has("root") ? settings.one("root") : "this machine";
    describe_host(host, scenario);
    scenario.probe_mode = request.probe_mode;
    scenario.require = request.require;
    scenario.search_path_known = !host.foreign() || given_environment(settings).count("PATH") != 0;
    return scenario;
}

// A build of the project in the working folder. CMake asks about its own.
void ask_for_project(const Host& host, const Settings& settings, Request& request) {
    if (settings.has("from-cmake") || request.isolated) return;
    request.project = recipes::cuda_project_in(host, current_folder(host));
}

}  // namespace

std::vector<Scenario> look_here(const Run& run, const Settings& settings) {
    const RememberingHost host(*run.host);
    Asker ask(host, cache_folder(settings));
    show_counts(run, ask);
    Request request = request_for(host, settings);
    ask_for_project(host, settings, request);
    Scenario scenario = scenario_of_machine(host, settings, request);
    if (names_places(settings)) return look_at_places(ask, run.facts, settings, request, std::move(scenario));
    MachineOptions options;
    options.modules = named_modules(host, settings, scenario);
    if (settings.has("host-exe")) options.host_folder = judged_path(host, settings.one("host-exe"));
    options.say = [&](const char* what) { run.progress->say(what); };
    look_at_machine(ask, run.facts, request, options, scenario);
    if (!settings.has("from-cmake")) add_unusable_toolkits(scenario);
    add_limits(host, scenario);
    return {std::move(scenario)};
}

namespace {

// Where environments are, as patterns: of images, of conda below home folders, of Windows' installer.
std::vector<std::string> folders_of_environments(System system) {
    if (system == System::windows) {
        std::vector<std::string> patterns = {"C:/Py*", "C:/venv", "C:/.venv", "C:/*/venv", "C:/*/.venv"};
        for (const char* home : {"C:/ProgramData", "C:/Users/*", "C:"})
            for (const char* conda : {"miniconda3", "anaconda3", "miniforge3", "mambaforge"}) {
                const std::string root = join_path(home, conda);
                append(patterns, {root, join_path(root, "envs/*")});
            }
        append(patterns, {"C:/Users/*/.conda/envs/*", "C:/Users/*/AppData/Local/Programs/Python/Python*",
                          "C:/Users/*/*/venv", "C:/Users/*/*/.venv", "C:/Users/*/venv"});
        return patterns;
    }
    std::vector<std::string> patterns = {"/venv", "/.venv"};
    for (const char* folder : {"/app", "/code", "/workspace", "/src", "/srv", "/opt", "/root", "/usr/local",
                               "/usr/src/app", "/home/*"})
        append(patterns, {folder, join_path(folder, "*"), join_path(folder, ".venv")});
    for (const char* home : {"/root", "/home/*", "/opt", ""})
        for (const char* conda : {"miniconda3", "anaconda3", "miniforge3", "mambaforge", "conda", ".conda",
                                  "micromamba", ".local/share/mamba"})
            patterns.push_back(SAY("{}/{}/envs/*", home, conda));
    return patterns;
}

// '*' in any component.
std::vector<std::string> folders_matching(const Host& host, const std::string& pattern) {
    std::vector<std::string> found = {starts_with(pattern, "/") ? "/" : ""};
    for (const std::string& part : split(pattern, "/")) {
        std::vector<std::string> next;
        for (const std::string& folder : found) {
            if (part.find('*') == std::string::npos)
                next.push_back(folder.empty() ? part : join_path(folder, part));
            else
                for (const DirectoryEntry& one : entries_in(host, folder))
                    if (one.type == FileType::directory && matches_pattern(one.name, part))
                        next.push_back(join_path(folder, one.name));
        }
        found = std::move(next);
    }
    return found;
}

// The variables of an image that select its Python are not in its tree.
void name_environments(const Host& host, const Settings& settings, const std::vector<Scenario>& scenarios) {
    if (!settings.has("root") || settings.has("python") || scenarios.size() != 1 ||
        !scenarios.front().expectations.empty())
        return;
    std::vector<std::string> said;
    for (const std::string& pattern : folders_of_environments(host.system()))
        for (const std::string& folder : folders_matching(host, pattern))
            for (const char* sign : {"pyvenv.cfg", "conda-meta/history", "python.exe"}) {
                const bool is_sign = host.system() == System::windows || !ends_with(sign, ".exe");
                if (!is_sign || contains(said, folder) || !is_file(host, join_path(folder, sign))) continue;
                said.push_back(folder);
                own::complain("ptxguard check: a Python environment is in " + folder + ": --python " +
                              folder);
            }
}

}  // namespace

int run_check(const Settings& settings) {
    auto run = prepare_run(settings);
    if (!run) return usage_error("check", run.trouble());
    Report report;
    report.scenarios = look_here(*run, settings);
    name_environments(*run->host, settings, report.scenarios);
    std::vector<std::string> constraints;
    if (settings.has("constraints"))
        constraints = installed_constraints(*run->host, report.scenarios.front());
    const int code = finish_run("check", *run, settings, std::move(report));
    return write_constraints(settings, constraints, run->found_errors, code);
}

}  // namespace ptxguard
