// Every tool's tables are read into the same few lists: requirements of a name, and indexes.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pyproject.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/marker.hpp"
#include "python/requirement.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/builds/build_settings.hpp"
#include "recipes/installers/locks.hpp"
#include "recipes/installers/pixi.hpp"
#include "recipes/installers/poetry_dependencies.hpp"
#include "recipes/installers/setuptools_project.hpp"
#include "recipes/installers/uv_parts.hpp"
#include "recipes/installers/uv_sources.hpp"
#include "recipes/python/marker_places.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_most_items{5000, "requirements of one extra or group", "later ones"};
constexpr Limit k_most_groups{100, "extras and groups", "the others"};
constexpr Limit k_most_included_groups{100, "groups in one group", "later ones"};
constexpr Limit k_most_projects{20, "projects of one command", "later ones"};

class Project {
public:
    Project(const Tree& root, std::string file, Problems& problems)
        : m_root(root),
          m_file(std::move(file)),
          m_problems(problems),
          m_uv(root["tool"]["uv"]),
          m_poetry(root["tool"]["poetry"]),
          m_sources(m_uv, m_file, m_indexes) {
        for (const auto& [name, entry] : m_poetry["dependencies"].members)
            m_of_poetry[canonical_package(name.text)] = &entry;
        read_indexes();
        read_constraints();
        // RAPIDS' backend writes others into its wheels: cudf-cu12 for cudf.
        const std::string& backend = m_root["build-system"]["build-backend"].text;
        const bool rewritten = starts_with(backend, "rapids_build_backend");
        for (const Tree* text : m_root["project"]["dependencies"].each())
            if (!rewritten) add(m_always, *text, "");
        read_poetry();
        for (const auto& [name, list] : m_root["project"]["optional-dependencies"].members)
            for (const Tree* text : list.each()) add(group(name.text), *text, name.text);
        for (const auto& [name, list] : m_root["dependency-groups"].members) {
            std::set<std::string> seen;
            read_group(name.text, list, group(name.text), seen);
        }
        for (const auto& [name, list] : m_root["tool"]["pdm"]["dev-dependencies"].members)
            for (const Tree* text : list.each()) add(group(name.text), *text, name.text);
        for (const Tree* text : m_uv["dev-dependencies"].each()) add(group("dev"), *text, "dev");
        for (const auto& [name, environment] : m_root["tool"]["hatch"]["envs"].members)
            for (const char* key : {"dependencies", "extra-dependencies"})
                for (const Tree* text : environment[key].each()) add(group("hatch " + name.text), *text, "");
    }

    void set_sources_of_poetry(std::vector<WrittenRequirement>& requirements,
                               const std::vector<std::string>& extras) const {
        for (WrittenRequirement& requirement : requirements) {
            const auto entry = m_of_poetry.find(requirement.name);
            if (entry == m_of_poetry.end() || requirement.index) continue;
            const std::string source = poetry_source(*entry->second, requirement, extras, m_file);
            if (const Written* index = m_indexes.find(source)) requirement.index = *index;
        }
    }

    // The requirements that always apply and those of the named extras and groups.
    void add_to(PipInstall& install, const std::vector<std::string>& extras) const {
        if (!install.parts.only_groups) append(install.requirements, m_always);
        for (const std::string& extra : extras)
            if (const auto found = m_groups.find(canonical_package(extra)); found != m_groups.end())
                append(install.requirements, found->second);
        set_sources_of_poetry(install.requirements, extras);
        m_sources.set(install.requirements, extras, install.parts.known);
        if (install.tool == "uv") add_ignored_sources(install);
        append(install.constraints, m_install.constraints);
        if (!install.index) install.index = m_install.index;
        append(install.extra_indexes, m_install.extra_indexes);
        append(install.find_links, m_install.find_links);
        if (!install.torch_backend) install.torch_backend = m_install.torch_backend;
        if (install.index_strategy.empty()) install.index_strategy = m_install.index_strategy;
        install.pre = install.pre || m_install.pre;
        install.unread = install.unread || m_install.unread;
        install.no_index = install.no_index || m_install.no_index;
        install.no_build_isolation = install.no_build_isolation || m_install.no_build_isolation;
        append(install.not_isolated, m_install.not_isolated);
    }

