// All of them are TOML with a list of packages.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/locks.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "formats/toml.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/requirement.hpp"
#include "python/specifier.hpp"
#include "recipes/base/tree_places.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_lock_bytes{8u << 20, "bytes of a lock file", "the file"};

// The source of a package: uv's {registry = URL}, poetry's {url = URL, reference = NAME}, pdm's and PEP 751's
// members.
Written origin_of(const Tree& package, const std::string& file, bool index) {
    const Tree& source = package["source"];
    const bool poetry = static_cast<bool>(source["type"]);
    const bool from_index = !poetry || source["type"].text == "legacy";
    if (index) {
        if (source["registry"]) return written(source["registry"], file);
        if (poetry && from_index) return written(source["url"], file);
        return written(package["index"], file);
    }
    if (poetry && !from_index) return written(source["url"], file);
    for (const char* key : {"url", "git", "path", "directory", "editable", "virtual"})
        if (source[key] && !poetry) return written(source[key], file);
    return {};
}

const Tree& packages_in(const Tree& root) { return root["package"] ? root["package"] : root["packages"]; }

// Of the forks of uv's resolution, those that take this release of the package: one marker. pdm and poetry 2
// write it themselves.
std::string marker_of(const Tree& package) {
    for (const char* key : {"marker", "markers"})
        if (package[key].is_scalar()) return package[key].text;
    std::string any;
    for (const Tree& fork : package["resolution-markers"].items)
        any += (any.empty() ? "(" : " or (") + fork.text + ")";
    return any;
}

std::vector<WrittenRequirement> packages_of(const Tree& root, const std::string& file) {
    std::map<std::string, int> versions;
    const Tree& packages = packages_in(root);
    for (const Tree& package : packages.items) ++versions[canonical_package(package["name"].text)];
    std::vector<WrittenRequirement> result;
    for (const Tree& package : packages.items) {
        WrittenRequirement requirement;
        requirement.name = canonical_package(package["name"].text);
        // The project itself.
        if (package["source"]["virtual"] || package["source"]["editable"] || requirement.name.empty())
            continue;
        if (package["version"]) requirement.specifier = "==" + package["version"].text;
        requirement.whole = written(package["version"] ? package["version"] : package["name"], file);
        requirement.whole.fixed = versions[requirement.name] < 2;
        requirement.index = origin_of(package, file, true);
        requirement.url = origin_of(package, file, false);
        requirement.marker = marker_of(package);
        result.push_back(std::move(requirement));
    }
    return result;
}

// What a locked package requires: its name, and the marker that decides whether it is installed.
using Required = std::vector<std::pair<std::string, std::string>>;
// uv's list of {name, marker}, pdm's list of requirements, poetry's table.
Required required_of(const Tree& package) {
    Required all;
    const Tree& list = package["dependencies"];
    for (const Tree& item : list.items) {
        const Requirement written = item.is_map() ? Requirement{} : parse_requirement(item.text);
        if (item.is_map())
            all.emplace_back(canonical_package(item["name"].text), item["marker"].text);
        else
            all.emplace_back(written.name, written.marker);
    }
    for (const auto& [name, value] : list.members)
        if (!value["optional"].truth()) all.emplace_back(canonical_package(name.text), value["markers"].text);
    return all;
}

// What commands ask of a lock file, which may have megabytes.
struct LockContent {
    std::map<std::string, WrittenRequirement> locked;  // those with one version
    std::map<std::string, Required> required;
    std::optional<Trouble> trouble;
};

LockContent read_content(const FileText& lock) {
    LockContent content;
    const auto root = read_toml(lock.text, lock.file, k_most_lock_bytes);
    if (!root) {
        content.trouble = root.trouble();
        return content;
    }
    for (WrittenRequirement& package : packages_of(*root, lock.file))
        if (package.whole.fixed) {
            package.locked = true;
            content.locked[package.name] = std::move(package);
        }
    for (const Tree& package : packages_in(*root).items)
        content.required[canonical_package(package["name"].text)] = required_of(package);
    return content;
}

// Each job of a workflow installs from the same file.
std::shared_ptr<const LockContent> content_of(const FileText& lock) {
    constexpr std::size_t k_kept_locks = 4;
    struct Kept {
        FileText lock;
        std::shared_ptr<const LockContent> content;
    };
    thread_local std::deque<Kept> kept;
    const Kept* known = first_where(
        kept, [&](const Kept& one) { return one.lock.file == lock.file && one.lock.text == lock.text; });
    if (known) return known->content;
    kept.push_front({lock, std::make_shared<const LockContent>(read_content(lock))});
    if (kept.size() > k_kept_locks) kept.pop_back();
    return kept.front().content;
}

