// What is in an environment: images and stages, packages with a CUDA in their names, names that say one. Each
// class with a similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const Codes k_none;

Codes dockerfile_says(const std::string& text, const Files& files = {}) {
    return codes_in("Dockerfile", text, files);
}
Codes requirements_say(const std::string& file, const std::string& text) { return codes_in(file, text); }

}  // namespace

TEST_CASE("ONNX Runtime without a release needs CUDA's libraries too") {
    const auto says = [](const std::string& image, const std::string& packages) {
        return codes_of("Dockerfile", "FROM " + image + "\nRUN pip install " + packages + "\n");
    };
    CHECK(says("python:3.11-slim", "onnxruntime-gpu") == "CC401");
    CHECK(says("python:3.11", "numpy 'onnxruntime-gpu>=1.18'") == "CC401");
    CHECK(says("python:3.11-slim", "'onnxruntime-gpu[cuda,cudnn]'") == k_silent);
    CHECK(says("python:3.11-slim", "onnxruntime-gpu torch") == k_silent);
    CHECK(says("python:3.11-slim", "onnxruntime-gpu nvidia-cudnn-cu13") == k_silent);
    CHECK(says("me/python:3.11", "onnxruntime-gpu") == k_silent);
}

TEST_CASE("frameworks without a pin in an image without cuDNN or cuBLAS") {
    const std::string pip = "RUN apt-get update && apt-get install -y python3-pip\n";
    CHECK(dockerfile_says("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n" + pip +
                          "RUN pip install tensorflow\n") == Codes{"warning CC305"});
    CHECK(dockerfile_says("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n" + pip +
                          "RUN pip install cupy-cuda12x\n") == Codes{"warning CC401"});
    CHECK(dockerfile_says("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n" + pip +
                          "RUN pip install cupy-cuda12x==13.3.0\n") == Codes{"warning CC401"});
    CHECK(dockerfile_says("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n" + pip +
                          "RUN pip install 'tensorflow[and-cuda]'\n") == k_none);
    CHECK(dockerfile_says("FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\n" + pip +
                          "RUN pip install cupy-cuda12x\n") == k_none);
    CHECK(dockerfile_says("FROM nvidia/cuda:12.4.1-base-ubuntu22.04\n" + pip +
                          "RUN pip install torch==2.5.1 cupy-cuda12x\n") == k_none);
    CHECK(dockerfile_says("FROM nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04\n" + pip +
                          "RUN pip install tensorflow\n") == k_none);
}

TEST_CASE("a stage that copies the programs of another one") {
    const auto stages = [](const std::string& build, const std::string& run, const std::string& command,
                           const std::string& path) {
        return dockerfile_says("FROM nvidia/cuda:" + build + "-devel-ubuntu22.04 AS build\nRUN " + command +
                               "\nFROM nvidia/cuda:" + run + "-runtime-ubuntu22.04\nCOPY --from=build " +
                               path + " /app/\n");
    };
    CHECK(stages("12.6.3", "12.2.2", "cmake -B b && make -C b", "/src/b/server") == Codes{"warning CC602"});
    CHECK(stages("12.6.3", "11.8.0", "make", "/src/server") == Codes{"warning CC601"});
    CHECK(stages("12.6.3", "12.2.2", "./build.sh", "/src/server") == Codes{"warning CC602"});
    CHECK(dockerfile_says("FROM nvidia/cuda:12.6.3-devel-ubuntu22.04 AS base\nFROM base AS build\nRUN make\n"
                          "FROM nvidia/cuda:12.2.2-base-ubuntu22.04\nCOPY --from=build /a /b\n") ==
          Codes{"warning CC602"});
    // Newer libraries, the libraries too, nothing that is compiled, modules of torch.
    CHECK(stages("12.2.2", "12.6.3", "make", "/src/server") == k_none);
    CHECK(stages("12.6.3", "12.6.3", "make", "/src/server") == k_none);
    CHECK(stages("12.6.3", "12.2.2", "make", "/usr/local/cuda/lib64") == k_none);
    CHECK(stages("12.6.3", "12.2.2", "echo hello", "/etc/hosts") == k_none);
    CHECK(stages("12.6.3", "12.2.2", "pip install torch==2.7.0 && make", "/src/server") == k_none);
}

