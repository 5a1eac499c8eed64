// What a recipe builds, with which compilers and from which images -> the findings of the judge. Each class
// with a similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

// Notes and unknowns only of the rule `also`.
Codes build_codes(const std::string& name, const std::string& text, const Files& files = {},
                  const std::string& also = "") {
    return codes_in(scenarios_in(name, text, files), also);
}
Codes image_says(const std::string& image, const std::string& lines, const Files& files = {}) {
    return build_codes("Dockerfile", "FROM " + image + "\n" + lines, files);
}
Codes ci_says(const std::string& runner, const std::string& cuda, const std::string& more) {
    return build_codes(
        ".github/workflows/ci.yml",
        "on: [push]\njobs:\n  build:\n    runs-on: " + runner +
            "\n    steps:\n    - uses: Jimver/cuda-toolkit@v0.2.30\n      with:\n        cuda: '" + cuda +
            "'\n" + more);
}

const Codes k_arch{"error CC203"}, k_compiler{"warning CC108"}, k_no_nvcc{"error CC608"},
    k_may_lack_nvcc{"warning CC608"}, k_too_early{"error CC622"}, k_isolated{"warning CC622"},
    k_no_package{"error CC620"};

std::string setup_with(const std::string& flags, const std::string& before = "") {
    return before +
           "from setuptools import setup\n"
           "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
           "setup(name='k', ext_modules=[CUDAExtension('k', ['k.cu'],\n"
           "      extra_compile_args={'nvcc': [" +
           flags + "]})], cmdclass={'build_ext': BuildExtension})\n";
}

}  // namespace

TEST_CASE("a list that no CUDA release supports is wrong with any toolkit") {
    const auto makefile = [](const std::string& flags) {
        return build_codes("Makefile", "FLAGS = " + flags + "\nall:\n\tnvcc $(FLAGS) -o a a.cu\n");
    };
    CHECK(makefile("-gencode arch=compute_30,code=sm_30 -gencode arch=compute_90,code=sm_90") == k_arch);
    CHECK(makefile("-gencode arch=compute_35,code=sm_35 -gencode arch=compute_90,code=sm_90") == k_nothing);
    CHECK(makefile("-arch=sm_76") == k_arch);
    // A tab begins a command behind a rule, and nothing elsewhere.
    CHECK(build_codes("Makefile",
                      "ifeq ($(A),)\n\tARCH = sm_76\n\tifneq ($(B), 1)\n\t  FLAGS = -arch=$(ARCH)\n\tendif\n"
                      "endif\nall:\n\n# a comment\n\tnvcc $(FLAGS) -o a a.cu\n") == Codes{"warning CC203"});
    CHECK(build_codes("Makefile", "all:\n\tnvcc -arch=sm_90 -o a a.cu\nARCH = sm_90\n\tARCH = sm_76\n") ==
          k_nothing);
    CHECK(makefile("-arch=sm_250") == k_nothing);  // newer than the tables
    const auto cmake = [](const std::string& list) {
        return build_codes("CMakeLists.txt", "project(x LANGUAGES CXX CUDA)\n" + list);
    };
    CHECK(cmake("set(CMAKE_CUDA_ARCHITECTURES 80 92)\n") == k_arch);
    CHECK(cmake("set(CMAKE_CUDA_ARCHITECTURES 80 90)\n") == k_nothing);
    CHECK(cmake("set_target_properties(a PROPERTIES CUDA_ARCHITECTURES \"35;100\")\n") == k_arch);
    // A branch adds one of both.
    CHECK(cmake("set(L 90)\nif(OLD)\n list(APPEND L 30)\nendif()\nset(CMAKE_CUDA_ARCHITECTURES ${L})\n") ==
          k_nothing);
    CHECK(build_codes("pyproject.toml",
                      "[tool.scikit-build.cmake.define]\nCMAKE_CUDA_ARCHITECTURES = \"60;92\"\n") == k_arch);
    CHECK(build_codes("pyproject.toml",
                      "[tool.scikit-build]\ncmake.args = [\"-DCMAKE_CUDA_ARCHITECTURES=75;89\"]\n") ==
          k_nothing);
}

