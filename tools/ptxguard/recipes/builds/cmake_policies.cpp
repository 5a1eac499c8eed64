// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cmake_policies.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/builds/cmake_steps.hpp"
#include "recipes/builds/link_requests.hpp"

namespace ptxguard::recipes {
namespace {

bool is_before(const Version& version, const char* release) { return version < *parse_version(release); }

// The newest release in "2.8", "2.8...3.30".
std::optional<Version> newest_in(const std::string& range) {
    const std::size_t dots = range.find("...");
    return parse_version(dots == npos ? range : range.substr(dots + 3));
}

// Those that FindCUDA defines.
bool is_of_findcuda(const std::string& command) {
    return is_one_of(command, {"cuda_add_library", "cuda_add_executable", "cuda_compile", "cuda_wrap_srcs",
                               "cuda_include_directories", k_selects_archs, "cuda_add_cublas_to_target",
                               "cuda_add_cufft_to_target"});
}

}  // namespace

std::optional<Command> CMakePolicies::require(const std::string& file, const CMakeCommand& command,
                                              const CMakeVariables& variables, std::size_t at, bool fixed) {
    if (command.arguments.size() <= at) return std::nullopt;
    const std::string range = variables.expanded(command.arguments[at]);
    const auto newest = newest_in(range);
    if (!newest) return std::nullopt;
    if (m_first.empty()) m_first = file;
    m_newest[file] = *newest;
    const auto given = variables.known("CMAKE_POLICY_VERSION_MINIMUM");
    if (!is_before(*newest, "3.5") || (given && !given->empty())) return std::nullopt;
    return needed_of_cmake("policies before 3.5", {command.name + "(VERSION " + range + ")", file,
                                                   command.lines[at], command.columns[at], fixed});
}

bool CMakePolicies::is_without_findcuda(const std::string& file) const {
    const auto own = m_newest.find(file), first = m_newest.find(m_first);
    const auto& used = own == m_newest.end() ? first : own;
    return !m_keeps_old && (m_wants_new || (used != m_newest.end() && !is_before(used->second, "3.27"))) &&
           !m_has_own("FindCUDA");
}

std::optional<Command> CMakePolicies::needed_by(const std::string& file, const CMakeCommand& command,
                                                const CMakeVariables& variables, bool fixed) {
    const std::vector<std::string>& words = command.arguments;
    if (words.empty()) return std::nullopt;
    if (command.name == "cmake_minimum_required") return require(file, command, variables, 1, fixed);
    if (command.name == "cmake_policy") {
        if (words[0] == "VERSION") return require(file, command, variables, 1, fixed);
        if (words.size() < 3 || words[1] != "CMP0146") return std::nullopt;
        (words[2] == "NEW" ? m_wants_new : m_keeps_old) = true;
        return std::nullopt;
    }
    const bool finds =
        command.name == "find_package" && words[0] == "CUDA" && contains(words, std::string("REQUIRED"));
    if ((!finds && !is_of_findcuda(command.name)) || !is_without_findcuda(file)) return std::nullopt;
    return needed_of_cmake(
        "FindCUDA", {finds ? "find_package(CUDA)" : command.name, file, command.line, command.column, fixed});
}

}  // namespace ptxguard::recipes
