// NVIDIA's package repositories: keys, and versions that images hold -> the findings of the judge. Each class
// with a similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const Codes k_silence, k_refused{"error CC620"}, k_other_cuda{"warning CC304"};

Codes image_says(const std::string& image, const std::string& lines) {
    return codes_in("Dockerfile", "FROM " + image + "\n" + lines + "\n");
}
const std::string k_update = "RUN apt-get update && ";

}  // namespace

TEST_CASE("images of nvidia/cuda hold NCCL and cuDNN at their versions") {
    const std::string devel = "nvidia/cuda:12.4.1-devel-ubuntu22.04",
                      runtime = "nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04";
    CHECK(image_says(devel, k_update + "apt-get install -y libnccl2 libnccl-dev vim") == k_refused);
    CHECK(image_says(devel, k_update + "apt-get install -y libnccl-dev") == k_refused);
    CHECK(image_says(runtime, k_update + "apt install -y libnccl2") == k_refused);
    CHECK(image_says(runtime, k_update + "apt-get install -y libcudnn9-dev-cuda-12") == k_refused);
    CHECK(image_says("nvidia/cuda:11.8.0-cudnn8-devel-ubuntu22.04",
                     k_update + "apt-get install -y libcudnn8-dev") == k_refused);
    CHECK(image_says(devel, "RUN apt-get remove -y libnccl2") == k_refused);
    CHECK(image_says(runtime, "RUN apt-get purge -y --auto-remove libcudnn9-cuda-12") == k_refused);
    CHECK(codes_in(".github/workflows/ci.yml",
                   "on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    container: " + devel +
                       "\n    steps:\n      - run: |\n          apt-get update\n"
                       "          apt-get install -y libnccl-dev\n") == k_refused);
    // Allowed, unheld, a version, another repository or none, images that hold none, no lists of packages.
    CHECK(image_says(devel, k_update + "apt-get install -y --allow-change-held-packages libnccl2") ==
          k_silence);
    CHECK(image_says(devel, k_update + "apt-mark unhold libnccl2 && apt-get install -y libnccl2") ==
          k_silence);
    CHECK(image_says(devel, k_update + "apt-get install -y libnccl2=2.21.5-1+cuda12.4") == k_silence);
    CHECK(image_says(devel,
                     "RUN rm /etc/apt/sources.list.d/cuda*.list && apt-get update && "
                     "apt-get install -y libnccl-dev") == k_silence);
    CHECK(image_says("nvidia/cuda:12.4.1-base-ubuntu22.04", k_update + "apt-get install -y libnccl2") ==
          k_silence);
    CHECK(image_says("nvidia/cuda:12.9.1-devel-ubuntu20.04", k_update + "apt-get install -y libnccl2") ==
          k_silence);
    CHECK(image_says(devel, k_update + "apt-get install -y libcudnn9-cuda-12") == k_silence);
    CHECK(image_says(devel, "RUN apt-get install -y libnccl2") == k_silence);
    CHECK(image_says(devel, k_update + "if [ -z \"$(ldconfig -p | grep libnccl.so)\" ]; then apt-get install "
                                       "-y libnccl-dev; fi") == k_silence);
    CHECK(image_says(devel, "RUN apt-get remove -y libnccl2 --allow-change-held-packages") == k_silence);
    CHECK(image_says(devel, "RUN apt-get remove -y wget") == k_silence);
}