TEST_CASE("flags of a setup.py are an error unless something decides about them") {
    const auto setup = [](const std::string& text) {
        return image_says("nvidia/cuda:13.0.1-devel-ubuntu24.04",
                          "COPY . /src\nWORKDIR /src\nRUN python3 setup.py install\n", {{"setup.py", text}});
    };
    const std::string volta = "'-gencode=arch=compute_70,code=sm_70'";
    CHECK(setup(setup_with(volta)) == k_arch);
    CHECK(setup(setup_with("'-gencode=arch=compute_75,code=sm_75'")) == k_nothing);
    CHECK(setup(setup_with("*f", "f = []\nif torch.cuda.is_available():\n    f = [" + volta + "]\n")) ==
          k_arch);
    CHECK(setup(setup_with("*f", "f = []\nif old:\n    f = [" + volta + "]\n")) == Codes{"warning CC203"});
    CHECK(setup(setup_with("*f", "f = []\nif cuda < 13:\n    f = [" + volta + "]\n")) == k_nothing);
}

TEST_CASE("loops, folders and variables of a command give architectures") {
    const auto says = [](const std::string& run, const Files& files) {
        return image_says("nvidia/cuda:12.6.3-devel-ubuntu22.04", "COPY . /w\nWORKDIR /w\nRUN " + run + "\n",
                          files);
    };
    const auto loop = [](const std::string& archs) {
        return Files{{"CMakeLists.txt",
                      "find_package(CUDA REQUIRED)\nset(ARCHS " + archs +
                          ")\nforeach(A ${ARCHS})\n  set(CUDA_NVCC_FLAGS \"${CUDA_NVCC_FLAGS} -gencode "
                          "arch=compute_${A},code=sm_${A}\")\nendforeach()\n"}};
    };
    CHECK(says("cmake -B build -S .", loop("35 50")) == k_arch);
    CHECK(says("cmake -B build -S .", loop("50 60")) == k_nothing);
    // The last item, in branches that all releases of CMake have.
    const auto last = [](const std::string& archs) {
        return Files{
            {"CMakeLists.txt",
             "project(x CUDA)\nlist(APPEND ARCHS\n  35\n  " + archs +
                 "\n)\nforeach(A ${ARCHS})\n  set(CODES \"${CODES} -gencode "
                 "arch=compute_${A},code=sm_${A}\")\n"
                 "endforeach()\nlist(GET ARCHS -1 LAST)\n"
                 "set(CODES \"${CODES} -gencode arch=compute_${LAST},code=compute_${LAST}\")\n"
                 "if(${CMAKE_VERSION} VERSION_LESS 3.10)\n  set(CUDA_NVCC_FLAGS \"${CODES}\")\nelse()\n"
                 "  set(CMAKE_CUDA_FLAGS \"${CMAKE_CUDA_FLAGS} -lineinfo ${CODES}\")\nendif()\n"}};
    };
    const auto old_image = [](const Files& files) {
        return image_says("nvidia/cuda:11.8.0-devel-ubuntu22.04",
                          "COPY . /w\nWORKDIR /w\nRUN cmake -B build -S .\n", files);
    };
    CHECK(old_image(last("70\n  100")) == k_arch);
    CHECK(old_image(last("70\n  89")) == k_nothing);
    const auto option = [](const std::string& value) {
        return Files{{"CMakeLists.txt",
                      "option(NEW \"\" " + value +
                          ")\nset(CMAKE_CUDA_ARCHITECTURES 80)\nif(NEW)\n"
                          "  list(APPEND CMAKE_CUDA_ARCHITECTURES 100)\nendif()\nproject(x CUDA)\n"}};
    };
    CHECK(old_image(option("ON")) == k_arch);
    CHECK(old_image(option("OFF")) == k_nothing);
    const auto below = [](const std::string& arch) {
        return Files{{"CMakeLists.txt", "project(x CUDA)\nadd_subdirectory(src)\n"},
                     {"src/CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES " + arch + ")\n"}};
    };
    CHECK(says("cmake -B build -S .", below("37")) == k_arch);
    CHECK(says("cmake -B build -S .", below("70")) == k_nothing);
    const Files makefile{{"Makefile", "ARCH ?= sm_70\nall:\n\tnvcc -arch=$(ARCH) -o a a.cu\n"}};
    CHECK(says("make ARCH=sm_120", makefile) == k_arch);
    CHECK(says("make ARCH=sm_90", makefile) == k_nothing);
    CHECK(says("cmake -B build -DCMAKE_CUDA_FLAGS='-arch=sm_37'", {}) == k_arch);
    CHECK(says("cmake -B build -D CUDA_ARCH_BIN=3.0,8.6", {}) == k_arch);
    CHECK(says("cmake -B build -DCUDA_ARCH_BIN=7.5,8.6", {}) == k_nothing);
    CHECK(says("make NVCCFLAGS='-gencode arch=compute_35,code=sm_35'", {}) == k_arch);
}

