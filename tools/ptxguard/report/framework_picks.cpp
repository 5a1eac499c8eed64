// Tools come from the searches in discover/ and expect/, libraries from the loader's trace.
// SPDX-License-Identifier: Apache-2.0
#include "report/framework_picks.hpp"

#include <algorithm>

#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

struct Named {
    const char* library;
    const char* name;
};
// In the order of the table.
constexpr Named k_libraries[] = {{"cudart", "cudart"},
                                 {"cublas", "cuBLAS"},
                                 {"cublasLt", "cuBLASLt"},
                                 {"cudnn", "cuDNN"},
                                 {"nvrtc", "NVRTC"}};

std::string text_of(const Known<Version>& version) { return version ? version->text : ""; }

// What would make a process load another file of that name.
void add_setting(const LoadedFile& library, System system, FrameworkPick& pick) {
    const LoadStep step = library.rule.step;
    pick.setting = deciding_variable(library.rule);
    if (!pick.setting.empty()) {
        pick.words = step == LoadStep::path ? "PATH decides" : "that variable decides";
        return;
    }
    // "$CUDA_PATH/lib64/..." of a finder: its last resort.
    if (step == LoadStep::finder && starts_with(library.rule_detail, "$")) {
        const std::string& place = library.rule_detail;
        pick.setting = place.substr(1, place.find('/') - 1);
        pick.words = pick.setting + " decides";
        return;
    }
    if (system == System::windows || step == LoadStep::rpath || step == LoadStep::import ||
        step == LoadStep::call || step == LoadStep::finder) {
        pick.words = "no variable changes it";
        return;
    }
    pick.setting = "LD_LIBRARY_PATH";
    pick.words = "LD_LIBRARY_PATH comes before it";
}

void add_libraries(const Scenario& scenario, const LoadTrace& trace, std::vector<FrameworkPick>& picks) {
    const Expectation* framework = scenario.framework_of(trace);
    for (const Named& named : k_libraries) {
        const LoadedFile* library = trace.library(named.library);
        if (!library || (!library->taken && (library->optional || library->how == LoadHow::text))) continue;
        FrameworkPick pick;
        pick.framework = framework ? framework->name() : trace.framework();
        pick.part = named.name;
        pick.version = text_of(library->version);
        if (library->taken) {
            pick.path = shown_path(*library->taken, library->real_path);
            pick.because = library->rule.text;
            add_setting(*library, scenario.system, pick);
        } else {
            pick.because = library->undecided ? "undecided" : "missing";
            pick.words = library->name;
        }
        picks.push_back(pick);
    }
}

// Tools that a framework searches for; for torch also those of its extension builder.
void add_tools(const Scenario& scenario, const Expectation& framework, std::vector<FrameworkPick>& picks) {
    for (const Pick& tool : scenario.picks) {
        const bool own = tool.search && tool.search->package == framework.package && tool.tool == "ptxas";
        const bool extension = framework.package == "torch" && tool.consumer == "torch.utils.cpp_extension";
        if (!own && !extension) continue;
        FrameworkPick pick;
        pick.framework = framework.name();
        pick.part = tool.tool;
        pick.version = text_of(tool.version);
        pick.path = tool.path;
        pick.because = tool.because;
        pick.setting = extension ? "CUDA_HOME" : tool.search->setting;
        picks.push_back(pick);
    }
}

std::string common_folder(std::string folder, const std::string& path) {
    while (!folder.empty() && !starts_with(path, folder + "/")) folder = folder_of(folder);
    return folder;
}

// One file by its path; several by their common folder.
std::string place_of(const std::vector<FrameworkPick>& group) {
    std::string common = folder_of(group.front().path);
    for (const FrameworkPick& pick : group) common = common_folder(common, pick.path);
    if (group.size() == 1) return group.front().path;
    const bool one_folder =
        all_of(group, [&](const FrameworkPick& pick) { return folder_of(pick.path) == common; });
    return one_folder ? common : common + "/...";
}

// Close enough to be one installation, not only the same disk.
bool are_near(const FrameworkPick& a, const FrameworkPick& b) {
    constexpr int k_enough = 3;  // "/opt/venv/lib", "C:/CUDA/v11.0/bin"
    const std::string common = common_folder(folder_of(a.path), b.path);
    return common == folder_of(a.path) || std::count(common.begin(), common.end(), '/') >= k_enough;
}

// "cudart 12.8, cuBLAS 12.8.4.1"; cuBLASLt is not listed if it has cuBLAS' version.
std::string parts_of(const std::vector<FrameworkPick>& group) {
    std::string text;
    const FrameworkPick* cublas = nullptr;
    for (const FrameworkPick& pick : group) {
        if (pick.part == "cuBLASLt" && cublas && pick.version == cublas->version) continue;
        if (pick.part == "cuBLAS") cublas = &pick;
        const std::string version = pick.path.empty() ? "none" : pick.version.empty() ? "?" : pick.version;
        text += (text.empty() ? "" : ", ") + pick.part + " " + version;
    }
    return text;
}

}  // namespace

std::vector<FrameworkPick> framework_picks(const Scenario& scenario) {
    std::vector<FrameworkPick> picks;
    for (const Expectation& framework : scenario.expectations)
        if (!framework.path.empty()) add_tools(scenario, framework, picks);
    for (const LoadTrace& trace : scenario.traces)
        if (trace.traced_for) add_libraries(scenario, trace, picks);
    return picks;
}

std::vector<Row> framework_pick_rows(const Scenario& scenario) {
    std::vector<std::vector<FrameworkPick>> groups;
    for (const FrameworkPick& pick : framework_picks(scenario)) {
        if (pick.part == "nvcc" || pick.part == "ptxas") continue;
        const auto same = [&](const std::vector<FrameworkPick>& group) {
            const FrameworkPick& first = group.front();
            const bool alike = first.framework == pick.framework && first.because == pick.because;
            return alike && (pick.path.empty() || (first.words == pick.words && are_near(first, pick)));
        };
        auto* group = first_where(groups, same);
        if (!group)
            groups.push_back({pick});
        else
            group->push_back(pick);
    }
    std::vector<Row> rows;
    std::string last;
    for (const std::vector<FrameworkPick>& group : groups) {
        const FrameworkPick& first = group.front();
        std::string names;
        for (const FrameworkPick& pick : group) names += (names.empty() ? "" : ", ") + pick.words;
        const bool none = first.path.empty();
        rows.push_back({first.framework == last ? "" : first.framework, parts_of(group),
                        none ? names : place_of(group),
                        none ? first.because : first.because + "; " + first.words});
        last = first.framework;
    }
    return rows;
}

Json framework_picks_json(const Scenario& scenario) {
    Json array = Json::array();
    for (const FrameworkPick& pick : framework_picks(scenario)) {
        Json json = Json::object();
        json.set("framework", pick.framework).set("part", pick.part);
        if (!pick.version.empty()) json.set("version", pick.version);
        if (!pick.path.empty()) json.set("path", pick.path);
        json.set("because", pick.because);
        if (!pick.setting.empty()) json.set("setting", pick.setting);
        array.push(json);
    }
    return array;
}

}  // namespace ptxguard
