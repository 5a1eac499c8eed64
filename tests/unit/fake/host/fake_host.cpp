// The machine of the unit tests: files, links and programs in memory. Behaves like the real host, including
// errors (loops, unreadable folders, programs that cannot start).
// SPDX-License-Identifier: Apache-2.0
#include "host/fake_host.hpp"

#include <algorithm>
#include <vector>

#include "host/paths.hpp"
#include "host/troubles.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

std::string FakeHost::absolute(const std::string& path) const {
    if (is_absolute(path, m_system)) return path;
    // Not join_path(): on a fake Linux "C:/x" is an ordinary relative name.
    const std::string root = m_system == System::windows ? "C:/" : "/";
    const std::string folder = env(m_system == System::windows ? "CD" : "PWD").value_or(root);
    return folder + (folder == root ? "" : "/") + path;
}

std::string FakeHost::key(const std::string& path) const {
    const std::string normal = normal_path(absolute(path), m_system);
    return m_system == System::windows ? lower(normal) : normal;
}

const FakeHost::Node* FakeHost::find(const std::string& path) const {
    const auto found = m_nodes.find(key(path));
    return found == m_nodes.end() ? nullptr : &found->second;
}

FakeHost::Node& FakeHost::put(const std::string& path, FileType type) {
    const std::string normal = normal_path(absolute(path), m_system);
    const std::string above = parent_path(normal);
    if (above != normal && !find(above)) put(above, FileType::directory);
    Node& node = m_nodes[key(path)];
    if (node.id == 0) node.id = m_nodes.size();
    node.path = normal;
    node.type = type;
    return node;
}

FakeHost& FakeHost::file(const std::string& path, const std::string& text) {
    put(path, FileType::regular).text = text;
    return *this;
}

FakeHost& FakeHost::program(const std::string& path, std::function<ProcessResult(const Command&)> answer) {
    Node& node = put(path, FileType::regular);
    node.executable = true;
    node.answer = std::move(answer);
    return *this;
}

FakeHost& FakeHost::program(const std::string& path, const std::string& out, int exit_code) {
    return program(path, [out, exit_code](const Command&) {
        ProcessResult result;
        result.state = ProcessResult::State::exited;
        result.exit_code = exit_code;
        result.out = out;
        return result;
    });
}

FakeHost& FakeHost::folder(const std::string& path) {
    put(path, FileType::directory);
    return *this;
}

FakeHost& FakeHost::read_only(const std::string& path) {
    put(path, FileType::directory).read_only = true;
    return *this;
}

FakeHost& FakeHost::link(const std::string& path, const std::string& target) {
    Node& node = put(path, FileType::regular);
    node.link = target;
    return *this;
}

FakeHost& FakeHost::unreadable(const std::string& path) {
    put(path, FileType::unreadable);
    return *this;
}

FakeHost& FakeHost::later_env(const std::string& name, const std::string& value) {
    m_later_environment[name] = value;
    return *this;
}

FakeHost& FakeHost::registry_value(const std::string& key, const std::string& name,
                                   const std::string& value) {
    m_registry[lower(key)].values[name] = value;
    for (std::size_t end = key.rfind('\\'), below = key.size(); end != std::string::npos;
         below = end, end = end == 0 ? std::string::npos : key.rfind('\\', end - 1)) {
        std::vector<std::string>& keys = m_registry[lower(key.substr(0, end))].keys;
        const std::string child = key.substr(end + 1, below - end - 1);
        if (!contains(keys, child)) keys.push_back(child);
    }
    return *this;
}

std::optional<RegistryKey> FakeHost::registry(const std::string& key) const {
    const auto found = m_registry.find(lower(key));
    return found == m_registry.end() ? std::nullopt : std::optional(found->second);
}

FakeHost& FakeHost::env(const std::string& name, const std::string& value) {
    m_environment[name] = value;
    return *this;
}

FakeHost& FakeHost::foreign(bool yes) {
    m_foreign = yes;
    return *this;
}

std::optional<std::string> FakeHost::env(const std::string& name) const {
    for (const auto& [key, value] : m_environment) {
        if (key == name || (m_system == System::windows && lower(key) == lower(name))) return value;
    }
    return std::nullopt;
}