    // uv: markers and groups may limit the Pythons.
    bool has_own_pythons() const {
        const auto limits = [](const Tree& list) {
            const auto all = list.each();
            return any_of(all, [](const Tree* one) { return one->text.find("python") != npos; });
        };
        return m_uv["dependency-groups"] || limits(m_uv["environments"]) ||
               limits(m_uv["required-environments"]);
    }
    std::string tool() const {
        return m_uv ? "uv" : m_poetry ? "poetry" : m_root["tool"]["pdm"] ? "pdm" : "pip";
    }
    std::vector<std::string> groups() const {
        std::vector<std::string> names;
        for (const auto& [name, list] : m_groups) {
            // C++17 captures a name of a structured binding only so.
            const auto place = [this, &all = list] {
                return all.empty() ? Written{"", m_file} : all.front().whole;
            };
            if (m_problems.exceeds(k_most_groups, names.size() + 1, place)) break;
            names.push_back(name);
        }
        return names;
    }

private:
    // Sources of a workspace are for its members too.
    void add_ignored_sources(PipInstall& install) const {
        std::set<std::string> requested;
        const auto add_names = [&](const std::vector<WrittenRequirement>& list) {
            for (const WrittenRequirement& requirement : list) requested.insert(requirement.name);
        };
        add_names(m_always);
        add_names(m_install.constraints);
        for (const auto& [name, list] : m_groups) add_names(list);
        if (requested.empty() || m_uv["workspace"] || is_left_to_setuptools(m_root)) return;
        install.ignored_sources = m_sources.ignored(requested);
    }

    Written at(const Tree& value) const { return written(value, m_file); }
    std::vector<WrittenRequirement>& group(const std::string& name) {
        return m_groups[canonical_package(name)];
    }

    void add(std::vector<WrittenRequirement>& list, const Tree& text, const std::string& extra) {
        if (!text.is_scalar() || is_full(list, text)) return;
        WrittenRequirement requirement = read_requirement(at(text));
        // "mypackage[gpu]" in an extra of mypackage: that extra too.
        if (!extra.empty() && requirement.name == canonical_package(m_root["project"]["name"].text) &&
            !requirement.name.empty()) {
            for (const std::string& other : requirement.extras)
                for (const Tree* more : m_root["project"]["optional-dependencies"][other].each())
                    if (more->is_scalar() && !is_full(list, *more))
                        list.push_back(read_requirement(at(*more)));
            return;
        }
        list.push_back(std::move(requirement));
    }

    bool is_full(const std::vector<WrittenRequirement>& list, const Tree& next) {
        return m_problems.exceeds(k_most_items, list.size() + 1, [&] { return at(next); });
    }

    // Each group once, even if included several times.
    void read_group(const std::string& name, const Tree& items, std::vector<WrittenRequirement>& list,
                    std::set<std::string>& seen) {
        if (!seen.insert(name).second ||
            m_problems.exceeds(k_most_included_groups, seen.size(), [&] { return at(items); }))
            return;
        for (const Tree* item : items.each()) {
            add(list, *item, "");
            const std::string other = (*item)["include-group"].text;
            if (!other.empty()) read_group(other, m_root["dependency-groups"][other], list, seen);
        }
    }

    void add_index(const std::string& name, const Tree& url, bool is_default, bool only_named) {
        if (!url.is_scalar()) return;
        m_indexes.add(name, at(url), only_named);
        if (only_named) return;
        if (is_default && !m_install.index)
            m_install.index = at(url);
        else
            m_install.extra_indexes.push_back(at(url));
    }

    void read_indexes() {
        for (const Tree* index : m_uv["index"].each())
            add_index((*index)["name"].text, (*index)["url"], (*index)["default"].truth(),
                      (*index)["explicit"].truth());
        for (const Tree* source : m_poetry["source"].each()) {
            const bool only_named = is_named_source(*source, m_poetry["dependencies"]);
            add_index((*source)["name"].text, (*source)["url"], is_primary_source(*source), only_named);
        }
        for (const Tree* source : m_root["tool"]["pdm"]["source"].each()) {
            if ((*source)["type"].text == "find_links")
                m_install.find_links.push_back(at((*source)["url"]));
            else
                add_index((*source)["name"].text, (*source)["url"], (*source)["name"].text == "pypi",
                          static_cast<bool>((*source)["include_packages"]));
        }
        for (const Tree* table : {&m_uv, &m_uv["pip"]}) read_settings(*table);
    }

