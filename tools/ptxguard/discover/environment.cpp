// To avoid false alarms, an entry is checked only if it contains CUDA. A variable must be one typing error
// away from a known name, contain a path, and not be a name in common use.
// SPDX-License-Identifier: Apache-2.0
#include "discover/selectors.hpp"

#include <algorithm>
#include <cstdlib>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_lists[] = {"PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH", "CPATH", "CMAKE_PREFIX_PATH"};

// Variables whose misspelling is not reported by anything, so that another toolkit is used.
const std::vector<std::string> k_known = {"CUDA_HOME",
                                          "CUDA_PATH",
                                          "CUDA_ROOT",
                                          "CUDACXX",
                                          "CUDAHOSTCXX",
                                          "CUDAARCHS",
                                          "CUDAToolkit_ROOT",
                                          "CUDA_TOOLKIT_ROOT_DIR",
                                          "CUDA_VISIBLE_DEVICES",
                                          "LD_LIBRARY_PATH",
                                          "LIBRARY_PATH",
                                          "LD_PRELOAD",
                                          "NVCC_CCBIN",
                                          "NVCC_PREPEND_FLAGS",
                                          "NVCC_APPEND_FLAGS",
                                          "TORCH_CUDA_ARCH_LIST",
                                          "CMAKE_PREFIX_PATH",
                                          "CUDNN_HOME",
                                          "CUDNN_PATH",
                                          "CPATH",
                                          "PATH"};

// One typing error away from a known name, but in use.
const std::vector<std::string> k_own_names = {"CUDA_BASE",
                                              "CUDA_DIR",
                                              "CUDADIR",
                                              "CUDA_PATHS",
                                              "CUDA_INSTALL_PATH",
                                              "CUDATOOLKIT_HOME",
                                              "CUDNN_ROOT",
                                              "CUDNN_DIR",
                                              "CUDA_LIB_PATH",
                                              "CUDA_LIBRARY_PATH",
                                              "LD_LIBRARY_PATH_32",
                                              "LD_LIBRARY_PATH_64",
                                              "LD_LIBRARYN32_PATH",
                                              "XPATH",
                                              "DYLD_LIBRARY_PATH",
                                              "TORCH_CUDA_ARCH_LIST_",
                                              "CUDA_CACHE_PATH",
                                              "NVCC_FLAGS",
                                              "CUDAARCH",
                                              "LIBPATH",
                                              "CDPATH",
                                              "GOPATH",
                                              "MANPATH",
                                              "INFOPATH",
                                              "OPATH",
                                              "FPATH",
                                              "SHLIB_PATH",
                                              "CUDNN_ROOT_DIR",
                                              "LDPATH",
                                              "TPATH",
                                              "RPATH",
                                              "APATH",
                                              "NPATH",
                                              "MPATH",
                                              "JPATH",
                                              "VPATH",
                                              "PATHEXT",
                                              "SPATH",
                                              "BPATH",
                                              "LPATH",
                                              "PATHS",
                                              "OLDPATH"};

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
        if (const auto entries = host.list(join_path(root, folder)))
            for (const DirectoryEntry& file : *entries)
                if (starts_with(file.name, "libcudart.so.")) return true;
    return false;
}

// WSL appends Windows' own PATH, which no Linux build uses.
bool is_of_windows(const Host& host, const std::string& entry) {
    return host.system() == System::linux_ && starts_with(entry, "/mnt/") && entry.size() > 6 &&
           entry[6] == '/';
}

void read_list(const Host& host, const std::string& name, Scenario& scenario) {
    const auto value = host.env(name);
    if (!value) return;
    int position = 0;
    std::vector<std::string> seen;
    for (const auto& entry : split_list(*value, host.system())) {
        ++position;
        // LIBRARY_PATH and others may contain a file name such as a preloaded library; `/a//` is `/a`.
        if (!is_absolute(entry, host.system()) || !(looks_like_cuda(entry) || almost_cuda(entry))) continue;
        const PathProblem problem = why_nowhere(host.status(entry));
        if (problem == PathProblem::none || std::find(seen.begin(), seen.end(), entry) != seen.end())
            continue;
        if (problem == PathProblem::missing && (is_bin_of_runtime(host, entry) || is_of_windows(host, entry)))
            continue;
        seen.push_back(entry);
        const std::string nearest = nearest_folder(host, entry, default_folders(host));
        if (!looks_like_cuda(entry) && !looks_like_cuda(nearest)) continue;
        EnvironmentEntry wrong;
        wrong.variable = name;
        wrong.value = entry;
        wrong.position = position;
        wrong.problem = problem;
        wrong.nearest = nearest;
        wrong.origin = Origin::from_variable(name, name + " entry " + std::to_string(position));
        scenario.entries.push_back(wrong);
    }
}

bool holds_a_path(const std::string& value, System system) {
    const auto entries = split_list(value, system);
    return !entries.empty() && std::any_of(entries.begin(), entries.end(), [&](const auto& entry) {
        return is_absolute(entry, system) || starts_with(entry, "$");
    });
}

// The known name of which `name` is probably a misspelling; empty = none.
std::string meant_by(const std::string& name) {
    const bool long_enough = name.size() >= 7;
    const auto has = [](const std::vector<std::string>& names, const std::string& one) {
        return std::find(names.begin(), names.end(), one) != names.end();
    };
    if (!long_enough || has(k_known, name) || has(k_own_names, name)) return {};
    std::string found;
    for (const auto& known : k_known) {
        if (name.front() != known.front()) continue;  // DYLD_, MY_, _: a prefix makes another name
        const int most = known.size() >= 12 ? 2 : 1;
        if (known.size() < 7 ||
            std::abs(static_cast<int>(known.size()) - static_cast<int>(name.size())) > most)
            continue;
        const int distance = edit_distance(name, known);
        if (distance == 0 || distance > most) continue;
        if (!found.empty() && edit_distance(name, found) <= distance) continue;
        found = known;
    }
    return found;
}

}  // namespace

void read_environment(const Host& host, Scenario& scenario) {
    for (const char* name : k_lists) read_list(host, name, scenario);
    for (const auto& [name, value] : host.environment()) {
        if (host.system() == System::windows && lower(name) == "path") continue;
        const std::string meant = meant_by(name);
        if (meant.empty() || !holds_a_path(value, host.system())) continue;
        EnvironmentEntry wrong;
        wrong.variable = name;
        wrong.value = value;
        wrong.problem = PathProblem::undefined_variable;
        wrong.nearest = meant;
        wrong.origin = Origin::from_variable(name, name + "=" + value);
        scenario.entries.push_back(wrong);
    }
}

}  // namespace ptxguard
