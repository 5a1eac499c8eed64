// SPDX-License-Identifier: Apache-2.0
#include "host/questions.hpp"

#include <set>

#include "host/paths.hpp"

namespace ptxguard {

bool is_file(const Host& host, const std::string& path) {
    return host.status(path).type == FileType::regular;
}
bool is_folder(const Host& host, const std::string& path) {
    return host.status(path).type == FileType::directory;
}

std::string real_or_same(const Host& host, const std::string& path) {
    const auto real = host.real_path(path);
    return real ? *real : path;
}

Entries entries_in(const Host& host, const std::string& folder) {
    const Result<Entries> entries = host.list(folder);
    return entries ? *entries : Entries();
}

Result<std::vector<std::string>> names_of(const Result<Entries>& entries) {
    if (!entries) return entries.trouble();
    std::vector<std::string> names;
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    return names;
}

Result<std::vector<std::string>> Host::names(const std::string& directory) const {
    return names_of(list(directory));
}

std::string current_folder(const Host& host) {
    if (host.foreign()) return host.env(host.system() == System::windows ? "CD" : "PWD").value_or("");
    const auto here = host.real_path(".");
    return here ? *here : std::string();
}

std::vector<PathFolder> path_folders(const Host& host) {
    std::vector<PathFolder> folders;
    int position = 0;
    for (const std::string& entry : split_list(host.env("PATH").value_or(""), host.system())) {
        ++position;
        if (!trim(entry).empty()) folders.push_back({entry, position});
    }
    return folders;
}

std::vector<PathProgram> programs_on_path(const Host& host, const std::vector<std::string>& names) {
    std::vector<PathProgram> programs;
    for (const PathFolder& at : path_folders(host))
        for (const std::string& name : names)
            for (const std::string& file :
                 std::set<std::string>{name, executable_name(name, host.system())}) {
                const std::string path = join_path(at.folder, file);
                const FileStatus status = host.status(path);
                if (status.type == FileType::regular && status.executable) programs.push_back({path, at});
            }
    return programs;
}

std::string program_on_path(const Host& host, const std::string& name) {
    const auto programs = programs_on_path(host, {name});
    return programs.empty() ? std::string() : programs.front().path;
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
    // Only the last '*' is extended if the rest does not match: earlier ones already took the shortest match.
    std::size_t n = 0, p = 0, after_star = std::string_view::npos, taken = 0;
    while (n < name.size()) {
        const std::string_view rest = pattern.substr(p);
        const bool range = rest.size() > 4 && rest[0] == '[' && rest[2] == '-' && rest[4] == ']';
        if (!rest.empty() && rest[0] == '*') {
            after_star = ++p;
            taken = n;
        } else if (range ? name[n] >= rest[1] && name[n] <= rest[3]
                         : !rest.empty() && (rest[0] == '?' || rest[0] == name[n])) {
            ++n;
            p += range ? 5 : 1;
        } else if (after_star != std::string_view::npos) {
            p = after_star;
            n = ++taken;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::vector<std::string> paths_matching(const Host& host, const std::string& path) {
    const std::string folder = parent_path(path), pattern = file_name(path);
    if (pattern.find('*') == std::string::npos)
        return is_file(host, path) ? std::vector<std::string>{path} : std::vector<std::string>{};
    std::vector<std::string> found;
    const auto entries = host.list(folder);
    for (const DirectoryEntry& entry : entries ? *entries : Entries())
        if (entry.name[0] != '.' && matches_pattern(entry.name, pattern))
            found.push_back(join_path(folder, entry.name));
    return found;
}

}  // namespace ptxguard
