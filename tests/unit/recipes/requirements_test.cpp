// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/requirements.hpp"

#include "python/specifier.hpp"
#include "recipe_words.hpp"
#include "recipes/find/find.hpp"
#include "recipes/installers/match_spec.hpp"
#include "recipes/installers/poetry.hpp"

using namespace ptxguard::recipes;
using ptxguard::trouble_of;

namespace {

WrittenRequirement requirement(const std::string& text) { return read_requirement({text, "r.txt", 1, 1}); }

struct ReadFrom {
    PipInstall install;
    Problems problems;
};
ReadFrom read_all(const Files& files, const std::string& name = "r.txt", const char* tool = "pip") {
    ReadFrom result;
    result.install.tool = tool;
    const Inherited inherited(result.problems);
    read_requirements(name, {name, files.at(name)}, false, reader_of(files), inherited, result.install);
    return result;
}

}  // namespace

TEST_CASE("a variable that the end of the file cuts off stays as it is written") {
    for (const char* text : {"torch==${", "torch==${CUDA", "${"}) {
        CAPTURE(text);
        CHECK_NOTHROW(read_all({{"r.txt", text}}));
    }
}

TEST_CASE("the forms of PEP 508") {
    CHECK(requirement("Torch_Vision").name == "torch-vision");
    CHECK(requirement("torch == 2.1.0 , <3").specifier == "==2.1.0,<3");
    CHECK(requirement("torch (>=2)").specifier == ">=2");
    const WrittenRequirement jax = requirement("jax[cuda12, k8s]>=0.4 ; python_version<'3.13'");
    CHECK(jax.extras == std::vector<std::string>{"cuda12", "k8s"});
    CHECK(jax.specifier == ">=0.4");
    CHECK(jax.marker == "python_version<'3.13'");
    const WrittenRequirement url = requirement(
        "torch @ https://d/whl/cu118/torch-2.0.0%2Bcu118-cp310-cp310-linux_x86_64.whl ; os_name == 'posix'");
    CHECK(url.name == "torch");
    CHECK(url.specifier == "==2.0.0+cu118");
    CHECK(url.url.column == 9);
    CHECK(url.marker == "os_name == 'posix'");
    const WrittenRequirement wheel = requirement(
        "https://d/flash_attn-2.6.3+cu123torch2.4cxx11abiFALSE-cp310-cp310-linux_x86_64.whl#sha256=1");
    CHECK(wheel.name == "flash-attn");
    CHECK(wheel.specifier == "==2.6.3+cu123torch2.4cxx11abiFALSE");
    CHECK(requirement("./dist/apex-0.1.tar.gz").name == "apex");
    const WrittenRequirement git = requirement("git+https://g/x/detectron2.git@v0.6#egg=detectron2");
    CHECK(git.name == "detectron2");
    CHECK(git.specifier.empty());
    CHECK(requirement("git+https://g/x/y.git").name.empty());
    CHECK(requirement("/wheels/*.whl").name.empty());
    CHECK(requirement("").name.empty());
    CHECK(requirement("[").name.empty());
    CHECK(requirement("a[").name == "a");
    CHECK(is_project("."));
    CHECK(is_project(".[gpu]"));
    CHECK(is_project("./csrc"));
    CHECK(!is_project("torch"));
    CHECK(!is_project("torch[a/b]"));
    CHECK(!is_project("git+https://x/y"));
}

TEST_CASE("a requirements file as pip reads it") {
    const ReadFrom read = read_all(
        {{"r.txt",
          "\xEF\xBB\xBF--index-url 'https://first'\r\n--extra-index-url https://dropped\r\n"
          "-i https://last  # comment\r\n--extra-index-url=https://kept\r\n-e ./a\r\n-e "
          "git+https://x#egg=b\r\n"
          "torch==2.1 --config-settings x=y\r\n# torch==3 \\\r\nnumpy # torch\r\nscipy#1\r\n-e .\r\n"}});
    CHECK(read.install.index.text == "https://last");
    REQUIRE(read.install.extra_indexes.size() == 1);
    CHECK(read.install.extra_indexes[0].text == "https://kept");
    REQUIRE(read.install.requirements.size() == 4);
    CHECK(read.install.requirements[0].name == "b");
    CHECK(read.install.requirements[1].specifier == "==2.1");
    CHECK(read.install.requirements[1].whole.line == 7);
    CHECK(read.install.requirements[2].name == "numpy");
    CHECK(read.install.projects.size() == 2);
    CHECK(read.problems.empty());
    // uv keeps both.
    CHECK(read_all({{"r.txt", "--extra-index-url https://a\n-i https://b\n"}}, "r.txt", "uv")
              .install.extra_indexes.size() == 1);
}

