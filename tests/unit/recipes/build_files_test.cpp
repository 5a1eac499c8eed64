// Images and toolkits that other files choose: bake files, justfiles, Makefiles, containers that a command
// starts. Each class with a neighbour that must stay silent.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"
#include "recipes/containers/bake.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

const std::string k_dockerfile = "ARG BASE\nFROM ${BASE}\nARG ARCHS\nRUN nvcc -arch=sm_${ARCHS} -c a.cu\n";

}  // namespace

TEST_CASE("a target of a bake file builds its Dockerfile with its arguments") {
    const auto codes = [](const std::string& cuda, const std::string& arch) {
        return codes_in(
            "docker-bake.hcl",
            "variable \"CUDA\" { default = \"" + cuda +
                "\" } // why\n/* b\n */\n"
                "target \"_base\" {\n  dockerfile = \"docker/Dockerfile\"\n"
                "  args = {\n    BASE = \"nvidia/cuda:${CUDA}-devel-ubuntu22.04\"\n    ARCHS = \"" +
                arch + "\"\n  }\n}\ntarget \"app\" {\n  inherits = [\"_base\"]\n}\n",
            {{"docker/Dockerfile", k_dockerfile}});
    };
    CHECK(codes("12.4.1", "120") == Codes{"error CC203"});
    CHECK(codes("12.8.1", "120").empty());
    const auto rows = [](const std::string& cuda) {
        return codes_in(
            "docker-bake.hcl",
            "target \"app\" {\n  name = \"app-${c}\"\n  matrix = { c = [\"12.8.1\", \"" + cuda +
                "\"] }\n  args = { BASE = \"nvidia/cuda:${c}-devel-ubuntu22.04\", ARCHS = 120 }\n}\n",
            {{"Dockerfile", k_dockerfile}});
    };
    CHECK(rows("12.6.3") == Codes{"error CC203"});
    CHECK(rows("12.9.1").empty());
}

TEST_CASE("a word in a list of a bake file is no target") {
    const Recipe recipe = read_bake_file("docker-bake.hcl",
                                         "group \"default\" {\n  targets = [\"target\", \"app\"]\n}\n"
                                         "target \"app\" {\n  dockerfile = \"d\"\n}\n");
    REQUIRE(recipe.stages.size() == 1);
    CHECK(recipe.stages[0].name == "target app");
}

TEST_CASE("lists in a bake file are read up to 30 blocks in each other, their target included") {
    const auto problems = [](std::size_t depth) {
        const std::string text = "target \"a\" {\n  x = " + std::string(depth, '[') +
                                 std::string(depth, ']') + "\n  dockerfile = \"d\"\n}\n";
        const Recipe recipe = read_bake_file("docker-bake.hcl", text);
        return recipe.problems.size();
    };
    CHECK(problems(29) == 0);
    CHECK(problems(30) == 1);
}

TEST_CASE("recipes of a justfile") {
    const auto codes = [](const std::string& distro, const std::string& cuda) {
        return codes_in("justfile",
                        "cuda := \"" + cuda + "\"\nimage := \"nvidia/cuda:\" + cuda + \"-devel-" + distro +
                            "\"\n\nbuild arch=\"90\":\n    @docker build --build-arg BASE={{image}} "
                            "--build-arg ARCHS={{ arch }} .\n",
                        {{"Dockerfile", k_dockerfile}});
    };
    CHECK(codes("ubuntu24.04", "12.1.0") == Codes{"warning CC108", "warning CC616", "warning CC616"});
    CHECK(codes("ubuntu24.04", "12.6.3").empty());
    CHECK(codes("ubuntu20.04", "11.4.3") == Codes{"warning CC203"});
}

TEST_CASE("nvcc in a container that a command starts is that of its image") {
    const auto codes = [](const std::string& cuda) {
        return codes_in("Makefile",
                        "CUDA := " + cuda +
                            "\nIMAGE := nvidia/cuda:$(CUDA)-devel-ubuntu20.04\na:\n"
                            "\tdocker run --rm -v $(CURDIR):/src -w /src $(IMAGE) nvcc -arch=sm_90 a.cu\n");
    };
    CHECK(codes("11.4.3") == Codes{"error CC203"});
    CHECK(codes("11.8.0").empty());
    CHECK(codes_in("run.sh", "docker exec builder nvcc -arch=sm_90 a.cu\n").empty());
    CHECK(codes_in("run.sh",
                   "singularity exec --nv docker://nvidia/cuda:11.4.3-devel-ubuntu20.04 "
                   "nvcc -arch=sm_90 a.cu\n") == Codes{"error CC203"});
}

TEST_CASE("files of a build that sed changes before it") {
    const Files files{{"Makefile", "ARCH = sm_70\nall:\n\tnvcc -arch=$(ARCH) -o a a.cu\n"},
                      {"sub/Makefile", "ARCH = sm_90\nall:\n\tnvcc -arch=$(ARCH) -o a a.cu\n"},
                      {"setup.py",
                       "ext = CUDAExtension('a', ['a.cu'], extra_compile_args={'nvcc': ['-arch=sm_70']})\n"
                       "setup(ext_modules=[ext])\n"},
                      {"CMakeLists.txt",
                       "project(a LANGUAGES CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 70)\n"
                       "add_library(a a.cu)\n"},
                      {"build.sh", "nvcc -arch=sm_70 -o a a.cu\n"}};
    const auto codes = [&](const std::string& commands) {
        return codes_in(
            "Dockerfile",
            "FROM nvidia/cuda:13.0.1-devel-ubuntu24.04\nCOPY . /src\nWORKDIR /src\nRUN " + commands + "\n",
            files);
    };
    const auto has = [&](const std::string& commands) { return !codes(commands).empty(); };
    for (const std::string build : {"Makefile && make", "CMakeLists.txt && cmake -B build .",
                                    "build.sh && bash build.sh", "setup.py && python3 setup.py install"}) {
        CAPTURE(build);
        CHECK(has("ls " + build));
        CHECK_FALSE(has("sed -i -e 's/70/90/g' " + build));
        CHECK(has("sed -i 's/never/90/' " + build));
        CHECK_FALSE(has("sed -i \"/70/a $(nvcc --list-gpu-arch)\" " + build));
        CHECK_FALSE(has("sed -i 's/70/90/' ./" + build));
        CHECK(has("cd /src && sed -i 's/90/70/' sub/Makefile && ls " + build));
    }
    CHECK_FALSE(has("make -C sub"));
    CHECK(has("sed -i 's/90/70/' sub/Makefile && make -C sub"));
    CHECK(has("sed -i 's/90/70/' sub/Makefile\nRUN cd sub && make"));
}

