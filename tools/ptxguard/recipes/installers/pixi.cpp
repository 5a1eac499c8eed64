// The manifest as described in https://pixi.sh/latest/reference/pixi_manifest, the lock file in its versions
// 5 to 7.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pixi.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "formats/toml.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/requirement.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/installers/match_spec.hpp"
#include "recipes/python/requirements.hpp"
#include "recipes/shell/job.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_pixi_bytes{1u << 20, "bytes of a pixi.toml", "the file"};
constexpr Limit k_most_environments{100, "environments", "later ones"};

bool is_linux(std::string_view platform) { return starts_with(platform, "linux"); }
bool is_windows(std::string_view platform) { return starts_with(platform, "win"); }

Written cleaned(Written version) {
    if (version.text == "*") version.text.clear();
    return version;
}

// "linux-64", or {platform = "linux-64", cuda = "12"}.
struct Platform {
    std::string name, platform;
    const Tree* cuda = nullptr;
};
Platform platform_of(const Tree& entry) {
    if (entry.is_scalar()) return {entry.text, entry.text};
    Platform result;
    result.platform = entry["platform"] ? entry["platform"].text : entry["name"].text;
    result.name = entry["name"] ? entry["name"].text : result.platform;
    if (entry["cuda"].is_scalar()) result.cuda = &entry["cuda"];
    return result;
}

class Environment {
public:
    Environment(const Tree& root, Recipe& recipe, const ReadFile& files)
        : m_root(root), m_recipe(recipe), m_out(recipe, files) {}

    // False: the recipe has too many steps to continue.
    bool read(const std::string& name, const std::vector<const Tree*>& features,
              const std::function<void(PipInstall&)>& project) {
        const Tree& workspace = m_root["workspace"] ? m_root["workspace"] : m_root["project"];
        choose_platform(workspace["platforms"], features);
        if (m_platform.platform.empty()) return true;
        add_parts(workspace, features, project);
        m_out.stage.name = name == "default" ? "" : "environment " + name;
        m_out.stage.platform = {docker_platform(), m_recipe.file};
        m_out.stage.python = m_python;
        if (m_conda.specs.empty() && m_pip.requirements.empty() && m_tasks.empty()) return true;
        m_out.add(std::move(m_conda));
        add_pip_step();
        for (const Tree* task : m_tasks)
            m_out.run(PlacedText(written(*task, m_recipe.file)), "", ShellKind::posix, true);
        return m_out.finish();
    }

private:
    void add_parts(const Tree& workspace, const std::vector<const Tree*>& features,
                   const std::function<void(PipInstall&)>& project) {
        m_conda.whole = m_pip.whole = {"", m_recipe.file};
        m_pip.tool = "uv";  // pixi uses its resolver
        // Those of features come first.
        for (const Tree* feature : features) add_channels((*feature)["channels"]);
        add_channels(workspace["channels"]);
        if (m_platform.cuda) add_cuda(*m_platform.cuda);
        add_options(workspace["pypi-options"]);
        if (project) project(m_pip);
        for (std::size_t i = 0; i < m_pip.requirements.size(); ++i)
            m_requirement_at.try_emplace(m_pip.requirements[i].name, i);
        for (const Tree* feature : features) add_feature(*feature);
    }

    // Projects that pixi builds in the environment itself are a command of their own.
    void add_pip_step() {
        PipInstall here = m_pip;
        here.requirements.clear();
        here.projects.clear();
        here.no_build_isolation = true;
        for (const auto& [name, path] : m_paths)
            (contains(m_pip.not_isolated, name) ? here : m_pip).projects.push_back(path);
        for (PipInstall* step : {&m_pip, &here})
            if (!step->requirements.empty() || !step->projects.empty()) m_out.add(std::move(*step));
    }

    std::string docker_platform() const {
        if (is_windows(m_platform.platform)) return "windows";
        return ends_with(m_platform.platform, "-aarch64") ? "linux/arm64" : "linux";
    }

    // The first for Linux, else for Windows, among those of all features.
    void choose_platform(const Tree& platforms, const std::vector<const Tree*>& features) {
        std::map<std::string, std::size_t> listed;  // by how many of the features that list platforms
        std::size_t lists = 0;
        for (const Tree* feature : features) {
            std::set<std::string> names;
            for (const Tree* entry : (*feature)["platforms"].each()) names.insert(platform_of(*entry).name);
            for (const std::string& name : names) ++listed[name];
            lists += names.empty() ? 0 : 1;
        }
        for (const auto& wanted : {is_linux, is_windows})
            for (const Tree* entry : platforms.each()) {
                const Platform one = platform_of(*entry);
                if (wanted(one.platform) && (lists == 0 || listed[one.name] == lists)) {
                    m_platform = one;
                    return;
                }
            }
    }

    bool applies(const std::string& target) const {
        const bool windows = is_windows(m_platform.platform);
        return target == m_platform.platform || matches_pattern(m_platform.name, target) ||
               (windows ? target == "win" : target == "linux" || target == "unix");
    }

