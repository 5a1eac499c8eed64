// An unpacked tree as a Host. Paths are resolved name by name here and not by the operating system, so that
// an absolute link stays inside the tree, ".." never leaves it, and a Windows tree is read
// case-insensitively.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "host/host.hpp"
#include "host/names.hpp"
#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

using Names = std::vector<std::string>;

// Where a path of the checked system is.
struct Place {
    Names names;         // below the root, no links; up to the first missing name
    std::string native;  // the same on this machine, with the missing names
    FileStatus status;
    std::string drive;  // of a Windows path in a folder for its drive: names[0]
};

bool is_missing(FileType type) { return type == FileType::missing || type == FileType::dangling_link; }

class RootHost : public Host {
public:
    RootHost(const std::string& root, System system, const std::map<std::string, std::string>& environment)
        : m_root(root), m_system(system) {
        const Result<std::string> real = platform::real_path(root);
        if (real) m_root = *real;
        for (const auto& [name, value] : environment) {
            m_environment[name] = system == System::windows ? expand_variables(value, environment) : value;
        }
    }

    System system() const override { return m_system; }
    bool foreign() const override { return true; }
    std::optional<std::string> env(const std::string& name) const override {
        return variable(m_environment, name, m_system);
    }
    std::map<std::string, std::string> environment() const override { return m_environment; }

    FileStatus status(const std::string& path) const override { return place(path).status; }
    Result<std::string> read(const std::string& path, std::size_t limit) const override {
        const Place at = place(path);
        if (at.status.type != FileType::regular) return cannot_be_read(path, cause(at, FileType::directory));
        return renamed(platform::read(at.native, limit), path);
    }
    Result<std::string> read_range(const std::string& path, std::uint64_t offset,
                                   std::size_t length) const override {
        const Place at = place(path);
        if (at.status.type != FileType::regular) return cannot_be_read(path, cause(at, FileType::directory));
        return renamed(platform::read_range(at.native, offset, length), path);
    }
    Result<Source> open(const std::string& path) const override {
        const Place at = place(path);
        if (at.status.type != FileType::regular) return cannot_be_read(path, cause(at, FileType::directory));
        return renamed(platform::open(at.native), path);
    }
    Result<Entries> list(const std::string& directory) const override;
    Result<std::string> real_path(const std::string& path) const override;
    std::string native_path(const std::string& path) const override { return place(path).native; }

    ProcessResult run(const Command&) const override {
        ProcessResult result;
        result.trouble = k_foreign_is_not_run;
        return result;
    }
    std::vector<ProcessResult> run_all(const std::vector<Command>& commands, unsigned) const override {
        return std::vector<ProcessResult>(commands.size(), run({}));
    }

private:
    template <typename T>
    static Result<T> renamed(Result<T> result, const std::string& path) {
        if (result) return result;
        Trouble trouble = result.trouble();
        trouble.subject = path;
        return trouble;
    }
    static const char* cause(const Place& at, FileType wrong) {
        const FileType type = at.status.type;
        return type == FileType::other ? "it is not a regular file" : cause_of(type == wrong ? wrong : type);
    }
    std::string native(const Names& names) const;
    std::string spelling(const Names& folder, const std::string& name) const;
    Place walk(Names names) const;
    void set_status(bool is_link, Place& at) const;
    Place place(const std::string& path) const;

    std::string m_root;
    System m_system;
    std::map<std::string, std::string> m_environment;
};

std::string RootHost::native(const Names& names) const {
    std::string path = m_root;
    for (const std::string& name : names) path = join_path(path, name);
    return path;
}

// The name as spelt on disk, if the checked system ignores case.
std::string RootHost::spelling(const Names& folder, const std::string& name) const {
    if (m_system != System::windows) return name;
    const std::string path = native(folder);
    const FileStatus exact = platform::status(join_path(path, name));
    // A Windows disk finds any spelling: only the directory listing has the true one.
    const bool found = exact.is_link || !is_missing(exact.type);
    if (found && platform::this_system() != System::windows) return name;
    const auto entries = platform::list(path);
    if (!entries) return name;
    const std::string wanted = lower(name);
    for (const DirectoryEntry& entry : *entries) {
        if (lower(entry.name) == wanted) return entry.name;
    }
    return name;
}

