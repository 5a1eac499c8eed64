// CMakeLists.txt: its CUDA settings.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "formats/cmake_commands.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arch_gates.hpp"
#include "recipes/cmake_effects.hpp"
#include "recipes/cmake_here.hpp"
#include "recipes/scripts.hpp"

namespace ptxguard::recipes {
namespace {

bool is_cuda_name(const std::string& name) {
    return name.find("CUDA") != npos || name.find("NVCC") != npos || name == "CMAKE_MODULE_PATH";
}

constexpr Limit k_longest_cmake_value{1u << 16, "bytes of a value", "the rest of the value"};
constexpr std::size_t k_items_of_a_foreach = 100;   // longer lists are no lists of architectures
constexpr std::size_t k_folders_of_a_project = 64;  // one with more has no list of its own in all of them

class CMakeReader {
public:
    CMakeReader(const std::string& file, const std::vector<std::string>& given, const ReadFile& files)
        : m_files(files), m_budget(files.budget()), m_file(file), m_given(given) {
        m_recipe.kind = RecipeKind::cmake_lists;
        m_recipe.file = file;
    }

    Recipe read(std::string_view text) {
        const std::vector<CMakeCommand> commands = read_cmake_commands(text);
        m_recipe.gated = gated_script(m_recipe.file, commands);
        all(commands, 0, commands.size());
        m_recipe.stages.push_back(std::move(m_stage));
        return std::move(m_recipe);
    }

    // A list of which a part is not known is not judged.
    std::vector<Step> steps(const CMakeCommand& command) {
        m_whole = true;
        one(command);
        return std::move(m_stage.steps);
    }

private:
    void all(const std::vector<CMakeCommand>& commands, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const CMakeCommand& command = commands[i];
            if (m_budget.is_over_at(Budget::Place{m_file, command.line, command.column})) break;
            if (command.name == "foreach") {
                const std::size_t end = end_of_block(commands, i, last);
                if (loop(commands, i, end)) {
                    i = end;
                    continue;
                }
            }
            if ((command.name == "add_subdirectory" || command.name == "include") &&
                !command.arguments.empty())
                below(command);
            one(command);
        }
    }

    // foreach(A 50 60), foreach(A IN LISTS ARCHS): its body for each item, if all of them are known.
    bool loop(const std::vector<CMakeCommand>& commands, std::size_t at, std::size_t end) {
        const CMakeCommand& command = commands[at];
        const std::vector<std::string>& words = command.arguments;
        const auto arguments = foreach_items(command);
        if (words.size() < 2 || end == commands.size() || !arguments) return false;
        std::vector<std::string> items;
        for (const ForeachItem& one : *arguments) {
            const auto named = one.list ? m_values.find(words[one.argument]) : m_values.end();
            if (one.list && named == m_values.end()) return false;
            const Written item = one.list ? named->second : value(command, one.argument);
            if (!item.known) return false;
            for (std::string& part : split(item.text, ";")) items.push_back(std::move(part));
        }
        if (items.size() > k_items_of_a_foreach) return false;
        for (const std::string& item : items) {
            if (!m_budget.spend(end - at)) break;
            Written& here = m_values[words[0]];
            here = value(command, 0);
            here.text = item;
            here.known = true;
            all(commands, at + 1, end);
        }
        return true;
    }

    // Others are not parsed: they are read for each command that configures the project.
    static bool may_name_archs(const std::string& text) {
        for (const char* word : {"CUDA_ARCHITECTURES", "gencode", "CUDA_FLAGS", "NVCC_FLAGS",
                                 "add_subdirectory", "CUDA_STANDARD", "cuda_std_", "CXX_STANDARD"})
            if (text.find(word) != npos) return true;
        return false;
    }

    // A literal folder or file of the same project.
    void below(const CMakeCommand& command) {
        const std::string& name = command.arguments[0];
        const bool folder = command.name == "add_subdirectory";
        const std::string start = "${CMAKE_CURRENT_SOURCE_DIR}/", top = "${CMAKE_SOURCE_DIR}/";
        std::string path = starts_with(name, start) ? name.substr(start.size())
                           : starts_with(name, top) ? name.substr(top.size())
                                                    : name;
        if (!m_files || m_seen.size() >= k_folders_of_a_project || path.find('$') != npos ||
            (!folder && !ends_with(path, ".cmake")))
            return;
        if (!starts_with(name, top)) path = join_path(m_folder, path);
        path = normal_path(folder ? join_path(path, "CMakeLists.txt") : path, System::linux_);
        const auto text = m_files(path, value(command, 0));
        if (!text || !m_seen.insert(path).second || !may_name_archs(text->text)) return;
        const auto outer = std::make_pair(m_file, m_folder);
        m_file = text->file;
        if (folder) m_folder = parent_path(path);
        const auto values = m_values;
        const std::vector<CMakeCommand> commands = read_cmake_commands(text->text);
        all(commands, 0, commands.size());
        if (folder) m_values = values;  // a scope of its own
        std::tie(m_file, m_folder) = outer;
    }

