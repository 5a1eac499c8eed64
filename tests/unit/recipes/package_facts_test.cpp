// What packages need of an image's cuDNN, of torch and of a channel of conda, by tables; each beside a twin
// that fits.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

std::string cuda_image(const std::string& tag) { return "nvidia/cuda:" + tag; }
const std::string k_python = "RUN apt-get update && apt-get install -y python3 python3-pip\n";

}  // namespace

TEST_CASE("a framework refuses an image's cuDNN of an older minor than that of its build") {
    const auto gets = [](const std::string& tag, const std::string& packages) {
        return image_gets(cuda_image(tag), k_python + "RUN pip install " + packages);
    };
    CHECK(gets("11.6.2-cudnn8-devel-ubuntu20.04", "tensorflow==2.12.0") == "CC302");
    CHECK(gets("11.8.0-cudnn8-devel-ubuntu20.04", "tensorflow==2.12.0") == k_silent);
    CHECK(gets("11.2.2-cudnn8-devel-ubuntu20.04", "tensorflow==2.11.0") == k_silent);
    // ONNX Runtime does not compare minors.
    CHECK(gets("11.6.2-cudnn8-devel-ubuntu20.04", "onnxruntime-gpu==1.16.3") == k_silent);
    const std::string page = " -f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
    CHECK(gets("11.6.2-cudnn8-devel-ubuntu20.04", "\"jax[cuda]==0.4.13\"" + page) == "CC302");
    CHECK(gets("11.6.2-cudnn8-devel-ubuntu20.04", "\"jax[cuda]\"" + page) == "CC302");
    CHECK(gets("11.6.2-cudnn8-devel-ubuntu20.04", "\"jax[cuda11_cudnn82]==0.4.6\"" + page) == k_silent);
    CHECK(gets("11.6.2-cudnn8-devel-ubuntu20.04", "\"jax[cuda]==0.3.25\"" + page) == k_silent);
    CHECK(gets("11.8.0-cudnn8-devel-ubuntu20.04", "\"jax[cuda]\"" + page) == k_silent);
}

TEST_CASE("DeepSpeed compiles with the image's nvcc against torch when its operators are first used") {
    const auto gets = [](const std::string& build, const std::string& other) {
        return image_gets(cuda_image("11.8.0-devel-ubuntu22.04"),
                          k_python + "RUN pip install torch==2.3.1 --index-url " + k_pytorch + build +
                              "\nRUN pip install " + other);
    };
    const std::string compiles = "deepspeed==0.14.2", older = "deepspeed==0.9.5", none = "numpy==1.26.4";
    CHECK(gets("cu121", compiles) == "CC601");
    CHECK(gets("cu121", older) == "CC601");
    CHECK(gets("cu118", compiles) == k_silent);
    CHECK(gets("cu121", none) == k_silent);
}

TEST_CASE("a nightly TensorFlow needs what the newest release needs") {
    const std::string nightly = k_python + "RUN pip install tf-nightly";
    CHECK(image_gets(cuda_image("12.2.2-cudnn8-runtime-ubuntu22.04"), nightly) == "CC611");
    CHECK(image_gets(cuda_image("12.6.3-cudnn-runtime-ubuntu22.04"), nightly) == k_silent);
}

TEST_CASE("PyPI's DGL has a library for each of a few releases of torch") {
    CHECK(codes_of("requirements.txt", "torch==2.5.0\ndgl==2.1.0\n") == "CC612");
    CHECK(codes_of("requirements.txt", "torch==2.2.2\ndgl==2.1.0\n") == "CC612");
    CHECK(codes_of("requirements.txt", "torch==2.2.1\ndgl==2.1.0\n") == k_silent);
    CHECK(codes_of("requirements.txt", "torch==2.0.1\ndgl==2.1.0\n") == k_silent);
    CHECK(codes_of("requirements.txt", "torch==2.4.0\ndgl==2.4.0\n") == "CC603");
    CHECK(codes_of("requirements.txt",
                   "-f https://data.dgl.ai/wheels/torch-2.4/cu124/repo.html\n"
                   "torch==2.4.0\ndgl==2.4.0\n") == k_silent);
}

TEST_CASE("pytorch-cuda chooses between the builds of its own channel") {
    const auto gets = [](const std::string& channels) {
        return image_gets(
            "mambaorg/micromamba:2.0-cuda12.5.1-ubuntu24.04",
            "RUN micromamba install -y -n base python=3.12 pytorch pytorch-cuda=12.4" + channels);
    };
    CHECK(gets(" -c conda-forge -c pytorch -c nvidia") == "CC604");
    CHECK(gets(" -c pytorch -c nvidia -c conda-forge") == k_silent);
}

TEST_CASE("conda-forge compiles torchvision for other releases of PyTorch, too") {
    const auto conda = [](const std::string& channel, const std::string& specs) {
        return codes_of("environment.yml",
                        "name: x\nchannels: [" + channel + "]\ndependencies: [" + specs + "]\n");
    };
    CHECK(conda("conda-forge", "pytorch=2.10.0, torchvision=0.26.0") == k_silent);
    CHECK(conda("conda-forge", "pytorch=2.9.0, torchvision=0.26.0") == "CC612");
    CHECK(conda("pytorch", "pytorch=2.4.0, torchvision=0.18.0") == "CC612");
}

TEST_CASE("libcusolver has another number in CUDA 11.0 than in 11.1") {
    const auto conda = [](const std::string& toolkit, const std::string& tensorflow) {
        return codes_of("environment.yml",
                        "name: x\nchannels: [conda-forge]\ndependencies:\n  - python=3.8\n  - cudatoolkit=" +
                            toolkit + "\n  - cudnn=8.1\n  - pip:\n    - tensorflow==" + tensorflow + "\n");
    };
    CHECK(conda("11.1", "2.4.1") == "CC601");
    CHECK(conda("11.0", "2.4.1") == k_silent);
    CHECK(conda("11.8", "2.5.0") == k_silent);
}

TEST_CASE("what a pinned package requires exactly, beside others that require any release") {
    const std::string exact = "vllm==0.5.5\nnvidia-cuda-nvrtc-cu12==";
    CHECK(codes_of("requirements.txt", "accelerate==0.33.0\n" + exact + "12.4.99\n") == "CC612");
    CHECK(codes_of("requirements.txt", "accelerate==0.33.0\n" + exact + "12.1.105\n") == k_silent);
}

TEST_CASE("onnxruntime beside onnxruntime-gpu: either may be installed last") {
    const auto file = [](const std::string& lines) { return codes_of("requirements.txt", lines); };
    CHECK(file("torch==2.8.0\nonnxruntime-gpu==1.17.0\nonnxruntime\n") == "CC601 CC612");
    CHECK(file("torch==2.0.1\nonnxruntime-gpu==1.16.3\nonnxruntime\n") == "CC612");
}

TEST_CASE("a torch for CPUs, and the torchvision that a later command takes from PyPI") {
    const std::string torch = "RUN pip install torch --index-url " + k_pytorch + "cpu\n";
    CHECK(image_gets("python:3.11", torch + "RUN pip install torchvision") == "CC612");
    CHECK(image_gets("python:3.11", torch + "RUN pip install torchvision --index-url " + k_pytorch + "cpu") ==
          k_silent);
}

}  // namespace ptxguard::recipes
