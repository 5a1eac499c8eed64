// Lists of architectures and compilers of images that jobs and build files choose -> the findings of the
// judge. Each class with a similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

// With notes.
std::string job_gets(const std::string& steps, const std::string& above = "") {
    return codes_of(
        ".github/workflows/ci.yml",
        "on: [push]\njobs:\n  build:\n    runs-on: ubuntu-24.04\n" + above + "    steps:\n" + steps, {},
        true);
}

}  // namespace

TEST_CASE("lists of architectures are written in the form of their reader") {
    const std::string image = "nvidia/cuda:12.4.1-devel-ubuntu22.04",
                      build = "RUN cmake -B b -DGGML_CUDA=ON ";
    const std::string option = "-DCMAKE_CUDA_ARCHITECTURES=",
                      torch = "pytorch/pytorch:2.4.0-cuda12.4-cudnn9-devel";
    for (const char* list : {"8.0", "'8.0;9.0'", "'80 90'", "80,90", "sm_80", "'75;sm_86'", "Common"})
        CHECK(image_gets(image, build + option + list + " .") == "CC203");
    for (const char* list : {"80", "'80;90a'", "'75-real;90-virtual'", "OFF", "$ARCHS"})
        CHECK(image_gets(image, build + option + list + " .") == k_silent);
    CHECK(image_gets(image, "ENV CUDAARCHS=8.6\n" + build + ".") == "CC203");
    CHECK(image_gets(image, "ENV CUDAARCHS=86\n" + build + ".") == k_silent);
    // The project may read it itself.
    CHECK(image_gets(image, "RUN cmake -B b " + option + "8.9 .") == k_silent);
    const std::string set = "set(CMAKE_CUDA_ARCHITECTURES 7.5 8.6)\nproject(a LANGUAGES ";
    CHECK(codes_of("CMakeLists.txt", set + "CXX CUDA)\nadd_executable(a a.cu)\n") == "CC203");
    CHECK(codes_of("CMakeLists.txt", set + "CXX)\nadd_executable(a a.cpp)\n") == k_silent);
    for (const char* list : {"80", "sm_80", "8.0,8.6"})
        CHECK(image_gets(torch, std::string("ENV TORCH_CUDA_ARCH_LIST=\"") + list +
                                    "\"\nRUN pip install -v git+https://github.com/NVlabs/nvdiffrast") ==
              "CC203");
    CHECK(image_gets(torch,
                     "ENV TORCH_CUDA_ARCH_LIST=\"8.0 8.6+PTX\"\n"
                     "RUN pip install -v git+https://github.com/NVlabs/nvdiffrast") == k_silent);
}

TEST_CASE("jobs in the containers of manylinux compile with the toolset of these") {
    const auto job = [](const std::string& image, const std::string& more, const std::string& cuda = "12-6") {
        return job_gets("      - run: dnf install -y cuda-nvcc-" + cuda + more +
                            "\n      - run: cargo build --features cuda\n",
                        "    container: " + image + "\n");
    };
    const std::string k_refused = "CC108";
    const std::string newest = "quay.io/pypa/manylinux_2_28_x86_64";
    CHECK(job(newest, "") == k_refused);
    CHECK(job(newest + ":2025.03.09-1", "") == k_refused);
    CHECK(job(newest, "", "12-8") == k_silent);
    CHECK(job(newest, " gcc-toolset-12-gcc-c++") == k_silent);
    CHECK(job(newest + ":2022-11-19-1b19e81", "") == k_silent);  // another compiler, of no table
    CHECK(job("quay.io/pypa/manylinux2014_x86_64", "") == k_silent);
    CHECK(job("ghcr.io/mine/manylinux_2_28_x86_64", "") == k_silent);
}

