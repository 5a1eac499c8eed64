// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pyproject.hpp"

#include <algorithm>

#include "recipe_words.hpp"
#include "recipes/installers/locks.hpp"

using namespace ptxguard::recipes;

namespace {

Recipe project(const std::string& text) { return read_pyproject("pyproject.toml", text, {}); }

const PipInstall& stage(const Recipe& recipe, const std::string& name) {
    const auto found = std::find_if(recipe.stages.begin(), recipe.stages.end(),
                                    [&](const Stage& one) { return one.name == name; });
    REQUIRE(found != recipe.stages.end());
    return std::get<PipInstall>(found->steps.at(0));
}

// The requirement of that name, at its first place.
const WrittenRequirement& of(const PipInstall& install, const std::string& name) {
    const auto found = std::find_if(install.requirements.begin(), install.requirements.end(),
                                    [&](const WrittenRequirement& one) { return one.name == name; });
    REQUIRE(found != install.requirements.end());
    return *found;
}

constexpr const char* k_uv = R"(
[project]
name = "My.App"
dependencies = ["torch==2.6.0", "numpy"]
[project.optional-dependencies]
gpu = ["cupy-cuda12x"]
all = ["my-app[gpu]", "jax"]
[dependency-groups]
test = ["pytest", {include-group = "lint"}]
lint = ["ruff", {include-group = "test"}]
[build-system]
requires = ["setuptools", "torch"]
[tool.uv]
constraint-dependencies = ["numpy<2"]
no-build-isolation-package = ["flash-attn"]
[tool.uv.sources]
torch = [
  { index = "pytorch-cu124", extra = "gpu" },
  { index = "pytorch-cpu", marker = "sys_platform == 'darwin'" },
]
[[tool.uv.index]]
name = "pytorch-cu124"
url = "https://download.pytorch.org/whl/cu124"
explicit = true
[[tool.uv.index]]
name = "pytorch-cpu"
url = "https://download.pytorch.org/whl/cpu"
explicit = true
[[tool.uv.index]]
url = "https://mirror/simple"
default = true
[[tool.uv.index]]
name = "more"
url = "https://more/simple"
)";

}  // namespace

TEST_CASE("PEP 621, groups and uv's indexes") {
    const Recipe recipe = project(k_uv);
    CHECK(recipe.problems.empty());
    const PipInstall& always = stage(recipe, "project");
    CHECK(always.tool == "uv");
    CHECK(always.index.text == "https://mirror/simple");
    REQUIRE(always.extra_indexes.size() == 1);
    CHECK(always.extra_indexes[0].text == "https://more/simple");
    CHECK(always.requirements.size() == 2);
    CHECK(of(always, "torch").whole.line == 4);
    CHECK(of(always, "torch").whole.column == 18);
    CHECK(of(always, "torch").index.text == "https://download.pytorch.org/whl/cpu");
    CHECK(!of(always, "torch").index.fixed);
    CHECK(always.constraints.at(0).specifier == "<2");
    const PipInstall& gpu = stage(recipe, "gpu");
    CHECK(gpu.requirements.size() == 3);
    CHECK(of(stage(recipe, "all"), "cupy-cuda12x").specifier.empty());
    CHECK(of(stage(recipe, "test"), "ruff").whole.line == 10);
    const Recipe only_extra = project(
        "[project]\ndependencies=['torch']\n[project.optional-dependencies]\ngpu=[]\n[tool.uv.sources]"
        "\ntorch=[{index='x', extra='gpu'}]\n"
        "[[tool.uv.index]]\nname='x'\nurl='https://x'\nexplicit=true\n");
    CHECK(!of(stage(only_extra, "project"), "torch").index);
    const Stage& build = recipe.stages.back();
    CHECK(build.name == "build-system");
    CHECK(!build.last);
    CHECK(std::get<PipInstall>(build.steps[0]).requirements.size() == 2);
}

