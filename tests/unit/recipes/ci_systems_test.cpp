// Jobs of CircleCI and Travis, and the branches of install scripts -> the findings of the judge.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <iterator>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const Codes k_silence;

std::ptrdiff_t problems_in(const std::string& name, const std::string& text) {
    const Recipe recipe = read_recipe({name, *recipe_kind(name)}, text, reader_of({}));
    return std::distance(recipe.problems.begin(), recipe.problems.end());
}

}  // namespace

TEST_CASE("CircleCI: the shell of a machine, and the Visual Studio of an image") {
    const auto says = [](const std::string& image, const std::string& cuda, const std::string& studio = "") {
        return codes_in(
            ".circleci/config.yml",
            "jobs:\n  win:\n    machine:\n      image: " + image +
                "\n      shell: powershell.exe -ExecutionPolicy Bypass\n    steps:\n      - checkout\n"
                "      - run: |\n          curl.exe -LO "
                "\"https://developer.download.nvidia.com/compute/cuda/" +
                cuda + "/network_installers/cuda_" + cuda + "_windows_network.exe\"\n          .\\cuda_" +
                cuda + "_windows_network.exe -s nvcc_" + cuda.substr(0, 4) + "\n" + studio +
                "          cmake -S . -B build `\n            -DCMAKE_BUILD_TYPE=Release\n");
    };
    const std::string image = "windows-server-2022-gui:";
    const Codes refused{"warning CC108"};
    CHECK(says(image + "current", "11.8.0") == refused);
    CHECK(says(image + "2024.07.1", "12.1.1") == refused);
    CHECK(says(image + "2024.04.1", "11.8.0") == k_silence);
    CHECK(says(image + "current", "12.4.1") == k_silence);
    CHECK(says("windows-server-2019:current", "11.8.0") == k_silence);
    const std::string where = "          $vs = & \"C:\\Installer\\vswhere.exe\" ";
    CHECK(says(image + "current", "11.8.0", where + "-property installationpath\n") == refused);
    CHECK(says(image + "current", "11.8.0", where + "-version \"[16.0,17.0)\"\n") == k_silence);
}

TEST_CASE("components that a command selects of NVIDIA's installer for Windows") {
    const auto says = [](const std::string& cuda, const std::string& command) {
        const std::string file = "cuda_" + cuda + ".0_windows_network.exe";
        return codes_in(
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  win:\n    runs-on: windows-2022\n    steps:\n      - shell: pwsh\n"
            "        run: |\n          Invoke-WebRequest https://developer.download.nvidia.com/"
            "compute/cuda/" +
                cuda + ".0/network_installers/" + file + " -OutFile cuda.exe\n          " + command +
                "\n      - uses: ilammy/msvc-dev-cmd@v1\n      - run: nvcc -c a.cu\n");
    };
    const Codes lacks{"error CC105"}, other{"error CC620"};
    const std::string parts = "nvcc_13.0 cudart_13.0", more = " crt_13.0 nvvm_13.0 nvptxcompiler_13.0";
    const std::string start = "Start-Process -Wait -FilePath .\\cuda.exe -ArgumentList \"-s ";
    CHECK(says("13.0", ".\\cuda.exe -s " + parts) == lacks);
    CHECK(says("13.0", start + parts + "\"") == lacks);
    CHECK(says("13.0",
               "Start-Process \"$env:TEMP\\cuda.exe\" -ArgumentList '-s', 'nvcc_13.0', 'cudart_13.0'") ==
          lacks);
    CHECK(says("13.0", ".\\cuda.exe -s " + parts + more) == k_silence);
    CHECK(says("13.0", start + parts + more + "\"") == k_silence);
    CHECK(says("13.0", ".\\cuda.exe -s") == k_silence);
    CHECK(says("12.8", ".\\cuda.exe -s nvcc_12.8 cudart_12.8") == k_silence);
    CHECK(says("12.8", start + "nvcc_12.6 cudart_12.8\"") == other);
}

