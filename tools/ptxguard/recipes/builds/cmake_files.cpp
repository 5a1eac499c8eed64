// CMakeLists.txt: its CUDA settings.
// SPDX-License-Identifier: Apache-2.0

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/arch_gates.hpp"
#include "recipes/builds/cmake_execution.hpp"
#include "recipes/builds/cmake_policies.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/builds/source_names.hpp"
#include "recipes/shell/scripts.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_longest_cmake_value{1u << 16, "bytes of a value", "the rest of the value"};
constexpr std::size_t k_folders_of_a_project = 64;  // one with more has no list of its own in all of them

// cmake_minimum_required(VERSION 2.8), without a newer end of its range: CMake 4 ends with an error.
bool is_for_old_cmake(const std::string& text) {
    const std::string begin = "cmake_minimum_required", word = "VERSION";
    for (std::size_t at = text.find(begin); at != npos; at = text.find(begin, at + 1)) {
        const std::string call = text.substr(at, std::min(text.find(')', at), text.size()) - at);
        const std::size_t version = call.find(word);
        if (version == npos || call.find("...") != npos) continue;
        const std::vector<std::string> words = split(call.substr(version + word.size()), " \t\r\n");
        const auto oldest = words.empty() ? std::nullopt : parse_version(words.front());
        if (oldest && *oldest < *parse_version("3.5")) return true;
    }
    return false;
}

// Others are not parsed: they are read for each command that configures the project.
bool may_name_archs(const std::string& text) {
    for (const char* word :
         {"CUDA_ARCHITECTURES", "gencode", "CUDA_FLAGS", "NVCC_FLAGS", "add_subdirectory", "CUDA_STANDARD",
          "cuda_std_", "CXX_STANDARD", "find_package(CUDA", "cuda_add_", "cuda_select_nvcc_arch_flags"})
        if (text.find(word) != npos) return true;
    return is_for_old_cmake(text);
}

// Whether a file says anything of CUDA: those of packages that every project copies do not (CPM.cmake).
bool may_be_about_cuda(std::string_view text) {
    const std::string all = lower(std::string(text));
    for (const char* word :
         {"cuda", "nvcc", "gencode", "arch=", "sm_", "torch", "cudnn", "tensorrt", "_standard", "cxx_std_"})
        if (all.find(word) != npos) return true;
    return false;
}

class CMakeReader : public CMakeExecution {
public:
    CMakeReader(const std::string& file, const CMakeBuild& build, const ReadFile& files)
        : CMakeExecution(build, [this, &files](const std::string& path) { return file_of(files, path); }),
          m_files(files),
          m_budget(files.budget()),
          m_policies([this, &files](const std::string& module) { return has_module(module, files); }) {
        m_recipe.kind = RecipeKind::cmake_lists;
        m_recipe.file = file;
        for (const char* name : {"CMAKE_SOURCE_DIR", "PROJECT_SOURCE_DIR", "CMAKE_CURRENT_SOURCE_DIR"})
            variables().set(name, ".");
        assume_toolkit();
        if (!build.by_default) return;
        for (const char* other : {"WIN32", "MSVC", "APPLE"}) variables().set(other, "OFF");
        variables().set("UNIX", "ON");
    }

    Recipe read(std::string_view text, bool executes) {
        if (executes) execute({"CMakeLists.txt", m_recipe.file, std::string(text)});
        if (executes) execute_uncalled(Truth::unknown);
        if (auto names = names_in_sources(m_sources, m_files)) m_stage.steps.push_back(std::move(*names));
        m_recipe.stages.push_back(std::move(m_stage));
        return std::move(m_recipe);
    }

private:
    // A folder or file of the same project.
    std::optional<File> file_of(const ReadFile& files, const std::string& path) {
        const std::string key = normal_path(path, System::linux_);
        if (!files || m_count >= k_folders_of_a_project || key.find('$') != npos) return std::nullopt;
        const auto text = files(key, m_at);
        if (!text || !may_name_archs(text->text)) return std::nullopt;
        ++m_count;
        return File{key, text->file, text->text};
    }

