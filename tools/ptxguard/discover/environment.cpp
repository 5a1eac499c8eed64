// To avoid false alarms, an entry is checked only if it contains CUDA. A variable must be one typing error
// away from a known name, contain a path, and not be a name in common use.
// SPDX-License-Identifier: Apache-2.0
#include "discover/selectors.hpp"

#include <cstdlib>

#include "host/names.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_lists[] = {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "CMAKE_PREFIX_PATH"};

// Variables whose misspelling is not reported by anything, so that another toolkit is used.
const std::vector<std::string> k_known = split(
    "CUDA_HOME CUDA_PATH CUDA_ROOT CUDACXX CUDAHOSTCXX CUDAARCHS CUDAToolkit_ROOT "
    "CUDA_TOOLKIT_ROOT_DIR CUDA_VISIBLE_DEVICES LD_LIBRARY_PATH LIBRARY_PATH LD_PRELOAD NVCC_CCBIN "
    "NVCC_PREPEND_FLAGS NVCC_APPEND_FLAGS TORCH_CUDA_ARCH_LIST CMAKE_PREFIX_PATH CUDNN_HOME "
    "CUDNN_PATH CPATH PATH",
    " ");

// One typing error away from a known name, but in use.
const std::vector<std::string> k_own_names = split(
    "CUDA_BASE CUDA_DIR CUDADIR CUDA_PATHS CUDA_INSTALL_PATH CUDATOOLKIT_HOME CUDNN_ROOT CUDNN_DIR "
    "CUDA_LIB_PATH CUDA_LIBRARY_PATH LD_LIBRARY_PATH_32 LD_LIBRARY_PATH_64 LD_LIBRARYN32_PATH XPATH "
    "DYLD_LIBRARY_PATH TORCH_CUDA_ARCH_LIST_ CUDA_CACHE_PATH NVCC_FLAGS CUDAARCH LIBPATH CDPATH "
    "GOPATH MANPATH INFOPATH OPATH FPATH SHLIB_PATH CUDNN_ROOT_DIR LDPATH TPATH RPATH APATH NPATH "
    "MPATH JPATH VPATH PATHEXT SPATH BPATH LPATH PATHS OLDPATH",
    " ");

bool looks_like_cuda(const std::string& entry) {
    const std::string small = lower(entry);
    for (const char* word : {"cuda", "nvidia", "cudnn", "nvhpc", "hpc_sdk", "cublas", "nvvm"})
        for (std::size_t at = small.find(word); at != std::string::npos; at = small.find(word, at + 1))
            if (at == 0 || small[at - 1] < 'a' || small[at - 1] > 'z') return true;  // not "barracuda"
    return false;
}

// "cudda-13.0": the first letters are one typing error away from cuda. Such an entry counts only if a CUDA
// folder was plausibly intended.
bool almost_cuda(const std::string& entry) {
    for (const auto& component : split(lower(entry), "/\\")) {
        const std::size_t letters = component.find_first_not_of("abcdefghijklmnopqrstuvwxyz");
        const std::string word = component.substr(0, letters);
        if (word.size() < 3) continue;
        for (const char* known : {"cuda", "nvidia", "cudnn", "nvhpc"})
            if (edit_distance(word, known) == 1) return true;
    }
    return false;
}

// NVIDIA's images have /usr/local/cuda/bin in PATH; images for running programs only have CUDA's libraries
// there and no programs.
bool is_bin_of_runtime(const Host& host, const std::string& entry) {
    const std::string root = parent_path(normal_path(entry, host.system()));
    if (lower(file_name(normal_path(entry, host.system()))) != "bin") return false;
    for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"})
        for (const DirectoryEntry& file : entries_in(host, join_path(root, folder)))
            if (starts_with(file.name, "libcudart.so.")) return true;
    return false;
}

// WSL appends Windows' own PATH, which no Linux build uses.
bool is_of_windows(const Host& host, const std::string& entry) {
    return host.system() == System::linux_ && starts_with(entry, "/mnt/") && entry.size() > 6 &&
           entry[6] == '/';
}

struct ListEntry {
    std::string text, folder;  // as written; without what makes it wrong
    PathProblem problem = PathProblem::none;
};

// Windows removes no blanks at the ends of an entry, and replaces %NAME% only when it reads the registry's
// copy of PATH.
ListEntry list_entry(const Host& host, const std::string& text) {
    ListEntry entry{text, text};
    if (host.system() == System::windows) {
        if (text.find('%') != std::string::npos) {
            entry.folder = expand_variables(text, host.environment());
            entry.problem = PathProblem::unexpanded;
        }
        if (trim(entry.folder) != entry.folder) {
            entry.folder = trim(entry.folder);
            entry.problem = PathProblem::blanks;
        }
    }
    if (entry.problem == PathProblem::none) entry.problem = why_nowhere(host.status(text));
    return entry;
}

// PATH may name a program instead of its folder. Other lists may contain the name of a library.
bool names_program(const Host& host, const std::string& variable, const std::string& entry) {
    return variable == "PATH" && host.status(entry).type == FileType::regular;
}