TEST_CASE("Travis: a job for each line of env and of jobs, with the phases of the file") {
    const auto says = [](const std::string& jobs) {
        return codes_in(".travis.yml", "language: cpp\ndist: bionic\n" + jobs +
                                           "install:\n  - sudo apt-get install -y cuda-toolkit-${CUDA/./-}\n"
                                           "  - export PATH=/usr/local/cuda-$CUDA/bin:$PATH\n"
                                           "script: nvcc -arch=$ARCH -c a.cu\n");
    };
    const Codes unknown{"error CC203"};
    CHECK(says("env: CUDA=10.2 ARCH=sm_86\n") == unknown);
    CHECK(says("env:\n  - CUDA=10.2 ARCH=sm_75\n  - CUDA=10.2 ARCH=\"sm_80\"\n") == unknown);
    CHECK(says("env:\n  global:\n    - ARCH=sm_86\n  jobs:\n    - CUDA=10.2\n    - CUDA=11.1\n") == unknown);
    CHECK(
        says("jobs:\n  include:\n    - name: new\n      env:\n        - CUDA=11.1\n        - ARCH=sm_89\n") ==
        unknown);
    CHECK(says("matrix:\n  include:\n    - env: CUDA=10.2 ARCH=sm_86\n      script: make\n") == k_silence);
    CHECK(says("env:\n  - CUDA=10.2 ARCH=sm_75\n  - CUDA=11.1 ARCH=sm_86\n") == k_silence);
    CHECK(codes_in(".travis.yml",
                   "language: cpp\ndist: focal\naddons:\n  apt:\n    packages:\n      - nvidia-cuda-toolkit\n"
                   "script: nvcc -arch=sm_80 -c a.cu\n") == unknown);
}

TEST_CASE("cibuildwheel runs the commands of its variables, on Linux in an image for wheels") {
    const auto says = [](const std::string& runner, const std::string& variable, const std::string& text,
                         const std::string& step = "uses: pypa/cibuildwheel@v3.4.0") {
        return codes_in(".github/workflows/wheels.yml",
                        "on: push\njobs:\n  wheels:\n    runs-on: " + runner + "\n    steps:\n      - " +
                            step + "\n        env:\n          " + variable + ": " + text + "\n");
    };
    const std::string torch = "pip install torch==2.99";
    const Codes absent{"error CC603"};
    CHECK(says("ubuntu-latest", "CIBW_BEFORE_ALL_LINUX", torch) == absent);
    CHECK(says("ubuntu-latest", "CIBW_BEFORE_BUILD",
               ">-\n            cd {project} &&\n            " + torch) == absent);
    CHECK(says("ubuntu-latest", "CIBW_BEFORE_ALL", torch, "run: python -m cibuildwheel --output-dir out") ==
          absent);
    CHECK(says("windows-2022", "CIBW_BEFORE_ALL_WINDOWS", torch) == absent);
    CHECK(says("windows-2022", "CIBW_BEFORE_ALL_LINUX", torch) == k_silence);
    CHECK(says("ubuntu-latest", "CIBW_BEFORE_ALL_MACOS", torch) == k_silence);
    CHECK(says("macos-14", "CIBW_BEFORE_ALL", torch) == k_silence);
    CHECK(says("ubuntu-latest", "CIBW_BEFORE_ALL", torch, "run: make wheels") == k_silence);
    CHECK(says("ubuntu-latest", "CIBW_BEFORE_BUILD", "pip install torch==2.6.0") == k_silence);
    const std::string page = "curl -O https://developer.download.nvidia.com/compute/cuda/";
    CHECK(says("ubuntu-latest", "CIBW_BEFORE_ALL",
               page + "13.1/local_installers/cuda_13.1.1_590.44.01_linux.run") == Codes{"error CC620"});
}

