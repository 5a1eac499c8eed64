// CMakeLists.txt and CMakePresets.json: their CUDA settings.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "formats/cmake_commands.hpp"
#include "formats/yaml.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arch_gates.hpp"
#include "recipes/cmake_effects.hpp"
#include "recipes/scripts.hpp"
#include "recipes/tree_places.hpp"

namespace ptxguard::recipes {
namespace {

bool is_cuda_name(const std::string& name) {
    return name.find("CUDA") != npos || name.find("NVCC") != npos || name == "CMAKE_MODULE_PATH";
}

constexpr Limit k_longest_cmake_value{1u << 16, "bytes of a value", "the rest of the value"};
constexpr Limit k_deepest_preset{100, "presets that inherit each other", "further ones"};
constexpr Limit k_most_preset_values{100000, "values of presets", "later ones"};

class CMakeReader {
public:
    CMakeReader(const std::string& file, const std::vector<std::string>& given, Budget& budget)
        : m_budget(budget), m_given(given) {
        m_recipe.kind = RecipeKind::cmake_lists;
        m_recipe.file = file;
    }

    Recipe read(std::string_view text) {
        const std::vector<CMakeCommand> commands = read_cmake_commands(text);
        m_recipe.gated = gated_script(m_recipe.file, commands);
        for (const CMakeCommand& command : commands) {
            if (m_budget.is_over_at(Budget::Place{m_recipe.file, command.line, command.column})) break;
            one(command);
        }
        m_recipe.stages.push_back(std::move(m_stage));
        return std::move(m_recipe);
    }

    std::vector<Step> steps(const CMakeCommand& command) {
        one(command);
        return std::move(m_stage.steps);
    }

private:
    void one(const CMakeCommand& command) {
        const std::string& name = command.name;
        if (name == "if" || name == "function" || name == "macro" || name == "foreach" || name == "while")
            m_blocks.push_back(name != "if" ? "" : is_on(command) ? k_runs : default_of(command));
        if ((name == "else" || name == "elseif") && !m_blocks.empty()) m_blocks.back().clear();
        if ((name == "endif" || name == "endfunction" || name == "endmacro" || name == "endforeach" ||
             name == "endwhile") &&
            !m_blocks.empty())
            m_blocks.pop_back();
        if (enables_cuda(command)) m_has_cuda = true;
        if (name == "option" && command.arguments.size() > 2 && !is_given(command.arguments[0]))
            m_options[command.arguments[0]] = command.arguments[2];
        if (name == "set") return set(command);
        if (name == "list" || name == "string") return append(command);
        if (name == "set_target_properties" || name == "set_property") return properties(command);
        if (name == "target_compile_options" || name == "add_compile_options" || name == "cuda_add_library" ||
            name == "cuda_add_executable")
            return flags(command, 0);
        if (name == "project" || name == "enable_language" || name == "find_package") return keep(command);
    }

    // X of if(NOT DEFINED X), if(NOT X): the block sets its default. CMAKE_CUDA_ARCHITECTURES always has a
    // value once CUDA is enabled, so a later block for it never runs.
    std::string default_of(const CMakeCommand& command) const {
        const std::vector<std::string>& words = command.arguments;
        const bool defined = words.size() == 3 && words[0] == "NOT" && words[1] == "DEFINED";
        if (!defined && !(words.size() == 2 && words[0] == "NOT")) return "";
        const std::string& name = words.back();
        return name == "CMAKE_CUDA_ARCHITECTURES" && m_has_cuda ? "" : name;
    }
    // if(X) with option(X "" ON), unless the command that configures sets it.
    bool is_on(const CMakeCommand& command) const {
        if (command.arguments.size() != 1) return false;
        const auto option = m_options.find(command.arguments[0]);
        return option != m_options.end() && (option->second == "ON" || option->second == "TRUE");
    }
    bool is_given(const std::string& name) const {
        return std::find(m_given.begin(), m_given.end(), name) != m_given.end();
    }
    static bool enables_cuda(const CMakeCommand& command) {
        return (command.name == "project" || command.name == "enable_language") &&
               std::find(command.arguments.begin(), command.arguments.end(), "CUDA") !=
                   command.arguments.end();
    }
    // Nothing but a default of that variable decides whether the command runs.
    bool is_certain(const std::string& variable) const {
        return std::all_of(m_blocks.begin(), m_blocks.end(), [&](const std::string& of) {
            return of == k_runs || (!variable.empty() && of == variable);
        });
    }

