// SPDX-License-Identifier: Apache-2.0
#include "recipe_words.hpp"
#include "steps.hpp"

using namespace ptxguard::recipes;

namespace {

// What the files of the project add to the command.
std::string added(const std::vector<std::string>& words, const Files& files) {
    auto steps = steps_of(command_of(words), files);
    REQUIRE(!steps.empty());
    steps.erase(steps.begin());
    return lines_of_steps(steps);
}

const Files k_cmake = {{"src/CMakeLists.txt", "set(CMAKE_CUDA_ARCHITECTURES 80 120)\n"}};
const std::string k_cmake_archs = "1:30 CMAKE_CUDA_ARCHITECTURES=80;120\n";

}  // namespace

TEST_CASE("cmake: the architectures of the source folder's CMakeLists.txt") {
    CHECK(added({"cmake", "-S", "src", "-B", "build"}, k_cmake) == k_cmake_archs);
    CHECK(added({"cmake", "-G", "Ninja", "-DX=1", "src"}, k_cmake) == k_cmake_archs);
    CHECK(added({"cmake", "src/sub/.."}, k_cmake) == k_cmake_archs);
    CHECK(added({"cmake", "-Bbuild"}, {{"CMakeLists.txt", k_cmake.at("src/CMakeLists.txt")}}) ==
          k_cmake_archs);
    CHECK(added({"cmake", "--build", "src"}, k_cmake) == "");
    CHECK(added({"cmake", "--install", "src"}, k_cmake) == "");
    CHECK(added({"cmake", "-S", "other", "-B", "build"}, k_cmake) == "");
}

TEST_CASE("cmake: a list that a condition or the user may replace is left out") {
    const auto of = [](const std::string& text) {
        return added({"cmake", "-S", ".", "-B", "b"}, {{"CMakeLists.txt", text}});
    };
    CHECK(of("if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)\nset(CMAKE_CUDA_ARCHITECTURES 120)\nendif()\n") ==
          "2:30 CMAKE_CUDA_ARCHITECTURES=120\n");
    CHECK(of("set(CMAKE_CUDA_ARCHITECTURES 120 CACHE STRING \"\")\n") ==
          "1:30 CMAKE_CUDA_ARCHITECTURES=120\n");
    CHECK(of("project(x LANGUAGES CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 120 CACHE STRING \"\")\n") ==
          "1:9 x\n");
    CHECK(of("set(A 80)\nif(V VERSION_GREATER 12.7)\nlist(APPEND A 120)\nendif()\n"
             "set(CMAKE_CUDA_ARCHITECTURES ${A})\n") == "");
    CHECK(of("set(CMAKE_CUDA_FLAGS \"-gencode arch=compute_120,code=sm_120\")\n") ==
          "1:23 nvcc -gencode arch=compute_120,code=sm_120\n");
    CHECK(of("set(CMAKE_CUDA_STANDARD 17)\nproject(x LANGUAGES CUDA)\n") ==
          "1:25 CMAKE_CUDA_STANDARD=17\n2:9 x\n");
}

TEST_CASE("cmake --preset: the architectures of this preset") {
    const Files files = {{"CMakePresets.json",
                          R"({"configurePresets": [
{"name": "a", "cacheVariables": {"CMAKE_CUDA_ARCHITECTURES": "120"}},
{"name": "b", "cacheVariables": {"CMAKE_CUDA_ARCHITECTURES": "80"}}]})"}};
    CHECK(added({"cmake", "--preset", "b"}, files) == "3:63 CMAKE_CUDA_ARCHITECTURES=80\n");
    CHECK(added({"cmake", "--preset=c"}, files) == "");
}

