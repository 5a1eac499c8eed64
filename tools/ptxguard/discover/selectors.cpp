// CMake 3.25 (CMakeDetermineCUDACompiler): CMAKE_CUDA_COMPILER, CUDACXX, nvcc on PATH, CUDA_PATH/bin. It does
// not read CUDA_HOME or anything else to find a compiler; FindCUDAToolkit then follows that compiler.
// SPDX-License-Identifier: Apache-2.0
#include "discover/selectors.hpp"

#include <algorithm>
#include <set>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

using ToolkitCandidates = std::vector<ToolkitCandidate>;

ToolkitCandidate candidate(SelectorKind kind, const std::string& name, const std::string& value,
                           Origin origin) {
    ToolkitCandidate made;
    made.selector.kind = kind;
    made.selector.name = name;
    made.selector.value = value;
    made.selector.origin = std::move(origin);
    return made;
}

void add_variable(const Host& host, ToolkitCandidates& candidates, const std::string& name) {
    const auto value = host.env(name);
    if (!value) return;
    ToolkitCandidate made =
        candidate(SelectorKind::variable, name, *value, Origin::from_variable(name, name + "=" + *value));
    if (name == "CUDACXX")
        follow_program(host, made);
    else if (name == "NVHPC_ROOT")
        follow_hpc_sdk(host, made);
    else
        follow_folder(host, made, false);
    candidates.push_back(std::move(made));
}

void add_options(const Host& host, const Request& request, ToolkitCandidates& candidates) {
    const auto place = request.config_origin.find("toolkit");
    for (const auto& folder : request.toolkits) {
        Origin origin = Origin::from_option("--toolkit");
        if (place != request.config_origin.end()) origin.text = "toolkit in " + place->second;
        ToolkitCandidate made = candidate(SelectorKind::option, "--toolkit", folder, origin);
        follow_folder(host, made, true);
        candidates.push_back(std::move(made));
    }
    if (!request.cmake_nvcc.empty()) {
        ToolkitCandidate made = candidate(SelectorKind::cmake, "CMAKE_CUDA_COMPILER", request.cmake_nvcc,
                                          Origin::from_option("CMAKE_CUDA_COMPILER"));
        follow_program(host, made);
        candidates.push_back(std::move(made));
    }
}

// Does not select a compiler: find_package(CUDAToolkit) searches there while CUDA is not enabled.
void add_cmake_root(const Host& host, const Request& request, ToolkitCandidates& candidates) {
    if (request.cmake_toolkit_root.empty()) return;
    ToolkitCandidate made = candidate(SelectorKind::cmake, "CUDAToolkit_ROOT", request.cmake_toolkit_root,
                                      Origin::from_option("CUDAToolkit_ROOT"));
    follow_folder(host, made, false);
    candidates.push_back(std::move(made));
}

// PATH entries that contain an nvcc, each folder once.
void add_search_path(const Host& host, ToolkitCandidates& candidates) {
    std::set<std::string> seen;
    for (const auto& [nvcc, at] : programs_on_path(host, {"nvcc"})) {
        const auto& [entry, position] = at;
        if (!seen.insert(folder_identity(host, entry)).second) continue;
        ToolkitCandidate made =
            candidate(SelectorKind::search_path, "PATH", entry,
                      Origin::from_variable("PATH", "PATH entry " + std::to_string(position) + ", " + entry));
        made.selector.position = position;
        made.names_program = true;
        const auto real =
            is_absolute(entry, host.system()) ? Result<std::string>(nvcc) : host.real_path(nvcc);
        made.found = look_at_nvcc(host, real ? *real : nvcc);
        candidates.push_back(std::move(made));
    }
}

void add_quiet(const Host& host, ToolkitCandidates& candidates, SelectorKind kind, const std::string& name,
               const std::string& folder, const Origin& origin) {
    ToolkitCandidate made = candidate(kind, name, folder, origin);
    made.found = look_at_root(host, folder);
    if (made.found.site.found()) candidates.push_back(std::move(made));
}

bool has_program(const Host& host, const std::string& root) {
    for (const char* stem : {"nvcc", "ptxas"})
        if (host.status(join_path(root, "bin/" + executable_name(stem, host.system()))).type ==
            FileType::regular)
            return true;
    return false;
}

void add_conda(const Host& host, ToolkitCandidates& candidates) {
    const auto prefix = host.env("CONDA_PREFIX");
    if (!prefix || !is_absolute(*prefix, host.system())) return;
    const Origin origin = Origin::from_variable("CONDA_PREFIX", "CONDA_PREFIX=" + *prefix);
    for (const char* below : {"", "Library"}) {
        const std::string root = *below ? join_path(*prefix, below) : normal_path(*prefix, host.system());
        if (has_program(host, root))
            add_quiet(host, candidates, SelectorKind::variable, "CONDA_PREFIX", root, origin);
    }
}

