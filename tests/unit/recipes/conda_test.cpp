// SPDX-License-Identifier: Apache-2.0
#include "judged.hpp"
#include "recipes/installers/conda_environment.hpp"
#include "recipes/installers/conda_recipe.hpp"
#include "recipes/installers/conda_template.hpp"

using namespace ptxguard::recipes;

namespace {

Recipe environment(const char* text, const Files& files = {}) {
    return read_conda_environment("environment.yml", text, reader_of(files));
}

}  // namespace

TEST_CASE("of channels that are named twice the first counts") {
    std::vector<std::string> names{"a", "", "b", "a"};
    drop_repeated(names);
    CHECK(names == std::vector<std::string>{"a", "b"});
}

TEST_CASE("environment.yml: channels, specs and pip's list") {
    const Recipe recipe = environment(
        "name: gpu\nchannels:\n  - pytorch\n  - nvidia\n  - conda-forge\nvariables:\n  CUDA_HOME: /opt/cuda\n"
        "dependencies:\n  - python=3.10\n  - pytorch::pytorch=2.1.0\n  - cuda-version 12.1  # driver\n  - "
        "pip\n"
        "  - pip:\n    - --extra-index-url https://download.pytorch.org/whl/cu118\n    - "
        "torchvision==0.16.0+cu118\n"
        "    - -r requirements.txt\n    - -e .\n",
        {{"requirements.txt", "numpy<2\n"}});
    REQUIRE(recipe.stages.size() == 1);
    const Stage& stage = recipe.stages[0];
    CHECK(stage.python == "3.10");
    REQUIRE(stage.steps.size() == 3);
    CHECK(std::get<SetVariable>(stage.steps[0]).name == "CUDA_HOME");
    const auto& conda = std::get<CondaInstall>(stage.steps[1]);
    CHECK(conda.channels == std::vector<std::string>{"pytorch", "nvidia", "conda-forge"});
    REQUIRE(conda.specs.size() == 4);
    CHECK(conda.specs[1].channel == "pytorch");
    CHECK(conda.specs[1].version == "2.1.0.*");
    CHECK(conda.specs[1].whole.line == 10);
    CHECK(conda.specs[1].whole.column == 5);
    CHECK(conda.specs[2].version == "12.1");
    const auto& pip = std::get<PipInstall>(stage.steps[2]);
    CHECK(conda.environment == "gpu");
    CHECK(pip.environment == "gpu");
    CHECK(pip.extra_indexes.at(0).column == 25);
    CHECK(pip.extra_indexes.at(0).line == 14);
    REQUIRE(pip.requirements.size() == 2);
    CHECK(pip.requirements[0].specifier == "==0.16.0+cu118");
    CHECK(pip.requirements[1].whole.file == "requirements.txt");
    CHECK(pip.projects.size() == 1);
    CHECK(recipe.problems.empty());
}

TEST_CASE("an environment file that is odd or broken") {
    CHECK(environment("a: [").problems.size() == 1);
    CHECK(environment("").stages.empty());
    CHECK(environment("- a\n").stages.empty());
    CHECK(environment("dependencies:\n").stages.size() == 1);
    const Recipe range = environment("dependencies: [python>=3.9, {pip: torch}, 7, [a]]");
    CHECK(range.stages[0].python.empty());
    CHECK(std::get<PipInstall>(range.stages[0].steps[1]).requirements.at(0).name == "torch");
    const Recipe selected = environment(
        "dependencies:\n  - a  # [win]\n  - b  # [linux]\n  - c={{ x }}\n  - d  # [cuda]\n  - e # [not "
        "win]\n");
    const auto& specs = std::get<CondaInstall>(selected.stages[0].steps[0]).specs;
    REQUIRE(specs.size() == 4);
    CHECK(specs[0].name == "b");
    CHECK(!specs[1].whole.known);
    CHECK(specs[1].name == "c");
    CHECK(specs[2].name == "d");
    CHECK(!specs[2].whole.fixed);
    CHECK(specs[2].whole.line == 5);
    CHECK(specs[3].whole.fixed);
}

TEST_CASE("cudatoolkit does not choose a build of a PyTorch without a release") {
    const auto says = [](const std::string& packages, const std::string& channels) {
        return codes_of("install.sh", "conda create -n a -y\nconda activate a\nconda install " + packages +
                                          channels + "\n");
    };
    const std::string own = " -c pytorch";
    CHECK(says("pytorch torchvision cudatoolkit=11.3", own) == "CC603");
    CHECK(says("pytorch cudatoolkit=10.2", own + " -c nvidia") == "CC603");
    CHECK(says("pytorch=1.12.1 cudatoolkit=11.3", own) == k_silent);
    CHECK(says("pytorch torchvision=0.13.1 cudatoolkit=11.3", own) == k_silent);
    CHECK(says("pytorch cudatoolkit=11.3 python=3.7", own) == k_silent);
    CHECK(says("pytorch cudatoolkit=11.3", own + " -c conda-forge") == k_silent);
    CHECK(says("pytorch cudatoolkit=11.8", " -c conda-forge") == k_silent);
    CHECK(says("pytorch cudatoolkit", own) == k_silent);
    CHECK(says("pytorch pytorch-cuda=12.4", own + " -c nvidia") == k_silent);
}

