// Common to the jobs of all CI systems: an image, variables, commands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/text.hpp"
#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {

// What a job is called, "test", and which one of several it is, "(cuda=12.1)".
struct JobTitle {
    std::string name, row;

    // What follows a row belongs to it: "test", "(cuda=12.1) / build".
    void add(const std::string& text) { (row.empty() ? name : row) += text; }
    // "cuda=12.1"; empty = the only row.
    void add_row(const std::string& values) {
        if (!values.empty()) row += (row.empty() ? "(" : " (") + values + ")";
    }
};

class Job {
public:
    Job(Recipe& recipe, const ReadFile& files);

    void name(const JobTitle& title) {
        stage.row = title.row;
        stage.name = trim("job " + title.name + (title.row.empty() ? "" : " " + title.row));
    }

    Stage stage;

    void set(const std::string& name, const Written& value, bool step_too = true);
    // A variable of one step, to what it was before.
    void unset(const std::string& name, const Variables& before);
    void activate(const std::string& environment);  // for all later texts
    // $NAME is a file of NAME=VALUE lines, whose variables all later texts get: GITHUB_ENV.
    void environment_file(const std::string& name);
    // $NAME is such a file whose values the system gives to others: GITHUB_OUTPUT.
    void output_file(const std::string& name);
    // What the last text wrote to it.
    std::vector<SetVariable> outputs(bool open);
    // The NAME=VALUE lines of a file that the texts so far wrote, which the next text finds empty.
    std::vector<SetVariable> pairs_in(const std::string& name, bool open);
    // Runs the text in a new shell; `open`: it is not known whether it runs.
    void run(const PlacedText& text, const std::string& folder, ShellKind shell, bool open);
    // The same for what the CI system starts with the text: "bash -el {0}", "python"; "" is `usual`.
    void run(const PlacedText& text, const std::string& folder, const std::string& setting, ShellKind usual,
             bool open);
    // Runs the texts one after the other in a container of the image, which has none of the job's variables.
    void run_in_image(const std::vector<PlacedText>& texts, const Written& image, bool open);
    // In the shell of the previous texts.
    void go_on(const PlacedText& text);
    void add(Step step) { stage.steps.push_back(std::move(step)); }
    const Variables& variables() const { return m_shell.variables; }
    // What the texts so far wrote to the environment file, in their order.
    const std::vector<SetVariable>& lasting() const { return m_lasting; }
    // Adds the stage to the recipe. False: the recipe has too many jobs or steps to continue.
    bool finish();

private:
    using Reader = std::vector<Step> (*)(const PlacedText& text, Shell& shell);
    void run(const PlacedText& text, const std::string& folder, Reader read, bool open);
    void go_on(const PlacedText& text, Reader read);
    void take_commands(std::size_t first, bool open);
    void set_lasting(const SetVariable& one);

    Recipe& m_recipe;
    Shell m_shell;
    std::string m_environment_file, m_output_file;
    std::vector<SetVariable> m_outputs;  // of the last text, by commands that it echoes
    std::vector<SetVariable> m_lasting;
    Written m_at;  // the last text
};

}  // namespace ptxguard::recipes
