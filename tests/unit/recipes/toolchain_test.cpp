// Toolkits, images and compilers that jobs, scripts and build files choose -> the findings of the judge. Each
// class with a similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

Codes job_says(const std::string& runner, const std::string& steps, const std::string& above = "") {
    return codes_in(".github/workflows/ci.yml", "on: [push]\njobs:\n  build:\n    runs-on: " + runner + "\n" +
                                                    above + "    steps:\n" + steps);
}
Codes cmake_says(const std::string& text) { return codes_in("CMakeLists.txt", text); }

const Codes k_no_codes;
const Codes k_tag{"warning CC616"}, k_release{"error CC620"}, k_wide{"warning CC623"};

}  // namespace

TEST_CASE("an image that a script names is judged like that of a FROM") {
    CHECK(codes_in("build.sh", "docker pull nvidia/cuda:11.1-cudnn8-devel-ubuntu20.04\n") == k_tag);
    CHECK(codes_in("build.sh", "sudo docker run --gpus all --rm nvidia/cuda:10.2-base nvidia-smi\n") ==
          k_tag);
    CHECK(codes_in("build.sh",
                   "P=nvidia/cuda:11.3.0-devel-ubuntu20.04\n"
                   "docker build -f docker/Dockerfile \\\n  --build-arg PARENT=${P} .\n") == k_tag);
    CHECK(codes_in("build.sh", "singularity pull docker://nvidia/cuda:11.0-base-ubuntu18.04\n") == k_tag);
    CHECK(codes_in("build.sh", "podman run docker.io/pytorch/pytorch:2.6.0-cuda12.5-cudnn9-devel\n") ==
          k_tag);
    CHECK(codes_in("Makefile",
                   "IMAGE := nvidia/cuda:11.7.0-runtime-ubuntu22.04\nrun:\n"
                   "\tdocker run --rm $(IMAGE) true\n") == k_tag);
    CHECK(codes_in("Dockerfile", "FROM ubuntu:22.04\nENV TEST_IMAGE=nvidia/cuda:12.0-base-ubuntu20.04\n") ==
          k_tag);
    CHECK(job_says("ubuntu-22.04", "      - run: make test\n",
                   "    env:\n      IMAGE: nvidia/cuda:11.4.1-devel-ubuntu20.04\n") == k_tag);
    // Tags that exist, an own registry, a pattern, a text that is no image.
    CHECK(codes_in("build.sh", "docker pull nvidia/cuda:11.1.1-cudnn8-devel-ubuntu20.04\n") == k_no_codes);
    CHECK(codes_in("build.sh", "docker pull registry.mine.org:5000/nvidia/cuda:10.2-base\n") == k_no_codes);
    CHECK(codes_in("build.sh", "docker pull nvidia/cuda:${CUDA}-base\n") == k_no_codes);
    CHECK(codes_in("build.sh", "echo docker pull nvidia/cuda:10.2-base\n") == k_no_codes);
}

TEST_CASE("a Dockerfile is judged for the platforms of the command that builds it") {
    const Files plain{{"Dockerfile",
                       "FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\n"
                       "RUN pip install onnxruntime-gpu==1.20.0\n"}};
    const Files branches{{"Dockerfile",
                          "FROM python:3.11\nARG TARGETARCH\nRUN if [ \"$TARGETARCH\" = arm64 ]; then "
                          "pip install onnxruntime==1.20.1; else pip install onnxruntime-gpu==1.20.0; fi\n"}};
    const Codes no_file{"error CC613"};
    CHECK(codes_in("build.sh", "docker buildx build --platform linux/arm64 .\n", plain) == no_file);
    CHECK(codes_in("build.sh", "docker buildx build --platform linux/amd64,linux/arm64 .\n", plain) ==
          no_file);
    CHECK(codes_in("build.sh", "docker buildx build --platform linux/amd64 .\n", plain) == k_no_codes);
    CHECK(codes_in("build.sh", "docker buildx build --platform linux/arm64 .\n", branches) == k_no_codes);
}

