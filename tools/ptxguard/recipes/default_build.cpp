// SPDX-License-Identifier: Apache-2.0
#include "recipes/default_build.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "formats/cmake_commands.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"
#include "recipes/arguments.hpp"
#include "recipes/branches.hpp"
#include "recipes/cmake_condition.hpp"

namespace ptxguard::recipes {
namespace {

class Execution {
public:
    explicit Execution(const Host& host) : m_host(host) {}

    DefaultBuild in(const std::string& folder) {
        read(join_path(folder, "CMakeLists.txt"));
        return {std::move(m_found), std::move(m_files)};
    }

private:
    void read(const std::string& file) {
        const auto real = m_host.real_path(file);
        if (!real || !m_read.insert(*real).second) return;
        const auto text = read_text(m_host, file);
        if (!text) return;
        std::vector<Branch> outer;
        outer.swap(m_blocks);
        const std::size_t index = m_files.size();
        m_files.push_back({file, *text, {}});
        for (const CMakeCommand& command : read_cmake_commands(*text)) one(index, command);
        m_blocks.swap(outer);
    }

    void one(std::size_t index, const CMakeCommand& command) {
        const std::string& name = command.name;
        if (blocks(command)) return;
        const Truth runs = active(m_blocks);
        if (runs == Truth::no) return;
        const std::string file = m_files[index].path;
        m_files[index].lines[command.line] = runs;
        for (const int line : command.lines) m_files[index].lines[line] = runs;
        if (runs == Truth::unknown) return;
        const std::vector<std::string>& words = command.arguments;
        if (name == "option" && words.size() > 1) m_values[words[0]] = words.size() > 2 ? words[2] : "OFF";
        if (name == "cmake_dependent_option" && words.size() > 2) m_values[words[0]] = words[2];
        if (name == "set" && words.size() > 1) m_values[words[0]] = joined(words);
        if (name == "add_subdirectory" && !words.empty() && words[0].find('$') == std::string::npos)
            return read(join_path(join_path(parent_path(file), words[0]), "CMakeLists.txt"));
        if (name == "include" && !words.empty() && ends_with(words[0], ".cmake"))
            return read(join_path(parent_path(file), without_source_folder(words[0])));
        enables(file, command);
    }

    // Up to CACHE, with the known variables in it.
    std::string joined(const std::vector<std::string>& words) const {
        std::string text;
        for (std::size_t i = 1; i < words.size() && words[i] != "CACHE" && words[i] != "PARENT_SCOPE"; ++i) {
            const std::string name = dereferenced(words[i]);
            const auto known = name.empty() ? m_values.end() : m_values.find(name);
            text += (i > 1 ? ";" : "") + (known == m_values.end() ? words[i] : known->second);
        }
        return text;
    }

    static std::string without_source_folder(const std::string& path) {
        for (const char* start : {"${CMAKE_CURRENT_SOURCE_DIR}/", "${CMAKE_SOURCE_DIR}/",
                                  "${PROJECT_SOURCE_DIR}/", "${CMAKE_CURRENT_LIST_DIR}/"})
            if (starts_with(path, start)) return path.substr(std::string_view(start).size());
        return path;
    }

    // if(), else() and the like. Whether a body is called is not known.
    bool blocks(const CMakeCommand& command) {
        const std::string& name = command.name;
        if (name == "function" || name == "macro" || name == "while") {
            m_blocks.push_back({Truth::unknown, Truth::yes});
        } else if (name == "foreach") {
            m_blocks.push_back({Truth::yes, Truth::yes});
        } else if (name == "if" || name == "elseif" || name == "else") {
            if (name == "if") m_blocks.push_back(begun_in(m_blocks));
            if (m_blocks.empty()) return true;
            Branch& branch = m_blocks.back();
            if (branch.next()) branch.run_if(name == "else" ? Truth::yes : condition(command.arguments));
        } else if (starts_with(name, "end")) {
            if (!m_blocks.empty()) m_blocks.pop_back();
        } else {
            return false;
        }
        return true;
    }

    static bool compares(const std::string& word) {
        return ends_with(word, "LESS") || ends_with(word, "GREATER") || ends_with(word, "EQUAL") ||
               word == "MATCHES" || word == "IN_LIST";
    }

    // A variable without a value is false; in a comparison it is one that the build sets.
    Truth condition(const std::vector<std::string>& arguments) const {
        std::vector<CMakeWord> words;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const bool compared = (i + 1 < arguments.size() && compares(arguments[i + 1])) ||
                                  (i > 0 && compares(arguments[i - 1]));
            if (arguments[i] == "DEFINED" && i + 1 < arguments.size())
                words.push_back({is_defined(arguments[++i]) ? "ON" : "OFF"});
            else
                words.push_back(compared ? compared_word(arguments[i]) : word_of(arguments[i]));
        }
        return cmake_condition(words, [this](const std::string& name) { return value(name); }).value;
    }

