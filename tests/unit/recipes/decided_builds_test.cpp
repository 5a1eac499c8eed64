// What a command decides of the builds that it starts: cibuildwheel, conditions of setup.py and CMake,
// modules of clusters, loops of Azure -> the findings of the judge.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const Codes k_none_said, k_arch_refused{"error CC203"}, k_arch_doubtful{"warning CC203"};

const std::string k_lists_of_100 =
    "cmake_minimum_required(VERSION 3.24)\nproject(x LANGUAGES CXX CUDA)\n"
    "set(CMAKE_CUDA_ARCHITECTURES 100)\nadd_library(x SHARED a.cu)\n";
const std::string k_scikit =
    "[build-system]\nrequires = [\"scikit-build-core\"]\nbuild-backend = \"scikit_build_core.build\"\n";
const std::string k_installs =
    "dnf config-manager --add-repo https://developer.download.nvidia.com/compute/cuda/repos/rhel8/x86_64/"
    "cuda-rhel8.repo && dnf install -y cuda-toolkit-";

// A project that pip installs where nvcc is of that release; its setup.py passes `flags` to nvcc.
Codes setup_says(const std::string& code, const std::string& cuda = "12.1.1", const std::string& env = "") {
    return codes_in(
        "Dockerfile",
        "FROM nvidia/cuda:" + cuda + "-devel-ubuntu22.04\n" + env +
            "RUN apt-get update && apt-get install -y python3-pip\nCOPY . /src\nWORKDIR /src\n"
            "RUN pip install --no-build-isolation .\n",
        {{"setup.py",
          "import os, subprocess, torch\nfrom setuptools import setup\nfrom torch.utils.cpp_extension "
          "import CUDAExtension, BuildExtension, CUDA_HOME\nflags = ['-O3']\n" +
              code +
              "\nsetup(name='x', ext_modules=[CUDAExtension('x', ['a.cu'], "
              "extra_compile_args={'nvcc': flags})], cmdclass={'build_ext': BuildExtension})\n"}});
}

const std::string k_flag100 = "    flags += ['-gencode', 'arch=compute_100,code=sm_100']\n";

}  // namespace

TEST_CASE("cibuildwheel builds the project in its image, with its variables") {
    const auto says = [](const std::string& env, const std::string& table,
                         const std::string& lists = k_lists_of_100, const std::string& version = "v2.19.2") {
        return codes_in(".github/workflows/w.yml",
                        "on: push\njobs:\n  w:\n    runs-on: ubuntu-22.04\n    steps:\n"
                        "      - uses: pypa/cibuildwheel@" +
                            version + "\n" + env,
                        {{"pyproject.toml", k_scikit + table}, {"CMakeLists.txt", lists}, {"a.cu", ""}});
    };
    const std::string table_of_linux = "[tool.cibuildwheel.linux]\n";
    const auto before = [&](const std::string& cuda) { return "before-all = '" + k_installs + cuda + "'\n"; };
    CHECK(says("", table_of_linux + before("12-4")) == k_arch_refused);
    CHECK(says("", table_of_linux + before("12-8")) == k_none_said);
    CHECK(says("        env: {CIBW_BEFORE_ALL_LINUX: '" + k_installs + "12-4'}\n", "") == k_arch_refused);
    const std::string open =
        "option(CUDA_ON \"\" ON)\nproject(x)\nif(CUDA_ON)\nenable_language(CUDA)\n"
        "set(CMAKE_CUDA_ARCHITECTURES 100)\nadd_library(x a.cu)\nendif()\n";
    CHECK(says("", table_of_linux + before("12-4"), open) == k_arch_refused);
    CHECK(says("        env: {CIBW_ENVIRONMENT: 'CMAKE_ARGS=-DCUDA_ON=OFF'}\n",
               table_of_linux + before("12-4"), open) == k_none_said);
    CHECK(says("", table_of_linux + before("12-4") + "environment = { CMAKE_ARGS=\"-DCUDA_ON=OFF\" }\n",
               open) == k_none_said);
    const std::string plain =
        "cmake_minimum_required(VERSION 3.24)\nproject(x LANGUAGES CXX CUDA)\n"
        "add_library(x a.cu)\n";
    CHECK(says("        env: {CIBW_CONFIG_SETTINGS: 'cmake.define.CMAKE_CUDA_ARCHITECTURES=\"90;120\"'}\n",
               table_of_linux + before("12-4"), plain) == k_arch_refused);
    // The compiler of the images that it pins changes with its release.
    CHECK(says("        env: {CIBW_MANYLINUX_X86_64_IMAGE: manylinux_2_28}\n",
               table_of_linux + before("12-4"), plain) == k_none_said);
    CHECK(says("", table_of_linux + before("12-4"), plain, "v3.4.0") == Codes{"warning CC108"});
    CHECK(says("", table_of_linux + before("12-4"), plain, "0123456789abcdef") == k_none_said);
}