TEST_CASE("the whole toolkit of another system's repository needs what this system lacks") {
    const std::string folder = "https://developer.download.nvidia.com/compute/cuda/",
                      local = "cuda-repo-ubuntu2204-11-8-local_11.8.0-520.61.05-1_amd64.deb",
                      keyring = "RUN wget " + folder +
                                "repos/ubuntu2204/x86_64/cuda-keyring_1.1-1_all.deb && "
                                "dpkg -i cuda-keyring_1.1-1_all.deb\n",
                      disk = "RUN wget " + folder + "11.8.0/local_installers/" + local + " && dpkg -i " +
                             local + "\n";
    const auto gets = [&](const std::string& system, const std::string& before, const std::string& package) {
        return image_says(system, before + k_update + "apt-get install -y " + package);
    };
    CHECK(gets("ubuntu:24.04", keyring, "cuda-toolkit-12-4") == k_refused);
    CHECK(gets("ubuntu:24.04", keyring, "cuda-11-8") == k_refused);
    CHECK(gets("ubuntu:24.04", disk, "cuda") == k_refused);
    CHECK(gets("ubuntu:24.04", disk, "cuda-toolkit-11-8") == k_refused);
    // Newer ones, components, the own system, one that brings the package, one that is not known.
    CHECK(gets("ubuntu:24.04", keyring, "cuda-toolkit-12-6") == k_silence);
    CHECK(gets("ubuntu:24.04", keyring, "cuda") == k_silence);
    CHECK(gets("ubuntu:24.04", keyring, "cuda-nvcc-12-4 cuda-cudart-dev-12-4") == k_silence);
    CHECK(gets("ubuntu:22.04", keyring, "cuda-toolkit-12-4") == k_silence);
    CHECK(gets("ubuntu:22.04", disk, "cuda") == k_silence);
    CHECK(gets("ubuntu:24.04", keyring + "RUN apt-get install -y ./libtinfo5_6.3-2ubuntu0.1_amd64.deb\n",
               "cuda-toolkit-12-4") == k_silence);
    CHECK(gets("mine/base", keyring, "cuda-toolkit-12-4") == k_silence);
}

TEST_CASE("TensorRT 7 was in a repository that the images no longer have") {
    const std::string image = "nvidia/cuda:11.0.3-cudnn8-devel-ubuntu18.04",
                      install = k_update + "apt-get install -y libnvinfer7=7.2.3-1+cuda11.0";
    CHECK(image_says(image, install) == k_refused);
    CHECK(image_says(image, install + " libnvinfer-plugin7=7.2.3-1+cuda11.0").size() == 2);
    CHECK(image_says(image, k_update + "apt-get install -y libnvinfer8=8.0.1-1+cuda11.3") == k_silence);
    CHECK(image_says(image,
                     "RUN echo 'deb https://developer.download.nvidia.com/compute/machine-learning/repos/"
                     "ubuntu1804/x86_64 /' > /etc/apt/sources.list.d/nvidia-ml.list\n" +
                         install) == k_silence);
    CHECK(image_says("mine/base", install) == k_silence);
}

TEST_CASE("cuda of a repository on the disk has the release of that repository") {
    const std::string local = "cuda-repo-ubuntu2004-11-2-local_11.2.2-460.32.03-1_amd64.deb";
    const auto compiles = [&](const std::string& system) {
        return image_says(
            system,
            "RUN apt-get update && apt-get install -y build-essential wget\n"
            "RUN wget https://developer.download.nvidia.com/compute/cuda/11.2.2/local_installers/" +
                local + " && dpkg -i " + local +
                " && apt-get update && apt-get install -y cuda\n"
                "ENV PATH=/usr/local/cuda/bin:$PATH\nRUN nvcc -o k k.cu");
    };
    CHECK(compiles("ubuntu:22.04") == Codes{"warning CC108"});
    CHECK(compiles("ubuntu:20.04") == k_silence);
}

TEST_CASE("cuDNN without a version is the newest of its repository") {
    const std::string install = k_update + "apt-get install -y libcudnn8";
    CHECK(image_says("nvidia/cuda:11.8.0-runtime-ubuntu22.04", install) == k_other_cuda);
    CHECK(image_says("nvidia/cuda:11.8.0-runtime-ubuntu22.04", install + "=8.9.7.29-1+cuda11.8") ==
          k_silence);
    CHECK(image_says("nvidia/cuda:12.2.2-runtime-ubuntu22.04", install) == k_silence);
    CHECK(
        image_says("nvidia/cuda:11.8.0-runtime-ubuntu22.04",
                   "COPY cudnn-local-repo-ubuntu2204-8.6.0.163_1.0-1_amd64.deb /\n"
                   "RUN dpkg -i /cudnn-local-repo-ubuntu2204-8.6.0.163_1.0-1_amd64.deb && apt-get update && "
                   "apt-get install -y libcudnn8") == k_silence);
    // Ubuntu 24.04 has cuDNN 9 only; libcudnn9 is no package of its own.
    CHECK(image_says("nvidia/cuda:12.6.3-base-ubuntu24.04", install) == k_refused);
    CHECK(image_says("nvidia/cuda:12.6.3-base-ubuntu22.04", k_update + "apt-get install -y libcudnn9") ==
          k_refused);
    CHECK(image_says("nvidia/cuda:12.6.3-base-ubuntu24.04",
                     k_update + "apt-get install -y libcudnn9-cuda-12") == k_silence);
}

