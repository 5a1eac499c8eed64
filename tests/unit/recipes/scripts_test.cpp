// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/scripts.hpp"

#include <doctest/doctest.h>

#include "recipe_words.hpp"
#include "recipes/builds/arch_gates.hpp"
#include "recipes/builds/arch_requests.hpp"
#include "steps.hpp"

using namespace ptxguard::recipes;

namespace {

std::string shown_script(const Recipe& recipe) {
    std::string text;
    for (const Stage& stage : recipe.stages)
        text += (stage.name.empty() ? "" : "[" + stage.name + "]\n") + lines_of_steps(stage.steps);
    for (const Recipe::Problem& problem : recipe.problems) text += "problem: " + problem.why + "\n";
    return text;
}

std::string makefile(const std::string& text) { return shown_script(read_makefile("Makefile", text, {})); }
std::string cmake(const std::string& text) { return shown_script(read_cmake_lists("CMakeLists.txt", text)); }

}  // namespace

TEST_CASE("shell and Slurm scripts; scripts of other programs are left out") {
    const auto script =
        read_script(RecipeKind::shell_script, "a.sh",
                    "\xEF\xBB\xBF#!/bin/bash\r\n#SBATCH --gres=gpu:1\r\nmodule load cuda/12.1\r\n", {});
    CHECK(script.kind == RecipeKind::slurm_script);
    CHECK(shown_script(script) == "3:1 module load cuda/12.1\n");
    CHECK(shown_script(read_script(RecipeKind::shell_script, "a.sh",
                                   "#!/usr/bin/env -S python3 -u\nimport x\n", {})) == "");
}

TEST_CASE("a Makefile's commands with its variables, one stage for each target") {
    CHECK(makefile("ARCH ?= sm_75\nFLAGS := -arch=$(ARCH)\nall: a.ptx\n%.ptx: %.cu k.h # why\n"
                   "\t@nvcc $(FLAGS) $< -o $@\n\t-echo $$HOME $^ ${UNKNOWN}\nclean:\n\trm -f *.ptx\n") ==
          "[target %.ptx]\n5:3 nvcc~ -arch=sm_75~ %.cu~ -o~ %.ptx~\n6:3 echo $HOME? %.cu k.h ${UNKNOWN}?\n"
          "[target clean]\n8:2 rm -f *.ptx\n");
    CHECK(makefile("a:\n\tnvcc \\\n\t  -ptx x.cu\n\ninclude y\nb: ; true\n") ==
          "[target a]\n2:2 nvcc -ptx x.cu\n");
    CHECK(
        makefile(
            "export TORCH_CUDA_ARCH_LIST = 8.0\nifeq ($(X),1)\nV = 1\nelse\nV = 2\nendif\na:\n\tb $(V)\n") ==
        "[target a]\n8:2 TORCH_CUDA_ARCH_LIST=8.0 b~ 2~\n");
    CHECK(makefile("A = $(B)\nB = $(A)\nx:\n\ty $(A)\n").find("4:2 y") != std::string::npos);
}

TEST_CASE("functions of make, conditions, variables of a target, included files") {
    const auto value = [](const std::string& definitions, const std::string& word) {
        const std::string all = makefile(definitions + "a:\n\tnvcc " + word + "\n");
        return all.substr(all.find("nvcc") + 4);
    };
    const std::string cuda = "CUDA := 12.4.1\n";
    CHECK(value(cuda, "cu$(subst .,,$(CUDA))") == " cu1241\n");
    CHECK(value(cuda, "$(word 1,$(subst ., ,$(CUDA))).$(word 2,$(subst ., ,$(CUDA)))") == " 12.4\n");
    CHECK(value("A := 80 90\n", "$(addprefix sm_,$(A)) $(A:%=x%) $(patsubst 8%,%,$(A))") ==
          " sm_80 sm_90 x80 x90 0 90\n");
    CHECK(value("A := 1\n", "$(if $(A),yes,no) $(strip  b  c )") == " yes b c\n");
    CHECK(value(cuda, "$(shell echo $(CUDA))") == " 12.4.1\n");
    CHECK(value(cuda, "cu$(subst .,,$(shell echo $(CUDA)))").find('?') != std::string::npos);
    CHECK(value("C = 11\nifeq ($(C),11)\nV = a\nelse ifeq ($(C),12)\nV = b\nelse\nV = c\nendif\n", "$(V)") ==
          " a\n");
    CHECK(value("C ?= 12\nifneq ($(C),11)\nV = a\nelse\nV = b\nendif\n", "$(V)") == "~ a~\n");
    CHECK(value("ifdef UNSET\nV = a\nelse\nV = b\nendif\n", "$(V)") == "~ b~\n");
    CHECK(makefile("V = x\nb: V = y\nb: W ?= z\na:\n\tnvcc $(V)\nb:\n\tnvcc $(V) $(W)\n") ==
          "[target a]\n5:2 nvcc x\n[target b]\n7:2 nvcc~ y~ z~\n");
    CHECK(makefile("define TEXT\nif x\n\tb\nendef\na:\n\tnvcc\n") == "[target a]\n6:2 nvcc\n");
    const Recipe including = read_makefile("Makefile", "include $(CURDIR)/versions.mk\na:\n\tnvcc $(CUDA)\n",
                                           reader_of({{"versions.mk", "CUDA := 12.4\n"}}));
    CHECK(shown_script(including) == "[target a]\n3:2 nvcc 12.4\n");
    CHECK(including.parts == std::vector<std::string>{"versions.mk"});
}

