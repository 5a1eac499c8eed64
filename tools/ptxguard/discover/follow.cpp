// Handles any value: files instead of folders, empty strings, relative paths, dangling and circular links and
// unreadable folders each become a problem of their own kind.
// SPDX-License-Identifier: Apache-2.0

#include "discover/selectors.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

PathProblem problem_of(const FileStatus& status) {
    if (status.type == FileType::regular || status.type == FileType::other) return PathProblem::file;
    const PathProblem way = why_nowhere(status);
    return way == PathProblem::none ? PathProblem::no_toolkit : way;
}

bool is_toolkit(const Host& host, const std::string& folder) {
    return look_at_root(host, folder).site.found();
}

void fail(const Host& host, ToolkitCandidate& candidate, PathProblem problem) {
    candidate.found = {};
    candidate.selector.problem = problem;
    candidate.selector.nearest = nearest_toolkit(host, candidate.selector.value);
}

// CUDACXX may contain arguments: "nvcc -ccbin g++-12". A path with blanks is tried as a whole first.
std::string program_word(const Host& host, const std::string& value) {
    const std::string whole = trim(value);
    if (host.status(whole).type != FileType::missing) return whole;
    if (whole.size() > 1 && whole.front() == '"')
        if (const std::size_t end = whole.find('"', 1); end != std::string::npos)
            return whole.substr(1, end - 1);
    const auto words = split(whole, " \t");
    return words.empty() ? whole : words.front();
}

}  // namespace

void follow_folder(const Host& host, ToolkitCandidate& candidate, bool lenient) {
    const std::string value = trim(candidate.selector.value);
    if (value.empty()) {
        candidate.selector.problem = PathProblem::empty;
        return;
    }
    std::string path = normal_path(value, host.system());
    if (!is_absolute(value, host.system())) {
        const auto real = host.real_path(value);
        if (!lenient || !real)
            return fail(host, candidate, lenient ? PathProblem::missing : PathProblem::relative);
        path = *real;
    }
    const FileStatus status = host.status(path);
    if (status.type == FileType::directory) {
        candidate.found = look_at_root(host, path);
        if (candidate.found.site.found()) return;
        if (lenient && file_name(path) == "bin") candidate.found = look_at_root(host, parent_path(path));
        if (candidate.found.site.found()) return;
        return fail(host, candidate, host.list(path) ? PathProblem::no_toolkit : PathProblem::unreadable);
    }
    const bool is_nvcc = status.type == FileType::regular && starts_with(lower(file_name(path)), "nvcc");
    if (!lenient || !is_nvcc) return fail(host, candidate, problem_of(status));
    candidate.names_program = true;
    candidate.found = look_at_nvcc(host, path);
}

void follow_program(const Host& host, ToolkitCandidate& candidate) {
    candidate.names_program = true;
    if (trim(candidate.selector.value).empty()) {
        candidate.selector.problem = PathProblem::empty;
        return;
    }
    std::string path = program_word(host, candidate.selector.value);
    if (path.find_first_of("/\\") == std::string::npos) {
        path = program_on_path(host, path);
        if (path.empty()) return fail(host, candidate, PathProblem::missing);
    } else if (!is_absolute(path, host.system())) {
        const auto real = host.real_path(path);
        if (!real) return fail(host, candidate, PathProblem::relative);
        path = *real;
    }
    path = normal_path(path, host.system());
    const FileStatus status = host.status(path);
    if (status.type != FileType::regular)
        return fail(host, candidate,
                    status.type == FileType::directory ? PathProblem::no_toolkit : problem_of(status));
    const std::string name = lower(file_name(path));
    if (name.find("clang") != std::string::npos) return fail(host, candidate, PathProblem::no_toolkit);
    candidate.found = look_at_nvcc(host, path);
}

void follow_hpc_sdk(const Host& host, ToolkitCandidate& candidate) {
    const std::string value = trim(candidate.selector.value);
    if (value.empty() || !is_absolute(value, host.system()) || host.status(value).type != FileType::directory)
        return follow_folder(host, candidate, false);
    const std::string root = hpc_toolkit(host, normal_path(value, host.system()));
    if (root.empty()) return fail(host, candidate, PathProblem::no_toolkit);
    candidate.found = look_at_root(host, root);
}

namespace {

// The bin folder, nvcc itself, the folder above, the site-packages of NVIDIA's wheels.
std::vector<std::string> folders_near(const Host& host, const std::string& path) {
    std::vector<std::string> guesses;
    const std::string parent = parent_path(path);
    if (file_name(path) == "bin") guesses.push_back(parent);
    if (file_name(parent) == "bin") guesses.push_back(parent_path(parent));
    guesses.push_back(join_path(path, "cuda"));
    guesses.push_back(hpc_toolkit(host, path));
    const std::string wheels = join_path(path, "nvidia");
    for (const DirectoryEntry& entry : entries_in(host, wheels))
        guesses.push_back(join_path(wheels, entry.name));
    return guesses;
}

}  // namespace

std::string nearest_toolkit(const Host& host, const std::string& value) {
    const std::string path = normal_path(trim(value), host.system());
    const bool absolute = is_absolute(trim(value), host.system());
    // A list instead of one folder (":/usr/local/cuda").
    std::vector<std::string> guesses = split_list(trim(value), host.system());
    if (guesses.size() < 2) guesses.clear();
    if (absolute)
        append(guesses, folders_near(host, path));
    else if (const auto real = host.real_path(trim(value)))
        guesses.push_back(*real);
    for (const auto& guess : guesses)
        if (is_absolute(guess, host.system()) && is_toolkit(host, guess)) return guess;
    if (!absolute) return {};
    // For /usr/local/cudda/bin/nvcc, the folder.
    const bool names_nvcc = starts_with(lower(file_name(path)), "nvcc");
    const std::string like =
        nearest_folder(host, names_nvcc ? parent_path(path) : path, default_folders(host));
    if (like.empty()) return {};
    if (is_toolkit(host, like)) return like;
    if (file_name(like) == "bin" && is_toolkit(host, parent_path(like))) return parent_path(like);
    return {};
}

// Similarity is measured component by component, so /usr/local/cudda/bin gives /usr/local/cuda/bin and
// never a folder of another tree.

namespace {

// Number of wrong letters above which a similarity is accidental.
int tolerated(std::string_view name) { return name.size() < 4 ? 1 : name.size() < 8 ? 2 : 3; }

std::string similar_entry(const Host& host, const std::string& parent, const std::string& name) {
    int best = tolerated(name) + 1;
    std::string found;
    for (const DirectoryEntry& entry : entries_in(host, parent.empty() ? "/" : parent)) {
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
        case FileType::missing: return PathProblem::missing;
        case FileType::dangling_link: return PathProblem::dangling;
        case FileType::link_loop: return PathProblem::loop;
        case FileType::unreadable: return PathProblem::unreadable;
        default: return PathProblem::none;
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
