// SPDX-License-Identifier: Apache-2.0
#include "lint_inputs.hpp"

#include "lint_input_words.hpp"

namespace ptxguard::tests {
namespace {

std::vector<LintInput> of_folders() {
    return {
        {"lines of .gitignore", 1000,
         [](auto n) {
             return Files{{".gitignore", numbered(n, "*.x~\n/a/b~\nname~\n")},
                          {"requirements.txt", k_conflict}};
         }},
        {"lines of .gitignore for many files", 500,
         [](auto n) {
             Files files = {{".gitignore", numbered(n, "name~\n/a/b~\na/**/c~\n*.x~\n")}};
             for (int i = 0; i < 50; ++i) files["f" + std::to_string(i) + "/requirements.txt"] = "a\n";
             return files;
         }},
        {"files below a .gitignore", 100,
         [](auto n) {
             Files files = {{".gitignore", numbered(100, "name~\n/a/b~\na/**/c~\n*.x~\n")}};
             for (std::size_t i = 0; i < n; ++i) files["f" + std::to_string(i) + "/requirements.txt"] = "a\n";
             return files;
         }},
        {"stars in one pattern of .gitignore", 10,
         [](auto n) {
             return Files{{".gitignore", repeated(n, "**/") + "b\n"},
                          {repeated(30, "a/") + "requirements.txt", "a\n"}};
         }},
        {"stars in one name of .gitignore", 20,
         [](auto n) {
             return Files{{".gitignore", repeated(n, "*a") + "b\n"},
                          {repeated(100, "a") + "/requirements.txt", "a\n"}};
         }},
        {"files", 200,
         [](auto n) {
             Files files;
             for (std::size_t i = 0; i < n; ++i)
                 files["f" + std::to_string(i) + "/requirements.txt"] = k_conflict;
             return files;
         }},
        {"scripts", 200,
         [](auto n) {
             Files files;
             for (std::size_t i = 0; i < n; ++i)
                 files["x" + std::to_string(i) + ".sh"] = "pip install torch==2.5.1+cu125\n";
             return files;
         }},
    };
}

std::vector<LintInput> of_fixes() {
    const auto fixed = [](const char* name, std::size_t n, std::function<Files(std::size_t)> make) {
        LintInput input{name, n, std::move(make)};
        input.fix = true;
        return input;
    };
    return {
        fixed("fixes in many files", 50,
              [](auto n) {
                  Files files;
                  for (std::size_t i = 0; i < n; ++i)
                      files["f" + std::to_string(i) + "/requirements.txt"] = k_conflict;
                  return files;
              }),
        fixed("fixes in one file", 500, [](auto n) { return requirements_of(repeated(n, k_conflict)); }),
        fixed("fixes in a file with many lines", 5000,
              [](auto n) { return requirements_of(numbered(n, "a~\n") + k_conflict); }),
    };
}

}  // namespace

std::vector<LintInput> lint_inputs() {
    std::vector<LintInput> all;
    for (const auto& part : {k_dockerfile_inputs, k_script_inputs, k_package_inputs, k_build_inputs,
                             k_workflow_inputs, of_folders(), of_fixes()})
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace ptxguard::tests