TEST_CASE("packages with a CUDA in their names") {
    CHECK(dockerfile_says("FROM nvcr.io/nvidia/pytorch:24.03-py3\nRUN pip install nvidia-dali-cuda110\n") ==
          Codes{"warning CC612"});
    CHECK(
        requirements_say(
            "requirements.txt",
            "--extra-index-url https://download.pytorch.org/whl/cu121\ntorch==2.3.1+cu121\ncupy-cuda11x\n") ==
        Codes{"warning CC612"});
    CHECK(requirements_say("requirements.txt", "torch==2.3.1\ncucim-cu11\n") == Codes{"warning CC612"});
    CHECK(dockerfile_says("FROM nvcr.io/nvidia/pytorch:24.03-py3\nRUN pip install nvidia-dali-cuda120\n") ==
          k_none);
    CHECK(requirements_say("requirements.txt", "torch==2.3.1\ncupy-cuda12x\n") == k_none);
    CHECK(requirements_say("requirements.txt", "torch==2.3.1\nspconv-cu118\n") == k_none);
    CHECK(requirements_say("requirements.txt",
                           "torch==2.3.1\ncucim-cu11; python_version < '3.9'\ncucim-cu12; python_version >= "
                           "'3.9'\n") == k_none);
}

TEST_CASE("names that say a CUDA") {
    const Codes other{"warning CC612"};
    const auto conda = [](const std::string& file, const std::string& spec) {
        return codes_in(file,
                        "name: x\nchannels: [conda-forge]\ndependencies:\n- python=3.10\n- " + spec + "\n");
    };
    CHECK(conda("conda/environment-cuda11.4.yml", "cudatoolkit=11.0") == other);
    CHECK(conda("environment-cuda12.yml", "cuda-version=11.8") == other);
    CHECK(conda("conda/environment-cuda11.4.yml", "cudatoolkit=11.4") == k_none);
    CHECK(conda("environment-cuda11.yml", "cudatoolkit=11.8") == k_none);
    CHECK(conda("environment.yml", "cudatoolkit=11.0") == k_none);
    CHECK(requirements_say(
              "requirements-cu121.txt",
              "--extra-index-url https://download.pytorch.org/whl/cu118\ntorch==2.3.1+cu118\n") == other);
    CHECK(requirements_say(
              "requirements-cu118.txt",
              "--extra-index-url https://download.pytorch.org/whl/cu118\ntorch==2.3.1+cu118\n") == k_none);
    // torch 1.12.1 has no build for CUDA 11.4.
    CHECK(requirements_say(
              "requirements-cu114.txt",
              "--extra-index-url https://download.pytorch.org/whl/cu113\ntorch==1.12.1+cu113\n") == k_none);
    const auto extras = [](const std::string& more) {
        return codes_in("setup.py",
                        "from setuptools import setup\nsetup(name='x', extras_require={\n"
                        "  'cuda110': ['cupy-cuda110>=8'],\n" +
                            more + "})\n");
    };
    CHECK(extras("  'cuda111': ['cupy-cuda110>=8'],\n") == other);
    CHECK(extras("  'cuda111': ['cupy-cuda111>=8'],\n") == k_none);
    CHECK(extras("  'cuda': ['cupy-cuda110>=8'],\n") == k_none);
    CHECK(codes_in("docker/cuda12/Dockerfile", "FROM nvidia/cuda:11.8.0-runtime-ubuntu22.04\n") == other);
    CHECK(codes_in("docker/cuda11/Dockerfile", "FROM nvidia/cuda:11.8.0-runtime-ubuntu22.04\n") == k_none);
    CHECK(codes_in("docker/cuda12/Dockerfile",
                   "ARG CUDA=11.8.0\nFROM nvidia/cuda:${CUDA}-runtime-ubuntu22.04\n") == k_none);
}