TEST_CASE("the keys of NVIDIA's repositories") {
    const auto system = [](const std::string& image, const std::string& commands) {
        return image_says(image,
                          "RUN " + commands + " && apt-get update && apt-get install -y cuda-toolkit-12-6");
    };
    const std::string repos = "https://developer.download.nvidia.com/compute/cuda/repos/";
    const auto keyring = [&](const std::string& folder, const std::string& version) {
        return "wget " + repos + folder + "/x86_64/cuda-keyring_" + version +
               "_all.deb && dpkg -i cuda-keyring_" + version + "_all.deb";
    };
    CHECK(system("ubuntu:24.04", keyring("ubuntu2404", "1.0-1")) == k_refused);
    CHECK(system("ubuntu:24.04", keyring("ubuntu2404", "1.1-1")) == k_silence);
    CHECK(system("ubuntu:22.04", keyring("ubuntu2204", "1.0-1")) == k_silence);
    const auto key = [&](const std::string& name) {
        return "apt-key adv --fetch-keys " + repos + "ubuntu2204/x86_64/" + name + ".pub && echo \"deb " +
               repos + "ubuntu2204/x86_64 /\" > /etc/apt/sources.list.d/cuda.list";
    };
    CHECK(system("ubuntu:22.04", key("7fa2af80")) == k_refused);
    CHECK(system("ubuntu:22.04", key("3bf863cc")) == k_silence);
    CHECK(system("ubuntu:22.04", key("7fa2af80") + " && " + key("3bf863cc")) == k_silence);
    CHECK(system("nvidia/cuda:12.6.3-base-ubuntu22.04", key("7fa2af80")) == k_silence);
}

TEST_CASE("nvcc has C++23 from CUDA 13.3") {
    const auto compiles = [](const std::string& cuda, const std::string& standard) {
        return image_says("nvidia/cuda:" + cuda + "-devel-ubuntu24.04",
                          "COPY a.cu /\nRUN nvcc -std=" + standard + " -arch=sm_80 -c /a.cu");
    };
    CHECK(compiles("12.8.1", "c++23") == Codes{"error CC624"});
    CHECK(compiles("13.3.0", "c++23") == k_silence);
    CHECK(compiles("12.8.1", "c++20") == k_silence);
}

TEST_CASE("a package manager that the image does not have") {
    const std::string ubuntu = "nvidia/cuda:12.4.1-devel-ubuntu22.04",
                      rocky = "nvidia/cuda:12.4.1-devel-rockylinux9";
    const std::string apt = "RUN apt-get update && apt-get install -y git", dnf = "RUN dnf install -y git";
    CHECK(image_gets(ubuntu, dnf) == "CC620");
    CHECK(image_gets(ubuntu, apt) == k_silent);
    CHECK(image_gets(rocky, apt) == "CC620");
    CHECK(image_gets(rocky, dnf) == k_silent);
    CHECK(image_gets("alpine:3.20", apt) == "CC620");
    CHECK(image_gets("python:3.12-alpine", "RUN apk add git") == k_silent);
    CHECK(image_gets("python:3.12-slim", "RUN apk add git") == "CC620");
    CHECK(image_gets("me/cuda:12", dnf) == k_silent);
    CHECK(image_gets(ubuntu, "RUN apt-get install -y dnf\n" + dnf) == k_silent);
    CHECK(image_gets(ubuntu,
                     "RUN if command -v dnf; then dnf install -y git; else apt-get install -y git; fi") ==
          k_silent);
    CHECK(image_gets(ubuntu, "RUN apt-get install -y git || yum install -y git") == k_silent);
    CHECK(image_gets(ubuntu, "RUN which dnf && dnf install -y git || true") == k_silent);
}