TEST_CASE("the system and machine of a recipe decide which files there are") {
    const auto pip = [](const std::string& from, const std::string& what) {
        return codes_in("Dockerfile", from + "\nRUN pip install " + what + "\n");
    };
    const Codes no_file{"error CC613"};
    CHECK(pip("FROM python:3.11-alpine", "torch==2.3.1") == no_file);
    CHECK(pip("FROM python:3.11-slim", "torch==2.3.1") == k_no_codes);
    CHECK(pip("FROM --platform=linux/arm64 python:3.11", "onnxruntime-gpu==1.20.0") == no_file);
    CHECK(pip("FROM nvcr.io/nvidia/l4t-jetpack:r36.2.0", "onnxruntime-gpu==1.18.0") == no_file);
    CHECK(pip("FROM nvcr.io/nvidia/l4t-base:r36.2.0", "torch==2.3.1") == Codes{"warning CC604"});
    CHECK(job_says("macos-14", "      - run: pip install onnxruntime-gpu==1.18.1\n") == no_file);
    CHECK(job_says("windows-latest", "      - run: pip install triton==3.0.0\n") == no_file);
    CHECK(job_says("windows-latest", "      - run: pip install onnxruntime-gpu==1.20.0\n") == k_no_codes);
    CHECK(job_says("ubuntu-24.04-arm", "      - run: pip install onnxruntime-gpu==1.20.0\n") == no_file);
}

TEST_CASE("a Dockerfile is judged with the arguments of the command that builds it") {
    const Files files{
        {"docker/Dockerfile",
         "ARG BASE\nARG TORCH\nFROM ${BASE} AS main\nARG TORCH\n"
         "RUN pip install torch==${TORCH} --index-url https://download.pytorch.org/whl/cu118\n"}};
    const std::string command =
        "docker build -f docker/Dockerfile --build-arg BASE=nvidia/cuda:11.8.0-devel-ubuntu22.04 ";
    CHECK(codes_in("build.sh", command + "--build-arg TORCH=2.9.0 .\n", files) == Codes{"error CC603"});
    CHECK(codes_in("build.sh", command + "--build-arg TORCH=2.5.1 .\n", files) == k_no_codes);
    // A script runs in the repository's root, or in its own folder; make and jobs too.
    CHECK(codes_in("Makefile", "image:\n\t" + command + "--build-arg TORCH=2.9.0 .\n", files) ==
          Codes{"error CC603"});
    CHECK(job_says("ubuntu-22.04", "      - run: " + command + "--build-arg TORCH=2.5.1 .\n") == k_no_codes);
    const std::string action =
        "      - uses: docker/build-push-action@v6\n        with:\n          context: .\n"
        "          file: docker/Dockerfile\n          build-args: |\n"
        "            BASE=nvidia/cuda:11.8.0-devel-ubuntu22.04\n            TORCH=";
    const auto with_action = [&](const char* torch) {
        return codes_in(
            ".github/workflows/ci.yml",
            "on: [push]\njobs:\n  image:\n    runs-on: ubuntu-22.04\n    steps:\n" + action + torch + "\n",
            files);
    };
    CHECK(with_action("2.9.0") == Codes{"error CC603"});
    CHECK(with_action("2.5.1") == k_no_codes);
}

TEST_CASE("an action installs the toolkits of its own table") {
    const auto jimver = [](const std::string& runner, const std::string& release, const std::string& cuda,
                           const std::string& method = "local") {
        return job_says(runner, "      - uses: Jimver/cuda-toolkit@" + release +
                                    "\n        with:\n          cuda: '" + cuda +
                                    "'\n          method: " + method + "\n");
    };
    CHECK(jimver("ubuntu-22.04", "v0.2.19", "12.8.0") == k_release);
    CHECK(jimver("ubuntu-22.04", "v0.2.20", "12.8.0") == k_no_codes);
    CHECK(jimver("windows-2022", "v0.2.8", "12.1.0") == k_release);
    CHECK(jimver("ubuntu-22.04", "master", "12.8.0") == k_no_codes);
    CHECK(jimver("ubuntu-22.04", "v0.2.20", "12.4") == k_release);
    CHECK(jimver("ubuntu-22.04", "v0.2.20", "12.7.0") == k_release);
    // From NVIDIA's repository of the runner's Ubuntu, or by NVIDIA's installer.
    CHECK(jimver("ubuntu-24.04", "v0.2.15", "12.4.1", "network") == k_release);
    CHECK(jimver("ubuntu-24.04", "v0.2.15", "12.4.1") == k_no_codes);
    CHECK(jimver("ubuntu-22.04", "v0.2.15", "12.4.1", "network") == k_no_codes);
    CHECK(jimver("ubuntu-latest", "v0.2.24", "12.9.0", "network") == k_no_codes);
}

