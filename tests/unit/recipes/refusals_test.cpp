// What an installer refuses, whatever else a recipe installs; each beside what it takes.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {

TEST_CASE("uv refuses extras and groups that a project declares as conflicting") {
    const std::string toml =
        "[project]\nname = \"app\"\nversion = \"1\"\n[project.optional-dependencies]\n"
        "cpu = [\"torch==2.6.0\"]\ncu124 = [\"torch==2.6.0\"]\ndocs = [\"sphinx\"]\n[dependency-groups]\n"
        "pypi = [\"torch==2.6.0\"]\ngpu = [\"torch==2.6.0\"]\n[tool.uv]\ndefault-groups = [\"pypi\"]\n"
        "conflicts = [[{ extra = \"cpu\" }, { extra = \"cu124\" }], "
        "[{ group = \"pypi\" }, { group = \"gpu\" }], [{ package = \"other\", extra = \"docs\" }, "
        "{ extra = \"cpu\" }]]\n";
    const auto sync = [&](const std::string& options) {
        return image_gets("python:3.12", "COPY . .\nRUN uv sync" + options, {{"pyproject.toml", toml}});
    };
    for (const char* options : {" --all-extras", " --extra cpu --extra cu124", " --group gpu",
                                " --all-groups --frozen", " --group gpu --no-dev"})
        CHECK_MESSAGE(sync(options) == "CC612", options);
    for (const char* options :
         {"", " --extra cpu --extra docs", " --group gpu --no-group pypi", " --only-group gpu",
          " --group gpu --no-default-groups", " --all-extras --no-extra cpu", " --all-groups --no-group pypi",
          " --extra cpu --extra $EXTRA"})
        CHECK_MESSAGE(sync(options) == k_silent, options);
    CHECK(image_gets("python:3.12", "COPY . .\nRUN uv lock && uv sync --all-extras",
                     {{"pyproject.toml", replace_all(toml, "torch==2.6.0", "six")}}) == k_silent);
}

TEST_CASE("uv sync --no-extra leaves the packages of an extra out") {
    const std::string toml =
        "[project]\nname = \"a\"\nversion = \"1\"\ndependencies = [\"torch==2.6.0\"]\n"
        "[project.optional-dependencies]\nfast = [\"flash-attn==2.8.2\"]\nui = [\"six\"]\n[tool.uv]\n";
    const auto sync = [&](const std::string& options) {
        return image_gets("python:3.12", "COPY . .\nRUN uv sync" + options, {{"pyproject.toml", toml}});
    };
    CHECK(sync(" --all-extras --no-extra fast") == k_silent);
    CHECK(sync(" --all-extras --no-extra ui") == "CC608");  // nothing there compiles flash-attn
}

TEST_CASE("a pinned package requires a release that a range beside it excludes") {
    const auto install = [](const std::string& words) {
        return image_gets("python:3.12", "RUN pip install " + words);
    };
    for (const char* words :
         {"'torch>=2.5' vllm==0.6.0", "vllm==0.6.0 'torch>=2.5'", "'torch>2.3.0,<3' torchvision==0.18.0"})
        CHECK_MESSAGE(install(words) == "CC612", words);
    for (const char* words : {"'torch>=2.4' vllm==0.6.0", "torch vllm==0.6.0", "'torch>=2.5' 'vllm<=0.6.6'",
                              "vllm==0.6.0 \"torch>=2.5; python_version < '3.9'\""})
        CHECK_MESSAGE(install(words) == k_silent, words);
}

TEST_CASE("uv installs a project for the Python of .python-version") {
    const auto gets = [](const std::string& python, const std::string& tool) {
        return codes_of("pyproject.toml",
                        "[project]\nname = \"app\"\nversion = \"1\"\nrequires-python = \">=3.8\"\n"
                        "dependencies = [\"torch==1.13.1\"]\n" +
                            tool,
                        {{".python-version", python}});
    };
    const std::string uv = "[tool.uv]\npackage = false\n";
    CHECK(gets("3.12\n", uv) == "CC613");
    CHECK(gets("3.12.4", uv) == "CC613");
    CHECK(gets("3.11\n", uv) == k_silent);
    CHECK(gets("pypy@3.12\n", uv) == k_silent);
    CHECK(gets("3.12\n", "[tool.pdm]\n") == k_silent);
}

