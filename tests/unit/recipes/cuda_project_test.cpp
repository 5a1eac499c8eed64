// Which projects compile device code by default, and the line that shows it.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/cuda_project.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "model/text.hpp"

using namespace ptxguard;
using recipes::cuda_project_in;

namespace {

std::string shown(const FakeHost& host) {
    const auto project = cuda_project_in(host, "/src");
    if (!project) return "none";
    return *project->by + ", line " + std::to_string(project->by.origin.line) +
           (project->torch ? ", torch" : "") + (project->only_if_cuda ? ", if torch has CUDA" : "");
}

std::string by(const char* name, const std::string& text) {
    FakeHost host;
    host.file(std::string("/src/") + name, text);
    return shown(host);
}

std::string by_lists(const std::string& text) { return by("CMakeLists.txt", text); }

}  // namespace

TEST_CASE("a setup.py that builds a CUDA extension is a CUDA project") {
    CHECK(by("setup.py",
             "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
             "setup(ext_modules=[CUDAExtension('e', ['e.cu'])])\n") ==
          "setup.py builds a CUDA extension, line 2, torch");
    // torchvision: what is chosen depends on the machine that builds.
    CHECK(by("setup.py",
             "import torch\nextension = CppExtension\nif torch.cuda.is_available():\n"
             "    extension = CUDAExtension\n") == "setup.py builds a CUDA extension, line 4, torch");
    CHECK(by("setup.py",
             "from paddle.utils.cpp_extension import CUDAExtension\nsetup(ext_modules=CUDAExtension())") ==
          "setup.py builds a CUDA extension, line 2");
}

TEST_CASE("a setup.py that runs nvcc itself is one, too") {
    CHECK(by("setup.py", "subprocess.check_call(['nvcc', '-c', 'a.cu'])\n") ==
          "setup.py compiles with nvcc, line 1");
    CHECK(by("setup.py", "ext = Extension('e', sources=['a.cpp', 'a.cu'])\n") ==
          "setup.py compiles with nvcc, line 1");
}

TEST_CASE("a setup.py that passes architectures to CMake is one, too") {
    CHECK(by("setup.py", "setup(cmake_args=['-DCMAKE_CUDA_ARCHITECTURES=80'])\n") ==
          "setup.py compiles CUDA with CMake, line 1");
}

TEST_CASE("a setup.py without device code is none") {
    for (const char* text :
         {"from torch.utils.cpp_extension import CppExtension\nsetup(ext_modules=[CppExtension('e', "
          "['e.cpp'])])",
          "from torch.utils.cpp_extension import CUDAExtension, "
          "CppExtension\nsetup(ext_modules=[CppExtension()])",
          "# setup(ext_modules=[CUDAExtension('e', ['e.cu'])])",
          "\"\"\"builds CUDAExtension(...)\n'nvcc'\n\"\"\"\nsetup()", "setup(install_requires=['torch'])"})
        CHECK_MESSAGE(by("setup.py", text) == "none", text);
}

TEST_CASE("a CMakeLists.txt that enables CUDA, or finds a toolkit or PyTorch") {
    CHECK(by_lists("project(p LANGUAGES CXX CUDA)") == "CMakeLists.txt enables CUDA, line 1");
    CHECK(by_lists("project(p CUDA)") == "CMakeLists.txt enables CUDA, line 1");
    CHECK(by_lists("project(p)\nenable_language(CUDA)") == "CMakeLists.txt enables CUDA, line 2");
    CHECK(by_lists("set(langs CXX CUDA)\nproject(p LANGUAGES ${langs})") ==
          "CMakeLists.txt enables CUDA, line 2");
    CHECK(by_lists("find_package(CUDAToolkit 12 REQUIRED)") ==
          "CMakeLists.txt uses find_package(CUDAToolkit), line 1");
    CHECK(by_lists("find_package(CUDA)") == "CMakeLists.txt uses find_package(CUDA), line 1");
    CHECK(by_lists("find_package(Torch REQUIRED)") ==
          "CMakeLists.txt uses find_package(Torch), line 1, torch, if torch has CUDA");
    CHECK(by_lists("find_package(Torch)\nenable_language(CUDA)") ==
          "CMakeLists.txt enables CUDA, line 2, torch");
    CHECK(by_lists("project(p CXX)\nfind_package(CUDNN)\nadd_executable(cuda main.cpp)") == "none");
}

