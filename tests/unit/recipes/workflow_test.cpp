// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/workflow.hpp"

#include <algorithm>

#include "formats/yaml.hpp"
#include "recipe_words.hpp"
#include "recipes/ci/expressions.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

Recipe workflow(const std::string& text, const Files& files = {}) {
    return read_workflow(".github/workflows/ci.yml", text, reader_of(files));
}

constexpr ptxguard::Limit k_rows_in_test{256, "rows of a matrix", "later rows"};

std::vector<std::string> rows(const char* text) {
    const auto tree = ptxguard::read_yaml(text, "x");
    Problems problems;
    std::vector<std::string> result;
    for (const MatrixRow& row : matrix_rows(tree->front(), k_rows_in_test, "x", problems))
        result.push_back(row.text());
    return result;
}

}  // namespace

TEST_CASE("a matrix has the rows that GitHub creates") {
    CHECK(rows("{a: [1, 2], b: [x, y], exclude: [{a: 1, b: y}]}") ==
          std::vector<std::string>{"a=1, b=x", "a=2, b=x", "a=2, b=y"});
    // A part of a value excludes it too.
    CHECK(rows("{a: [1, 2], b: [{tag: x, os: u}, {tag: y}], exclude: [{a: 1, b: {tag: x}}]}").size() == 3);
    CHECK(rows("{a: [1, 2], b: [{tag: x, os: u}, {tag: y}], exclude: [{a: 1, b: {tag: x, os: v}}]}").size() ==
          4);
    // The example of GitHub's documentation.
    CHECK(
        rows(
            "fruit: [apple, pear]\nanimal: [cat, dog]\ninclude:\n  - color: green\n  - color: pink\n    "
            "animal: cat\n"
            "  - fruit: apple\n    shape: circle\n  - fruit: banana\n  - fruit: banana\n    animal: cat\n") ==
        std::vector<std::string>{"fruit=apple, animal=cat, color=pink, shape=circle",
                                 "fruit=apple, animal=dog, color=green, shape=circle",
                                 "fruit=pear, animal=cat, color=pink", "fruit=pear, animal=dog, color=green",
                                 "fruit=banana", "fruit=banana, animal=cat"});
    CHECK(rows("include: [{a: 1}, {a: 2}]") == std::vector<std::string>{"a=1", "a=2"});
    CHECK(rows("{a: '${{ fromJson(x) }}'}") == std::vector<std::string>{""});
    CHECK(rows("{}").size() == 1);
    const auto many = ptxguard::read_yaml(
        "{a: [1,2,3,4,5,6,7,8,9], b: [1,2,3,4,5,6,7,8,9], c: [1,2,3,4,5,6,7,8,9], d: [1,2,3,4,5,6,7,8,9]}",
        "x");
    Problems problems;
    CHECK(matrix_rows(many->front(), k_rows_in_test, "x", problems).size() == 256);
    CHECK(problems.size() == 1);
}

