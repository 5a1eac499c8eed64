// The stages of a recipe by name: which one starts from which, and their steps that may matter. Inner header
// of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/ranges.hpp"
#include "recipes/meaning/environments.hpp"
#include "recipes/meaning/installed_folders.hpp"
#include "recipes/meaning/variables.hpp"

namespace ptxguard::recipes {

class Stages {
public:
    explicit Stages(const Recipe& recipe) : m_most(recipe.stages.size()) {
        for (const Stage& stage : recipe.stages) {
            m_by_name.emplace(stage.name, &stage);
            m_bases.insert(stage.base);
            Environments::Steps& steps = m_steps[&stage];
            for (const Step& step : stage.steps) {
                const auto* variable = std::get_if<SetVariable>(&step);
                if (!variable || is_of_interest(*variable)) steps.push_back(&step);
                if (const auto* copy = std::get_if<CopyFrom>(&step))
                    m_copies[copy->stage.text].push_back(copy);
            }
        }
    }

    // The stage and those that it starts from, the first one first.
    std::vector<const Stage*> line_of(const Stage& stage) const {
        std::vector<const Stage*> line = {&stage};
        while (line.size() <= m_most && !line.back()->base.empty()) {
            const auto base = m_by_name.find(line.back()->base);
            if (base == m_by_name.end()) break;
            line.push_back(base->second);
        }
        std::reverse(line.begin(), line.end());
        return line;
    }

    // Null without one of that name.
    const Stage* named(const std::string& name) const {
        const auto found = m_by_name.find(name);
        return found == m_by_name.end() ? nullptr : found->second;
    }

    // What other stages copy from it.
    std::vector<const CopyFrom*> copies_of(const Stage& stage) const {
        const auto found = m_copies.find(stage.name);
        return found == m_copies.end() ? std::vector<const CopyFrom*>{} : found->second;
    }

    const InstalledFolders& installed_in(const Stage& stage) const {
        auto found = m_installed.find(&stage);
        if (found == m_installed.end())
            found = m_installed.emplace(&stage, installed_folders(steps_of(line_of(stage)))).first;
        return found->second;
    }

    // Its contents are judged in the stages that start from it.
    bool is_base_of_another(const Stage& stage) const {
        return !stage.name.empty() && !stage.last && m_bases.count(stage.name) != 0;
    }

    Environments::Steps steps_of(const std::vector<const Stage*>& line) const {
        Environments::Steps all;
        for (const Stage* stage : line) {
            const Environments::Steps& own = m_steps.at(stage);
            append(all, own);
        }
        return all;
    }

private:
    std::size_t m_most;
    std::map<std::string, const Stage*> m_by_name;  // the first with the name
    std::set<std::string> m_bases;
    std::map<const Stage*, Environments::Steps> m_steps;
    mutable std::map<const Stage*, InstalledFolders> m_installed;  // of those that are asked for
    std::map<std::string, std::vector<const CopyFrom*>> m_copies;  // by the name of the stage
};

}  // namespace ptxguard::recipes
