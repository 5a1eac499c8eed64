// Commands that run another command: sudo, env, nice, `bash -c`. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {

struct Wrapped {
    std::size_t begin = 0;                                  // the first word of the executed command
    std::vector<SetVariable> variables = {};                // `env NAME=VALUE`
    std::size_t shell_text = static_cast<std::size_t>(-1);  // the word that a shell executes as its text
    ShellKind shell = ShellKind::posix;
};
Wrapped without_wrappers(const Command& command);
void unwrap(Command& command, const Wrapped& inner);

// `retry pip install X`, `Invoke pip install X`: a function that runs its arguments, defined elsewhere.
bool runs_package_installer(const std::vector<Written>& words);

// xargs's own option, in the place of what it reads from there.
constexpr const char* k_file_of_arguments = "--arg-file";
// What `xargs [options] COMMAND` runs on the output of the first command of its pipeline, as far as that is
// known: `echo A | xargs pip install` is `pip install A`. The words themselves for other commands. `list`:
// what it reads; null = not known.
std::vector<Written> words_of_xargs(const std::vector<Written>& words, const std::vector<Written>& piped,
                                    const FileText* list);

// `docker run [options] IMAGE COMMAND`, `docker exec NAME COMMAND`, `singularity exec IMAGE COMMAND`.
struct InContainer {
    std::size_t begin = 0;                   // of the command
    Written image;                           // empty: a container that runs already
    Written gpu;                             // the option that gives it one
    std::string environment;                 // a name for what it installs into
    std::vector<SetVariable> variables;      // -e NAME=VALUE; without a value: that of the shell
    std::vector<Written> environment_files;  // --env-file
    std::vector<Written> mounts;             // -v HOST:FOLDER
    Written folder;                          // -w
};
std::optional<InContainer> container_command(const std::vector<Written>& words);
std::vector<Step> run_in_container(const Command& command, const InContainer& inside, Shell& shell);

}  // namespace ptxguard::recipes
