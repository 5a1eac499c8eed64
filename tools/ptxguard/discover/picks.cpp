// Each consumer is a list of steps. A variable that a consumer uses without checking ends the search even if
// it selects nothing: torch uses CUDA_HOME unchecked, CMake fails for a wrong CUDACXX.
// SPDX-License-Identifier: Apache-2.0
#include "discover/picks.hpp"

#include <set>

#include "discover/selectors.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Step {
    std::string name;    // of the selector
    bool blind = false;  // used if it is set, right or wrong
};

struct SearchOrder {
    std::string name;
    std::vector<Step> steps;
    bool beside_cxx = false;  // CMake searches the folder of the C++ compiler first
};

const SearchOrder k_cmake{
    "CMake (enable_language(CUDA))",
    {{"CMAKE_CUDA_COMPILER", true}, {"CUDACXX", true}, {"PATH", false}, {"CUDA_PATH", false}},
    true};
const SearchOrder k_torch{
    "torch.utils.cpp_extension",
    {{"CUDA_HOME", true}, {"CUDA_PATH", true}, {"PATH", false}, {"/usr/local/cuda", false}},
    false};
const SearchOrder k_bare{"a bare `nvcc`", {{"PATH", false}}, false};

bool selects_nvcc(const ToolkitCandidate& candidate) {
    return candidate.found.site.found() && !candidate.found.site.nvcc.empty();
}

// With C++ enabled before CUDA (project(x LANGUAGES CXX CUDA)) CMake first searches next to that compiler.
std::size_t beside_cxx(const Host& host, const std::vector<ToolkitCandidate>& candidates) {
    std::string folder;
    if (const auto compilers = programs_on_path(host, {"c++", "g++"}); !compilers.empty())
        folder = folder_identity(host, compilers.front().at.folder);
    for (std::size_t i = 0; i < candidates.size() && !folder.empty(); ++i)
        if (candidates[i].selector.kind == SelectorKind::search_path && selects_nvcc(candidates[i]) &&
            folder_identity(host, candidates[i].selector.value) == folder)
            return i;
    return k_no_candidate;
}

std::size_t winner(const Host& host, const SearchOrder& consumer,
                   const std::vector<ToolkitCandidate>& candidates) {
    for (const auto& step : consumer.steps) {
        if (step.name == "PATH" && consumer.beside_cxx)
            if (const std::size_t near = beside_cxx(host, candidates); near != k_no_candidate) return near;
        for (std::size_t i = 0; i < candidates.size(); ++i) {
            if (candidates[i].selector.name != step.name) continue;
            const bool empty = candidates[i].selector.problem == PathProblem::empty;
            if (selects_nvcc(candidates[i]) || (step.blind && !empty)) return i;
        }
    }
    return k_no_candidate;
}

Pick::Loser loser_of(const SearchOrder& consumer, const ToolkitCandidate& loser,
                     const ToolkitCandidate* won) {
    const auto is_step = [&](const Step& step) { return step.name == loser.selector.name; };
    const bool read = any_of(consumer.steps, is_step);
    const std::string path = nvcc_of(loser);
    if (!read) return {path, loser.selector.name + " is not looked at", "", Skipped::other};
    return {path, won ? "comes after " + reason_of(won->selector) : "", "", Skipped::later};
}

Known<Version> version_of(const Scenario& scenario, const std::string& id, PartKind kind) {
    const Toolkit* toolkit = scenario.toolkit(id);
    const Part* part = toolkit ? toolkit->part(kind) : nullptr;
    return part ? part->version : Known<Version>{};
}

Pick pick_for(const SearchOrder& consumer, const std::vector<ToolkitCandidate>& candidates, std::size_t won,
              const Scenario& scenario) {
    Pick pick;
    pick.consumer = consumer.name;
    pick.tool = "nvcc";
    const ToolkitCandidate* candidate = won == k_no_candidate ? nullptr : &candidates[won];
    if (candidate) {
        pick.because = reason_of(candidate->selector);
        pick.path = selects_nvcc(*candidate) ? nvcc_of(*candidate) : "";
        pick.toolkit = candidate->selector.toolkit;
        if (!pick.path.empty()) pick.version = version_of(scenario, pick.toolkit, PartKind::nvcc);
    } else {
        pick.because = "finds none";
    }
    std::set<std::string> seen;  // toolkits: each is listed once, with its first candidate
    for (const auto& other : candidates) {
        // Another path of the selected toolkit is not a skipped one.
        if (&other == candidate || !selects_nvcc(other) || other.selector.toolkit == pick.toolkit) continue;
        const std::string path = nvcc_of(other);
        if (!other.selector.toolkit.empty() && !seen.insert(other.selector.toolkit).second) continue;
        const auto same = [&](const Pick::Loser& loser) { return loser.path == path; };
        if (any_of(pick.losers, same)) continue;
        pick.losers.push_back(loser_of(consumer, other, candidate));
    }
    return pick;
}

// All candidates in order: the last resort of "this build".
std::size_t first_compiler(const std::vector<ToolkitCandidate>& candidates) {
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (selects_nvcc(candidates[i])) return i;
    return k_no_candidate;
}

}  // namespace

std::string nvcc_of(const ToolkitCandidate& candidate) { return candidate.found.site.nvcc; }

std::string reason_of(const Selector& selector) {
    if (selector.kind == SelectorKind::search_path)
        return "first nvcc on PATH (entry " + std::to_string(selector.position) + ")";
    if (selector.kind == SelectorKind::default_folder) return "default folder " + selector.name;
    return selector.name;
}