TEST_CASE("a folder of PyTorch's index has two or three digits") {
    const auto install = [](const std::string& folder, const char* option = "--index-url ") {
        return image_gets("python:3.12", "RUN pip install torch " + (option + k_pytorch) + folder);
    };
    for (const char* folder : {"cu", "cu12.4", "cu1206", "cuda124", "cu12_4", "cu12", "nightly/cu12.8"})
        CHECK_MESSAGE(install(folder) != k_silent, folder);
    CHECK(install("cu12.4", "--extra-index-url ") == "CC603");
    for (const char* folder : {"cu124", "cu126/", "cpu", "cu121_full", "rocm6.2"})
        CHECK_MESSAGE(install(folder).find("CC603") == std::string::npos, folder);
}

TEST_CASE("an empty variable leaves a hole in a package of NVIDIA's repository") {
    const std::string from = "nvidia/cuda:12.4.1-base-ubuntu22.04";
    const auto install = [&](const std::string& package, const std::string& first = "") {
        return codes_of("Dockerfile", "ARG MAJOR=12\nARG VERSION=12-4\nFROM " + from + "\n" + first +
                                          "RUN apt-get install -y " + package + "\n");
    };
    for (const char* package :
         {"libnccl2=2.21.5-1+cuda$MAJOR.4", "cuda-nvcc-${VERSION}", "libcudnn9=$VERSION",
          "libnccl2=2.21.5-1+cuda${MAJOR}", "libcublas-dev-$VERSION"})
        CHECK_MESSAGE(install(package) == "CC615", package);
    for (const char* package : {"libnccl2=2.21.5-1+cuda$MAJOR.4", "cuda-nvcc-${VERSION}"})
        CHECK_MESSAGE(install(package, "ARG MAJOR\nARG VERSION\n") == k_silent, package);
    CHECK(install("libnccl2=2.21.5-1+cuda$OTHER.4", "ARG OTHER\n") == k_silent);
    CHECK(install("curl libcudnn8- g++") == k_silent);
}

TEST_CASE("requirements that exclude a Python of their project") {
    const auto uv = [](const std::string& pythons, const std::string& required, const Files& files = {},
                       bool notes = false) {
        return codes_of("pyproject.toml",
                        "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \"" + pythons +
                            "\"\ndependencies = [\"" + required + "\"]\n[tool.uv]\n",
                        files, notes);
    };
    const auto poetry = [](const std::string& pythons, const std::string& required) {
        return codes_of("pyproject.toml",
                        "[tool.poetry]\nname = \"a\"\n[tool.poetry.dependencies]\npython = \"" + pythons +
                            "\"\n" + required + "\n");
    };
    CHECK(uv(">=3.8", "torch==2.6.0") == "CC613");
    CHECK(uv(">=3.9", "torch==2.6.0") == k_silent);
    CHECK(uv(">=3.8", "torch>=2.0") == k_silent);  // 2.4.1 is for 3.8
    CHECK(uv(">=3.8", "torch==2.6.0; python_version >= '3.9'") == k_silent);
    CHECK(uv("<3.12", "torch==2.6.0") == k_silent);
    CHECK(uv(">=3.8", "torch==2.6.0", {{"uv.lock", "version = 1\n"}}) == k_silent);
    CHECK(uv(">=3.9", "jax[cuda12]==0.5.0") == "CC613");
    CHECK(poetry("^3.8", "torch = \"2.6.0\"") == "CC613");
    CHECK(poetry("^3.9", "torch = \"2.6.0\"") == k_silent);
    CHECK(poetry(">=3.9,<3.13", "tensorflow = \"2.14.0\"") == k_silent);
    // With a newer Python it has no wheel: that is a note.
    CHECK(uv(">=3.9", "torch==2.0.1", {}, true) == "CC613");
    CHECK(uv(">=3.9,<3.12", "torch==2.0.1", {}, true) == k_silent);
    CHECK(uv(">=3.10", "torch>=2.0.1", {}, true) == k_silent);
    // None of the Pythons has one: that is an error, said once.
    CHECK(uv(">=3.12", "torch==2.0.1", {}, true) == "CC613");
    CHECK(uv("~=3.12", "torch==2.0.1", {}, true) == "CC613");
    CHECK(uv(">=3.13,<3.14", "torch<=2.4", {}, true) == "CC613");
    CHECK(uv(">=3.12", "torch<=2.4", {}, true) == "CC613");  // 2.4.0 has one for 3.12, none for 3.13
    CHECK(uv(">=3.12,<3.13", "torch<=2.4", {}, true) == k_silent);
    CHECK(poetry("^3.12", "torch = \"2.0.1\"") == "CC613");
    CHECK(poetry("~3.12", "tensorflow = \">=2.10,<2.15\"") == "CC613");
    CHECK(poetry("^3.11", "torch = \"2.0.1\"") == k_silent);
    CHECK(poetry("^3.12", "torch = \"^2.0.1\"") == k_silent);
    CHECK(poetry("^3.12", "torch = {version = \"2.0.1\", optional = true}") == k_silent);
    CHECK(poetry("^3.12", "torch = {version = \"2.0.1\", platform = \"darwin\"}") == k_silent);
}

