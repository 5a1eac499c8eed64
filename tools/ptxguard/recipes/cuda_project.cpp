// SPDX-License-Identifier: Apache-2.0
#include "recipes/cuda_project.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <vector>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"
#include "recipes/arguments.hpp"
#include "recipes/build_settings.hpp"
#include "recipes/compiling.hpp"
#include "recipes/default_build.hpp"
#include "recipes/prefixes.hpp"
#include "recipes/project_archs.hpp"
#include "recipes/scripts.hpp"

namespace ptxguard::recipes {
namespace {

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

std::optional<BuiltProject> by_setup_script(const std::string& file, std::string_view text) {
    std::optional<BuiltProject> runs_nvcc, runs_cmake;
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
            BuiltProject project = project_built_by(file, number, "builds a CUDA extension");
            project.torch = torch;
            return project;
        }
        if (!runs_nvcc && (holds_quoted(line, "nvcc") || names_a_source(line)))
            runs_nvcc = project_built_by(file, number, "compiles with nvcc");
        if (!runs_cmake && line.find("-DCMAKE_CUDA_ARCHITECTURES") != std::string_view::npos) {
            runs_cmake = project_built_by(file, number, "compiles CUDA with CMake");
            runs_cmake->open = {"CMAKE_CUDA_ARCHITECTURES in " + runs_cmake->by.origin.text,
                                runs_cmake->by.origin};
        }
    }
    if (runs_nvcc) runs_nvcc->torch = torch;
    return runs_nvcc ? runs_nvcc : runs_cmake;
}

// Columns before the first character of a line.
std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(" \t"), line.size()); }

// "-DUSE_CUDA=ON" in a setup.py, outside of any if.
std::map<std::string, std::string> definitions_in_script(std::string_view text) {
    std::map<std::string, std::string> given;
    std::vector<std::size_t> conditions;  // indents of the ifs around a line
    PythonLines python;
    for (const std::string_view whole : lines_of(text)) {
        if (!python.is_code(whole)) continue;
        const std::string_view line = code_of(whole);
        const std::string words = trim(line);
        if (words.empty()) continue;
        while (!conditions.empty() && indent_of(line) <= conditions.back()) conditions.pop_back();
        if (starts_with_any(words, {"if ", "elif ", "else", "try:", "except", "for ", "while "}))
            conditions.push_back(indent_of(line));
        if (!conditions.empty() || words.find(" if ") != npos) continue;
        for (const std::string& word : split(words, "\"'"))
            if (const auto defined = cmake_definition(word))
                if (defined->second.find_first_of("{}%") == npos) given[defined->first] = defined->second;
    }
    return given;
}

std::optional<BuiltProject> by_cmake(const Host& host, const std::string& folder,
                                     const std::map<std::string, std::string>& given) {
    DefaultBuild build = default_build_in(host, folder, given);
    if (build.project) add_archs(build, *build.project);
    return std::move(build.project);
}

std::optional<BuiltProject> by_meson(const std::string& file, std::string_view text) {
    int number = 0;
    for (const std::string_view whole : lines_of(text)) {
        ++number;
        const std::string_view line = code_of(whole);
        const bool top = !line.empty() && !std::isspace(static_cast<unsigned char>(line.front()));
        for (const char* start : {"project(", "add_languages("})
            if (top && starts_with(line, start) && holds_quoted(line, "cuda"))
                return project_built_by(file, number, "enables CUDA");
        if (top && line.find("dependency('cuda'") != std::string_view::npos)
            return project_built_by(file, number, "uses dependency('cuda')");
    }
    return std::nullopt;
}

std::optional<BuiltProject> by_makefile(const std::string& file, std::string_view text) {
    const Recipe recipe = read_makefile(file, text, {});
    for (const Stage& stage : recipe.stages)
        for (const Step& step : stage.steps) {
            const auto* command = std::get_if<Command>(&step);
            RecipeFacts facts;
            if (command && !command->words.empty() && program_name(command->words.front().text) == "nvcc")
                add_command(*command, facts);
            if (facts.compiles.empty()) continue;
            BuiltProject project = project_built_by(file, command->words.front().line, "runs nvcc");
            add_archs(recipe, project);
            return project;
        }
    return std::nullopt;
}

// How setup.py and pyproject.toml call CMake.
struct CMakeCall {
    std::string folder;  // of its CMakeLists.txt
    std::map<std::string, std::string> given;
};

CMakeCall cmake_call_of(const Host& host, const std::string& folder) {
    CMakeCall call{folder, {}};
    if (const auto script = read_text(host, join_path(folder, "setup.py")))
        call.given = definitions_in_script(*script);
    const std::string file = join_path(folder, "pyproject.toml");
    const auto text = read_text(host, file);
    const auto tree = text ? tree_of_pyproject(*text, file) : Result<Tree>(Trouble{});
    if (!tree) return call;
    for (const auto& [name, value] : cmake_definitions_of(*tree)) call.given[name] = value;
    const Tree& tools = (*tree)["tool"];
    for (const std::string& below : {tools["scikit-build"]["cmake"]["source-dir"].text,
                                     tools["py-build-cmake"]["cmake"]["source_path"].text})
        if (!below.empty()) call.folder = join_path(folder, below);
    return call;
}

}  // namespace

std::optional<BuiltProject> cuda_project_in(const Host& host, const std::string& folder) {
    if (folder.empty()) return std::nullopt;
    const auto by = [&](const char* name, auto read) -> std::optional<BuiltProject> {
        const std::string file = join_path(folder, name);
        const auto text = read_text(host, file);
        return text ? read(file, *text) : std::nullopt;
    };
    const auto by_setup = [](const std::string& file, std::string_view text) {
        auto project = by_setup_script(file, text);
        if (project) add_archs(read_setup_script(file, text), *project);
        return project;
    };
    if (auto project = by("setup.py", by_setup)) return project;
    const CMakeCall call = cmake_call_of(host, folder);
    if (auto project = by_cmake(host, call.folder, call.given)) return project;
    if (call.folder != folder)
        if (auto project = by_cmake(host, folder, call.given)) return project;
    if (auto project = by("meson.build", by_meson)) return project;
    for (const char* name : {"GNUmakefile", "makefile", "Makefile"})
        if (auto project = by(name, by_makefile)) return project;
    return std::nullopt;
}

}  // namespace ptxguard::recipes
