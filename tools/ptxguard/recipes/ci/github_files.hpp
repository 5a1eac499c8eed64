// Workflows and composite actions of the repository that a workflow of GitHub uses, and what it passes to
// them. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "recipes/base/yaml_files.hpp"
#include "recipes/ci/expressions.hpp"

namespace ptxguard::recipes {

using Inputs = std::map<std::string, std::string>;

// "Linux" for "ubuntu-22.04", "[self-hosted, linux, gpu]"; empty = not known.
std::string runner_of(const std::string& platform);
// `on:` of a workflow.
const Tree& triggers_of(const Tree& root);
void add_defaults(const Tree& inputs, Inputs& into);
// Values in `with:`; an input with an unknown value has no default either.
void add_given(const Tree& with, const std::string& file, const Scope& scope, Inputs& into);
// `type: choice` of an input: the values, without the default, that a person may choose, if they are
// versions.
std::vector<std::pair<std::string, std::string>> choices_of(const Tree& root, Recipe& recipe,
                                                            const ReadFile& files);

// Each file is read once.
class OwnFiles {
public:
    using File = YamlFiles::File;

    OwnFiles(const ReadFile& files, Recipe& recipe);
    // The composite action of `uses: ./FOLDER`.
    const File* action(const Written& uses);
    // The workflow of `uses: ./.github/workflows/x.yml`.
    const File* workflow(const Written& uses);

private:
    Recipe& m_recipe;
    YamlFiles m_files;
    std::size_t m_uses = 0;
};

}  // namespace ptxguard::recipes
