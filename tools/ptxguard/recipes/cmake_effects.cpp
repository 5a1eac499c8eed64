// SPDX-License-Identifier: Apache-2.0
#include "recipes/cmake_effects.hpp"

#include <algorithm>
#include <vector>

#include "model/text.hpp"
#include "recipes/arguments.hpp"

namespace ptxguard::recipes {

bool leaves_variables(const std::string& command) {
    for (const char* start :
         {"add_", "target_", "link_", "enable_", "define_", "fetchcontent_", "cuda_add_", "cuda_include_",
          "set_target", "set_source", "set_tests", "set_directory", "source_", "include", "remove_"})
        if (starts_with(command, start)) return true;
    return is_one_of(command, {"message",
                               "mark_as_advanced",
                               "project",
                               "find_package",
                               "install",
                               "export",
                               "return",
                               "break",
                               "continue",
                               "block",
                               "set_property",
                               "cmake_minimum_required",
                               "cmake_policy",
                               "cmake_print_variables",
                               "cmake_language",
                               "configure_file",
                               "option",
                               "cmake_dependent_option",
                               "set",
                               "list",
                               "unset"});
}

bool sets_variables(const std::string& command) {
    return starts_with(command, "get_") || starts_with(command, "find_") || starts_with(command, "try_") ||
           is_one_of(command, {"string", "math", "file", "execute_process", "separate_arguments",
                               "cmake_path", "cmake_host_system_information", "aux_source_directory",
                               "exec_program", "variable_requires"});
}

bool may_set_architectures(const std::string& command) {
    if (leaves_variables(command) || sets_variables(command)) return false;
    const std::vector<std::string> words = split(command, "_");
    return std::any_of(words.begin(), words.end(),
                       [](const std::string& word) { return starts_with(word, "arch"); });
}

bool takes_flags(const std::string& command) {
    return is_one_of(command, {"target_compile_options", "add_compile_options", "cuda_add_library",
                               "cuda_add_executable"});
}

bool is_flags_variable(const std::string& name) {
    return starts_with(name, "CMAKE_CXX_FLAGS") || name == "CMAKE_CUDA_FLAGS" || name == "CUDA_NVCC_FLAGS" ||
           starts_with(name, "CMAKE_CUDA_FLAGS_");
}

}  // namespace ptxguard::recipes