TEST_CASE("the source of a package is used whose marker matches that of the requirement") {
    const Recipe recipe = project(R"(
[project]
dependencies = ["torch==2.7.1+cu128; platform_machine != 'aarch64'", "torchvision; sys_platform == 'win32'"]
[project.optional-dependencies]
arm = ["torch==2.7.1; sys_platform == 'linux' and platform_machine == 'aarch64'"]
[tool.uv.sources]
torch = [
  { index = "cuda", marker = "sys_platform != 'linux' or platform_machine != 'aarch64'" },
  { index = "pypi", marker = "sys_platform == 'linux' and platform_machine == 'aarch64'" },
]
torchvision = [
  { index = "cuda", marker = "sys_platform == 'win32'" },
  { index = "pypi", marker = "sys_platform == 'linux'" },
]
[[tool.uv.index]]
name = "pypi"
url = "https://pypi.org/simple"
[[tool.uv.index]]
name = "cuda"
url = "https://download.pytorch.org/whl/cu128"
explicit = true
)");
    const PipInstall& always = stage(recipe, "project");
    CHECK(of(always, "torch").index.text == "https://download.pytorch.org/whl/cu128");
    CHECK(of(always, "torchvision").index.text == "https://download.pytorch.org/whl/cu128");
    const PipInstall& arm = stage(recipe, "arm");
    REQUIRE(arm.requirements.size() == 3);
    CHECK(arm.requirements[2].index.text == "https://pypi.org/simple");
}

TEST_CASE("poetry's dependencies, sources, groups and extras") {
    const Recipe recipe = project(R"(
[tool.poetry.dependencies]
python = "^3.10"
numpy = "^1.26"
torch = {version = "2.1.2+cu121", source = "pytorch", platform = "linux"}
cupy-cuda12x = {version = "*", optional = true}
flash-attn = {url = "https://x/flash_attn-2.5.0+cu122torch2.1-cp310-cp310-linux_x86_64.whl"}
jax = [{version = "0.4.1", python = "<3.11"}, {version = "0.4.30", python = ">=3.11", extras = ["cuda12"]}]
[tool.poetry.extras]
gpu = ["cupy-cuda12x"]
[tool.poetry.group.dev.dependencies]
pytest = "*"
[[tool.poetry.source]]
name = "pytorch"
url = "https://download.pytorch.org/whl/cu121"
priority = "explicit"
[[tool.poetry.source]]
name = "mirror"
url = "https://mirror/simple"
priority = "supplemental"
)");
    const PipInstall& always = stage(recipe, "project");
    CHECK(always.tool == "poetry");
    CHECK(of(always, "numpy").specifier == ">=1.26,<2");
    CHECK(of(always, "torch").specifier == "==2.1.2+cu121");
    CHECK(of(always, "torch").index.text == "https://download.pytorch.org/whl/cu121");
    CHECK(of(always, "torch").marker == "sys_platform == 'linux'");
    CHECK(of(always, "flash-attn").specifier == "==2.5.0+cu122torch2.1");
    CHECK(always.requirements.size() == 5);
    CHECK(of(always, "jax").marker == "python_version < '3.11'");
    REQUIRE(always.extra_indexes.size() == 1);
    CHECK(!always.index);
    CHECK(stage(recipe, "gpu").requirements.size() == 6);
    CHECK(of(stage(recipe, "dev"), "pytest").specifier.empty());
}

TEST_CASE("pdm and hatch") {
    const Recipe pdm = project(
        "[project]\ndependencies=['torch']\n[tool.pdm.dev-dependencies]\ntest=['pytest']\n"
        "[[tool.pdm.source]]\nname='pypi'\nurl='https://m/"
        "simple'\n[[tool.pdm.source]]\ntype='find_links'\nurl='https://f'\n");
    CHECK(stage(pdm, "test").requirements.size() == 2);
    CHECK(stage(pdm, "project").index.text == "https://m/simple");
    CHECK(stage(pdm, "project").find_links.at(0).text == "https://f");
    const Recipe hatch = project("[tool.hatch.envs.gpu]\ndependencies=['torch==2.1']\n");
    CHECK(stage(hatch, "hatch gpu").requirements.size() == 1);
    CHECK(project("[project]\nname='x'\n").stages.empty());
    CHECK(project("[project\n").problems.size() == 1);
    CHECK(project("project = 1\n[tool]\nuv = 2\npoetry = []\n").stages.empty());
}

