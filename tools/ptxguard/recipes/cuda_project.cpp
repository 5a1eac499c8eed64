// SPDX-License-Identifier: Apache-2.0
#include "recipes/cuda_project.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "formats/cmake_commands.hpp"
#include "formats/text_lines.hpp"
#include "formats/toml.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"
#include "recipes/branches.hpp"
#include "recipes/cmake_condition.hpp"
#include "recipes/compiling.hpp"
#include "recipes/prefixes.hpp"
#include "recipes/scripts.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_largest_project_file{1u << 20, "bytes of pyproject.toml", "it"};

CudaProject project_of(const std::string& file, int line, const std::string& does) {
    Origin origin = Origin::from_file(file, line);
    origin.text = file_name(file) + (line ? ":" + std::to_string(line) : std::string());
    CudaProject project;
    project.why = {file_name(file) + " " + does, origin};
    return project;
}

// A line of Python or Meson without its comment. A '#' in a string ends it too: what follows is no code.
std::string_view code_of(std::string_view line) { return line.substr(0, line.find('#')); }

bool holds_word(std::string_view text, std::string_view word) {
    const auto is_inner = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !is_inner(text[at - 1])) && (end == text.size() || !is_inner(text[end]))) return true;
    }
    return false;
}

bool holds_quoted(std::string_view text, const std::string& word) {
    return text.find("\"" + word + "\"") != std::string_view::npos ||
           text.find("'" + word + "'") != std::string_view::npos;
}

// A source in quotes: "src/kernel.cu", 'kernel.cu'.
bool names_a_source(std::string_view text) {
    return text.find(".cu\"") != std::string_view::npos || text.find(".cu'") != std::string_view::npos;
}

// The lines outside of strings over several lines ("""...""").
class PythonLines {
public:
    bool is_code(std::string_view line) {
        const bool before = m_inside;
        bool single = false;
        for (const char* quotes : {"\"\"\"", "'''"})
            for (std::size_t at = line.find(quotes); at != std::string_view::npos;
                 at = line.find(quotes, at + 3)) {
                m_inside = !m_inside;
                single = true;
            }
        return !before && !single;
    }

private:
    bool m_inside = false;
};

std::optional<CudaProject> by_setup_script(const std::string& file, std::string_view text) {
    std::optional<CudaProject> runs_nvcc;
    bool torch = false;
    int number = 0;
    PythonLines python;
    for (const std::string_view whole : lines_of(text)) {
        ++number;
        if (!python.is_code(whole)) continue;
        const std::string_view line = code_of(whole);
        const bool imports = line.find("import ") != std::string_view::npos;
        torch = torch || (imports && holds_word(line, "torch"));
        if (!imports && holds_word(line, "CUDAExtension")) {
            CudaProject project = project_of(file, number, "builds a CUDA extension");
            project.torch = torch;
            return project;
        }
        if (!runs_nvcc && (holds_quoted(line, "nvcc") || names_a_source(line)))
            runs_nvcc = project_of(file, number, "compiles with nvcc");
    }
    if (runs_nvcc) runs_nvcc->torch = torch;
    return runs_nvcc;
}

// What CMake executes by default: options have their defaults, other variables are not set.
class DefaultBuild {
public:
    explicit DefaultBuild(const Host& host) : m_host(host) {}

    std::optional<CudaProject> in(const std::string& folder) {
        read(join_path(folder, "CMakeLists.txt"));
        return m_found;
    }

private:
    void read(const std::string& file) {
        const auto real = m_host.real_path(file);
        if (!real || !m_read.insert(*real).second) return;
        const auto text = read_text(m_host, file);
        if (!text) return;
        std::vector<Branch> outer;
        outer.swap(m_blocks);
        for (const CMakeCommand& command : read_cmake_commands(*text)) one(file, command);
        m_blocks.swap(outer);
    }

    void one(const std::string& file, const CMakeCommand& command) {
        const std::string& name = command.name;
        if (blocks(command) || active(m_blocks) != Truth::yes) return;
        const std::vector<std::string>& words = command.arguments;
        if (name == "option" && words.size() > 1) m_values[words[0]] = words.size() > 2 ? words[2] : "OFF";
        if (name == "cmake_dependent_option" && words.size() > 2) m_values[words[0]] = words[2];
        if (name == "set" && words.size() > 1) m_values[words[0]] = words[1] == "CACHE" ? "" : joined(words);
        if (name == "add_subdirectory" && !words.empty() && words[0].find('$') == std::string::npos)
            return read(join_path(join_path(parent_path(file), words[0]), "CMakeLists.txt"));
        if (name == "include" && !words.empty() && ends_with(words[0], ".cmake"))
            return read(join_path(parent_path(file), without_source_folder(words[0])));
        enables(file, command);
    }

    static std::string joined(const std::vector<std::string>& words) {
        std::string text;
        for (std::size_t i = 1; i < words.size() && words[i] != "CACHE" && words[i] != "PARENT_SCOPE"; ++i)
            text += (i > 1 ? ";" : "") + words[i];
        return text;
    }

    static std::string without_source_folder(const std::string& path) {
        for (const char* start : {"${CMAKE_CURRENT_SOURCE_DIR}/", "${CMAKE_SOURCE_DIR}/",
                                  "${PROJECT_SOURCE_DIR}/", "${CMAKE_CURRENT_LIST_DIR}/"})
            if (starts_with(path, start)) return path.substr(std::string_view(start).size());
        return path;
    }