TEST_CASE("cibuildwheel in other systems than GitHub") {
    const Files files{{"pyproject.toml", k_scikit}, {"CMakeLists.txt", k_lists_of_100}, {"a.cu", ""}};
    const std::string call = "pip install cibuildwheel==2.19.2", build = "cibuildwheel --output-dir out .";
    CHECK(codes_in(".gitlab-ci.yml",
                   "w:\n  image: python:3.12\n  variables:\n    CIBW_BEFORE_ALL_LINUX: '" + k_installs +
                       "12-4'\n  script:\n    - " + call + "\n    - " + build + "\n",
                   files) == k_arch_refused);
    CHECK(codes_in(
              "azure-pipelines.yml",
              "jobs:\n- job: w\n  pool: {vmImage: ubuntu-22.04}\n  variables:\n    CIBW_BEFORE_ALL_LINUX: '" +
                  k_installs + "12-4'\n  steps:\n  - bash: |\n      " + call + "\n      " + build + "\n",
              files) == k_arch_refused);
}

TEST_CASE("python -m build, and -C of its command") {
    const auto says = [](const std::string& command, const std::string& lists = k_lists_of_100) {
        return image_gets("nvidia/cuda:12.4.1-devel-ubuntu22.04", "COPY . /src\nWORKDIR /src\nRUN " + command,
                          {{"pyproject.toml", k_scikit}, {"CMakeLists.txt", lists}, {"a.cu", ""}});
    };
    const std::string plain = "cmake_minimum_required(VERSION 3.24)\nproject(x LANGUAGES CXX CUDA)\n";
    CHECK(says("python3 -m build --wheel") == "CC203");
    CHECK(says("uv build") == "CC203");
    CHECK(says("python3 -m build --wheel", plain) == k_silent);
    CHECK(says("python3 -m build -Ccmake.define.CMAKE_CUDA_ARCHITECTURES=120", plain) == "CC203");
    CHECK(says("pip wheel . -C cmake.define.CMAKE_CUDA_ARCHITECTURES=120", plain) == "CC203");
    CHECK(says("pip wheel . -C cmake.define.CMAKE_CUDA_ARCHITECTURES=90", plain) == k_silent);
}

TEST_CASE("the list that `pip wheel` of a project reads") {
    const auto says = [](const std::string& command) {
        return image_gets(
            "nvidia/cuda:11.8.0-devel-ubuntu22.04",
            "RUN pip install torch==2.4.1 --index-url https://download.pytorch.org/whl/cu118\nCOPY . "
            "/src\nWORKDIR /src\nENV TORCH_CUDA_ARCH_LIST='8.0;12.0'\nRUN " +
                command,
            {{"setup.py",
              "from setuptools import setup\nfrom torch.utils.cpp_extension import "
              "CUDAExtension\nsetup(name='x', ext_modules=[CUDAExtension('x', "
              "['a.cu'])])\n"}});
    };
    CHECK(says("pip wheel --no-deps --no-build-isolation .") == "CC203");
    CHECK(says("pip wheel numpy") == k_silent);
}

TEST_CASE("conditions of a setup.py, where the command that builds is known") {
    CHECK(setup_says("if some_probe():\n" + k_flag100) == k_arch_doubtful);
    CHECK(setup_says("if detect_blackwell():\n" + k_flag100) == k_none_said);
    // What is not set has its default.
    const std::string fast = "if os.environ.get('FAST'):\n" + k_flag100,
                      in = "if 'FAST' in os.environ:\n" + k_flag100;
    CHECK(setup_says(fast) == k_none_said);
    CHECK(setup_says(in) == k_none_said);
    CHECK(setup_says(fast, "12.1.1", "ENV FAST=1\n") == k_arch_refused);
    CHECK(setup_says(in, "12.1.1", "ENV FAST=1\n") == k_arch_refused);
    CHECK(setup_says("if os.getenv('FAST', '0') == '1':\n" + k_flag100) == k_none_said);
    // The release of nvcc.
    const std::string asks =
        "out = subprocess.check_output([CUDA_HOME + '/bin/nvcc', '--version']).decode()\n"
        "major = int(out.split('release ')[1].split(',')[0].split('.')[0])\n";
    CHECK(setup_says(asks + "if major >= 13:\n" + k_flag100) == k_none_said);
    CHECK(setup_says(asks + "if major >= 12:\n" + k_flag100) == k_arch_refused);
    CHECK(setup_says("if CUDA_HOME is not None:\n" + k_flag100) == k_arch_refused);
}

