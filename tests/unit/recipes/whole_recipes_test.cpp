// Texts of recipes -> the findings of the judge. Each class with a similar recipe that is right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/declared.hpp"
#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

using Said = Codes;

// "error CC603", without notes and unknowns.
Said said(const std::string& name, const std::string& text, const Files& files = {}, const char* gpu = "") {
    std::vector<Scenario> scenarios = scenarios_in(name, text, files);
    for (Scenario& scenario : scenarios)
        if (const auto arch = parse_arch(gpu)) {
            Gpu one;
            one.declared = true;
            one.arch = {*arch, {}};
            scenario.gpus.push_back(one);
        }
    return codes_in(scenarios);
}
Said dockerfile_says(const std::string& image, const std::string& run, const Files& files = {}) {
    return said("Dockerfile", "FROM " + image + "\n" + run + "\n", files);
}

const Said k_says_nothing;

}  // namespace

TEST_CASE("a cloned package whose sources pin torch replaces the image's") {
    const std::string image = "pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel";
    const std::string clone = "RUN git clone https://github.com/vllm-project/vllm.git /vllm";
    CHECK(dockerfile_says(image, clone + " -b v0.6.3\nWORKDIR /vllm\nRUN pip install -e .") ==
          Said{"warning CC612"});
    CHECK(dockerfile_says(image,
                          "RUN git clone git@github.com:vllm-project/vllm.git && cd vllm && "
                          "git checkout v0.6.3 && python setup.py develop") == Said{"warning CC612"});
    CHECK(dockerfile_says(image, "RUN pip install git+https://github.com/vllm-project/vllm@v0.6.3") ==
          Said{"warning CC612"});
    // The default branch is at least as new as the newest release.
    CHECK(dockerfile_says(image, clone + " && cd /vllm && pip install .") == Said{"warning CC612"});
    // Its torch, a commit that no table lists, its own script that removes the pin, and another folder.
    CHECK(dockerfile_says("pytorch/pytorch:2.4.0-cuda12.1-cudnn9-devel",
                          clone + " -b v0.6.3 && cd /vllm && pip install .") == k_says_nothing);
    CHECK(dockerfile_says(image, clone + " && cd /vllm && git checkout 1f2a3b4 && pip install .") ==
          k_says_nothing);
    CHECK(dockerfile_says(image, clone + " && cd /vllm && python use_existing_torch.py && pip install .") ==
          k_says_nothing);
    CHECK(dockerfile_says(image, clone + " && cd /other && pip install .") == k_says_nothing);
}

TEST_CASE("a framework that no pin decides is compared with a named GPU in its newest release") {
    const auto on = [](const std::string& pins, auto gpu) { return said("requirements.txt", pins, {}, gpu); };
    for (const char* one : {"torch", "torch>=2.9", "vllm", "ultralytics", "cupy-cuda13x"})
        CHECK_MESSAGE(on(one, "6.1") == Said{"warning CC607"}, one);
    for (const char* one : {"torch", "vllm", "ultralytics", "cupy-cuda13x", "numpy"})
        CHECK_MESSAGE(on(one, "8.9") == k_says_nothing, one);
    for (const std::string one : {"torch==2.6.0", "--index-url https://download.pytorch.org/whl/cu126\ntorch",
                                  "--index-url https://download.pytorch.org/whl/cpu\ntorch"})
        CHECK_MESSAGE(on(one, "6.1") == k_says_nothing, one);
    CHECK(dockerfile_says("pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel", "RUN pip install ultralytics") ==
          k_says_nothing);
    CHECK(said("Dockerfile", "FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-devel\nRUN pip install torch\n", {},
               "6.1") == k_says_nothing);
}

TEST_CASE("a stage goes on with what its base has cloned") {
    const std::string stages =
        "FROM pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel AS a\n"
        "RUN git clone -b v0.6.3 https://github.com/vllm-project/vllm.git /vllm\nFROM a\n";
    CHECK(said("Dockerfile", stages + "WORKDIR /vllm\nRUN pip install .\n") == Said{"warning CC612"});
}