TEST_CASE("a comparison decides where the file has both values, or CMake's release") {
    const std::string use = "enable_language(CUDA)\nendif()";
    CHECK(by_lists("if(${CMAKE_VERSION} VERSION_LESS 3.17)\nmessage()\nelse()\n" + use) ==
          "CMakeLists.txt enables CUDA, line 4");
    CHECK(by_lists("if(CMAKE_VERSION VERSION_LESS 3.17)\n" + use) == "none");
    CHECK(by_lists("set(BACKEND CUDA)\nif(BACKEND STREQUAL \"CUDA\")\n" + use) ==
          "CMakeLists.txt enables CUDA, line 3");
    CHECK(by_lists("set(BACKEND CUDA)\nif(${BACKEND} STREQUAL HIP)\n" + use) == "none");
    CHECK(by_lists("set(C cuda)\nset(B ${C} CACHE STRING \"\")\nif(B STREQUAL C)\n" + use) ==
          "CMakeLists.txt enables CUDA, line 4");
    CHECK(by_lists("set(B \"CPU\" CACHE STRING \"\")\nif(NOT B STREQUAL \"CPU\")\n" + use) == "none");
    CHECK(by_lists("if(CUDAToolkit_VERSION VERSION_GREATER 11)\n" + use) == "none");
    CHECK(by_lists("if(GPU_COUNT GREATER 0)\n" + use) == "none");
}

TEST_CASE("an option is defined, whatever its default") {
    CHECK(by_lists("option(USE_CUDA \"\" OFF)\nif(NOT DEFINED USE_CUDA)\nset(USE_CUDA ON)\nendif()\n"
                   "if(USE_CUDA)\nenable_language(CUDA)\nendif()") ==
          "CMakeLists.txt enables CUDA with USE_CUDA=ON, line 6");
    CHECK(by_lists("if(NOT DEFINED USE_CUDA)\nset(USE_CUDA ON)\nendif()\n"
                   "if(USE_CUDA)\nenable_language(CUDA)\nendif()") == "CMakeLists.txt enables CUDA, line 5");
    CHECK(by_lists("if(NOT DEFINED ENV{NO_CUDA})\nenable_language(CUDA)\nendif()") ==
          "CMakeLists.txt enables CUDA, line 2");
}

TEST_CASE("an option decides by its default") {
    const std::string use = "if(USE_CUDA)\n enable_language(CUDA)\nendif()";
    CHECK(by_lists("option(USE_CUDA \"x\" ON)\n" + use) == "CMakeLists.txt enables CUDA, line 3");
    const std::string with = "CMakeLists.txt enables CUDA with USE_CUDA=ON, line ";
    CHECK(by_lists("option(USE_CUDA \"x\" OFF)\n" + use) == with + "3");
    CHECK(by_lists("option(USE_CUDA \"x\")\n" + use) == with + "3");
    CHECK(by_lists(use) == with + "2");
    CHECK(by_lists("set(USE_CUDA ON CACHE BOOL \"x\")\n" + use) == "CMakeLists.txt enables CUDA, line 3");
    CHECK(by_lists("cmake_dependent_option(USE_CUDA \"x\" ON \"UNIX\" OFF)\n" + use) ==
          "CMakeLists.txt enables CUDA, line 3");
    CHECK(by_lists("option(CPU \"x\" OFF)\nif(CPU)\nelse()\nenable_language(CUDA)\nendif()") ==
          "CMakeLists.txt enables CUDA, line 4");
    CHECK(by_lists("option(CPU \"x\" ON)\nif(CPU)\nelse()\nenable_language(CUDA)\nendif()") == "none");
    CHECK(by_lists("if(NOT USE_ROCM AND NOT APPLE)\nenable_language(CUDA)\nendif()") ==
          "CMakeLists.txt enables CUDA, line 2");
    const std::string brackets = "if((USE_HIP OR USE_CUDA) AND NOT APPLE)\nenable_language(CUDA)\nendif()";
    CHECK(by_lists("option(USE_CUDA \"x\" ON)\n" + brackets) == "CMakeLists.txt enables CUDA, line 3");
    CHECK(by_lists("option(USE_CUDA \"x\" OFF)\n" + brackets) == with + "3");
    CHECK(by_lists("if(CMAKE_VERSION VERSION_LESS 3.18)\nenable_language(CUDA)\nendif()") == "none");
}

