// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cuda_project.hpp"

#include <cctype>
#include <map>
#include <string_view>
#include <vector>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/builds/build_settings.hpp"
#include "recipes/builds/compile_commands.hpp"
#include "recipes/builds/default_build.hpp"
#include "recipes/builds/project_archs.hpp"
#include "recipes/python/python_code.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

// A line of Meson without its comment. A '#' in a string ends it too: what follows is no code.
std::string_view code_of(std::string_view line) { return line.substr(0, line.find('#')); }

bool holds_quoted(std::string_view text, const std::string& word) {
    return text.find("\"" + word + "\"") != std::string_view::npos ||
           text.find("'" + word + "'") != std::string_view::npos;
}

std::optional<BuiltProject> by_setup_script(const std::string& file, std::string_view text) {
    std::optional<BuiltProject> runs_nvcc, runs_cmake;
    bool torch = false;
    for (const PythonLine& line : python_lines(text)) {
        const std::vector<PythonToken>& tokens = line.tokens;
        const bool imports = tokens[0].is("import") || tokens[0].is("from");
        for (const PythonToken& token : tokens) {
            const bool is_text = token.kind == PythonToken::Kind::text && tokens.size() > 1;
            if (imports) {
                torch = torch || token.is("torch");
            } else if (token.is("CUDAExtension")) {
                BuiltProject project = project_built_by(file, token.at.line, "builds a CUDA extension");
                project.torch = torch;
                return project;
            } else if (!runs_nvcc && is_text && (token.text == "nvcc" || ends_with(token.text, ".cu"))) {
                runs_nvcc = project_built_by(file, token.at.line, "compiles with nvcc");
            } else if (!runs_cmake && is_text && token.text.find("-DCMAKE_CUDA_ARCHITECTURES") != npos) {
                runs_cmake = project_built_by(file, token.at.line, "compiles CUDA with CMake");
                runs_cmake->open = {"CMAKE_CUDA_ARCHITECTURES in " + runs_cmake->by.origin.text,
                                    runs_cmake->by.origin};
            }
        }
    }
    if (runs_nvcc) runs_nvcc->torch = torch;
    return runs_nvcc ? runs_nvcc : runs_cmake;
}

// "-DUSE_CUDA=ON" in a setup.py, outside of any if.
std::map<std::string, std::string> definitions_in_script(std::string_view text) {
    std::map<std::string, std::string> given;
    std::vector<std::size_t> conditions;  // indents of the ifs around a line
    for (const PythonLine& line : python_lines(text)) {
        while (!conditions.empty() && line.indentation <= conditions.back()) conditions.pop_back();
        const PythonToken& first = line.tokens[0];
        if (first.is_name() && is_one_of(first.text, {"if", "elif", "else", "try", "except", "for", "while"}))
            conditions.push_back(line.indentation);
        const auto is_if = [](const PythonToken& token) { return token.is("if"); };
        if (!conditions.empty() || any_of(line.tokens, is_if)) continue;
        for (const PythonToken& token : line.tokens) {
            const bool plain = token.kind == PythonToken::Kind::text && !token.formatted;
            const auto defined = plain ? cmake_definition(token.text) : std::nullopt;
            if (defined && defined->second.find_first_of("{}%") == npos)
                given[defined->first] = defined->second;
        }
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
