// Chooses a Python in the documented order. A variable that does not name a Python is skipped, with a reason.
// SPDX-License-Identifier: Apache-2.0
#include "expect/python.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "packages/python_layout.hpp"
#include "packages/python_paths.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

// site-packages by name, by a package record in it, or because it contains a framework or libtorch.
bool is_site(const Host& host, const std::string& folder) {
    const std::string name = lower(file_name(folder));
    if (name == "site-packages" || name == "dist-packages") return true;
    const auto entries = host.list(folder);
    if (!entries) return false;
    return std::any_of(entries->begin(), entries->end(), [](const DirectoryEntry& entry) {
        return ends_with(entry.name, ".dist-info") || entry.name == "torch" || entry.name == "tensorflow" ||
               entry.name == "build-version";
    });
}

PythonChoice from_layout(const Host& host, const PythonLayout& layout, const std::string& python) {
    PythonChoice choice;
    choice.python = python;
    choice.places = with_added_paths(host, site_folders(host, layout));
    if (!isolated_build(host).empty()) return choice;
    choice.places.push_back({layout.prefix, false});  // a libtorch package (conda) lies in the prefix itself
    return choice;
}

std::optional<PythonChoice> from_interpreter(const Host& host, const std::string& path) {
    const auto layout = layout_of_interpreter(host, path);
    return layout ? std::optional<PythonChoice>(from_layout(host, *layout, path)) : std::nullopt;
}

std::optional<PythonChoice> from_variable(const Host& host, const char* variable) {
    const std::string value = host.env(variable).value_or("");
    const auto layout = value.empty() ? std::nullopt : layout_of_prefix(host, value);
    return layout ? std::optional<PythonChoice>(from_layout(host, *layout, value)) : std::nullopt;
}

// PATH entries that may contain a Python; Windows' store aliases are not Pythons.
std::vector<std::string> search_path(const Host& host) {
    auto entries = split_list(host.env("PATH").value_or(""), host.system());
    const auto useless = [&](const std::string& entry) {
        return !is_absolute(entry, host.system()) || lower(file_name(entry)) == "windowsapps";
    };
    entries.erase(std::remove_if(entries.begin(), entries.end(), useless), entries.end());
    return entries;
}

std::optional<PythonChoice> from_path(const Host& host, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        for (const std::string& entry : search_path(host)) {
            const std::string candidate = join_path(entry, executable_name(name, host.system()));
            const FileStatus status = host.status(candidate);
            if (status.type != FileType::regular || !status.executable) continue;
            if (auto choice = from_interpreter(host, candidate)) return choice;
        }
    }
    return std::nullopt;
}

PythonChoice unusable(const std::string& value, const std::string& why) {
    PythonChoice choice;
    choice.because = "--python";
    Unreadable trouble;
    trouble.subject = "--python " + value;
    trouble.why = why;
    trouble.named_by_user = true;
    trouble.origin = Origin::from_option("--python");
    choice.trouble = std::move(trouble);
    return choice;
}

PythonChoice from_option(const Host& host, const std::string& value) {
    const std::string path = judged_path(host, value);
    const FileType type = host.status(path).type;
    std::optional<PythonChoice> choice;
    if (type == FileType::regular) {
        choice = from_interpreter(host, path);
    } else if (type == FileType::directory) {
        const auto layout = is_site(host, path) ? std::nullopt : layout_of_prefix(host, path);
        choice = layout ? from_layout(host, *layout, path)
                        : PythonChoice{path, "", with_added_paths(host, {path}), {}};
    } else if (path.find_first_of("/\\") == std::string::npos) {
        choice = from_path(host, {ends_with(path, ".exe") ? path.substr(0, path.size() - 4) : path});
        if (!choice) return unusable(value, "is neither a file, a folder nor a program on PATH");
    } else {
        return unusable(value, why_no_file(type));
    }
    choice->because = "--python";
    return *choice;
}

}  // namespace

namespace {

PythonChoice chosen(const Host& host, const Request& request) {
    if (!request.python.empty()) return from_option(host, request.python);
    std::string passed_over;
    for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
        const std::string value = host.env(variable).value_or("");
        if (value.empty()) continue;
        if (auto choice = from_variable(host, variable)) {
            choice->because = variable + passed_over;
            return *choice;
        }
        passed_over += " (" + std::string(variable) + " names no Python: " + value + ")";
    }
    const bool windows = host.system() == System::windows;
    auto choice = from_path(host, windows ? std::vector<std::string>{"python", "python3"}
                                          : std::vector<std::string>{"python3", "python"});
    if (!choice) return PythonChoice{"", passed_over, {}, {}};
    choice->because = "PATH" + passed_over;
    return *choice;
}

}  // namespace

PythonChoice choose_python(const Host& host, const Request& request) {
    PythonChoice choice = chosen(host, request);
    const std::string build = isolated_build(host);
    if (!build.empty() && request.python.empty() && !choice.because.empty())
        choice.because += " (an isolated build: only what lies in " + build + ")";
    return choice;
}

}  // namespace ptxguard