TEST_CASE("a cloned package with device code is compiled") {
    const std::string image = "nvidia/cuda:11.8.0-devel-ubuntu22.04";
    const std::string torch = "RUN pip install torch==2.6.0\nRUN git clone https://github.com/";
    for (const char* repository :
         {"Dao-AILab/flash-attention", "facebookresearch/xformers", "state-spaces/mamba"})
        CHECK(dockerfile_says(image, torch + repository + " /x && cd /x && python setup.py install") ==
              Said{"error CC601"});
    CHECK(dockerfile_says(image, torch + "mamba-org/mamba /x && cd /x && pip install .") == k_says_nothing);
    // apex compiles device code only if it is told to.
    const std::string apex = torch + "NVIDIA/apex && cd apex && pip install ";
    CHECK(dockerfile_says(image, apex + "--config-settings '--build-option=--cuda_ext' ./") ==
          Said{"error CC601"});
    CHECK(dockerfile_says(image, apex + "./") == k_says_nothing);
}

TEST_CASE("a file of a cloned repository is not missing in this one") {
    Problems problems;
    Inherited inherited(problems);
    inherited.folder = "/vllm";
    inherited.checkout = [](const std::string&) { return std::string("git+https://github.com/a/vllm"); };
    interpret(command_of({"pip", "install", "-r", "requirements.txt"}), reader_of({}), inherited);
    CHECK(problems.empty());
}

TEST_CASE("images of known families hold what their tags name") {
    const auto with_vllm = [](const std::string& image) {
        return dockerfile_says(image, "RUN pip install vllm==0.6.3");  // torch 2.4.0
    };
    for (const char* other :
         {"runpod/pytorch:2.1.0-py3.10-cuda11.8.0-devel-ubuntu22.04", "runpod/pytorch:3.10-2.0.0-117",
          "runpod/pytorch:0.7.0-cu1281-torch280-ubuntu2204",
          "mosaicml/pytorch:2.1.2_cu121-python3.10-ubuntu20.04",
          "763104351884.dkr.ecr.us-east-1.amazonaws.com/"
          "pytorch-training:2.1.0-gpu-py310-cu121-ubuntu20.04-ec2",
          "anibali/pytorch:2.0.0-cuda11.8-ubuntu22.04",
          "docker.m.daocloud.io/pytorch/pytorch:2.1.0-cuda12.1-cudnn8-devel"})
        CHECK_MESSAGE(with_vllm(other) == Said{"warning CC612"}, other);
    for (const char* same :
         {"runpod/pytorch:2.4.0-py3.11-cuda12.4.1-devel-ubuntu22.04",
          "mosaicml/pytorch:2.4.0_cu124-python3.11-ubuntu20.04", "runpod/pytorch",
          "somebody/pytorch:2.1.0-cuda11.8", "runpod/base:0.6.2-cuda12.2.0",
          "runpod/pytorch:1.0.2-cu1300-torch260-ubuntu2404",  // no build of torch 2.6.0 is for CUDA 13
          "763104351884.dkr.ecr.us-east-1.amazonaws.com/pytorch-training:2.1.0-cpu-py310-ubuntu20.04"})
        CHECK_MESSAGE(with_vllm(same) == k_says_nothing, same);
}

TEST_CASE("an option that the release does not read") {
    const std::string image = "nvidia/cuda:12.4.1-devel-ubuntu22.04";
    const std::string clone = "RUN git clone https://github.com/ggerganov/llama.cpp && cd llama.cpp && ";
    CHECK(dockerfile_says(image, clone + "cmake -B build -DLLAMA_CUBLAS=ON") == Said{"warning CC618"});
    CHECK(dockerfile_says(image, clone + "LLAMA_CUBLAS=1 make") == Said{"warning CC618"});
    CHECK(dockerfile_says(image, clone + "make GGML_CUDA=1") == Said{"warning CC618"});
    CHECK(dockerfile_says(image, clone + "mkdir b && cd b && cmake .. -DGGML_CUDA=ON") == k_says_nothing);
    CHECK(dockerfile_says(image, clone + "cmake -B build -DLLAMA_CUBLAS=OFF") == k_says_nothing);
    CHECK(dockerfile_says(image, clone + "git checkout b1500 && make LLAMA_CUBLAS=1") == k_says_nothing);
    CHECK(
        dockerfile_says(
            image,
            "RUN git clone https://github.com/LostRuins/koboldcpp && cd koboldcpp && make LLAMA_CUBLAS=1") ==
        k_says_nothing);
    const auto python = [&](const char* option, const char* release) {
        return dockerfile_says(image, std::string("RUN CMAKE_ARGS=\"-D") + option +
                                          "=on\" pip install llama-cpp-python" + release);
    };
    CHECK(python("LLAMA_CUBLAS", "==0.2.90") == Said{"error CC618"});
    CHECK(python("LLAMA_CUBLAS", "") == Said{"warning CC618"});
    CHECK(python("GGML_CUDA", "==0.2.56") == Said{"warning CC618"});
    CHECK(python("GGML_CUDA", "==0.2.79") == Said{"warning CC618"});
    CHECK(python("GGML_CUDA", "==0.2.80") == k_says_nothing);
    CHECK(python("LLAMA_CUBLAS", "==0.2.79") == k_says_nothing);
    CHECK(python("LLAMA_CUBLAS", "==0.2.80") == Said{"error CC618"});
    CHECK(python("LLAMA_CUBLAS", "==0.2.56") == k_says_nothing);
    CHECK(python("GGML_CUDA", "==0.2.90") == k_says_nothing);
    CHECK(python("GGML_CUDA", "") == k_says_nothing);
}