EnvironmentEntry wrong_entry(const Host& host, const std::string& variable, const ListEntry& entry,
                             int position) {
    EnvironmentEntry wrong;
    wrong.variable = variable;
    wrong.value = entry.text;
    wrong.position = position;
    wrong.problem = entry.problem;
    const std::string folder = normal_path(entry.folder, host.system());
    if (names_program(host, variable, folder))
        wrong.nearest = parent_path(folder);
    else if (entry.folder != entry.text && is_folder(host, folder))
        wrong.nearest = folder;
    else
        wrong.nearest = nearest_folder(host, entry.folder, default_folders(host));
    wrong.origin = Origin::from_variable(variable, variable + " entry " + std::to_string(position));
    return wrong;
}

bool is_harmless(const Host& host, const std::string& text, PathProblem problem) {
    return problem == PathProblem::none ||
           (problem == PathProblem::missing && (is_bin_of_runtime(host, text) || is_of_windows(host, text)));
}

void read_list(const Host& host, const std::string& name, Scenario& scenario) {
    const auto value = host.env(name);
    if (!value) return;
    int position = 0;
    std::vector<std::string> seen;
    for (const auto& text : split_list(*value, host.system())) {
        ++position;
        ListEntry entry = list_entry(host, text);
        if (entry.problem == PathProblem::none && names_program(host, name, text))
            entry.problem = PathProblem::file;
        // `/a//` is `/a`.
        const bool is_absolute_path = is_absolute(entry.folder, host.system()) ||
                                      (entry.problem == PathProblem::unexpanded && name == "PATH");
        if (!is_absolute_path || !(looks_like_cuda(text) || almost_cuda(text))) continue;
        const PathProblem problem = entry.problem;
        if (contains(seen, text) || is_harmless(host, text, problem)) continue;
        seen.push_back(text);
        EnvironmentEntry wrong = wrong_entry(host, name, entry, position);
        if (looks_like_cuda(text) || looks_like_cuda(wrong.nearest))
            scenario.entries.push_back(std::move(wrong));
    }
}

bool holds_a_path(const std::string& value, System system) {
    const auto entries = split_list(value, system);
    return !entries.empty() && any_of(entries, [&](const auto& entry) {
        return is_absolute(entry, system) || starts_with(entry, "$");
    });
}

// The known name of which `name` is probably a misspelling; empty = none.
std::string meant_by(const std::string& name) {
    const bool long_enough = name.size() >= 7;
    const auto has = [](const std::vector<std::string>& names, const std::string& one) {
        return contains(names, one);
    };
    if (!long_enough || has(k_known, name) || has(k_own_names, name)) return {};
    std::string found;
    for (const auto& known : k_known) {
        if (name.front() != known.front()) continue;  // DYLD_, MY_, _: a prefix makes another name
        const int most = known.size() >= 12 ? 2 : 1;
        if (known.size() < 7 ||
            std::abs(static_cast<int>(known.size()) - static_cast<int>(name.size())) > most)
            continue;
        // cuDF and other projects have names of their own: CUDF_PATH.
        if (starts_with(known, "CUDA") && name.size() == known.size() && !starts_with(name, "CUDA")) continue;
        const int distance = edit_distance(name, known);
        if (distance == 0 || distance > most) continue;
        if (!found.empty() && edit_distance(name, found) <= distance) continue;
        found = known;
    }
    return found;
}

}  // namespace

namespace {

std::vector<std::string> folders_of_path(const std::string& path) {
    std::vector<std::string> folders;
    for (const std::string& entry : split_list(path, System::windows))
        folders.push_back(normal_path(entry, System::windows));
    return folders;
}

// A prompt, a service or an editor keeps the PATH that it was started with.
void read_later_path(const Host& host, Scenario& scenario) {
    const auto later = variable(host.later_environment(), "PATH", System::windows);
    if (!later) return;
    const std::vector<std::string> now = folders_of_path(host.env("PATH").value_or(""));
    for (const std::string& folder : folders_of_path(*later)) {
        const auto is_same = [&](const std::string& other) { return lower(other) == lower(folder); };
        if (looks_like_cuda(folder) && is_folder(host, folder) && none_of(now, is_same))
            add_once(scenario.later_path, folder);
    }
}

}  // namespace

void read_environment(const Host& host, Scenario& scenario) {
    for (const char* name : k_lists) read_list(host, name, scenario);
    if (host.system() == System::windows) read_later_path(host, scenario);
    for (const auto& [name, value] : host.environment()) {
        if (host.system() == System::windows && lower(name) == "path") continue;
        const std::string meant = meant_by(name);
        if (meant.empty() || !holds_a_path(value, host.system())) continue;
        scenario.entries.push_back({name, value, 0, PathProblem::undefined_variable, meant,
                                    Origin::from_variable(name, name + "=" + value)});
    }
}

}  // namespace ptxguard
