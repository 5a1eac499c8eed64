// SPDX-License-Identifier: Apache-2.0
#include "lint_input_words.hpp"

namespace ptxguard::tests {

const std::vector<LintInput> k_package_inputs = {
    {"requirements", 2000, [](auto n) { return requirements_of(numbered(n, "a~==1.~\n")); }},
    {"pins of one package", 1000, [](auto n) { return requirements_of(numbered(n, "torch==2.~\n")); }},
    {"findings in one file", 1000, [](auto n) { return requirements_of(repeated(n, k_conflict)); }},
    {"commands with an index", 300,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\n" +
                              numbered(n,
                                       "RUN pip install --extra-index-url "
                                       "https://download.pytorch.org/whl/cu121 torch==2.~\n"));
     }},
    {"sources of one package", 300,
     [](auto n) {
         return pyproject_of("[project]\nname='x'\ndependencies=[" + numbered(n, "'a>=0.~',") +
                             "]\n[tool.uv.sources]\na=[" +
                             numbered(n, "{index='i', marker=\"sys_platform == 'linux'\"},") +
                             "]\n[[tool.uv.index]]\nname='i'\nurl='https://example.org'\n");
     }},
    {"indexes", 1000,
     [](auto n) {
         return requirements_of(numbered(n, "--extra-index-url https://example.org/~/\n") + k_conflict);
     }},
    {"includes", 90,
     [](auto n) {
         Files files = requirements_of(numbered(n, "-r r~.in\n"));
         for (std::size_t i = 0; i < n; ++i) files["r" + std::to_string(i) + ".in"] = "a\n";
         return files;
     }},
    {"variables in one line", 1000,
     [](auto n) {
         return Files{{"Dockerfile", "FROM ubuntu\nENV V=abc\nCOPY r.txt r.txt\nRUN pip install -r r.txt\n"},
                      {"r.txt", "a==" + repeated(n, "${V}") + "\n"}};
     }},
    {"extras of one requirement", 3000,
     [](auto n) { return requirements_of("torch[" + numbered(n, "e~,") + "x]==2.5.1\n"); }},
    {"clauses of one requirement", 3000,
     [](auto n) { return requirements_of("torch>=1" + numbered(n, ",!=2.~") + "\n"); }},
    {"markers", 3000,
     [](auto n) {
         return requirements_of("torch==2.5.1; sys_platform == 'linux'" +
                                repeated(n, " and sys_platform == 'linux'") + "\n");
     }},
    {"hashes", 3000,
     [](auto n) { return requirements_of("torch==2.5.1" + numbered(n, " \\\n --hash=sha256:~") + "\n"); }},
    {"options in one line", 3000, [](auto n) { return requirements_of("-" + repeated(n, "q") + "\n"); }},
    {"comments", 5000, [](auto n) { return requirements_of(numbered(n, "# comment ~\n") + k_conflict); }},
    {"comments that suppress", 1000,
     [](auto n) {
         return requirements_of(numbered(n, "torch==2.5.1+cu125  # ptxguard: ignore=CC603 known\n"));
     }},
    {"comments that suppress nothing", 1000,
     [](auto n) {
         return requirements_of(numbered(n, "a~==1  # ptxguard: ignore=CC603 known\n") +
                                repeated(n / 20, k_conflict));
     }},
    {"comments above one line", 1000,
     [](auto n) { return requirements_of(repeated(n, "# ptxguard: ignore=CC603 known\n") + k_conflict); }},
    {"comments in a continued command", 1000,
     [](auto n) {
         return dockerfile_of(
             "FROM ubuntu\nRUN true \\\n" +
             repeated(n, "# ptxguard: ignore=CC603 known\n && pip install torch==2.5.1+cu125 \\\n") +
             " && true\n");
     }},
    {"dependencies of a project", 1000,
     [](auto n) {
         return pyproject_of("[project]\nname='x'\ndependencies=[" + numbered(n, "'a~==1',") + "]\n");
     }},
    {"extras of a project", 40,
     [](auto n) {
         return pyproject_of("[project]\nname='x'\n[project.optional-dependencies]\n" +
                             numbered(n, "e~=['torch==2.~']\n"));
     }},
    {"extras that name extras", 40,
     [](auto n) {
         return pyproject_of("[project]\nname='x'\n[project.optional-dependencies]\ne=['torch']\n" +
                             numbered(n, "e~=['x[e]']\n"));
     }},
    {"groups of a project", 40,
     [](auto n) { return pyproject_of("[dependency-groups]\n" + numbered(n, "g~=['torch==2.~']\n")); }},
    {"sources of uv", 1000,
     [](auto n) {
         return pyproject_of("[project]\nname='x'\ndependencies=[" + numbered(n, "'a~==1',") +
                             "]\n[tool.uv.sources]\n" + numbered(n, "a~={index='i'}\n") +
                             "[[tool.uv.index]]\nname='i'\nurl='https://example.org'\n");
     }},
    {"indexes of uv", 500,
     [](auto n) {
         return pyproject_of("[project]\nname='x'\ndependencies=[" + numbered(n, "'a~==1',") +
                             "]\n[tool.uv.sources]\n" + numbered(n, "a~={index='i~'}\n") +
                             numbered(n, "[[tool.uv.index]]\nname='i~'\nurl='https://example.org/~'\n"));
     }},
    {"dependencies of poetry", 1000,
     [](auto n) { return pyproject_of("[tool.poetry.dependencies]\n" + numbered(n, "a~='^1.~'\n")); }},
    {"locked packages", 1000,
     [](auto n) {
         return Files{{"uv.lock", numbered(n, "[[package]]\nname='a~'\nversion='1'\n")}};
     }},
    {"packages of a Pipfile", 1000,
     [](auto n) {
         return Files{{"Pipfile", "[packages]\n" + numbered(n, "a~='==1'\n")}};
     }},
    {"packages of conda", 1000,
     [](auto n) {
         return Files{{"environment.yml", "dependencies:\n" + numbered(n, "- a~=1\n")}};
     }},
    {"channels of conda", 1000,
     [](auto n) {
         return Files{
             {"environment.yml", "channels:\n" + numbered(n, "- c~\n") + "dependencies: [pytorch=2.5]\n"}};
     }},
    {"pip in conda", 1000,
     [](auto n) {
         return Files{{"environment.yml", "dependencies:\n- pip:\n" + numbered(n, "  - a~==1\n")}};
     }},
    {"outputs of a conda recipe", 300,
     [](auto n) {
         return Files{
             {"recipe.yaml",
              "outputs:\n" + numbered(n, "- package: {name: o~}\n  requirements: {run: [pytorch 2.~]}\n")}};
     }},
    {"variables of a conda recipe", 500,
     [](auto n) {
         return Files{{"meta.yaml", numbered(n, "{% set v~ = \"1\" %}\n") + "requirements:\n  run:\n" +
                                        numbered(n, "  - a~ {{ v~ }}\n")}};
     }},
    {"conda-lock", 1000,
     [](auto n) {
         return Files{{"conda-lock.yml",
                       "package:\n" + numbered(n,
                                               "- {name: a~, version: '1', manager: conda, platform: "
                                               "linux-64, url: 'https://c/a~-1-0.conda'}\n")}};
     }},
    {"platforms of conda-lock", 300,
     [](auto n) {
         return Files{{"conda-lock.yml", "metadata:\n  channels:\n" + numbered(20, "  - {url: c~}\n") +
                                             "package:\n" +
                                             numbered(n,
                                                      "- {name: a~, version: '1', manager: conda, "
                                                      "platform: p~, url: 'https://c/a~-1-0.conda'}\n")}};
     }},
    {"dependencies of pixi", 1000,
     [](auto n) {
         return Files{{"pixi.toml", "[workspace]\nplatforms=['linux-64']\nchannels=['c']\n[dependencies]\n" +
                                        numbered(n, "a~='1'\n")}};
     }},
    {"pypi-dependencies of pixi", 1000,
     [](auto n) {
         return Files{
             {"pixi.toml", "[workspace]\nplatforms=['linux-64']\nchannels=['c']\n[pypi-dependencies]\n" +
                               numbered(n, "a~='==1'\n")}};
     }},
    {"environments of pixi", 45,
     [](auto n) {
         return Files{{"pixi.toml",
                       "[workspace]\nplatforms=['linux-64']\nchannels=['c']\n[dependencies]\npytorch='2."
                       "5'\n[environments]\n" +
                           numbered(n, "e~=['f~']\n") + numbered(n, "[feature.f~.dependencies]\na~='1'\n")}};
     }},
    {"pixi.lock", 1000,
     [](auto n) {
         return Files{
             {"pixi.lock", "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n" +
                               numbered(n, "      - pypi: https://p/a~.whl\n") + "packages:\n" +
                               numbered(n, "- pypi: https://p/a~.whl\n  name: a~\n  version: '1'\n")}};
     }},
};

}  // namespace ptxguard::tests
