// What looks like a fault and is none: builds that others have, libraries with other file names, environments
// and systems without the image's CUDA; each beside the fault.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {

TEST_CASE("a build that a project or a folder of its own may have, and one that the publisher has not") {
    const std::string jax = "https://storage.googleapis.com/jax-releases/jax_cuda_releases.html";
    for (const std::string& command :
         {"jaxlib==0.4.7+cuda118 -f " + jax, std::string("jaxlib==0.4.7+cuda118"),
          "jaxlib==0.4.7+cuda118 -f " + jax + " -f https://example.org/wheels.html",
          "torch==2.1.0+cu117 -f " + k_pytorch + "torch_stable.html",
          "torch==2.1.0+cu117 --extra-index-url " + k_pytorch + "cu117",
          "torch==2.1.0+cu117 -f " + k_pytorch + "torch_stable.html -f https://data.dgl.ai/wheels/repo.html",
          std::string("torch==2.1.0+cu117 -f https://data.pyg.org/whl/torch-2.1.0+cu117.html"),
          std::string("torch==2.1.0+cu117 --extra-index-url https://pypi.nvidia.com")}) {
        CAPTURE(command);
        CHECK(image_gets("python:3.10", "RUN pip install " + command).find("CC603") == 0);
    }
    for (const char* command :
         {"jaxlib==0.4.7+cuda118 -f https://example.org/wheels.html",
          "jaxlib==0.4.7+cuda118 --extra-index-url https://example.org/simple",
          "jaxlib==0.4.7+cuda118 -f /wheels", "torch==2.1.0+cu117 -f https://example.org/wheels.html",
          "torch==2.1.0+cu117 --index-url https://example.org/simple",
          "torch==2.1.0+cu117 --find-links /wheels"}) {
        CAPTURE(command);
        CHECK(image_gets("python:3.10", std::string("RUN pip install ") + command) == k_silent);
    }
}

TEST_CASE("libraries of NVIDIA for two CUDAs collide where their files have the same names") {
    const auto gets = [](const std::string& second) {
        return codes_of("requirements.txt", "torch==2.2.1\n" + second + "\n");
    };
    for (const char* one : {"nvidia-cudnn-cu11==8.9.5.29", "nvidia-nccl-cu11==2.19.3", "nvidia-cudnn-cu11<9"})
        CHECK_MESSAGE(gets(one).find("CC612") == 0, one);
    for (const char* one : {"nvidia-cudnn-cu11>=9.0.0.312", "nvidia-cudnn-cu11==9.1.0.70"})
        CHECK_MESSAGE(gets(one) == k_silent, one);
    const std::string built = "RUN pip install torch==2.2.1+cu121 --index-url " + k_pytorch + "cu121\n";
    CHECK(image_gets("python:3.10", built + "RUN pip install nvidia-cudnn-cu11==9.1.0.70") == k_silent);
    CHECK(image_gets("python:3.10", built + "RUN pip install nvidia-cudnn-cu11==8.9.5.29") == "CC612 CC613");
}

TEST_CASE("a later command that replaces a whole set of packages leaves nothing of the earlier one") {
    const std::string first =
        "RUN pip install vllm==0.8.2 torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0\n";
    CHECK(image_gets("python:3.10", first) == k_silent);
    const auto errors = [](const std::string& text) {
        std::size_t count = 0;
        for (const Finding& one : findings_in(scenarios_in("Dockerfile", text, {})))
            if (one.level == Level::error) ++count;
        return count;
    };
    CHECK(errors("FROM python:3.10\n" + first + "RUN pip install 'verl[vllm]' -U\n") == 0);
    // vllm and torchaudio keep their releases, and lose their torch.
    CHECK(errors("FROM python:3.10\n" + first + "RUN pip install torchvision==0.26.0\n") == 2);
}

TEST_CASE("what names exact releases of others is chosen first, in a release that their index has") {
    const auto says = [](const std::string& dependencies, const std::string& cuda) {
        std::string text =
            "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \"==3.12.*\"\n"
            "dependencies = [" +
            dependencies + "]\n[tool.uv.sources]\n";
        for (const std::string package : {"torch", "torchvision", "torchaudio"})
            if (dependencies.find(package + "\"") != npos || dependencies.find(package + ">") != npos)
                text += package + " = { index = \"own\" }\n";
        return codes_of("pyproject.toml", text +
                                              "[[tool.uv.index]]\nname = \"own\"\nexplicit = true\nurl = \"" +
                                              k_pytorch + cuda + "\"\n");
    };
    const std::string rest = ", \"torchvision\", \"torchaudio\", ";
    for (const char* torch : {"\"torch\"", "\"torch>=2.9\""}) {
        CHECK(says(torch + rest + "\"vllm>=0.20.1\"", "cu128") == "CC612");
        CHECK(says(torch + rest + "\"vllm\"", "cu128") == "CC612");
        CHECK(says(torch + rest + "\"vllm\"", "cu130") == k_silent);
        CHECK(says(torch + rest + "\"vllm<0.17\"", "cu128") == k_silent);
        CHECK(says(torch + rest + "\"xformers\"", "cu130") == k_silent);
    }
}