TEST_CASE("batch files and PowerShell scripts are read as their shells do, for Windows") {
    const auto script = [](const char* name, const char* text) {
        const Recipe recipe = read_script(RecipeKind::shell_script, name, text, {});
        REQUIRE(recipe.stages.size() == 1);
        return recipe.stages.front().platform.text + "|" + lines_of_steps(recipe.stages.front().steps);
    };
    CHECK(script("install.bat",
                 "@echo off\nrem pip install a\nset CU=cu118\npip install torch==2.0.0+%CU%\n") ==
          "windows|1:1 @echo off\n2:1 rem pip install a\n3:5 CU=cu118\n4:1 pip: torch==2.0.0+cu118@4:13\n");
    CHECK(script("x/Setup.PS1", "$cu = 'cu118'\npip install \"torch==2.0.0+$cu\"\n") ==
          "windows|2:1 pip: torch==2.0.0+cu118@2:13\n");
    CHECK(script("install.sh", "pip install a\n") == "|1:1 pip: a@1:13\n");
}

TEST_CASE("setup.py: flags of nvcc and install_requires") {
    CHECK(shown_script(read_setup_script(
              "setup.py",
              "# '-gencode'\nflags = ['-gencode', 'arch=compute_120,code=sm_120', f'-arch={x}']\n"
              "setup(install_requires=['torch==2.5.1', \"triton\"], tests=['a'])\n")) ==
          "3:26 pip: torch==2.5.1@3:26 triton@3:42\n"
          "2:11 nvcc -gencode arch=compute_120,code=sm_120\n"
          "2:56 nvcc? -arch=${PTXGUARD_OPEN}?\n");
    CHECK(shown_script(read_setup_script("setup.py",
                                         "NEEDS = [\n  'torch==2.5.1', 'h5py']\nOTHER = "
                                         "['jax']\nsetup(install_requires=NEEDS,\n  x=OTHER)\n")) ==
          "2:4 pip: torch==2.5.1@2:4 h5py@2:20\n");
    CHECK(shown_script(
              read_setup_script("setup.py",
                                "install_requires = ['a', 'b']\nMORE = ['c']\n"
                                "setup(install_requires=install_requires + MORE + ['d'], x=['e'])\n")) ==
          "1:22 pip: a@1:22 b@1:27 c@2:10 d@3:52\n");
    for (const char* unknown : {"setup(install_requires=read('r.txt'), x=['jax'])\nread = ['torch']\n",
                                "setup(install_requires=needs)\nif x:\n  needs = ['torch']\n"})
        CHECK_MESSAGE(shown_script(read_setup_script("setup.py", unknown)) == "", unknown);
    CHECK(shown_script(read_setup_script("setup.py", "x = ['-gencode arch=compute_80,code=sm_80']")) ==
          "1:7 nvcc -gencode arch=compute_80,code=sm_80\n");
    CHECK(shown_script(read_setup_script(
              "setup.cfg", "[options]\ninstall_requires =\n  torch>=2\n  # no\n  jax\nzip = x\n")) ==
          "3:3 pip: torch>=2@3:3 jax@5:3\n");
    CHECK(shown_script(read_setup_script("setup.py", "'''x' \"")) == "");
}

TEST_CASE("setup.py and setup.cfg: each extra is an installation of its own") {
    const std::string both =
        "1:29 pip: a[x]@1:29 b@1:37\n[gpu]\n1:29 pip: a[x]@1:29 b@1:37 torch==2.0.1+cu118@2:28\n";
    CHECK(shown_script(
              read_setup_script("setup.py",
                                "setup(   install_requires=['a[x]', 'b'],\n"
                                "  extras_require={'gpu': ['torch==2.0.1+cu118'], 'x': read()})\n")) == both);
    CHECK(shown_script(read_setup_script(
              "setup.py", "E = {'one': (\n  'c[d]', 'e')}\nsetup(extras_require=E, x=['f'])\n")) ==
          "[one]\n2:4 pip: c[d]@2:4 e@2:12\n");
    CHECK(shown_script(read_setup_script(
              "setup.py",
              "GPU = ['g']\nsetup(extras_require={'gpu': GPU, 'all': GPU + ['h'], 'x': ['i']})\n")) ==
          "[gpu]\n1:9 pip: g@1:9\n[all]\n1:9 pip: g@1:9 h@2:50\n[x]\n2:62 pip: i@2:62\n");
    for (const char* none : {"setup(extras_require=read())\n", "setup(extras_require={'x': []})\n",
                             "setup(extras_require={", "setup(extras_require={'x': ['"})
        CHECK_MESSAGE(shown_script(read_setup_script("setup.py", none)) == "", none);
    CHECK(
        shown_script(read_setup_script("setup.cfg",
                                       "[options]\ninstall_requires =\n  a\n[options.extras_require]\ngpu =\n"
                                       "  b\n\n  c\nall = d\nempty =\n[other]\nx =\n  e\n")) ==
        "3:3 pip: a@3:3\n[gpu]\n3:3 pip: a@3:3 b@6:3 c@8:3\n[all]\n3:3 pip: a@3:3 d@9:7\n");
}