    // if(), else() and the like, and bodies that only a call executes.
    bool blocks(const CMakeCommand& command) {
        const std::string& name = command.name;
        if (name == "function" || name == "macro" || name == "while") {
            m_blocks.push_back({Truth::no, Truth::yes});
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

    // Of the conditions that select CUDA: names joined by NOT, AND, OR and brackets. Others are open.
    Truth condition(const std::vector<std::string>& arguments) const {
        std::vector<CMakeWord> words;
        bool after_name = false;
        for (std::string text : arguments) {
            if (text == "DEFINED") continue;
            const bool joins = text == "AND" || text == "OR" || text == ")",
                       begins = text == "NOT" || text == "(";
            if (after_name && !joins) return Truth::unknown;  // a comparison
            after_name = !joins && !begins;
            if (starts_with(text, "${") && ends_with(text, "}")) text = text.substr(2, text.size() - 3);
            words.push_back({std::move(text)});
        }
        const auto lookup = [this](const std::string& name) -> std::optional<CMakeWord> {
            const std::optional<bool> known = value(name);
            return known ? std::optional(CMakeWord{*known ? "ON" : "OFF"}) : std::nullopt;
        };
        return cmake_condition(words, lookup).value;
    }

    std::optional<bool> value(const std::string& name) const {
        if (name.find_first_of("$<>= ()\"") != std::string::npos) return std::nullopt;
        const auto known = m_values.find(name);
        if (known != m_values.end()) {
            const std::string text = lower(known->second);
            return !(text.empty() || text == "off" || text == "0" || text == "false" || text == "no" ||
                     ends_with(text, "notfound"));
        }
        const bool windows = m_host.system() == System::windows;
        if (name == "WIN32" || name == "MSVC") return windows;
        if (name == "UNIX") return !windows;
        // A toolkit is found, or nothing is built with it.
        for (const char* found : {"CMAKE_CUDA_COMPILER", "CUDAToolkit_FOUND", "CUDA_FOUND", "Torch_FOUND",
                                  "TORCH_FOUND", "PROJECT_IS_TOP_LEVEL", "SKBUILD", "TRUE", "ON", "1"})
            if (name == found) return true;
        return false;
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
                m_found = project_of(file, command.line, "uses find_package(Torch)");
                m_found->only_if_cuda = true;
            }
            m_found->torch = true;
        }
        const bool language = (name == "enable_language" || name == "project") && has("CUDA");
        const bool toolkit = finds && (words[0] == "CUDAToolkit" || words[0] == "CUDA");
        if (!language && !toolkit) return;
        if (m_found && !m_found->only_if_cuda) return;
        const bool torch = m_found && m_found->torch;
        m_found =
            project_of(file, command.line, language ? "enables CUDA" : "uses find_package(" + words[0] + ")");
        m_found->torch = torch;
    }

    const Host& m_host;
    std::set<std::string> m_read;  // real paths
    std::vector<Branch> m_blocks;
    std::map<std::string, std::string> m_values;
    std::optional<CudaProject> m_found;
};

std::optional<CudaProject> by_meson(const std::string& file, std::string_view text) {
    int number = 0;
    for (const std::string_view whole : lines_of(text)) {
        ++number;
        const std::string_view line = code_of(whole);
        const bool top = !line.empty() && !std::isspace(static_cast<unsigned char>(line.front()));
        for (const char* start : {"project(", "add_languages("})
            if (top && starts_with(line, start) && holds_quoted(line, "cuda"))
                return project_of(file, number, "enables CUDA");
        if (top && line.find("dependency('cuda'") != std::string_view::npos)
            return project_of(file, number, "uses dependency('cuda')");
    }
    return std::nullopt;
}

std::optional<CudaProject> by_makefile(const std::string& file, std::string_view text) {
    const Recipe recipe = read_makefile(file, text, {});
    for (const Stage& stage : recipe.stages)
        for (const Step& step : stage.steps) {
            const auto* command = std::get_if<Command>(&step);
            RecipeFacts facts;
            if (command && !command->words.empty() && program_name(command->words.front().text) == "nvcc")
                add_command(*command, facts);
            if (!facts.compiles.empty()) return project_of(file, command->words.front().line, "runs nvcc");
        }
    return std::nullopt;
}

// scikit-build-core: the folder of its CMakeLists.txt.
std::string cmake_folder(const Host& host, const std::string& folder) {
    const std::string file = join_path(folder, "pyproject.toml");
    const auto text = read_text(host, file);
    const auto tree = text ? read_toml(*text, file, k_largest_project_file) : Result<Tree>(Trouble{});
    if (!tree) return folder;
    const std::string below = (*tree)["tool"]["scikit-build"]["cmake"]["source-dir"].text;
    return below.empty() ? folder : join_path(folder, below);
}

}  // namespace

std::optional<CudaProject> cuda_project_in(const Host& host, const std::string& folder) {
    if (folder.empty()) return std::nullopt;
    const auto by = [&](const char* name, auto read) -> std::optional<CudaProject> {
        const std::string file = join_path(folder, name);
        const auto text = read_text(host, file);
        return text ? read(file, *text) : std::nullopt;
    };
    if (auto project = by("setup.py", by_setup_script)) return project;
    if (auto project = DefaultBuild(host).in(cmake_folder(host, folder))) return project;
    if (auto project = by("meson.build", by_meson)) return project;
    for (const char* name : {"GNUmakefile", "makefile", "Makefile"})
        if (auto project = by(name, by_makefile)) return project;
    return std::nullopt;
}

}  // namespace ptxguard::recipes