TEST_CASE("a build script of candle calls nvcc, which finds no cl.exe in a job of Windows") {
    const std::string manifest =
        "[features]\ncuda = [\"candle-core/cuda\"]\ngpu = [\"cuda\"]\nllama-cuda = [\"llama/cuda\"]\n";
    const auto lock = [](const std::string& by) {
        return "[[package]]\nname = \"candle-core\"\nversion = \"0.9.1\"\n\n[[package]]\n"
               "name = \"candle-kernels\"\nversion = \"0.9.1\"\ndependencies = [\n \"" +
               by + "\",\n]\n";
    };
    const auto job = [&](const std::string& steps, const std::string& by = "bindgen_cuda",
                         const std::string& runner = "windows-2022") {
        return codes_of(".github/workflows/ci.yml",
                        "on: [push]\njobs:\n  a:\n    runs-on: " + runner +
                            "\n    steps:\n      - uses: Jimver/cuda-toolkit@v0.2.30\n"
                            "        with: {cuda: 12.6.2}\n" +
                            steps,
                        {{"Cargo.toml", manifest}, {"Cargo.lock", lock(by)}});
    };
    const std::string build = "      - run: cargo build --release --features ";
    CHECK(job(build + "cuda\n") == "CC107");
    CHECK(job("      - run: cargo +stable test -F gpu\n") == "CC107");
    CHECK(job(build + "llama-cuda\n") == k_silent);  // by CMake, which finds Visual Studio
    CHECK(job(build + "metal\n") == k_silent);
    CHECK(job("      - uses: ilammy/msvc-dev-cmd@v1\n" + build + "cuda\n") == k_silent);
    CHECK(job(build + "cuda\n        env: {NVCC_CCBIN: 'C:\\a\\cl.exe'}\n") == k_silent);
    CHECK(job(build + "cuda\n", "cudaforge") == k_silent);
    CHECK(job(build + "cuda\n", "bindgen_cuda", "ubuntu-24.04") == k_silent);
}

TEST_CASE("nvcc and Ninja take the cl.exe of PATH, which jobs of Windows do not have there") {
    const auto job = [](const std::string& steps) {
        return codes_of(".github/workflows/ci.yml",
                        "on: [push]\njobs:\n  build:\n    runs-on: windows-2022\n    steps:\n"
                        "      - uses: actions/checkout@v4\n      - uses: Jimver/cuda-toolkit@v0.2.30\n"
                        "        with:\n          cuda: '12.6.0'\n" +
                            steps);
    };
    const std::string none = "CC107", prompt = "      - uses: ilammy/msvc-dev-cmd@v1\n";
    CHECK(job("      - run: nvcc -o a a.cu\n") == none);
    CHECK(job(prompt + "      - run: nvcc -o a a.cu\n") == k_silent);
    CHECK(job("      - uses: microsoft/setup-msbuild@v2\n      - run: nvcc -o a a.cu\n") == none);
    CHECK(job("      - uses: someone/compilers@v1\n      - run: nvcc -o a a.cu\n") == k_silent);
    CHECK(job("      - run: nvcc -ccbin C:/vs/cl.exe -o a a.cu\n") == k_silent);
    CHECK(job("      - run: nvcc --version\n") == k_silent);
    CHECK(job("      - run: cmake -G Ninja -B b -DGGML_CUDA=ON\n") == none);
    CHECK(job("      - run: cmake -B b -DGGML_CUDA=ON\n") == k_silent);
    CHECK(job("      - shell: cmd\n        run: |\n"
              "          call \"C:\\Program Files\\Microsoft Visual Studio\\2022\\Enterprise\\VC\\Auxiliary"
              "\\Build\\vcvars64.bat\"\n          cmake -G Ninja -B b -DGGML_CUDA=ON\n") == k_silent);
}

