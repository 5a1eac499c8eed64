// Packages that a stage copies from the one that installs them, as they meet its own image; and a torch that
// a later command replaces. Each beside a twin that differs in one word.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const std::string k_onnx = "onnxruntime-gpu==1.20.0";  // CUDA 12 and cuDNN 9

std::string copied(const std::string& install, const std::string& image, const std::string& copy,
                   const std::string& after = "") {
    return image_gets("python:3.10 AS build",
                      install + "\nFROM " + image + "\nCOPY --from=build " + copy + "\n" + after);
}

std::string from_venv(const std::string& package, const std::string& tag,
                      const std::string& copy = "/opt/venv /opt/venv") {
    return copied("RUN python -m venv /opt/venv && /opt/venv/bin/pip install " + package,
                  "nvidia/cuda:" + tag, copy);
}

}  // namespace

TEST_CASE("a venv of another stage meets the libraries of the image into which it is copied") {
    CHECK(from_venv("cupy-cuda12x==13.3.0", "11.8.0-runtime-ubuntu22.04") == "CC601");
    CHECK(from_venv("cupy-cuda12x==13.3.0", "12.4.1-runtime-ubuntu22.04") == k_silent);
    CHECK(from_venv(k_onnx, "12.4.1-runtime-ubuntu22.04") == "CC305");
    CHECK(from_venv(k_onnx, "12.4.1-cudnn-runtime-ubuntu22.04") == k_silent);
    CHECK(from_venv("cupy-cuda12x==13.3.0", "11.8.0-runtime-ubuntu22.04", "/opt /opt") == "CC601");
    CHECK(from_venv("cupy-cuda12x==13.3.0", "11.8.0-runtime-ubuntu22.04", "/opt/tools /opt/tools") ==
          "CC401");  // of the stage itself
}

TEST_CASE("folders into which pip installs are copied") {
    const std::string old_image = "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04",
                      image = "nvidia/cuda:12.4.1-cudnn-runtime-ubuntu22.04";
    for (const char* option : {"--target=/deps ", "-t /deps ", "--prefix /deps "}) {
        const std::string install = "RUN pip install " + (option + k_onnx);
        CHECK_MESSAGE(copied(install, old_image, "/deps /deps") == "CC301 CC601", option);
        CHECK_MESSAGE(copied(install, image, "/deps /deps") == k_silent, option);
    }
    const std::string packages = "/usr/local/lib/python3.10/site-packages";
    CHECK(copied("RUN pip install " + k_onnx, old_image, packages + " " + packages) == "CC301 CC601");
    CHECK(copied("RUN pip install " + k_onnx, image, packages + " " + packages) == k_silent);
    CHECK(copied("RUN pip install --user " + k_onnx, old_image, "/root/.local /root/.local") ==
          "CC301 CC601");
    CHECK(copied("RUN pip install --user " + k_onnx, image, "/root/.local /root/.local") == k_silent);
}

TEST_CASE("what was built for the copied packages is not built again") {
    const std::string venv =
        "RUN python3 -m venv /v && /v/bin/pip install torch==2.6.0 && "
        "/v/bin/pip install flash-attn==2.7.4.post1 --no-build-isolation";
    CHECK(image_gets("nvidia/cuda:12.4.1-devel-ubuntu22.04 AS build",
                     "RUN apt-get update && apt-get install -y python3-venv\n" + venv +
                         "\nFROM nvidia/cuda:12.4.1-runtime-ubuntu22.04\nCOPY --from=build /v /v") ==
          k_silent);
}

TEST_CASE("a later command replaces a package that was copied") {
    const auto gets = [](const std::string& torch) {
        return copied("RUN python -m venv /v && /v/bin/pip install torch==2.4.0 torchvision==0.19.0",
                      "python:3.10-slim", "/v /v", "RUN /v/bin/pip install torch==" + torch);
    };
    CHECK(gets("2.1.0") == "CC612");
    CHECK(gets("2.4.0") == k_silent);
}

TEST_CASE("a package without a version that replaces torch is one finding, whatever it leaves behind") {
    const auto gets = [](const std::string& last) {
        return image_gets("python:3.11",
                          "RUN pip install torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0 --index-url " +
                              k_pytorch + "cu124\nRUN pip install " + last);
    };
    CHECK(gets("xformers") == "CC614");
    CHECK(gets("xformers==0.0.29.post3") == k_silent);
    CHECK(image_gets("python:3.11",
                     "RUN pip install torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0\nRUN pip install "
                     "xformers") == "CC612");
}

TEST_CASE("a test for CUDA asks for a torch with CUDA") {
    const auto gets = [](const std::string& index, const std::string& test) {
        return codes_of(
            ".github/workflows/t.yml",
            "on: push\njobs:\n  t:\n    runs-on: [self-hosted, gpu]\n    steps:\n      - run: pip "
            "install torch==2.4.0 --index-url " +
                k_pytorch + index + "\n      - run: python -c \"import torch; " + test + "\"\n");
    };
    const std::string available = "torch.cuda.is_available()";
    CHECK(gets("cpu", "assert " + available) == "CC604");
    CHECK(gets("cpu", "assert(" + available + ")") == "CC604");
    CHECK(gets("cpu", "assert not " + available) == k_silent);
    CHECK(gets("cpu", "print(" + available + ")") == k_silent);
    CHECK(gets("cu121", "assert " + available) == k_silent);
}

}  // namespace ptxguard::recipes