TEST_CASE("wheels for Windows require neither triton nor NVIDIA's packages") {
    const std::string torch = "pip install torch==2.3.0+cu121 --index-url " + k_pytorch + "cu121\n",
                      triton = "pip install triton-2.1.0-cp310-cp310-";
    CHECK(codes_of("install.sh", torch + triton + "manylinux_2_17_x86_64.whl\n") == "CC612");
    CHECK(codes_of("install.bat", torch + triton + "win_amd64.whl\n") == k_silent);
    CHECK(codes_of("install.ps1", torch + triton + "win_amd64.whl\n") == k_silent);
}

TEST_CASE("what PyPI does not have was deleted or never there, unless a list has all releases") {
    const auto says = [](const std::string& pin) {
        std::string all;
        for (const Finding& one : findings_in(scenarios_in("requirements.txt", pin + "\n", {})))
            if (one.code == "CC603") all += one.message;
        return all;
    };
    for (const char* pin : {"jaxlib==0.3.2", "nvidia-cudnn-cu11==2022.5.19", "vllm==0.6.9"})
        CHECK_MESSAGE(says(pin).find("is not on PyPI: withdrawn, or never released") != npos, pin);
    for (const char* pin : {"torch==2.0.2", "tensorflow==2.13.7"})
        CHECK_MESSAGE(says(pin).find("was never released") != npos, pin);
    for (const char* pin : {"torch==2.0.1", "vllm==0.6.6"}) CHECK_MESSAGE(says(pin).empty(), pin);
}

TEST_CASE("conda's package cuda beside what chooses its release, and beside what does not") {
    const auto gets = [](const std::string& beside) {
        return codes_of("environment.yml",
                        "name: a\nchannels: [nvidia, pytorch, defaults]\ndependencies:\n  - python=3.10\n" +
                            beside + "  - pip\n  - pip:\n    - flash-attn==2.5.8 --no-build-isolation\n");
    };
    const std::string torch = "  - pytorch=2.1.0\n";
    for (const char* one : {"cuda", "cuda-toolkit"})
        CHECK_MESSAGE(gets(torch + "  - pytorch-cuda=11.8\n  - " + one + "\n") == k_silent, one);
    CHECK(gets(torch + "  - pytorch-cuda=11.8\n  - cuda-nvcc\n") == "CC611");
    CHECK(gets("  - pytorch=1.12.1\n  - cudatoolkit=11.3\n  - cuda\n").find("CC611") != npos);
}

TEST_CASE("pip's torchvision beside the torch of conda is PyPI's, for its CUDA") {
    const auto gets = [](const std::string& conda, const std::string& pip) {
        return codes_of("environment.yml",
                        "name: a\nchannels: [pytorch, nvidia]\ndependencies:\n  - python=3.8\n" + conda +
                            "  - pip\n  - pip:\n" + pip);
    };
    const std::string torch = "  - pytorch=2.1.1\n  - pytorch-cuda=";
    CHECK(gets(torch + "11.8\n", "    - torchvision==0.16.1\n") == "CC612");
    CHECK(gets("  - pytorch=1.8.1\n  - cudatoolkit=11.1\n", "    - torchvision==0.9.1\n") == "CC612");
    CHECK(gets(torch + "12.1\n", "    - torchvision==0.16.1\n") == k_silent);
    CHECK(gets(torch + "11.8\n", "    - --extra-index-url " + k_pytorch +
                                     "cu118\n    - torchvision==0.16.1+cu118\n") == k_silent);
    CHECK(gets("  - pytorch=2.0.1\n  - pytorch-cuda=11.8\n", "    - torchaudio==2.0.2\n") == k_silent);
    // An exported list names what conda has installed.
    CHECK(gets(torch + "11.8\n  - torchvision=0.16.1\n", "    - torchvision==0.16.1\n") == k_silent);
}