TEST_CASE("a project that needs an option for CUDA is read with it") {
    FakeHost host;
    host.file("/src/CMakeLists.txt",
              "project(p CXX)\noption(P_BUILD_CUDA \"\" ${HAS_CUDA})\noption(TESTS \"\" OFF)\n"
              "if(TESTS)\nadd_subdirectory(test)\nendif()\n"
              "if(P_BUILD_CUDA)\ninclude(cmake/gpu.cmake)\nendif()\n")
        .file("/src/cmake/gpu.cmake", "enable_language(CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 60)\n");
    CHECK(shown(host) == "gpu.cmake enables CUDA with P_BUILD_CUDA=ON, line 1");
    CHECK(*cuda_project_in(host, "/src")->only_with == "P_BUILD_CUDA in CMakeLists.txt:7");
    CHECK(cuda_project_in(host, "/src")->archs.targets.size() == 1);
    CHECK(by_lists("project(p CXX)\nif(WITH_HIP)\nenable_language(HIP)\nendif()") == "none");
    CHECK(by_lists("project(p CXX)\nif(WITH_CUDA AND WITH_HIP)\nmessage(FATAL_ERROR \"\")\nendif()") ==
          "none");
    CHECK(by_lists("project(p CXX)\nif(GPU)\nenable_language(CUDA)\nendif()") ==
          "CMakeLists.txt enables CUDA with GPU=ON, line 3");
}

TEST_CASE("CUDA that is used where a compiler is found is a build with it") {
    CHECK(by_lists("check_language(CUDA)\nif(CMAKE_CUDA_COMPILER)\nenable_language(CUDA)\nendif()") ==
          "CMakeLists.txt enables CUDA, line 3");
    CHECK(by_lists("function(f)\nenable_language(CUDA)\nendfunction()") == "none");
}

TEST_CASE("the subfolders and modules of a CMake project belong to it") {
    FakeHost host;
    host.file("/src/CMakeLists.txt", "project(p CXX)\nadd_subdirectory(core)\ninclude(cmake/gpu.cmake)\n")
        .file("/src/core/CMakeLists.txt", "add_subdirectory(..)\nadd_library(core a.cpp)\n")
        .file("/src/cmake/gpu.cmake", "\nfind_package(CUDAToolkit)\n");
    CHECK(shown(host) == "gpu.cmake uses find_package(CUDAToolkit), line 2");
    FakeHost other;
    other.file("/src/CMakeLists.txt", "project(p CXX)\nadd_subdirectory(tests)\n")
        .file("/src/tests/CMakeLists.txt", "enable_language(CUDA)\n");
    CHECK(cuda_project_in(other, "/src")->by.origin.path == "/src/tests/CMakeLists.txt");
}