TEST_CASE("cuDNN by the names of its metapackages") {
    const std::string image = "FROM nvidia/cuda:11.8.0-runtime-ubuntu22.04\nRUN apt-get install -y ",
                      newer = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nRUN apt-get install -y ";
    const Codes other{"error CC304"};
    for (const char* name : {"cudnn", "cudnn9", "cudnn-cuda-12", "cudnn9-cuda-12"}) {
        CHECK(dockerfile_says(image + name + "\n") == other);
        CHECK(dockerfile_says(newer + name + "\n") == k_none);
    }
    CHECK(dockerfile_says(image + "cudnn9-cuda-11\n") == k_none);
    const std::string pip = "\nRUN pip install onnxruntime-gpu==1.17.1\n";
    CHECK(dockerfile_says(image + "cudnn9-cuda-11" + pip) == Codes{"error CC301"});
    CHECK(dockerfile_says(image + "libcudnn8=8.9.7.29-1+cuda11.8" + pip) == k_none);
}

TEST_CASE("packages of NVIDIA's repository") {
    const Codes missing{"error CC620"};
    CHECK(dockerfile_says("FROM ubuntu:22.04\nRUN apt-get update && apt-get install -y libcudnn8\n") ==
          missing);
    CHECK(dockerfile_says("FROM python:3.11\nRUN apt-get update && apt-get install -y cuda-toolkit-12-4\n") ==
          missing);
    CHECK(dockerfile_says(
              "FROM ubuntu:22.04\nRUN add-apt-repository ppa:graphics-drivers/ppa && ./configure && "
              "apt-get update && apt-get install -y libcudnn8-dev\n") == missing);
    CHECK(dockerfile_says("FROM nvidia/cuda:12.2.2-base-ubuntu22.04\nRUN apt-get install -y libcudnn8\n") ==
          k_none);
    CHECK(dockerfile_says("FROM ubuntu:22.04\nRUN wget "
                          "https://developer.download.nvidia.com/compute/cuda/repos/ubuntu2204/x86_64/"
                          "cuda-keyring_1.1-1_all.deb && dpkg -i cuda-keyring_1.1-1_all.deb\n"
                          "RUN apt-get update && apt-get install -y libcudnn8\n") == k_none);
    CHECK(dockerfile_says("FROM ubuntu:22.04\nCOPY cuda.list /etc/apt/sources.list.d/\n"
                          "RUN apt-get update && apt-get install -y libcudnn8\n") == k_none);
    CHECK(dockerfile_says("FROM ubuntu:22.04\nCOPY install.sh /\nRUN /install.sh\n"
                          "RUN apt-get install -y cuda-toolkit-12-4\n") == k_none);
    CHECK(dockerfile_says(
              "FROM ubuntu:22.04\nRUN apt-get update && apt-get install -y nvidia-cuda-toolkit\n") == k_none);
    CHECK(dockerfile_says("FROM ubuntu:22.04\nRUN apt-get install -y libcudnn8\n") == k_none);  // a fragment
    CHECK(dockerfile_says(
              "FROM nvidia/cuda:13.0.0-base-ubuntu24.04\nRUN apt-get install -y cuda-nvprof-13-0\n") ==
          missing);
    CHECK(dockerfile_says(
              "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN apt-get install -y cuda-memcheck-12-4\n") ==
          missing);
    CHECK(dockerfile_says(
              "FROM nvidia/cuda:12.4.1-base-ubuntu22.04\nRUN apt-get install -y cuda-nvprof-12-4\n") ==
          k_none);
}