TEST_CASE("torch's builder does not read numbers without a dot") {
    const auto says = [](const std::string& list, const std::string& run) {
        return image_says("nvidia/cuda:12.6.3-devel-ubuntu22.04",
                          "ENV TORCH_CUDA_ARCH_LIST=\"" + list + "\"\nCOPY . /w\nRUN cd /w && " + run + "\n",
                          {{"setup.py", setup_with("")}});
    };
    CHECK(says("80;86", "python3 setup.py install") == k_arch);
    CHECK(says("8.0;8.6+PTX", "python3 setup.py install") == k_nothing);
    CHECK(says("80;86", "cmake -B b -DCMAKE_CUDA_ARCHITECTURES=$TORCH_CUDA_ARCH_LIST") == k_nothing);
}

TEST_CASE("a variable of one step of a job reaches the commands of that step") {
    const auto step = [](const std::string& list) {
        return ci_says("ubuntu-24.04", "13.0.2",
                       "        method: network\n    - run: python setup.py bdist_wheel\n      env:\n"
                       "        TORCH_CUDA_ARCH_LIST: '" +
                           list + "'\n    - run: nvcc --version\n");
    };
    CHECK(step("7.0 8.0") == k_arch);
    CHECK(step("7.5 8.0") == k_nothing);
}

TEST_CASE("the compiler that a command makes the default one") {
    const auto says = [](const std::string& cuda, const std::string& lines) {
        return image_says(
            "nvidia/cuda:" + cuda + "-devel-ubuntu22.04",
            "RUN apt-get install -y gcc-13 g++-13\n" + lines + "RUN nvcc -arch=sm_80 -c a.cu\n");
    };
    const std::string alternatives =
        "RUN update-alternatives --install /usr/bin/gcc gcc /usr/bin/gcc-13 100 --slave /usr/bin/g++ g++ "
        "/usr/bin/g++-13\n";
    CHECK(says("11.8.0", alternatives) == k_compiler);
    CHECK(says("12.4.1", alternatives) == k_nothing);
    CHECK(says("11.8.0",
               alternatives + "RUN update-alternatives --install /usr/bin/gcc gcc /usr/bin/gcc-11 110\n") ==
          k_nothing);
    CHECK(says("11.8.0", alternatives + "RUN update-alternatives --set gcc /usr/bin/gcc-11\n") == k_nothing);
    CHECK(says("11.8.0", "RUN ln -sf /usr/bin/gcc-13 /usr/bin/gcc\n") == k_compiler);
    CHECK(says("11.8.0", "RUN ln -s /usr/bin/python3 /usr/bin/python\n") == k_nothing);
    CHECK(says("11.8.0", "ENV NVCC_APPEND_FLAGS=-allow-unsupported-compiler\n" + alternatives) == k_nothing);
}

TEST_CASE("compilers of conda, of Red Hat's toolsets and of torch's builder") {
    const auto conda = [](const std::string& gcc) {
        return build_codes(
            "environment.yml",
            "channels: [conda-forge]\ndependencies:\n- cuda-nvcc=12.1\n- gxx_linux-64=" + gcc + "\n", {},
            "CC108");
    };
    CHECK(conda("13") == Codes{"note CC108"});  // nothing is compiled
    CHECK(conda("12") == k_nothing);
    const auto toolset = [](const std::string& number) {
        return image_says("nvidia/cuda:11.8.0-devel-rockylinux8",
                          "RUN dnf install -y gcc-toolset-" + number + "\nENV PATH=/opt/rh/gcc-toolset-" +
                              number + "/root/usr/bin:$PATH\nRUN nvcc -arch=sm_80 -c a.cu\n");
    };
    CHECK(toolset("12") == k_compiler);
    CHECK(toolset("11") == k_nothing);
    const auto torch = [](const std::string& gcc) {
        return image_says("nvidia/cuda:11.8.0-devel-ubuntu22.04",
                          "RUN apt-get install -y g++-" + gcc + "\nENV CC=gcc-" + gcc + " CXX=g++-" + gcc +
                              "\nRUN pip install --no-build-isolation "
                              "git+https://github.com/facebookresearch/pytorch3d.git\n");
    };
    CHECK(torch("12") == k_compiler);
    CHECK(torch("10") == k_nothing);
    CHECK(image_says("fedora:40",
                     "COPY cuda.repo /etc/yum.repos.d/\nRUN dnf install -y cuda-toolkit-12-4 gcc-c++\nRUN "
                     "nvcc -c a.cu\n") == k_compiler);
}

