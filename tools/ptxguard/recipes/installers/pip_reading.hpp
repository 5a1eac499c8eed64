// What the options and variables of one command of pip, uv, poetry or pdm request. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/base/arguments.hpp"
#include "recipes/base/inherited.hpp"

namespace ptxguard::recipes {

struct PipReading {
    PipInstall install;
    const ReadFile& files;
    const Inherited& inherited;
    std::vector<std::string> extras;         // and groups, of the project in the working folder
    std::vector<Written> sources;            // folders of projects whose requirements alone are installed
    std::size_t count = 0;                   // of files in the command
    std::vector<std::string> left_out = {};  // packages of the project that uv sync does not install

    void file(const Written& name, bool constraints);
    // xargs: the lines of a file are arguments, of one command or of several.
    void file_of_arguments(const Written& name);
    void operand(const Written& word);
    // A folder, possibly without "/" in its name, or a repository.
    void editable(const Written& value);
    // The options that pip, uv and their variables share.
    bool option(const std::string& name, const Written& value);
    // A word of pip's command that is none of those: an option that pip does not have ends it.
    void unknown_option(const Written& word);
    void variable(const char* name, const char* option_name);
    bool truth(const char* name) const;  // a pip variable that enables something
    // The project in the working folder: requirements of its pyproject.toml and lock file.
    void add_here(const Command& command);

private:
    void project(const Written& word);
    void add_named_index(const Written& value);
    void python(const std::string& text);
};

// Appends the names of a list; ":none:" empties it.
void add_names(std::vector<std::string>& names, const std::string& list);
std::string text_at(const std::vector<const Argument*>& operands, std::size_t at);

// `pip uninstall`, `uv pip uninstall`: the operands behind the verb.
std::optional<PipInstall> read_uninstall(const std::vector<Argument>& arguments, std::size_t verb,
                                         PipReading& reading);
std::optional<PipInstall> read_uv(const Command& command, PipReading& reading);
// `uvx [--from PACKAGE] [--with PACKAGE] TOOL ...`
std::optional<PipInstall> read_uvx(const Command& command, PipReading& reading);

}  // namespace ptxguard::recipes