TEST_CASE("get-pip.py is that of the newest pip, which needs a newer Python") {
    const std::string url = "https://bootstrap.pypa.io/";
    const auto gets = [&](const std::string& image, const std::string& commands) {
        return image_gets(image, "RUN apt-get update && apt-get install -y python3 curl\nRUN " + commands);
    };
    for (const std::string& commands :
         {"curl -sS " + url + "get-pip.py | python3", "curl -O " + url + "get-pip.py && python3.8 get-pip.py",
          "wget " + url + "get-pip.py\nRUN python3 get-pip.py --user",
          "ln -s /usr/bin/python3.8 /usr/bin/python && wget " + url + "get-pip.py && python get-pip.py"})
        CHECK_MESSAGE(gets("ubuntu:20.04", commands) == "CC613", commands);
    CHECK(gets("ubuntu:20.04", "curl -sS " + url + "pip/3.8/get-pip.py | python3") == k_silent);
    CHECK(gets("ubuntu:20.04", "wget " + url + "get-pip.py; wget " + url +
                                   "pip/3.8/get-pip.py -O get-pip.py; python3 get-pip.py") == k_silent);
    CHECK(gets("ubuntu:22.04", "curl -sS " + url + "get-pip.py | python3") == k_silent);
    CHECK(gets("ubuntu:20.04", "curl -O " + url + "get-pip.py && python3 setup.py install") == k_silent);
    CHECK(image_gets("python:3.8", "RUN curl -sS " + url + "get-pip.py | python3") == "CC613");
}

TEST_CASE("wheels and installers for a newer C library than the image has") {
    const auto gets = [](const std::string& image, const std::string& words) {
        return image_gets(image, "RUN pip install " + words);
    };
    for (const char* image : {"nvidia/cuda:11.8.0-cudnn8-devel-ubuntu18.04", "ubuntu:18.04", "centos:7"}) {
        CHECK_MESSAGE(gets(image, "torch==2.7.0") == "CC613", image);
        CHECK_MESSAGE(gets(image, "torch==2.7.0 torchvision --index-url " + k_pytorch + "cu118") == "CC613",
                      image);
    }
    CHECK(gets("ubuntu:18.04", "torch==2.6.0") == k_silent);
    CHECK(gets("ubuntu:18.04", "torch torchvision") == k_silent);  // older ones
    CHECK(gets("ubuntu:20.04", "torch==2.7.0") == k_silent);
    CHECK(gets("python:3.10-alpine", "jaxlib==0.7.1") != k_silent);
    const std::string flash =
        "https://github.com/Dao-AILab/flash-attention/releases/download/v2.8.2/flash_attn-";
    const std::string file = "+cu12torch2.5cxx11abiFALSE-cp310-cp310-linux_x86_64.whl";
    CHECK(gets("ubuntu:20.04", flash + "2.8.2" + file) == "CC613");
    CHECK(gets("ubuntu:20.04", flash + "2.7.4.post1" + file) == k_silent);
    CHECK(gets("ubuntu:22.04", flash + "2.8.2" + file) == k_silent);
    const auto named = [&](const std::string& tag) {
        return gets("ubuntu:20.04", "https://example.org/x-1.0-cp38-abi3-" + tag + "_x86_64.whl");
    };
    CHECK(named("manylinux_2_34") == "CC613");
    CHECK(named("manylinux_2_28") == k_silent);
    CHECK(named("manylinux2014_x86_64.manylinux_2_34") == k_silent);
    CHECK(named("linux") == k_silent);
    const auto miniconda = [](const std::string& image) {
        return image_gets(image,
                          "RUN wget https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-x86_64.sh && "
                          "bash Miniconda3-latest-Linux-x86_64.sh -b -p /opt/conda");
    };
    CHECK(miniconda("ubuntu:18.04") == "CC613");
    CHECK(miniconda("nvidia/cuda:11.4.3-devel-centos7") == "CC613");
    CHECK(miniconda("ubuntu:20.04") == k_silent);
}