TEST_CASE("a command that installs the project installs its dependencies") {
    const Files files{{"pyproject.toml", k_uv},
                      {"uv.lock",
                       "version = 1\n[[package]]\nname = \"my-app\"\nsource = { virtual = \".\" }\n"
                       "[[package]]\nname = \"numpy\"\nversion = \"1.26.4\"\nsource = { registry = "
                       "\"https://pypi.org/simple\" }\n"
                       "[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n[[package]]\nname = "
                       "\"torch\"\nversion = \"2.6.0+cu124\"\n"}};
    const auto sync = only<PipInstall>({"uv", "sync", "--extra", "gpu"}, files);
    CHECK(of(sync, "numpy").specifier == "==1.26.4");
    CHECK(of(sync, "torch").specifier == "==2.6.0");
    CHECK(of(sync, "cupy-cuda12x").specifier.empty());
    CHECK(sync.index.text == "https://mirror/simple");
    const auto pip = only<PipInstall>({"pip", "install", "-e", ".[gpu]"}, files);
    CHECK(pip.requirements.size() == 3);
    CHECK(of(pip, "numpy").specifier.empty());
    CHECK(only<PipInstall>({"pip", "install", "./sub"},
                           {{"sub/pyproject.toml", "[project]\ndependencies=['torch']"}})
              .requirements.size() == 1);
    CHECK(only<PipInstall>({"pip", "install", "."}, {}).requirements.empty());
    CHECK(only<PipInstall>({"pip", "install", "--no-deps", "-e", ".[gpu]", "h5py"}, files)
              .requirements.size() == 1);
}

TEST_CASE("a command that installs only groups installs nothing that the project requires") {
    const Files files{{"pyproject.toml",
                       "[project]\nname = 'a'\ndependencies = ['torch']\n[dependency-groups]\n"
                       "dev = ['ruff']\ndocs = ['mkdocs', 'mike']\n"}};
    const auto count = [&](std::initializer_list<std::string> command) {
        return only<PipInstall>(command, files).requirements.size();
    };
    CHECK(count({"uv", "sync", "--only-group", "dev", "--only-group", "docs"}) == 3);
    CHECK(count({"uv", "sync", "--only-dev"}) == 1);
    CHECK(count({"uv", "sync", "--group", "docs"}) == 4);
    CHECK(count({"uv", "sync", "--no-default-groups"}) == 1);
    CHECK(count({"poetry", "install", "--only", "docs"}) == 2);
    CHECK(count({"poetry", "install", "--only", "main,docs"}) == 3);
    CHECK(count({"pdm", "install", "-G", "docs", "--no-default"}) == 2);
}

TEST_CASE("a command that installs a project of setuptools installs what setup.py and setup.cfg require") {
    Files files{{"setup.py",
                 "GPU = ['cupy-cuda12x']\nsetup(install_requires=['torch==2.6.0'],\n"
                 "      extras_require={'gpu': GPU, 'dev': ['pytest']})\n"},
                {"setup.cfg", "[options]\ninstall_requires =\n  numpy\n"}};
    const auto count = [&] {
        return only<PipInstall>({"pip", "install", "-e", ".[gpu]"}, files).requirements.size();
    };
    CHECK(count() == 3);
    files.emplace("pyproject.toml", "[build-system]\nrequires = ['setuptools']\n");
    CHECK(count() == 3);
    files["pyproject.toml"] = "[project]\nname = 'a'\ndynamic = ['version', 'dependencies']\n";
    CHECK(count() == 3);
    files["pyproject.toml"] = "[project]\nname = 'a'\ndependencies = ['jax']\n";
    CHECK(count() == 1);
    files["pyproject.toml"] = "[tool.poetry.dependencies]\njax = '0.4.30'\n";
    CHECK(count() == 1);
}