TEST_CASE("a conda that the recipe installs has none of the image's packages") {
    const std::string image = "nvcr.io/nvidia/pytorch:24.06-py3";
    const std::string conda =
        "RUN curl -O https://repo.anaconda.com/miniconda/Miniconda3-latest-Linux-x86_64.sh && "
        "bash Miniconda3-latest-Linux-x86_64.sh -b -p /opt/conda\n";
    const std::string path = "ENV PATH=/opt/conda/bin:$PATH\n";
    const std::string installs = "RUN pip install xformers==0.0.27.post2 --index-url " + k_pytorch + "cu121";
    CHECK(image_gets(image, installs).find("CC612") != npos);
    CHECK(image_gets(image, conda + installs).find("CC612") != npos);  // not on PATH
    CHECK(image_gets(image, conda + path + installs) == k_silent);
    CHECK(image_gets(image, path + conda + installs) == k_silent);
}

TEST_CASE("a file for Macs by its name: its packages have no CUDA") {
    const std::string text = "--extra-index-url " + k_pytorch + "cu121\ntorch\ntorchvision\n";
    for (const char* name : {"requirements-mac.txt", "requirements_macos.txt", "requirements/osx.txt"})
        CHECK_MESSAGE(codes_of(name, text) == k_silent, name);
    for (const char* name : {"requirements.txt", "requirements-machine.txt", "requirements-gpu.txt"})
        CHECK_MESSAGE(codes_of(name, text) == "CC614", name);
    CHECK(codes_of("install_mac.sh", "pip install torch --extra-index-url " + k_pytorch + "cu121\n") ==
          k_silent);
    CHECK(codes_of("install.sh", "pip install torch --extra-index-url " + k_pytorch + "cu121\n") == "CC614");
}

TEST_CASE("make of llama.cpp has gone, not its option, and that is one fault") {
    const auto says = [](const std::string& script) {
        std::string all;
        const std::string clone = "git clone https://github.com/ggml-org/llama.cpp\ncd llama.cpp\n";
        for (const Finding& one : findings_in(scenarios_in("build.sh", clone + script, {})))
            if (one.code == "CC618") all += one.message + ";";
        return all;
    };
    const std::string one = "the default branch of llama.cpp does not build with make;";
    CHECK(says("make GGML_CUDA=1\n") == one);
    CHECK(says("make clean\nmake GGML_CUDA=1 -j\nmake GGML_CUDA=1 llama-server\n") == one);
    CHECK(says("cmake -B build -DGGML_CUDA=ON\n").empty());
    CHECK(says("cmake -B build -DLLAMA_CUBLAS=ON\n").find("LLAMA_CUBLAS") != npos);
}

TEST_CASE("a tag of cuDNN 8 that was withdrawn, and one that never was") {
    const auto says = [](const std::string& tag) {
        std::string all;
        for (const Finding& one :
             findings_in(scenarios_in("Dockerfile", "FROM nvidia/cuda:" + tag + "\n", {})))
            if (one.code == "CC616") all += one.message;
        return all;
    };
    CHECK(says("10.1-cudnn8-devel-ubuntu18.04").find("was withdrawn") != npos);
    CHECK(says("10.0-cudnn8-devel-ubuntu18.04").find("never published") != npos);
}

TEST_CASE("what Docker Hub has lost, NVIDIA's registry may still have") {
    for (const std::string tag :
         {"10.2-devel-ubuntu18.04", "11.2.0-runtime-ubuntu20.04", "8.0-devel-ubuntu16.04"}) {
        CHECK_MESSAGE(image_gets("nvidia/cuda:" + tag, "") == "CC616", tag);
        CHECK_MESSAGE(image_gets("nvcr.io/nvidia/cuda:" + tag, "") == k_silent, tag);
    }
    CHECK(image_gets("nvcr.io/nvidia/cuda:12.4.1-devel-ubuntu24.04", "") == "CC616");  // nobody had it
    CHECK(image_gets("nvcr.io/nvidia/pytorch:24.13-py3", "") == "CC616");
}

TEST_CASE("packages of an index of their own are chosen with the others of their command") {
    const auto project = [](const std::string& constraint, const std::string& torch = "") {
        return codes_in("pyproject.toml",
                        "[project]\nname = \"a\"\ndependencies = [\"torchvision>=0.19\", \"accelerate\"" +
                            torch +
                            "]\n[tool.uv.sources]\ntorchvision = { index = \"c\" }\n[[tool.uv.index]]\n"
                            "name = \"c\"\nurl = \"https://download.pytorch.org/whl/cu128\"\n"
                            "[tool.uv]\nconstraint-dependencies = [" +
                            constraint + "]\n");
    };
    CHECK(project("\"torch==2.8.0\", \"torchvision==0.23.0\"") == k_nothing);
    CHECK(project("\"torch==2.8.0\"") == k_nothing);  // uv goes back to the torchvision of that torch
    CHECK(project("\"torchvision==0.23.0\"", ", \"torch==2.7.0\"") != k_nothing);
}