    void one(const CMakeCommand& command) {
        const std::string& name = command.name;
        if (name == "if" || name == "function" || name == "macro" || name == "foreach" || name == "while")
            m_blocks.push_back(name != "if" ? "" : is_on(command) ? k_runs : default_of(command));
        if ((name == "else" || name == "elseif") && !m_blocks.empty()) m_blocks.back().clear();
        if ((name == "endif" || name == "endfunction" || name == "endmacro" || name == "endforeach" ||
             name == "endwhile") &&
            !m_blocks.empty())
            m_blocks.pop_back();
        if (enables_cuda(command)) enable(command);
        if (name == "option" && command.arguments.size() > 2 && !is_given(command.arguments[0]))
            m_options[command.arguments[0]] = command.arguments[2];
        if (name == "set") return set(command);
        if (name == "list" || name == "string") return append(command);
        if (name == "set_target_properties" || name == "set_property") return properties(command);
        if (takes_flags(name)) return flags(command, 0);
        if (name == "target_compile_features") return features(command);
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
    void enable(const CMakeCommand& command) {
        m_has_cuda = true;
        if (!m_whole) m_stage.steps.push_back(DeviceExtension{value(command, 0), true});
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
        result.file = m_file;
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
        if (is_cuda_name(words[0]) || is_standard_variable(words[0])) step(words[0], std::move(said));
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
            } else if (starts_with(words[i], "CUDA_STANDARD")) {
                step(words[i], value(command, i + 1));
            }
    }

    void features(const CMakeCommand& command) {
        for (std::size_t i = 0; i < command.arguments.size(); ++i) {
            Written said = value(command, i);
            if (!starts_with(said.text, "cuda_std_")) continue;
            said.text.erase(0, 9);
            step("cuda_std", std::move(said));
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
        word.known = !m_whole || ((said.known || expression != npos) && text.find('$') == npos);
        word.text = "nvcc";
        command.words.push_back(word);
        for (std::string& one : split(text, " ;\t\n\"'")) {
            if (!m_whole && one.find('$') != npos) continue;
            word.text = starts_with(one, "SHELL:") ? one.substr(6) : std::move(one);
            command.words.push_back(word);
        }
        if (command.words.size() > 1) m_stage.steps.push_back(std::move(command));
    }

    void keep(const CMakeCommand& command) {
        Command kept;
        Written name;
        name.text = command.name;
        name.file = m_file;
        name.line = command.line;
        name.column = command.column;
        kept.words.push_back(std::move(name));
        for (std::size_t i = 0; i < command.arguments.size(); ++i) kept.words.push_back(value(command, i));
        m_stage.steps.push_back(std::move(kept));
    }

    static constexpr const char* k_runs = "(runs)";

    const ReadFile& m_files;  // of the project, if its folders are followed
    Budget& m_budget;
    std::string m_file, m_folder;  // where the commands are
    std::set<std::string> m_seen;
    const std::vector<std::string>& m_given;  // names of variables that the user's command sets
    bool m_whole = false;                     // only lists of which everything is known
    Recipe m_recipe;
    Stage m_stage;
    // That may not be executed: the variable whose default one sets; k_runs for one that is.
    std::vector<std::string> m_blocks;
    std::map<std::string, std::string> m_options;
    bool m_has_cuda = false;
    std::map<std::string, Written> m_values;
};

}  // namespace

Recipe read_cmake_lists(const std::string& file, std::string_view text, const ReadFile& files,
                        const std::vector<std::string>& given) {
    return CMakeReader(file, given, files).read(text);
}

std::vector<Step> steps_of_cmake(const std::string& file, const CMakeCommand& command) {
    const ReadFile files;
    return CMakeReader(file, {}, files).steps(command);
}

}  // namespace ptxguard::recipes
