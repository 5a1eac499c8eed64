// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pipfile.hpp"

#include "recipe_words.hpp"

using namespace ptxguard::recipes;

namespace {

PipInstall install_of(const Recipe& recipe) {
    CHECK(recipe.problems.empty());
    REQUIRE(recipe.stages.size() == 1);
    const auto installs = all<PipInstall>(recipe.stages.front());
    REQUIRE(installs.size() == 1);
    return installs.front();
}

// "torch==2.0.0 index URL"
std::string shown_pipfile(const WrittenRequirement& one) {
    return one.name + one.specifier + (one.index ? " index " + one.index.text : "") +
           (one.marker.empty() ? "" : "; " + one.marker);
}

}  // namespace

TEST_CASE("Pipfile: a package comes from the first source, or from the one that it names") {
    const Recipe recipe = read_pipfile("Pipfile", R"([[source]]
url = "https://pypi.org/simple"
name = "pypi"
[[source]]
url = "https://download.pytorch.org/whl/cu118"
name = "pytorch"
[packages]
torch = {version = "==2.0.0+cu121", index = "pytorch", sys_platform = "== 'linux'"}
numpy = "*"
tool = {git = "https://example.org/tool.git"}
[dev-packages]
jax = ">=0.4"
[requires]
python_version = "3.10"
)");
    const PipInstall install = install_of(recipe);
    CHECK(install.index.text == "https://pypi.org/simple");
    CHECK(recipe.stages.front().python == "3.10");
    REQUIRE(install.requirements.size() == 4);
    CHECK(shown_pipfile(install.requirements[0]) ==
          "torch==2.0.0+cu121 index https://download.pytorch.org/whl/cu118; sys_platform == 'linux'");
    CHECK(install.requirements[0].whole.line == 8);
    CHECK(install.requirements[0].whole.column == 21);
    CHECK(shown_pipfile(install.requirements[1]) == "numpy");
    CHECK(install.requirements[2].url.text == "https://example.org/tool.git");
    CHECK(shown_pipfile(install.requirements[3]) == "jax>=0.4");
    CHECK(read_pipfile("Pipfile", "[packages\n").problems.size() == 1);
}

TEST_CASE("Pipfile.lock: what it pins") {
    const PipInstall install = install_of(read_pipfile_lock("Pipfile.lock", R"({
  "_meta": {"requires": {"python_version": "3.11"},
            "sources": [{"name": "pypi", "url": "https://pypi.org/simple"},
                        {"name": "t", "url": "https://download.pytorch.org/whl/cu118"}]},
  "default": {"torch": {"version": "==2.0.0+cu121", "index": "t", "hashes": ["sha256:0"]}},
  "develop": {}
})"));
    REQUIRE(install.requirements.size() == 1);
    CHECK(shown_pipfile(install.requirements[0]) ==
          "torch==2.0.0+cu121 index https://download.pytorch.org/whl/cu118");
    CHECK(read_pipfile_lock("Pipfile.lock", "{").problems.size() == 1);
}