TEST_CASE("images whose tag moves on have at least the Python of today") {
    const auto gets = [](const std::string& image) {
        return image_gets(image,
                          "RUN apt-get update && apt-get install -y python3-pip\nRUN pip install "
                          "tensorflow==2.11.0");
    };
    for (const char* image : {"ubuntu", "ubuntu:latest", "python:3", "python:3-slim", "python", "debian"})
        CHECK_MESSAGE(gets(image) == "CC613", image);
    for (const char* image : {"ubuntu:22.04", "python:3.10", "python:3.10-slim", "debian:11"})
        CHECK_MESSAGE(gets(image) == k_silent, image);
}

TEST_CASE("conda keeps the Python of its base environment") {
    const auto gets = [](const std::string& image, const std::string& commands) {
        return image_gets(image, "ENV PATH=/opt/conda/bin:$PATH\nRUN " + commands);
    };
    const std::string torch = "conda install -y pytorch==2.0.1 pytorch-cuda=11.8 -c pytorch -c nvidia";
    const std::string newest =
        "wget https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-x86_64.sh && bash "
        "Miniconda3-latest-Linux-x86_64.sh -b -p /opt/conda\nRUN ";
    CHECK(gets("ubuntu:22.04", newest + torch) == "CC613");
    CHECK(gets("continuumio/miniconda3", torch) == "CC613");
    CHECK(gets("ubuntu:22.04", newest + torch + " python=3.10") == k_silent);
    CHECK(gets("ubuntu:22.04", newest + "conda create -n x python=3.10 && " + torch + " -n x") == k_silent);
    CHECK(gets("continuumio/miniconda3:4.10.3", torch) == k_silent);
}

TEST_CASE("a constraint excludes what a package of the command requires") {
    const auto gets = [](const std::string& image, const std::string& lines) {
        return image_gets(image, lines);
    };
    const std::string own = "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel";
    const std::string constrain = "RUN printf 'torch==2.6.0\\nnumpy<2.3\\n' > /c.txt\n";
    for (const std::string& image : {std::string("python:3.11"), own}) {
        CHECK(gets(image, constrain + "RUN pip install -c /c.txt vllm==0.10.0") == "CC612");
        CHECK(gets(image, constrain + "ENV PIP_CONSTRAINT=/c.txt\nRUN pip install vllm==0.10.0") == "CC612");
        CHECK(gets(image, constrain + "RUN pip install -c /c.txt vllm==0.8.5") == k_silent);
    }
}

TEST_CASE("what tools of their own environments request together") {
    const auto script = [](const std::string& line) { return codes_of("tools.sh", line + "\n"); };
    CHECK(script("uv tool install --python 3.12 vllm==0.8.5 --with torch==2.5.1") == "CC612");
    CHECK(script("uv tool install --python 3.12 vllm==0.8.5 --with torch==2.6.0") == k_silent);
    CHECK(script("uvx --from vllm==0.8.5 --with torch==2.5.1 vllm serve x") == "CC612");
    CHECK(script("pipx install torch==2.5.1+cu122") == "CC603");
    CHECK(script("uvx ruff@0.6.0 check") == k_silent);
    CHECK(script("pip install torch==2.6.0\nuv tool install vllm==0.8.4 --with torch==2.6.0") == k_silent);
}

TEST_CASE("programs of Windows by their paths") {
    CHECK(codes_of("a.ps1", "& venv\\Scripts\\pip.exe install torch==2.4.1+cu122\n") == "CC603");
    CHECK(codes_of("a.bat", "venv\\Scripts\\pip3.exe install torch==2.4.1+cu122\n") == "CC603");
    CHECK(codes_of("a.ps1", "& venv\\Scripts\\pip.exe install torch==2.4.1+cu121 --index-url " + k_pytorch +
                                "cu121\n") == k_silent);
}

TEST_CASE("the builds of torch for CUDAs of one major require one NCCL") {
    const auto gets = [](const std::string& build, const std::string& nccl) {
        return image_gets("python:3.11", "RUN pip install torch==2.8.0+" + build + " nvidia-nccl-cu12==" +
                                             nccl + " --extra-index-url " + k_pytorch + build);
    };
    CHECK(gets("cu126", "2.29.7") == "CC612");
    CHECK(gets("cu126", "2.27.3") == k_silent);
    CHECK(gets("cu129", "2.27.3") == k_silent);
}

}  // namespace ptxguard::recipes