TEST_CASE("conda's lock files") {
    const Recipe lock = environment(
        "version: 1\nmetadata:\n  channels:\n  - url: conda-forge\npackage:\n"
        "- name: python\n  version: 3.11.6\n  manager: conda\n  platform: linux-64\n  url: "
        "https://c/linux-64/python-3.11.6-h1_cpython.conda\n"
        "- name: pytorch\n  version: 2.1.0\n  manager: conda\n  platform: linux-64\n  url: "
        "https://c/linux-64/pytorch-2.1.0-cuda120py311h_301.conda\n"
        "- name: torchvision\n  version: 0.16.0\n  manager: pip\n  platform: linux-64\n  url: "
        "https://f/torchvision.whl\n"
        "- name: pytorch\n  version: 2.1.0\n  manager: conda\n  platform: win-64\n  url: "
        "https://c/win-64/pytorch-2.1.0-cpu_0.conda\n");
    CHECK(lock.kind == RecipeKind::lock_file);
    REQUIRE(lock.stages.size() == 2);
    CHECK(lock.stages[0].platform.text == "linux-64");
    CHECK(lock.stages[0].python == "3.11.6");
    const auto& conda = std::get<CondaInstall>(lock.stages[0].steps[0]);
    CHECK(conda.specs.at(1).build == "cuda120py311h_301");
    CHECK(conda.channels == std::vector<std::string>{"conda-forge"});
    const auto& pip = std::get<PipInstall>(lock.stages[0].steps[1]);
    CHECK(pip.tool == "lock");
    CHECK(pip.requirements.at(0).specifier == "==0.16.0");
    const Recipe list = environment(
        "# platform: linux-64\n@EXPLICIT\nhttps://c/linux-64/cuda-version-12.4-h3060b56_3.conda\n");
    CHECK(std::get<CondaInstall>(list.stages.at(0).steps.at(0)).specs.at(0).version == "12.4");
}

TEST_CASE("conda env create takes the file's channels, specs and pip list") {
    const auto steps =
        steps_of(command_of({"conda", "env", "create", "-q", "-n", "x", "-f", "env.yml"}),
                 {{"env.yml", "channels: [pytorch]\ndependencies: [pytorch=2.1, {pip: [a]}]\n"}});
    REQUIRE(steps.size() == 2);
    const auto& conda = std::get<CondaInstall>(steps[0]);
    CHECK(conda.environment == "x");
    CHECK(conda.channels == std::vector<std::string>{"pytorch", "defaults"});
    CHECK(conda.specs.at(0).whole.file == "env.yml");
    CHECK(std::get<PipInstall>(steps[1]).requirements.at(0).name == "a");
    const auto unnamed =
        steps_of(command_of({"mamba", "env", "update"}), {{"environment.yml", "dependencies: [b]\n"}});
    CHECK(std::get<CondaInstall>(unnamed.at(0)).specs.at(0).name == "b");
}

TEST_CASE("jinja of conda's recipes keeps the lines") {
    Problems problems;
    const auto rendered = [&](const char* template_text) {
        return render_conda(template_text, "meta.yaml", problems);
    };
    const std::string text = rendered(
        "{% set version = \"2.1\" %}\n{%- set name = 'X' | lower -%}\nname: {{ name }}-{{ version }}\n{% if "
        "cuda %}\na: {{ unknown }} {# no #}\n{% endif %}\n");
    CHECK(text.substr(0, 15) == "\n\nname: x-2.1\n\n");
    CHECK(!marked({text.substr(15), "", 1, 1}).known);
    CHECK(marked({"a", "", 1, 1}).known);
    CHECK(rendered("a: {{ compiler('cuda') }}\n") == "a: compiler_cuda\n");
    CHECK(rendered("a: {{ pin_compatible('numpy', max_pin='x') }} {{ 'A' ~ b }} \n").substr(0, 8) ==
          "a: numpy");
    CHECK(rendered("a: {{\n") == "a: {{\n");
    CHECK(rendered("{% set all = [\n  'a', 'b: c'\n] %}\na: b\n{# c\n  d: [ #}\ne: f\n") ==
          "\n\n\na: b\n\n\ne: f\n");
}

TEST_CASE("jinja of conda's recipes: a choice between two literals has no value") {
    const auto build = [](const std::string& value) {
        const Recipe recipe = read_conda_recipe(
            "meta.yaml",
            "{% set kind = " + value + " %}\nrequirements:\n  run:\n    - pytorch * {{ kind }}*\n", {});
        const auto& install = std::get<CondaInstall>(recipe.stages.at(0).steps.at(0));
        return install.specs.at(0).whole.known ? install.specs.at(0).build : "?";
    };
    CHECK(build("\"cuda\"") == "cuda*");
    CHECK(build("'cpu'") == "cpu*");
    CHECK(build("\"cuda\" if cuda_compiler_version != \"None\" else \"cpu\"") == "?");
}