TEST_CASE("NVIDIA's repository for a system has only some releases") {
    const auto apt = [](const std::string& image, const std::string& commands) {
        return codes_in("Dockerfile", "FROM " + image + "\nCOPY cuda.list /etc/apt/sources.list.d/\nRUN " +
                                          commands + "\n");
    };
    CHECK(apt("ubuntu:24.04", "apt-get install -y cuda-toolkit-12-4") == k_release);
    CHECK(apt("ubuntu:22.04", "apt-get install -y cuda-toolkit-12-4") == k_no_codes);
    CHECK(apt("ubuntu:20.04", "apt-get install -y cuda-nvcc-13-0 cuda-cudart-dev-13-0") == k_release);
    CHECK(apt("ubuntu:24.04", "apt-get install -y cuda-compat-12-4") == k_no_codes);
    const std::string keyring =
        "wget https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2404/x86_64/"
        "cuda-keyring_1.1-1_all.deb && apt-get install -y cuda-toolkit-12-";
    CHECK(apt("mine/base", keyring + "4") == k_release);
    CHECK(apt("mine/base", keyring + "6") == k_no_codes);
    // The repository of another system.
    CHECK(apt("ubuntu:24.04",
              "wget https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2204/x86_64/"
              "cuda-keyring_1.1-1_all.deb && apt-get install -y cuda-nvcc-12-4") == k_no_codes);
    const std::string folder = "wget https://developer.download.nvidia.com/compute/cuda/";
    CHECK(apt("mine/base", folder + "12.4.1/local_installers/"
                                    "cuda-repo-ubuntu2404-12-4-local_12.4.1-550.54.15-1_amd64.deb") ==
          k_release);
    CHECK(apt("mine/base", folder + "12.4.2/local_installers/cuda_12.4.2_550.54.15_linux.run") == k_release);
    CHECK(apt("mine/base", folder + "12.4.1/local_installers/cuda_12.4.1_550.54.15_linux.run") == k_no_codes);
}

TEST_CASE("the host compiler of a job") {
    const std::string cuda =
        "      - uses: someone/setup-cuda@v1\n        with:\n          cuda-version: '12.1.0'\n";
    const std::string build = "      - run: cmake -B build -DUSE_CUDA=ON && cmake --build build\n";
    const std::string name = "      - run: |\n          CC=gcc-";
    const std::string end = "\n          echo CC=\"$CC\" >> $GITHUB_ENV\n";
    const Codes too_new{"warning CC108"};
    CHECK(job_says("ubuntu-24.04", cuda + build) == too_new);
    CHECK(job_says("ubuntu-24.04", name + "14" + end + cuda + build) == too_new);
    CHECK(job_says("ubuntu-24.04", cuda + "      - run: sudo apt-get install -y g++-14\n" + name + "14" +
                                       end + build) == too_new);
    CHECK(job_says("ubuntu-24.04", name + "12" + end + cuda + build) == k_no_codes);
    // nvcc takes the default g++.
    CHECK(job_says("ubuntu-22.04", name + "13" + end + cuda + build) == k_no_codes);
    CHECK(job_says("ubuntu-22.04", cuda + build) == k_no_codes);
    // A package with another compiler is there for something.
    CHECK(job_says("ubuntu-24.04", cuda + "      - run: sudo apt-get install -y g++-12\n" + build) ==
          k_no_codes);
}

