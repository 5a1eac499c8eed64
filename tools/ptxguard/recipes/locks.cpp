// All of them are TOML with a list of packages.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/locks.hpp"

#include <map>

#include "formats/toml.hpp"
#include "python/requirement.hpp"
#include "recipes/tree_places.hpp"

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

std::vector<WrittenRequirement> packages_of(const Tree& root, const std::string& file) {
    std::map<std::string, int> versions;
    const Tree& packages = root["package"] ? root["package"] : root["packages"];
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
        // pdm and poetry 2: the marker that decides whether it is installed.
        for (const char* key : {"marker", "markers"})
            if (package[key].is_scalar()) requirement.marker = package[key].text;
        result.push_back(std::move(requirement));
    }
    return result;
}

}  // namespace

Recipe read_lock_file(const std::string& file, std::string_view text) {
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
    recipe.stages.emplace_back();
    recipe.stages.back().steps.push_back(std::move(install));
    return recipe;
}

void pin_by_lock(const FileText& lock, PipInstall& install, std::size_t first, Problems& problems) {
    const auto root = read_toml(lock.text, lock.file, k_most_lock_bytes);
    if (!root) return problems.push_back(not_parsed(lock.file, root.trouble()));
    std::map<std::string, WrittenRequirement> locked;
    for (WrittenRequirement& package : packages_of(*root, lock.file))
        if (package.whole.fixed) locked[package.name] = std::move(package);
    for (std::size_t i = first; i < install.requirements.size(); ++i) {
        WrittenRequirement& requirement = install.requirements[i];
        const auto found = locked.find(requirement.name);
        if (found == locked.end() || found->second.specifier.empty()) continue;
        requirement.specifier = found->second.specifier;
        if (!requirement.index) requirement.index = found->second.index;
    }
}

}  // namespace ptxguard::recipes