TEST_CASE("an image of a system has no nvcc unless something may install it") {
    const std::string cmake = "RUN apt-get update && apt-get install -y cmake git\n";
    const std::string build = "RUN cmake -B build -DGGML_CUDA=ON\n";
    CHECK(image_says("ubuntu:22.04", cmake + build) == k_no_nvcc);
    for (const std::string words : {"a.cu", "-arch=sm_90 a.cu", "-O3 -o a"})
        CHECK_MESSAGE(image_says("ubuntu:22.04", cmake + "RUN nvcc " + words + "\n") == k_no_nvcc, words);
    for (const std::string words : {"--version", "a.cu --help", "a.o", ""})
        CHECK_MESSAGE(image_says("ubuntu:22.04", cmake + "RUN nvcc " + words + "\n") == k_nothing, words);
    CHECK(image_says("ubuntu:22.04", cmake + "RUN apt-get install -y nvidia-cuda-toolkit\n" + build) ==
          k_nothing);
    CHECK(image_says("ubuntu:22.04", cmake + "RUN ./install.sh\n" + build) == k_nothing);
    CHECK(image_says("ubuntu:22.04",
                     cmake + "RUN curl -O https://x.org/cuda.tar && tar xf cuda.tar\n" + build) == k_nothing);
    CHECK(image_says("ubuntu:22.04", cmake + "ENV CUDA_HOME=/opt/cuda\n" + build) == k_nothing);
    CHECK(image_says("me/ubuntu:22.04", cmake + build) == k_nothing);
    CHECK(image_says("ubuntu:22.04", cmake + "RUN cmake -B build -DWITH_CUDA=ON\n") == k_nothing);
    const std::string torch = "RUN pip install torch==2.5.1\n";
    CHECK(image_says("python:3.11-slim", torch + "RUN pip install --no-build-isolation flash-attn\n") ==
          k_may_lack_nvcc);
    // It is built for CPUs.
    CHECK(image_says("python:3.11-slim", torch + "RUN pip install --no-build-isolation torch-scatter\n") ==
          k_nothing);
}

TEST_CASE("what an earlier stage installs is only there if it is copied") {
    const std::string start = "nvidia/cuda:12.4.1-devel-ubuntu22.04 AS build\nRUN nvcc -o /app a.cu\n";
    const std::string build = "RUN nvcc -o /b b.cu\n";
    const std::string runtime = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\n";
    CHECK(image_says(start + runtime + "COPY --from=build /app /app", "\n" + build) == k_no_nvcc);
    CHECK(image_says(start + runtime + "COPY --from=build /app /app", "\n") == k_nothing);
    CHECK(image_says(start + runtime + "COPY --from=build /usr/local/cuda /usr/local/cuda", "\n" + build) ==
          k_nothing);
    CHECK(image_says(start + "FROM python:3.11\nCOPY --from=build / /", "\n" + build) == k_nothing);
}

TEST_CASE("packages whose setup.py imports torch") {
    const std::string cuda = "nvidia/cuda:12.4.1-devel-ubuntu22.04";
    const std::string torch = "RUN pip install torch==2.5.1\n";
    const std::string apart = "RUN pip install --no-build-isolation flash-attn\n";
    CHECK(image_says(cuda, torch + apart) == k_nothing);
    CHECK(image_says(cuda, apart + torch) == k_too_early);
    CHECK(image_says(cuda, "RUN pip install --no-build-isolation torch==2.5.1 flash-attn\n") == k_too_early);
    CHECK(image_says("pytorch/pytorch:2.5.1-cuda12.4-cudnn9-devel", apart) == k_nothing);
    CHECK(image_says("me/image", apart + torch) == k_nothing);
    // A file may be torch.
    CHECK(image_says(cuda, "RUN pip install dist/torch-*.whl\n" + apart + torch) == k_nothing);
    CHECK(image_says(cuda, "RUN pip install -U pip\n" + torch + "RUN pip install flash-attn\n") ==
          k_isolated);
    CHECK(image_says(cuda, torch + "RUN pip install flash-attn\n") == k_nothing);  // unknown
    CHECK(image_says(cuda, torch + "RUN pip install mamba-ssm\n") == k_isolated);
    // Its pyproject.toml names torch: the build gets the newest.
    CHECK(image_says(cuda, torch + "RUN pip install -U pip && pip install causal-conv1d\n") == k_isolated);
    CHECK(image_says(cuda, torch + "RUN pip install -U pip && pip install causal-conv1d==1.5.0.post8\n") ==
          k_isolated);
    CHECK(build_codes("requirements.txt", "torch==2.5.1\nflash-attn==2.7.0.post2\n", {}, "CC622") ==
          Codes{"unknown CC622"});
    CHECK(image_says(cuda, torch + "RUN uv pip install --system --no-build-isolation-package flash-attn "
                                   "flash-attn\n") == k_nothing);
}