    // With the known variables.
    Written value(const CMakeCommand& command, std::size_t i) {
        Written result;
        result.file = m_recipe.file;
        result.line = command.lines[i];
        result.column = command.columns[i];
        result.fixed = is_certain(command.name == "set" ? command.arguments[0] : "");
        const std::string& text = command.arguments[i];
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t close = text.compare(at, 2, "${") == 0 ? text.find('}', at) : npos;
            if (close == npos) {
                result.text += text[at++];
                continue;
            }
            const auto found = m_values.find(text.substr(at + 2, close - at - 2));
            if (found != m_values.end() &&
                !m_recipe.problems.exceeds(k_longest_cmake_value, result.text.size(), result)) {
                result.text += found->second.text;
                result.fixed = result.fixed && found->second.fixed;
                result.known = result.known && found->second.known;
            } else {
                result.text += text.substr(at, close + 1 - at);
                result.known = false;
            }
            at = close + 1;
        }
        // A generator expression is evaluated when the project is generated.
        if (result.text.find("$<") != npos) result.known = false;
        return result;
    }

    // A value's copies, and its words.
    void spend(const Written& value) { m_budget.spend(value.text.size() / 16); }

    // The arguments from `first` as one list, up to a word that is not a value.
    Written joined(const CMakeCommand& command, std::size_t first, std::size_t last, const char* by) {
        Written all;
        for (std::size_t i = first; i < last; ++i) {
            Written next = value(command, i);
            if (i == first) {
                all = std::move(next);
                continue;
            }
            all.text += by + next.text;
            all.known = all.known && next.known;
            all.fixed = all.fixed && next.fixed;
        }
        return all;
    }

    void step(const std::string& name, Written said) {
        if (is_flags_variable(name)) return add_flags(said);
        m_stage.steps.push_back(SetVariable{name, std::move(said)});
    }

    void set(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        if (words.size() < 2) return;
        const auto cache = std::find(words.begin(), words.end(), "CACHE");
        const auto scope = std::find(words.begin(), words.end(), "PARENT_SCOPE");
        const auto last = static_cast<std::size_t>(std::min(cache, scope) - words.begin());
        if (last < 2) return;
        Written said = joined(command, 1, last, ";");
        if (cache != words.end()) said.fixed = false;
        spend(said);
        if (m_recipe.problems.exceeds(k_longest_cmake_value, said.text.size(), said)) return;
        m_values[words[0]] = said;
        if (is_cuda_name(words[0])) step(words[0], std::move(said));
    }

    // list(APPEND NAME VALUE ...), string(APPEND NAME VALUE ...)
    void append(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        if (words.size() < 3 || words[0] != "APPEND") return;
        Written said = joined(command, 2, words.size(), command.name == "list" ? ";" : "");
        const auto before = m_values.find(words[1]);
        if (before != m_values.end() &&
            !m_recipe.problems.exceeds(k_longest_cmake_value, before->second.text.size(), said)) {
            const std::string between = command.name == "list" && !before->second.text.empty() ? ";" : "";
            said.text.insert(0, before->second.text + between);
            said.fixed = said.fixed && before->second.fixed;
        }
        spend(said);
        m_values[words[1]] = said;
        if (is_cuda_name(words[1])) step(words[1], std::move(said));
    }

    void properties(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            if (words[i] == "CUDA_ARCHITECTURES") {
                const bool list = command.name == "set_property";
                step("CUDA_ARCHITECTURES", joined(command, i + 1, list ? words.size() : i + 2, ";"));
            }
    }

    void flags(const CMakeCommand& command, std::size_t first) {
        for (std::size_t i = first; i < command.arguments.size(); ++i) {
            const std::string& word = command.arguments[i];
            if (word.find("-gencode") != npos || word.find("-arch") != npos ||
                word.find("arch=compute") != npos)
                return add_flags(joined(command, i, command.arguments.size(), " "));
        }
    }

    void add_flags(const Written& said) {
        std::string text = said.text;
        // "$<$<COMPILE_LANGUAGE:CUDA>:-gencode arch=...>"
        const std::size_t expression = text.find("$<$<COMPILE_LANGUAGE:CUDA>:");
        if (expression != npos) {
            text.erase(expression, 27);
            text.erase(std::min(text.rfind('>'), text.size()));
        }
        Command command;
        Written word = said;
        word.known = (said.known || expression != npos) && text.find('$') == npos;
        word.text = "nvcc";
        command.words.push_back(word);
        for (std::string& one : split(text, " ;\t\n")) {
            word.text = starts_with(one, "SHELL:") ? one.substr(6) : std::move(one);
            command.words.push_back(word);
        }
        if (command.words.size() > 1) m_stage.steps.push_back(std::move(command));
    }