TEST_CASE("setup.py: requirements that the code puts together") {
    const auto setup = [](const std::string& code) {
        return shown_script(read_setup_script("setup.py", "from setuptools import setup\n" + code));
    };
    CHECK(setup("e = {}\ne['x'] = ['timm']\ne['all'] = e['x'] + ['numpy']\nsetup(extras_require=e)\n") ==
          "[all]\n3:12 pip: timm@3:12 numpy@4:23\n[x]\n3:12 pip: timm@3:12\n");
    CHECK(setup("r = ['numpy']\nr += ['torch==2.0.1']\nr.append('six')\nsetup(install_requires=r)\n") ==
          "2:7 pip: numpy@2:7 torch==2.0.1@3:8 six@4:11\n");
    CHECK(setup("def main():\n  r = ['torch==%s' % '2.0.1']\n  setup(install_requires=r)\nmain()\n") ==
          "3:9 pip: torch==2.0.1@3:9\n");
    // What depends on the machine is not known: the literal list alone counts.
    CHECK(setup("import os\nr = ['numpy']\nif os.getenv('MORE'):\n  r += ['torch==2.0.1']\n"
                "setup(install_requires=r)\n") == "3:7 pip: numpy@3:7\n");
    CHECK(setup("import os\nr = ['numpy', os.getenv('T')]\nsetup(install_requires=r)\n") ==
          "3:7 pip: numpy@3:7\n");
}

TEST_CASE("CMakeLists.txt: architectures and flags") {
    CHECK(cmake("project(x LANGUAGES CXX CUDA)\nset(A 80)\nset(CMAKE_CUDA_ARCHITECTURES ${A} 90)\n"
                "if(X)\nset(CMAKE_CUDA_ARCHITECTURES 75)\nendif()\n"
                "set(CMAKE_CUDA_STANDARD 17 CACHE STRING \"\")\n") ==
          "1:9 x\n1:1 project x LANGUAGES CXX CUDA\n3:30 CMAKE_CUDA_ARCHITECTURES=80;90\n"
          "5:30 CMAKE_CUDA_ARCHITECTURES=75~\n7:25 CMAKE_CUDA_STANDARD=17~\n");
    CHECK(cmake("set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -gencode arch=compute_80,code=sm_80\")") ==
          "1:23 nvcc -gencode arch=compute_80,code=sm_80\n");
    CHECK(cmake("target_compile_options(x PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-gencode "
                "arch=compute_86,code=sm_86>)\n"
                "set_target_properties(x PROPERTIES CUDA_ARCHITECTURES \"80;90\")") ==
          "1:34 nvcc -gencode arch=compute_86,code=sm_86\n2:56 CUDA_ARCHITECTURES=80;90\n");
}

TEST_CASE("presets with what they inherit") {
    CHECK(shown_script(read_cmake_presets(
              "CMakePresets.json",
              "{\"configurePresets\": [\n{\"name\": \"base\", \"hidden\": true,\n"
              "\"cacheVariables\": {\"CMAKE_CUDA_ARCHITECTURES\": \"80\"}},\n"
              "{\"name\": \"a\", \"inherits\": \"base\", \"environment\": {\"CUDACXX\": \"/opt/nvcc\"}},\n"
              "{\"name\": \"b\", \"inherits\": [\"b\"]}]}")) ==
          "[preset a]\n3:49 CMAKE_CUDA_ARCHITECTURES=80\n4:63 CUDACXX=/opt/nvcc\n[preset b]\n");
    CHECK(shown_script(read_cmake_presets("CMakePresets.json", "{")).find("problem: ") == 0);
}

TEST_CASE("a value that is appended to in open branches grows by what is appended") {
    std::string text = "if(CUDA_VERSION VERSION_LESS 12.0)\nendif()\nset(CUDA_NVCC_FLAGS -arch=sm_80)\n";
    for (int i = 0; i < 60; ++i) text += "if(OPEN)\nset(CUDA_NVCC_FLAGS ${CUDA_NVCC_FLAGS} -DX)\nendif()\n";
    const auto script = gated_script("CMakeLists.txt", ptxguard::read_cmake_commands(text));
    REQUIRE(static_cast<bool>(script));
    Budget budget;
    const ReleaseRequests requests = requests_for(*script, *ptxguard::parse_version("12.4"), budget);
    CHECK_FALSE(budget.is_over());
    CHECK(requests.uses.size() == 1);

    // The file that takes the steps is the one that is named.
    Budget small;
    small.spend(499990);
    requests_for(*script, *ptxguard::parse_version("12.4"), small);
    CHECK(small.is_over());
    CHECK(small.place().file == "CMakeLists.txt");
}