TEST_CASE("torch without a pin is refused by an nvcc of another CUDA major") {
    const auto says = [](const std::string& image, const std::string& run) {
        return codes_in("Dockerfile",
                        "FROM " + image + "\nRUN pip install 'torch>=2.0.0'\nRUN " + run + "\n");
    };
    const std::string apex =
        "git clone https://github.com/NVIDIA/apex && cd apex && "
        "python3 setup.py install --cpp_ext --cuda_ext";
    CHECK(says("nvidia/cuda:11.8.0-devel-ubuntu22.04", apex) == Codes{"error CC611"});
    CHECK(says("nvidia/cuda:13.0.1-devel-ubuntu24.04", apex) == k_no_codes);
    CHECK(says("nvidia/cuda:11.8.0-runtime-ubuntu22.04", "true") == k_no_codes);
}

TEST_CASE("a condition on CUDA's release admits one that does not know the architecture") {
    const std::string flags = "list(APPEND A 80 86)\nendif()\nset(CMAKE_CUDA_ARCHITECTURES ${A})\n";
    CHECK(cmake_says("set(A 70)\nif(CUDA_VERSION VERSION_GREATER_EQUAL \"11.0\")\n" + flags) == k_wide);
    CHECK(cmake_says("set(A 70)\nif(CUDA_VERSION VERSION_GREATER_EQUAL \"11.1\")\n" + flags) == k_no_codes);
    CHECK(cmake_says("set(A 70)\nif(NOT CUDA_VERSION VERSION_LESS 11.0)\n" + flags) == k_wide);
    CHECK(cmake_says("set(A 70)\nif(${CUDA_VERSION_MAJOR} GREATER 10)\n" + flags) == k_wide);
    CHECK(cmake_says("set(A 70)\nif(CUDAToolkit_VERSION VERSION_GREATER 11.0)\n" + flags) == k_wide);
    CHECK(cmake_says("set(A 70)\nif(CUDA_VERSION VERSION_GREATER 11.0)\n" + flags) == k_no_codes);
    // CMake evaluates AND and OR from left to right: this is (>= 11.0 OR ON) AND >= 11.1.
    CHECK(cmake_says("set(A 70)\nif(CUDA_VERSION VERSION_GREATER_EQUAL 11.0 OR ON AND CUDA_VERSION "
                     "VERSION_GREATER_EQUAL 11.1)\n" +
                     flags) == k_no_codes);
    CHECK(cmake_says("set(A 70)\nif(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 11 AND USE_AMPERE)\n" +
                     flags) == k_wide);
    CHECK(cmake_says("set(A 70)\nif((CUDA_VERSION_MAJOR EQUAL 11 AND CUDA_VERSION_MINOR GREATER 0) OR "
                     "CUDA_VERSION_MAJOR GREATER 11)\n" +
                     flags) == k_no_codes);
    // A project that needs a newer one, or ends with an error.
    CHECK(cmake_says(
              "find_package(CUDA 11.1 REQUIRED)\nset(A 70)\nif(CUDA_VERSION VERSION_GREATER_EQUAL 11.0)\n" +
              flags) == k_no_codes);
    CHECK(cmake_says(
              "if(CUDA_VERSION VERSION_LESS 11.1)\nmessage(FATAL_ERROR \"too old\")\nendif()\nset(A 70)\n"
              "if(CUDA_VERSION VERSION_GREATER_EQUAL 11.0)\n" +
              flags) == k_no_codes);
    // No condition, no upper bound: right when it was written.
    CHECK(cmake_says("set(CMAKE_CUDA_ARCHITECTURES 50 60 70)\nif(CUDA_VERSION VERSION_GREATER_EQUAL 11.1)\n"
                     "list(APPEND CMAKE_CUDA_ARCHITECTURES 86)\nendif()\n") == k_no_codes);
}