TEST_CASE("packages of a lock file that only extras or groups bring may exclude each other") {
    const auto fixed = [](const char* file, const std::string& text) {
        std::string names;
        const Recipe recipe = read_lock_file(file, text);
        for (const WrittenRequirement& one :
             std::get<PipInstall>(recipe.stages.at(0).steps.at(0)).requirements)
            if (one.whole.fixed) names += (names.empty() ? "" : " ") + one.name;
        return names;
    };
    const auto package = [](const std::string& name, const std::string& more) {
        return "[[package]]\nname = \"" + name + "\"\nversion = \"1\"\n" + more;
    };
    CHECK(fixed("uv.lock", package("app",
                                   "source = { editable = \".\" }\ndependencies = [{ name = \"jax\", "
                                   "extra = [\"cuda\"] }]\n[package.optional-dependencies]\n"
                                   "cpu = [{ name = \"engine\" }]\n") +
                               package("jax",
                                       "[package.optional-dependencies]\ncuda = [{ name = \"plugin\" }]\n"
                                       "tpu = [{ name = \"libtpu\" }]\n") +
                               package("plugin", "") + package("libtpu", "") + package("engine", "")) ==
          "jax plugin");
    CHECK(fixed("poetry.lock", package("a", "optional = true\n") + package("b", "optional = false\n")) ==
          "b");
    CHECK(fixed("pdm.lock", package("a", "groups = [\"gpu\"]\n") +
                                package("b", "groups = [\"default\", \"gpu\"]\n")) == "b");
}

TEST_CASE("lock files of Python") {
    const Recipe uv =
        read_lock_file("uv.lock",
                       "version = 1\nrequires-python = \">=3.10\"\n[[package]]\nname = \"torch\"\nversion = "
                       "\"2.6.0+cu124\"\n"
                       "source = { registry = \"https://download.pytorch.org/whl/cu124\" }\n"
                       "[[package]]\nname = \"app\"\nversion = \"0.1\"\nsource = { editable = \".\" }\n");
    const auto& install = std::get<PipInstall>(uv.stages.at(0).steps.at(0));
    REQUIRE(install.requirements.size() == 1);
    CHECK(install.requirements[0].specifier == "==2.6.0+cu124");
    CHECK(install.requirements[0].index.text == "https://download.pytorch.org/whl/cu124");
    CHECK(install.requirements[0].whole.line == 5);
    CHECK(install.requirements[0].whole.fixed);
    const Recipe poetry =
        read_lock_file("poetry.lock",
                       "[[package]]\nname = \"Torch\"\nversion = \"2.1.2+cu121\"\n[package.source]\ntype = "
                       "\"legacy\"\nurl = \"https://d/cu121\"\nreference = \"p\"\n"
                       "[[package]]\nname = \"a\"\nversion = \"1\"\n[[package]]\nname = \"a\"\nversion = "
                       "\"2\"\n[package.source]\ntype = \"git\"\nurl = \"https://g\"\n");
    const auto& locked = std::get<PipInstall>(poetry.stages.at(0).steps.at(0));
    REQUIRE(locked.requirements.size() == 3);
    CHECK(locked.requirements[0].index.text == "https://d/cu121");
    CHECK(!locked.requirements[1].whole.fixed);
    CHECK(locked.requirements[2].url.text == "https://g");
    CHECK(read_lock_file("uv.lock", "<<<<<<< HEAD\n").problems.size() == 1);
}

