// Operating system functions for the hosts, written once per system in *_posix.cpp and *_windows.cpp. Private
// to this room. Paths are UTF-8 paths of this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard::platform {

using Environment = std::map<std::string, std::string>;

System this_system();
Environment environment();
Environment later_environment();  // as in Host
std::optional<RegistryKey> registry(const std::string& key);
FileStatus status(const std::string& path);
// At most `most` bytes from `offset`, which is at most INT64_MAX - most.
Result<std::string> read_from(const std::string& path, std::uint64_t offset, std::size_t most);
// As in Host, the same on all systems.
Result<std::string> read(const std::string& path, std::size_t limit);
Result<std::string> read_range(const std::string& path, std::uint64_t offset, std::size_t length);
Result<Source> open(const std::string& path);  // kept open as long as a copy exists
Result<std::vector<DirectoryEntry>> list(const std::string& directory);
Result<std::vector<std::string>> names(const std::string& directory);
Result<std::string> real_path(const std::string& path);
std::string current_folder();
// The text of a symbolic link; nothing if `path` is not one. Windows resolves links itself: always nothing
// there.
std::optional<std::string> link_target(const std::string& path);
// `environment` is the child's whole environment; command.environment has been applied by the caller.
ProcessResult run(const Command& command, const Environment& environment);
// Creates `path`, which must not exist, with these bytes, and with the owner and permissions of the regular
// file `replaced` if there is one. Leaves nothing behind if it fails.
std::optional<Trouble> create_file(const std::string& path, const std::string& bytes,
                                   const std::string& replaced);
// Opens what `path` refers to (device, FIFO, target of a link) and writes into it.
std::optional<Trouble> write_into(const std::string& path, const std::string& bytes);
bool is_standard_output(const std::string& path);  // exactly that file, pipe or terminal
std::optional<Trouble> rename_over(const std::string& from, const std::string& to);
// One folder; no error if it exists.
std::optional<Trouble> make_folder(const std::string& path);
unsigned process_id();

// For own::NewText, whose comments say more.
std::optional<Trouble> why_not_replaceable(const std::string& path);
// Differs after each change of the file's bytes, owner, mode or attributes, and for another file.
std::string state_of_file(const std::string& path);
// Creates `beside`, which must not exist, with these bytes and with everything else of the file at `path`.
// Leaves nothing behind if it fails.
std::optional<Trouble> create_like(const std::string& beside, const std::string& bytes,
                                   const std::string& path);
// Exchanges two files in one step. False: this system or disk cannot.
Result<bool> exchange(const std::string& a, const std::string& b);
void remove_beside(const std::string& beside);  // no error if it was renamed
// Only if it is a regular file of this user.
void remove_own_file(const std::string& path);
// Whether that is another process with our program.
bool runs_this_program(unsigned process);

// The threads of run_all: calls `run` for each command, at most `jobs` at once.
std::vector<ProcessResult> run_parallel(const std::vector<Command>& commands, unsigned jobs,
                                        const std::function<ProcessResult(const Command&)>& run);

}  // namespace ptxguard::platform