// The locked packages that those from `first` bring, one after the other.
void add_brought(const LockContent& content, std::vector<WrittenRequirement>& requirements,
                 std::size_t first) {
    const auto& [locked, required, trouble] = content;
    std::set<std::string> seen;
    for (std::size_t i = first; i < requirements.size(); ++i) seen.insert(requirements[i].name);
    for (std::size_t i = first; i < requirements.size(); ++i) {
        const auto by = required.find(requirements[i].name);
        if (by == required.end()) continue;
        const std::string marker_of_it = requirements[i].marker;  // the list grows
        for (const auto& [name, marker] : by->second) {
            const auto found = locked.find(name);
            if (found == locked.end() || !seen.insert(name).second) continue;
            requirements.push_back(found->second);
            if (!marker.empty()) requirements.back().marker = marker;
            if (requirements.back().marker.empty()) requirements.back().marker = marker_of_it;
        }
    }
}

// The markers of all edges to a package, where each has one: {name = "torchcodec", marker = "..."}. uv writes
// none at a package that is for some systems only, or for none.
class MarkersOfEdges {
public:
    explicit MarkersOfEdges(const Tree& root) {
        for (const Tree& package : packages_in(root).items) {
            take(package["dependencies"]);
            for (const char* lists : {"optional-dependencies", "dev-dependencies"})
                for (const auto& [name, list] : package[lists].members) take(list);
        }
    }
    // Empty = an edge has none, or they are too many.
    std::string of(const std::string& package) const {
        const auto found = m_markers.find(package);
        if (found == m_markers.end() || found->second.count("") != 0 || found->second.size() > k_most_markers)
            return "";
        std::string any;
        for (const std::string& marker : found->second) any += (any.empty() ? "(" : " or (") + marker + ")";
        return any;
    }

private:
    static constexpr std::size_t k_most_markers = 8;

    void take(const Tree& list) {
        for (const Tree& item : list.items)
            if (item.is_map()) m_markers[canonical_package(item["name"].text)].insert(item["marker"].text);
    }

    std::map<std::string, std::set<std::string>> m_markers;
};

// What the project installs without any of its extras and groups; empty = the file does not tell.
class AlwaysInstalled {
public:
    explicit AlwaysInstalled(const Tree& root) {
        for (const Tree& package : packages_in(root).items) {
            const std::string name = canonical_package(package["name"].text);
            m_packages[name].push_back(&package);
            const bool tells =
                package["dependencies"] || package["optional-dependencies"] || package["dev-dependencies"];
            if (tells && (package["source"]["virtual"] || package["source"]["editable"]))
                visit(name, package);
            read_groups(name, package);
        }
        while (!m_open.empty()) {
            const auto [name, extra] = m_open.back();
            m_open.pop_back();
            for (const Tree* package : m_packages[name])
                visit(name, extra.empty() ? *package : (*package)["optional-dependencies"][extra]);
        }
    }

    bool has(const std::string& name) const {
        const auto said = m_said.find(name);
        if (said != m_said.end()) return said->second;
        return m_reached.empty() || m_reached.count({name, ""}) != 0;
    }

private:
    // poetry's and pdm's packages name the groups, and poetry 1 whether only extras bring it.
    void read_groups(const std::string& name, const Tree& package) {
        if (package["optional"]) m_said[name] = !package["optional"].truth();
        if (package["groups"].items.empty()) return;
        bool& said = m_said.emplace(name, false).first->second;
        for (const Tree& group : package["groups"].items)
            said = said || group.text == "main" || group.text == "default";
    }
    // uv's {name, extra = [...]}.
    void visit(const std::string& name, const Tree& package) {
        m_reached.insert({name, ""});
        const Tree& list = package["dependencies"] ? package["dependencies"] : package;
        for (const Tree& item : list.items) {
            const std::string other = canonical_package(item["name"].text);
            if (other.empty()) continue;
            if (m_reached.insert({other, ""}).second) m_open.push_back({other, ""});
            for (const Tree& extra : item["extra"].items)
                if (m_reached.insert({other, extra.text}).second) m_open.push_back({other, extra.text});
        }
    }

    using Name = std::pair<std::string, std::string>;  // with an extra, may be empty
    std::map<std::string, std::vector<const Tree*>> m_packages;
    std::map<std::string, bool> m_said;
    std::set<Name> m_reached;
    std::vector<Name> m_open;
};

