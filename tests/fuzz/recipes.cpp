// The readers of recipes that people write: requirements, YAML, TOML, expressions.
// SPDX-License-Identifier: Apache-2.0
#include "ask.hpp"
#include "python/marker.hpp"
#include "recipes/ci/workflow.hpp"
#include "recipes/containers/compose.hpp"
#include "recipes/installers/conda_environment.hpp"
#include "recipes/installers/conda_recipe.hpp"
#include "recipes/installers/locks.hpp"
#include "recipes/installers/match_spec.hpp"
#include "recipes/installers/pyproject.hpp"
#include "recipes/python/requirements.hpp"

using namespace ptxguard::recipes;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    // Every named file has this same text.
    int reads = 0;
    const ReadFile same = [&](const std::string& path, const Written&) -> std::optional<FileText> {
        return ++reads < 20 ? std::optional(FileText{path, text}) : std::nullopt;
    };
    for (const auto& read : {read_requirements_recipe, read_pyproject, read_conda_environment,
                             read_conda_recipe, read_workflow, read_compose, read_devcontainer}) {
        reads = 0;
        for (const Stage& stage : read("recipe", text, same).stages) look_at(stage.name);
    }
    (void)read_lock_file("uv.lock", text);
    if (size > 4096) return 0;
    (void)ptxguard::holds(text, {"3.11", "linux", "x86_64", {}});
    (void)read_match_spec({text, "a", 1, 1});
    (void)read_requirement({text, "a", 1, 1});
    return 0;
}