Place RootHost::walk(Names rest) const {
    Place at;
    at.status = platform::status(m_root);
    std::reverse(rest.begin(), rest.end());
    // A link at the end of the path: the caller requested the link itself.
    bool last_is_link = false;
    for (int links = 0; !rest.empty();) {
        const std::string name = rest.back();
        rest.pop_back();
        if (name == ".") continue;
        if (name == "..") {
            if (!at.names.empty()) at.names.pop_back();
            at.status = platform::status(native(at.names));
            continue;
        }
        const std::string found = spelling(at.names, name);
        at.names.push_back(found);
        at.status = platform::status(native(at.names));
        const auto target = at.status.is_link ? platform::link_target(native(at.names)) : std::nullopt;
        if (target) {
            last_is_link = last_is_link || rest.empty();
            at.names.pop_back();
            if (++links > k_most_links) {
                at.status = {};
                at.status.type = FileType::link_loop;
                at.names.push_back(found);
                break;
            }
            if (is_absolute(*target, System::linux_)) at.names.clear();
            Names names = split(*target, "/");
            std::reverse(names.begin(), names.end());
            append(rest, names);
            at.status = platform::status(native(at.names));
        } else if (is_missing(at.status.type) ||
                   (at.status.type == FileType::unreadable && !at.status.inode)) {
            break;
        }
    }
    at.native = native(at.names);
    for (auto name = rest.rbegin(); name != rest.rend(); ++name) at.native = join_path(at.native, *name);
    set_status(last_is_link, at);
    return at;
}

void RootHost::set_status(bool is_link, Place& at) const {
    FileStatus& status = at.status;
    status.is_link = is_link;
    if (is_missing(status.type)) status.type = is_link ? FileType::dangling_link : FileType::missing;
    if (m_system == System::windows)
        status.executable = status.type == FileType::regular && is_windows_program(at.native);
}

Place RootHost::place(const std::string& path) const {
    if (m_system == System::linux_) return walk(split(path, "/"));
    const std::string normal = normal_path(path, System::windows);
    const bool has_drive = normal.find(':') == 1;
    const std::string drive(
        1, has_drive ? static_cast<char>(std::toupper(static_cast<unsigned char>(normal[0]))) : 'C');
    const auto in_folder = [&](Place at) {
        if (!at.names.empty() && lower(at.names[0]) == lower(drive)) at.drive = drive;
        return at;
    };
    Names plain = split(has_drive ? std::string_view(normal).substr(2) : std::string_view(normal), "/");
    Names below = plain;
    below.insert(below.begin(), drive);
    // The root of a drive is its folder if there is one; "/" is always the tree itself. Only C: may be
    // without a folder.
    if (plain.empty() && !has_drive) return walk({});
    const bool is_c = lower(drive) == "c";
    const bool folder_first = !is_c || plain.empty();
    const Place first = folder_first ? in_folder(walk(below)) : walk(plain);
    if (!is_c || !is_missing(first.status.type)) return first;
    const Place second = folder_first ? walk(plain) : in_folder(walk(below));
    return is_missing(second.status.type) && !second.status.is_link ? first : second;
}

Result<Entries> RootHost::list(const std::string& directory) const {
    const Place at = place(directory);
    if (at.status.type != FileType::directory) {
        return cannot_be_listed(
            directory, cause_of(at.status.type == FileType::other ? FileType::regular : at.status.type));
    }
    auto entries = renamed(platform::list(at.native), directory);
    if (!entries) return entries.trouble();
    for (DirectoryEntry& entry : *entries) {
        // The operating system followed links out of the tree.
        if (!platform::link_target(join_path(at.native, entry.name))) continue;
        Names names = at.names;
        names.push_back(entry.name);
        entry.type = walk(names).status.type;
    }
    return Entries(std::move(*entries));
}

Result<std::string> RootHost::real_path(const std::string& path) const {
    const Place at = place(path);
    if (is_missing(at.status.type) || at.status.type == FileType::link_loop) {
        return cannot_be_resolved(path, cause_of(at.status.type));
    }
    std::string result;
    for (const std::string& name : at.names) result += "/" + name;
    if (m_system == System::linux_) return result.empty() ? "/" : result;
    // DIR/C/x and DIR/x are both C:/x.
    if (!at.drive.empty()) result.erase(0, 2);
    return (at.drive.empty() ? "C" : at.drive) + ":" + (result.empty() ? "/" : result);
}

bool same_file(const FileStatus& a, const FileStatus& b) {
    return !is_missing(a.type) && !is_missing(b.type) && a.device == b.device && a.inode == b.inode;
}

}  // namespace

std::unique_ptr<Host> root_host(std::string root, System system,
                                std::map<std::string, std::string> environment) {
    return std::make_unique<RootHost>(root, system, environment);
}

std::string judged_path(const Host& host, const std::string& option_value) {
    if (!host.foreign() || option_value.empty()) return option_value;
    const System here = platform::this_system();
    const FileStatus root = platform::status(host.native_path("/"));
    const std::string full = normal_path(join_path(platform::current_folder(), option_value), here);
    std::string rest;
    for (std::string at = full;; at = parent_path(at)) {
        if (same_file(platform::status(at), root)) {
            if (host.system() == System::linux_) return rest.empty() ? "/" : rest;
            const bool in_drive =
                rest.size() > 1 && is_letter(rest[1]) && (rest.size() == 2 || rest[2] == '/');
            const std::string drive = in_drive ? rest.substr(1, 1) : "C";
            if (in_drive) rest.erase(0, 2);
            return drive + ":" + (rest.empty() ? "/" : rest);
        }
        if (parent_path(at) == at) return option_value;
        rest = "/" + file_name(at) + rest;
    }
}

}  // namespace ptxguard
