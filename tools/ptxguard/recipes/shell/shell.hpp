// The commands of a shell text in execution order, with their variables replaced. If it is not known which
// branches are executed, all are read, as alternatives (fixed = false). Nothing is run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "recipes/base/checkouts.hpp"
#include "recipes/base/recipe.hpp"
#include "recipes/base/written_files.hpp"
#include "recipes/shell/shell_expand.hpp"

namespace ptxguard::recipes {

enum class ShellKind { posix, cmd, powershell };
// By the shell's program: "bash", "/bin/sh", "pwsh.exe", "cmd".
ShellKind shell_kind(std::string_view program);
bool is_posix_shell(std::string_view program);  // "bash", "/bin/sh", "dash" ...
// Of the program that a CI system starts with a text: "bash -el {0}"; "" is `usual`. Nothing for "python3
// {0}", "uv run julia {0}" and the like, which read no text of a shell.
std::optional<ShellKind> shell_of_setting(std::string_view setting, ShellKind usual);
// "bash" for "#!/usr/bin/env -S bash -e"; empty = not in its first line.
std::string program_of_script(std::string_view text);

// `case $1 in`, where $1 is not known: the values that the text itself distinguishes.
inline constexpr const char* k_branch = "(branch)";  // `name`: of a condition; no name of a variable
struct OpenCase {
    std::string name = {};  // "1"; empty = none
    std::vector<Written> values = {};
};

struct ParsedShell;  // shell_walker.hpp
struct ShellNode;
struct ShellFunction {
    std::shared_ptr<const ParsedShell> text;
    const ShellNode* body = nullptr;  // in it
};

// Functions and scripts that run, each started by the one before it.
class RunningCalls {
public:
    void begin(const void* text, const std::vector<Written>& arguments, bool open) {
        m_all.push_back({text, arguments, open});
    }
    void end() { m_all.pop_back(); }
    // Whether it runs already and may call itself for ever: where it is not known whether it is called, with
    // nothing new.
    bool repeats(const void* text, const std::vector<Written>& arguments, bool open) const;

private:
    struct Call {
        const void* text;
        std::vector<Written> arguments;
        bool open;  // it is not known whether it is called
    };
    std::vector<Call> m_all;
};

using Settings = std::map<std::string, Written, std::less<>>;

struct Shell {
    ShellKind kind = ShellKind::posix;
    Variables variables;                    // of its environment, and those that it sets
    std::string folder;                     // working folder; "" = the one in which the recipe starts
    std::string starts_in;                  // that folder
    std::vector<std::string> folders = {};  // to which popd returns
    ReadFile files;
    bool is_script = false;    // its exports last for the recipe: also emits SetVariable steps
    bool exports_all = false;  // set -a
    bool in_image = false;     // `files` also knows absolute paths: those that a COPY provides
    // Switches that a test found off by their defaults, with the value that turns them on; null: not wanted.
    std::shared_ptr<std::map<std::string, Written>> switches = {};
    std::shared_ptr<OpenCase> open_case = {};  // gets the first one; null: not wanted
    std::map<std::string, ShellFunction> functions = {};
    std::map<std::string, std::shared_ptr<const PlacedText>> windows_functions = {};  // of PowerShell
    std::set<std::string> tested = {};  // `[ -f FILE ]` around the command, where it is not known
    std::size_t depth = 0;              // of calls: functions, shells and scripts in each other
    RunningCalls calls = {};
    Problems problems = {};
    std::shared_ptr<WrittenFiles> written = std::make_shared<WrittenFiles>();  // of all commands so far
    std::shared_ptr<Checkouts> checkouts = std::make_shared<Checkouts>();      // the same
    // What `pip config set` and `conda config` wrote into files, by the variable of the same meaning.
    std::shared_ptr<Settings> settings = std::make_shared<Settings>();
};

// Reads `text` with the state of `shell`, and updates it. Commands are interpreted (interpret.hpp).
std::vector<Step> read_shell(const PlacedText& text, Shell& shell);
// A command whose words are already split: the exec form of a Dockerfile.
std::vector<Step> read_command(std::vector<Written> words, Shell& shell);

}  // namespace ptxguard::recipes