TEST_CASE("scikit-build, Meson and make") {
    FakeHost host;
    host.file("/src/pyproject.toml",
              "[build-system]\nbuild-backend = \"scikit_build_core.build\"\n[tool.scikit-build]\n"
              "cmake.source-dir = \"native\"\n")
        .file("/src/native/CMakeLists.txt", "project(${SKBUILD_PROJECT_NAME} LANGUAGES CXX CUDA)\n");
    CHECK(shown(host) == "CMakeLists.txt enables CUDA, line 1");
    CHECK(by("meson.build", "project('p', 'cpp', 'cuda')\n") == "meson.build enables CUDA, line 1");
    CHECK(by("meson.build", "project('p', 'cpp')\nadd_languages('cuda')\n") ==
          "meson.build enables CUDA, line 2");
    CHECK(by("meson.build", "project('p', 'cpp')\nif get_option('gpu')\n  add_languages('cuda')\nendif\n") ==
          "none");
    CHECK(by("Makefile", "all: a\na: a.cu\n\tnvcc -O2 -o a a.cu\n") == "Makefile runs nvcc, line 3");
    CHECK(by("Makefile", "NVCC = nvcc\na: a.cu\n\t$(NVCC) -o a a.cu\n") == "Makefile runs nvcc, line 3");
    CHECK(by("Makefile", "a: a.c\n\tgcc -o a a.c\n") == "none");
}

TEST_CASE("no folder, no files and damaged files are no project") {
    CHECK(!cuda_project_in(FakeHost(), ""));
    CHECK(!cuda_project_in(FakeHost(), "/src"));
    CHECK(by("pyproject.toml", "[[[") == "none");
    CHECK(by_lists("if(\nproject(p CUDA") == "none");
    CHECK(by_lists("endif()\nelse()\nproject(p CUDA)\n") == "CMakeLists.txt enables CUDA, line 3");
}

namespace {

// "52 61-ptx; open: ..." with the line of the last list.
std::string archs_of(const FakeHost& host) {
    const auto project = cuda_project_in(host, "/src");
    if (!project) return "none";
    std::string text;
    for (const Target& target : project->archs.targets)
        text += (text.empty() ? "" : " ") + std::to_string(target.arch.number) +
                (target.real ? "" : "-virtual") + (target.real && target.ptx ? "+ptx" : "");
    for (const std::string& word : project->archs.words) text += (text.empty() ? "" : " ") + word;
    if (!text.empty()) text += " at line " + std::to_string(project->archs_origin.line);
    if (project->open) text += (text.empty() ? "" : "; ") + std::string("open: ") + *project->open;
    return text;
}

std::string archs_by(const char* name, const std::string& text) {
    FakeHost host;
    host.file(std::string("/src/") + name, text);
    return archs_of(host);
}

std::string archs_by_lists(const std::string& text) { return archs_by("CMakeLists.txt", text); }

}  // namespace

TEST_CASE("the architectures that a CMakeLists.txt selects by default") {
    const std::string cuda = "project(p LANGUAGES CUDA)\n";
    CHECK(archs_by_lists(cuda) == "");
    CHECK(archs_by_lists("set(CMAKE_CUDA_ARCHITECTURES \"52;61\")\n" + cuda) == "52+ptx 61+ptx at line 1");
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_ARCHITECTURES 52 61-real)") == "52+ptx 61 at line 2");
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_ARCHITECTURES 52)\nset(CMAKE_CUDA_ARCHITECTURES 80-real)") ==
          "80 at line 3");
    CHECK(archs_by_lists(cuda + "set_target_properties(t PROPERTIES CUDA_ARCHITECTURES 80-real)\n"
                                "set_property(TARGET u PROPERTY CUDA_ARCHITECTURES 90-real)") ==
          "80 90 at line 3");
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_ARCHITECTURES native)") == "native at line 2");
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_ARCHITECTURES OFF)") == "");
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -arch=sm_75\")") ==
          "open: -gencode in CMakeLists.txt:2");
    CHECK(archs_by_lists(cuda + "string(APPEND CMAKE_CUDA_FLAGS \" -arch=sm_75\")") == "75+ptx at line 2");
    CHECK(archs_by_lists("find_package(CUDA)\nset(CUDA_NVCC_FLAGS -gencode arch=compute_35,code=sm_35)") ==
          "35 at line 2");
    CHECK(archs_by_lists("find_package(CUDA)\ncuda_add_library(t t.cu OPTIONS -arch=sm_35)") ==
          "35+ptx at line 2");
}