TEST_CASE("expressions that can be decided from the file") {
    const auto tree = ptxguard::read_yaml(
        "{cuda: 12.1, config: {os: linux, 'a-b': 3}, nothing: null, none: '', open: '${{ fromJSON(x) }}'}",
        "x");
    MatrixRow row;
    for (const auto& [name, value] : tree->front().members) row.values.emplace_back(name.text, &value);
    Problems problems;
    Scope scope(problems);
    scope.row = &row;
    scope.variables.set("CUDA", "11.8");
    scope.runner = "Linux";
    const auto value = [&](const char* text) { return value_of(text, scope, {}).value_or("?"); };
    CHECK(value("matrix.cuda") == "12.1");
    CHECK(value("matrix.config.os") == "linux");
    CHECK(value("matrix.open") == "?");
    CHECK(value("matrix.open.os") == "?");
    CHECK(value("matrix.config['a-b']") == "3");
    CHECK(value("matrix.gone").empty());
    CHECK(value("matrix.nothing") == "");
    for (const char* broken : {"matrix.config[", "matrix.config[]", "matrix.config[']", "matrix.config['os'"})
        CHECK_MESSAGE(value(broken) == "?", broken);
    CHECK(value("matrix.config['']").empty());
    CHECK(value("env.CUDA") == "11.8");
    CHECK(value("env.GONE") == "?");
    CHECK(value("'text'") == "text");
    CHECK(value("matrix.none || 'x'") == "x");
    CHECK(value("matrix.cuda == '12.1' && 'yes' || 'no'") == "yes");
    CHECK(value("github.sha") == "?");
    CHECK(value("format('{0}-{1}', 1, matrix.cuda)") == "1-12.1");
    CHECK(value("format('{1}', 1)") == "?");
    CHECK(value("matrix.cuda == '12.1'") == "true");
    CHECK(value("contains(matrix.config.os, 'lin')") == "true");
    CHECK(value("contains(fromJSON('[\"12.1\", \"12.4\"]'), matrix.cuda)") == "true");
    CHECK(value("contains(fromJSON('[\"12.4\"]'), matrix.cuda)") == "false");
    CHECK(value("contains(github.ref, 'x')") == "?");
    CHECK(value("fromJSON(matrix.cuda)") == "12.1");
    CHECK(value("hashFiles('a')") == "?");
    CHECK(value("steps.a.outputs.b") == "?");
    scope.outputs["steps.a.outputs.b"] = "12.4";
    CHECK(value("steps.a.outputs.b") == "12.4");
    CHECK(condition("", scope, {}) == Truth::yes);
    CHECK(condition("${{ matrix.config.os == 'Linux' }}", scope, {}) == Truth::yes);
    CHECK(condition("matrix.cuda != '12.1' || runner.os == 'Windows'", scope, {}) == Truth::no);
    CHECK(condition("!(matrix.cuda == '12.1')", scope, {}) == Truth::no);
    CHECK(condition("github.event_name == 'push'", scope, {}) == Truth::unknown);
    CHECK(condition("github.event_name == 'push' && matrix.cuda == '1'", scope, {}) == Truth::no);
    // Of a job in which nothing failed.
    CHECK(condition("always()", scope, {}) == Truth::yes);
    CHECK(condition("!cancelled() && matrix.cuda == '12.1'", scope, {}) == Truth::yes);
    CHECK(condition("failure()", scope, {}) == Truth::no);
    CHECK(condition("startsWith(matrix.config.os, 'Win')", scope, {}) == Truth::no);
    CHECK(condition("endsWith(matrix.config.os, 'nux') && !contains(matrix.cuda, '11.')", scope, {}) ==
          Truth::yes);
    CHECK(condition("and(eq(variables.cuda, '12.1'), not(eq('a', 'b')))", scope, {}) == Truth::unknown);
    scope.variables.set("cuda", "12.1");
    CHECK(condition("and(eq(variables.cuda, '12.1'), not(eq('a', 'b')))", scope, {}) == Truth::yes);
    CHECK(condition("and(succeeded(), ne(variables['cuda'], '12.1'))", scope, {}) == Truth::no);
    CHECK(value_of(std::string(1u << 20, '!'), scope, {}) == std::nullopt);
    CHECK(condition(std::string(1u << 20, '('), scope, {}) == Truth::unknown);
}

TEST_CASE("a job's rows, image, variables and steps") {
    const Recipe recipe = workflow(R"(name: ci
on: [push]
env:
  PIP_INDEX_URL: https://mirror/simple
jobs:
  test:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        os: [ubuntu-22.04]
        cuda: ["12.1.1", "11.8.0"]
        include:
          - cuda: "12.1.1"
            short: cu121
    container:
      image: nvidia/cuda:${{ matrix.cuda }}-devel-ubuntu22.04
    steps:
      - uses: actions/setup-python@v5
        with: {python-version: '3.11'}
      - name: install
        run: |
          python -m pip install torch \
            --extra-index-url https://download.pytorch.org/whl/${{ matrix.short }}
          nvcc -arch=${{ github.event.inputs.arch }} x.cu
      - if: matrix.cuda == '11.8.0'
        run: pip install cupy-cuda11x
      - if: github.event_name == 'push'
        run: pip install jax
        env: {A: b}
      - run: >-
          pip install
          numpy
      - shell: python
        run: import torch
)");
    CHECK(recipe.problems.empty());
    REQUIRE(recipe.stages.size() == 2);
    const Stage& first = stage_named(recipe, "job test (os=ubuntu-22.04, cuda=12.1.1, short=cu121)");
    CHECK(first.image.text == "nvidia/cuda:12.1.1-devel-ubuntu22.04");
    CHECK(first.image.line == 16);
    CHECK(first.platform.text == "ubuntu-22.04");
    CHECK(first.python == "3.11");
    const auto installs = all<PipInstall>(first);
    REQUIRE(installs.size() == 3);
    CHECK(installs[0].index.text == "https://mirror/simple");
    REQUIRE(installs[0].extra_indexes.size() == 1);
    CHECK(installs[0].extra_indexes[0].text == "https://download.pytorch.org/whl/cu121");
    CHECK(installs[0].extra_indexes[0].line == 23);
    CHECK(installs[0].extra_indexes[0].column == 31);
    CHECK(installs[0].requirements.at(0).whole.line == 22);
    CHECK(installs[0].requirements.at(0).whole.fixed);
    CHECK(installs[1].requirements.at(0).name == "jax");
    CHECK(!installs[1].requirements.at(0).whole.fixed);
    CHECK(installs[2].requirements.at(0).name == "numpy");
    CHECK(installs[2].requirements.at(0).whole.line == 32);
    const auto commands = all<ptxguard::recipes::Command>(first);
    REQUIRE(commands.size() == 1);
    CHECK(commands[0].words.at(1).known == false);
    CHECK(all<PipInstall>(stage_named(recipe, "job test (os=ubuntu-22.04, cuda=11.8.0)")).size() == 4);
}

