// The architectures that the build files of a project select.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/cuda_project.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "judged.hpp"
#include "model/text.hpp"

using namespace ptxguard;
using recipes::cuda_project_in;

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

TEST_CASE("an option for CUDA, where the rest cannot be followed, leaves the list open") {
    CHECK(archs_by_lists("project(p CXX)\noption(P_CUDA \"\" OFF)\n"
                         "string(TOUPPER \"p_cuda\" id)\nif(${id})\nadd_subdirectory(gpu)\nendif()") ==
          "open: P_CUDA in CMakeLists.txt:2");
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

TEST_CASE("loops of up to 100 items and calls up to 20 in each other and 4999 in all are followed") {
    const std::string cuda = "project(p CUDA)\n", open = "open: CMAKE_CUDA_ARCHITECTURES in CMakeLists.txt:";
    const auto items = [](std::size_t count) {
        std::string text;
        for (std::size_t i = 1; i < count; ++i) text += " " + std::to_string(i);
        return text + " 80";
    };
    const auto last_of = [&](std::size_t count) {
        return archs_by_lists(cuda + "foreach(a" + items(count) +
                              ")\nset(X ${a})\nendforeach()\nset(CMAKE_CUDA_ARCHITECTURES ${X}-real)");
    };
    CHECK(last_of(100) == "80 at line 5");
    CHECK(last_of(101) == open + "5");
    const auto deep = [&](std::size_t depth) {
        std::string text = cuda;
        for (std::size_t i = 1; i < depth; ++i)
            text += "macro(m" + std::to_string(i) + ")\nm" + std::to_string(i + 1) + "()\nendmacro()\n";
        return archs_by_lists(text + "macro(m" + std::to_string(depth) +
                              ")\nset(CMAKE_CUDA_ARCHITECTURES 80-real)\nendmacro()\nm1()");
    };
    CHECK(deep(20) == "80 at line 60");
    CHECK(deep(21) != "80 at line 63");
    const auto many = [&](std::size_t more) {
        return archs_by_lists(cuda +
                              "macro(n)\nendmacro()\nmacro(choose)\n"
                              "set(CMAKE_CUDA_ARCHITECTURES 80-real)\nendmacro()\nforeach(a" +
                              items(49) + ")\nforeach(b" + items(100) +
                              ")\nn()\nendforeach()\nendforeach()\nforeach(a" + items(more) +
                              ")\nn()\nendforeach()\nchoose()");
    };
    CHECK(many(98) == "80 at line 5");
    CHECK(many(99) != "80 at line 5");
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
    for (const char* change : {"list(REMOVE_DUPLICATES CMAKE_CUDA_ARCHITECTURES)",
                               "list(SORT CMAKE_CUDA_ARCHITECTURES COMPARE NATURAL)",
                               "string(REPLACE 35 60 CMAKE_CUDA_ARCHITECTURES \"${ARCHS}\")"})
        CHECK(archs_by_lists(cuda + "list(APPEND CMAKE_CUDA_ARCHITECTURES ${ARCHS})\n" + change) ==
              "open: CMAKE_CUDA_ARCHITECTURES in CMakeLists.txt:3");
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
          ("function(f out)\nexecute_process(COMMAND gpus OUTPUT_VARIABLE X)\nset(${out} ${X} "
           "PARENT_SCOPE)\nendfunction()\nf(A)\n")}) {
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
    const std::string assignment = "os.environ['TORCH_CUDA_ARCH_LIST'] = '6.0;7.0'\n";
    CHECK(archs_by("setup.py", assignment + extension + "[]})])\n") == "60 70 at line 1");
    CHECK(archs_by("setup.py", "if 'TORCH_CUDA_ARCH_LIST' not in os.environ:\n    " + assignment + extension +
                                   "[]})])\n") == "60 70 at line 2");
    CHECK(archs_by("setup.py",
                   "if os.environ.get('TORCH_CUDA_ARCH_LIST') is None:\n    if cuda >= 13:\n"
                   "        os.environ['TORCH_CUDA_ARCH_LIST'] = '9.0'\n    else:\n        " +
                       assignment + extension + "[]})])\n") == "open: TORCH_CUDA_ARCH_LIST in setup.py:5");
    CHECK(archs_by("setup.py", "flags = ['-DCMAKE_CUDA_ARCHITECTURES={}'.format(archs)]\n") ==
          "open: CMAKE_CUDA_ARCHITECTURES in setup.py:1");
    CHECK(archs_by("Makefile", "all:\n\tnvcc -arch=sm_35 -c a.cu -o a.o\n") == "35+ptx at line 2");
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

TEST_CASE("the folders and files that a CMakeLists.txt adds are read, too") {
    FakeHost host;
    host.file("/src/CMakeLists.txt",
              "project(p LANGUAGES CUDA)\nadd_subdirectory(lib)\ninclude(cmake/archs.cmake)");
    host.file("/src/lib/CMakeLists.txt", "set_target_properties(t PROPERTIES CUDA_ARCHITECTURES 70-real)");
    host.file("/src/cmake/archs.cmake", "set(CMAKE_CUDA_ARCHITECTURES 80-real)");
    CHECK(archs_of(host) == "70 80 at line 1");
}

TEST_CASE("architectures of boards where a condition names them: none has CUDA 11.0 to 11.3") {
    const auto says = [](const std::string& lines) {
        return recipes::codes_of("CMakeLists.txt", "find_package(CUDA REQUIRED)\n" + lines);
    };
    const std::string orin =
        "if(CUDA_VERSION_MAJOR GREATER 10)\nset(CUDA_NVCC_FLAGS ${CUDA_NVCC_FLAGS} -gencode "
        "arch=compute_87,code=sm_87)\nendif()\n";
    CHECK(says(orin) == "CC623");
    CHECK(says("if(CMAKE_SYSTEM_PROCESSOR MATCHES \"aarch64\")\n" + orin + "endif()\n") == recipes::k_silent);
    CHECK(says("if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES \"aarch64\")\n" + orin + "endif()\n") == "CC623");
    CHECK(says("if(CMAKE_SYSTEM_PROCESSOR MATCHES \"aarch64\")\n" + replace_all(orin, "87", "86") +
               "endif()\n") == "CC623");
}