TEST_CASE("a list whose condition is not met by default selects nothing") {
    const std::string cuda = "project(p LANGUAGES CUDA)\n";
    CHECK(archs_by_lists(cuda + "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n"
                                "set(CMAKE_CUDA_ARCHITECTURES 52)\nendif()") == "");
    // CMake before 3.18 gives it no value.
    const std::string later =
        cuda + "if(NOT CMAKE_CUDA_ARCHITECTURES)\nset(CMAKE_CUDA_ARCHITECTURES 52-real)\nendif()";
    CHECK(archs_by_lists("cmake_minimum_required(VERSION 3.16)\n" + later) == "52 at line 4");
    CHECK(archs_by_lists("cmake_minimum_required(VERSION 3.16...3.30)\n" + later) == "");
    CHECK(archs_by_lists(
              "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\nset(CMAKE_CUDA_ARCHITECTURES 52)\nendif()\n" +
              cuda) == "52+ptx at line 2");
    CHECK(archs_by_lists("option(OLD \"\" OFF)\n" + cuda +
                         "if(OLD)\nset(CMAKE_CUDA_ARCHITECTURES 35)\nelse()\n"
                         "set(CMAKE_CUDA_ARCHITECTURES 80)\nendif()") == "80+ptx at line 6");
}

TEST_CASE("what is built only if a target is there, and a project that only finds the toolkit") {
    const std::string cuda = "project(p CUDA)\nset(CMAKE_CUDA_ARCHITECTURES OFF)\nadd_library(t t.cu)\n";
    const std::string list = "\nset_property(TARGET t PROPERTY CUDA_ARCHITECTURES 60-real)\nendif()";
    CHECK(archs_by_lists(cuda + "if(TARGET t)" + list) == "60 at line 5");
    CHECK(archs_by_lists(cuda + "if(NOT TARGET u)" + list) == "60 at line 5");
    CHECK(archs_by_lists(cuda + "if(TARGET u)" + list) == "");
    CHECK(archs_by_lists(cuda + "if(TARGET CUDA::x)" + list) ==
          "open: CUDA_ARCHITECTURES in CMakeLists.txt:5");
    CHECK(archs_by_lists("project(p CXX)\nfind_package(CUDAToolkit)") ==
          "open: find_package(CUDAToolkit) in CMakeLists.txt:2 enables no CUDA");
    CHECK(archs_by_lists("project(p CXX)\nfind_package(CUDAToolkit)\nenable_language(CUDA)") == "");
    CHECK(archs_by_lists("find_package(CUDA)") == "");
}

TEST_CASE("an option for CUDA, where the rest cannot be followed") {
    const std::string rest = "string(TOUPPER \"p_cuda\" id)\nif(${id})\nadd_subdirectory(gpu)\nendif()";
    CHECK(archs_by_lists("project(p CXX)\noption(P_CUDA \"\" OFF)\n" + rest) ==
          "open: P_CUDA in CMakeLists.txt:2");
    CHECK(by_lists("project(p CXX)\noption(P_CUDA \"\" OFF)\n" + rest) ==
          "CMakeLists.txt has the option P_CUDA, line 2");
    CHECK(by_lists("project(p CXX)\noption(P_CUDA_GRAPHS \"\" OFF)\n" + rest) == "none");
}

TEST_CASE("loops in loops and functions that call each other end") {
    std::string loops, ends, items;
    for (int i = 0; i < 100; ++i) items += " " + std::to_string(i);
    for (int i = 0; i < 12; ++i)
        loops += "foreach(a" + std::to_string(i) + items + ")\n", ends += "endforeach()\n";
    CHECK(archs_by_lists("project(p CUDA)\n" + loops + ends) == "");
    CHECK(archs_by_lists("project(p CUDA)\nfunction(f)\ng()\ng()\nendfunction()\n"
                         "function(g)\nf()\nf()\nendfunction()\nf()") == "");
}