TEST_CASE("actions that install CUDA or an environment") {
    const Recipe recipe = workflow(
        "on: push\njobs:\n  a:\n    runs-on: windows-latest\n    steps:\n      - uses: "
        "Jimver/cuda-toolkit@v0.2.16\n        with:\n          cuda: '12.4.1'\n"
        "      - uses: conda-incubator/setup-miniconda@v3\n        with: {environment-file: env.yml, "
        "channels: 'conda-forge', python-version: '3.10'}\n"
        "      - uses: mamba-org/setup-micromamba@v1\n        with:\n          create-args: >-\n            "
        "cuda-version=12.1\n            pytorch\n",
        {{"env.yml", "dependencies: [pytorch]\n"}});
    const auto apt = all<AptInstall>(recipe.stages.at(0));
    CHECK(apt.at(0).packages.at(0).name == "cuda-toolkit-12-4");
    CHECK(apt.at(0).packages.at(0).whole.line == 8);
    const auto conda = all<CondaInstall>(recipe.stages.at(0));
    REQUIRE(conda.size() == 2);
    CHECK(conda[0].specs.at(0).whole.file == "env.yml");
    CHECK(conda[1].specs.at(0).version == "12.1.*");
    CHECK(recipe.stages[0].python == "3.10");
    CHECK(workflow("on: push\njobs: [a\n").problems.size() == 1);
    CHECK(workflow("on: push\njobs:\n  a: {uses: ./x.yml}\n  b: 1\n").stages.size() == 1);
}

TEST_CASE("actions and workflows of the repository itself") {
    const Files files = {
        {".github/actions/torch/action.yml",
         "inputs:\n  torch: {default: \"2.4.0\"}\n  cuda: {required: true}\nruns:\n  using: composite\n  "
         "steps:\n"
         "    - uses: ./.github/actions/inner\n"
         "    - run: pip install torch==${{ inputs.torch }}+${{ inputs.cuda }}\n      shell: bash\n"},
        {".github/actions/inner/action.yaml",
         "runs:\n  using: composite\n  steps:\n    - uses: ./.github/actions/torch\n      with: {cuda: "
         "cu118}\n"},
        {".github/workflows/build.yml",
         "on:\n  workflow_call:\n    inputs:\n      cuda: {type: string, default: '11.8'}\njobs:\n  build:\n"
         "    container: nvidia/cuda:${{ inputs.cuda }}-devel\n    steps:\n      - run: nvcc a.cu\n"},
        {".github/workflows/loop.yml",
         "on: workflow_call\njobs:\n  a:\n    uses: ./.github/workflows/loop.yml\n"}};
    const Recipe recipe = read_workflow(
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  a:\n    strategy: {matrix: {cuda: [cu121, cu124]}}\n    steps:\n"
        "      - uses: ./.github/actions/torch\n        with: {torch: '2.5.1', cuda: '${{ matrix.cuda }}'}\n"
        "      - uses: ./.github/actions/torch\n        if: env.X == '1'\n"
        "      - run: pip install numpy\n"
        "  b:\n    uses: ./.github/workflows/build.yml\n    with: {cuda: 12.4.1}\n"
        "  c:\n    uses: ./.github/workflows/loop.yml\n  d:\n    uses: ./.github/workflows/none.yml\n",
        reader_of(files));
    const auto pips = all<PipInstall>(stage_named(recipe, "job a (cuda=cu124)"));
    REQUIRE(pips.size() > 2);
    const auto own = std::find_if(pips.begin(), pips.end(), [](const PipInstall& one) {
        return one.requirements[0].whole.text == "torch==2.5.1+cu124";
    });
    REQUIRE(own != pips.end());
    CHECK(own->requirements[0].whole.file == ".github/actions/torch/action.yml");
    CHECK(own->requirements[0].whole.line == 8);
    CHECK(own->requirements[0].whole.column == 24);
    CHECK(own->requirements[0].whole.fixed);
    CHECK(!pips[pips.size() - 2].requirements[0].whole.fixed);  // after `if`
    CHECK(!pips[pips.size() - 2].requirements[0].whole.known);  // without `cuda`
    CHECK(pips.back().requirements[0].whole.file == ".github/workflows/ci.yml");
    CHECK(pips.back().requirements[0].whole.fixed);
    const Stage& called = stage_named(recipe, "job b / build");
    CHECK(called.image.text == "nvidia/cuda:12.4.1-devel");
    CHECK(called.image.file == ".github/workflows/build.yml");
    REQUIRE(recipe.problems.size() == 2);  // what uses itself
    CHECK(recipe.problems[0].limit == "10 actions in actions");
    CHECK(recipe.problems[1].limit == "10 workflows that call workflows");
    CHECK(recipe.parts ==
          std::vector<std::string>{".github/actions/torch/action.yml", ".github/actions/inner/action.yaml",
                                   ".github/workflows/build.yml", ".github/workflows/loop.yml"});
    // On its own: with the defaults.
    const Recipe action = read_workflow(".github/actions/torch/action.yml",
                                        files.at(".github/actions/torch/action.yml"), reader_of({}));
    REQUIRE(action.stages.size() == 1);
    CHECK(all<PipInstall>(action.stages[0])[0].requirements[0].whole.text.substr(0, 12) == "torch==2.4.0");
}