TEST_CASE("names that no repository of apt has") {
    const std::string image = "nvidia/cuda:12.4.1-runtime-ubuntu22.04";
    const auto gets = [&](const std::string& name) {
        return image_gets(image, "RUN apt-get update && apt-get install -y " + name);
    };
    CHECK(gets("cuda-toolkit-dev") == "CC620");
    CHECK(gets("cuda-nvcc") == "CC620");
    CHECK(gets("cuda-nvcc-12-4") == k_silent);
    CHECK(gets("cuda-toolkit-12-4") == k_silent);
    // Those of other repositories: negativo17's for Fedora has the name.
    CHECK(image_gets("fedora:40", "RUN dnf install -y cuda-nvcc") == k_silent);
}

TEST_CASE("Pythons that the system's archive does not have") {
    const std::string apt = "RUN apt-get update && apt-get install -y ",
                      ppa = "RUN add-apt-repository -y ppa:deadsnakes/ppa\n" + apt;
    const auto image = [](const std::string& system) { return "nvidia/cuda:12.6.3-devel-" + system; };
    for (const char* package : {"python3.12", "python3.9-venv", "git python3.13-dev"})
        CHECK_MESSAGE(image_gets(image("ubuntu22.04"), apt + package) == "CC620", package);
    for (const char* package : {"python3.10", "python3.11-venv", "python3-dev", "'python3.*'"})
        CHECK_MESSAGE(image_gets(image("ubuntu22.04"), apt + package) == k_silent, package);
    CHECK(image_gets("ubuntu:24.04", apt + "python3.11") == "CC620");
    CHECK(image_gets("python:3.12-slim-bookworm", apt + "python3.10") == "CC620");
    CHECK(image_gets("python:3.12-slim", apt + "python3.10") == k_silent);  // the system of that day
    CHECK(image_gets("me/cuda:12-ubuntu22.04", apt + "python3.12") == k_silent);
    // Others may have it.
    CHECK(image_gets("ubuntu:22.04", ppa + "python3.12") == k_silent);
    for (const char* source :
         {"RUN echo 'deb http://x.org jammy main' > /etc/apt/sources.list.d/x.list\n", "RUN bash setup.sh\n",
          "RUN add-apt-repository ppa:me/python\n", "RUN sed -i s/jammy/noble/ /etc/apt/sources.list\n"})
        CHECK_MESSAGE(image_gets("ubuntu:22.04", source + apt + "python3.12") == k_silent, source);
    const std::string mirror = "RUN sed -i s/archive.ubuntu.com/mirrors.x.org/ /etc/apt/sources.list\n";
    CHECK(image_gets("ubuntu:22.04", mirror + apt + "python3.12") == "CC620");
    CHECK(image_gets("ubuntu:22.04", "RUN if [ -n \"$X\" ]; then apt-get install -y python3.12; fi") ==
          k_silent);
}

TEST_CASE("deadsnakes has no packages for systems whose support has ended, and no distutils of 3.12") {
    const std::string apt = "RUN apt-get update && apt-get install -y ",
                      ppa = "RUN add-apt-repository -y ppa:deadsnakes/ppa\n" + apt;
    CHECK(image_gets("ubuntu:20.04", ppa + "python3.10 python3.10-venv") == "CC620");
    CHECK(image_gets("ubuntu:20.04", ppa + "python3.9") == k_silent);
    CHECK(image_gets("ubuntu:18.04", ppa + "python3.9") == "CC620");
    CHECK(image_gets("ubuntu:22.04", ppa + "python3.9") == k_silent);
    CHECK(image_gets("ubuntu:22.04", ppa + "python3.12 python3.12-distutils") == "CC620");
    CHECK(image_gets("ubuntu:22.04", ppa + "python3.11 python3.11-distutils") == k_silent);
    CHECK(image_gets("ubuntu:24.04", apt + "python3-distutils") == "CC620");
    CHECK(image_gets("ubuntu:22.04", apt + "python3-distutils") == k_silent);
}

TEST_CASE("images for CentOS ended") {
    const auto gets = [](const std::string& tag) { return image_gets("nvidia/cuda:" + tag, ""); };
    CHECK(gets("12.2.0-devel-centos8") == "CC616");
    CHECK(gets("11.4.3-devel-centos8") == "CC616");  // withdrawn with all for that system
    CHECK(gets("11.4.3-devel-rockylinux8") == k_silent);
    CHECK(gets("12.5.1-devel-centos7") == "CC616");
    CHECK(gets("12.4.1-devel-centos7") == k_silent);
    CHECK(gets("12.5.1-devel-rockylinux8") == k_silent);
}

}  // namespace ptxguard::recipes
