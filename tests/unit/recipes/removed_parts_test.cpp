// What newer releases of CMake and CUDA no longer have, in projects and sources that a container builds ->
// the findings of the judge. Each class with a similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

// A project that the image builds with the CMake that `install` brings.
Codes configured(const std::string& image, const std::string& install, const std::string& lists,
                 const std::string& options = "") {
    return codes_in("Dockerfile",
                    "FROM " + image + "\nRUN " + install + "\nCOPY . /src\nRUN cmake -S /src -B /build " +
                        options + " && cmake --build /build\n",
                    {{"CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\n" + lists}});
}

const std::string k_cuda12_image = "nvidia/cuda:12.4.1-devel-ubuntu22.04",
                  k_cuda126_image = "nvidia/cuda:12.6.3-devel-ubuntu24.04",
                  k_apt_cmake = "apt-get update && apt-get install -y cmake g++";
const std::string k_cuda_project = "project(p LANGUAGES CXX CUDA)\n";
const Codes k_still_there, k_older_cmake{"error CC624"};

}  // namespace

TEST_CASE("what a newer CMake no longer has") {
    const std::string old_cmake = "pip install 'cmake<4'", new_cmake = "pip install cmake==4.1.0",
                      newest = "pip install cmake";
    const auto project = [](const std::string& install, const std::string& lists,
                            const std::string& before = "") {
        return codes_in("Dockerfile",
                        "FROM " + k_cuda12_image + "\nRUN " + install + "\nCOPY . /src\nRUN " + before +
                            "cmake -S /src -B /build && cmake --build /build\n",
                        {{"CMakeLists.txt", lists}});
    };
    const auto for_cmake = [](const std::string& range) {
        return "cmake_minimum_required(VERSION " + range + ")\n" + k_cuda_project;
    };
    const Codes gone{"error CC625"}, drifts{"warning CC625"};
    CHECK(project(new_cmake, for_cmake("2.8.12")) == gone);
    CHECK(project(newest, for_cmake("3.1")) == drifts);
    CHECK(project(old_cmake, for_cmake("2.8.12")) == k_still_there);
    CHECK(project(new_cmake, for_cmake("2.8...3.20")) == k_still_there);
    CHECK(project(new_cmake, for_cmake("2.8"), "CMAKE_POLICY_VERSION_MINIMUM=3.5 ") == k_still_there);
    CHECK(project(new_cmake + "\nENV CMAKE_POLICY_VERSION_MINIMUM=3.5", for_cmake("2.8")) == k_still_there);
    const std::string finds = "find_package(CUDA REQUIRED)\ncuda_add_library(x x.cu)\n";
    CHECK(project(new_cmake, for_cmake("3.27") + finds) == gone);
    CHECK(project(new_cmake,
                  for_cmake("3.10...3.28") + "find_package(CUDA)\ncuda_add_executable(x x.cu)\n") == gone);
    CHECK(project(new_cmake, for_cmake("3.18") + finds) == k_still_there);
    CHECK(project("pip install cmake==3.26.4", for_cmake("3.10...3.28") + finds) == k_still_there);
    CHECK(project(new_cmake, for_cmake("3.27") + "cmake_policy(SET CMP0146 OLD)\n" + finds) == k_still_there);
    CHECK(project(new_cmake, for_cmake("3.27") + "find_package(CUDAToolkit REQUIRED)\n") == k_still_there);
    CHECK(project(new_cmake, for_cmake("3.27") + "set(CMAKE_MODULE_PATH other)\n" + finds) == gone);
    // By itself: every CMake that it admits lacks it, or the project may have one of its own.
    const auto alone = [&](const std::string& more) {
        return codes_in("CMakeLists.txt", for_cmake("3.28") + more + finds);
    };
    CHECK(alone("") == gone);
    CHECK(alone("set(CMAKE_MODULE_PATH cmake)\n") == k_still_there);
}

