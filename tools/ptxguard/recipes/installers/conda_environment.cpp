// environment.yml like `conda env create`; for a lock file every package, with the build in its URL.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/conda_environment.hpp"

#include <map>
#include <set>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/tree_places.hpp"
#include "recipes/base/yaml_files.hpp"
#include "recipes/installers/conda_template.hpp"
#include "recipes/installers/match_spec.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
namespace {

// "3.10" for python=3.10, "==3.10.4", "3.10.*"; nothing for a range.
std::string python_of(const CondaInstall& install) {
    for (const CondaSpec& spec : install.specs) {
        if (spec.name != "python") continue;
        std::string version = spec.version;
        if (ends_with(version, ".*")) version.resize(version.size() - 2);
        return version.find_first_not_of("0123456789.") == std::string::npos ? version : "";
    }
    return "";
}

class EnvironmentReader {
public:
    EnvironmentReader(const std::string& file, const ReadFile& files, Recipe& recipe)
        : m_file(file), m_files(files), m_recipe(recipe) {}

    void read(const Tree& root) {
        Stage stage;
        for (const auto& [name, value] : root["variables"].members)
            stage.steps.push_back(SetVariable{name.text, written(value, m_file), true});
        CondaInstall install;
        install.whole = written(root["dependencies"], m_file);
        install.environment = root["name"].text;
        for (const Tree* channel : root["channels"].each())
            if (channel->is_scalar()) install.channels.push_back(channel->text);
        drop_repeated(install.channels);
        std::vector<PipInstall> pips;
        dependencies(root["dependencies"], true, install, pips);
        if (root["platforms"].items.size() == 1) stage.platform = written(root["platforms"].items[0], m_file);
        stage.python = python_of(install);
        stage.steps.push_back(std::move(install));
        for (PipInstall& pip : pips) {
            pip.environment = root["name"].text;
            stage.steps.push_back(std::move(pip));
        }
        m_recipe.stages.push_back(std::move(stage));
    }

private:
    void dependencies(const Tree& list, bool fixed, CondaInstall& install, std::vector<PipInstall>& pips) {
        for (const Tree* item : list.each()) {
            if (item->is_scalar()) {
                Written text = marked(written(*item, m_file));
                text.fixed = text.fixed && fixed;
                install.specs.push_back(read_match_spec(text));
            }
            for (const auto& [key, value] : item->members) {
                if (key.text == "pip")
                    pips.push_back(pip_list(value));
                else if (starts_with(key.text, "sel("))  // micromamba: sel(linux): PACKAGE
                    dependencies(value, false, install, pips);
            }
        }
    }

    PipInstall pip_list(const Tree& list) {
        PipInstall install;
        install.tool = "pip";
        install.whole = written(list, m_file);
        std::vector<Written> lines;
        for (const Tree* item : list.each())
            if (item->is_scalar()) lines.push_back(marked(written(*item, m_file)));
        Inherited inherited(m_recipe.problems);
        read_requirement_lines(file_name(m_file), std::move(lines), m_files, inherited, install);
        return install;
    }

    const std::string& m_file;
    const ReadFile& m_files;
    Recipe& m_recipe;
};

// conda-lock.yml: one stage for each platform.
void read_lock(const Tree& root, Recipe& recipe, Budget& budget) {
    struct Packages {
        CondaInstall conda;
        PipInstall pip;
    };
    std::map<std::string, Packages> platforms;
    for (const Tree& package : root["package"].items) {
        const Written name = written(package["name"], recipe.file);
        Packages& packages = platforms[package["platform"].text];
        if (package["manager"].text == "pip") {
            WrittenRequirement requirement = read_requirement(name);
            requirement.specifier = "==" + package["version"].text;
            requirement.url = written(package["url"], recipe.file);
            packages.pip.requirements.push_back(std::move(requirement));
            continue;
        }
        CondaSpec spec = read_match_spec(written(package["url"], recipe.file));
        spec.name = lower(name.text);
        spec.version = package["version"].text;
        spec.whole = name;
        packages.conda.specs.push_back(std::move(spec));
    }
    std::vector<std::string> channels;
    for (const Tree* channel : root["metadata"]["channels"].each())
        channels.push_back((*channel)["url"].text);
    drop_repeated(channels);
    for (auto& [platform, packages] : platforms) {
        if (!budget.spend_at(written(root, recipe.file), channels.size())) return;
        Stage stage;
        stage.name = platform;
        stage.platform = {platform, recipe.file};
        stage.python = python_of(packages.conda);
        packages.conda.channels = channels;
        packages.pip.tool = "lock";
        stage.steps.push_back(std::move(packages.conda));
        if (!packages.pip.requirements.empty()) stage.steps.push_back(std::move(packages.pip));
        recipe.stages.push_back(std::move(stage));
    }
}

}  // namespace

void drop_repeated(std::vector<std::string>& names) {
    std::set<std::string> seen;
    erase_if(names, [&](const std::string& one) { return one.empty() || !seen.insert(one).second; });
}

void read_spec_list(const FileText& file, CondaInstall& install) {
    int number = 0;
    for (const std::string_view line : lines_of(file.text)) {
        ++number;
        const std::string_view text = trimmed(line.substr(0, line.find(" #")));
        if (text.empty() || text.front() == '#' || text.front() == '@') continue;
        install.specs.push_back(read_match_spec(
            {std::string(text), file.file, number, static_cast<int>(text.data() - line.data()) + 1}));
    }
}

bool is_list_of_conda(std::string_view text) {
    for (const std::string_view line : lines_of(text)) {
        const std::string_view word = trimmed(line);
        if (word.empty() || word.front() == '#') continue;
        const std::size_t first = word.find('=');
        return first != word.npos && word.find("==") == word.npos && word.find('=', first + 1) != word.npos &&
               word.find_first_of(" \t<>~!;@") == word.npos;
    }
    return false;
}

Recipe read_conda_list(const std::string& file, std::string_view text) {
    CondaInstall conda;
    read_spec_list({file, std::string(text)}, conda);
    PipInstall pip;
    pip.tool = "lock";
    erase_if(conda.specs, [&](const CondaSpec& spec) {
        if (spec.name.empty() || !starts_with(spec.build, "pypi")) return false;
        Written pinned = spec.whole;
        const bool plain = spec.version.find_first_of("0123456789") == 0;
        pinned.text = spec.name + (plain ? "==" : "") + spec.version;
        pip.requirements.push_back(read_requirement(pinned));
        return true;
    });
    Recipe recipe;
    recipe.kind = RecipeKind::lock_file;
    recipe.file = file;
    recipe.stages.emplace_back();
    recipe.stages.back().python = python_of(conda);
    recipe.stages.back().steps.push_back(std::move(conda));
    if (!pip.requirements.empty()) recipe.stages.back().steps.push_back(std::move(pip));
    return recipe;
}

Recipe read_conda_environment(const std::string& file, std::string_view text, const ReadFile& files) {
    Recipe recipe;
    recipe.kind = RecipeKind::conda_environment;
    recipe.file = file;
    if (text.find("@EXPLICIT") != text.npos) return read_conda_list(file, text);
    for (const Tree& root : yaml_of(render_conda(text, file, recipe.problems), recipe)) {
        if (root["package"].is_list()) {
            recipe.kind = RecipeKind::lock_file;
            read_lock(root, recipe, files.budget());
        } else if (root.is_map()) {
            EnvironmentReader(file, files, recipe).read(root);
        }
    }
    return recipe;
}

}  // namespace ptxguard::recipes