    // In a folder of CMAKE_MODULE_PATH.
    bool has_module(const std::string& name, const ReadFile& files) const {
        const char* const path_of_modules = "CMAKE_MODULE_PATH";
        const std::string* path_here = variables().find(path_of_modules);
        if (variables().is_open(path_of_modules)) return true;
        const std::vector<std::string> folders =
            split(path_here ? variables().expanded(*path_here) : "", ";");
        return any_of(folders, [&](const std::string& folder) {
            const std::string path = join_path(folder, name + ".cmake");
            return folder.find('$') != npos || !files ||
                   files(normal_path(path, System::linux_), m_at).has_value();
        });
    }

    bool goes_on(const std::string& file, const CMakeCommand& command) override {
        if (command.arguments.empty()) return !m_budget.is_over();
        m_at = {command.arguments[0], file, command.lines[0], command.columns[0]};
        return m_budget.spend_at(m_at, 1);
    }

    void ran(const std::string& file, const CMakeCommand& command, Truth runs) override {
        m_recipe.problems.exceeds(k_longest_cmake_value, variables().was_too_long() ? 1u << 17 : 0, m_at);
        const std::vector<std::string>& words = command.arguments;
        m_has_cuda = m_has_cuda || (runs == Truth::yes && enables_language(command));
        if (comes_too_late(words)) return;
        // What a user may choose has its default where the command that configures it is known.
        const bool by_default = variables().is_by_default();
        const bool fixed = runs == Truth::yes && none_of(words, [&](const auto& word) {
                               const bool chosen = variables().is_default(word);
                               return by_default ? chosen && variables().expanded(word).find("${") != npos
                                                 : chosen || word == "CACHE";
                           });
        if (enables_language(command) && !words.empty())
            m_stage.steps.push_back(
                DeviceExtension{{words[0], file, command.lines[0], command.columns[0], fixed}, true});
        if (fixed && variables().is_by_default()) add_sources(file, command);
        if (auto needed = m_policies.needed_by(file, command, variables(), fixed))
            m_stage.steps.push_back(std::move(*needed));
        for (Step& step : steps_of_cmake(file, command, variables(), fixed, false)) {
            m_budget.spend(size_of(step) / 16);  // a value's copies, and its words
            m_stage.steps.push_back(std::move(step));
        }
    }

    static std::size_t size_of(const Step& step) {
        if (const auto* variable = std::get_if<SetVariable>(&step)) return variable->value.text.size();
        const auto* command = std::get_if<Command>(&step);
        return command ? 16 * command->words.size() : 0;
    }

    // set(CMAKE_CUDA_ARCHITECTURES 80 CACHE STRING ""): CMake has set it when it enabled the language.
    bool comes_too_late(const std::vector<std::string>& words) const {
        return m_has_cuda && words.size() > 2 && words[0] == "CMAKE_CUDA_ARCHITECTURES" &&
               contains(words, std::string("CACHE")) && words.back() != "FORCE";
    }

    // add_executable(x main.cpp x.cu), target_sources(x PRIVATE y.cu)
    void add_sources(const std::string& file, const CMakeCommand& command) {
        if (!is_one_of(command.name, {"add_library", "add_executable", "target_sources", "cuda_add_library",
                                      "cuda_add_executable"}))
            return;
        const std::string folder = variables().expanded("${CMAKE_CURRENT_SOURCE_DIR}");
        for (std::size_t i = 1; i < command.arguments.size(); ++i)
            for (const std::string& one : split(variables().expanded(command.arguments[i]), ";"))
                if (is_source(one) && one.find('$') == npos)
                    m_sources.push_back({starts_with(one, folder + "/") ? one : join_path(folder, one), file,
                                         command.lines[i], command.columns[i]});
    }

    const ReadFile& m_files;
    Budget& m_budget;
    std::size_t m_count = 0;  // of other files
    std::vector<Written> m_sources;
    bool m_has_cuda = false;
    Written m_at;  // the last command
    CMakePolicies m_policies;
    Recipe m_recipe;
    Stage m_stage;
};

}  // namespace

Recipe read_cmake_lists(const std::string& file, std::string_view text, const ReadFile& files,
                        const std::optional<std::map<std::string, std::string>>& given,
                        const std::optional<Version>& cuda) {
    CMakeBuild build;
    build.cuda = cuda;
    build.by_default = given.has_value();
    if (given) build.given = *given;
    Recipe recipe = CMakeReader(file, build, files).read(text, given || may_be_about_cuda(text));
    if (!given) recipe.gated = gated_script(file, read_cmake_commands(text));
    return recipe;
}

}  // namespace ptxguard::recipes