TEST_CASE("constants decide") {
    for (const char* yes : {"TRUE", "ON", "1", "NOT FALSE", "Yes"})
        CHECK_MESSAGE(archs_by_lists(std::string("project(p CUDA)\nif(") + yes +
                                     ")\nset(CMAKE_CUDA_ARCHITECTURES 60-real)\nendif()") == "60 at line 3",
                      yes);
}

TEST_CASE("functions, macros and loops are executed") {
    const std::string cuda = "project(p LANGUAGES CUDA)\n";
    CHECK(archs_by_lists(cuda +
                         "function(choose out)\nset(${out} 60-real PARENT_SCOPE)\nendfunction()\nchoose(A)\n"
                         "set(CMAKE_CUDA_ARCHITECTURES ${A})") == "60 at line 6");
    CHECK(archs_by_lists(cuda + "macro(choose out value)\nset(${out} ${value} ${ARGN})\nendmacro()\n"
                                "choose(CMAKE_CUDA_ARCHITECTURES 60-real 70-real)") == "60 70 at line 3");
    CHECK(archs_by_lists(cuda +
                         "function(f)\nset(CMAKE_CUDA_ARCHITECTURES 60 PARENT_SCOPE)\nendfunction()") == "");
    CHECK(archs_by_lists(cuda +
                         "function(f t)\nset_target_properties(${t} PROPERTIES CUDA_ARCHITECTURES 70-real)\n"
                         "endfunction()\nf(t)") == "70 at line 3");
    CHECK(archs_by_lists(cuda + "function(f)\nset(A -arch=sm_60)\nendfunction()\nf()\n"
                                "list(APPEND CUDA_NVCC_FLAGS ${A})") == "");  // a variable of the function
    CHECK(archs_by_lists(cuda + "function(f)\nf()\nendfunction()\nf()") == "");
    CHECK(archs_by_lists(
              cuda + "set(ARCHS 60 70)\nforeach(a IN LISTS ARCHS)\n"
                     "list(APPEND CUDA_NVCC_FLAGS -gencode arch=compute_${a},code=sm_${a})\nendforeach()") ==
          "60 70 at line 4");
    CHECK(archs_by_lists(
              cuda + "foreach(a ${ARCHS})\n"
                     "list(APPEND CUDA_NVCC_FLAGS -gencode arch=compute_${a},code=sm_${a})\nendforeach()") ==
          "open: -gencode in CMakeLists.txt:3");
}