// The range of the requirement was changed after the lock file was written.
bool excludes(const Requirement& requirement, const Requirement& locked) {
    const auto version = exact_version(locked.specifier);
    return version && !accepts(requirement.specifier, *version);
}

// What a list of requirements in pyproject.toml names, to `all`.
void add_written(const Tree& list, std::map<std::string, Requirement>& all) {
    for (const Tree& item : list.items)
        if (Requirement one = parse_requirement(item.text); item.is_scalar() && !one.name.empty())
            all[one.name] = std::move(one);
}

// The requirements of the pyproject.toml beside uv.lock that exclude what is locked for them, and what these
// bring: the next `uv sync` locks both again.
std::set<std::string> locked_again(const Tree& lock, const Tree& project,
                                   const std::vector<WrittenRequirement>& locked) {
    std::map<std::string, Requirement> written;
    add_written(project["project"]["dependencies"], written);
    for (const auto& [name, list] : project["project"]["optional-dependencies"].members)
        add_written(list, written);
    for (const auto& [name, list] : project["dependency-groups"].members) add_written(list, written);
    std::vector<std::string> open;
    for (const WrittenRequirement& one : locked) {
        const auto found = written.find(one.name);
        if (found != written.end() && one.whole.fixed && excludes(found->second, one))
            open.push_back(one.name);
    }
    std::map<std::string, Required> required;
    for (const Tree& package : packages_in(lock).items)
        required[canonical_package(package["name"].text)] = required_of(package);
    std::set<std::string> again(open.begin(), open.end());
    while (!open.empty()) {
        const std::string name = open.back();
        open.pop_back();
        for (const auto& [other, marker] : required[name])
            if (again.insert(other).second) open.push_back(other);
    }
    return again;
}

}  // namespace

bool keeps_content(std::string_view file) { return ends_with(file, ".lock"); }

Recipe read_lock_file(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::lock_file;
    recipe.file = file;
    const auto root = read_toml(text, file, k_most_lock_bytes);
    if (!root) {
        recipe.problems.push_back(not_parsed(file, root.trouble()));
        return recipe;
    }
    PipInstall install;
    install.tool = "lock";
    install.whole = {"", file};
    install.requirements = packages_of(*root, file);
    // Extras and groups may exclude each other, and with uv's `conflicts` each has its own releases.
    const AlwaysInstalled always(*root);
    const MarkersOfEdges edges(*root);
    auto& all = install.requirements;
    for (WrittenRequirement& one : all)
        if (one.marker.empty()) one.marker = edges.of(one.name);
    for (WrittenRequirement& one : all) one.whole.fixed = one.whole.fixed && always.has(one.name);
    const auto beside = lower(file_name(file)) == "uv.lock" && files
                            ? files(join_path(parent_path(file), "pyproject.toml"), {"", file})
                            : std::nullopt;
    if (beside)
        if (const auto project = read_toml(beside->text, beside->file, k_most_lock_bytes)) {
            const std::set<std::string> again = locked_again(*root, *project, all);
            erase_if(all, [&](const WrittenRequirement& one) { return again.count(one.name) != 0; });
        }
    if ((*root)["conflicts"]) erase_if(all, [](const WrittenRequirement& one) { return !one.whole.fixed; });
    recipe.stages.emplace_back();
    recipe.stages.back().steps.push_back(std::move(install));
    return recipe;
}

void pin_by_lock(const FileText& lock, PipInstall& install, std::size_t first, Problems& problems) {
    const auto content = content_of(lock);
    if (content->trouble) return problems.push_back(not_parsed(lock.file, *content->trouble));
    const auto& locked = content->locked;
    const bool as_it_is = install.frozen || install.tool == "poetry";
    std::set<std::string> resolved;  // again, as the file no longer fits
    for (std::size_t i = first; i < install.requirements.size(); ++i) {
        WrittenRequirement& requirement = install.requirements[i];
        const auto found = locked.find(requirement.name);
        if (found == locked.end() || found->second.specifier.empty() || resolved.count(requirement.name))
            continue;
        if (!as_it_is && excludes(requirement, found->second)) {
            resolved.insert(requirement.name);
            continue;
        }
        requirement.specifier = found->second.specifier;
        requirement.locked = true;
        if (!requirement.index) requirement.index = found->second.index;
    }
    add_brought(*content, install.requirements, first);
}

}  // namespace ptxguard::recipes