TEST_CASE("architectures in branches, flags and loops") {
    const std::string chain =
        "elseif(CUDAToolkit_VERSION VERSION_GREATER_EQUAL \"12.8\")\n"
        "set(CMAKE_CUDA_ARCHITECTURES \"61-real;89-real;120a-real;121a-real\")\nelse()\n"
        "set(CMAKE_CUDA_ARCHITECTURES \"61-real;89-real\")\nendif()\nendif()\n";
    const std::string first =
        "if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\n"
        "if(CUDAToolkit_FOUND AND CUDAToolkit_VERSION VERSION_GREATER_EQUAL \"13.0\")\n"
        "set(CMAKE_CUDA_ARCHITECTURES \"75;120a-real;121a-real\")\n";
    CHECK(cmake_says(first + chain) == k_wide);
    CHECK(cmake_says(first + "elseif(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.9)\n"
                             "set(CMAKE_CUDA_ARCHITECTURES \"61;121a\")\nelse()\n"
                             "set(CMAKE_CUDA_ARCHITECTURES \"61\")\nendif()\nendif()\n") == k_no_codes);
    // Dropped before the upper bound, and before the branch begins.
    CHECK(cmake_says(
              "if(CUDA_VERSION VERSION_LESS 13.0)\nset(ARCHS 35 70)\nelse()\nset(ARCHS 75)\nendif()\n") ==
          k_wide);
    CHECK(cmake_says("if(CUDA_VERSION VERSION_GREATER_EQUAL 13.0)\nset(ARCHS 70 80)\nelse()\nset(ARCHS "
                     "70)\nendif()\n") == k_no_codes);  // 70 has no condition
    CHECK(cmake_says("if(CUDA_VERSION VERSION_GREATER_EQUAL 13.0)\nset(ARCHS 60 80)\nelse()\nset(ARCHS "
                     "75)\nendif()\n") == Codes{"error CC623"});
    // Flags of old FindCUDA, and a list between two bounds that a loop filters.
    CHECK(cmake_says("if(CUDA_VERSION VERSION_GREATER_EQUAL 11.0)\nlist(APPEND CUDA_NVCC_FLAGS -gencode "
                     "arch=compute_86,code=sm_86)\nendif()\n") == k_wide);
    CHECK(cmake_says(
              "if(CUDA_VERSION VERSION_GREATER 11.0)\nset(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -gencode "
              "arch=compute_86,code=sm_86\")\nendif()\n") == k_no_codes);
    const std::string loop =
        "set(MAX_CC 86)\nif(CUDA_VERSION_MAJOR GREATER_EQUAL 11)\nset(MIN_CC 35)\n"
        "else()\nset(MAX_CC 75)\nendif()\nforeach(CC 50;70;75;80;86)\n"
        "if((${CC} GREATER_EQUAL 50) AND (${CC} LESS_EQUAL ${MAX_CC}))\n"
        "list(APPEND FLAGS \"-gencode;arch=compute_${CC},code=sm_${CC}\")\nendif()\nendforeach()\n";
    CHECK(cmake_says(loop) == k_wide);
    CHECK(cmake_says(
              "cuda_select_nvcc_arch_flags(F 6.0 7.0)\nif(${CUDA_VERSION_MAJOR} VERSION_GREATER \"10\")\n"
              "cuda_select_nvcc_arch_flags(F 8.0 8.6)\nendif()\n") == k_wide);
    const auto by_macro = [](const std::string& archs) {
        return cmake_says("if(CUDA_VERSION VERSION_GREATER_EQUAL 11.0)\ncuda_select_nvcc_arch_flags(F86 " +
                          archs + ")\nelse()\ncuda_select_nvcc_arch_flags(F 7.0)\nendif()\n");
    };
    CHECK(by_macro("8.6") == k_wide);
    CHECK(by_macro("8.0") == k_no_codes);
    for (const std::string command :
         {"target_compile_options(x PRIVATE ", "add_compile_options(", "cuda_add_library(x x.cu OPTIONS ",
          "cuda_add_executable(x x.cu OPTIONS "}) {
        const std::string start = "(CUDA_VERSION VERSION_GREATER_EQUAL ";
        const std::string flags = command + "-gencode arch=compute_86,code=sm_86)\nendif()\n";
        CHECK_MESSAGE(cmake_says("if" + start + "11.0)\n" + flags) == k_wide, command);
        CHECK_MESSAGE(cmake_says("if" + start + "11.1)\n" + flags) == k_no_codes, command);
    }
    // A loop runs for each of its items.
    CHECK(cmake_says("foreach(X 1 2)\nset(A 86)\nendforeach()\nset(ARCHS 70)\n"
                     "if(CUDA_VERSION VERSION_GREATER_EQUAL 11.0)\nlist(APPEND ARCHS ${A})\nendif()\n") ==
          k_wide);
    CHECK(codes_in("cmake/arch.cmake",
                   "if(CUDA_VERSION VERSION_GREATER_EQUAL 11.0)\nset(ARCHS 86)\nendif()\n") == k_wide);
    // What replaces a list counts, and what a condition removes.
    CHECK(cmake_says("set(ARCHS 70 86)\nif(CUDA_VERSION VERSION_LESS 11.1)\nset(ARCHS 70)\nendif()\n") ==
          k_no_codes);
    CHECK(
        cmake_says(
            "set(ARCHS 70 86)\nif(CUDA_VERSION VERSION_LESS 11.1)\nlist(REMOVE_ITEM ARCHS 86)\nendif()\n") ==
        k_no_codes);
    CHECK(
        cmake_says(
            "set(ARCHS 70 86)\nif(CUDA_VERSION VERSION_LESS 11.0)\nlist(REMOVE_ITEM ARCHS 86)\nendif()\n") ==
        k_wide);
}