TEST_CASE("variables in a requirements file") {
    PipInstall install;
    const Written value{"cu124", "Dockerfile", 1, 1};
    Problems problems;
    Inherited inherited(problems);
    inherited.variables = [&](std::string_view name) { return name == "CUDA" ? &value : nullptr; };
    read_requirements("r.txt", {"r.txt", "-f https://x/${CUDA}/${CUDA}\ntorch==${NO}\n$CUDA\n${cuda}\n"},
                      false, {}, inherited, install);
    CHECK(install.find_links.at(0).text == "https://x/cu124/cu124");
    CHECK(install.requirements.at(0).whole.known == false);
    CHECK(install.requirements.at(1).whole.text == "$CUDA");
    CHECK(install.requirements.at(1).whole.known);
}

TEST_CASE("files that include each other end") {
    const ReadFrom cycle =
        read_all({{"r.txt", "-r a/b.txt\n"}, {"a/b.txt", "-r ../r.txt\n-r gone.txt\nnumpy\n"}});
    REQUIRE(cycle.problems.size() == 2);
    CHECK(cycle.problems[0].at.file == "a/b.txt");
    CHECK(cycle.problems[0].at.line == 1);
    CHECK(cycle.problems[1].at.line == 2);
    CHECK(cycle.install.requirements.size() == 1);
    // 2 to the power of 40 ways through.
    Files many;
    for (int i = 0; i < 40; ++i) {
        const std::string next = "-r " + std::to_string(i + 1) + "\n";
        many[std::to_string(i)] = next + next;
    }
    many["40"] = "numpy\n";
    CHECK(!read_all(many, "0").problems.empty());
    const std::string longest(10u << 20, 'a');
    CHECK(
        read_all({{"r.txt", longest + "\n" + longest + "==1 \\\n" + longest}}).install.requirements.size() ==
        2);
}

TEST_CASE("a requirements file that no other file includes") {
    const Recipe recipe =
        read_requirements_recipe("docker/r.txt", "torch==2.1\n-r b.txt\n", reader_of({{"b.txt", "numpy\n"}}));
    REQUIRE(recipe.stages.size() == 1);
    const auto& install = std::get<PipInstall>(recipe.stages[0].steps.at(0));
    CHECK(install.requirements.size() == 2);
    CHECK(install.requirements[0].whole.file == "docker/r.txt");
    const Recipe limits = read_requirements_recipe("constraints-cu121.txt", "torch==2.1\n", {});
    CHECK(std::get<PipInstall>(limits.stages[0].steps.at(0)).constraints.size() == 1);
}

TEST_CASE("poetry's constraints as specifiers") {
    CHECK(poetry_specifier("^2.1.2") == ">=2.1.2,<3");
    CHECK(poetry_specifier("^0.2.3") == ">=0.2.3,<0.3");
    CHECK(poetry_specifier("^0.0.3") == ">=0.0.3,<0.0.4");
    CHECK(poetry_specifier("~2.1.2") == ">=2.1.2,<2.2");
    CHECK(poetry_specifier("~2") == ">=2,<3");
    CHECK(poetry_specifier("~=2.1") == "~=2.1");
    CHECK(poetry_specifier("2.1.0") == "==2.1.0");
    CHECK(poetry_specifier("2.1.*") == "==2.1.*");
    CHECK(poetry_specifier("2.0.0+cu118") == "==2.0.0+cu118");
    CHECK(poetry_specifier(">= 2, < 3") == ">=2,<3");
    CHECK(poetry_specifier("*") == "");
    CHECK(poetry_specifier("^1.2 || ^2.0") == ">=1.2,<3");
    CHECK(poetry_specifier("^1.2 || >2") == "");
}

