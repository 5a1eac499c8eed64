// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/project_archs.hpp"

#include <set>

#include "formats/cmake_commands.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/cmake_effects.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// A property of a target, and flags, add to what other targets have; a variable replaces its value.
bool adds(const std::string& name) { return name == "CUDA_ARCHITECTURES" || !is_arch_variable(name); }

class Selection {
public:
    // `open`: variables whose value only the build decides.
    explicit Selection(const std::set<std::string>& open = {}) : m_open(open) {}

    void add(const Step& step, Truth runs) {
        RecipeFacts facts;
        Written at;
        std::string name;
        if (const auto* variable = std::get_if<SetVariable>(&step)) {
            if (!add_arch_variable(*variable, facts)) return;
            at = variable->value, name = variable->name;
            if (is_cmake_off(at.text)) {  // no architecture is passed
                if (runs == Truth::yes) replace(name);
                return;
            }
        } else if (const auto* command = std::get_if<Command>(&step)) {
            if (command->words.empty() || program_name(command->words.front().text) != "nvcc") return;
            const std::vector<Written> flags = arch_flags(*command);
            add_open_flags(*command);
            if (flags.empty()) return;
            add_command(*command, facts);
            at = flags.front(), name = "-gencode";
            for (const Written& flag : flags) at.known = at.known && flag.known;
        } else {
            return;
        }
        if (runs == Truth::yes && !adds(name)) replace(name);
        One one{name, {}, origin_of(at), false};
        one.origin.variable = name;
        if (!facts.arch_lists.empty()) one.archs = facts.arch_lists.back().archs;
        one.open =
            runs == Truth::unknown || !at.known || (one.archs.targets.empty() && one.archs.words.empty());
        m_all.push_back(std::move(one));
    }

    void give(BuiltProject& project) const {
        for (const One& one : m_all) {
            if (one.open) {
                if (!project.open)
                    project.open = {one.name + " in " + place_in_project(one.origin), one.origin};
                continue;
            }
            merge(one.archs, project.archs);
            project.archs_origin = one.origin;
        }
    }

private:
    struct One {
        std::string name;
        ArchList archs;
        Origin origin;
        bool open = false;
    };

    // Flags that a function of the project has put together: "${ARCH_FLAGS}".
    void add_open_flags(const Command& command) {
        for (const Written& word : command.words) {
            const std::string name = dereferenced(word.text);
            if (m_open.count(name) && !is_flags_variable(name))
                m_all.push_back({name, {}, origin_of(word), true});
        }
    }

    static void merge(const ArchList& more, ArchList& all) {
        for (const Target& target : more.targets) {
            auto* same = first_where(all.targets, [&](const Target& one) { return one.arch == target.arch; });
            if (!same) {
                all.targets.push_back(target);
                continue;
            }
            same->real = same->real || target.real;
            same->ptx = same->ptx || target.ptx;
        }
        for (const std::string& word : more.words)
            if (!contains(all.words, word)) all.words.push_back(word);
        if (all.text != more.text) all.text += (all.text.empty() ? "" : "; ") + more.text;
    }

    void replace(const std::string& name) {
        erase_if(m_all, [&](const One& one) { return one.name == name; });
    }

    std::set<std::string> m_open;
    std::vector<One> m_all;
};

}  // namespace

void add_archs(const DefaultBuild& build, BuiltProject& project) {
    Selection selection(build.open);
    for (const ExecutedStep& one : build.steps) selection.add(one.step, one.runs);
    selection.give(project);
}

void add_archs(const Recipe& recipe, BuiltProject& project) {
    Selection selection;
    for (const Stage& stage : recipe.stages)
        for (const Step& step : stage.steps) {
            selection.add(step, Truth::yes);
            project.always = project.always || std::holds_alternative<DeviceExtension>(step);
        }
    selection.give(project);
}

}  // namespace ptxguard::recipes
