// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_steps.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/cmake_effects.hpp"
#include "recipes/builds/link_requests.hpp"

namespace ptxguard::recipes {
namespace {

class CMakeSteps {
public:
    CMakeSteps(const std::string& file, const CMakeCommand& command, const CMakeVariables& variables,
               bool fixed, bool all_known)
        : m_file(file), m_command(command), m_variables(variables), m_fixed(fixed), m_all_known(all_known) {}

    std::vector<Step> steps() {
        const std::string& name = m_command.name;
        if (name == "set") set();
        if (name == "list" || name == "string") change();
        if (name == "set_target_properties" || name == "set_property") properties();
        if (takes_flags(name)) flags();
        if (name == "target_compile_features") features();
        if (name == "cmake_minimum_required") minimum();
        if (is_one_of(name, {"project", "enable_language", "find_package", k_selects_archs}) || names_part())
            keep();
        return std::move(m_steps);
    }

private:
    // target_link_libraries(app CUDA::cudart), add_library(CUDA::nvtx ALIAS nvtx)
    bool names_part() const {
        return is_one_of(m_command.name, {"target_link_libraries", "link_libraries", "add_library"}) &&
               any_of(m_command.arguments, [&](const std::string& word) {
                   const std::vector<std::string> items = split(m_variables.expanded(word), "; ");
                   return any_of(items, is_part);
               });
    }

    // "${NAME}" of open variables stays. A generator expression is evaluated when the project is generated.
    Written value(std::size_t i) const {
        Written result;
        result.text = m_variables.expanded(m_command.arguments[i]);
        result.file = m_file;
        result.line = m_command.lines[i];
        result.column = m_command.columns[i];
        result.fixed = m_fixed;
        result.known = result.text.find("${") == npos && result.text.find("$<") == npos;
        return result;
    }

    // The arguments [first, last) as one list.
    Written joined(std::size_t first, std::size_t last, const char* by) const {
        Written all = value(first);
        for (std::size_t i = first + 1; i < last; ++i) {
            const Written next = value(i);
            all.text += by + next.text;
            all.known = all.known && next.known;
        }
        return all;
    }

    void step(const std::string& name, Written said) {
        if (is_flags_variable(name)) return add_flags(said);
        m_steps.push_back(SetVariable{name, std::move(said)});
    }

    static bool is_wanted(const std::string& name) {
        return name.find("CUDA") != npos || name.find("NVCC") != npos || name == "CMAKE_MODULE_PATH" ||
               is_flags_variable(name) || is_standard_variable(name);
    }

    // The whole value, where it is known; of a long one, what the command adds.
    void has_changed(const std::string& name, Written said) {
        constexpr std::size_t k_long = 2048;
        const std::string* now = m_variables.is_open(name) ? nullptr : m_variables.find(name);
        if (now && now->size() <= k_long)
            said.text = *now, said.known = now->find("${") == npos && now->find("$<") == npos;
        step(name, std::move(said));
    }

    void set() {
        const std::vector<std::string>& words = m_command.arguments;
        const auto last = std::find_if(words.begin(), words.end(), [](const std::string& word) {
            return word == "CACHE" || word == "PARENT_SCOPE";
        });
        const auto end = static_cast<std::size_t>(last - words.begin());
        const std::string name = words.empty() ? "" : m_variables.expanded(words[0]);
        if (end < 2 || !is_wanted(name)) return;
        if (last != words.end() && *last == "PARENT_SCOPE") return step(name, joined(1, end, ";"));
        if (m_variables.changed().count(name)) has_changed(name, joined(1, end, ";"));
    }

    // list(APPEND NAME VALUE ...), string(APPEND NAME VALUE ...). What others make of an open value is open.
    void change() {
        const std::vector<std::string>& words = m_command.arguments;
        const bool adds = words.size() > 2 && is_one_of(words[0], {"APPEND", "PREPEND"});
        for (const std::string& name : m_variables.changed()) {
            if (words.size() < 2 || !is_wanted(name)) continue;
            Written said = adds ? joined(2, words.size(), m_command.name == "list" ? ";" : "") : value(1);
            if (!adds) said.text = "${" + name + "}", said.known = false;
            has_changed(name, std::move(said));
        }
    }

    void properties() {
        const std::vector<std::string>& words = m_command.arguments;
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            if (words[i] == "CUDA_ARCHITECTURES") {
                const bool list = m_command.name == "set_property";
                step("CUDA_ARCHITECTURES", joined(i + 1, list ? words.size() : i + 2, ";"));
            } else if (starts_with(words[i], "CUDA_STANDARD")) {
                step(words[i], value(i + 1));
            }
    }

    // cmake_minimum_required(VERSION 3.18...3.30)
    void minimum() {
        if (m_command.arguments.size() < 2) return;
        Written said = value(1);
        said.text = said.text.substr(0, said.text.find("..."));
        step(k_minimum_cmake, std::move(said));
    }

    void features() {
        for (std::size_t i = 0; i < m_command.arguments.size(); ++i) {
            Written said = value(i);
            if (!starts_with(said.text, "cuda_std_")) continue;
            said.text.erase(0, 9);
            step("cuda_std", std::move(said));
        }
    }

    void flags() {
        for (std::size_t i = 0; i < m_command.arguments.size(); ++i) {
            const std::string word = m_variables.expanded(m_command.arguments[i]);
            if (word.find("-gencode") != npos || word.find("-arch") != npos ||
                word.find("arch=compute") != npos || word.find("${") != npos)
                return add_flags(joined(i, m_command.arguments.size(), " "));
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
        word.known = !m_all_known || ((said.known || expression != npos) && text.find('$') == npos);
        word.text = "nvcc";
        command.words.push_back(word);
        for (std::string& one : split(text, " ;\t\n\"'")) {
            if (!m_all_known && one.find('$') != npos) continue;
            word.text = starts_with(one, "SHELL:") ? one.substr(6) : std::move(one);
            command.words.push_back(word);
        }
        if (command.words.size() > 1) m_steps.push_back(std::move(command));
    }

    void keep() {
        Command kept;
        Written name;
        name.text = m_command.name;
        name.file = m_file;
        name.line = m_command.line;
        name.column = m_command.column;
        kept.words.push_back(std::move(name));
        for (std::size_t i = 0; i < m_command.arguments.size(); ++i) {
            const Written whole = value(i);
            for (std::string& item : split(whole.text, ";")) {
                kept.words.push_back(whole);
                kept.words.back().text = std::move(item);
            }
        }
        m_steps.push_back(std::move(kept));
    }

    const std::string& m_file;
    const CMakeCommand& m_command;
    const CMakeVariables& m_variables;
    bool m_fixed, m_all_known;
    std::vector<Step> m_steps;
};

}  // namespace

bool is_standard_variable(const std::string& name) {
    return is_one_of(name,
                     {"CMAKE_CUDA_STANDARD", "CMAKE_CUDA_STANDARD_REQUIRED", "CMAKE_CXX_STANDARD",
                      "CMAKE_CXX_STANDARD_REQUIRED", "CUDA_STANDARD", "CUDA_STANDARD_REQUIRED", "cuda_std"});
}

std::vector<Step> steps_of_cmake(const std::string& file, const CMakeCommand& command,
                                 const CMakeVariables& variables, bool fixed, bool all_known) {
    return CMakeSteps(file, command, variables, fixed, all_known).steps();
}

}  // namespace ptxguard::recipes