TEST_CASE("architectures that FindCUDA makes of names") {
    const auto selected = [](const std::string& image, const std::string& names) {
        return configured(image, k_apt_cmake,
                          "project(p CXX)\nfind_package(CUDA REQUIRED)\ncuda_select_nvcc_arch_flags(FLAGS " +
                              names + ")\nlist(APPEND CUDA_NVCC_FLAGS ${FLAGS})\ncuda_add_library(x x.cu)\n");
    };
    const std::string new_cuda = "nvidia/cuda:13.0.1-devel-ubuntu24.04";
    const Codes refused{"error CC203"}, maybe{"warning CC203"};
    CHECK(selected(new_cuda, "Common") == refused);
    CHECK(selected(new_cuda, "Auto") == maybe);
    CHECK(selected(new_cuda, "") == maybe);
    CHECK(selected(k_cuda12_image, "Common") == k_still_there);
    CHECK(selected(k_cuda12_image, "All") == refused);
    CHECK(selected(k_cuda12_image, "Kepler") == refused);
    CHECK(selected(new_cuda, "Turing Ampere") == k_still_there);
    CHECK(selected(new_cuda, "7.5 8.6+PTX") == k_still_there);
    CHECK(selected(k_cuda12_image, "Hopper") == refused);
    CHECK(selected(new_cuda, "8.0 10.0") == refused);
}

TEST_CASE("presets of a version that the CMake of a container does not read") {
    const auto preset = [](const std::string& image, const std::string& version) {
        return codes_in(
            "Dockerfile",
            "FROM " + image + "\nRUN " + k_apt_cmake + "\nCOPY . /src\nWORKDIR /src\nRUN cmake --preset a\n",
            {{"CMakePresets.json",
              "{\"version\": " + version + ", \"configurePresets\": [{\"name\": \"a\"}]}"},
             {"CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\n" + k_cuda_project}});
    };
    CHECK(preset(k_cuda12_image, "6") == k_older_cmake);
    CHECK(preset(k_cuda12_image, "3") == k_still_there);
    CHECK(preset(k_cuda126_image, "6") == k_still_there);
}

TEST_CASE("names in sources that a newer toolkit no longer declares") {
    const std::string new_cuda = "nvidia/cuda:13.0.1-devel-ubuntu24.04";
    const Codes gone{"error CC625"};
    const auto compiled = [](const std::string& image, const std::string& source) {
        return codes_in("Dockerfile",
                        "FROM " + image + "\nCOPY . /src\nWORKDIR /src\nRUN nvcc -o app app.cu\n",
                        {{"app.cu", source}});
    };
    const std::string texture = "texture<float, 1> t;\n",
                      old_device = "void f() { cudaThreadSynchronize(); }\n";
    CHECK(compiled(k_cuda12_image, texture) == gone);
    CHECK(compiled("nvidia/cuda:11.8.0-devel-ubuntu22.04", texture) == k_still_there);
    CHECK(compiled(k_cuda12_image, "#if CUDART_VERSION < 12000\n" + texture + "#endif\n") == k_still_there);
    CHECK(compiled(k_cuda12_image, "#if CUDART_VERSION >= 12000\n#else\n" + texture + "#endif\n") ==
          k_still_there);
    CHECK(compiled(k_cuda12_image, "#if CUDART_VERSION >= 11000\n" + texture + "#endif\n") == gone);
    CHECK(compiled(k_cuda12_image, "#ifndef A_H\n#define A_H\n" + texture + "#endif\n") == gone);
    CHECK(compiled(k_cuda12_image, "#ifdef WITH_TEXTURES\n" + texture + "#endif\n") == k_still_there);
    CHECK(compiled(k_cuda12_image, "// " + texture + "/* " + texture +
                                       "*/ const char* s = \"texture<int> t\";\n") == k_still_there);
    CHECK(compiled(new_cuda, old_device) == gone);
    CHECK(compiled(k_cuda12_image, old_device) == k_still_there);
    CHECK(compiled(new_cuda, "#define cudaThreadSynchronize cudaDeviceSynchronize\n" + old_device) ==
          k_still_there);
    CHECK(compiled(new_cuda, "int f() { cudaDeviceProp p; return p.clockRate; }\n") == gone);
    CHECK(compiled(new_cuda, "struct Mine { int clockRate; }; int f(Mine p) { return p.clockRate; }\n") ==
          k_still_there);
    CHECK(compiled(new_cuda, "void f(CUcontext* c) { cuCtxCreate(c, 0, 0); }\n") == gone);
    CHECK(compiled(new_cuda, "void f(CUcontext* c) { cuCtxCreate(c, nullptr, 0, 0); }\n") == k_still_there);
    CHECK(compiled(new_cuda, "#include <nvToolsExt.h>\n") == gone);
    CHECK(compiled(new_cuda, "#include <nvtx3/nvToolsExt.h>\n") == k_still_there);
}