TEST_CASE("a list that a branch may have replaced") {
    const std::string loop = "for a in archs:\n    flags.append(f'-gencode=arch=compute_{a},code=sm_{a}')\n";
    const std::string list = "archs = ['80', '100']\n";
    CHECK(setup_says(list + "cc = detect()\nif cc is not None:\n    archs = [cc]\n" + loop) ==
          k_arch_doubtful);
    CHECK(setup_says(list + "if torch.cuda.is_available():\n    archs = found()\n" + loop) ==
          k_arch_doubtful);
    CHECK(setup_says("archs = ['80']\nif probe():\n    archs = ['100']\n" + loop) == k_none_said);
    CHECK(setup_says("archs = ['80']\nif torch.cuda.is_available():\n    archs = found()\n" + loop) ==
          k_none_said);
}

TEST_CASE("conditions of CMake on its own release, and on parts of CUDA's") {
    const auto says = [](const std::string& code, const std::string& cuda = "12.4.1") {
        return codes_in(
            "Dockerfile",
            "FROM nvidia/cuda:" + cuda +
                "-devel-ubuntu22.04\nCOPY . /src\nWORKDIR /src\n"
                "RUN cmake -B build\n",
            {{"CMakeLists.txt", "cmake_minimum_required(VERSION 3.18)\nproject(x LANGUAGES CXX CUDA)\n" +
                                    code + "add_library(x a.cu)\n"}});
    };
    const std::string old =
        "if(CMAKE_VERSION VERSION_LESS 3.18)\n  list(APPEND CMAKE_CUDA_FLAGS "
        "\"-gencode arch=compute_100,code=sm_100\")\nelse()\n  "
        "set(CMAKE_CUDA_ARCHITECTURES 100)\nendif()\n";
    CHECK(says(old) == k_arch_refused);
    CHECK(says(old, "12.8.1") == k_none_said);
    const std::string match =
        "string(REGEX MATCH \"^([0-9]+)\\\\.([0-9]+)\" V \"${CMAKE_CUDA_COMPILER_VERSION}\")\n"
        "if(CMAKE_MATCH_1 EQUAL 12 AND CMAKE_MATCH_2 LESS 8)\n"
        "  set(CMAKE_CUDA_ARCHITECTURES 120)\nendif()\n";
    CHECK(says(match) == k_arch_refused);
    CHECK(says(match, "12.9.1") == k_none_said);
    const std::string replaced =
        "string(REGEX REPLACE \"^([0-9]+)\\\\..*$\" \"\\\\1\" M "
        "\"${CMAKE_CUDA_COMPILER_VERSION}\")\nif(M GREATER_EQUAL 12)\n"
        "  set(CMAKE_CUDA_ARCHITECTURES 120)\nendif()\n";
    CHECK(says(replaced) == k_arch_refused);
    CHECK(says(replaced, "11.8.0") == k_none_said);
}

TEST_CASE("modules of clusters, and NVIDIA's images of the HPC SDK") {
    const auto says = [](const std::string& lines) {
        return codes_in("job.sbatch", "#!/bin/bash\n#SBATCH -n 1\n" + lines + "\nnvcc -arch=sm_90 -c a.cu\n");
    };
    for (const char* word : {"module load cuda/11.2", "module load nvidia/cuda-11.2", "ml CUDA/11.2.2-GCC-9",
                             "module load cuda11.2/toolkit", "module load cuda11.2/toolkit/11.2.0",
                             "module load cudatoolkit/22.3_11.2", "module swap cuda/12.4 cuda/11.2"}) {
        CAPTURE(std::string(word));
        CHECK(says(word) == k_arch_refused);
    }
    for (const char* word :
         {"module load cuda/12.4", "ml -cuda/11.2", "ml avail cuda/11.2", "module load gcc/11.2",
          "module load cudatoolkit/22.3_12.2", "module swap cuda/11.2 cuda/12.4"}) {
        CAPTURE(std::string(word));
        CHECK(says(word) == k_none_said);
    }
    CHECK(says("module load cuda/12.1 gcc/13.2") == Codes{"warning CC108"});
    CHECK(says("module load gcc/13.2 cuda/12.4") == k_none_said);
    const auto sdk = [](const std::string& tag) {
        return image_gets("nvcr.io/nvidia/nvhpc:" + tag, "RUN nvcc -arch=sm_70 -c a.cu");
    };
    CHECK(sdk("25.9-devel-cuda13.0-ubuntu24.04") == "CC203");
    CHECK(sdk("24.5-devel-cuda12.4-ubuntu22.04") == k_silent);
    CHECK(sdk("25.9-devel-cuda_multi-ubuntu24.04") == k_silent);
    CHECK(sdk("24.5-runtime-cuda12.4-ubuntu22.04") == "CC608");
}