TEST_CASE("meta.yaml and recipe.yaml") {
    const Recipe meta = read_conda_recipe("meta.yaml", R"({% set version = "1.2" %}
package:
  name: x
  version: {{ version }}
requirements:
  build:
    - {{ compiler('cuda') }}  # [cuda_compiler_version != "None"]
    - cmake
  host:
    - pytorch {{ version }}.*
    - vs2019  # [win]
  run:
    - __cuda >=12
outputs:
  - name: libx
    requirements: [cudnn]
)",
                                          {});
    CHECK(meta.problems.empty());
    REQUIRE(meta.stages.size() == 3);
    CHECK(meta.stages[0].name == "build");
    CHECK(!meta.stages[0].last);
    const auto& build = std::get<CondaInstall>(meta.stages[0].steps.at(0));
    REQUIRE(build.specs.size() == 3);
    CHECK(build.specs[0].name == "compiler_cuda");
    CHECK(!build.specs[0].whole.fixed);
    CHECK(build.specs[2].version == "1.2.*");
    CHECK(build.specs[2].whole.line == 10);
    CHECK(std::get<CondaInstall>(meta.stages[1].steps.at(0)).specs.at(0).version == ">=12");
    CHECK(meta.stages[2].name == "output libx run");
    const Recipe rattler = read_conda_recipe("recipe.yaml", R"(context:
  cuda: "12.4"
requirements:
  host:
    - cuda-version ${{ cuda }}
    - if: linux
      then: [gcc]
      else: clang
    - if: win
      then: vs2022
    - if: cuda == "12.4"
      then: nccl
    - ${{ gone }}
)",
                                             {});
    const auto& host = std::get<CondaInstall>(rattler.stages.at(0).steps.at(0));
    REQUIRE(host.specs.size() == 4);
    CHECK(host.specs[0].version == "12.4");
    CHECK(host.specs[1].name == "gcc");
    CHECK(host.specs[1].whole.fixed);
    CHECK(host.specs[2].name == "nccl");
    CHECK(!host.specs[2].whole.fixed);
    CHECK(!host.specs[3].whole.known);
    CHECK(read_conda_recipe("meta.yaml", "a: [", {}).problems.size() == 1);
}

TEST_CASE("recipe.yaml: an expression that cannot be computed is no version") {
    const auto codes = [](const std::string& version) {
        return codes_of(
            "recipe.yaml",
            "context:\n  kind: ${{ \"cuda\" if cuda_compiler_version != \"None\" else \"cpu\" }}\n"
            "requirements:\n  host:\n    - pytorch * [build=${{ kind }}*]\n    - cuda-version ==" +
                version + "\n");
    };
    CHECK(codes("${{ cuda_compiler_version }}") == k_silent);
}

TEST_CASE("pip replaces the torch of conda that its package does not accept") {
    const auto codes = [](const std::string& conda, const std::string& pip) {
        return codes_of("environment.yml",
                        "channels: [pytorch, nvidia, conda-forge]\ndependencies:\n  - python=3.10\n" + conda +
                            "  - pytorch-cuda=11.8\n  - pip:\n    - " + pip + "\n");
    };
    // vllm 0.6.3 brings torch 2.4.0 and its torchvision: nothing is there for 2.0.1 but what conda has
    // chosen.
    CHECK(codes("  - pytorch=2.0.1\n  - torchvision=0.15.2\n", "vllm==0.6.3") == "CC612");
    CHECK(codes_in(
              scenarios_in("environment.yml",
                           "channels: [pytorch, nvidia]\ndependencies:\n  - python=3.10\n  - pytorch=2.0.1\n"
                           "  - pytorch-cuda=11.8\n  - pip:\n    - vllm==0.6.3\n",
                           {})) == Codes{"warning CC612"});
    CHECK(codes("  - pytorch=2.0\n", "xformers==0.0.20") == k_silent);  // of 2.0.1
}

TEST_CASE("pixi: the channel of a package is the only one that may have it") {
    const auto codes = [](const std::string& channel) {
        return codes_of("pixi.toml",
                        "[workspace]\nchannels = [\"conda-forge\", \"pytorch\", \"nvidia\"]\n"
                        "platforms = [\"linux-64\"]\n[dependencies]\npython = \"3.10.*\"\n"
                        "pytorch = {version = \"2.3.0\"" +
                            channel +
                            "}\n"
                            "cudnn = {channel = \"conda-forge\", version = \"8.9.*\"}\n");
    };
    CHECK(codes("") == "CC604");  // conda-forge's needs a driver
    CHECK(codes(", channel = \"pytorch\"") == k_silent);
}