TEST_CASE("sources that builds compile, with their headers") {
    const std::string new_cuda = "nvidia/cuda:13.0.1-devel-ubuntu24.04";
    const Codes gone{"error CC625"};
    const auto made = [&](const std::string& command, const std::string& header) {
        return codes_in(
            "Dockerfile",
            "FROM " + new_cuda + "\nCOPY . /src\nWORKDIR /src\nRUN " + k_apt_cmake + "\nRUN " + command +
                "\n",
            {{"CMakeLists.txt",
              "cmake_minimum_required(VERSION 3.18)\n" + k_cuda_project + "add_library(k src/k.cu)\n"},
             {"Makefile", "app: src/k.o\n\tnvcc -o $@ $^\n%.o: %.cu\n\tnvcc -c -o $@ $<\nother:\n\techo\n"},
             {"setup.py",
              "from torch.utils.cpp_extension import CUDAExtension\n"
              "setup(ext_modules=[CUDAExtension('x', sources=['src/k.cu'])])\n"},
             {"src/k.cu", "#include \"k.cuh\"\n"},
             {"src/k.cuh", header},
             {"src/unused.cu", "void f() { cudaThreadSynchronize(); }\n"}});
    };
    for (const std::string command : {"cmake -S . -B b", "make", "python3 setup.py install"}) {
        CAPTURE(command);
        CHECK(made(command, "struct F : thrust::unary_function<int, int> {};\n") == gone);
        CHECK(made(command, "struct F {};\n") == k_still_there);
    }
    CHECK(made("make other", "struct F : thrust::unary_function<int, int> {};\n") == k_still_there);
}

TEST_CASE("architectures by what CMake, meson and make read for one command") {
    const auto configured_with = [](const std::string& command, const std::string& lists) {
        return codes_in("Dockerfile",
                        "FROM " + k_cuda126_image + "\nRUN " + k_apt_cmake +
                            " meson\nCOPY . /src\nWORKDIR /src\nRUN " + command + "\n",
                        {{"CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\n" + lists},
                         {"gpu.cmake", "set(CMAKE_CUDA_ARCHITECTURES 90 120)\n"},
                         {"old.cmake", "set(CMAKE_CUDA_ARCHITECTURES 90)\n"},
                         {"meson.build",
                          "project('p', ['cpp', 'cuda'])\n"
                          "add_project_arguments('-gencode=arch=compute_35,code=sm_35', "
                          "language: 'cuda')\n"},
                         {"Makefile",
                          "V := $(shell nvcc --version)\nGENCODE := -arch=sm_80\n"
                          "ifeq ($(shell echo $(V) | head -1),12.8)\n"
                          "GENCODE += -gencode arch=compute_120,code=sm_120\nendif\n"
                          "k: k.cu\n\tnvcc $(GENCODE) -o $@ $<\n"}});
    };
    const Codes refused{"error CC203"};
    const std::string cached = k_cuda_project +
                               "set(ARCHS \"35;60\" CACHE STRING \"list\")\n"
                               "add_executable(x x.cu)\n"
                               "set_target_properties(x PROPERTIES CUDA_ARCHITECTURES \"${ARCHS}\")\n";
    CHECK(configured_with("cmake -B b", cached) == refused);
    CHECK(configured_with("cmake -B b -DARCHS=80", cached) == k_still_there);
    CHECK(configured_with("cmake -B b -DCMAKE_TOOLCHAIN_FILE=gpu.cmake", k_cuda_project) == refused);
    CHECK(configured_with("cmake -B b --toolchain gpu.cmake", k_cuda_project) == refused);
    CHECK(configured_with("cmake -B b --toolchain old.cmake", k_cuda_project) == k_still_there);
    CHECK(configured_with("meson setup b", k_cuda_project) == refused);
    CHECK(configured_with("make k", k_cuda_project) == k_still_there);
}

}  // namespace ptxguard::recipes