TEST_CASE("conda's package specs") {
    const auto spec = [](const char* text) { return read_match_spec({text, "environment.yml", 1, 1}); };
    CHECK(spec("PyTorch").name == "pytorch");
    CHECK(spec("pytorch=2.1").version == "2.1.*");
    CHECK(spec("pytorch=2.1.*").version == "2.1.*");
    CHECK(spec("pytorch==2.1.0").version == "2.1.0");
    CHECK(spec("pytorch 2.1.0").version == "2.1.0");
    CHECK(spec("pytorch 2.1.0 =py3*").build == "py3*");
    CHECK(spec("pytorch 2.1.0 py3*").build == "py3*");
    CHECK(spec("pytorch 2.1.0 *").build.empty());
    CHECK(spec("pytorch *").version.empty());
    CHECK(spec("pytorch>=2.1, <3").version == ">=2.1,<3");
    CHECK(spec("pytorch >=2.1,<3").version == ">=2.1,<3");
    const CondaSpec built = spec("conda-forge::pytorch=2.1.0=*cuda12*");
    CHECK(built.channel == "conda-forge");
    CHECK(built.version == "2.1.0");
    CHECK(built.build == "*cuda12*");
    CHECK(spec("pytorch 2.1.* cuda121*").build == "cuda121*");
    CHECK(spec("pytorch=*=cuda*").version == "");
    CHECK(spec("pytorch=*=cuda*").build == "cuda*");
    const CondaSpec brackets = spec("pytorch[version='>=2,<3', build=\"*cuda*\", channel=pytorch]");
    CHECK(brackets.version == ">=2,<3");
    CHECK(brackets.build == "*cuda*");
    CHECK(brackets.channel == "pytorch");
    CHECK(spec("cuda-version 12.4").version == "12.4");
    CHECK(spec("python=3.10 # why").version == "3.10.*");
    CHECK(spec("=").name == "");
    CHECK(spec("").name == "");
}

TEST_CASE("an index behind a requirement: pip ignores it, uv refuses the line") {
    for (const char* marker : {"", "; python_version > '3'"}) {
        CAPTURE(marker);
        const std::string line =
            "torch==2.5.1" + std::string(marker) + " --index-url https://download.pytorch.org/whl/cu121\n";
        const Recipe recipe = read_recipe({"requirements.txt", RecipeKind::requirements}, line, {});
        const auto& install = std::get<PipInstall>(recipe.stages.at(0).steps.at(0));
        CHECK(install.requirements.at(0).specifier == "==2.5.1");
        CHECK(install.requirements.at(0).marker.find("--") == std::string::npos);
        CHECK(!install.index);
        CHECK(read_all({{"r.txt", line}}, "r.txt", "uv")
                  .install.requirements.at(0)
                  .whole.text.find("--index-url") != std::string::npos);
    }
}

TEST_CASE("versions as PEP 440 reads them: numbers of pre-releases may be missing") {
    for (const char* good :
         {"==0.9.10dev", ">=2.0.0a", "~=2.8.0.dev", "~=2.4.0.a", "==1.0rc", "==1.0-1", "==1.0post", ">=1.0c1",
          "==1.0-rev2", "==1.0_beta", "==v1.0", "==1.0.0ALPHA", "==1!2.0", "==2.0.1+cu118", "==1.0+ubuntu-1",
          "===foo", "==1.*", "!=2.0.*,>=1"}) {
        CAPTURE(good);
        CHECK(trouble_of(good).empty());
    }
    for (const char* bad : {">=1.0x", "==", "==1.0-foo", "==1.0+", "=1.0", ">=2+cu118", "==latest",
                            "==1.9.1+cu111=pypi_0", "==a1", "==1..0", "==1.0."}) {
        CAPTURE(bad);
        CHECK_FALSE(trouble_of(bad).empty());
    }
}
