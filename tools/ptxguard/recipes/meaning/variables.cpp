// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/variables.hpp"

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/meaning/dead_paths.hpp"
#include "recipes/meaning/host_compilers.hpp"
#include "recipes/meaning/toolkit_requests.hpp"
#include "recipes/meaning/toolkits.hpp"

namespace ptxguard::recipes {
namespace {

// Similar to one of these, but not equal to any.
std::string misspelt(std::string_view name) {
    static const std::vector<std::string> k_known = {
        "LD_LIBRARY_PATH", "LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "CUDACXX", "TORCH_CUDA_ARCH_LIST"};
    if (name == "CUDA_PATCH") return "";  // the third number of a release
    if (name.size() < 9 || contains(k_known, name)) return "";
    for (const std::string& known : k_known) {
        if (name.front() != known.front() || name.size() + 1 < known.size() || known.size() + 1 < name.size())
            continue;
        // cuDF and other projects have names of their own: CUDF_PATH.
        if (starts_with(known, "CUDA") && name.size() == known.size() && !starts_with(name, "CUDA")) continue;
        const int distance = edit_distance(name, known);
        // A project's own name such as MY_LIBRARY_PATH is not a misspelling: in one, a letter is missing,
        // doubled or swapped.
        if (distance == 1) return known;
    }
    return "";
}

// A folder of another release than the stage's only toolkit.
void add_selector(const SetVariable& variable, Scenario& scenario) {
    const auto named = release_folder(variable.value.text);
    if (!named || !variable.value.known || scenario.toolkits.size() != 1) return;
    if (!starts_with(named->root, "/usr/local/cuda-")) return;
    const Toolkit& toolkit = scenario.toolkits.front();
    const Version* here = toolkit.version();
    if (!here || toolkit.layout != Layout::nvidia || same_release(named->release, *here)) return;
    scenario.selectors.push_back(missing_selector(variable, *here));
}

// "$LD_LIBARY_PATH" in a value: nothing sets it, and the old value is lost.
std::string misspelt_reference(const std::string& value) {
    for (std::size_t at = value.find('$'); at != std::string::npos; at = value.find('$', at + 1)) {
        std::size_t begin = at + 1;
        if (begin < value.size() && value[begin] == '{') ++begin;
        std::size_t end = begin;
        while (end < value.size() && (value[end] == '_' || (value[end] >= 'A' && value[end] <= 'Z'))) ++end;
        const std::string_view name = std::string_view(value).substr(begin, end - begin);
        if (!misspelt(name).empty()) return std::string(name);
    }
    return "";
}

}  // namespace

Selector missing_selector(const SetVariable& variable, const Version& here) {
    Selector selector;
    selector.kind = SelectorKind::variable;
    selector.name = variable.name;
    selector.value = variable.value.text;
    selector.problem = PathProblem::missing;
    selector.nearest = "/usr/local/cuda-" + here.release();
    selector.origin = origin_of(variable.value);
    selector.origin.variable = variable.name;
    return selector;
}

bool is_of_interest(const SetVariable& variable) {
    return is_arch_variable(variable.name) || selects_toolkit(variable.name) || variable.name == "PATH" ||
           variable.name == "FORCE_CUDA" || names_image(variable.value.text) ||
           is_standard_variable(variable.name) || variable.name == k_minimum_cmake ||
           HostCompilers::is_named_by(variable.name) ||
           variable.value.text.find("allow-unsupported") != npos || variable.name == "NVIDIA_REQUIRE_CUDA" ||
           variable.name == "NVIDIA_VISIBLE_DEVICES" || names_cuda_folder(variable) ||
           !misspelt(variable.name).empty() || !misspelt_reference(variable.value.text).empty();
}

void add_variables(const std::vector<SetVariable>& variables, Scenario& scenario) {
    for (const SetVariable& variable : variables) {
        if (selects_toolkit(variable.name)) add_selector(variable, scenario);
        const std::string reference = misspelt_reference(variable.value.text);
        const std::string name = reference.empty() ? variable.name : reference;
        const std::string meant = misspelt(name);
        if (meant.empty()) continue;
        EnvironmentEntry entry;
        entry.variable = name;
        entry.value = variable.value.text;
        entry.problem = PathProblem::undefined_variable;
        entry.nearest = meant;
        entry.origin = origin_of(variable.value);
        scenario.entries.push_back(std::move(entry));
    }
}

}  // namespace ptxguard::recipes