TEST_CASE("`each` of Azure, and rules of GitLab that refer to others") {
    const auto azure = [](const std::string& values, const std::string& more, const Files& files = {}) {
        return codes_in("azure-pipelines.yml",
                        "parameters:\n- name: all\n  type: object\n  default: " + values + "\njobs:\n" + more,
                        files);
    };
    const std::string each =
        "- ${{ each c in parameters.all }}:\n  - job: a\n    container: nvidia/cuda:${{ c }}"
        "-devel-ubuntu22.04\n    steps:\n    - script: nvcc -arch=sm_100 -c a.cu\n";
    CHECK(azure("['12.4.1', '12.8.1']", each) == k_arch_refused);
    CHECK(azure("['12.9.1', '12.8.1']", each) == k_none_said);
    const std::string pairs =
        "- ${{ each p in parameters.all }}:\n  - job: a\n    steps:\n    - script: pip install "
        "torch==${{ p.torch }} torchvision==${{ p.vision }}\n";
    CHECK(azure("[{torch: '2.5.1', vision: '0.20.1'}]", pairs) == k_none_said);
    CHECK(azure("[{torch: '2.4.1', vision: '0.20.1'}]", pairs) == Codes{"error CC612"});
    const Files job{{"job.yml",
                     "parameters:\n  builds: []\njobs:\n- ${{ each v in parameters.builds }}:\n"
                     "  - job: b\n    steps:\n    - bash: pip install torch==${{ v }}\n"}};
    const std::string use = "- template: job.yml\n  parameters:\n    builds: ";
    CHECK(azure("['2.99']", use + "${{ parameters.all }}\n", job) == Codes{"error CC603"});
    CHECK(azure("['2.99']", use + "['2.4.1']\n", job) == k_none_said);
    const auto gitlab = [](const std::string& first, const std::string& own) {
        return codes_in(".gitlab-ci.yml", ".base:\n  rules:\n    - if: $A\n      variables: {CUDA: '" +
                                              first +
                                              "'}\n    - if: $B\n      variables: {CUDA: '12.9.1'}\nbuild:\n"
                                              "  variables: {CUDA: '" +
                                              own +
                                              "'}\n"
                                              "  image: nvidia/cuda:$CUDA-devel-ubuntu22.04\n  rules:\n"
                                              "    - !reference [.base, rules]\n"
                                              "  script:\n    - nvcc -arch=sm_100 -c a.cu\n");
    };
    CHECK(gitlab("12.4.1", "12.9.1") == k_arch_refused);
    CHECK(gitlab("12.8.1", "11.8.0") == k_none_said);
}

TEST_CASE("lines that printf and echo write are where their text is") {
    const auto line = [](const std::string& text) {
        const auto findings = findings_in(scenarios_in("a.sh", text, {}));
        return findings.empty() ? 0 : findings.front().found.front().origin.line;
    };
    CHECK(line("#!/bin/sh\n\npip install -r <(printf 'numpy\\ntorch==2.99\\n')\n") == 3);
    CHECK(line("#!/bin/sh\npip install -r <(printf '%s\\n' \\\n  numpy \\\n  torch==2.99)\n") == 4);
    CHECK(line("#!/bin/sh\npip install -r <(echo numpy; echo torch==2.99)\n") == 2);
    CHECK(line("#!/bin/sh\nprintf 'numpy\\ntorch==2.99\\n' > r.txt\npip install -r r.txt\n") == 2);
    CHECK(line("#!/bin/sh\necho 'numpy\ntorch==2.99' > r.txt\npip install -r r.txt\n") == 3);
}

TEST_CASE("forks of the action that installs CUDA, and a Visual Studio that the runner has no more") {
    const auto says = [](const std::string& action, const std::string& runner,
                         const std::string& flags = "") {
        return codes_in(
            ".github/workflows/w.yml",
            "on: push\njobs:\n  w:\n    runs-on: " + runner + "\n    steps:\n      - uses: " + action +
                "@v0.2.34\n        with: {cuda: 12.4.1}\n      - shell: cmd\n        run: |\n"
                "          call \"C:\\Program Files\\Microsoft Visual Studio\\2022\\Enterprise\\VC\\"
                "Auxiliary\\Build\\vcvars64.bat\"\n          nvcc -c " +
                flags + " a.cu\n");
    };
    CHECK(says("N-Storm/cuda-toolkit", "windows-2025") == Codes{"warning CC107"});
    CHECK(says("N-Storm/cuda-toolkit", "windows-2022") == k_none_said);
    // No flag and no vswhere elsewhere brings the folder.
    const std::string unchecked = "-allow-unsupported-compiler -D_ALLOW_COMPILER_AND_STL_VERSION_MISMATCH";
    CHECK(says("Jimver/cuda-toolkit", "windows-2025", unchecked) == Codes{"warning CC107"});
    CHECK(says("Jimver/cuda-toolkit", "windows-2022", unchecked) == k_none_said);
}

}  // namespace ptxguard::recipes
