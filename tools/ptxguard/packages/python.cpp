// SPDX-License-Identifier: Apache-2.0
#include "packages/python.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

using Found = std::optional<PythonEnvironment>;

Found environment_of(const Host& host, const std::optional<PythonLayout>& layout, const std::string& path,
                     const std::string& because) {
    if (!layout) return std::nullopt;
    PythonEnvironment python{path, because, layout->prefix, "", {}};
    if (layout->versions.size() == 1) python.version = layout->versions.front();
    python.places = with_added_paths(host, site_folders(host, *layout));
    if (!isolated_build(host).empty()) python.prefix.clear();
    return python;
}

// An environment that uvx, pipx or pre-commit made to run ptxguard in: not the project's.
bool only_for_ptxguard(const Host& host, const PythonEnvironment& python) {
    bool ours = false;
    for (const SitePlace& place : python.places) {
        const auto entries = host.list(place.folder);
        if (!entries) continue;
        for (const DirectoryEntry& entry : *entries) {
            const std::string package = package_of_record(entry.name);
            if (package.empty()) continue;
            if (package == "pip" || package == "setuptools" || package == "wheel") continue;
            if (!starts_with(package, "ptxguard")) return false;
            ours = true;
        }
    }
    return ours && is_file(host, join_path(python.prefix, "pyvenv.cfg"));
}

std::string absolute(const Host& host, const std::string& path) {
    if (is_absolute(path, host.system())) return path;
    return normal_path(join_path(current_folder(host), path), host.system());
}

// .venv beside the nearest pyproject.toml that has one; a member of a workspace uses the workspace's.
std::string project_environment(const Host& host) {
    std::string folder = current_folder(host);
    while (is_absolute(folder, host.system())) {
        const std::string environment = join_path(folder, ".venv"), above = parent_path(folder);
        if (is_file(host, join_path(folder, "pyproject.toml")) &&
            is_file(host, join_path(environment, "pyvenv.cfg")))
            return environment;
        if (above == folder || host.status(join_path(folder, ".git")).type != FileType::missing) break;
        folder = above;
    }
    return {};
}

struct Candidate {
    std::string name, prefix;
};

std::vector<Candidate> environments(const Host& host, bool isolated) {
    const auto variable = [&](const char* name) { return Candidate{name, host.env(name).value_or("")}; };
    std::vector<Candidate> found{variable("VIRTUAL_ENV"), variable("CONDA_PREFIX")};
    const std::string conda = host.env("CONDA_DEFAULT_ENV").value_or("");
    const std::string own = isolated ? std::string() : project_environment(host);
    const Candidate project{own.empty() ? "" : "beside " + join_path(parent_path(own), "pyproject.toml"),
                            own};
    found.insert(conda == "base" || conda == "root" ? found.begin() + 1 : found.end(), project);
    return found;
}

Found on_path(const Host& host, const std::vector<std::string>& names, const char* because) {
    Found older;
    for (const PathProgram& program : programs_on_path(host, names)) {
        const std::string& folder = program.at.folder;
        if (!is_absolute(folder, host.system()) || lower(file_name(folder)) == "windowsapps") continue;
        const auto layout = layout_of_interpreter(host, program.path);
        const bool old = layout && layout->versions.size() == 1 && starts_with(layout->versions[0], "2.");
        if (!layout || (old && older)) continue;
        Found found = environment_of(host, layout, program.path, because);
        if (found && only_for_ptxguard(host, *found)) continue;
        if (!old) return found;
        older = std::move(found);
    }
    return older;
}

// A bare name without such a file is a program on PATH.
PythonEnvironment named(const Host& host, const std::string& value, Scenario& scenario) {
    constexpr const char* because = "--python";
    const std::string path = absolute(host, judged_path(host, value));
    const FileType type = host.status(path).type;
    std::string why = why_no_file(type);
    Found found;
    if (type == FileType::regular) {
        found = environment_of(host, layout_of_interpreter(host, path), path, because);
    } else if (type == FileType::directory) {
        const std::string name = lower(file_name(path));
        if (name != "site-packages" && name != "dist-packages")
            found = environment_of(host, layout_of_prefix(host, path), path, because);
        if (!found) found = PythonEnvironment{path, because, "", "", with_added_paths(host, {path})};
    } else if (value.find_first_of("/\\") == std::string::npos) {
        found = on_path(host, {value}, because);
        why = "is neither a file, a folder nor a program on PATH";
    }
    if (found) return *found;
    scenario.unreadable.push_back({"--python " + value, why, true, Origin::from_option("--python")});
    return {"", because, "", "", {}};
}

PythonEnvironment unnamed(const Host& host, bool isolated) {
    std::string passed_over;
    for (const Candidate& one : environments(host, isolated)) {
        if (one.prefix.empty()) continue;
        const std::string prefix = absolute(host, one.prefix);
        const auto found =
            environment_of(host, layout_of_prefix(host, prefix), prefix, one.name + passed_over);
        const bool ours = found && only_for_ptxguard(host, *found);
        if (found && !ours) return *found;
        passed_over +=
            " (" + one.name + (ours ? " contains only ptxguard: " : " is not a Python: ") + one.prefix + ")";
    }
    const bool windows = host.system() == System::windows;
    auto found = on_path(host, {windows ? "python" : "python3", windows ? "python3" : "python"}, "PATH");
    if (!found) found.emplace();
    found->because += passed_over;
    return *found;
}

}  // namespace

void find_python(const Host& host, const Request& request, Scenario& scenario) {
    if (!request.python.empty()) {
        scenario.python = named(host, request.python, scenario);
        scenario.python.named = true;
        return;
    }
    scenario.python = unnamed(host, request.isolated);
    const std::string build = isolated_build(host);
    if (!build.empty() && !scenario.python.path.empty())
        scenario.python.because += " (an isolated build: only packages in " + build + ")";
}

}  // namespace ptxguard