TEST_CASE("make runs what a goal needs, with the values of its command") {
    const auto codes = [](const std::string& pair) {
        return codes_in(".github/workflows/ci.yml",
                        "on: push\njobs:\n  a:\n    runs-on: ubuntu-22.04\n    steps:\n"
                        "      - run: echo \"TORCH='torch==2.3.0 torchvision==" +
                            pair +
                            " -f https://download.pytorch.org/whl/cu121'\" >> $GITHUB_ENV\n"
                            "      - run: make push TORCH_ARGS=\"$TORCH\"\n",
                        {{"Makefile",
                          "TORCH_ARGS = x\npush: image\n\ttrue\nimage:\n"
                          "\tdocker build --build-arg TORCH=$(TORCH_ARGS) .\n"},
                         {"Dockerfile", "FROM python:3.11\nARG TORCH\nRUN pip install ${TORCH}\n"}});
    };
    CHECK(codes("0.17.0") == Codes{"error CC612"});
    CHECK(codes("0.18.0").empty());
}

TEST_CASE("text of a Makefile that is not one for its shell") {
    const auto problems = [](const std::string& text, const Files& files = {}) {
        std::string all;
        for (const Problem& one :
             read_recipe({"Makefile", *recipe_kind("Makefile")}, text, reader_of(files)).problems)
            all += one.at.file + ":" + std::to_string(one.at.line) + " ";
        return all;
    };
    // "\\#" begins no comment, nor does what is in a reference.
    CHECK(problems("V := $(shell awk '/\\#define A/ { print $$3 }' a.h)\nW := $(shell grep '#b' c)\n"
                   "all:\n\tpip install a-$(V) b-$(W)\n") == "");
    CHECK(problems("V := 'a # $(X)\nall:\n\tpip install $(V)\n") == "Makefile:3 ");
    // The arguments of a function of make are not the shell's.
    CHECK(problems("print-%:\n\t@echo nvcc '$(subst ','\"'\"',$(value $*))'\n") == "");
    // Directives behind a tab, below a rule in a condition.
    CHECK(problems("ifdef A\na.o: a.cu\n\tnvcc -c a.cu\nendif\nifdef B\n\tifeq ($(wildcard /x),)\n"
                   "\t\tC = install\n\telse\n\t\tC = d\n\tendif\nendif\n") == "");
    // Of an included file: once, at its line there.
    const Files rules{{"rules.mk", "\nb:\n\tpip install 'a\n"}};
    CHECK(problems("include rules.mk\n", rules) == "rules.mk:3 ");
}

TEST_CASE("flags of a build.rs, which cargo runs") {
    const auto codes = [](const std::string& arch) {
        return codes_in(
            "Dockerfile",
            "FROM nvidia/cuda:13.0.0-devel-ubuntu22.04\nWORKDIR /s\nCOPY . .\n"
            "RUN cargo build --release\n",
            {{"build.rs", "fn main() {\n    cc::Build::new().cuda(true)\n        .flag(\"-arch=sm_" + arch +
                              "\").compile(\"k\");\n}\n"}});
    };
    CHECK(codes("50") == Codes{"error CC203"});
    CHECK(codes("75").empty());
}

TEST_CASE("a compiler that a CMake project is given") {
    const auto codes = [](const std::string& gcc, const std::string& more = "") {
        return codes_in("Dockerfile",
                        "FROM nvidia/cuda:12.6.3-devel-ubuntu24.04\nRUN apt-get update && apt-get install -y "
                        "cmake g++-" +
                            gcc + "\nENV CUDAHOSTCXX=g++-" + gcc + "\nWORKDIR /s\nCOPY . .\n" + more +
                            "RUN cmake -B /b && cmake --build /b\n",
                        {{"CMakeLists.txt",
                          "cmake_minimum_required(VERSION 3.24)\n"
                          "project(x LANGUAGES CXX CUDA)\nadd_library(x x.cu)\n"}});
    };
    CHECK(codes("14") == Codes{"warning CC108"});
    CHECK(codes("13").empty());
}

TEST_CASE("a default of a Dockerfile that cannot be pulled is a warning") {
    const auto codes = [](const std::string& cuda) {
        return codes_in(
            "Dockerfile",
            "ARG CUDA=" + cuda + "\nFROM nvidia/cuda:${CUDA}-devel-ubuntu22.04\nRUN nvcc --version\n");
    };
    CHECK(codes("11.6.1") == Codes{"warning CC616"});
    CHECK(codes("11.8.0").empty());
    CHECK(codes_in("Dockerfile", "ARG CUDA=11.1\nFROM nvidia/cuda:${CUDA}-devel-ubuntu20.04\n").empty());
}
