// `ptxguard deps FILE...`: which file the loader uses for each NVIDIA library that a binary needs, and why.
// Runs and loads nothing.
// SPDX-License-Identifier: Apache-2.0

#include "commands/command.hpp"
#include "commands/run.hpp"
#include "host/remembering_host.hpp"
#include "load/elsewhere.hpp"
#include "load/load.hpp"
#include "model/ranges.hpp"
#include "packages/python.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

void add_new(std::vector<std::string>& all, const std::string& one) {
    if (!one.empty() && !contains(all, one)) all.push_back(one);
}

std::vector<std::string> folders_of_python(const Host& host, const Settings& settings, Scenario& scenario) {
    std::vector<std::string> folders;
    find_python(host, request_for(host, settings), scenario);
    for (const SitePlace& place : scenario.python.places) add_new(folders, place.folder);
    return folders;
}

// --python if given; otherwise the packages next to the files.
std::vector<std::string> site_packages(const Host& host, const Settings& settings,
                                       const std::vector<std::string>& paths, Scenario& scenario) {
    if (settings.has("python")) return folders_of_python(host, settings, scenario);
    std::vector<std::string> folders;
    for (const std::string& path : paths)
        if (const auto real = host.real_path(path)) add_new(folders, site_above(host, *real));
    return folders;
}

// An extension in a build folder has no packages next to it: use those of the active Python.
void trace_with_python(const Host& host, const Facts& facts, const Settings& settings, LoadOptions options,
                       Scenario& scenario) {
    const auto lacks_package = [](const LoadTrace& trace) { return !trace.missing_package.empty(); };
    if (settings.has("python") || none_of(scenario.traces, lacks_package)) return;
    for (const std::string& folder : folders_of_python(host, settings, scenario))
        add_new(options.site_packages, folder);
    for (LoadTrace& trace : scenario.traces) {
        if (!lacks_package(trace)) continue;
        if (auto again = trace_file(host, facts, trace.path, options)) trace = std::move(*again);
    }
}

Scenario trace_files(const Host& machine, const Facts& facts, const Settings& settings) {
    const RememberingHost host(machine);
    Scenario scenario = scenario_of_files(host, settings);
    const std::vector<std::string> paths = named_files(host, settings);
    LoadOptions options;
    options.all_libraries = settings.has("all");
    options.all_missing = true;
    options.count_undefined = settings.has("undefined");
    options.count_nvidias = options.of_loaded_only = !options.count_undefined;
    if (settings.has("host-exe")) options.host_folder = judged_path(host, settings.one("host-exe"));
    options.site_packages = site_packages(host, settings, paths, scenario);
    trace_loading(host, facts, paths, options, scenario);
    trace_with_python(host, facts, settings, options, scenario);
    if (scenario.system == System::linux_)
        for (LoadTrace& trace : scenario.traces) find_in_sites(host, facts, options.site_packages, trace);
    add_limits(host, scenario);
    return scenario;
}

bool is_windows_file(const Host& host, const std::string& path) {
    auto source = host.open(path);
    return source && read_bytes(*source, 0, 2) == "MZ";
}

// Windows files on another system are checked as if this machine's files were a Windows tree.
Settings with_system(Settings settings) {
    auto machine = real_host();
    if (settings.has("root") || machine->system() == System::windows) return settings;
    const std::vector<std::string>& files = settings.arguments;
    if (!all_of(files, [&](const std::string& path) { return is_windows_file(*machine, path); }))
        return settings;
    const Origin origin = Origin::from_option("--os");
    settings.options["root"] = {{"/"}, origin};
    settings.options["os"] = {{to_string(System::windows)}, origin};
    return settings;
}

}  // namespace

int run_deps(const Settings& given) {
    const Settings settings = with_system(given);
    if (settings.arguments.empty())
        return usage_error("deps", {"FILE", "is missing", "name the binaries to look at"});
    auto run = prepare_run(settings);
    if (!run) return usage_error("deps", run.trouble());
    if (auto trouble = check_files(*run->host, settings)) return usage_error("deps", *trouble);
    run->progress->say("tracing libraries");
    return finish_run("deps", *run, settings, trace_files(*run->host, run->facts, settings));
}

}  // namespace ptxguard