TEST_CASE("a later command installs another triton than torch pins") {
    CHECK(dockerfile_says("pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel", "RUN pip install triton==3.0.0") ==
          Said{"warning CC612"});
    CHECK(dockerfile_says("python:3.11", "RUN pip install torch==2.7.1\nRUN pip install triton==3.0.0") ==
          Said{"warning CC612"});
    CHECK(dockerfile_says("pytorch/pytorch:2.3.1-cuda12.1-cudnn8-devel", "RUN pip install triton==2.3.1") ==
          k_says_nothing);
    // torch puts its own one back.
    CHECK(dockerfile_says("python:3.11", "RUN pip install triton==3.0.0\nRUN pip install torch==2.7.1") ==
          k_says_nothing);
}

TEST_CASE("a reinstallation without a version undoes a pin") {
    const std::string pinned = "RUN pip install torch==2.8.0\n";
    CHECK(dockerfile_says("python:3.11", pinned + "RUN pip install --force-reinstall torch") ==
          Said{"warning CC612"});
    CHECK(dockerfile_says("python:3.11", pinned + "RUN pip install torch") == k_says_nothing);
}

TEST_CASE("locked packages are what the environment gets, also those that others bring") {
    const std::string project =
        "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"engine\", \"flash-attn\"]\n";
    const std::string install = "COPY pyproject.toml uv.lock poetry.lock pdm.lock ./\nRUN ";
    const std::string uv =
        "version = 1\n[[package]]\nname = \"engine\"\nversion = \"1.0\"\nsource = { registry = "
        "\"https://pypi.org/simple\" }\n"
        "dependencies = [{ name = \"torch\" }]\n[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n"
        "source = { registry = \"https://pypi.org/simple\" }\n[[package]]\nname = \"flash-attn\"\nversion = "
        "\"2.7.4.post1\"\n"
        "source = { registry = \"https://pypi.org/simple\" }\n";
    const std::string poetry =
        "[[package]]\nname = \"engine\"\nversion = \"1.0\"\n[package.dependencies]\ntorch = \"*\"\n"
        "[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n[[package]]\nname = \"flash-attn\"\nversion = "
        "\"2.7.4.post1\"\n";
    const std::string pdm =
        "[[package]]\nname = \"engine\"\nversion = \"1.0\"\ndependencies = [\"torch>=2\"]\n"
        "[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n[[package]]\nname = \"flash-attn\"\nversion = "
        "\"2.7.4.post1\"\n";
    const Files files = {
        {"pyproject.toml", project}, {"uv.lock", uv}, {"poetry.lock", poetry}, {"pdm.lock", pdm}};
    const std::string with_11 = "nvidia/cuda:11.8.0-devel-ubuntu22.04",
                      with_12 = "nvidia/cuda:12.4.1-devel-ubuntu22.04";
    for (const char* command : {"uv sync --frozen --no-build-isolation", "poetry install", "pdm sync"}) {
        CHECK_MESSAGE(dockerfile_says(with_11, install + command, files) == Said{"error CC601"}, command);
        CHECK_MESSAGE(dockerfile_says(with_12, install + command, files) == k_says_nothing, command);
    }
}