TEST_CASE("a Visual Studio that the runner does not have") {
    const auto job = [](const std::string& steps, const std::string& runner = "windows-2022") {
        return codes_of(".github/workflows/ci.yml",
                        "on: [push]\njobs:\n  build:\n    runs-on: " + runner +
                            "\n    steps:\n      - uses: Jimver/cuda-toolkit@v0.2.30\n"
                            "        with: {cuda: '12.8.0'}\n" +
                            steps);
    };
    const std::string build = "      - run: cmake -B b -DGGML_CUDA=ON\n";
    const auto prompt = [](const std::string& year) {
        return "      - shell: cmd\n        run: |\n          call \"C:\\Program Files\\Microsoft Visual "
               "Studio\\" +
               year +
               "\\Enterprise\\VC\\Auxiliary\\Build\\vcvars64.bat\"\n"
               "          cmake -G Ninja -B b -DGGML_CUDA=ON\n";
    };
    CHECK(job(prompt("2019")) == "CC107");
    CHECK(job(prompt("2022")) == k_silent);
    CHECK(job("      - shell: cmd\n        run: |\n          call \"C:/Microsoft Visual "
              "Studio/2019/Common7/Tools/"
              "VsDevCmd.bat\"\n          cmake -G Ninja -B b -DGGML_CUDA=ON\n") == "CC107");
    CHECK(job("      - run: choco install visualstudio2019buildtools -y\n" + prompt("2019")) == k_silent);
    const std::string variable = "        env: {CMAKE_GENERATOR: Visual Studio 16 2019}\n";
    CHECK(job(build + variable) == "CC107");
    CHECK(job(build + "        env: {CMAKE_GENERATOR: Visual Studio 17 2022}\n") == k_silent);
    CHECK(job("      - run: cmake -G'Visual Studio 17 2022' -B b\n", "windows-2025") == "CC107");
    CHECK(job("      - run: copy x 'C:\\Microsoft Visual Studio\\2022\\VC\\v170\\BuildCustomizations'\n" +
                  build,
              "windows-2025") == "CC108");
    // A script of a POSIX shell that PowerShell starts.
    const auto script = [&](const std::string& text) {
        return codes_of(".github/workflows/ci.yml",
                        "on: [push]\njobs:\n  build:\n    runs-on: windows-2025\n    steps:\n"
                        "      - uses: Jimver/cuda-toolkit@v0.2.30\n        with: {cuda: '12.8.0'}\n"
                        "      - run: bash tools/b.sh\n        env: {build_os: windows-2025}\n",
                        {{"tools/b.sh", text}});
    };
    CHECK(script("if [ \"${build_os:0:7}\" == windows ]; then cmake -B b; fi\n") == "CC108");
    CHECK(script("if [ \"${build_os:0:6}\" == ubuntu ]; then cmake -B b; fi\n") == k_silent);
    // A file of another one that is only copied.
    CHECK(job("      - run: copy \"C:\\Microsoft Visual Studio\\2019\\a.props\" b\n" + build) == k_silent);
}

TEST_CASE("an installer that its download names otherwise") {
    const std::string url =
        "https://developer.download.nvidia.com/compute/cuda/11.6.2/local_installers/"
        "cuda_11.6.2_510.47.03_linux.run";
    const auto job = [&](const std::string& download, const std::string& archs) {
        return job_gets("      - run: " + download + "\n      - run: sudo sh cuda.run --silent --toolkit\n" +
                        "      - run: cmake -B b -DCMAKE_CUDA_HOST_COMPILER=g++-11 "
                        "-DCMAKE_CUDA_ARCHITECTURES=" +
                        archs + "\n");
    };
    CHECK(job("wget -q -O cuda.run " + url, "90") == "CC203");
    CHECK(job("curl -L " + url + " --output cuda.run", "90") == "CC203");
    CHECK(job("curl -L " + url + " --output cuda.run", "86") == k_silent);
    CHECK(job("wget -q -O other.run " + url, "90") == k_silent);
}

namespace {

// A job that installs this CUDA and runs the step, in a repository with these files.
std::string builds(const std::string& cuda, const std::string& step, const Files& files,
                   const std::string& runner = "ubuntu-24.04", const std::string& before = "") {
    return codes_of(".github/workflows/ci.yml",
                    "on: [push]\njobs:\n  build:\n    runs-on: " + runner + "\n    steps:\n" + before +
                        "      - uses: Jimver/cuda-toolkit@v0.2.30\n        with:\n          cuda: '" + cuda +
                        "'\n      - run: " + step + "\n",
                    files);
}

}  // namespace

TEST_CASE("a project of CMake is built with the compiler of the runner") {
    const auto project = [](const std::string& languages, const std::string& more = "") {
        return Files{{"CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(a LANGUAGES " +
                                            languages + ")\n" + more + "add_executable(a a.cu)\n"}};
    };
    CHECK(builds("11.8.0", "cmake -B build", project("CXX CUDA")) == "CC108");
    CHECK(builds("11.8.0", "mkdir b && cd b && cmake ..", project("CXX CUDA")) == "CC108");
    CHECK(builds("12.4.0", "cmake -B build", project("CXX CUDA")) == k_silent);
    CHECK(builds("11.8.0", "cmake -B build", project("CXX CUDA"), "ubuntu-22.04") == k_silent);
    CHECK(builds("11.8.0", "cmake -B build", project("CXX")) == k_silent);
    CHECK(builds("11.8.0", "cmake -B build",
                 project("CXX",
                         "option(GPU \"\" OFF)\nif(GPU)\n  "
                         "enable_language(CUDA)\nendif()\n")) == k_silent);
    const std::string host = "cmake -B build -DCMAKE_CUDA_HOST_COMPILER=g++-";
    CHECK(builds("11.8.0", host + "11", project("CXX CUDA")) == k_silent);
    CHECK(builds("11.8.0", host + "12", project("CXX CUDA")) == "CC108");
    CHECK(builds("11.8.0", "ctest", project("CXX CUDA")) == k_silent);
}