    void add_channels(const Tree& channels) {
        for (const Tree* channel : channels.each()) {
            const std::string& name = channel->is_scalar() ? channel->text : (*channel)["channel"].text;
            if (!name.empty() && m_channels.insert(name).second) m_conda.channels.push_back(name);
        }
    }

    void add_feature(const Tree& feature) {
        add_tables(feature);
        for (const auto& [target, tables] : feature["target"].members)
            if (applies(target.text)) add_tables(tables);
        if (feature["system-requirements"]["cuda"].is_scalar())
            add_cuda(feature["system-requirements"]["cuda"]);
        add_options(feature["pypi-options"]);
    }

    void add_tables(const Tree& tables) {
        for (const char* key : {"dependencies", "host-dependencies", "build-dependencies"})
            for (const auto& [name, value] : tables[key].members) add_conda(name, value);
        for (const auto& [name, value] : tables["pypi-dependencies"].members) add_pip(name, value);
        for (const auto& [name, value] : tables["activation"]["env"].members)
            if (value.is_scalar()) {
                Written text = written(value, m_recipe.file);
                text.known = text.text.find('$') == std::string::npos;
                m_out.set(name.text, text);
            }
        for (const auto& [name, task] : tables["tasks"].members) {
            const Tree& command = task.is_scalar() ? task : task["cmd"];
            if (command.is_scalar()) m_tasks.push_back(&command);
        }
    }

    // A later table replaces an earlier entry for the same package.
    void add_conda(const Tree& name, const Tree& value) {
        const Tree& version = value.is_scalar() ? value : value["version"];
        CondaSpec spec = read_match_spec({lower(name.text) + " " + cleaned(written(version, "")).text});
        spec.build = value["build"].text;
        spec.channel = value["channel"].text;
        spec.whole = written(version ? version : name, m_recipe.file);
        if (spec.name == "python") {
            m_python = ends_with(spec.version, ".*") ? spec.version.substr(0, spec.version.size() - 2)
                                                     : spec.version;
            if (m_python.find_first_not_of("0123456789.") != std::string::npos) m_python.clear();
        }
        replace(m_conda.specs, m_spec_at, std::move(spec));
    }

    // The driver that the solver may assume.
    void add_cuda(const Tree& version) {
        CondaSpec spec;
        spec.name = "__cuda";
        spec.version = ">=" + version.text;
        spec.whole = written(version, m_recipe.file);
        replace(m_conda.specs, m_spec_at, std::move(spec));
    }

    void add_pip(const Tree& name, const Tree& value) {
        const Tree& version = value.is_scalar() ? value : value["version"];
        WrittenRequirement requirement;
        requirement.name = canonical_package(name.text);
        requirement.whole = written(version ? version : value["url"] ? value["url"] : name, m_recipe.file);
        requirement.specifier = cleaned(requirement.whole).text;
        if (!version) requirement.specifier.clear();
        for (const Tree* extra : value["extras"].each())
            requirement.extras.push_back(canonical_package(extra->text));
        for (const char* key : {"url", "git"})
            if (value[key]) take_from(written(value[key], m_recipe.file), requirement);
        if (value["index"]) requirement.index = written(value["index"], m_recipe.file);
        if (value["path"]) {
            m_paths.emplace_back(requirement.name, written(value["path"], m_recipe.file));
            return;
        }
        replace(m_pip.requirements, m_requirement_at, std::move(requirement));
    }

    using PlaceOf = std::map<std::string, std::size_t>;  // in a list, by name

    template <class List, class Item>
    static void replace(List& list, PlaceOf& places, Item item) {
        const auto [place, fresh] = places.try_emplace(item.name, list.size());
        if (fresh)
            list.push_back(std::move(item));
        else
            list[place->second] = std::move(item);
    }

    void add_options(const Tree& options) {
        if (options["index-url"].is_scalar()) m_pip.index = written(options["index-url"], m_recipe.file);
        for (const Tree* url : options["extra-index-urls"].each())
            m_pip.extra_indexes.push_back(written(url->is_scalar() ? *url : (*url)["url"], m_recipe.file));
        for (const Tree* link : options["find-links"].each())
            m_pip.find_links.push_back(
                written((*link)["url"] ? (*link)["url"] : (*link)["path"], m_recipe.file));
        if (options["index-strategy"]) m_pip.index_strategy = options["index-strategy"].text;
        if (options["prerelease-mode"].text == "allow") m_pip.pre = true;
        const Tree& open = options["no-build-isolation"];  // true, or names
        if (open.is_scalar() && open.truth()) m_pip.no_build_isolation = true;
        for (const Tree& name : open.items) m_pip.not_isolated.push_back(canonical_package(name.text));
        if (options["no-binary"].truth()) m_pip.no_binary.push_back(":all:");
        for (const Tree& name : options["no-binary"].items) m_pip.no_binary.push_back(name.text);
    }

