// SPDX-License-Identifier: Apache-2.0
#include "packages/wheels.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "formats/python_imports.hpp"
#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_metadata_limit = 4u << 20, k_wheel_limit = 64u << 10;
constexpr int k_most_parents = 40;

bool fits(std::string_view pattern, std::string_view name) {
    if (pattern.empty() || pattern.back() != '*') return name == pattern;
    return name.substr(0, pattern.size() - 1) == pattern.substr(0, pattern.size() - 1);
}

std::size_t place_of(const std::vector<std::string>& names, std::string_view name) {
    const auto found = std::find_if(names.begin(), names.end(),
                                    [&](const std::string& pattern) { return fits(pattern, name); });
    return static_cast<std::size_t>(found - names.begin());
}

// The package of a record in a site's folder if it is in `names`, else "". Most entries start with a letter
// that no name starts with.
std::string package_among(const std::vector<std::string>& names, const std::string& entry) {
    const std::string first = lower(std::string_view(entry).substr(0, 1));
    if (none_of(names,
                [&](const std::string& name) { return starts_with(name, "*") || starts_with(name, first); }))
        return {};
    std::string package = package_of_record(entry);
    return place_of(names, package) < names.size() ? package : std::string();
}

std::string metadata_path(const std::string& folder) {
    return join_path(folder, ends_with(folder, ".egg-info") ? "PKG-INFO" : "METADATA");
}

std::optional<WheelMetadata> metadata_of(const Host& host, const std::string& path) {
    const auto text = read_text(host, path, k_metadata_limit);
    return text ? read_wheel_metadata(*text) : std::nullopt;
}

// "torch-2.0.0+cu118.dist-info", "x-1.0-py3.11.egg-info"
std::optional<Version> version_of_name(const std::string& name) {
    const std::size_t dash = name.find('-');
    if (dash == std::string::npos) return std::nullopt;
    const std::string rest = name.substr(dash + 1);
    return parse_version(rest.substr(0, std::min(rest.find('-'), rest.rfind('.'))));
}

}  // namespace

std::string site_above(const Host& host, const std::string& path) {
    std::string folder = parent_path(path);
    for (int i = 0; i < k_most_parents && !folder.empty(); ++i) {
        if (any_of(entries_in(host, folder), [](const DirectoryEntry& entry) {
                return ends_with(lower(entry.name), ".dist-info") && entry.type == FileType::directory;
            }))
            return folder;
        const std::string above = parent_path(folder);
        if (above == folder) break;
        folder = above;
    }
    return {};
}

std::vector<std::string> wheel_tags(const Host& host, const std::string& record) {
    std::vector<std::string> tags;
    const auto text = read_text(host, join_path(record, "WHEEL"), k_wheel_limit);
    if (!text) return tags;
    for (const std::string_view line : lines_of(*text))
        if (starts_with(line, "Tag:")) tags.emplace_back(trimmed(line.substr(4)));
    return tags;
}

bool names_package(const std::vector<std::string>& names, std::string_view package) {
    return place_of(names, package) < names.size();
}

std::string package_of_record(const std::string& folder_name) {
    if (!ends_with(folder_name, ".dist-info") && !ends_with(folder_name, ".egg-info")) return {};
    return canonical_package(folder_name.substr(0, folder_name.find('-')));
}

bool InstalledWheel::requires_always(const std::string& package, System system) const {
    return any_of(metadata.requirements, [&](const WheelRequirement& requirement) {
        return requirement.name == package && requirement.applies(system);
    });
}

Known<Version> InstalledWheel::version() const {
    const auto version = parse_version(metadata.version);
    return version ? Known<Version>{*version, Origin::from_file(path, metadata.version_line)}
                   : Known<Version>{};
}

std::vector<InstalledWheel> installed_wheels(const Host& host, const std::string& site,
                                             const std::vector<std::string>& names) {
    std::vector<InstalledWheel> wheels;
    for (const DirectoryEntry& entry : entries_in(host, site)) {
        if (package_among(names, entry.name).empty()) continue;
        const std::string folder = join_path(site, entry.name), path = metadata_path(folder);
        const auto metadata = metadata_of(host, path);
        if (!metadata || place_of(names, metadata->name) == names.size()) continue;
        const auto installer = read_text(host, join_path(folder, "INSTALLER"), 4096);
        wheels.push_back({path, installer ? trim(*installer) : "", *metadata});
    }
    std::stable_sort(wheels.begin(), wheels.end(), [&](const InstalledWheel& a, const InstalledWheel& b) {
        return place_of(names, a.metadata.name) < place_of(names, b.metadata.name);
    });
    return wheels;
}