    // Of uv.
    void read_settings(const Tree& table) {
        if (const Tree& url = table["index-url"]; url.is_scalar()) m_install.index = at(url);
        for (const Tree* url : table["extra-index-url"].each()) m_install.extra_indexes.push_back(at(*url));
        for (const Tree* url : table["find-links"].each()) m_install.find_links.push_back(at(*url));
        if (table["no-index"].truth()) m_install.no_index = true;
        if (table["no-build-isolation"].truth()) m_install.no_build_isolation = true;
        // uv gives the isolated environment of a package what is listed for it.
        for (const Tree* package : table["no-build-isolation-package"].each())
            m_install.not_isolated.push_back(canonical_package(package->text));
        for (const auto& [package, more] : table["extra-build-dependencies"].members)
            m_install.not_isolated.push_back(canonical_package(package.text));
        if (table["prerelease"].text == "allow") m_install.pre = true;
        if (table["index-strategy"]) m_install.index_strategy = table["index-strategy"].text;
        if (table["torch-backend"]) m_install.torch_backend = at(table["torch-backend"]);
    }

    void read_constraints() {
        for (const char* key : {"constraint-dependencies", "override-dependencies"})
            for (const Tree* text : m_uv[key].each())
                if (text->is_scalar()) m_install.constraints.push_back(read_requirement(at(*text)));
        // They replace what any package requires.
        m_install.unread = !m_uv["override-dependencies"].items.empty();
    }

    void read_poetry() {
        std::map<std::string, std::vector<WrittenRequirement>> optional;
        std::map<std::string, std::size_t> of_project;  // places in m_always
        for (std::size_t i = 0; i < m_always.size(); ++i) of_project.try_emplace(m_always[i].name, i);
        // conda-lock reads the tables of Poetry as packages of conda, but for those with this source.
        const bool of_conda = !m_root["tool"]["conda-lock"].members.empty();
        const auto read = [&](const Tree& table) {
            auto list = read_poetry_dependencies(table, m_file);
            if (of_conda) erase_if(list, [](const PoetryDependency& one) { return one.source != "pypi"; });
            return list;
        };
        for (PoetryDependency& one : read(m_poetry["dependencies"])) {
            set_index(one);
            const std::string name = one.requirement.name;
            // Poetry 2: a table that only gives the source of a requirement of [project].
            const auto same = of_project.find(name);
            if (same != of_project.end())
                m_always[same->second].index = one.requirement.index;
            else if (one.optional)
                optional[name].push_back(std::move(one.requirement));
            else
                m_always.push_back(std::move(one.requirement));
        }
        for (const auto& [extra, names] : m_poetry["extras"].members)
            for (const Tree* name : names.each())
                for (const WrittenRequirement& requirement : optional[canonical_package(name->text)])
                    group(extra.text).push_back(requirement);
        const auto add_group = [&](const std::string& name, const Tree& table) {
            for (PoetryDependency& one : read(table)) {
                set_index(one);
                group(name).push_back(std::move(one.requirement));
            }
        };
        for (const auto& [name, table] : m_poetry["group"].members)
            add_group(name.text, table["dependencies"]);
        add_group("dev", m_poetry["dev-dependencies"]);
    }

    void set_index(PoetryDependency& dependency) const {
        const Written* found = m_indexes.find(dependency.source);
        if (!dependency.source.empty() && found) dependency.requirement.index = *found;
    }

    const Tree& m_root;
    std::string m_file;
    Problems& m_problems;
    const Tree& m_uv;
    const Tree& m_poetry;
    PipInstall m_install;                            // indexes and constraints
    std::map<std::string, const Tree*> m_of_poetry;  // entries of [tool.poetry.dependencies]
    NamedIndexes m_indexes;
    UvSources m_sources;
    std::vector<WrittenRequirement> m_always;
    std::map<std::string, std::vector<WrittenRequirement>> m_groups;
};

Stage stage_of(const std::string& name, PipInstall install) {
    Stage stage;
    stage.name = name;
    stage.steps.push_back(std::move(install));
    return stage;
}

// The lock file beside it shows that its tool has found a set.
bool is_locked(const std::string& file, const ReadFile& files) {
    for (const char* name : {"uv.lock", "poetry.lock", "pdm.lock"})
        if (files && files(join_path(parent_path(file), name), {"", file})) return true;
    return false;
}