std::size_t deciding_candidate(const Host& host, const Request& request,
                               const std::vector<ToolkitCandidate>& candidates) {
    for (const char* option : {"--toolkit", "CMAKE_CUDA_COMPILER"})
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (candidates[i].selector.name == option) return i;
    const std::size_t won = winner(host, request.from_cmake ? k_cmake : k_torch, candidates);
    return won == k_no_candidate ? first_compiler(candidates) : won;
}

void write_picks(const Host& host, const Request& request, const std::vector<ToolkitCandidate>& candidates,
                 const Part* bare_ptxas, Scenario& scenario) {
    const SearchOrder& order = request.from_cmake ? k_cmake : k_torch;
    const std::size_t decides = deciding_candidate(host, request, candidates);
    SearchOrder build{"this build", order.steps, order.beside_cxx};
    build.steps.insert(build.steps.begin(), {{"--toolkit", true}, {"CMAKE_CUDA_COMPILER", true}});
    scenario.picks.push_back(pick_for(build, candidates, decides, scenario));
    for (const SearchOrder* consumer : {&k_cmake, &k_torch, &k_bare})
        scenario.picks.push_back(
            pick_for(*consumer, candidates, winner(host, *consumer, candidates), scenario));

    Pick ptxas;
    ptxas.consumer = "a bare `ptxas`";
    ptxas.tool = "ptxas";
    ptxas.because = "finds none";
    if (bare_ptxas) {
        const PathProgram first = programs_on_path(host, {"ptxas"}).front();
        ptxas.path = first.path;
        ptxas.because = "first ptxas on PATH (entry " + std::to_string(first.at.position) + ")";
        ptxas.version = bare_ptxas->version;
    }
    for (const auto& toolkit : scenario.toolkits) {
        const Part* part = toolkit.part(PartKind::ptxas);
        if (!part) continue;
        const bool same =
            bare_ptxas && !bare_ptxas->real_path.empty() && part->real_path == bare_ptxas->real_path;
        if (same && !ptxas.version) ptxas.version = part->version;
        if (same && ptxas.toolkit.empty())
            ptxas.toolkit = toolkit.id;
        else if (part->path != ptxas.path && !same)
            ptxas.losers.push_back({part->path, "comes later on PATH or is not on it", "", Skipped::later});
    }
    scenario.picks.push_back(ptxas);
}

// Only files and variables are read: no package manager is run.

namespace {

bool is_set(const Host& host, const char* name) { return !host.env(name).value_or("").empty(); }

// "cuda/12.8.1", "cuda/12.8.1.lua" in the folders of MODULEPATH.
void add_modules(const Host& host, Scenario& scenario) {
    if (!is_set(host, "LMOD_CMD") && !is_set(host, "MODULESHOME") && !is_set(host, "MODULEPATH")) return;
    Installer module{"module", false, {}};
    for (const std::string& folder : split_list(host.env("MODULEPATH").value_or(""), System::linux_))
        for (const char* name : {"cuda", "CUDA", "cudatoolkit", "nvidia/cuda"}) {
            for (const DirectoryEntry& entry : entries_in(host, join_path(folder, name))) {
                std::string release = entry.name;
                if (ends_with(release, ".lua")) release.resize(release.size() - 4);
                if (starts_with(release, ".") || !parse_version(release)) continue;
                add_once(module.releases, std::string(name) + "/" + release);
            }
        }
    scenario.installers.push_back(std::move(module));
}

void add_conda(const Host& host, Scenario& scenario) {
    const bool active = is_set(host, "CONDA_PREFIX");
    for (const char* name : {"conda", "mamba", "micromamba"})
        if (!program_on_path(host, name).empty() || (active && std::string(name) == "conda"))
            return scenario.installers.push_back({name, active, {}});
}

void add_pip(const Host& host, Scenario& scenario) {
    const bool active = is_set(host, "VIRTUAL_ENV");
    if (active || !scenario.python.path.empty()) scenario.installers.push_back({"pip", active, {}});
}

// NVIDIA's repository lists toolkits of all releases, those of distributions only one.
void add_system_packages(const Host& host, Scenario& scenario) {
    const auto lists_cuda = [&](const char* folder) {
        return any_of(entries_in(host, folder),
                      [](const DirectoryEntry& entry) { return starts_with(entry.name, "cuda"); });
    };
    if (lists_cuda("/etc/apt/sources.list.d")) scenario.installers.push_back({"apt-get", false, {}});
    if (lists_cuda("/etc/yum.repos.d")) scenario.installers.push_back({"dnf", false, {}});
}

// What fetches NVIDIA's installer, which needs glibc; Jetsons have their own toolkits. `releases`: the end of
// the installer's name.
void add_download(const Host& host, Scenario& scenario) {
    const auto is_there = [&](const char* path) { return host.status(path).type == FileType::regular; };
    const bool x86 = is_there("/lib64/ld-linux-x86-64.so.2");
    const bool arm = is_there("/lib/ld-linux-aarch64.so.1") && !is_there("/etc/nv_tegra_release");
    if (!x86 && !arm) return;
    for (const char* name : {"wget", "curl"})
        if (!program_on_path(host, name).empty())
            return scenario.installers.push_back({name, false, {x86 ? "linux" : "linux_sbsa"}});
}

}  // namespace

void find_installers(const Host& host, Scenario& scenario) {
    if (host.system() == System::linux_) add_modules(host, scenario);
    add_conda(host, scenario);
    add_pip(host, scenario);
    if (host.system() == System::linux_) add_system_packages(host, scenario);
    if (host.system() == System::linux_) add_download(host, scenario);
}

}  // namespace ptxguard
