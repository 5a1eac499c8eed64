// conda environments and venvs: in which of them a command installs. Each is a scenario of its own.
//
// While a text is read, a variable of the shell holds the environments whose programs its PATH finds, nearest
// first and joined by ":": "a" of conda, "/opt/venv" or "./venv" of a folder. Which of the folders is an
// environment is decided for the whole stage, where it is known what the recipe makes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/interpret.hpp"
#include "recipes/shell_expand.hpp"

namespace ptxguard::recipes {

constexpr const char* k_active_environments = "(environments)";
constexpr const char* k_base_environment = "base";

// Of `-n a`, `-p ./a`; "a" of "/opt/conda/envs/a".
std::string environment_name(std::string_view word, const std::string& folder);
std::string environment_folder(std::string path, const std::string& folder);
// Of "/opt/venv/bin/pip"; empty = a program without a folder.
std::string environment_of_program(std::string_view program, const std::string& folder);
// Those of the shell that runs the command.
std::string active_environments(const Inherited& inherited);
// That which `python -m venv X`, `virtualenv X`, `uv venv X` makes; empty = none, or one that has the
// packages of its Python too.
std::string made_environment(const std::vector<Written>& words, const std::string& folder);

// `conda activate a`, `. X/bin/activate`, `deactivate`.
void follow_activation(const std::vector<Written>& words, const std::string& folder, Variables& variables);
// PATH, VIRTUAL_ENV, CONDA_DEFAULT_ENV.
void follow_path(const std::string& name, const Written& value, const std::string& folder,
                 Variables& variables);
void activate(const std::string& environment, Variables& variables);
// What `echo "conda activate a" >> ~/.bashrc` activates in login shells; empty = nothing.
std::string activated_at_login(const Step& step);

// Which steps of a stage belong together.
class Environments {
public:
    explicit Environments(const std::vector<const Stage*>& line);
    // "" = that of the image's own Python; several only where packages are installed into several.
    const std::vector<std::string>& names() const { return m_names; }
    bool holds(const std::string& name, const Step& step) const;

private:
    std::vector<std::string> m_names;
    std::map<const Step*, std::string> m_of;  // of steps that are not in ""
};

}  // namespace ptxguard::recipes