    static std::string dereferenced(const std::string& word) {
        const bool whole = starts_with(word, "${") && word.find('}') == word.size() - 1;
        return whole ? word.substr(2, word.size() - 3) : "";
    }

    CMakeWord word_of(const std::string& word) const {
        const std::string name = dereferenced(word);
        if (is_one_of(word,
                      {"AND", "OR", "NOT", "(", ")", "EXISTS", "TARGET", "POLICY", "COMMAND", "TEST"}) ||
            compares(word))
            return {word};
        if (name.empty() && word.find('$') != npos) return {word, false};
        const auto known = value(name.empty() ? word : name);
        const bool is_constant = name.empty() && (word.empty() || is_digit(word[0]));
        return known ? *known : is_constant ? CMakeWord{word} : CMakeWord{"OFF"};
    }

    CMakeWord compared_word(const std::string& word) const {
        const std::string name = dereferenced(word);
        if (!name.empty()) return value(name).value_or(CMakeWord{word, false});
        const bool may_be_variable = word.find('_') != npos || word.find('$') != npos;
        return {word, value(word).has_value() || !may_be_variable};
    }

    bool is_defined(const std::string& name) const {
        if (starts_with(name, "ENV{") && ends_with(name, "}"))
            return m_host.env(name.substr(4, name.size() - 5)).has_value();
        const auto known = value(name);
        return known && (m_values.count(name) != 0 || known->text != "OFF");
    }

    std::optional<CMakeWord> value(const std::string& name) const {
        const auto known = m_values.find(name);
        if (known != m_values.end()) return CMakeWord{known->second, known->second.find('$') == npos};
        // It has a value as soon as the language is enabled.
        if (name == "CMAKE_CUDA_ARCHITECTURES" || name == "CMAKE_CUDA_COMPILER_LOADED")
            return CMakeWord{m_language ? "ON" : "OFF"};
        const bool windows = m_host.system() == System::windows;
        if (name == "WIN32" || name == "MSVC") return CMakeWord{windows ? "ON" : "OFF"};
        if (name == "UNIX") return CMakeWord{windows ? "OFF" : "ON"};
        if (name == "CMAKE_VERSION") return CMakeWord{"4.0"};  // one of today
        // A toolkit is found, or nothing is built with it.
        for (const char* found : {"CMAKE_CUDA_COMPILER", "CUDAToolkit_FOUND", "CUDA_FOUND", "Torch_FOUND",
                                  "TORCH_FOUND", "PROJECT_IS_TOP_LEVEL", "SKBUILD", "TRUE", "ON", "1"})
            if (name == found) return CMakeWord{"ON"};
        return std::nullopt;
    }

    void enables(const std::string& file, const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        const auto has = [&](const char* word) {
            return std::any_of(words.begin(), words.end(), [&](const std::string& one) {
                if (one == word) return true;
                if (!starts_with(one, "${") || !ends_with(one, "}")) return false;
                const auto known = m_values.find(one.substr(2, one.size() - 3));
                if (known == m_values.end()) return false;
                const std::vector<std::string> list = split(known->second, "; ");
                return std::find(list.begin(), list.end(), word) != list.end();
            });
        };
        const std::string& name = command.name;
        const bool finds = name == "find_package" && !words.empty();
        if (finds && words[0] == "Torch") {
            if (!m_found) {
                m_found = project_built_by(file, command.line, "uses find_package(Torch)");
                m_found->only_if_cuda = true;
            }
            m_found->torch = true;
        }
        const bool language = (name == "enable_language" || name == "project") && has("CUDA");
        const bool toolkit = finds && (words[0] == "CUDAToolkit" || words[0] == "CUDA");
        m_language = m_language || language;
        if (!language && !toolkit) return;
        if (m_found && !m_found->only_if_cuda) return;
        const bool torch = m_found && m_found->torch;
        m_found = project_built_by(file, command.line,
                                   language ? "enables CUDA" : "uses find_package(" + words[0] + ")");
        m_found->torch = torch;
    }

    const Host& m_host;
    std::set<std::string> m_read;  // real paths
    std::vector<Branch> m_blocks;
    std::map<std::string, std::string> m_values;
    std::optional<BuiltProject> m_found;
    std::vector<ExecutedFile> m_files;
    bool m_language = false;  // CUDA
};

}  // namespace

DefaultBuild default_build_in(const Host& host, const std::string& folder) {
    return Execution(host).in(folder);
}

BuiltProject project_built_by(const std::string& file, int line, const std::string& does) {
    Origin origin = Origin::from_file(file, line);
    origin.text = file_name(file) + (line ? ":" + std::to_string(line) : std::string());
    BuiltProject project;
    project.by = {file_name(file) + " " + does, origin};
    return project;
}

}  // namespace ptxguard::recipes