TEST_CASE("conda: the last pytorch for an old CUDA, components of two releases") {
    const std::string miniconda =
        "FROM ubuntu:22.04\nRUN curl -o m.sh "
        "https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-x86_64.sh "
        "&& bash m.sh -b -p /opt/conda\nENV PATH=/opt/conda/bin:$PATH\n";
    CHECK(dockerfile_says(miniconda +
                          "RUN conda install -y pytorch torchvision cudatoolkit=10.2 -c pytorch\n") ==
          Codes{"warning CC613"});
    CHECK(dockerfile_says(
              miniconda +
              "RUN conda install -y python=3.8 pytorch torchvision cudatoolkit=10.2 -c pytorch\n") == k_none);
    const auto conda = [](const std::string& specs) {
        return codes_in("environment.yml",
                        "name: x\nchannels: [conda-forge]\ndependencies: [" + specs + "]\n");
    };
    CHECK(conda("cuda-version=12.4, cuda-nvcc=12.6") == Codes{"warning CC612"});
    CHECK(conda("cuda-toolkit=12.4.0, cuda-cudart=12.6.77") == Codes{"warning CC612"});
    CHECK(conda("cuda-version=12.4, cuda-nvcc=12.4.131, cuda-python=12.6") == k_none);
    CHECK(conda("cuda-version=12, cuda-nvcc=12.6") == k_none);
}

TEST_CASE("conda: packages for one release of PyTorch, names and selectors of another release") {
    const auto conda = [](const std::string& specs, const std::string& channels = "pytorch, nvidia") {
        return codes_in("environment.yml",
                        "name: x\nchannels: [" + channels + "]\ndependencies: [" + specs + "]\n");
    };
    CHECK(conda("pytorch=1.8.0, torchvision=0.9.1, cudatoolkit=10.2") == Codes{"error CC612"});
    CHECK(conda("pytorch=2.0.1, torchvision=0.15.1, pytorch-cuda=11.8") == Codes{"error CC612"});
    CHECK(conda("pytorch=2.0.1, torchaudio=2.0.1, pytorch-cuda=11.8", "pytorch, nvidia, conda-forge") ==
          Codes{"warning CC612"});
    CHECK(conda("pytorch=2.0.1, torchvision=0.15.2, torchaudio=2.0.2, pytorch-cuda=11.8") == k_none);
    CHECK(conda("pytorch=2.0, torchvision=0.15.1, pytorch-cuda=11.8") == k_none);
    CHECK(conda("pytorch=2.0.1, torchvision=0.15.1", "conda-forge") == k_none);
    CHECK(conda("pytorch=1.11, pytorch-cuda=11.7") == Codes{"warning CC614"});
    CHECK(conda("pytorch=1.11, pytorch-cuda=11.7, cudatoolkit=11.3") == Codes{"warning CC612"});
    CHECK(conda("torch=2.0.0") == Codes{"error CC615"});
    CHECK(conda("pytorch, pytorch-cuda=11.8, pip, {pip: [torchmetrics]}") == k_none);
}

TEST_CASE("TensorFlow beside another framework, and where no GPU is") {
    const std::string image =
        "FROM nvidia/cuda:12.1.1-cudnn8-devel-ubuntu22.04\n"
        "RUN apt-get update && apt-get install -y python3-pip\n";
    CHECK(dockerfile_says(image + "RUN pip install tensorflow\n") == Codes{"warning CC611"});
    CHECK(dockerfile_says(image + "RUN pip install torch==2.4.1+cu121 --extra-index-url "
                                  "https://download.pytorch.org/whl/cu121\nRUN pip install tensorflow\n") ==
          k_none);
    CHECK(codes_in(".github/workflows/ci.yml",
                   "on: [push]\njobs:\n  b:\n    runs-on: ubuntu-22.04\n    container:\n"
                   "      image: nvidia/cuda:11.8.0-cudnn8-devel-ubuntu22.04\n    steps:\n"
                   "      - run: apt-get update && apt-get install -y python3-pip\n"
                   "      - run: pip install tensorflow\n") == k_none);
}