TEST_CASE("a list that only the build can decide is open") {
    const std::string cuda = "project(p LANGUAGES CUDA)\n";
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_ARCHITECTURES ${ARCHS})") ==
          "open: CMAKE_CUDA_ARCHITECTURES in CMakeLists.txt:2");
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_ARCHITECTURES 80)\n"
                                "if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER 12.8)\n"
                                "list(APPEND CMAKE_CUDA_ARCHITECTURES 120)\nendif()") ==
          "80+ptx at line 2; open: CMAKE_CUDA_ARCHITECTURES in CMakeLists.txt:4");
    // So is what is made of a value that a condition decides.
    CHECK(archs_by_lists("project(p CUDA)\nset(A 60)\nif(X VERSION_LESS 9)\nset(A 35)\nendif()\n"
                         "set_property(TARGET t PROPERTY CUDA_ARCHITECTURES ${A})") ==
          "open: CUDA_ARCHITECTURES in CMakeLists.txt:6");
    CHECK(archs_by_lists("option(OLD \"\" OFF)\nproject(p CUDA)\nset(A 60)\nif(OLD)\nset(A 35)\nendif()\n"
                         "set_property(TARGET t PROPERTY CUDA_ARCHITECTURES ${A})") == "60+ptx at line 7");
    // What commands put into a variable that only the build can run.
    for (const std::string call :
         {"choose_for(A MIN 30)\n", "string(REPLACE \".\" \"\" A \"${B}\")\n",
          "get_property(A GLOBAL PROPERTY archs)\n", "if(CUDA_VERSION VERSION_LESS 9)\nset(A 60)\nendif()\n",
          "function(f out)\nexecute_process(COMMAND gpus OUTPUT_VARIABLE X)\nset(${out} ${X} "
          "PARENT_SCOPE)\nendfunction()\nf(A)\n"}) {
        const std::string flags = cuda + call + "list(APPEND CUDA_NVCC_FLAGS -arch=sm_${A})";
        CHECK_MESSAGE(starts_with(archs_by_lists(flags), "open: -gencode in CMakeLists.txt:"), call);
        const std::string list = cuda + call + "if(A)\nset(CMAKE_CUDA_ARCHITECTURES ${A})\nendif()";
        CHECK_MESSAGE(starts_with(archs_by_lists(list), "open: CMAKE_CUDA_ARCHITECTURES in"), call);
        const std::string all = cuda + call + "list(APPEND CUDA_NVCC_FLAGS \"${A}\")";
        CHECK_MESSAGE(starts_with(archs_by_lists(all), "open: A in CMakeLists.txt:"), call);
    }
    CHECK(archs_by_lists("include(other)\nother_init_architectures(P)\n" + cuda) ==
          "open: CMAKE_CUDA_ARCHITECTURES in CMakeLists.txt:2");
    CHECK(archs_by_lists("include(other)\nother_search(P)\n" + cuda) == "");
    CHECK(archs_by_lists(cuda + "choose_for(A)\nset(A \"${A} -O3\")\nlist(APPEND CUDA_NVCC_FLAGS ${A})") ==
          "open: A in CMakeLists.txt:4");
    // Each part of the flags is read.
    CHECK(archs_by_lists(
              cuda +
              "if(CUDA_VERSION VERSION_LESS 9)\nset(CUDA_NVCC_FLAGS \"${CUDA_NVCC_FLAGS} -O3\")\nendif()\n"
              "set(CUDA_NVCC_FLAGS \"${CUDA_NVCC_FLAGS} -lineinfo\")") == "");
    CHECK(archs_by_lists(cuda + "list(APPEND CUDA_NVCC_FLAGS ${EXTRA_FLAGS})") == "");  // empty by default
    // A later list replaces it.
    CHECK(archs_by_lists(cuda + "set(CMAKE_CUDA_ARCHITECTURES ${ARCHS})\nset(CMAKE_CUDA_ARCHITECTURES 80)") ==
          "80+ptx at line 3");
}

TEST_CASE("the architectures of a setup.py and a Makefile") {
    const std::string extension =
        "setup(ext_modules=[CUDAExtension('e', ['e.cu'], extra_compile_args={'nvcc': ";
    CHECK(archs_by("setup.py", extension + "['-gencode', 'arch=compute_80,code=sm_80']})])\n") ==
          "80 at line 1");
    CHECK(archs_by("setup.py", extension + "[f'-gencode=arch=compute_{a},code=sm_{a}']})])\n") ==
          "open: -gencode in setup.py:1");
    CHECK(archs_by("setup.py",
                   "flags = ['-gencode=arch=compute_80,code=sm_80']\n"
                   "if cuda >= '12.8':\n    flags += ['-gencode=arch=compute_120,code=sm_120']\n" +
                       extension + "flags})])\n") == "80 at line 1; open: -gencode in setup.py:3");
    // Of a variable: its default, and what a branch on something else decides.
    const std::string environ = "os.environ['TORCH_CUDA_ARCH_LIST'] = '6.0;7.0'\n";
    CHECK(archs_by("setup.py", environ + extension + "[]})])\n") == "60 70 at line 1");
    CHECK(archs_by("setup.py", "if 'TORCH_CUDA_ARCH_LIST' not in os.environ:\n    " + environ + extension +
                                   "[]})])\n") == "60 70 at line 2");
    CHECK(archs_by("setup.py",
                   "if os.environ.get('TORCH_CUDA_ARCH_LIST') is None:\n    if cuda >= 13:\n"
                   "        os.environ['TORCH_CUDA_ARCH_LIST'] = '9.0'\n    else:\n        " +
                       environ + extension + "[]})])\n") == "open: TORCH_CUDA_ARCH_LIST in setup.py:5");
    CHECK(archs_by("setup.py", "flags = ['-DCMAKE_CUDA_ARCHITECTURES={}'.format(archs)]\n") ==
          "open: CMAKE_CUDA_ARCHITECTURES in setup.py:1");
    CHECK(archs_by("Makefile", "all:\n\tnvcc -arch=sm_35 -c a.cu -o a.o\n") == "35+ptx at line 2");
}

