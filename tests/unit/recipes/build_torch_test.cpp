// The torch of the environment in which an extension is built, and what the sources of a program need; each
// beside a twin that differs in one word.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const std::string k_cuda_devel = "nvidia/cuda:12.1.1-devel-ubuntu22.04";
const std::string k_setup_of_ext =
    "from setuptools import setup\nfrom torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
    "setup(name='ext', ext_modules=[CUDAExtension('ext._C', ['a.cu'])], cmdclass={'build_ext': "
    "BuildExtension})\n";

std::string builds(const std::string& build_system, const std::string& options = "") {
    return image_gets(k_cuda_devel,
                      "RUN apt-get update && apt-get install -y python3-pip\nRUN pip install torch==2.4.0\n"
                      "COPY . /src\nRUN pip install " +
                          options + "/src",
                      {{"setup.py", k_setup_of_ext}, {"pyproject.toml", build_system}});
}

std::string requiring(const std::string& packages) {
    return "[build-system]\nrequires = [" + packages + "]\nbuild-backend = \"setuptools.build_meta\"\n";
}

}  // namespace

TEST_CASE("an isolated build gets the torch that [build-system] names") {
    CHECK(builds(requiring("'setuptools', 'torch'")) == "CC622");
    CHECK(builds(requiring("'setuptools', 'torch>=2.0'")) == "CC622");
    CHECK(builds(requiring("'setuptools', 'torch==2.4.0'")) == k_silent);
    CHECK(builds(requiring("'setuptools', 'torch>=2.0,<2.5'")) == k_silent);
    CHECK(builds(requiring("'setuptools', 'torch'"), "--no-build-isolation ") == k_silent);
    CHECK(builds(requiring("'setuptools'")) == "CC622");
    CHECK(builds(requiring("'setuptools'"), "--no-build-isolation ") == k_silent);
    CHECK(builds("[project]\nname = 'ext'\nversion = '1'\n") == k_silent);
    CHECK(
        builds("[build-system]\nrequires = ['setuptools']\nbackend-path = ['.']\nbuild-backend = 'own'\n") ==
        k_silent);
}

TEST_CASE("a release of OpenCV and the CUDA and cuDNN with which it compiles") {
    const auto gets = [](const std::string& tag, const std::string& release, const std::string& options) {
        return image_gets("nvidia/cuda:" + tag,
                          "RUN git clone -b " + release +
                              " https://github.com/opencv/opencv && cd opencv && mkdir build && cd build && "
                              "cmake " +
                              options + " .. && make -j8 install");
    };
    const std::string cuda = "-DWITH_CUDA=ON", both = "-D WITH_CUDA=ON -D OPENCV_DNN_CUDA=ON";
    CHECK(gets("12.1.1-devel-ubuntu22.04", "4.6.0", cuda) == "CC625");
    CHECK(gets("12.1.1-devel-ubuntu22.04", "4.7.0", cuda) == k_silent);
    CHECK(gets("11.8.0-devel-ubuntu22.04", "4.6.0", cuda) == k_silent);
    CHECK(gets("12.4.1-devel-ubuntu22.04", "4.9.0", cuda) == "CC625");
    CHECK(gets("12.4.1-devel-ubuntu22.04", "4.10.0", cuda) == k_silent);
    CHECK(gets("13.0.1-devel-ubuntu24.04", "4.12.0", cuda) == "CC625");
    CHECK(gets("13.0.1-devel-ubuntu24.04", "4.13.0", cuda) == k_silent);
    CHECK(gets("12.1.1-devel-ubuntu22.04", "4.6.0", "-DWITH_CUDA=OFF") == k_silent);
    CHECK(gets("12.3.2-cudnn9-devel-ubuntu22.04", "4.9.0", both) == "CC625");
    CHECK(gets("12.3.2-cudnn9-devel-ubuntu22.04", "4.10.0", both) == k_silent);
    CHECK(gets("12.1.1-cudnn8-devel-ubuntu22.04", "4.9.0", both) == k_silent);
}

TEST_CASE("a release of OpenCV that a command downloads") {
    const auto gets = [](const std::string& release) {
        return image_gets(
            "nvidia/cuda:12.1.1-devel-ubuntu22.04",
            "ARG V=" + release +
                "\nRUN wget https://github.com/opencv/opencv/archive/${V}.zip && unzip ${V}.zip && "
                "cmake -S opencv-${V} -B build -D WITH_CUDA=ON && cmake --build build");
    };
    CHECK(gets("4.6.0") == "CC625");
    CHECK(gets("4.8.0") == k_silent);
}

}  // namespace ptxguard::recipes