TEST_CASE("pipenv, conda-lock and pixi install their lock files") {
    const Files files = {
        {"Pipfile.lock",
         R"({"default": {"torch": {"version": "==2.6.0"}, "flash-attn": {"version": "==2.7.4.post1"}}, "develop": {}})"},
        {"conda-lock.yml",
         "package:\n- name: pytorch\n  version: 2.6.0\n  manager: conda\n  platform: linux-64\n"},
        {"pixi.lock",
         "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n"
         "      - conda: https://conda.anaconda.org/conda-forge/linux-64/cuda-nvcc-12.4.131-h_0.conda\n"}};
    CHECK(only<PipInstall>({"pipenv", "install"}, files).requirements.size() == 2);
    CHECK(only<CondaInstall>({"conda-lock", "install", "-n", "x"}, files).environment == "x");
    CHECK(only<CondaInstall>({"pixi", "install"}, files).specs.front().name == "cuda-nvcc");
    CHECK(std::holds_alternative<Command>(steps_of(command_of({"pixi", "install"}), {}).front()));
}

TEST_CASE("xargs installs what the first command of its pipeline names") {
    const std::string image = "nvidia/cuda:11.8.0-devel-ubuntu22.04";
    const Files files = {{"requirements.txt", "torch==2.6.0\n"}};
    const std::string flash = "\nRUN pip install --no-build-isolation flash-attn";
    for (const char* install :
         {"RUN echo torch==2.6.0 | xargs pip install", "RUN echo torch==2.6.0 | xargs -I {} pip install {}",
          "COPY requirements.txt .\nRUN cat requirements.txt | xargs -n 1 pip install",
          "COPY requirements.txt .\nRUN grep -v '^#' requirements.txt | xargs -n1 python3 -m pip install",
          "COPY requirements.txt .\nRUN xargs -a requirements.txt pip install"})
        CHECK_MESSAGE(dockerfile_says(image, install + flash, files) == Said{"error CC601"}, install);
    CHECK(dockerfile_says(image, "RUN echo torch==2.6.0 | xargs echo" + flash, files) == k_says_nothing);
    for (const char* open : {"newest jaxlib | xargs -I{} pip install jaxlib=={}+cuda111",
                             "newest jaxlib | xargs -I % pip install jaxlib==%"})
        CHECK_MESSAGE(dockerfile_says("python:3.10", std::string("RUN ") + open) == k_says_nothing, open);
}

TEST_CASE("a pipeline in a substitution, and an ARG that the image's variable hides") {
    const auto index = [](const char* tail) {
        return said("Dockerfile",
                    std::string("FROM nvidia/cuda:13.4.1-devel-ubuntu24.04\nARG CUDA_VERSION=13.0\n"
                                "RUN pip install torch --index-url https://download.pytorch.org/whl/cu") +
                        tail + "\n");
    };
    for (const char* tail : {"$(echo $CUDA_VERSION | cut -d. -f1,2 | tr -d .)",
                             "$(echo ${CUDA_VERSION} | cut -d '.' -f 1-2 | sed 's/\\.//g')",
                             "$(echo $CUDA_VERSION | awk -F. '{print $1$2}')",
                             "$(printf '%s' $CUDA_VERSION | cut -c1-4 | tr -d '.')"})
        CHECK_MESSAGE(index(tail) == Said{"error CC603"}, tail);
    // What a line of Python prints.
    const std::string code =
        "from os import environ as env; v = int(env['CUDA_VERSION'].replace('.', '')[:3]); ";
    for (const char* print :
         {"print(max(min(v, 133), 118))", "print({134: v}[v])", "print(v if v > 130 else 118)"})
        CHECK_MESSAGE(index(("$(python3 -c \"" + code + print + "\")").c_str()) == Said{"error CC603"},
                      print);
    for (const char* print :
         {"print(min(v, 130))", "print(unknown(v))", "print(v) if unknown() else print(1)"})
        CHECK_MESSAGE(index(("$(python3 -c \"" + code + print + "\")").c_str()) == k_says_nothing, print);
    CHECK(index("$(echo $CUDA_VERSION | unknown)") == k_says_nothing);
    CHECK(index("130") == k_says_nothing);
}