TEST_CASE("the host compiler that a Makefile names for a target") {
    const auto makefile = [](const std::string& compiler) {
        return Files{{"Makefile", "all:\n\techo\nx: FLAGS = -ccbin " + compiler +
                                      "\nx: a.cu\n\tnvcc $(FLAGS) -O2 a.cu\ny: a.cu\n\tnvcc "
                                      "--compiler-bindir=$(CC_OF_Y) a.cu\n"}};
    };
    CHECK(builds("11.8.0", "make x", makefile("g++-12")) == "CC108");
    CHECK(builds("11.8.0", "make x", makefile("g++-11")) == k_silent);
    CHECK(builds("11.8.0", "make x", makefile("g++-12 -allow-unsupported-compiler")) == k_silent);
    CHECK(builds("11.8.0", "make", makefile("g++-12")) == k_silent);
    CHECK(builds("11.8.0", "make y CC_OF_Y=g++-12", makefile("g++-11")) == "CC108");
    CHECK(builds("11.8.0", "make y", makefile("g++-11")) == k_silent);
}

TEST_CASE("an expression reads what an earlier step wrote to the environment") {
    const auto job = [](const std::string& runner, const std::string& shell, const std::string& text) {
        return builds("${{ env.CUDA }}", "cmake -B b -DCMAKE_CUDA_ARCHITECTURES=120",
                      {{"CMakeLists.txt", "project(a LANGUAGES CUDA)\n"}}, runner,
                      "      - shell: " + shell + "\n        run: |\n          " + text + "\n");
    };
    CHECK(job("ubuntu-22.04", "bash", "echo \"CUDA=12.4.0\" >> $GITHUB_ENV") == "CC203");
    CHECK(job("ubuntu-22.04", "bash", "echo \"CUDA=12.8.0\" >> $GITHUB_ENV") == k_silent);
    CHECK(job("ubuntu-22.04", "bash", "echo \"CUDA=$(cat v)\" >> $GITHUB_ENV") == k_silent);
    CHECK(job("ubuntu-22.04", "bash", "echo \"CUDA=${{ github.ref }}\" >> $GITHUB_ENV") == k_silent);
    for (const char* text : {"echo \"CUDA=12.4.0\" >> $env:GITHUB_ENV", "\"CUDA=12.4.0\" >> $env:GITHUB_ENV",
                             "Add-Content -Path $env:GITHUB_ENV -Value \"CUDA=12.4.0\"",
                             "\"CUDA=12.4.0\" | Out-File -FilePath $env:GITHUB_ENV -Append"})
        CHECK(job("windows-2022", "pwsh", text) == "CC203");
    CHECK(job("windows-2022", "cmd", "echo CUDA=12.4.0>>%GITHUB_ENV%") == "CC203");
    CHECK(job("windows-2022", "pwsh", "\"CUDA=12.8.0\" >> $env:GITHUB_ENV") == k_silent);
    const auto python = [&](const std::string& writes, const std::string& before = "") {
        return job("ubuntu-22.04", "python",
                   "import os\n          " + before + "with open(os.environ['GITHUB_ENV'], 'a') as f:\n" +
                       "              " + writes);
    };
    CHECK(python("f.write('CUDA=12.4.0\\n')") == "CC203");
    CHECK(python("print(f\"CUDA=12.4.0\", file=f)") == "CC203");
    CHECK(python("f.write('CUDA=12.8.0\\n')") == k_silent);
    CHECK(python("f.write(f'CUDA={release}\\n')") == k_silent);
    CHECK(python("f.write('CUDA=12.4.0' + more)") == k_silent);
    CHECK(python("f.write('CUDA=12.4.0\\n')", "if x: pass\n          ") == "CC203");
    CHECK(python("if x: f.write('CUDA=12.4.0\\n')") == k_silent);
}

}  // namespace ptxguard::recipes
