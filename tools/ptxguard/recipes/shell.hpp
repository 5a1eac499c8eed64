// The commands of a shell text in execution order, with their variables replaced. If it is not known which
// branches are executed, all are read, as alternatives (fixed = false). Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "recipes/checkouts.hpp"
#include "recipes/recipe.hpp"
#include "recipes/shell_expand.hpp"
#include "recipes/written_files.hpp"

namespace ptxguard::recipes {

enum class ShellKind { posix, cmd, powershell };
// By the shell's program: "bash", "/bin/sh", "pwsh.exe", "cmd".
ShellKind shell_kind(std::string_view program);
bool is_posix_shell(std::string_view program);  // "bash", "/bin/sh", "dash" ...
// "bash" for "#!/usr/bin/env -S bash -e"; empty = not in its first line.
std::string program_of_script(std::string_view text);

struct Shell {
    ShellKind kind = ShellKind::posix;
    Variables variables;    // of its environment, and those that it sets
    std::string folder;     // working folder; "" = the one in which the recipe starts
    std::string starts_in;  // that folder
    ReadFile files;
    bool is_script = false;  // its exports last for the recipe: also emits SetVariable steps
    Problems problems = {};
    std::shared_ptr<WrittenFiles> written = std::make_shared<WrittenFiles>();  // of all commands so far
    std::shared_ptr<Checkouts> checkouts = std::make_shared<Checkouts>();      // the same
};

// Reads `text` with the state of `shell`, and updates it. Commands are interpreted (interpret.hpp).
std::vector<Step> read_shell(const PlacedText& text, Shell& shell);
// A command whose words are already split: the exec form of a Dockerfile.
std::vector<Step> read_command(std::vector<Written> words, Shell& shell);

}  // namespace ptxguard::recipes