Known<Version> version_of_record(const Host& host, const std::string& folder) {
    const std::string path = metadata_path(folder);
    const auto metadata = metadata_of(host, path);
    if (const auto version = metadata ? parse_version(metadata->version) : std::nullopt)
        return {*version, Origin::from_file(path, metadata->version_line)};
    if (const auto version = version_of_name(file_name(folder))) return {*version, Origin::from_file(folder)};
    return {};
}

Known<Version> installed_version(const Host& host, const std::string& site,
                                 const std::vector<std::string>& names) {
    for (const DirectoryEntry& entry : entries_in(host, site))
        if (!package_among(names, entry.name).empty())
            if (auto version = version_of_record(host, join_path(site, entry.name))) return version;
    return {};
}

std::string plain_record(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '"'), text.end());
    return text;
}

// One line for each file: "path,hash,size".
std::vector<RecordedFile> recorded_files(const Host& host, const InstalledWheel& wheel,
                                         const std::vector<std::string>& names) {
    constexpr std::size_t k_most = 16u << 20;
    std::vector<RecordedFile> files;
    const auto read = read_text(host, join_path(parent_path(wheel.path), "RECORD"), k_most);
    const std::string text = read ? plain_record(*read) : std::string();
    for (std::string_view rest = without_mark(text); !rest.empty();) {
        const std::string_view line = take_line(rest);
        const std::size_t first = line.find(','), last = line.rfind(',');
        const std::string_view path = line.substr(0, first);
        if (!names.empty() && !contains(names, path.substr(path.rfind('/') + 1))) continue;
        const bool sized = first != last;
        files.push_back(
            {std::string(path), sized ? std::string(trimmed(line.substr(last + 1))) : std::string()});
    }
    return files;
}

namespace {

constexpr Limit k_most_imported{500, "files that one import reads", "later ones"};

// Follows the imports of Python files, each once.
class ImportWalk {
public:
    ImportWalk(const Host& host, const std::string& site, const std::vector<std::string>& packages,
               const std::string& wanted)
        : m_host(host), m_site(site), m_packages(packages), m_wanted(wanted) {}

    bool reaches() {
        for (const std::string& package : m_packages) add(package);
        for (std::size_t i = 0; i < m_files.size() && !m_reached; ++i) {
            if (m_host.exceeds(k_most_imported, i + 1, m_files[i].path)) break;
            const File file = m_files[i];
            const auto text = read_text(m_host, file.path);
            if (text) follow(*text, file.package);
        }
        return m_reached;
    }

private:
    struct File {
        std::string path;
        std::string package;  // to which its relative imports refer
    };

    void follow(const std::string& text, const std::string& package) {
        for (const PythonImport& import : unconditional_imports(text)) {
            const std::string module = absolute_module(import.module, package);
            if (module.empty()) continue;
            add_with_parents(module);
            for (const std::string& name : import.names) add(module + "." + name);
        }
    }

    void add_with_parents(const std::string& module) {
        for (std::size_t dot = module.find('.'); dot != std::string::npos; dot = module.find('.', dot + 1))
            add(module.substr(0, dot));
        add(module);
    }

    void add(const std::string& module) {
        if (module == m_wanted) m_reached = true;
        const std::string top = module.substr(0, module.find('.'));
        const bool own = contains(m_packages, top);
        if (!own || !m_seen.insert(module).second) return;
        std::string path = join_path(m_site, module);
        std::replace(path.begin() + static_cast<std::ptrdiff_t>(m_site.size()), path.end(), '.', '/');
        if (is_file(m_host, join_path(path, "__init__.py")))
            m_files.push_back({join_path(path, "__init__.py"), module});
        else if (is_file(m_host, path + ".py"))
            m_files.push_back({path + ".py", module.substr(0, std::min(module.rfind('.'), module.size()))});
    }

    const Host& m_host;
    const std::string& m_site;
    const std::vector<std::string>& m_packages;
    const std::string& m_wanted;
    std::set<std::string> m_seen;
    std::vector<File> m_files;
    bool m_reached = false;
};

}  // namespace

bool imports_unconditionally(const Host& host, const std::string& site,
                             const std::vector<std::string>& packages, const std::string& module) {
    return ImportWalk(host, site, packages, module).reaches();
}

}  // namespace ptxguard