TEST_CASE("uv locks again what pyproject.toml has changed") {
    const std::string lock =
        "version = 1\n[[package]]\nname = 'app'\nversion = '1'\nsource = { virtual = '.' }\n"
        "dependencies = [{ name = 'torch' }, { name = 'numpy' }]\n[[package]]\nname = 'torch'\nversion = "
        "'2.4.0'\ndependencies = [{ name = 'triton' }]\n[[package]]\nname = 'triton'\nversion = '3.0.0'\n"
        "[[package]]\nname = 'numpy'\nversion = '1.26.4'\n";
    const auto project = [](const std::string& torch) {
        return "[project]\nname = 'app'\ndependencies = ['torch" + torch + "', 'numpy']\n";
    };
    const auto locked = [&](const std::string& torch) {
        const Files files{{"pyproject.toml", project(torch)}};
        const Recipe recipe = read_lock_file("uv.lock", lock, reader_of(files));
        std::string names;
        for (const auto& one : std::get<PipInstall>(recipe.stages.at(0).steps.at(0)).requirements)
            names += one.name + " ";
        return names;
    };
    CHECK(locked("==2.4.0") == "torch triton numpy ");
    CHECK(locked("==2.5.1") == "numpy ");
    const auto synced = [&](const std::vector<std::string>& command, const std::string& torch) {
        const Files files{{"pyproject.toml", project(torch)}, {"uv.lock", lock}};
        return only<PipInstall>(command, files).requirements.at(0).specifier;
    };
    CHECK(synced({"uv", "sync"}, ">=2.4") == "==2.4.0");
    CHECK(synced({"uv", "sync"}, "==2.5.1") == "==2.5.1");
    CHECK(synced({"uv", "sync", "--frozen"}, "==2.5.1") == "==2.4.0");
}

TEST_CASE("groups that include each other end") {
    std::string text = "[dependency-groups]\n";
    for (int i = 0; i < 30; ++i) {
        text += "g" + std::to_string(i) + " = [";
        for (int k = 0; k < 30; ++k) text += "{include-group = 'g" + std::to_string(k) + "'}, ";
        text += "'a" + std::to_string(i) + "']\n";
    }
    CHECK(stage(project(text), "g0").requirements.size() == 30);
}

TEST_CASE("sources of uv for what the project does not require itself") {
    const std::string index = R"(
[[tool.uv.index]]
name = "cpu"
url = "https://download.pytorch.org/whl/cpu"
)";
    const std::string direct =
        "[project]\nname = \"a\"\ndynamic = [\"version\"]\ndependencies = [\"docling\", \"torch\"]\n";
    const std::string sources =
        "[tool.uv.sources]\ntorch = {index = \"cpu\"}\nTorchVision = [{index = \"cpu\", marker = "
        "\"sys_platform == 'linux'\"}]\n";
    const auto ignored = [&](const std::string& text) {
        std::string names;
        const Recipe recipe = project(text);
        for (const IgnoredSource& one : std::get<PipInstall>(recipe.stages.at(0).steps.at(0)).ignored_sources)
            names += one.package + " " + one.index;
        return names;
    };
    const std::string only_named = index + "explicit = true\n";
    CHECK(ignored(direct + sources + only_named) == "torchvision https://download.pytorch.org/whl/cpu");
    CHECK(ignored(direct + sources + index) == "");  // uv searches it before PyPI
    CHECK(ignored(direct + "[dependency-groups]\nvision = [\"torchvision\"]\n" + sources + only_named) == "");
    CHECK(ignored(direct + "[tool.uv]\noverride-dependencies = [\"torchvision\"]\n" + sources + only_named) ==
          "");
    CHECK(ignored(direct + "[tool.uv.workspace]\nmembers = [\"b\"]\n" + sources + only_named) == "");
    CHECK(ignored("[project]\nname = \"a\"\ndynamic = [\"dependencies\"]\n[dependency-groups]\ndev = "
                  "[\"torch\"]\n" +
                  sources + only_named) == "");
}