TEST_CASE("an extra that is not known may select any of uv's sources") {
    const std::string index = "https://download.pytorch.org/whl/cu129";
    const std::string of_extra = " = [{ index = \"c\", extra = \"cu129\" }]\n";
    const Files project{{"pyproject.toml",
                         "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \">=3.10,<3.14\"\n"
                         "dependencies = [\"torch==2.8.0\", \"torchaudio==2.8.0\"]\n"
                         "[project.optional-dependencies]\ncu129 = [\"torch\", \"torchaudio\"]\n"
                         "[tool.uv.sources]\ntorch" +
                             of_extra + "torchaudio" + of_extra +
                             "[[tool.uv.index]]\nname = \"c\"\nurl = \"" + index + "\"\nexplicit = true\n"}};
    const auto gets = [&](const std::string& commands) {
        return codes_in("Dockerfile", "FROM python:3.12 AS a\nCOPY . .\n" + commands, project);
    };
    CHECK(gets("ARG X=cu129\nRUN uv sync --extra $X\nFROM a\nRUN uv sync --extra $X\n") == k_nothing);
    CHECK(gets("RUN uv sync --extra cu129\nFROM a\nRUN uv sync --extra $X\n") == k_nothing);
    CHECK(gets("RUN uv sync --extra cu129\nFROM a\nRUN uv pip install torch==2.7.0\n") != k_nothing);
}

TEST_CASE("builds of PyTorch's own index before 2.2 hold NVIDIA's libraries, those of PyPI require them") {
    const auto gets = [](const std::string& torch) {
        return codes_of("requirements.txt", torch + "\nnvidia-nccl-cu12==2.18.1\n");
    };
    CHECK(gets("torch @ " + std::string(k_pytorch) +
               "cu117/torch-2.0.1%2Bcu117-cp38-cp38-linux_x86_64.whl") == k_silent);
    CHECK(gets("torch==2.0.1").find("CC612") == 0);
}

TEST_CASE("a build for another CUDA requires releases of its own of NVIDIA's packages") {
    const auto gets = [](const std::string& torch, const std::string& build, const std::string& beside) {
        return codes_of("requirements.txt", "--extra-index-url " + std::string(k_pytorch) + build +
                                                "\ntorch==" + torch + "+" + build + "\n" + beside + "\n");
    };
    // cuDNN: by the list of the release. NCCL: one for each major.
    CHECK(gets("2.8.0", "cu126", "nvidia-cudnn-cu12==9.1.0.70") == "CC612");
    CHECK(gets("2.8.0", "cu126", "nvidia-cudnn-cu12==9.10.2.21") == k_silent);
    CHECK(gets("2.3.1", "cu118", "nvidia-cudnn-cu11==8.9.6.50") == "CC612");
    CHECK(gets("2.3.1", "cu118", "nvidia-cudnn-cu11==8.7.0.84\nnvidia-cuda-runtime-cu11==11.8.89") ==
          k_silent);
    CHECK(gets("2.12.0", "cu126", "nvidia-nccl-cu12==2.29.7") == "CC612");
    CHECK(gets("2.12.0", "cu126", "nvidia-nccl-cu12==2.29.3") == k_silent);
    // RELEASE.md contradicts the wheel of 2.11, and names nothing for 2.15.
    CHECK(gets("2.11.0", "cu128", "nvidia-cudnn-cu12==9.19.0.56") == k_silent);
    // That of CUDA 13, which the build for 12.6 does not require.
    CHECK(gets("2.12.0", "cu126", "nvidia-cublas==13.2.0.9") == k_silent);
}

TEST_CASE("an index of its own does not hide what a package requires") {
    const auto gets = [](const std::string& beside) {
        return codes_of(
            "pyproject.toml",
            "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \">=3.10,<3.13\"\n"
            "dependencies = [\"torch==2.8.0\", \"" +
                beside +
                "\"]\n[tool.uv.sources]\ntorch = [{ index = \"c\" }]\n[[tool.uv.index]]\nname = \"c\"\n"
                "url = \"" +
                k_pytorch + "cu126\"\nexplicit = true\n");
    };
    CHECK(gets("nvidia-cudnn-cu12==9.1.0.70") == "CC612");
    CHECK(gets("nvidia-cudnn-cu12==9.10.2.21") == k_silent);
    CHECK(gets("triton==3.4.0") == k_silent);
}