    void keep(const CMakeCommand& command) {
        Command kept;
        Written name;
        name.text = command.name;
        name.file = m_recipe.file;
        name.line = command.line;
        name.column = command.column;
        kept.words.push_back(std::move(name));
        for (std::size_t i = 0; i < command.arguments.size(); ++i) kept.words.push_back(value(command, i));
        m_stage.steps.push_back(std::move(kept));
    }

    static constexpr const char* k_runs = "(runs)";

    Budget& m_budget;
    const std::vector<std::string>& m_given;  // names of variables that the user's command sets
    Recipe m_recipe;
    Stage m_stage;
    // That may not be executed: the variable whose default one sets; k_runs for one that is.
    std::vector<std::string> m_blocks;
    std::map<std::string, std::string> m_options;
    bool m_has_cuda = false;
    std::map<std::string, Written> m_values;
};

// Settings of configure presets, including inherited ones: of several parents the first one wins.
class Presets {
public:
    Presets(const std::vector<const Tree*>& all, Recipe& recipe) : m_recipe(recipe) {
        for (const Tree* preset : all) m_by_name[(*preset)["name"].text] = preset;
    }

    using Values = std::map<std::pair<std::string, std::string>, Written>;  // by group and name

    // Each preset is read once: a hundred that each inherit all previous ones need only a few lines of text.
    const Values& of(const Tree& preset, std::size_t depth = 0) {
        const auto [known, is_new] = m_known.emplace(&preset, Values());
        const auto at = [&] { return written(preset, m_recipe.file); };
        if (!is_new || m_recipe.problems.exceeds(k_deepest_preset, depth, at) ||
            m_recipe.problems.exceeds(k_most_preset_values, m_size, at))
            return known->second;
        Values values;
        const std::vector<const Tree*> parents = preset["inherits"].each();
        for (auto name = parents.rbegin(); name != parents.rend(); ++name) {
            const auto parent = m_by_name.find((*name)->text);
            if (parent == m_by_name.end()) continue;
            for (const auto& [key, value] : of(*parent->second, depth + 1)) values[key] = value;
        }
        for (const char* group : {"environment", "cacheVariables"})
            for (const auto& [name, member] : preset[group].members) {
                const Tree& value = member.is_map() ? member["value"] : member;
                Written& one = values[{group, name.text}] = written(value, m_recipe.file);
                one.known = value.text.find('$') == npos;
                if (!value.quoted) one.text.clear();  // null removes a parent's value
            }
        m_size += values.size();
        return known->second = std::move(values);
    }

private:
    Recipe& m_recipe;
    std::map<std::string, const Tree*> m_by_name;
    std::map<const Tree*, Values> m_known;
    std::size_t m_size = 0;
};

}  // namespace

Recipe read_cmake_lists(const std::string& file, std::string_view text, const ReadFile& files,
                        const std::vector<std::string>& given) {
    return CMakeReader(file, given, files.budget()).read(text);
}

std::vector<Step> steps_of_cmake(const std::string& file, const CMakeCommand& command) {
    const ReadFile files;
    return CMakeReader(file, {}, files.budget()).steps(command);
}

Recipe read_cmake_presets(const std::string& file, std::string_view text) {
    Recipe recipe;
    recipe.kind = RecipeKind::cmake_presets;
    recipe.file = file;
    const auto documents = read_yaml(text, file);
    if (!documents) recipe.problems.push_back(not_parsed(file, documents.trouble()));
    if (!documents || documents->empty()) return recipe;
    const std::vector<const Tree*> all = documents->front()["configurePresets"].each();
    Presets presets(all, recipe);
    for (const Tree* preset : all) {
        if ((*preset)["hidden"].truth()) continue;
        Stage stage;
        stage.name = "preset " + (*preset)["name"].text;
        for (const auto& [key, value] : presets.of(*preset))
            if (value) stage.steps.push_back(SetVariable{key.second, value});
        recipe.stages.push_back(std::move(stage));
    }
    return recipe;
}

}  // namespace ptxguard::recipes
