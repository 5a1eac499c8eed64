// Which projects compile device code by default, and the line that shows it.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cuda_project.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

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

// A project whose CUDA is behind an option that is off, and a file that its Python build reads.
std::string with_option(const std::string& file, const std::string& text) {
    FakeHost host;
    host.file("/src/CMakeLists.txt",
              "project(p CXX)\noption(USE_CUDA \"\" OFF)\nif(USE_CUDA)\nenable_language(CUDA)\nendif()\n")
        .file("/src/" + file, text);
    return shown(host);
}

TEST_CASE("options that the Python build passes to CMake count as the build's") {
    const std::string builds = "CMakeLists.txt enables CUDA, line 4",
                      off = "CMakeLists.txt enables CUDA with USE_CUDA=ON, line 4";
    const auto by_toml = [](const std::string& text) { return with_option("pyproject.toml", text); };
    CHECK(by_toml("[tool.scikit-build.cmake.define]\nUSE_CUDA = \"ON\"\n") == builds);
    CHECK(by_toml("[tool.scikit-build]\ncmake.define = {USE_CUDA = true}\n") == builds);
    CHECK(by_toml("[tool.scikit-build]\ncmake.args = [\"-G\", \"Ninja\", \"-DUSE_CUDA:BOOL=ON\"]\n") ==
          builds);
    CHECK(by_toml("[tool.py-build-cmake.cmake]\noptions = {USE_CUDA = \"ON\"}\n") == builds);
    CHECK(by_toml("[tool.scikit-build.cmake.define]\nUSE_CUDA = \"OFF\"\n") == "none");
    CHECK(by_toml("[tool.scikit-build.cmake.define]\nUSE_OTHER = \"ON\"\n") == off);
    const auto by_script = [](const std::string& text) { return with_option("setup.py", text); };
    CHECK(by_script("from skbuild import setup\nsetup(name='p', cmake_args=['-DUSE_CUDA=ON'])\n") == builds);
    CHECK(by_script("class B(build_ext):\n    def run(self):\n        check_call(['cmake', '..', "
                    "\"-DUSE_CUDA=ON\"])\n") == builds);
    CHECK(by_script("args = []\nif gpu:\n    args.append('-DUSE_CUDA=ON')\nsetup(cmake_args=args)\n") == off);
    CHECK(by_script("setup(cmake_args=['-DUSE_CUDA=ON' if gpu else ''])\n") == off);
    CHECK(by_script("setup(cmake_args=[f'-DUSE_CUDA={gpu}'])\n") == off);
    CHECK(by_script("# '-DUSE_CUDA=ON'\nsetup()\n") == off);
}

TEST_CASE("no folder, no files and damaged files are no project") {
    CHECK(!cuda_project_in(FakeHost(), ""));
    CHECK(!cuda_project_in(FakeHost(), "/src"));
    CHECK(by("pyproject.toml", "[[[") == "none");
    CHECK(by_lists("if(\nproject(p CUDA") == "none");
    CHECK(by_lists("endif()\nelse()\nproject(p CUDA)\n") == "CMakeLists.txt enables CUDA, line 3");
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

TEST_CASE("the language of a project() may be in a variable that an option sets") {
    CHECK(by_lists("option(NVIDIA \"\" OFF)\nif(NVIDIA)\nset(LANGUAGE CUDA)\nendif()\nproject(p LANGUAGES "
                   "CXX ${LANGUAGE})") == "CMakeLists.txt enables CUDA with NVIDIA=ON, line 5");
}

TEST_CASE("an option for CUDA, where the rest cannot be followed") {
    const std::string rest = "string(TOUPPER \"p_cuda\" id)\nif(${id})\nadd_subdirectory(gpu)\nendif()";
    CHECK(by_lists("project(p CXX)\noption(P_CUDA \"\" OFF)\n" + rest) ==
          "CMakeLists.txt has the option P_CUDA, line 2");
    CHECK(by_lists("project(p CXX)\noption(P_CUDA_GRAPHS \"\" OFF)\n" + rest) == "none");
}
