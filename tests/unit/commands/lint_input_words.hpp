// Words of the recipes in lint_inputs*.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lint_inputs.hpp"

namespace ptxguard::tests {

// `count` times `text`, with each "~" replaced by the number.
inline std::string numbered(std::size_t count, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        for (const char c : text)
            if (c == '~')
                all += number;
            else
                all += c;
    }
    return all;
}
inline std::string repeated(std::size_t count, const std::string& text) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += text;
    return all;
}

inline const char* const k_conflict = "torch==2.5.1+cu125\n";

inline Files dockerfile_of(std::string text) { return {{"Dockerfile", std::move(text)}}; }
inline Files script_of(std::string text) { return {{"x.sh", std::move(text)}}; }
inline Files requirements_of(std::string text) { return {{"requirements.txt", std::move(text)}}; }
inline Files makefile_of(std::string text) { return {{"Makefile", std::move(text)}}; }
inline Files pyproject_of(std::string text) { return {{"pyproject.toml", std::move(text)}}; }
inline Files github_of(std::string text) {
    return {{".github/workflows/ci.yml", "on: push\n" + std::move(text)}};
}
inline Files gitlab_of(std::string text) { return {{".gitlab-ci.yml", std::move(text)}}; }
inline Files circleci_of(std::string text) { return {{".circleci/config.yml", std::move(text)}}; }

extern const std::vector<LintInput> k_dockerfile_inputs;
extern const std::vector<LintInput> k_script_inputs;
extern const std::vector<LintInput> k_package_inputs;
extern const std::vector<LintInput> k_build_inputs;
extern const std::vector<LintInput> k_workflow_inputs;

}  // namespace ptxguard::tests