TEST_CASE("an extension that a branch, a return or an exception may avoid is not always built") {
    const auto always = [](const std::string& body) {
        FakeHost host;
        host.file("/src/setup.py", "from torch.utils.cpp_extension import CUDAExtension\n" + body);
        const auto project = cuda_project_in(host, "/src");
        return project && project->always;
    };
    CHECK(always("setup(ext_modules=[CUDAExtension('e', ['e.cu'])])\n"));
    CHECK(always("def extensions():\n    return [CUDAExtension('e', ['e.cu'])]\n"));
    CHECK(
        always("def other():\n    return 1\n\ndef extensions():\n    all = [CUDAExtension('e', ['e.cu'])]\n"
               "    return all\n"));
    CHECK_FALSE(
        always("def extensions():\n    if not BUILD_CUDA:\n        return []\n"
               "    return [CUDAExtension('e', ['e.cu'])]\n"));
    CHECK_FALSE(
        always("def extensions():\n    try:\n        return [CUDAExtension('e', ['e.cu'])]\n"
               "    except Exception:\n        return []\n"));
    CHECK_FALSE(always("if torch.cuda.is_available():\n    all = [CUDAExtension('e', ['e.cu'])]\n"));
}

TEST_CASE("a module is read where CMAKE_MODULE_PATH has it") {
    for (const char* path :
         {"set(CMAKE_MODULE_PATH ${CMAKE_SOURCE_DIR}/cmake)",
          "list(APPEND CMAKE_MODULE_PATH \"${PROJECT_SOURCE_DIR}/other\" "
          "\"${CMAKE_CURRENT_SOURCE_DIR}/cmake\")",
          "set(DIR ${CMAKE_CURRENT_LIST_DIR}/cmake)\nlist(PREPEND CMAKE_MODULE_PATH ${DIR})"}) {
        FakeHost host;
        host.file("/src/CMakeLists.txt",
                  std::string("project(p CUDA)\n") + path + "\nadd_subdirectory(lib)\n")
            .file("/src/lib/CMakeLists.txt", "include(Archs)\n")
            .file("/src/cmake/Archs.cmake", "set(CMAKE_CUDA_ARCHITECTURES 80-real)\n");
        CHECK_MESSAGE(archs_of(host) == "80 at line 1", path);
    }
}

TEST_CASE("the language of a project() may be in a variable that an option sets") {
    CHECK(by_lists("option(NVIDIA \"\" OFF)\nif(NVIDIA)\nset(LANGUAGE CUDA)\nendif()\nproject(p LANGUAGES "
                   "CXX ${LANGUAGE})") == "CMakeLists.txt enables CUDA with NVIDIA=ON, line 5");
}

TEST_CASE("the folders and files that a CMakeLists.txt adds are read, too") {
    FakeHost host;
    host.file("/src/CMakeLists.txt",
              "project(p LANGUAGES CUDA)\nadd_subdirectory(lib)\ninclude(cmake/archs.cmake)");
    host.file("/src/lib/CMakeLists.txt", "set_target_properties(t PROPERTIES CUDA_ARCHITECTURES 70-real)");
    host.file("/src/cmake/archs.cmake", "set(CMAKE_CUDA_ARCHITECTURES 80-real)");
    CHECK(archs_of(host) == "70 80 at line 1");
}