TEST_CASE("what a target of a Makefile installs, and the base that another Dockerfile builds") {
    const Files files{
        {"Makefile", "all:\n\ttrue\ninstall:\n\tpip3 install -r requirements.txt\n"},
        {"requirements.txt", "tensorflow~=2.5.2\n"},
        {"base.Dockerfile", "ARG CUDA=12.1.1\nFROM nvidia/cuda:${CUDA}-cudnn8-runtime-ubuntu22.04\n"}};
    const auto says = [&](const std::string& image, const std::string& run) {
        return codes_in("Dockerfile", "FROM " + image + "\nCOPY . /src\nRUN cd /src && " + run + "\n", files);
    };
    const std::string newer = "nvidia/cuda:12.1.1-cudnn8-runtime-ubuntu22.04";
    CHECK(says(newer, "make install") == Codes{"error CC601"});
    CHECK(says(newer, "make all") == k_no_codes);
    CHECK(says("nvidia/cuda:11.2.2-cudnn8-runtime-ubuntu20.04", "make install") == k_no_codes);
    // By name only: a warning.
    CHECK(says("me/app-base:latest", "make install") == Codes{"warning CC601"});
    CHECK(says("me/other:latest", "make install") == k_no_codes);
}

TEST_CASE("values of arguments in a file beside a Dockerfile") {
    const std::string text =
        "ARG BASE\nFROM ${BASE}\nARG CUDA_MAJOR\nARG CUDA_MINOR\n"
        "RUN update-alternatives --set cuda /usr/local/cuda-$CUDA_MAJOR.$CUDA_MINOR\n"
        "ENV TORCH_CUDA_ARCH_LIST=\"3.7;7.0\"\nRUN python setup.py bdist_wheel\n";
    const auto says = [&](const char* major, const char* minor) {
        return codes_in(
            "Dockerfile", text,
            {{"config.txt", std::string("CUDA_MAJOR=") + major + "\nCUDA_MINOR=" + minor + "\n"}});
    };
    CHECK(says("12", "1") == Codes{"error CC203"});
    CHECK(says("11", "8") == k_no_codes);
}

