// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/environments.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/activation.hpp"

namespace ptxguard::recipes {
namespace {

// Folders contain "/", conda names do not.
bool is_folder(std::string_view environment) { return environment.find('/') != environment.npos; }

// pip, uv and the like: an environment with only these contains nothing that could conflict.
bool installs_tools_only(const PipInstall& step) {
    return step.projects.empty() && all_of(step.requirements, [](const WrittenRequirement& one) {
               return is_one_of(one.name, {"pip", "setuptools", "wheel", "uv", "poetry", "pipx", "virtualenv",
                                           "pdm", "hatch", "pipenv", "build", "conda-lock"});
           });
}
bool installs_tools_only(const CondaInstall& step) {
    return all_of(step.specs, [](const CondaSpec& one) {
        return is_one_of(one.name,
                         {"conda", "mamba", "python", "pip", "conda-libmamba-solver", "setuptools"});
    });
}

// The Pythons for which `python3.8 -m pip`, `pip3.11` and the like install outside of environments that the
// recipe makes: each has its own packages.
std::set<std::string> named_pythons(const std::vector<const Step*>& steps) {
    std::set<std::string> named;
    for (const Step* step : steps) {
        const auto* pip = std::get_if<PipInstall>(step);
        if (pip && !pip->python.empty() && !installs_tools_only(*pip)) named.insert(pip->python);
    }
    return named;
}

// For all programs that are started later.
bool loads_module(const Command& command) {
    return !command.words.empty() && is_one_of(command.words[0].text, {"module", "ml"});
}

// The environment of each step, one after another; nothing for steps of all environments.
struct EnvironmentOf {
    explicit EnvironmentOf(bool several) : several_pythons(several) {}

    std::optional<std::string> of(const Command& command) {
        if (!command.makes.empty()) {
            made.insert(command.makes);
            if (program_name(command.words[0].text) == "uv") of_uv = command.makes;
        }
        std::string name = resolved(command.environment, false);
        if (loads_module(command) || (name.empty() && several_pythons)) return std::nullopt;
        any_command = any_command || name.empty();
        return now(std::move(name));
    }
    std::optional<std::string> of(const CondaInstall& conda) {
        if (conda.creates && !conda.environment.empty()) make_again(split(conda.environment, ":").front());
        return use(resolved(conda.environment, false), installs_tools_only(conda));
    }
    std::optional<std::string> of(const PipInstall& pip) {
        if (is_apart(pip)) return use("", true);
        if (!pip.makes.empty()) made.insert(of_uv = pip.makes);
        std::string name = resolved(pip.environment, pip.tool == "uv");
        if (name.empty() && several_pythons && !pip.python.empty()) name = "python" + pip.python;
        if (!installs_tools_only(pip)) filled.insert(name);
        return use(std::move(name), installs_tools_only(pip));
    }
    template <class Other>
    std::optional<std::string> of(const Other&) {
        return std::nullopt;
    }

    const bool several_pythons;
    std::set<std::string> made, used;
    bool any_command = false;

private:
    // `conda create` removes an environment of that name: what pip put there is gone, and so is what the
    // other branches of a condition do.
    void make_again(const std::string& name) {
        made.insert(name);
        if (filled.erase(name) != 0) ++again[name];
    }
    // The first one that the recipe creates, or that has a conda name.
    std::string resolved(const std::string& candidates, bool uv) const {
        for (const std::string& one : split(candidates, ":")) {
            if (one == k_base_environment) return "";
            if (!is_folder(one) || made.count(one)) return one;
        }
        return uv ? of_uv : "";
    }
    std::string now(std::string name) const {
        const auto later = again.find(name);
        return later == again.end() ? name : name + " " + std::to_string(later->second + 1);
    }
    std::string use(std::string name, bool tools_only) {
        name = now(std::move(name));
        if (!tools_only) used.insert(name);
        return name;
    }

    std::string of_uv;
    std::set<std::string> filled;      // by pip
    std::map<std::string, int> again;  // how often it was created once more
};

}  // namespace

Environments::Environments(Steps steps) : m_steps(std::move(steps)) {
    EnvironmentOf environment(named_pythons(m_steps).size() > 1);
    for (std::size_t at = 0; at < m_steps.size(); ++at) {
        const auto name = std::visit([&](const auto& step) { return environment.of(step); }, *m_steps[at]);
        (name ? m_own[*name] : m_common).push_back(at);
    }
    std::set<std::string>& used = environment.used;
    if (used.size() < 2) {
        m_made_one = !used.empty() && environment.made.count(*used.begin()) != 0;
        m_names = {""};
        return;
    }
    if (environment.any_command) used.insert("");
    m_names.assign(used.begin(), used.end());
}

Environments::Steps Environments::steps(const std::string& name) const {
    if (m_names.size() < 2) return m_steps;
    const auto own = m_own.find(name);
    Places places;
    const Places none;
    const Places& of_one = own == m_own.end() ? none : own->second;
    std::merge(m_common.begin(), m_common.end(), of_one.begin(), of_one.end(), std::back_inserter(places));
    Steps steps;
    for (const std::size_t at : places) steps.push_back(m_steps[at]);
    return steps;
}

}  // namespace ptxguard::recipes