TEST_CASE("GitLab: extends, default, parallel") {
    const Recipe recipe = read_workflow(".gitlab-ci.yml", R"(
variables: {CUDA: "12.1.1"}
default:
  image: nvidia/cuda:${CUDA}-devel-ubuntu22.04
.base:
  before_script:
    - export TORCH=2.1.0
  variables: {EXTRA: cu121}
stages: [test]
test:
  extends: .base
  parallel:
    matrix:
      - PY: ["3.10", "3.11"]
        ONE: x
  script:
    - pip install torch==$TORCH+$EXTRA
    - [nvcc --version, "echo $PY"]
other:
  image: {name: "python:3.11"}
  variables: {CUDA: {value: "11.8.0", description: d}}
  script: pip install jax
)",
                                        {});
    REQUIRE(recipe.stages.size() == 3);
    const Stage& first = stage_named(recipe, "job test (PY=3.10, ONE=x)");
    CHECK(first.image.text == "nvidia/cuda:12.1.1-devel-ubuntu22.04");
    CHECK(all<PipInstall>(first).at(0).requirements.at(0).specifier == "==2.1.0+cu121");
    CHECK(all<PipInstall>(first).at(0).requirements.at(0).whole.line == 17);
    CHECK(stage_named(recipe, "job other").image.text == "python:3.11");
    CHECK(
        read_workflow(".gitlab-ci.yml", "a: {extends: b, script: x}\nb: {extends: a}\n", {}).stages.size() ==
        2);
}