TEST_CASE("architectures of a setup.py by the release of its nvcc") {
    const auto setup = [](const std::string& text) { return codes_in("setup.py", "cc_flag = []\n" + text); };
    const std::string hopper =
        ":\n    cc_flag.append('-gencode')\n    cc_flag.append('arch=compute_90,code=sm_90')\n";
    CHECK(setup("if bare_metal_version >= Version('11.7')" + hopper) == k_wide);
    CHECK(setup("if bare_metal_version >= Version('11.8')" + hopper) == k_no_codes);
    CHECK(setup("if bare_metal_version > parse('11.7')" + hopper) == k_no_codes);
    CHECK(setup("if int(bare_metal_major) >= 11 and int(bare_metal_minor) > 0" + hopper) == k_wide);
    CHECK(setup("if cuda_version >= (11, 8)" + hopper) == k_no_codes);
    CHECK(setup("if CUDA_VERSION >= 11080" + hopper) == k_no_codes);
    CHECK(setup("if float(torch.version.cuda) >= 11.0" + hopper) == k_wide);
    const std::string ampere =
        "if int(bare_metal_major) == 11:\n"
        "    os.environ['TORCH_CUDA_ARCH_LIST'] = '6.0;7.0;8.0'\n"
        "    if int(bare_metal_minor) > 0:\n"
        "        os.environ['TORCH_CUDA_ARCH_LIST'] = '6.0;7.0;8.0;8.6'\nelse:\n    pass\n";
    CHECK(setup(ampere) == k_no_codes);
    CHECK(
        setup("if int(bare_metal_major) == 11:\n    os.environ['TORCH_CUDA_ARCH_LIST'] = '6.0;7.0;8.0;8.6'\n"
              "else:\n    os.environ['TORCH_CUDA_ARCH_LIST'] = '6.0;7.0'\n") == k_wide);
    CHECK(setup("if bare_metal_version < Version('11.8'):\n    raise RuntimeError('too old')\n"
                "if bare_metal_version >= Version('11.7')" +
                hopper) == k_no_codes);
    CHECK(setup("if torch.cuda.get_device_capability()[0] >= 9" + hopper) == k_no_codes);
}

TEST_CASE("tables and loops of a setup.py by the release of its nvcc") {
    const auto table = [](const std::string& thor, const std::string& version = "float(CUDA_VERSION)") {
        return codes_in(
            "setup.py",
            "TABLE = [\n    # arch, first, last\n    (80, 11.0, 999),\n    (110, " + thor +
                ", 999),\n]\nCUDA, CUDA_VERSION = locate()\ntry:\n    cuda_version = " + version +
                "\nexcept ValueError:\n    cuda_version = 11.0\nargs = []\nfor row in TABLE:\n"
                "    if cuda_version < row[1]:\n        continue\n    if cuda_version >= row[2]:\n"
                "        continue\n    args.append(f'-gencode=arch=compute_{row[0]},code=sm_{row[0]}')\n");
    };
    CHECK(table("12.8") == k_wide);
    CHECK(table("13.0") == k_no_codes);
    const auto dictionary = [](const std::string& first) {
        return codes_in(
            "setup.py",
            "FIRST = {'80': '11.0', '90': '" + first +
                "'}\nnvcc_version = get_nvcc_version()\nflags = []\nfor arch, first in FIRST.items():\n"
                "    if nvcc_version >= Version(first):\n"
                "        flags += ['-gencode', 'arch=compute_{0},code=sm_{0}'.format(arch)]\n");
    };
    CHECK(dictionary("11.7") == k_wide);
    CHECK(dictionary("11.8") == k_no_codes);
    const auto always = [](const std::string& archs, const std::string& floor) {
        return codes_in("setup.py",
                        "def cuda_archs():\n    if cuda_version >= Version('" + floor +
                            "'):\n        return ['-gencode=arch=compute_86,code=sm_86']\n    return []\n"
                            "if has_flag('--norm'):\n    flags = []\n    for arch in [" +
                            archs +
                            "]:\n        flags.append(f'-gencode=arch=compute_{arch},code=sm_{arch}')\n"
                            "    modules.append(CUDAExtension('n', ['n.cu'], "
                            "extra_compile_args={'nvcc': cuda_archs() + flags}))\n");
    };
    CHECK(always("70, 80, 100", "11.1") == k_wide);
    CHECK(always("70, 80", "11.1") == k_no_codes);
    CHECK(always("70, 80, 90", "12.0") == k_no_codes);
    // What a condition on an architecture decides, and what a warning says.
    CHECK(codes_in("setup.py",
                   "if cuda_version < Version('11.8'):\n    warnings.warn('sm_90 is left out')\n"
                   "flags = ['-gencode=arch=compute_80,code=sm_80']\n") == k_no_codes);
    CHECK(codes_in("setup.py",
                   "flags = []\nif cuda_version >= Version('11.1'):\n"
                   "    flags += ['-gencode=arch=compute_86,code=sm_86']\nif '100' in supported_archs():\n"
                   "    flags += ['-gencode=arch=compute_100,code=sm_100']\n") == k_no_codes);
}

}  // namespace ptxguard::recipes