    const Tree& m_root;
    Recipe& m_recipe;
    Job m_out;
    Platform m_platform;
    CondaInstall m_conda;
    PipInstall m_pip;
    std::vector<std::pair<std::string, Written>> m_paths;  // projects by their names
    PlaceOf m_spec_at, m_requirement_at;
    std::set<std::string> m_channels;
    std::string m_python;
    std::vector<const Tree*> m_tasks;
};

}  // namespace

void read_pixi_tables(const Tree& root, Recipe& recipe, const ReadFile& files,
                      const ProjectRequirements& project) {
    const auto read = [&](const std::string& name, const Tree& listed) {
        std::vector<const Tree*> features;
        std::vector<std::string> names;
        const bool own = !listed["no-default-feature"].truth();
        if (own) features.push_back(&root);
        for (const Tree* feature : (listed.is_map() ? listed["features"] : listed).each()) {
            names.push_back(feature->text);
            if (const Tree& one = root["feature"][feature->text]) features.push_back(&one);
        }
        const auto of_project = [&](PipInstall& install) {
            if (project && own) project(names, install);
        };
        return Environment(root, recipe, files).read(name, features, of_project);
    };
    std::size_t count = 0;
    if (!root["environments"]["default"] && !read("default", root["environments"]["default"])) return;
    for (const auto& [name, listed] : root["environments"].members) {
        if (recipe.problems.exceeds(k_most_environments, ++count, written(name, recipe.file))) return;
        if (!read(name.text, listed)) return;
    }
}

Recipe read_pixi_manifest(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::pixi_manifest;
    recipe.file = file;
    const auto root = read_toml(text, file, k_most_pixi_bytes);
    if (root)
        read_pixi_tables(*root, recipe, files);
    else
        recipe.problems.push_back(not_parsed(file, root.trouble()));
    return recipe;
}

namespace {

// Listed once for all environments: name and version of a wheel by its URL.
using Packages = std::map<std::string, const Tree*>;

void read_locked(const Tree& list, const Packages& packages, const std::string& file, Stage& stage) {
    CondaInstall conda;
    conda.whole = written(list, file);
    PipInstall pip;
    pip.tool = "lock";
    pip.whole = conda.whole;
    for (const Tree& item : list.items) {
        if (item["conda"].is_scalar()) {
            CondaSpec spec = read_match_spec(written(item["conda"], file));
            if (spec.name == "python") stage.python = spec.version;
            if (!spec.name.empty()) conda.specs.push_back(std::move(spec));
        } else if (item["pypi"].is_scalar()) {
            const auto found = packages.find(item["pypi"].text);
            if (found == packages.end()) continue;
            WrittenRequirement requirement;
            requirement.name = canonical_package((*found->second)["name"].text);
            requirement.specifier = "==" + (*found->second)["version"].text;
            requirement.url = requirement.whole = written(item["pypi"], file);
            if (!requirement.name.empty() && (*found->second)["version"])
                pip.requirements.push_back(std::move(requirement));
        }
    }
    stage.steps.push_back(std::move(conda));
    if (!pip.requirements.empty()) stage.steps.push_back(std::move(pip));
}

}  // namespace

Recipe read_pixi_lock(const std::string& file, std::string_view text) {
    Recipe recipe;
    recipe.kind = RecipeKind::lock_file;
    recipe.file = file;
    const std::vector<Tree> documents = yaml_of(text, recipe);
    if (documents.empty()) return recipe;
    const Tree& root = documents.front();
    Packages packages;
    for (const Tree& package : root["packages"].items)
        if (package["pypi"].is_scalar()) packages[package["pypi"].text] = &package;
    std::map<std::string, std::string> subdirs;  // version 7: of a platform's name
    for (const Tree& platform : root["platforms"].items)
        if (platform["subdir"]) subdirs[platform["name"].text] = platform["subdir"].text;
    for (const auto& [name, environment] : root["environments"].members)
        for (const auto& [platform, list] : environment["packages"].members) {
            const auto alias = subdirs.find(platform.text);
            const std::string subdir = alias == subdirs.end() ? platform.text : alias->second;
            if (!is_linux(subdir) && !is_windows(subdir)) continue;
            const auto at = [&, &list = list] { return written(list, file); };
            if (recipe.problems.exceeds(k_most_environments, recipe.stages.size() + 1, at)) return recipe;
            Stage stage;
            stage.name = "environment " + name.text + " (" + platform.text + ")";
            stage.platform = {is_windows(subdir) ? "windows" : is_linux(subdir) ? subdir : "", file};
            if (ends_with(subdir, "-aarch64")) stage.platform.text = "linux/arm64";
            read_locked(list, packages, file, stage);
            recipe.stages.push_back(std::move(stage));
        }
    return recipe;
}

}  // namespace ptxguard::recipes
