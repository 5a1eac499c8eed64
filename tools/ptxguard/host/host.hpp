// The only access to the machine: environment, files, child processes. All other rooms use this interface, so
// a test can build a machine in a few lines and an unpacked image is checked like a machine
// (root_host). Paths are UTF-8 strings of the checked system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/limit.hpp"
#include "model/result.hpp"
#include "model/source.hpp"
#include "model/system.hpp"

namespace ptxguard {

enum class FileType { missing, regular, directory, other, dangling_link, link_loop, unreadable };

struct FileStatus {
    FileType type = FileType::missing;
    bool is_link = false;
    bool executable = false;    // x bit for us (POSIX); on Windows and under a Windows root: known extension
    bool writable = false;      // a folder in which we may create files; on Windows every folder
    std::uint64_t size = 0;     // bytes
    std::int64_t mtime_ns = 0;  // since the epoch
    std::uint64_t device = 0, inode = 0;  // file identity: two paths with equal pairs are the same file
};

struct DirectoryEntry {
    std::string name;
    FileType type = FileType::missing;  // of the link's target
};

struct Command {
    std::vector<std::string> argv;                                  // argv[0] is a path; no shell
    std::map<std::string, std::optional<std::string>> environment;  // changes to ours; nullopt unsets
    std::string directory;                                          // working folder; empty = ours
    std::string input;                                              // stdin; empty = the null device
    std::chrono::milliseconds time_limit{30000};
    std::size_t output_cap = 1 << 20;     // bytes kept of each stream; the rest is read and dropped
    std::function<void()> finished = {};  // of run_all: called in the thread that ran it
};

struct ProcessResult {
    enum class State { exited, crashed, timed_out, not_started };
    State state = State::not_started;
    int exit_code = 0;  // of exited; the signal or exception code of crashed
    std::string out, err;
    bool truncated = false;
    std::string trouble;  // why not started ("Exec format error")
    double milliseconds = 0;
    bool ok() const { return state == State::exited && exit_code == 0; }
};

// Of one directory, sorted by name. Copies share them: many readers list the same large folders.
class Entries {
public:
    Entries() = default;
    Entries(std::vector<DirectoryEntry> sorted)
        : m_entries(std::make_shared<const std::vector<DirectoryEntry>>(std::move(sorted))) {}

    std::size_t size() const { return m_entries ? m_entries->size() : 0; }
    const DirectoryEntry* begin() const { return m_entries ? m_entries->data() : nullptr; }
    const DirectoryEntry* end() const { return begin() + size(); }
    const DirectoryEntry& operator[](std::size_t at) const { return (*m_entries)[at]; }

private:
    std::shared_ptr<const std::vector<DirectoryEntry>> m_entries;
};

// A key of Windows' registry. A number is decimal text, the lines of a list end with '\n'.
struct RegistryKey {
    std::map<std::string, std::string> values;
    std::vector<std::string> keys;  // names of the keys below it
};

class Host {
public:
    virtual ~Host() = default;

    virtual System system() const = 0;  // of the checked system
    virtual bool foreign() const = 0;   // true: nothing may be executed or loaded
    virtual std::optional<std::string> env(const std::string& name) const = 0;  // case-insensitive on Windows
    virtual std::map<std::string, std::string> environment() const = 0;
    // What programs get that Windows starts later: the registry's variables of the machine and of the user.
    virtual std::map<std::string, std::string> later_environment() const { return {}; }
    // Below HKEY_LOCAL_MACHINE: "SOFTWARE\\NVIDIA Corporation". Nothing if there is no such key, or if the
    // registry of the checked system cannot be read.
    virtual std::optional<RegistryKey> registry(const std::string&) const { return std::nullopt; }

    virtual FileStatus status(const std::string& path) const = 0;  // follows links
    virtual Result<std::string> read(const std::string& path,
                                     std::size_t limit = 16u << 20) const = 0;  // an error if larger
    virtual Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                           std::size_t length) const = 0;  // may be shorter at the end
    // A regular file, kept open; an error for a folder, a FIFO or a device (never blocks on one).
    virtual Result<Source> open(const std::string& path) const = 0;
    virtual Result<Entries> list(const std::string& directory) const = 0;
    // Only the names: cheaper if a folder has many links.
    virtual Result<std::vector<std::string>> names(const std::string& directory) const;
    virtual Result<std::string> real_path(
        const std::string& path) const = 0;  // absolute, no links, of the checked system
    // The path by which this machine's programs reach it (differs from `path` only with --root).
    virtual std::string native_path(const std::string& path) const = 0;

    // Runs in its own process group (job object), and kills the whole tree at the limit. Never throws.
    virtual ProcessResult run(const Command& command) const = 0;
    // In parallel, at most `jobs` at once (0 = number of cores); results in the order of the commands.
    virtual std::vector<ProcessResult> run_all(const std::vector<Command>& commands,
                                               unsigned jobs = 0) const = 0;

    // A reader went only as far as a limit: the caching host keeps this for the report.
    virtual void add_limit(const Trouble&) const {}
    // Whether `count` is beyond the limit, which is then reported for `path`.
    bool exceeds(const Limit& limit, std::size_t count, const std::string& path) const {
        return limit.is_exceeded(count, [&](const Limit& reached) { add_limit(reached.trouble(path)); });
    }
};

// This machine. `extra_environment`: --env K=V pairs, which override the real environment.
std::unique_ptr<Host> real_host(std::map<std::string, std::string> extra_environment = {});
// An unpacked tree with only `environment` as its environment. Absolute symlinks resolve inside `root`; on
// Windows `C:\x` is root/x or root/C/x, names are case-insensitive.
std::unique_ptr<Host> root_host(std::string root, System system,
                                std::map<std::string, std::string> environment);
// The value of an option such as --python with --root: a path on this machine inside the tree, or a path of
// the checked system; the result is a path of the checked system. Without --root the value itself.
std::string judged_path(const Host& host, const std::string& option_value);

// For ptxguard itself, never for the checked system:
namespace own {
// Who can have written the file at `path`: only we (or the system's administrator), another user, or anybody
// if others may write the file or its folder. On Windows only the owner is checked.
enum class Author { we, another_user, anybody };
Author author_of(const std::string& path);
std::string executable_path();           // of this ptxguard
std::string cache_folder();              // .../ptxguard, not created; empty = none
Result<std::string> temporary_folder();  // new, private; remove_tree() it
void remove_tree(const std::string& path);
// Writes a temporary file beside it and renames it; creates the folders. Safe with several writers.
std::optional<Trouble> write_file(const std::string& path, const std::string& bytes);
std::optional<Trouble> make_folders(const std::string& path);
Result<std::string> read_standard_input(std::size_t limit);
bool stdout_is_terminal();
unsigned cores();
}  // namespace own

}  // namespace ptxguard
