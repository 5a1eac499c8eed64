// conda environments and venvs: the one that a command installs into.
//
// While a text is read, a shell variable holds the environments on its PATH, nearest first and joined by ":":
// "a" for conda, "/opt/venv" or "./venv" for a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/inherited.hpp"
#include "recipes/shell/shell_variables.hpp"

namespace ptxguard::recipes {

constexpr const char* k_active_environments = "(environments)";
constexpr const char* k_base_environment = "base";
constexpr const char* k_collected = "wheels";  // of `pip download`: files that are not installed

bool is_isolated(const PipInstall& install);  // of pipx, uvx
// Of an isolated one, or of files that are only collected: nothing else sees what it installs.
bool is_apart(const PipInstall& install);

// From `-n a`, `-p ./a`; "a" for "/opt/conda/envs/a".
std::string environment_name(std::string_view word, const std::string& folder);
std::string environment_folder(std::string path, const std::string& folder);
// From "/opt/venv/bin/pip"; empty = a program without a folder.
std::string environment_of_program(std::string_view program, const std::string& folder);
// Those of the shell that runs the command.
std::string active_environments(const Inherited& inherited);
// The one that `python -m venv X`, `virtualenv X`, `uv venv X` creates; empty = none, or one that also has
// the packages of its Python.
std::string made_environment(const std::vector<Written>& words, const std::string& folder);
// The Python that such a command names: "3.13" of `uv venv --python 3.13`; may be a path or a range.
std::string python_of_made(const std::vector<Written>& words);

// `conda activate a`, `. X/bin/activate`, `deactivate`.
void follow_activation(const std::vector<Written>& words, const std::string& folder, Variables& variables);
// PATH, VIRTUAL_ENV, CONDA_DEFAULT_ENV.
void follow_path(const std::string& name, const Written& value, const std::string& folder,
                 Variables& variables);
void activate(const std::string& environment, Variables& variables);
// What `echo "conda activate a" >> ~/.bashrc` activates in login shells; empty = nothing.
std::string activated_at_login(const Step& step);

}  // namespace ptxguard::recipes