// "3.12" of the .python-version beside it, which uv uses for the project.
std::string python_of_uv(const std::string& file, const ReadFile& files) {
    const auto pinned =
        files ? files(join_path(parent_path(file), ".python-version"), {"", file}) : std::nullopt;
    if (!pinned) return "";
    const std::string_view first = trimmed(std::string_view(pinned->text).substr(0, pinned->text.find('\n')));
    return !first.empty() && is_digit(first.front()) ? std::string(first) : "";
}

}  // namespace

Recipe read_pyproject(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::pyproject;
    recipe.file = file;
    const auto root = tree_of_pyproject(text, file);
    if (!root) {
        recipe.problems.push_back(not_parsed(file, root.trouble()));
        return recipe;
    }
    const Project project(*root, file, recipe.problems);
    const auto add_stage = [&](const std::string& name, const std::vector<std::string>& extras) {
        PipInstall install;
        install.tool = project.tool();
        install.whole = {"", file};
        project.add_to(install, extras);
        if (install.requirements.empty()) return;
        const Written pythons = required_python(*root, file);
        if (install.tool == "uv") install.python = python_of_uv(file, files);
        if (install.python.empty() && !project.has_own_pythons() && !is_locked(file, files))
            install.admitted_pythons = pythons;
        Stage& added = recipe.stages.emplace_back(stage_of(name, std::move(install)));
        added.python = pythons.text;
        added.alternative = excludes_others(*root, name);
    };
    // pixi installs the project's requirements with its own, from its own indexes.
    const Tree& pixi = (*root)["tool"]["pixi"];
    if (!pixi) add_stage("project", {});
    for (const std::string& name : project.groups())
        if (!pixi) add_stage(name, {name});
    add_build_requirements(*root, recipe);
    add_build_settings(*root, recipe);
    if (pixi)
        read_pixi_tables(pixi, recipe, files, [&](const auto& features, PipInstall& install) {
            project.add_to(install, features);
        });
    return recipe;
}

void add_projects(PipInstall& install, const std::vector<std::string>& extras, const ReadFile& files,
                  const Inherited& inherited) {
    std::set<std::string> seen;
    const auto own = static_cast<std::ptrdiff_t>(install.requirements.size());
    for (const Written& project : install.projects) {
        if (!seen.insert(project.text).second ||
            inherited.problems.exceeds(k_most_projects, seen.size(), project))
            continue;
        const std::size_t bracket = std::min(project.text.find('['), project.text.size());
        const std::string folder = project.text.substr(0, bracket);
        if (!files || !project.known || folder.find("://") != std::string::npos) continue;
        std::vector<std::string> chosen = extras;
        if (bracket < project.text.size())
            for (const std::string& extra : split(project.text.substr(bracket), "[], "))
                chosen.push_back(extra);
        const auto path = [&](const char* name) {
            return normal_path(join_path(folder, name), System::linux_);
        };
        const auto text = files(path("pyproject.toml"), project);
        if (!text) {
            add_setuptools_project(folder, project, files, chosen, install);
            continue;
        }
        const auto root = tree_of_pyproject(text->text, text->file);
        if (!root) {
            inherited.problems.push_back(not_parsed(text->file, root.trouble()));
            continue;
        }
        if (is_left_to_setuptools(*root) && !install.parts.only_groups)
            add_setuptools_project(folder, project, files, chosen, install);
        // uv sync: it reads the lock, and fetches a Python that fits; uv pip does neither.
        const bool of_uv = install.tool == "uv" && !install.makes.empty();
        const Written python = required_python(*root, text->file);
        if (python && (!of_uv || !install.python.empty())) install.pythons.push_back(python);
        if (of_uv) choose_uv_parts(*root, text->file, install, chosen);
        const std::size_t before = install.requirements.size();
        Project(*root, text->file, inherited.problems).add_to(install, chosen);
        const char* lock = of_uv                      ? "uv.lock"
                           : install.tool == "poetry" ? "poetry.lock"
                           : install.tool == "pdm"    ? "pdm.lock"
                                                      : nullptr;
        const auto locked = lock ? files(path(lock), project) : std::nullopt;
        if (locked) pin_by_lock(*locked, install, before, inherited.problems);
    }
    // pip install --no-deps .
    if (install.no_deps)
        install.requirements.erase(install.requirements.begin() + own, install.requirements.end());
}

}  // namespace ptxguard::recipes
