// Host compilers and flags of nvcc that the files of a build put together -> the findings of the judge.
// SPDX-License-Identifier: Apache-2.0
#include "said.hpp"

namespace ptxguard::recipes {

TEST_CASE("the CMake that an action runs, with the Visual Studio of a Windows runner") {
    const auto says = [](const std::string& runner, const std::string& cuda, const std::string& builds) {
        return workflow_says(
            "  build:\n    runs-on: " + runner +
            "\n    steps:\n      - uses: Jimver/cuda-toolkit@v0.2.19\n        with: {cuda: '" + cuda +
            "'}\n" + builds);
    };
    const std::string advanced =
        "      - uses: lukka/run-cmake@v3\n        with:\n          cmakeListsTxtPath: CMakeLists.txt\n"
        "          cmakeListsOrSettingsJson: ";
    const std::string arguments = "\n          cmakeAppendedArgs: -A x64 ";
    CHECK(only_says(
        says("windows-2022", "11.6.0", advanced + "CMakeListsTxtAdvanced" + arguments + "-T host=x64\n"),
        "msvc 19.44"));
    CHECK(is_silent(says("windows-2022", "12.4.1", advanced + "CMakeListsTxtAdvanced" + arguments + "\n")));
    CHECK(is_silent(
        says("windows-2022", "12.1.0", advanced + "CMakeListsTxtAdvanced" + arguments + "-T v142\n")));
    CHECK(is_silent(says("windows-2022", "12.1.0", advanced + "CMakeSettingsJson" + arguments + "\n")));
    const std::string other = "      - uses: threeal/cmake-action@v2.1.0\n        with:\n          ";
    CHECK(only_says(says("windows-2022", "12.1.0", other + "options: |\n            WITH_CUDA=ON\n"),
                    "msvc 19.44"));
    CHECK(is_silent(says("windows-2022", "12.1.0", other + "args: -T v142\n")));
    CHECK(is_silent(says("windows-2022", "12.1.0", "      - uses: lukka/get-cmake@latest\n")));
    CHECK(only_says(says("windows-2022", "12.1.0", "      - uses: ashutoshvarma/action-cmake-build@master\n"),
                    "msvc 19.44"));
}

TEST_CASE("the Visual Studio of a Windows runner and the nvcc of a step") {
    const auto says = [](const std::string& runner, const std::string& steps) {
        return workflow_says("  build:\n    runs-on: " + runner + "\n    steps:\n" + steps +
                             "      - run: cmake -B build -G Ninja\n");
    };
    const auto jimver = [](const std::string& cuda) {
        return "      - uses: Jimver/cuda-toolkit@v0.2.19\n        with: {cuda: '" + cuda + "'}\n";
    };
    const std::string studio = "      - uses: ilammy/msvc-dev-cmd@v1\n";
    CHECK(only_says(says("windows-2022", jimver("12.1.0") + studio), "msvc 19.44"));
    CHECK(only_says(says("windows-latest", jimver("12.4.1") + studio), "msvc 19.50"));
    CHECK(is_silent(says("windows-2022", jimver("12.4.1") + studio)));
    CHECK(is_silent(says("windows-2022", jimver("12.1.0") + studio + "        with: {toolset: 14.29}\n")));
    CHECK(is_silent(says("windows-2019", jimver("11.8.0"))));
    CHECK(is_silent(says("self-hosted", jimver("12.1.0"))));
    // The release that only a variable names, an installer, choco.
    CHECK(
        only_says(says("windows-2022",
                       "      - shell: bash\n        run: echo \"CUDA_PATH=C:\\\\Program Files\\\\NVIDIA GPU "
                       "Computing Toolkit\\\\CUDA\\\\v11.8\" >> $GITHUB_ENV\n"),
                  "msvc 19.44"));
    CHECK(only_says(says("windows-2022",
                         "      - run: Invoke-WebRequest https://developer.download.nvidia.com/compute/cuda/"
                         "12.1.1/network_installers/cuda_12.1.1_windows_network.exe -OutFile cuda.exe\n"),
                    "msvc 19.44"));
    CHECK(only_says(says("windows-2022", "      - run: choco install cuda --version=12.1.1.531 -y\n"),
                    "msvc 19.44"));
    CHECK(is_silent(says("windows-2022", "      - run: choco install cuda --version=12.8.1.572 -y\n")));
    // Clang is no compiler of nvcc's there; CUDA 11.5 is older than Visual Studio 2022.
    CHECK(only_says(says("windows-2022", "      - run: choco install llvm -y\n" + jimver("11.5.1")),
                    "msvc 19.44"));
    const auto crate = [&](const char* feature) {
        return workflow_says("  build:\n    runs-on: windows-2022\n    steps:\n" + jimver("12.1.0") +
                             "      - run: cargo build --release --features " + feature + "\n");
    };
    CHECK(only_says(crate("cuda"), "msvc 19.44"));
    CHECK(is_silent(crate("vulkan")));
    const auto bazel = [&](const std::string& runner) {
        return workflow_says("  build:\n    runs-on: " + runner + "\n    steps:\n" + jimver("12.4.1") +
                             "      - run: bazelisk build //basic:all\n");
    };
    CHECK(only_says(bazel("windows-2025"), "msvc 19.50"));
    CHECK(is_silent(bazel("windows-2022")));
    const auto generator = [&](const std::string& runner, const std::string& options) {
        return workflow_says("  build:\n    runs-on: " + runner + "\n    steps:\n" + jimver("12.1.0") +
                             "      - run: cmake -B build " + options + "\n");
    };
    CHECK(only_says(generator("windows-2022", "-G \"Visual Studio 17 2022\" -A x64"), "msvc 19.44"));
    CHECK(
        only_says(generator("windows-2022", "-G \"Visual Studio 16 2019\" -A x64"), "no Visual Studio 2019"));
    CHECK(only_says(generator("windows-latest", "-G \"Visual Studio 17 2022\" -A x64"),
                    "no Visual Studio 2022, only Visual Studio 2026"));
    CHECK(is_silent(generator("self-hosted", "-G \"Visual Studio 16 2019\" -A x64")));
    CHECK(is_silent(generator("windows-2022", "-T v142,host=x64")));
    // Its STL stops nvcc before 12.4 all the same, unless that is switched off too.
    CHECK(
        only_says(generator("windows-2022", "-DCMAKE_CUDA_FLAGS=-allow-unsupported-compiler"), "msvc 19.44"));
    CHECK(is_silent(generator("windows-2022",
                              "\"-DCMAKE_CUDA_FLAGS=-allow-unsupported-compiler "
                              "-D_ALLOW_COMPILER_AND_STL_VERSION_MISMATCH\"")));
    // Visual Studio 2026 has headers that nvcc does not read before 13.2.
    CHECK(only_says(generator("windows-2025", "-DCMAKE_CUDA_FLAGS=-allow-unsupported-compiler"),
                    "cannot read its headers"));
    CHECK(is_silent(generator("windows-2025",
                              "-DCMAKE_CUDA_COMPILER=clang++ -T v143 "
                              "-DCMAKE_CUDA_FLAGS=-allow-unsupported-compiler")));
    CHECK(only_says(workflow_says("  build:\n    runs-on: windows-2022\n    steps:\n" + jimver("11.8.0") +
                                  "      - shell: cmd\n        run: |\n          if \"%X%\" == \"1\" (\n"
                                  "            set FLAGS=-allow-unsupported-compiler\n          )\n"
                                  "          cmake -B build -DCMAKE_CUDA_FLAGS=\"%FLAGS%\"\n"),
                    "msvc 19.44"));
    CHECK(is_silent(says("windows-2022", jimver("12.1.0") +
                                             "      - run: choco install -y visualstudio2022buildtools "
                                             "--version=117.9.7.0\n")));
    CHECK(
        is_silent(workflow_says("  build:\n    runs-on: ${{ matrix.os }}\n    strategy:\n      matrix:\n"
                                "        os: [ubuntu-22.04, windows-2022]\n    steps:\n"
                                "      - if: startsWith(matrix.os, 'ubuntu')\n"
                                "        uses: Jimver/cuda-toolkit@v0.2.19\n        with: {cuda: '12.1.0'}\n"
                                "      - run: cmake -B build -G Ninja\n")));
}

TEST_CASE("flags that a setup.py makes of a list are judged with the nvcc of the image") {
    const auto says = [](const std::string& cuda, const std::string& setup) {
        return said_of("Dockerfile",
                       "FROM nvidia/cuda:" + cuda +
                           "-devel-ubuntu22.04\nCOPY . /src\nWORKDIR /src\n"
                           "RUN python3 setup.py install\n",
                       {{"setup.py", setup}});
    };
    const std::string use =
        "flags = []\nfor major, minor in list(capabilities):\n    flags.extend([\n"
        "        '-gencode',\n        f'arch=compute_{major}{minor},code=sm_{major}{minor}',\n"
        "    ])\nsetup(ext_modules=[CUDAExtension('a', ['a.cu'], "
        "extra_compile_args={'nvcc': flags})])\n";
    const std::string old = "capabilities = set([\n    (3, 7), # K80\n    (7, 0),\n])\n";
    CHECK(only_says(says("12.1.1", old + use), "sm_37"));
    CHECK(is_silent(says("11.8.0", old + use)));
    CHECK(is_silent(
        says("12.1.1", "capabilities = set([(7, 0)])\nif old:\n    capabilities.add((3, 7))\n" + use)));
    CHECK(is_silent(says("12.1.1", "capabilities = set([(7, 0), here()])\n" + use)));
    const std::string strings =
        "ARCHS = ['70', '120']\nflags = [f'-gencode=arch=compute_{a},code=sm_{a}' for a in "
        "ARCHS]\nsetup(ext_modules=[CUDAExtension('a', ['a.cu'])])\n";
    CHECK(only_says(says("12.1.1", strings), "sm_120"));
    CHECK(is_silent(says("12.8.1", strings)));
}

TEST_CASE("variables that Python in a here-document writes") {
    const auto says = [](const std::string& torch, const std::string& file = "GITHUB_ENV") {
        return workflow_says(
            "  a:\n    runs-on: ubuntu-22.04\n    steps:\n      - run: |\n"
            "          python3 - <<'EOF'\n          import os\n"
            "          with open(os.environ['" +
            file +
            "'], 'a') as env:\n              env.write('CU=cu124\\n')\n          EOF\n"
            "      - run: pip install torch==" +
            torch + " --index-url https://download.pytorch.org/whl/$CU\n");
    };
    CHECK(only_says(says("2.8.0"), "torch==2.8.0+cu124 was never released"));
    CHECK(is_silent(says("2.6.0")));
    CHECK(is_silent(says("2.8.0", "GITHUB_STEP_SUMMARY")));
}

}  // namespace ptxguard::recipes
