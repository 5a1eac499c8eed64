// CMake, nvcc and their settings in containers and jobs -> the findings of the judge. Each class with a
// similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"
#include "recipes/builds/arch_settings.hpp"
#include "recipes/shell/shell_windows_values.hpp"

namespace ptxguard::recipes {
namespace {

// A project that the image builds with the CMake that `install` brings.
Codes built(const std::string& image, const std::string& install, const std::string& lists,
            const std::string& options = "") {
    return codes_in("Dockerfile",
                    "FROM " + image + "\nRUN " + install + "\nCOPY . /src\nRUN cmake -S /src -B /build " +
                        options + " && cmake --build /build\n",
                    {{"CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\n" + lists}});
}

const std::string k_jammy = "nvidia/cuda:12.4.1-devel-ubuntu22.04",
                  k_noble = "nvidia/cuda:12.6.3-devel-ubuntu24.04",
                  k_apt = "apt-get update && apt-get install -y cmake g++";
const std::string k_project = "project(p LANGUAGES CXX CUDA)\n";
const Codes k_new_enough, k_too_old{"error CC624"}, k_older{"warning CC624"};

}  // namespace

TEST_CASE("words for architectures that the CMake of a container lacks") {
    const std::string major = "-DCMAKE_CUDA_ARCHITECTURES=all-major";
    CHECK(built(k_jammy, k_apt, k_project, major) == k_too_old);
    CHECK(built(k_noble, k_apt, k_project, major) == k_new_enough);
    CHECK(built(k_jammy, k_apt, "set(CMAKE_CUDA_ARCHITECTURES all-major)\n" + k_project) == k_too_old);
    CHECK(built("nvidia/cuda:11.8.0-devel-ubuntu20.04", k_apt, k_project, "-DCMAKE_CUDA_ARCHITECTURES=all") ==
          k_too_old);
    CHECK(built(k_jammy, k_apt, k_project, "-DCMAKE_CUDA_ARCHITECTURES='75;86'") == k_new_enough);
    // Other sources of CMake.
    CHECK(built(k_jammy, "pip install cmake==3.22.6", k_project, major) == k_too_old);
    CHECK(built(k_jammy, k_apt + " && pip install cmake==3.24.0", k_project, major) == k_new_enough);
    CHECK(built(k_jammy, k_apt + " && pip install --upgrade cmake", k_project, major) == k_new_enough);
    CHECK(built(k_jammy, "wget https://cmake.org/files/v3.21/cmake-3.21.4-linux-x86_64.sh && sh cmake.sh",
                k_project, major) == k_new_enough);  // a script may do anything
    CHECK(built(k_jammy,
                "curl -L https://cmake.org/files/v3.21/cmake-3.21.4-linux-x86_64.tar.gz | tar xz -C /usr",
                k_project, major) == k_too_old);
    CHECK(built(k_jammy, "add-apt-repository 'deb https://apt.kitware.com/ubuntu/ jammy main' && " + k_apt,
                k_project, major) == k_new_enough);
    CHECK(built("mine/cuda:12", k_apt, k_project, major) == k_new_enough);
    // pip's CMake, not that of the image.
    CHECK(
        codes_in("Dockerfile", "FROM " + k_jammy + "\nRUN " + k_apt +
                                   " python3-pip\nRUN CMAKE_ARGS='-DGGML_CUDA=on "
                                   "-DCMAKE_CUDA_ARCHITECTURES=all-major' pip install llama-cpp-python\n") ==
        k_new_enough);
}

TEST_CASE("a project that requires a newer CMake than the container has") {
    const auto requires_ = [](const std::string& install, const std::string& minimum) {
        return built(k_jammy, install, "cmake_minimum_required(VERSION " + minimum + ")\n" + k_project);
    };
    CHECK(requires_(k_apt, "3.24") == k_too_old);
    CHECK(requires_(k_apt, "3.24...3.30") == k_too_old);
    CHECK(requires_(k_apt, "3.20...3.30") == k_new_enough);
    CHECK(requires_(k_apt + " && pip install 'cmake==3.22.2'", "3.23") == k_too_old);
    CHECK(requires_(k_apt + " && pip install cmake==3.26.0", "3.24") == k_new_enough);
    CHECK(built(k_jammy, k_apt, "if(USE_NEW)\ncmake_minimum_required(VERSION 3.29)\nendif()\n" + k_project) ==
          k_new_enough);
}

TEST_CASE("conditions of CMake on the release that the image has") {
    const std::string gated =
        "find_package(CUDAToolkit REQUIRED)\nset(ARCHS 75 80)\n"
        "if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.4)\n  list(APPEND ARCHS 120)\nendif()\n"
        "set(CMAKE_CUDA_ARCHITECTURES ${ARCHS})\n" +
        k_project;
    const Codes refused{"error CC203"}, maybe{"warning CC203"};
    CHECK(built(k_noble, k_apt, gated) == refused);
    CHECK(built("nvidia/cuda:12.2.2-devel-ubuntu22.04", k_apt, gated) == k_new_enough);
    CHECK(built("nvidia/cuda:12.9.1-devel-ubuntu24.04", k_apt, gated) == k_new_enough);
    // A function's list of candidates, filtered by conditions.
    const std::string candidates =
        "macro(select_archs result)\n  set(known 35 50 60 70)\n"
        "  if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER 11.0)\n    list(APPEND known 80)\n  endif()\n"
        "  set(${result} "
        "${known})\nendmacro()\nenable_language(CUDA)\nselect_archs(CMAKE_CUDA_ARCHITECTURES)\n";
    CHECK(built(k_noble, k_apt, k_project + candidates) == refused);
    CHECK(built("nvidia/cuda:11.8.0-devel-ubuntu22.04", k_apt, k_project + candidates) == k_new_enough);
    CHECK(codes_in("Dockerfile",
                   "ARG CUDA=12.6.3\nFROM nvidia/cuda:${CUDA}-devel-ubuntu24.04\nRUN " + k_apt +
                       "\nCOPY . /src\nRUN cmake -S /src -B /build\n",
                   {{"CMakeLists.txt", gated}}) == maybe);
    const auto job = [&](const std::string& cuda) {
        return codes_in(".github/workflows/b.yml",
                        "on: push\njobs:\n  b:\n    runs-on: ubuntu-22.04\n    steps:\n      - uses: "
                        "actions/checkout@v4\n"
                        "      - uses: Jimver/cuda-toolkit@v0.2.30\n        with: {cuda: " +
                            cuda +
                            "}\n"
                            "      - run: cmake -S . -B b\n",
                        {{"CMakeLists.txt", gated}});
    };
    CHECK(job("12.6.3") == refused);
    CHECK(job("12.9.1") == k_new_enough);
}

TEST_CASE("libraries that a newer toolkit no longer has") {
    const std::string new_cuda = "nvidia/cuda:13.0.1-devel-ubuntu24.04";
    const std::string links = k_project + "find_package(CUDAToolkit REQUIRED)\nadd_executable(x x.cu)\n",
                      nvtx = "target_link_libraries(x PRIVATE CUDA::cudart CUDA::nvToolsExt)\n";
    const Codes gone{"error CC625"};
    CHECK(built(new_cuda, k_apt, links + nvtx) == gone);
    CHECK(built("nvidia/cuda:12.9.1-devel-ubuntu24.04", k_apt,
                links + "set(L CUDA::nvToolsExt)\n"
                        "target_link_libraries(x ${L})\n") == gone);
    CHECK(built("nvidia/cuda:12.8.1-devel-ubuntu24.04", k_apt, links + nvtx) == k_new_enough);
    CHECK(built(new_cuda, k_apt, links + "if(TARGET CUDA::nvToolsExt)\n" + nvtx + "endif()\n") ==
          k_new_enough);
    CHECK(built(new_cuda, k_apt,
                links + "if(CUDAToolkit_VERSION VERSION_LESS 12.9)\n" + nvtx + "endif()\n") == k_new_enough);
    CHECK(built(new_cuda, k_apt,
                links +
                    "if(NOT TARGET CUDA::nvToolsExt)\nadd_library(CUDA::nvToolsExt ALIAS "
                    "CUDA::nvtx3)\nendif()\n" +
                    nvtx) == k_new_enough);
    CHECK(built(k_jammy, k_apt, links + "target_link_libraries(x CUDA::nvtx3)\n") == k_too_old);
    const auto made = [&](const std::string& command, const std::string& image) {
        return codes_in(
            "Dockerfile", "FROM " + image + "\nCOPY . /src\nWORKDIR /src\nRUN " + command + "\n",
            {{"Makefile",
              "LIBS = -lcudart\nLIBS += -lnvToolsExt\napp: app.cu\n\tnvcc -o app app.cu $(LIBS)\n"
              "plain: app.cu\n\tnvcc -o app app.cu\n"},
             {"setup.py",
              "from torch.utils.cpp_extension import CUDAExtension\n"
              "setup(ext_modules=[CUDAExtension('x', ['x.cu'], extra_link_args=['-lnvToolsExt'])])\n"}});
    };
    CHECK(made("make", new_cuda) == gone);
    CHECK(made("make plain", new_cuda) == k_new_enough);
    CHECK(made("make", k_jammy) == k_new_enough);
    CHECK(made("nvcc x.cu -o x -lnvToolsExt", new_cuda) == gone);
    CHECK(made("python3 setup.py install", new_cuda) == gone);
}

TEST_CASE("native in a container, which is built without a GPU") {
    const std::string native = "-DCMAKE_CUDA_ARCHITECTURES=native";
    CHECK(built(k_noble, k_apt, k_project, native) == Codes{"warning CC211"});
    CHECK(built(k_jammy, k_apt, k_project, native) == k_too_old);
    CHECK(built(k_noble, k_apt, k_project, "-DCMAKE_CUDA_ARCHITECTURES=90") == k_new_enough);
}

TEST_CASE("C++ standards that CMake or nvcc lacks") {
    const std::string standard = "set(CMAKE_CUDA_STANDARD 20)\n",
                      required = "set(CMAKE_CUDA_STANDARD_REQUIRED ON)\n";
    CHECK(built(k_jammy, k_apt, k_project + standard) == k_older);
    CHECK(built(k_jammy, k_apt, k_project + standard + required) == k_too_old);
    CHECK(built(k_noble, k_apt, k_project + standard + required) == k_new_enough);
    CHECK(built("nvidia/cuda:11.8.0-devel-ubuntu22.04", "pip install cmake==3.30.3",
                k_project + standard + required) == k_too_old);
    CHECK(built(k_jammy, k_apt,
                k_project + "add_library(x x.cu)\ntarget_compile_features(x PUBLIC "
                            "cuda_std_20)\n") == k_too_old);
    CHECK(built(k_jammy, k_apt,
                k_project + "add_library(x x.cu)\nset_target_properties(x PROPERTIES "
                            "CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON)\n") == k_too_old);
    CHECK(built(k_jammy, k_apt, k_project + "set(CMAKE_CUDA_STANDARD 17)\n" + required) == k_new_enough);
    // That of C++, which CMake takes for CUDA too.
    const std::string cxx = "set(CMAKE_CXX_STANDARD 20)\nset(CMAKE_CXX_STANDARD_REQUIRED ON)\n";
    CHECK(built(k_jammy, k_apt, cxx + k_project) == k_too_old);
    CHECK(built(k_jammy, k_apt, cxx + k_project + "set(CMAKE_CUDA_STANDARD 17)\n") == k_new_enough);
    CHECK(built(k_jammy, k_apt, cxx + "project(p CXX)\n") == k_new_enough);
    CHECK(built(k_jammy, k_apt, cxx + "project(p CXX)\nif(USE_CUDA)\nenable_language(CUDA)\nendif()\n") ==
          k_new_enough);
    const auto nvcc = [](const std::string& image, const std::string& flag) {
        return codes_in("Dockerfile", "FROM " + image + "\nRUN nvcc " + flag + " -o x x.cu\n");
    };
    CHECK(nvcc("nvidia/cuda:11.8.0-devel-ubuntu22.04", "-std=c++20") == k_too_old);
    CHECK(nvcc("nvidia/cuda:11.8.0-devel-ubuntu22.04", "--std c++20") == k_too_old);
    CHECK(nvcc("nvidia/cuda:11.8.0-devel-ubuntu22.04", "-std=c++17") == k_new_enough);
    CHECK(nvcc(k_jammy, "-std=c++20") == k_new_enough);
}

TEST_CASE("a project of CMake with CUDA in an image without nvcc") {
    CHECK(built("ubuntu:22.04", k_apt, k_project) == Codes{"error CC608"});
    CHECK(built("nvidia/opengl:1.2-glvnd-runtime-ubuntu20.04", k_apt, k_project) == Codes{"error CC608"});
    CHECK(built("ubuntu:22.04", k_apt + " nvidia-cuda-toolkit", k_project) == k_new_enough);
    CHECK(built("nvidia/cuda:12.6.3-base-ubuntu22.04", k_apt + " 'holoscan=4.4.0*'", k_project) ==
          k_new_enough);
    CHECK(built("ubuntu:22.04", k_apt, "project(p CXX)\n") == k_new_enough);
    CHECK(built("ubuntu:22.04", k_apt, "project(p CXX)\nif(WITH_CUDA)\nenable_language(CUDA)\nendif()\n") ==
          k_new_enough);
}

TEST_CASE("options by which builds name architectures") {
    const auto targets = [](const char* name, const char* value) {
        const auto setting = arch_option(name, value);
        const auto list =
            setting ? parse_arch_list(setting->text, setting->dialect) : Result<ArchList>(ArchList());
        std::string all;
        for (const Target& target : list->targets) all += (all.empty() ? "" : " ") + target.arch.sm();
        return all;
    };
    CHECK(targets("Kokkos_ARCH_VOLTA70", "ON") == "sm_70");
    CHECK(targets("Kokkos_ARCH_AMPERE86", "yes") == "sm_86");
    CHECK(targets("Kokkos_ARCH_VOLTA70", "OFF").empty());
    CHECK(targets("Kokkos_ARCH_POWER9", "ON").empty());
    CHECK(targets("Kokkos_ARCH_ARMV80", "ON").empty());
    CHECK(targets("GPU_ARCH", "sm_60") == "sm_60");
    CHECK(targets("GPU_ARCH", "gfx90a").empty());
    CHECK(targets("GMX_CUDA_TARGET_SM", "35;70") == "sm_35 sm_70");
    CHECK(targets("AMReX_CUDA_ARCH", "7.0;8.0") == "sm_70 sm_80");
    CHECK(targets("SOME_ARCH", "70").empty());
    const auto kokkos = [](const std::string& image) {
        return codes_in("Dockerfile", "FROM " + image +
                                          "\nRUN cmake -B b -D Kokkos_ENABLE_CUDA=ON -D "
                                          "Kokkos_ARCH_VOLTA70=ON && cmake --build b\n");
    };
    CHECK(kokkos("nvidia/cuda:13.0.1-devel-ubuntu24.04") == Codes{"error CC203"});
    CHECK(kokkos(k_noble) == k_new_enough);
}

TEST_CASE("tables and lists of PowerShell") {
    const auto json = [](const char* text) {
        const auto literal = powershell_literal(text, 0);
        return literal ? literal->json : "";
    };
    CHECK(json("@('a', \"b\")") == R"(["a","b"])");
    CHECK(json("@{ 'os' = @('x'); n = 1.5\n flag = $true # why\n }") ==
          R"({"os":["x"],"n":1.5,"flag":true})");
    CHECK(json("[ordered]@{ os = 'a', 'b' }") == R"({"os":["a","b"]})");
    CHECK(json("@( @{ a = 'b' }\n @{ a = 'c' } )") == R"([{"a":"b"},{"a":"c"}])");
    CHECK(json("@{ a = $b }").empty());
    CHECK(json("@{ a = 'b'").empty());
    CHECK(json("@('a', (f))").empty());
}

TEST_CASE("a matrix that a step of PowerShell writes") {
    const auto says = [](const std::string& releases, const std::string& write) {
        return codes_in(".github/workflows/ci.yml",
                        "on: [push]\njobs:\n  define:\n    runs-on: ubuntu-22.04\n    outputs:\n"
                        "      matrix: ${{ steps.set.outputs.matrix }}\n    steps:\n      - id: set\n"
                        "        shell: pwsh\n        run: |\n          $matrix = @{\n"
                        "            'os' = @('windows-2022')\n            'cuda' = @(" +
                            releases + ")\n          }\n" + write +
                            "  build:\n    needs: define\n    runs-on: ${{ matrix.os }}\n    strategy:\n"
                            "      matrix: ${{ fromJSON(needs.define.outputs.matrix) }}\n    steps:\n"
                            "      - uses: Jimver/cuda-toolkit@v0.2.24\n        with:\n"
                            "          cuda: ${{ matrix.cuda }}\n      - run: cmake -B b -DGGML_CUDA=ON\n");
    };
    const std::string joined =
        "          $json = ConvertTo-Json $matrix -Compress\n"
        "          Write-Output ('matrix=' + $json) >> $env:GITHUB_OUTPUT\n";
    const std::string piped =
        "          $json = $matrix | ConvertTo-Json -Compress\n"
        "          \"matrix=$json\" | Out-File -FilePath $env:GITHUB_OUTPUT -Append\n";
    const std::string inside =
        "          echo \"matrix=$($matrix | ConvertTo-Json -Compress)\" >> $env:GITHUB_OUTPUT\n";
    const Codes refused{"warning CC108"};
    for (const std::string& write : {joined, piped, inside}) {
        CAPTURE(write);
        CHECK(says("'12.1.1', '12.4.1'", write) == refused);
        CHECK(says("'12.4.1'", write) == k_new_enough);
    }
}

TEST_CASE("packages for GPUs in an image without CUDA's libraries") {
    const auto says = [](const std::string& from, const std::string& packages, const std::string& more = "") {
        return codes_in("Dockerfile", "FROM " + from + "\n" + more + "RUN pip install " + packages + "\n");
    };
    const Codes lacks{"warning CC401"};
    CHECK(says("python:3.11-slim", "onnxruntime-gpu==1.20.0") == lacks);
    CHECK(says("ubuntu:22.04", "numpy onnxruntime-gpu==1.18.0") == lacks);
    CHECK(says("python:3.11-slim", "onnxruntime-gpu==1.20.0 torch==2.5.1") == k_new_enough);
    CHECK(says("python:3.11-slim", "onnxruntime-gpu==1.20.0 nvidia-cudnn-cu12") == k_new_enough);
    CHECK(says("python:3.11-slim", "onnxruntime-gpu==1.20.0", "COPY --from=libs /usr/lib /usr/lib\n") ==
          k_new_enough);
    CHECK(says("python:3.11-slim", "onnxruntime-gpu==1.20.0", "RUN ./install_cuda.sh\n") == k_new_enough);
    CHECK(says("python:3.11-slim", "tensorflow==2.15.0") == k_new_enough);
    CHECK(says("mine/python", "onnxruntime-gpu==1.20.0") == k_new_enough);
}

TEST_CASE("the repository of the system's own release") {
    const auto says = [](const std::string& runner, const std::string& cuda) {
        return codes_in(".github/workflows/ci.yml",
                        "on: [push]\njobs:\n  b:\n    runs-on: " + runner +
                            "\n    steps:\n      - run: |\n          U=$(lsb_release -sr)\n"
                            "          sudo add-apt-repository \"deb https://developer.download.nvidia.com/"
                            "compute/cuda/repos/ubuntu${U//.}/x86_64/ /\"\n"
                            "          sudo apt-get install -y cuda-nvcc-" +
                            cuda + "\n");
    };
    CHECK(says("ubuntu-24.04", "12-3") == Codes{"error CC620"});
    CHECK(says("ubuntu-22.04", "12-3") == k_new_enough);
    CHECK(says("ubuntu-24.04", "12-6") == k_new_enough);
    CHECK(says("self-hosted", "12-3") == k_new_enough);
}

}  // namespace ptxguard::recipes