TEST_CASE("cibuildwheel runs the commands of pyproject.toml, which variables override") {
    const auto says = [](const std::string& options,
                         const std::string& step = "uses: pypa/cibuildwheel@v3.4.0",
                         const std::string& file = "pyproject.toml") {
        return codes_in(
            ".github/workflows/wheels.yml",
            "on: push\njobs:\n  wheels:\n    runs-on: ubuntu-latest\n    steps:\n      - " + step + "\n",
            {{file, "[project]\nname = \"a\"\n" + options}});
    };
    const std::string torch = "pip install torch==2.99", table = "[tool.cibuildwheel.linux]\n";
    const Codes absent{"error CC603"};
    CHECK(says(table + "before-all = '" + torch + "'\n") == absent);
    CHECK(says("[tool.cibuildwheel]\nbefore-build = ['true', '" + torch + "']\n") == absent);
    CHECK(says("[tool.cibuildwheel.windows]\nbefore-all = '" + torch + "'\n") == k_silence);
    CHECK(says("[tool.cibuildwheel]\nbefore-all = '" + torch + "'\n" + table + "before-all = 'true'\n") ==
          k_silence);
    CHECK(says(table + "before-all = '" + torch + "'\n",
               "uses: pypa/cibuildwheel@v3.4.0\n        env: {CIBW_BEFORE_ALL: 'true'}") == k_silence);
    const std::string below = "python/pyproject.toml";
    CHECK(says(table + "before-all = '" + torch + "'\n", "run: cibuildwheel --output-dir out python",
               below) == absent);
    CHECK(says(table + "before-all = '" + torch + "'\n", "run: cibuildwheel --output-dir python", below) ==
          k_silence);
    CHECK(says(table + "before-all = '" + torch + "'\n",
               "uses: pypa/cibuildwheel@v3.4.0\n        with: {package-dir: python}", below) == absent);
}

TEST_CASE("what python or julia reads is no text of a shell") {
    const std::string file = ".github/workflows/a.yml";
    const auto step = [](const std::string& shell, const std::string& text) {
        return "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - shell: " + shell +
               "\n        run: |\n          " + text + "\n";
    };
    const std::string code = "Pkg.add(\"CUDA\")", torch = "pip install torch==2.99";
    for (const char* shell : {"python", "python3 \"{0}\"", "julia --color=yes {0}", "uv run python {0}"}) {
        CAPTURE(std::string(shell));
        CHECK(problems_in(file, step(shell, code)) == 0);
        CHECK(codes_in(file, step(shell, torch)) == k_silence);
    }
    CHECK(problems_in(file, step("bash -el {0}", code)) == 1);
    CHECK(codes_in(file, step("micromamba-shell {0}", torch)) == Codes{"error CC603"});
    const std::string circle =
        "jobs:\n  a:\n    docker: [{image: a}]\n    steps:\n      - run: {command: '" + code + "', shell: ";
    CHECK(problems_in(".circleci/config.yml", circle + "bash}\n") == 1);
    CHECK(problems_in(".circleci/config.yml", circle + "python3}\n") == 0);
}

TEST_CASE("a file that a test looks for may be missing") {
    const auto problems = [](const std::string& text) { return problems_in("a.sh", text + "\n"); };
    const std::string install = "pip install -r requirements.txt";
    CHECK(problems(install) == 1);
    CHECK(problems("if [ -f requirements.txt ]; then " + install + "; fi") == 0);
    CHECK(problems("[[ -e requirements.txt ]] && " + install) == 0);
    CHECK(problems("test -s requirements.txt && true && " + install) == 0);
    CHECK(problems("if [ -f requirements.txt ]; then true; fi; " + install) == 1);
    CHECK(problems("if [ -f other.txt ]; then " + install + "; fi") == 1);
    CHECK(problems("[ -f requirements.txt ] && true; " + install) == 1);
    CHECK(problems("[ ! -f requirements.txt ] && " + install) == 1);
    CHECK(problems("[ -f requirements.txt ] || " + install) == 1);
}

TEST_CASE("lsb_release of a job decides which release is installed") {
    const auto says = [](const std::string& options, const std::string& pattern, const std::string& system) {
        return codes_in(".github/workflows/a.yml", "on: push\njobs:\n  a:\n    runs-on: " + system +
                                                       "\n    steps:\n      - run: |\n"
                                                       "          R=\"$(lsb_release " +
                                                       options +
                                                       ")\"\n"
                                                       "          if [[ $R == " +
                                                       pattern + " ]]; then pip install torch==2.99; fi\n");
    };
    const Codes absent{"error CC603"};
    CHECK(says("-r", "*\"22.\"*", "ubuntu-22.04") == absent);
    CHECK(says("-r", "*\"18.\"*", "ubuntu-22.04") == k_silence);
    CHECK(says("-rs", "22.04", "ubuntu-22.04") == absent);
    CHECK(says("-r", "*\"18.\"*", "ubuntu-latest") == Codes{"warning CC603"});
    CHECK(says("-r", "*\"18.\"*", "self-hosted") == Codes{"warning CC603"});
}

