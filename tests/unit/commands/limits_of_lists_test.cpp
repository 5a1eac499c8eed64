// Limits of lists of packages and of CI systems.
// SPDX-License-Identifier: Apache-2.0
#include "limits_table.hpp"

namespace limits_test {
namespace {

Files workflow(const std::string& jobs) { return {{".github/workflows/ci.yml", "on: push\njobs:\n" + jobs}}; }
std::string job(const std::string& name, const std::string& command) {
    return "  " + name + ": {runs-on: ubuntu-24.04, steps: [{run: '" + command + "'}]}\n";
}
Files gitlab(const std::string& text) { return {{".gitlab-ci.yml", text}}; }
Files azure(const std::string& text) { return {{"azure-pipelines.yml", text}}; }
const std::string k_last_azure_step = "steps: [{script: 'pip install " + k_pin + "'}]\n";
Files circleci(const std::string& text) { return {{".circleci/config.yml", "version: 2.1\n" + text}}; }
const std::string k_last_job = job("last", "pip install " + k_pin);
const std::string k_last_gitlab_job = "last: {script: ['pip install " + k_pin + "']}\n";

Files pyproject(const std::string& text) { return {{"pyproject.toml", text}}; }

const std::vector<Row> k_python_rows = {
    {"100 extras and groups", 99, 100,
     [](std::size_t n) {
         return pyproject("[project.optional-dependencies]\n" + times(n, "e@ = ['a']\n") + "z = ['" + k_pin +
                          "']\n");
     }},
    {"100 extras and groups", 99, 100,
     [](std::size_t n) {
         return pyproject(times(n, "[tool.poetry.group.g@.dependencies]\na = '1'\n") +
                          "[tool.poetry.group.z.dependencies]\ntorch = '2.5.1+cu125'\n");
     }},
    {"100 extras of a setup.py", 99, 100,
     [](std::size_t n) {
         return Files{{"setup.py",
                       "setup(extras_require={" + times(n, "'e@': ['a'],") + "'z': ['" + k_pin + "']})\n"}};
     }},
    {"5000 requirements of one extra or group", 4999, 5000,
     [](std::size_t n) {
         return pyproject("[project]\ndependencies = [" + times(n, "'a',") + "'" + k_pin + "']\n");
     }},
    {"100 groups in one group", 99, 100,
     [](std::size_t n) {
         return pyproject("[dependency-groups]\n" +
                          chain(n, "g@ = [{include-group = 'g@next'}]\n", "g@ = ['" + k_pin + "']\n"));
     }},
    {"1048576 bytes of a pyproject.toml", 0, 1050000,
     [](std::size_t n) {
         return pyproject("[project]\ndependencies = ['" + k_pin + "']\n" + lines(n, "#"));
     }},
    {"20 projects of one command", 19, 20,
     [](std::size_t n) {
         Files files = script("pip install" + times(n, " ./node_modules/@") + " ./node_modules/last\n");
         for (std::size_t i = 0; i < n; ++i) files[unseen(i) + "/pyproject.toml"] = "[project]\nname = 'a'\n";
         files["node_modules/last/pyproject.toml"] = "[project]\ndependencies = ['" + k_pin + "']\n";
         return files;
     }},
    {"50 files of one pip command", 49, 50,
     [](std::size_t n) {
         Files files = script("pip install" + times(n, " -r node_modules/@") + " -r node_modules/last\n");
         for (std::size_t i = 0; i < n; ++i) files[unseen(i)] = "a\n";
         files["node_modules/last"] = k_pin + "\n";
         return files;
     }},
    {"16 files that refer to each other", 15, 16,
     [](std::size_t n) {
         Files files{{"requirements.txt", "-r node_modules/0\n"}};
         for (std::size_t i = 1; i < n; ++i) files[unseen(i - 1)] = "-r " + std::to_string(i) + "\n";
         files[unseen(n - 1)] = k_pin + "\n";
         return files;
     }},
    {"100 files of one installation", 98, 100,
     [](std::size_t n) {
         Files files{{"requirements.txt", times(n, "-r node_modules/@\n") + "-r node_modules/last\n"}};
         for (std::size_t i = 0; i < n; ++i) files[unseen(i)] = "a\n";
         files["node_modules/last"] = k_pin + "\n";
         return files;
     }},
    {"10000 requirements of one installation", 9999, 10000,
     [](std::size_t n) {
         return Files{{"requirements.txt", times(n, "a\n") + k_pin + "\n"}};
     }},
    {"33554432 bytes of files of one installation", 1, 3,
     [](std::size_t n) {
         Files files{{"requirements.txt", times(n, "-r node_modules/@\n") + "-r node_modules/last\n"}};
         const std::string large = times(12, "#" + std::string(1000000, 'x') + "\n");
         for (std::size_t i = 0; i < n; ++i) files[unseen(i)] = large;
         files["node_modules/last"] = k_pin + "\n";
         return files;
     }},
    {"1048576 bytes of a line with its variables", 1, 18,
     [](std::size_t n) {
         return Files{{"a.sh", "export L=" + std::string(60000, 'x') + "\nexport V=2.5.1+cu125\n" +
                                   "pip install -r node_modules/r\n"},
                      {"node_modules/r", "torch[" + times(n, "${L}") + "]==${V}\n"}};
     }},
    {"8388608 bytes of a lock file", 0, 8400000,
     [](std::size_t n) {
         return Files{{"uv.lock",
                       "version = 1\n[[package]]\nname = 'torch'\nversion = '2.5.1+cu125'\nsource = "
                       "{registry = 'https://pypi.org/simple'}\n" +
                           lines(n, "#")}};
     }},
    {"30 values in values", 10, 40,
     [](std::size_t n) {
         return pyproject("x = " + nested(n, "[", "1", "]") + "\n[project]\ndependencies = ['" + k_pin +
                          "']\n");
     }},
    {"32 parts of a key", 10, 40,
     [](std::size_t n) {
         return pyproject("x" + times(n, ".y") + " = 1\n[project]\ndependencies = ['" + k_pin + "']\n");
     }},
    {"10000 comments that ignore findings", 10000, 10001,
     [](std::size_t n) {
         return Files{{"requirements.txt", k_pin + "\n" + times(n, "# ptxguard:ignore=CC602 x\n")}};
     }},
};

const std::vector<Row> k_conda_rows = {
    {"50 files of one conda command", 49, 50,
     [](std::size_t n) {
         Files files =
             script("conda env create" + times(n, " -f node_modules/@.yml") + " -f node_modules/last.yml\n");
         for (std::size_t i = 0; i < n; ++i) files[unseen(i) + ".yml"] = "dependencies: [a]\n";
         files["node_modules/last.yml"] = "dependencies: [pip, {pip: ['" + k_pin + "']}]\n";
         return files;
     }},
    {"100 environments", 99, 100,
     [](std::size_t n) {
         return Files{
             {"pixi.toml",
              "[workspace]\nchannels = ['c']\nplatforms = ['linux-64']\n[feature.a.dependencies]\na = "
              "'*'\n[feature.p.pypi-dependencies]\ntorch = '==2.5.1+cu125'\n[environments]\n" +
                  times(n, "e@ = ['a']\n") + "z = ['p']\n"}};
     }},
    {"100 environments", 99, 100,
     [](std::size_t n) {
         return Files{{"pixi.lock",
                       "version: 6\nenvironments:\n" + times(n, "  e@: {packages: {linux-64: []}}\n") +
                           "  z: {packages: {linux-64: [{pypi: 'https://x/torch.whl'}]}}\npackages:\n- pypi: "
                           "'https://x/torch.whl'\n  name: torch\n  version: 2.5.1+cu125\n"}};
     }},
    {"1048576 bytes of a pixi.toml", 0, 1050000,
     [](std::size_t n) {
         return Files{{"pixi.toml",
                       "[workspace]\nchannels = ['c']\nplatforms = ['linux-64']\n"
                       "[pypi-dependencies]\ntorch = '==2.5.1+cu125'\n" +
                           lines(n, "#")}};
     }},
    {"8388608 bytes of a YAML file", 0, 8400000,
     [](std::size_t n) {
         return Files{{"environment.yml", "dependencies: [pip, {pip: ['" + k_pin + "']}]\n" + lines(n, "#")}};
     }},
    {"64 values in values", 10, 70,
     [](std::size_t n) {
         return Files{{"environment.yml", "x: " + nested(n, "[", "1", "]") +
                                              "\ndependencies: [pip, {pip: ['" + k_pin + "']}]\n"}};
     }},
    {"500000 values of a YAML file with its aliases", 1, 6,
     [](std::size_t n) {
         std::string text = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
         for (std::size_t i = 1; i < n; ++i) {
             const std::string before = "*a" + std::to_string(i - 1) + ",";
             text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + times(10, before) + "1]\n";
         }
         return Files{{"environment.yml", text + "dependencies: [pip, {pip: ['" + k_pin + "']}]\n"}};
     }},
    {"33554432 bytes of values with their aliases", 1, 40,
     [](std::size_t n) {
         return Files{{"environment.yml", "a: &a " + std::string(1000000, 'x') + "\nb: [" + times(n, "*a,") +
                                              "1]\ndependencies: [pip, {pip: ['" + k_pin + "']}]\n"}};
     }},
};

const std::vector<Row> k_workflow_rows = {
    {"1000 jobs", 998, 1001,
     [](std::size_t n) { return workflow(times(n, job("j@", "true")) + k_last_job); }},
    {"50000 steps of all jobs", 2, 3,
     [](std::size_t n) {
         std::string jobs;
         for (std::size_t i = 0; i < n; ++i)
             jobs +=
                 "  j" + std::to_string(i) + ":\n    steps:\n    - run: |\n" + times(19000, "        w\n");
         return workflow(jobs + k_last_job);
     }},
    {"256 rows of a matrix", 255, 256,
     [](std::size_t n) {
         return workflow("  a:\n    strategy: {matrix: {v: [" + times(n, "w@,") + "'" + k_pin +
                         "']}}\n    steps: [{run: 'pip install ${{ matrix.v }}'}]\n");
     }},
    {"10 workflows that call workflows", 10, 11,
     [](std::size_t n) {
         Files files = workflow("  a: {uses: ./.github/workflows/w0.yml}\n");
         for (std::size_t i = 0; i < n; ++i)
             files[".github/workflows/w" + std::to_string(i) + ".yml"] =
                 "on: workflow_call\njobs:\n" +
                 (i + 1 < n ? "  a: {uses: ./.github/workflows/w" + std::to_string(i + 1) + ".yml}\n"
                            : k_last_job);
         return files;
     }},
    {"10 actions in actions", 10, 11,
     [](std::size_t n) {
         Files files = workflow("  a: {steps: [{uses: ./.github/actions/a0}]}\n");
         for (std::size_t i = 0; i < n; ++i)
             files[".github/actions/a" + std::to_string(i) + "/action.yml"] =
                 "runs:\n  using: composite\n  steps:\n  - " +
                 (i + 1 < n ? "uses: ./.github/actions/a" + std::to_string(i + 1)
                            : "{shell: bash, run: 'pip install " + k_pin + "'}") +
                 "\n";
         return files;
     }},
    {"2000 uses of the repository's own actions and workflows", 1999, 2000,
     [](std::size_t n) {
         Files files =
             workflow("  a:\n    steps:\n" + times(n, "    - uses: ./a\n") + "    - uses: ./last\n");
         files["a/action.yml"] = "runs: {using: composite, steps: []}\n";
         files["last/action.yml"] =
             "runs: {using: composite, steps: [{shell: bash, run: 'pip install " + k_pin + "'}]}\n";
         return files;
     }},
    {"2000 bytes of an expression", 1000, 2001,
     [](std::size_t n) {
         return workflow(
             "  a:\n    env: {V: '2.5.1+cu125'}\n    steps:\n    - run: pip install torch==${{ env.V "
             "|| '" +
             std::string(n, 'x') + "' }}\n");
     }},
    {"32 operators in an expression", 20, 40,
     [](std::size_t n) {
         return workflow("  a:\n    env: {V: '2.5.1+cu125'}\n    steps:\n    - run: pip install torch==${{ " +
                         times(n, "'' || ") + "env.V }}\n");
     }},
    {"1048576 bytes of a workflow", 0, 1050000,
     [](std::size_t n) { return workflow(k_last_job + lines(n, "#")); }},
    {"150 included files", 149, 150,
     [](std::size_t n) {
         // Of several the last one is read first.
         Files files = gitlab("include: [node_modules/last.yml" + times(n, ", node_modules/@.yml") + "]\n");
         for (std::size_t i = 0; i < n; ++i) files[unseen(i) + ".yml"] = ".x: {image: a}\n";
         files["node_modules/last.yml"] = k_last_gitlab_job;
         return files;
     }},
    {"4194304 bytes of included files", 1, 2,
     [](std::size_t n) {
         Files files = gitlab("include: [node_modules/last.yml" + times(n, ", node_modules/@.yml") + "]\n");
         for (std::size_t i = 0; i < n; ++i)
             files[unseen(i) + ".yml"] = ".x: {image: a}\n" + lines(3000000, "#");
         files["node_modules/last.yml"] = k_last_gitlab_job;
         return files;
     }},
    {"50 templates that one job extends", 48, 51,
     [](std::size_t n) {
         return gitlab("job: {extends: [.last" + times(n, ", .t@") + "]}\n" + times(n, ".t@: {image: a}\n") +
                       ".last: {script: ['pip install " + k_pin + "']}\n");
     }},
    {"256 rows of all matrices of a job", 255, 256,
     [](std::size_t n) {
         return gitlab("job:\n  parallel:\n    matrix:\n" + times(n, "    - V: [w@]\n") + "    - V: ['" +
                       k_pin + "']\n  script: ['pip install $V']\n");
     }},
    {"10 references to references", 11, 12,
     [](std::size_t n) {
         return gitlab("job: {script: [!reference [.r0, script]]}\n" +
                       chain(n - 1, ".r@: {script: !reference [.r@next, script]}\n",
                             ".r@: {script: ['pip install " + k_pin + "']}\n"));
     }},
    {"10 lists in lists of a script", 10, 12,
     [](std::size_t n) {
         return gitlab("job: {script: [" + nested(n, "[", "'pip install " + k_pin + "'", "]") + "]}\n");
     }},
    {"8 commands in commands", 7, 8,
     [](std::size_t n) {
         return circleci(
             "jobs: {a: {steps: [c0]}}\ncommands:\n" +
             chain(n, "  c@: {steps: [c@next]}\n", "  c@: {steps: [{run: 'pip install " + k_pin + "'}]}\n"));
     }},
    {"20000 calls of commands", 100, 200,
     [](std::size_t n) {
         return circleci("jobs: {a: {steps: [c0, last]}}\ncommands:\n  c0: {steps: [" + times(150, "c1,") +
                         "c1]}\n  c1: {steps: [" + times(n, "c2,") + "c2]}\n  c2: {steps: []}\n" +
                         "  last: {steps: [{run: 'pip install " + k_pin + "'}]}\n");
     }},
    {"256 uses of one job", 255, 256,
     [](std::size_t n) {
         return circleci(
             "jobs:\n  a:\n    parameters: {v: {type: string}}\n    steps: [{run: 'pip install << "
             "parameters.v >>'}]\nworkflows:\n  w:\n    jobs:\n" +
             times(n, "    - a: {v: w@}\n") + "    - a: {v: '" + k_pin + "'}\n");
     }},
};

const std::vector<Row> k_azure_rows = {
    {"8 switches of a Dockerfile", 7, 8,
     [](std::size_t n) {
         return Files{{"Dockerfile",
                       "FROM ubuntu:22.04\n" +
                           times(n, "ARG S@=false\nRUN if [ \"$S@\" = true ]; then true; fi\n") +
                           "ARG Z=false\nRUN if [ \"$Z\" = true ]; then pip install " + k_pin + "; fi\n"}};
     }},
    {"32 values of a case", 31, 32,
     [](std::size_t n) {
         return Files{{"install.sh", "case $1 in\n" + times(n, "  v@) X=1 ;;\n") + "  z) V=2.5.1+cu125 ;;\n" +
                                         "esac\npip install torch==$V\n"}};
     }},
    {"256 rows of a pipeline's matrix", 255, 256,
     [](std::size_t n) {
         return azure("jobs:\n- job: a\n  strategy:\n    matrix:\n" + times(n, "      r@: {V: w@}\n") +
                      "      last: {V: '" + k_pin + "'}\n  steps: [{script: pip install $(V)}]\n");
     }},
    {"20 templates in templates", 20, 21,
     [](std::size_t n) {
         Files files = azure("steps: [{template: t0.yml}]\n");
         for (std::size_t i = 0; i + 1 < n; ++i)
             files["t" + std::to_string(i) + ".yml"] =
                 "steps: [{template: t" + std::to_string(i + 1) + ".yml}]\n";
         files["t" + std::to_string(n - 1) + ".yml"] = k_last_azure_step;
         return files;
     }},
    {"2000 uses of templates", 1999, 2000,
     [](std::size_t n) {
         Files files = azure("steps:\n" + times(n, "- template: t.yml\n") + "- template: last.yml\n");
         files["t.yml"] = "steps: []\n";
         files["last.yml"] = k_last_azure_step;
         return files;
     }},
    {"500 files of templates", 499, 500,
     [](std::size_t n) {
         Files files = azure("steps:\n" + times(n, "- template: t@.yml\n") + "- template: last.yml\n");
         files["last.yml"] = k_last_azure_step;
         return files;
     }},
};

}  // namespace

TEST_CASE("limits of Python's files") { check(k_python_rows); }
TEST_CASE("limits of conda's files and of YAML") { check(k_conda_rows); }
TEST_CASE("limits of workflows") { check(k_workflow_rows); }
TEST_CASE("limits of Azure's pipelines, and of what a recipe distinguishes") { check(k_azure_rows); }

}  // namespace limits_test
