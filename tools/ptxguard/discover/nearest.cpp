// Similarity is measured component by component, so /usr/local/cudda/bin gives /usr/local/cuda/bin and never
// a folder of another tree.
// SPDX-License-Identifier: Apache-2.0
#include "discover/selectors.hpp"

#include "host/paths.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Number of wrong letters above which a similarity is accidental.
int tolerated(std::string_view name) { return name.size() < 4 ? 1 : name.size() < 8 ? 2 : 3; }

std::string similar_entry(const Host& host, const std::string& parent, const std::string& name) {
    const auto entries = host.list(parent.empty() ? "/" : parent);
    if (!entries) return {};
    int best = tolerated(name) + 1;
    std::string found;
    for (const auto& entry : *entries) {
        if (entry.type != FileType::directory) continue;
        const int distance = edit_distance(lower(entry.name), lower(name));
        if (distance >= best) continue;
        best = distance;
        found = entry.name;
    }
    return found;
}

// The known folder that differs least from `path` as a whole: for a release that is not installed (cuda-12.9
// -> cuda-13.0).
std::string similar_known(const Host& host, const std::string& path, const std::vector<std::string>& known) {
    int best = 4;
    std::string found;
    for (const auto& folder : known) {
        if (parent_path(folder) != parent_path(path)) continue;
        const int distance = edit_distance(file_name(folder), file_name(path));
        if (distance >= best || host.status(folder).type != FileType::directory) continue;
        best = distance;
        found = folder;
    }
    return found;
}

}  // namespace

PathProblem why_nowhere(const FileStatus& status) {
    switch (status.type) {
        case FileType::missing:
            return PathProblem::missing;
        case FileType::dangling_link:
            return PathProblem::dangling;
        case FileType::link_loop:
            return PathProblem::loop;
        case FileType::unreadable:
            return PathProblem::unreadable;
        default:
            return PathProblem::none;
    }
}

std::string nearest_folder(const Host& host, const std::string& path,
                           const std::vector<std::string>& known_folders) {
    if (!is_absolute(path, host.system())) return {};
    // Up to the deepest existing folder, then down again by similarity.
    std::vector<std::string> missing;
    std::string here = normal_path(path, host.system());
    while (host.status(here).type != FileType::directory) {
        const std::string parent = parent_path(here);
        if (parent.empty() || parent == here || missing.size() == 8) return {};
        missing.insert(missing.begin(), std::string(file_name(here)));
        here = parent;
    }
    const std::string trunk = here;
    for (const auto& name : missing) {
        const std::string exact = join_path(here, name);
        if (host.status(exact).type == FileType::directory) {
            here = exact;
            continue;
        }
        const std::string similar = similar_entry(host, here, name);
        if (similar.empty()) return similar_known(host, normal_path(path, host.system()), known_folders);
        here = join_path(here, similar);
    }
    return here == trunk ? std::string() : here;
}

}  // namespace ptxguard
