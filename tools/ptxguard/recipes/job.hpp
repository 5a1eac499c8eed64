// Common to the jobs of all CI systems: an image, variables, commands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "recipes/expressions.hpp"
#include "recipes/shell.hpp"

namespace ptxguard::recipes {

class Job {
public:
    Job(Recipe& recipe, const ReadFile& files) : m_recipe(recipe), m_at{"", recipe.file} {
        m_shell.files = files;
    }

    Stage stage;

    void set(const std::string& name, const Written& value, bool step_too = true);
    // Variables of one step.
    void unset(const std::string& name);
    void activate(const std::string& environment);  // for all later texts
    // $NAME is a file of NAME=VALUE lines, whose variables all later texts get: GITHUB_ENV.
    void environment_file(const std::string& name);
    // Runs the text in a new shell; `open`: it is not known whether it runs.
    void run(const PlacedText& text, const std::string& folder, ShellKind shell, bool open);
    // In the shell of the previous texts.
    void go_on(const PlacedText& text);
    void add(Step step) { stage.steps.push_back(std::move(step)); }
    const Variables& variables() const { return m_shell.variables; }
    // Adds the stage to the recipe. False: the recipe has too many jobs or steps to continue.
    bool finish();

private:
    void take_environment_file(bool open);

    Recipe& m_recipe;
    Shell m_shell;
    std::string m_environment_file;
    Written m_at;  // the last text
};

// Marks the step's values as alternatives.
void make_open(Step& step);

}  // namespace ptxguard::recipes