TEST_CASE("the host compiler of a runner, of a system and of a command") {
    const auto job = [](const char* runner, const char* cuda, const char* steps) {
        return said(".github/workflows/w.yml",
                    std::string("on: [push]\njobs:\n  a:\n    runs-on: ") + runner +
                        "\n    steps:\n      - uses: Jimver/cuda-toolkit@v0.2.24\n        with: {cuda: '" +
                        cuda + "'}\n" + steps);
    };
    const char* const build = "      - run: nvcc -c k.cu\n";
    CHECK(job("ubuntu-24.04", "11.8.0", build) == Said{"warning CC108"});
    CHECK(job("windows-2025", "12.6.0", "      - run: nvcc -c k.cu\n") ==
          Said{"warning CC107", "warning CC108"});
    CHECK(job("ubuntu-22.04", "11.8.0", "      - run: nvcc -ccbin g++-12 -c k.cu\n") ==
          Said{"warning CC108"});
    CHECK(job("ubuntu-22.04", "11.8.0", build) == k_says_nothing);
    CHECK(job("windows-2022", "12.6.0",
              "      - uses: ilammy/msvc-dev-cmd@v1\n      - run: nvcc -c k.cu\n") == k_says_nothing);
    CHECK(job("ubuntu-24.04", "11.8.0",
              "      - run: sudo apt-get install -y g++-11\n      - run: nvcc -c k.cu\n") == k_says_nothing);
    CHECK(job("ubuntu-24.04", "11.8.0", "      - run: nvcc -allow-unsupported-compiler -c k.cu\n") ==
          k_says_nothing);
    CHECK(job("windows-2022", "12.1.0",
              "      - run: cmake -S . -B b -T v142 -DCMAKE_CUDA_ARCHITECTURES=80\n") == k_says_nothing);
    CHECK(job("ubuntu-24.04", "11.8.0", "      - run: echo nothing is built\n") == k_says_nothing);
    CHECK(job("windows-2025", "12.6.0",
              "      - uses: ilammy/msvc-dev-cmd@v1\n      - run: nvcc -c k.cu\n") == Said{"warning CC108"});
    CHECK(job("windows-2025", "12.6.0",
              "      - uses: ilammy/msvc-dev-cmd@v1\n        with: {toolset: 14.44}\n"
              "      - run: nvcc -c k.cu\n") == k_says_nothing);
    CHECK(dockerfile_says(
              "ubuntu:24.04",
              "COPY cuda.list /etc/apt/\nRUN apt-get install -y cuda-toolkit-11-8\nRUN nvcc -c k.cu") ==
          Said{"error CC620", "warning CC108"});
}

TEST_CASE("architectures below an option that is on") {
    const Files files = {
        {"/src/CMakeLists.txt",
         "cmake_minimum_required(VERSION 3.20)\nproject(k LANGUAGES CXX)\noption(GPU \"\" ON)\nif(GPU)\n"
         "enable_language(CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 60 80)\nendif()\n"}};
    const auto configured = [&](const char* options) {
        Problems problems;
        const std::vector<Step> steps = interpret(command_of({"cmake", "-S", "/src", "-B", "/b", options}),
                                                  reader_of(files), Inherited(problems));
        return std::count_if(steps.begin(), steps.end(), [](const Step& step) {
            const auto* variable = std::get_if<SetVariable>(&step);
            return variable && variable->name == "CMAKE_CUDA_ARCHITECTURES";
        });
    };
    CHECK(configured("-DA=1") == 1);
    CHECK(configured("-DGPU=OFF") == 0);
}

TEST_CASE("ranges of a pyproject.toml that a pinned torch excludes, unless uv overrides them") {
    const std::string project =
        "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \">=3.11\"\n"
        "dependencies = [\"torch==2.8.0\", \"nvidia-nccl-cu12>=2.28\"]\n";
    CHECK(said("pyproject.toml", project) == Said{"error CC612"});
    CHECK(said("pyproject.toml",
               project + "[tool.uv]\noverride-dependencies = [\"nvidia-nccl-cu12>=2.28\"]\n") ==
          k_says_nothing);
}

TEST_CASE("a package that decides the torch, and an index without it") {
    const std::string install = "RUN pip install --extra-index-url https://download.pytorch.org/whl/";
    CHECK(dockerfile_says("python:3.11-slim", install + "cu128 torch xformers==0.0.29.post2") ==
          Said{"warning CC614"});
    CHECK(dockerfile_says("python:3.11-slim", install + "cu124 torch xformers==0.0.29.post2") ==
          k_says_nothing);
}

TEST_CASE("the cuDNN that pip takes has no code for a named GPU") {
    CHECK(said("requirements.txt", "onnxruntime-gpu[cuda,cudnn]==1.22.0\n", {}, "61") ==
          Said{"warning CC306"});
    CHECK(said("requirements.txt", "onnxruntime-gpu[cuda,cudnn]==1.22.0\nnvidia-cudnn-cu12==9.10.2.21\n", {},
               "61") == k_says_nothing);
    CHECK(said("requirements.txt", "onnxruntime-gpu[cuda,cudnn]==1.22.0\n", {}, "90") == k_says_nothing);
}

