// A `python` on PATH may be a script: pyenv's shims select by PYENV_VERSION, .python-version and the global
// version file; other wrappers usually end in `exec /path/to/python "$@"`.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/version.hpp"
#include "packages/python.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
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
    const auto entries = host.list(versions);
    std::string best;
    if (!entries) return best;
    for (const DirectoryEntry& entry : *entries) {
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