const FakeHost::Node* FakeHost::resolve(const std::string& path, std::string* real, FileType* type) const {
    const bool windows = m_system == System::windows;
    std::string text = absolute(path);
    if (windows) std::replace(text.begin(), text.end(), '\\', '/');
    const auto root_of = [&](const std::string& of) {
        return windows ? of.substr(0, of.find('/') + 1) : "/";
    };
    std::string at = root_of(text);
    std::vector<std::string> rest = split(std::string_view(text).substr(at.size()), "/");
    std::reverse(rest.begin(), rest.end());
    *type = FileType::missing;
    const Node* node = find(at);
    for (int links = 0; !rest.empty();) {
        const std::string name = rest.back();
        rest.pop_back();
        if (name == "." || name == "..") {
            if (name == "..") at = parent_path(at);
            node = find(at);
            continue;
        }
        if (node && node->type == FileType::unreadable) *type = FileType::unreadable;
        if (!node || node->type != FileType::directory) return nullptr;
        const std::string next = join_path(at, name);
        node = find(next);
        if (!node) return nullptr;
        if (node->link.empty()) {
            at = node->path;
            continue;
        }
        if (++links > k_most_links) return *type = FileType::link_loop, nullptr;
        const std::vector<std::string> target = split(node->link, windows ? "/\\" : "/");
        const bool from_root = is_absolute(node->link, m_system);
        if (from_root) at = root_of(absolute(node->link));
        for (std::size_t i = target.size(); i-- > (from_root && windows ? 1u : 0u);)
            rest.push_back(target[i]);
        node = find(at);
    }
    if (node) *type = node->type;
    if (node && real) *real = node->path;
    return node;
}

FileStatus FakeHost::status(const std::string& path) const {
    FileStatus result;
    const Node* node = resolve(path, nullptr, &result.type);
    std::string parent;
    FileType ignored;
    if (resolve(parent_path(normal_path(absolute(path), m_system)), &parent, &ignored)) {
        const Node* self = find(join_path(parent, file_name(normal_path(path, m_system))));
        result.is_link = self && !self->link.empty();
    }
    if (!node) {
        if (result.is_link && result.type == FileType::missing) result.type = FileType::dangling_link;
        return result;
    }
    result.executable = m_system == System::windows ? is_windows_program(node->path) : node->executable;
    result.writable = result.type == FileType::directory && !node->read_only;
    result.size = node->text.size();
    result.device = 1;
    result.inode = node->id;
    return result;
}

Result<std::string> FakeHost::read(const std::string& path, std::size_t limit) const {
    FileType type;
    const Node* node = resolve(path, nullptr, &type);
    if (!node || type != FileType::regular) return cannot_be_read(path, cause_of(type));
    if (node->text.size() > limit) return too_large(path, limit);
    return node->text;
}

Result<std::string> FakeHost::read_range(const std::string& path, std::uint64_t offset,
                                         std::size_t length) const {
    FileType type;
    const Node* node = resolve(path, nullptr, &type);
    if (!node || type != FileType::regular) return cannot_be_read(path, cause_of(type));
    if (offset >= node->text.size()) return std::string();
    return node->text.substr(static_cast<std::size_t>(offset), length);
}

Result<Source> FakeHost::open(const std::string& path) const {
    FileType type;
    const Node* node = resolve(path, nullptr, &type);
    if (!node || type != FileType::regular) return cannot_be_read(path, cause_of(type));
    return source_of(node->text);
}

Result<Entries> FakeHost::list(const std::string& directory) const {
    FileType type;
    std::string real;
    const Node* folder = resolve(directory, &real, &type);
    if (!folder || type != FileType::directory) return cannot_be_listed(directory, cause_of(type));
    std::vector<DirectoryEntry> entries;
    for (const auto& [ignored, node] : m_nodes) {
        if (node.path != real && parent_path(node.path) == real) {
            entries.push_back({file_name(node.path), status(node.path).type});
        }
    }
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return Entries(std::move(entries));
}

Result<std::string> FakeHost::real_path(const std::string& path) const {
    FileType type;
    std::string real;
    if (!resolve(path, &real, &type)) return cannot_be_resolved(path, cause_of(type));
    return real;
}

ProcessResult FakeHost::run(const Command& command) const {
    commands_run.push_back(command);
    ProcessResult result;
    if (m_foreign) return result.trouble = k_foreign_is_not_run, result;
    if (command.argv.empty()) return result.trouble = k_empty_command, result;
    FileType type;
    const Node* node = resolve(command.argv[0], nullptr, &type);
    if (!node) return result.trouble = cause_of(type), result;
    if (node->answer) return node->answer(command);
    const bool may_run = type == FileType::regular && status(command.argv[0]).executable;
    result.trouble = may_run ? "Exec format error" : "Permission denied";
    return result;
}

std::vector<ProcessResult> FakeHost::run_all(const std::vector<Command>& commands, unsigned) const {
    std::vector<ProcessResult> results;
    for (const Command& command : commands) {
        results.push_back(run(command));
        if (command.finished) command.finished();
    }
    return results;
}

}  // namespace ptxguard
