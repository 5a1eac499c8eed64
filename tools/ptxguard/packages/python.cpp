// SPDX-License-Identifier: Apache-2.0
#include "packages/python.hpp"

#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/version.hpp"
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
        for (const DirectoryEntry& entry : entries_in(host, place.folder)) {
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

// A virtual environment's folder of packages, if its Python sees the system's, too.
Found seeing_the_system(const Host& host, const std::string& folder, const char* because) {
    const std::string above = parent_path(parent_path(folder));
    for (const std::string& prefix : {parent_path(above), above}) {
        const auto layout = layout_of_prefix(host, prefix);
        if (!layout || !layout->is_virtual || !layout->sees_system) continue;
        if (auto found = environment_of(host, layout, folder, because)) return found;
    }
    return {};
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
        found = name != "site-packages" && name != "dist-packages"
                    ? environment_of(host, layout_of_prefix(host, path), path, because)
                    : seeing_the_system(host, path, because);
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

// A `python` on PATH may be a script: pyenv's shims select by PYENV_VERSION, .python-version and the global
// version file; other wrappers usually end in `exec /path/to/python "$@"`.

namespace {

constexpr Limit k_most_wrappers{5, "wrappers of a Python in each other", "deeper ones"};
constexpr std::size_t k_script_limit = 64u << 10;

std::string first_word(const Host& host, const std::string& path) {
    const auto text = read_text(host, path, k_script_limit);
    if (!text) return {};
    for (const std::string_view line : lines_of(*text)) {
        const auto words = split(line, " \t:");
        if (!words.empty() && words.front()[0] != '#') return words.front();
    }
    return {};
}

// What `pyenv version-name` would print.
std::string pyenv_version(const Host& host, const std::string& root) {
    const auto words = split(host.env("PYENV_VERSION").value_or(""), ":");
    if (!words.empty()) return words.front();
    std::string folder = current_folder(host);
    while (is_absolute(folder, host.system())) {
        const std::string word = first_word(host, join_path(folder, ".python-version"));
        if (!word.empty()) return word;
        const std::string above = parent_path(folder);
        if (above == folder || above.empty()) break;
        folder = above;
    }
    return first_word(host, join_path(root, "version"));
}

// versions/3.11 means the newest 3.11.x, as pyenv resolves it.
std::string pyenv_folder(const Host& host, const std::string& root, const std::string& version) {
    const std::string versions = join_path(root, "versions");
    if (is_folder(host, join_path(versions, version))) return join_path(versions, version);
    std::string best;
    for (const DirectoryEntry& entry : entries_in(host, versions)) {
        if (!starts_with(entry.name, version + ".")) continue;
        const auto mine = parse_version(entry.name), other = parse_version(best);
        if (mine && (!other || *mine > *other)) best = entry.name;
    }
    return best.empty() ? best : join_path(versions, best);
}

std::string behind_shim(const Host& host, const std::string& shim) {
    const std::string root = parent_path(parent_path(shim)), version = pyenv_version(host, root);
    const bool windows = host.system() == System::windows;
    if (version.empty() || version == "system") {
        for (const PathProgram& program : programs_on_path(host, {windows ? "python" : "python3"}))
            if (lower(file_name(program.at.folder)) != "shims") return program.path;
        return {};
    }
    const std::string folder = pyenv_folder(host, root, version);
    if (folder.empty()) return {};
    for (const char* name : {"bin/python3", "bin/python", "python.exe"})
        if (is_file(host, join_path(folder, name))) return join_path(folder, name);
    return {};
}

// The absolute path of a Python in an `exec` line; "" if the script has none.
std::string behind_script(const Host& host, const std::string& script) {
    if (host.status(script).size > k_script_limit) return {};
    const auto head = host.read_range(script, 0, 2);
    if (!head || *head != "#!") return {};
    const auto text = read_text(host, script, k_script_limit);
    if (!text) return {};
    for (const std::string_view line : lines_of(*text)) {
        const auto words = split(line, " \t\"'");
        const auto exec = std::find(words.begin(), words.end(), "exec");
        if (exec == words.end()) continue;
        for (auto word = exec + 1; word != words.end(); ++word)
            if (is_absolute(*word, host.system()) && starts_with(lower(file_name(*word)), "python"))
                return *word;
    }
    return {};
}

}  // namespace

std::string follow_wrappers(const Host& host, const std::string& interpreter) {
    std::string path = interpreter;
    for (std::size_t step = 1; !host.exceeds(k_most_wrappers, step, path); ++step) {
        const bool shim = lower(file_name(parent_path(path))) == "shims";
        const std::string next = shim ? behind_shim(host, path) : behind_script(host, path);
        if (next.empty() || next == path || !is_file(host, next)) return path;
        path = next;
    }
    return path;
}

}  // namespace ptxguard