TEST_CASE("GitLab: include: local, !reference, extends across files") {
    const Files files = {
        {"ci/base.yml",
         "include: /ci/more.yml\n.setup:\n  image: nvidia/cuda:12.4.1-devel-ubuntu22.04\n"
         "  variables: {TORCH: \"2.5.1\", OTHER: b}\n  script:\n    - pip install numpy\n"
         "    - !reference [.deep, script]\nshared:\n  script: [echo a]\n"},
        {"ci/more.yml", ".deep:\n  script:\n    - pip install triton==3.1.0\ninclude: ci/base.yml\n"}};
    const Recipe recipe = read_workflow(
        ".gitlab-ci.yml",
        "include:\n  - local: ci/base.yml\n  - local: /gone.yml\n  - remote: https://x/y.yml\n  - ci/*.yml\n"
        "build:\n  extends: .setup\n  variables:\n    OWN: !reference [.setup, variables, TORCH]\n"
        "  script:\n    - !reference [.setup, script]\n    - pip install torch==$TORCH\n    - !reference "
        "[.none, x]\n"
        "loop:\n  script: !reference [loop, script]\nshared:\n  image: debian\n",
        reader_of(files));
    REQUIRE(recipe.stages.size() == 2);
    const Stage& build = stage_named(recipe, "job build");
    CHECK(build.image.text == "nvidia/cuda:12.4.1-devel-ubuntu22.04");
    CHECK(build.image.file == "ci/base.yml");
    CHECK(build.image.line == 3);
    const auto pips = all<PipInstall>(build);
    REQUIRE(pips.size() == 3);
    CHECK(pips[0].whole.file == "ci/base.yml");
    CHECK(pips[1].requirements[0].whole.text == "triton==3.1.0");
    CHECK(pips[1].requirements[0].whole.file == "ci/more.yml");
    CHECK(pips[1].requirements[0].whole.line == 3);
    CHECK(pips[1].requirements[0].whole.column == 19);
    CHECK(pips[2].requirements[0].whole.text == "torch==2.5.1");
    CHECK(pips[2].requirements[0].whole.file == ".gitlab-ci.yml");
    CHECK(pips[2].requirements[0].whole.line == 12);
    CHECK(stage_named(recipe, "job shared").image.text == "debian");
    CHECK(all<ptxguard::recipes::Command>(stage_named(recipe, "job shared")).size() == 1);
    CHECK(recipe.problems.size() == 3);  // gone.yml, the pattern, and the job that refers to itself
}

TEST_CASE("CircleCI: executors, parameters, commands, matrices") {
    const Recipe recipe = read_workflow(".circleci/config.yml", R"(
version: 2.1
executors:
  gpu: {docker: [{image: "nvidia/cuda:11.8.0-devel"}]}
commands:
  torch:
    parameters: {version: {type: string, default: "2.0.0"}}
    steps:
      - run: pip install torch==<< parameters.version >>
jobs:
  one:
    executor: gpu
    steps: [checkout, torch]
  two:
    parameters: {cuda: {type: string}}
    docker:
      - image: nvidia/cuda:<< parameters.cuda >>-devel
    environment: {A: b}
    steps:
      - torch: {version: "2.1.0"}
      - run:
          command: |
            nvcc -V
            pip install a<<parameters.gone>>
workflows:
  w:
    jobs:
      - one
      - two:
          matrix: {parameters: {cuda: ["12.1.1", "12.4.1"]}}
)",
                                        {});
    REQUIRE(recipe.stages.size() == 3);
    CHECK(stage_named(recipe, "job one").image.text == "nvidia/cuda:11.8.0-devel");
    CHECK(all<PipInstall>(stage_named(recipe, "job one")).at(0).requirements.at(0).specifier == "==2.0.0");
    const Stage& two = stage_named(recipe, "job two (cuda=12.4.1)");
    CHECK(two.image.text == "nvidia/cuda:12.4.1-devel");
    CHECK(all<PipInstall>(two).at(0).requirements.at(0).specifier == "==2.1.0");
    CHECK(all<PipInstall>(two).at(1).requirements.at(0).whole.known == false);
}

TEST_CASE("files that repeat themselves end") {
    const auto list = [](const char* word, int count) {
        std::string text = "[";
        for (int i = 0; i < count; ++i) text += std::string(i ? ", " : "") + word;
        return text + "]";
    };
    // Every template extends all others, many times.
    std::string gitlab = "test: {extends: " + list(".t0", 20) + ", script: x, image: y}\n";
    for (int i = 0; i < 12; ++i)
        gitlab += ".t" + std::to_string(i) +
                  ": {extends: " + list((".t" + std::to_string(i + 1)).c_str(), 20) + "}\n";
    CHECK(read_workflow(".gitlab-ci.yml", gitlab, {}).stages.size() == 1);
    std::string circle = "jobs: {a: {steps: [c0]}}\ncommands:\n";
    for (int i = 0; i < 12; ++i)
        circle += "  c" + std::to_string(i) + ": {steps: " + list(("c" + std::to_string(i + 1)).c_str(), 50) +
                  "}\n";
    CHECK(read_workflow(".circleci/config.yml", circle, {}).stages.size() == 1);
    std::string jobs = "on: push\njobs:\n  a:\n    strategy: {matrix: {a: " + list("1", 16) +
                       ", b: " + list("1", 16) + "}}\n    steps:\n";
    for (int i = 0; i < 1000; ++i) jobs += "      - run: uname\n";
    const Recipe many = workflow(jobs);
    CHECK(many.problems.size() == 1);
    CHECK(many.stages.size() < 60);
    CHECK(workflow(std::string(2u << 20, '#')).problems.size() == 1);
}