TEST_CASE("TensorFlow takes no cuDNN of torch, CTranslate2 does") {
    CHECK(codes_of("requirements.txt", "torch>=1.5\ntensorflow==2.3.1\n") == k_silent);
    CHECK(codes_of("requirements.txt", "torch>=1.5\nctranslate2==4.4.0\n") == "CC601 CC611");
}

TEST_CASE("an image for ROCm has a torch that PyPI's does not replace") {
    const std::string lines = "RUN pip install xformers==0.0.31 --no-deps\nRUN pip install tensordict";
    CHECK(image_gets("rocm/pytorch-training:v25.6", lines) == k_silent);
    CHECK(image_gets("python:3.10", lines) != k_silent);
}

TEST_CASE("conda-lock takes the tables of Poetry as packages of conda") {
    const std::string poetry =
        "[tool.poetry]\nname = \"a\"\n[tool.poetry.dependencies]\npython = \"~3.10\"\n";
    const std::string project = poetry + "pytorch = \"2.0.1\"\npytorch-cuda = \"11.8\"\n";
    CHECK(codes_of("pyproject.toml", project).find("CC603") == 0);
    CHECK(codes_of("pyproject.toml", project + "[tool.conda-lock]\nchannels = [\"pytorch\"]\n") == k_silent);
    CHECK(codes_of("pyproject.toml",
                   poetry + "pytorch-cuda = {version = \"11.8\", source = \"pypi\"}\n[tool.conda-lock]\n"
                            "channels = [\"pytorch\"]\n")
              .find("CC603") == 0);
}

TEST_CASE("lists of other tools in a file with the name of pip's") {
    const auto gets = [](const std::string& text) { return codes_of("requirements.txt", text); };
    const std::string conda = "_libgcc_mutex=0.1=main\npython=3.7.16=h7a1cb2a_0\nnumpy=1.19.5=pypi_0\n";
    CHECK(gets("# $ conda create --name <env> --file <this file>\n" + conda + "torch=1.9.1+cu111=pypi_0\n") ==
          k_silent);
    CHECK(gets(conda + "torch=1.9.1+cu111=pypi_0\ntorchvision=0.11.1+cu102=pypi_0\n").find("CC612") == 0);
    CHECK(gets(conda + "torch 1.9.1+cu111 pypi_0\ntorchvision 0.11.1+cu102 pypi_0\n").find("CC612") == 0);
    CHECK(gets(conda + "torch[build=pypi_0]\n[build=pypi]\n") == gets(conda));  // no version
    CHECK(gets("numpy==1.19.5\ntorch=1.9.1\n").find("CC615") == 0);
    CHECK(gets("ROCmSoftwarePlatform/rocm-recipes\nROCm/half@1.12.0\nsqlite3@3.17 "
               "-DCMAKE_BUILD_TYPE=Release\n") == k_silent);
    CHECK(gets("sqlite3@3.17 -DCMAKE_BUILD_TYPE=Release\n") != k_silent);
    CHECK(
        gets("torch @ https://example.org/a/b@1/torch-2.4.0-py3-none-any.whl\ntorch=1.9.1\n").find("CC615") !=
        npos);
}

TEST_CASE("PyPI's torch and torchvision for Windows are both without CUDA") {
    const auto gets = [](const std::string& system, const std::string& second) {
        return codes_of(".github/workflows/a.yml", "on: push\njobs:\n  a:\n    runs-on: " + system +
                                                       "-latest\n    steps:\n      - run: pip install "
                                                       "torch==2.13.0 torchvision==0.28.0" +
                                                       second + "\n");
    };
    CHECK(gets("windows", "") == k_silent);
    CHECK(gets("windows", " --index-url " + std::string(k_pytorch) + "cu130") == k_silent);
}

TEST_CASE("torch without CUDA, and a later command that takes its companion from PyPI") {
    const std::string cpu = " --index-url " + std::string(k_pytorch) + "cpu",
                      torch = "RUN pip install torch" + cpu + "\n";
    CHECK(image_gets("python:3.11", torch + "RUN pip install torchaudio") == "CC612");
    CHECK(image_gets("python:3.11", torch + "RUN pip install torchaudio" + cpu) == k_silent);
    CHECK(image_gets("python:3.11", torch + "RUN pip install torchmetrics") == k_silent);
}

}  // namespace ptxguard::recipes