TEST_CASE("uv sync reads the lock and fetches a Python; uv pip takes what is there") {
    const Files files{{"pyproject.toml",
                       "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \">=3.12\"\n"
                       "dependencies = [\"torch\", \"torchvision==0.20.1\"]\n"},
                      {"uv.lock",
                       "version = 1\n\n[[package]]\nname = \"torch\"\nversion = \"2.6.0\"\n"
                       "source = { registry = \"https://pypi.org/simple\" }\n"}};
    const auto says = [&](const char* from, const char* command) {
        return said("Dockerfile", std::string("FROM ") + from + "\nCOPY . .\nRUN " + command + "\n", files);
    };
    CHECK(says("python:3.12", "uv sync") == Said{"error CC612"});
    CHECK(says("python:3.10", "uv sync") == Said{"error CC612"});
    CHECK(says("python:3.12", "uv pip install --system .") == k_says_nothing);
    CHECK(says("python:3.12", "uv pip sync --system pyproject.toml") == k_says_nothing);
    CHECK(says("python:3.10", "uv pip install --system .") == Said{"error CC613"});
}

TEST_CASE("what another program fills in, or a URL decides, is not judged") {
    CHECK(said("requirements.txt", "torch=={{version}}\nnumpy <% if x %>\n") == k_says_nothing);
    CHECK(said("requirements.txt", "torch=={version}\n") == k_says_nothing);
    CHECK(said("requirements.txt", "torch==version\n") == Said{"error CC615"});
    CHECK(said("requirements.txt", "torch==2.5.1\u00A0# a no-break space\n") == k_says_nothing);
    const auto source = [](const char* where) {
        return said("pyproject.toml",
                    std::string("[project]\nname = \"a\"\nversion = \"1\"\n[project.optional-dependencies]\n"
                                "gpu = [\"torch==2.11.0+cu130\"]\n[tool.uv.sources]\ntorch = [{ ") +
                        where + ", extra = \"gpu\" }]\n");
    };
    CHECK(source("url = \"https://example.org/torch-2.11.0%2Bcu130-cp312-cp312-linux_x86_64.whl\"") ==
          k_says_nothing);
    CHECK(source("index = \"none\"") == Said{"error CC614"});
}

TEST_CASE("words that reach pip through xargs, and those that a filter changes") {
    CHECK(said("install.sh", "echo torch==2.4.0+cu125 | xargs pip install\n") == Said{"error CC603"});
    CHECK(said("install.sh", "echo torch:torchvision | cut -d: -f1 | xargs pip install\n") == k_says_nothing);
    CHECK(said("install.sh", "echo torch:torchvision | xargs pip install\n") == Said{"error CC615"});
}

TEST_CASE("arguments of calls in the lists of a setup.py are no requirements") {
    const auto says = [](const char* item) {
        return said(
            "setup.py",
            std::string("from setuptools import setup\nsetup(name='a', install_requires=[") + item + "])\n");
    };
    CHECK(says("'a @ file://localhost' + os.path.join(here, 'third_party/a')") == k_says_nothing);
    CHECK(says("name.replace('tensorflow', 'tensorflow-gpu'), 'numpy'") == k_says_nothing);
    CHECK(says("f('x'), 'torch==2.4.0+cu125'") == says("('torch==2.4.0+cu125')"));
    CHECK(says("'third_party/a'") == Said{"error CC615"});
    // A value that is not known makes another text of it.
    CHECK(says("'torch{}=={}'.format(kind, version)") == k_says_nothing);
    CHECK(says("'torch==%s' % version, 'numpy'") == k_says_nothing);
    CHECK(says("'torch==' + version") == k_says_nothing);
    CHECK(says("'torch=={}', 'numpy'") == Said{"error CC615"});
}

TEST_CASE("torch of an index for ROCm requires another triton") {
    const std::string pins = "torch==2.7.0\ntriton==3.2.0\n";
    CHECK(said("requirements.txt", pins) == Said{"warning CC612"});
    CHECK(said("requirements.txt", "--extra-index-url https://download.pytorch.org/whl/rocm6.2.4\n" + pins) ==
          k_says_nothing);
}

}  // namespace ptxguard::recipes