TEST_CASE("search paths with the folder of another CUDA than the image's") {
    const Codes dead{"warning CC102"};
    const std::string image = "FROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\n";
    CHECK(dockerfile_says(image + "ENV LD_LIBRARY_PATH=/usr/local/cuda-11.8/lib64:$LD_LIBRARY_PATH\n") ==
          dead);
    CHECK(dockerfile_says(image + "ENV PATH=/opt/bin:/usr/local/cuda-12.2/bin:$PATH\n") == dead);
    CHECK(dockerfile_says(image + "ENV LD_LIBRARY_PATH=/usr/local/cuda-12.4/lib64:$LD_LIBRARY_PATH\n") ==
          k_none);
    CHECK(dockerfile_says(image + "ENV LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH\n") == k_none);
    CHECK(dockerfile_says(image + "RUN apt-get install -y cuda-libraries-12-2\n"
                                  "ENV LD_LIBRARY_PATH=/usr/local/cuda-12.2/lib64:$LD_LIBRARY_PATH\n") ==
          k_none);
    CHECK(dockerfile_says(image + "COPY --from=other /usr/local/cuda-12.2 /usr/local/cuda-12.2\n"
                                  "ENV LD_LIBRARY_PATH=/usr/local/cuda-12.2/lib64:$LD_LIBRARY_PATH\n") ==
          k_none);
    CHECK(dockerfile_says(image + "COPY install.sh /\nRUN sh /install.sh\n"
                                  "ENV LD_LIBRARY_PATH=/usr/local/cuda-12.2/lib64:$LD_LIBRARY_PATH\n") ==
          k_none);
}

TEST_CASE("cuda without a version is the newest release of NVIDIA's repository") {
    const auto says = [](const std::string& adds, const std::string& packages, const std::string& variable) {
        return dockerfile_says(
            "FROM ubuntu:18.04\nRUN wget https://developer.download.nvidia.com/compute/cuda/" + adds +
            " && dpkg -i cuda.deb && apt-get update && apt-get install -y " + packages + "\nENV " + variable +
            "\n");
    };
    const std::string repository = "repos/ubuntu1804/x86_64/cuda-repo-ubuntu1804_10.1.105-1_amd64.deb";
    const std::string home = "CUDA_HOME=/usr/local/cuda-10.1";
    CHECK(says(repository, "cuda", home) == Codes{"warning CC101"});
    CHECK(says(repository, "cuda-toolkit git", home) == Codes{"warning CC101"});
    CHECK(says(repository, "cuda", "PATH=/usr/local/cuda-10.1/bin:$PATH") == Codes{"warning CC102"});
    CHECK(says(repository, "cuda", "CUDA_HOME=/usr/local/cuda") == k_none);
    CHECK(says(repository, "cuda", "CUDA_HOME=/usr/local/cuda-12.1") == k_none);
    CHECK(says(repository, "cuda-10-1", home) == k_none);
    CHECK(says(repository, "cuda cuda-toolkit-10-1", home) == k_none);
    CHECK(says(repository, "cuda=10.1.168-1", home) == k_none);
    CHECK(says("10.1/Prod/local_installers/cuda-repo-ubuntu1804-10-1-local-10.1.105_1.0-1_amd64.deb", "cuda",
               home) == k_none);
    // Newer than all known ones; a repository that is not known.
    const std::string open = "repos/ubuntu2204/x86_64/cuda-keyring_1.1-1_all.deb";
    CHECK(says(open, "cuda", "CUDA_HOME=/usr/local/cuda-99.0") == k_none);
    CHECK(says(open, "cuda", "CUDA_HOME=/usr/local/cuda-12.0") == Codes{"warning CC101"});
    CHECK(says("repos/mine/x86_64/cuda-keyring_1.1-1_all.deb", "cuda", home) == k_none);
    const std::string devel =
        "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\nRUN apt-get install -y cuda-toolkit\n";
    CHECK(dockerfile_says(devel + "ENV PATH=/usr/local/cuda-12.4/bin:$PATH\n") == k_none);
    CHECK(dockerfile_says(devel + "ENV PATH=/usr/local/cuda-12.2/bin:$PATH\n") == Codes{"warning CC102"});
}

}  // namespace ptxguard::recipes