void add_wheels(const Host& host, const PythonEnvironment& python, ToolkitCandidates& candidates) {
    for (const SitePlace& place : python.places) {
        const std::string nvidia = join_path(place.folder, "nvidia");
        for (const auto& entry : entries_in(host, nvidia)) {
            const bool likely = starts_with(entry.name, "cu1") || entry.name == "cuda_nvcc";
            const std::string root = join_path(nvidia, entry.name);
            if (!likely || !has_program(host, root)) continue;
            Origin origin = Origin::from_file(root);
            origin.text = "Python package below " + place.folder + " (" + python.because + ")";
            add_quiet(host, candidates, SelectorKind::package, "site-packages/nvidia/" + entry.name, root,
                      origin);
        }
    }
}

Origin origin_of(const RegisteredToolkit& toolkit) {
    Origin origin = Origin::from_file(toolkit.folder);
    origin.text = "InstallDir in " + toolkit.key;
    return origin;
}

// The registry's file in a tree.
void add_unread_registry(const Host& host, ToolkitCandidates& candidates) {
    const std::string file = join_path(windows_folder(host), "System32/config/SOFTWARE");
    if (host.system() != System::windows || host.status(file).type != FileType::regular) return;
    ToolkitCandidate made =
        candidate(SelectorKind::registry, "HKLM\\SOFTWARE", file, Origin::from_file(file));
    made.selector.problem = PathProblem::unreadable;
    candidates.push_back(std::move(made));
}

// Toolkits in the registry: those that are in no other default folder, and those whose folder is gone.
void add_defaults(const Host& host, ToolkitCandidates& candidates) {
    const std::vector<RegisteredToolkit> registered = registered_toolkits(host);
    for (const auto& folder : default_folders(host)) {
        const auto key =
            std::find_if(registered.begin(), registered.end(), [&](const RegisteredToolkit& one) {
                return one.elsewhere && lower(one.folder) == lower(folder);
            });
        Origin origin = Origin::from_file(folder);
        origin.text = "default folder " + folder;
        if (key == registered.end())
            add_quiet(host, candidates, SelectorKind::default_folder, folder, folder, origin);
        else
            add_quiet(host, candidates, SelectorKind::registry, key->key, folder, origin_of(*key));
    }
    for (const RegisteredToolkit& one : registered) {
        ToolkitCandidate made = candidate(SelectorKind::registry, one.key, one.folder, origin_of(one));
        follow_folder(host, made, false);
        if (made.selector.problem == PathProblem::missing) candidates.push_back(std::move(made));
    }
    if (host.foreign()) add_unread_registry(host, candidates);
}

// CUDA_PATH_V13_0: set by the Windows installer in addition to CUDA_PATH.
std::vector<std::string> numbered_variables(const Host& host) {
    std::vector<std::string> names;
    for (const auto& [name, value] : host.environment())
        if (starts_with(lower(name), "cuda_path_v")) names.push_back(name);
    return names;
}

}  // namespace

std::vector<ToolkitCandidate> follow_candidates(const Host& host, const Request& request,
                                                const PythonEnvironment& python) {
    ToolkitCandidates candidates;
    add_options(host, request, candidates);
    if (request.only_named) return candidates;
    const auto variables = [&](std::initializer_list<const char*> names) {
        for (const char* name : names) add_variable(host, candidates, name);
    };
    if (request.from_cmake) {
        variables({"CUDACXX"});
        add_search_path(host, candidates);
        add_cmake_root(host, request, candidates);
        variables({"CUDA_PATH", "CUDAToolkit_ROOT", "CUDA_HOME"});
    } else {
        variables({"CUDA_HOME", "CUDA_PATH"});
        add_search_path(host, candidates);
        variables({"CUDACXX", "CUDAToolkit_ROOT"});
    }
    variables({"CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR", "NVHPC_CUDA_HOME", "NVHPC_ROOT", "EBROOTCUDA",
               "CUDA_INSTALL_PATH", "CUDA_BASE", "CUDADIR", "CUDA_DIR", "CUDATOOLKIT_HOME"});
    for (const auto& name : numbered_variables(host)) add_variable(host, candidates, name);
    add_defaults(host, candidates);
    add_conda(host, candidates);
    add_wheels(host, python, candidates);
    return candidates;
}

}  // namespace ptxguard