TEST_CASE("parts of a toolkit that an action installs") {
    const auto linux_parts = [](const std::string& parts) {
        return ci_says("ubuntu-22.04", "12.4.1",
                       "        method: network\n        " + parts + "\n    - run: cmake -B build\n");
    };
    CHECK(linux_parts("sub-packages: '[\"nvcc\", \"cublas-dev\"]'") == k_no_package);
    CHECK(linux_parts("sub-packages: '[\"nvcc\", \"cudart-dev\"]'") == k_nothing);
    CHECK(linux_parts("sub-packages: '[\"nvcc\"]'\n        non-cuda-sub-packages: '[\"libcublas-dev\"]'") ==
          k_nothing);
    const auto windows_parts = [](const std::string& cuda, const std::string& parts) {
        return ci_says(
            "windows-2022", cuda,
            "        method: network\n        sub-packages: '" + parts + "'\n    - run: cmake -B build\n");
    };
    CHECK(windows_parts("13.0.2", "[\"nvcc\", \"cudart\"]") == Codes{"error CC105"});
    CHECK(windows_parts("12.8.1", "[\"nvcc\", \"cudart\"]") == k_nothing);
    CHECK(windows_parts("13.0.2", "[\"nvcc\", \"cudart\", \"crt\", \"nvvm\"]") == k_nothing);
    const auto installer = [](const std::string& release) {
        return build_codes("install.sh",
                           "curl -o cuda.exe https://developer.download.nvidia.com/compute/cuda/12.8.1/"
                           "local_installers/cuda_12.8.1_572.61_windows.exe\n./cuda.exe -s nvcc_" +
                               release + " cudart_" + release + "\n");
    };
    CHECK(installer("12.5") == k_no_package);
    CHECK(installer("12.8") == k_nothing);
}

TEST_CASE("a build for another CUDA requires other packages of NVIDIA than PyPI's") {
    const auto says = [](const std::string& packages, const std::string& before = "") {
        return codes_in("Dockerfile",
                        "FROM python:3.12-slim\nRUN " + before + "pip install " + packages + "\n");
    };
    const Codes refused{"error CC612"}, other_cuda{"warning CC612"};
    const std::string index = " --extra-index-url https://download.pytorch.org/whl/";
    CHECK(says("torch==2.10.0+cu130 cuda-bindings==13.0.3" + index + "cu130") == k_nothing);
    CHECK(says("torch==2.10.0 -c c.txt --index-url https://download.pytorch.org/whl/cu130",
               "echo cuda-bindings==13.0.3 > c.txt && ") == k_nothing);
    CHECK(says("torch==2.10.0+cpu triton==3.5.0" + index + "cpu") == k_nothing);
    // That of another CUDA, and PyPI's own build.
    CHECK(says("torch==2.10.0+cu130 cuda-bindings==12.9.4" + index + "cu130") == other_cuda);
    CHECK(says("torch==2.10.0 -c c.txt", "echo cuda-bindings==13.0.3 > c.txt && ") == refused);
    CHECK(says("torch==2.10.0 triton==3.5.0") == refused);
}

TEST_CASE("a stage named like a component is none") {
    const auto says = [](const std::string& stage) {
        return codes_in("Dockerfile", "FROM nvidia/cuda:13.0.1-devel-ubuntu24.04 AS " + stage +
                                          "\nCOPY . /src\nRUN nvcc -o /app /src/a.cu\n"
                                          "FROM nvidia/cuda:13.0.1-runtime-ubuntu24.04\nCOPY --from=" +
                                          stage + " /app /app\nRUN nvcc -o /b /b.cu\n");
    };
    CHECK(says("nvcc") == says("build"));
}

}  // namespace ptxguard::recipes