TEST_CASE("pip install, python setup.py: the flags of setup.py") {
    const Files files = {{"ext/setup.py", "x = ['-gencode', 'arch=compute_120,code=sm_120']\n"}};
    const std::string flags = "1:7 nvcc -gencode arch=compute_120,code=sm_120\n";
    CHECK(added({"pip", "install", "./ext"}, files) == flags);
    CHECK(added({"pip", "install", "-e", "ext[dev]"}, files) == flags);
    CHECK(added({"python3", "ext/setup.py", "install"}, files) == flags);
    CHECK(added({"pip", "install", "torch"}, files) == "");
    // scikit-build-core
    Files scikit = k_cmake;
    scikit["src/pyproject.toml"] = "[build-system]\nbuild-backend = 'scikit_build_core.build'\n";
    CHECK(added({"pip", "install", "./src"}, scikit) == k_cmake_archs);
    CHECK(added({"pip", "install", "./src"}, k_cmake) == "");
}

TEST_CASE("programs that build nothing, or lack their file, add nothing") {
    for (const char* program : {"python3", "cmake", "make", "nvcc"}) CHECK(added({program}, {}) == "");
    CHECK(added({"python3", "other.py"},
                {{"setup.py", "x = ['-gencode', 'arch=compute_120,code=sm_120']\n"}}) == "");
}

TEST_CASE("setup.py: flags that depend on a release are left out") {
    const auto of = [](const std::string& text) {
        return added({"pip", "install", "."}, {{"setup.py", text}});
    };
    const std::string flag = "'-gencode=arch=compute_120,code=sm_120'";
    CHECK(of("f = []\nif cuda >= Version('12.8'):\n    f.append(" + flag + ")\n") == "");
    CHECK(of("f = [" + flag + "] if cuda >= (12, 8) else []\n") == "");
    CHECK(of("if cuda < 12:\n    pass\nelse:\n    if x:\n        f = [\n            " + flag +
             ",\n        ]\n") == "");
    CHECK(of("if torch.cuda.is_available():\n    f = [" + flag + "]\n") ==
          "2:11 nvcc -gencode=arch=compute_120,code=sm_120\n");
    CHECK(of("if old:\n    f = [" + flag + "]\n") == "2:11 nvcc~ -gencode=arch=compute_120,code=sm_120~\n");
    CHECK(of("if cuda >= 12:\n    pass\nf = [" + flag + "]\n") ==
          "3:7 nvcc -gencode=arch=compute_120,code=sm_120\n");
}

TEST_CASE("setup.py: CUDAExtension in no branch compiles device code") {
    const auto of = [](const std::string& text) {
        return added({"pip", "install", "."}, {{"setup.py", text}});
    };
    CHECK(of("setup(name='x', ext_modules=[CUDAExtension('x', ['a.cu'])])\n") == "1:30 CUDAExtension\n");
    CHECK(of("def modules():\n    return [\n        CUDAExtension('x', []),\n    ]\n") ==
          "3:9 CUDAExtension\n");
    CHECK(of("m = CUDAExtension('x', args=['-arch=sm_80'])\n") ==
          "1:5 CUDAExtension\n1:31 nvcc -arch=sm_80\n");
    CHECK(of("if torch.cuda.is_available():\n    m = [\n        CUDAExtension('x', [])]\n") == "");
    CHECK(of("m = [CUDAExtension('x', [])] if CUDA_HOME else []\n") == "");
    CHECK(of("# m = CUDAExtension('x')\nprint('CUDAExtension()')\nfrom t import CUDAExtension\n") == "");
}

TEST_CASE("make: the flags of the Makefile") {
    const Files files = {
        {"k/Makefile", "all:\n\tnvcc -arch=sm_120 -O3 a.cu -o a\n\techo done\n\tmake -C .\n"}};
    CHECK(added({"make", "-j8", "-C", "k"}, files) == "2:7 nvcc -arch=sm_120\n");
    CHECK(added({"make", "-f", "k/Makefile", "all"}, files) == "2:7 nvcc -arch=sm_120\n");
    CHECK(added({"make"}, files) == "");
    CHECK(added({"make"}, {{"Makefile", "a:\n\tnvcc -c a.cu -arch compute_80 -code sm_80\n"}}) ==
          "2:15 nvcc -arch compute_80 -code sm_80\n");
}