TEST_CASE("GitLab: the lines of a script are one text") {
    const auto says = [](const std::string& lines) {
        return codes_in(".gitlab-ci.yml", "a:\n  image: ubuntu:22.04\n  script:\n" + lines);
    };
    const std::string torch = "    - pip install torch==2.99\n",
                      begin = "    - if [ \"$A\" = b ]; then B=c\n";
    CHECK(problems_in(".gitlab-ci.yml", "a:\n  script:\n" + begin + "    - fi;\n") == 0);
    CHECK(problems_in(".gitlab-ci.yml", "a:\n  script:\n" + begin + torch) == 0);  // only `if` is not read
    const std::string open = "    - if pip install six; then B=c\n";
    CHECK(problems_in(".gitlab-ci.yml", "a:\n  script:\n" + open) == 1);
    // A later line that no shell reads is no part of it.
    CHECK(says("    - if [ a = b ]; then\n" + torch + "    - fi\n    - done\n") == k_silence);
    CHECK(says("    - if [ a = a ]; then\n" + torch + "    - fi\n    - done\n") == Codes{"error CC603"});
    CHECK(says(begin + "    - fi;\n" + torch) == Codes{"error CC603"});
    CHECK(says("    - if [ a = b ]; then\n" + torch + "    - fi\n") == k_silence);
    CHECK(says("    - if [ a = a ]; then\n" + torch + "    - fi\n") == Codes{"error CC603"});
    CHECK(says(begin + torch) == Codes{"error CC603"});  // no shell reads all of them: one by one
}

TEST_CASE("an if that compares one variable is a case: its branches are not mixed") {
    const auto says = [](const std::string& first, const std::string& second, const std::string& last = "") {
        return codes_in("install.sh", "#!/bin/bash\nif [ \"$WANTED\" == cu118 ]; then\n  " + first +
                                          "\nelif [[ $WANTED == \"cu128\" ]]; then\n  " + second + "\nfi\n" +
                                          last);
    };
    const std::string cudnn = "dnf install -y libcudnn9-devel-cuda-11",
                      old = "dnf install -y cuda-toolkit-11-8", newer = "dnf install -y cuda-toolkit-12-8";
    const Codes mixed{"warning CC304"};
    CHECK(says(old + "\n  " + cudnn, newer) == k_silence);
    CHECK(says(old, newer, "if [ \"$WANTED\" = cu118 ]; then " + cudnn + "; fi\n") == k_silence);
    CHECK(says(old, newer + "\n  " + cudnn) == mixed);
    CHECK(says(old, newer, cudnn + "\n") == mixed);
    // What another variable chooses is not decided by it.
    CHECK(says(old, newer,
               "if [ \"$OTHER\" = cu118 ]; then " + cudnn +
                   "; elif [ \"$OTHER\" = cu128 ]; then true; fi\n") == mixed);
}

TEST_CASE("GitLab: variables of rules, and values that users choose, are environments of their own") {
    const auto gets = [](const std::string& head, const std::string& rules) {
        return codes_of(
            ".gitlab-ci.yml",
            head + "build:\n  image: python:3.11\n" + rules +
                "  script: pip install torch==2.6.0 --index-url https://download.pytorch.org/whl/$CUDA\n");
    };
    const auto rule = [](const std::string& cuda, const std::string& when) {
        return "  variables: {CUDA: cu124}\n  rules:\n    - if: $CI_COMMIT_TAG\n      when: " + when +
               "\n      variables: {CUDA: " + cuda + "}\n    - when: on_success\n";
    };
    CHECK(gets("", rule("cu121", "manual")).find("CC603") == 0);
    CHECK(gets("", rule("cu118", "manual")) == k_silent);
    CHECK(gets("", rule("cu121", "never")) == k_silent);
    // The default of the job is never used where each rule sets another one.
    CHECK(gets("", "  variables: {CUDA: cu121}\n  rules:\n    - variables: {CUDA: cu118}\n") == k_silent);
    const auto options = [](const std::string& more) {
        return "variables:\n  CUDA:\n    value: cu124\n    options: [cu124, " + more + "]\n";
    };
    CHECK(gets(options("cu121"), "").find("CC603") == 0);
    CHECK(gets(options("cu118"), "") == k_silent);
}

}  // namespace ptxguard::recipes
