// What the installers of a recipe really put there: each class with members that are wrong and similar ones
// that are right.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

std::string image_notes(const std::string& image, const std::string& lines) {
    return codes_of("Dockerfile", "FROM " + image + "\n" + lines + "\n", {}, true);
}

const std::string k_cuda = "nvidia/cuda:12.1.1-cudnn8-runtime-ubuntu22.04";

// torch of [tool.uv.sources].
std::string uv_project(const std::string& sources, const std::string& more = "") {
    return "[project]\nname = \"a\"\nversion = \"1\"\ndependencies = [\"torch==2.8.0\"" + more +
           "]\n[tool.uv.sources]\ntorch = [\n" + sources + "\n]\n[[tool.uv.index]]\nname = \"cu\"\nurl = \"" +
           k_pytorch + "cu128\"\nexplicit = true\n[[tool.uv.index]]\nname = \"cpu\"\nurl = \"" + k_pytorch +
           "cpu\"\nexplicit = true\n";
}
std::string uv_gets(const std::string& sources, const std::string& more = "") {
    return codes_of("pyproject.toml", uv_project(sources, more));
}

}  // namespace

TEST_CASE("an index for CPUs in an image for CUDA, where nothing else uses CUDA") {
    for (const std::string& command :
         {"pip install torch --index-url " + k_pytorch + "cpu",
          "pip install torch==2.1.0 --extra-index-url " + k_pytorch + "cpu",
          "pip install --pre torch -f " + k_pytorch + "nightly/cpu/torch_nightly.html",
          "pip install --pre torch torchvision --extra-index-url " + k_pytorch + "nightly/cpu",
          "uv pip install --system torch --extra-index-url " + k_pytorch + "cpu",
          std::string("uv pip install --system torch --torch-backend=cpu"),
          "pip install torch --index-url " + k_pytorch + "rocm6.0",
          std::string("pip install jax==0.4.30 jaxlib==0.4.30"),

          std::string("pip install paddlepaddle==2.6.2")}) {
        CAPTURE(command);
        CHECK(image_gets(k_cuda, "RUN " + command) == "CC604");
        CHECK(image_gets("python:3.11-slim", "RUN " + command) == k_silent);
    }
}

TEST_CASE("a framework for CPUs beside something that uses the image's CUDA is no more than a note") {
    const std::string cpu = "RUN pip install torch --index-url " + k_pytorch + "cpu\n";
    const std::string build =
        "FROM nvidia/cuda:12.1.1-devel-ubuntu22.04 AS build\nRUN cmake -DGGML_CUDA=ON -B build\n";
    CHECK(codes_of("Dockerfile", build + "FROM " + k_cuda + "\nCOPY --from=build /app /app\n" + cpu) ==
          k_silent);
    CHECK(image_gets(k_cuda, cpu + "RUN pip install \"jax[cuda12]==0.4.30\"") == k_silent);
    CHECK(image_gets(k_cuda, cpu + "RUN make -j8") == k_silent);
    CHECK(image_notes(k_cuda, cpu + "RUN make -j8") == "CC604");
    // A tool from another image uses no CUDA.
    CHECK(image_gets(k_cuda, "COPY --from=ghcr.io/astral-sh/uv:0.5 /uv /bin/uv\n" + cpu) == "CC604");
}

TEST_CASE("a build for CPUs that is asked for by its name is no more than a note") {
    for (const std::string& command :
         {"pip install torch==2.1.0+cpu -f " + k_pytorch + "torch_stable.html",
          std::string("pip install tensorflow-cpu==2.15.0"),
          std::string("conda install -y pytorch cpuonly -c pytorch"),
          std::string("conda install -y 'pytorch=2.1.0=*cpu*' -c conda-forge")}) {
        CAPTURE(command);
        CHECK(image_gets(k_cuda, "RUN " + command) == k_silent);
        CHECK(image_notes(k_cuda, "RUN " + command) == "CC604");
    }
}

TEST_CASE("a build for CPUs that does not stay, or is one of two branches") {
    CHECK(image_gets(k_cuda, "RUN pip install torch==2.3.1 --index-url " + k_pytorch +
                                 "cpu\nRUN pip install torch==2.3.1 --force-reinstall --index-url " +
                                 k_pytorch + "cu121") == k_silent);
    CHECK(image_gets(k_cuda, "ARG CPU=0\nRUN if [ \"$CPU\" = 1 ]; then pip install torch --index-url " +
                                 k_pytorch + "cpu; else pip install torch --index-url " + k_pytorch +
                                 "cu121; fi") == k_silent);
    CHECK(image_gets(k_cuda, "RUN pip install jax==0.4.30 jaxlib==0.4.30 jax-cuda12-plugin==0.4.30") ==
          k_silent);
    CHECK(image_gets(k_cuda, "RUN pip install torch==2.3.1 --index-url " + k_pytorch +
                                 "cu121\nRUN pip install jax onnxruntime") == k_silent);
}

TEST_CASE("a marker with the value of another system selects the build for CPUs") {
    const std::string windows = ", \"pywin32; sys_platform == 'win32'\"";
    const std::string cpu = "{ index = \"cpu\", marker = \"", cu = "{ index = \"cu\", marker = \"",
                      end = "\" },\n";
    CHECK(uv_gets(cpu + "platform_machine != 'x86_64'" + end + cu + "platform_machine == 'x86_64'" + end,
                  windows) == "CC604");
    CHECK(uv_gets(cu + "platform_machine == 'x86_64'" + end, windows) == "CC604");
    CHECK(uv_gets(cu + "sys_platform == 'linux' or sys_platform == 'windows'" + end) == "CC604");
    CHECK(uv_gets(cu + "platform_system == 'Linux' or platform_system == 'win32'" + end) == "CC604");
    CHECK(
        uv_gets(cu +
                "sys_platform == 'linux' and (platform_machine == 'x86_64' or platform_machine == 'arm64')" +
                end + cpu +
                "sys_platform == 'linux' and platform_machine != 'x86_64' and platform_machine != 'arm64'" +
                end) == "CC604");
    const std::string poetry =
        "[tool.poetry]\nname = \"a\"\n[tool.poetry.dependencies]\npython = \"^3.10\"\n"
        "pywin32 = { version = \"*\", markers = \"sys_platform == 'win32'\" }\n"
        "torch = [{ version = \"2.3.1+cu121\", markers = \"platform_machine == 'x86_64'\", source = \"gpu\" "
        "},\n"
        " { version = \"2.3.1+cpu\", markers = \"platform_machine != 'x86_64'\", source = \"cpu\" }]\n"
        "[[tool.poetry.source]]\nname = \"gpu\"\nurl = \"https://download.pytorch.org/whl/cu121\"\n"
        "[[tool.poetry.source]]\nname = \"cpu\"\nurl = \"https://download.pytorch.org/whl/cpu\"\n";
    CHECK(codes_of("pyproject.toml", poetry) == "CC604");
    // Both spellings, Linux only, and CPUs that are meant.
    CHECK(uv_gets(cpu + "platform_machine not in 'x86_64 AMD64'" + end + cu +
                      "platform_machine in 'x86_64 AMD64'" + end,
                  windows) == k_silent);
    CHECK(uv_gets(cu + "platform_machine == 'x86_64'" + end) == k_silent);
    CHECK(uv_gets(cu + "sys_platform == 'linux' and platform_machine == 'x86_64'" + end, windows) ==
          k_silent);
    CHECK(uv_gets(cpu + "sys_platform == 'win32'" + end + cu + "sys_platform == 'linux'" + end) == k_silent);
    CHECK(uv_gets(cpu + "sys_platform == 'darwin'" + end + cu + "sys_platform != 'darwin'" + end) ==
          k_silent);
}

TEST_CASE("what NVIDIA's image was built with, and a later torch") {
    const std::string image = "nvcr.io/nvidia/pytorch:25.02-py3";
    CHECK(image_gets(image, "RUN pip install vllm==0.10.2") == "CC612");
    CHECK(image_gets(image, "RUN pip install flash-attn==2.8.3\nRUN pip install vllm==0.10.2") == "CC612");
    CHECK(image_gets(image, "RUN pip install -U torch") == "CC611 CC612");
    // Its own torch stays.
    CHECK(image_gets(image, "RUN pip install 'torch>=2.0' accelerate") == k_silent);
    CHECK(image_gets(image, "RUN pip install --no-deps vllm==0.10.2") == k_silent);
    CHECK(image_gets(image, "RUN pip install --no-build-isolation flash-attn==2.8.3") == k_silent);
    // An environment has nothing of the image's.
    CHECK(image_gets(image, "RUN python -m venv /v && /v/bin/pip install vllm==0.10.2") == k_silent);
}

TEST_CASE("an extension that was built for a torch before a later one") {
    const std::string image = "nvidia/cuda:12.4.1-devel-ubuntu22.04";
    const std::string first = "RUN pip install torch==2.4.0\n";
    const std::string extension = "RUN pip install flash-attn==2.7.4.post1 --no-build-isolation\n";
    CHECK(image_gets(image, first + extension + "RUN pip install torch==2.6.0") == "CC612");
    CHECK(image_gets(image, first + extension + "RUN pip install xformers==0.0.29.post2") == "CC612");
    CHECK(image_gets(image, first + "RUN pip install torch==2.6.0\n" + extension) == k_silent);
    CHECK(image_gets(image, first + extension + "RUN pip install torch==2.4.1") == k_silent);
}

TEST_CASE("a pin that the image's torch excludes lets another package bring a new torch") {
    const std::string image = "pytorch/pytorch:2.6.0-cuda12.6-cudnn9-runtime";
    CHECK(image_gets(image, "RUN pip install sympy==1.14.0 timm==1.0.12") == "CC612");
    CHECK(image_gets(image, "RUN pip install sympy==1.14.0") == "CC612");
    CHECK(image_gets(image, "RUN pip install sympy==1.13.1 timm==1.0.12") == k_silent);
    CHECK(image_gets(image, "RUN pip install sympy timm") == k_silent);
    CHECK(image_gets("pytorch/pytorch:2.7.0-cuda12.6-cudnn9-runtime",
                     "RUN pip install sympy==1.14.0 timm==1.0.12") == k_silent);
}

TEST_CASE("what pip uninstall removes is not there any more") {
    const std::string image = "pytorch/pytorch:2.6.0-cuda12.6-cudnn9-runtime";
    CHECK(image_gets(image, "RUN pip install triton==3.1.0") == "CC612");
    CHECK(image_gets(image, "RUN pip uninstall -y torch && pip install triton==3.1.0") == k_silent);
}

TEST_CASE("a build of jaxlib that is computed from the image's CUDA") {
    const std::string head = "FROM nvidia/cuda:11.1.1-cudnn8-runtime-ubuntu20.04\nENV CUDA=11.1.1\n";
    const std::string pin =
        "RUN pip install jax==0.2.14 jaxlib==0.1.69+cuda$(cut -f1,2 -d. <<< ${CUDA} | "
        "sed 's/\\.//g') -f https://storage.googleapis.com/jax-releases/";
    CHECK(codes_of("Dockerfile", head + pin + "jax_releases.html") == "CC614");
    CHECK(codes_of("Dockerfile", head + pin + "jax_cuda_releases.html") == k_silent);
}

TEST_CASE("a requirement behind an option of its line is not read") {
    const auto environment = [](const std::string& lines) {
        return codes_of("environment.yml",
                        "name: a\nchannels: [conda-forge]\ndependencies:\n- python=3.8\n- pip:\n" + lines);
    };
    const std::string page = "  - --find-links " + k_pytorch + "cu113/torch_stable.html";
    CHECK(environment(page + " torch==1.11.0+cu113\n") == "CC615");
    CHECK(environment(page + "\n  - torch==1.11.0+cu113\n") == k_silent);
    CHECK(environment("  - torch==1.11.1\n") == "CC603");
}

TEST_CASE("a marker that leaves out a system selects nothing there") {
    const std::string extra =
        "[project]\nname = \"a\"\nversion = \"1\"\ndependencies = [\"x; sys_platform != 'win32'\"]\n"
        "[project.optional-dependencies]\ngpu = [\"torch==2.8.0; platform_machine == 'x86_64'\"]\n"
        "[tool.uv.sources]\ntorch = [{ index = \"cu\", extra = \"gpu\", marker = "
        "\"platform_machine == 'x86_64'\" }]\n[[tool.uv.index]]\nname = \"cu\"\nurl = \"" +
        k_pytorch + "cu128\"\nexplicit = true\n";
    CHECK(codes_of("pyproject.toml", extra) == k_silent);
}

TEST_CASE("a page for CPUs beside a torch with CUDA") {
    const std::string image = "pytorch/pytorch:2.1.0-cuda11.8-cudnn8-devel";
    CHECK(
        image_gets(image, "RUN pip install torch-scatter -f https://data.pyg.org/whl/torch-2.1.0+cpu.html") ==
        "CC612");
    CHECK(image_gets(image,
                     "RUN pip install torch-scatter -f https://data.pyg.org/whl/torch-2.1.0+cu118.html") ==
          k_silent);
    CHECK(image_gets("python:3.11",
                     "RUN pip install torch==2.1.0+cpu torch-scatter -f "
                     "https://data.pyg.org/whl/torch-2.1.0+cpu.html -f " +
                         k_pytorch + "torch_stable.html") == k_silent);
}

TEST_CASE("a range of ONNX Runtime up to the newest release") {
    const std::string old = "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04";
    CHECK(image_gets(old, "RUN pip install 'onnxruntime-gpu>=1.20,<2'") == "CC611");
    CHECK(image_gets(old, "RUN pip install 'onnxruntime-gpu>=1.15,<1.18'") == k_silent);
    CHECK(image_gets(k_cuda,
                     "RUN pip install onnxruntime-gpu==1.18.1 --extra-index-url "
                     "https://aiinfra.pkgs.visualstudio.com/PublicPackages/_packaging/onnxruntime-cuda-12/"
                     "pypi/simple/") == k_silent);
}

TEST_CASE("what packages require may be in an image that is not known") {
    CHECK(image_gets("example/ml-base:1",
                     "RUN pip install --no-deps vllm==0.11.0\nRUN pip install accelerate==1.3.0 timm") ==
          k_silent);
    CHECK(image_gets("python:3.11",
                     "RUN pip install --no-deps vllm==0.11.0\nRUN pip install accelerate==1.3.0") == "CC612");
}

TEST_CASE("vllm for another device requires no torch") {
    const std::string torch =
        "RUN pip install torch==2.5.1 --index-url https://download.pytorch.org/whl/cu118\n"
        "RUN git clone https://github.com/vllm-project/vllm -b v0.9.1 && cd vllm && ";
    CHECK(image_gets("example/cann:8.2", torch + "VLLM_TARGET_DEVICE=empty pip install -v -e .") == k_silent);
    CHECK(image_gets("nvidia/cuda:12.4.1-devel-ubuntu22.04", torch + "pip install -v -e .") == "CC612");
}

TEST_CASE("a wheel named for the old std::string counts where torch had it") {
    const auto wheel = [](const std::string& torch) {
        return codes_of("requirements.txt", "torch==" + torch +
                                                ".0\nhttps://example.org/flash_attn-2.8.1+cu12torch" + torch +
                                                "cxx11abiFALSE-cp310-cp310-linux_x86_64.whl\n");
    };
    CHECK(wheel("2.8") == k_silent);
    CHECK(wheel("2.6") == k_silent);  // PyPI's build has the old one
}

TEST_CASE("faster-whisper of a range, whichever tool resolves it") {
    const std::string old = "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04";
    const std::string newer = "nvidia/cuda:12.3.2-cudnn9-runtime-ubuntu22.04";
    const Files poetry{{"pyproject.toml",
                        "[tool.poetry]\nname = \"a\"\n[tool.poetry.dependencies]\npython = \"^3.10\"\n"
                        "faster-whisper = \"^1.1.0\"\n"}};
    const Files project{{"pyproject.toml",
                         "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \">=3.10\"\n"
                         "dependencies = [\"faster-whisper>=1.1\"]\n"}};
    const Files pipfile{{"Pipfile", "[packages]\nfaster-whisper = \"~=1.1\"\n"}};
    for (const auto& row : std::vector<std::pair<std::string, Files>>{{"poetry install", poetry},
                                                                      {"uv sync", project},
                                                                      {"pdm install", project},
                                                                      {"pipenv install", pipfile}}) {
        CAPTURE(row.first);
        CHECK(image_gets(old, "COPY . .\nRUN " + row.first, row.second) == "CC601");
        CHECK(image_gets(newer, "COPY . .\nRUN " + row.first, row.second) == k_silent);
    }
    CHECK(image_gets(old, "RUN pip install faster-whisper==0.10.1") == k_silent);
}

TEST_CASE("companions of a torch that comes from another index or command") {
    const std::string plain = "python:3.10", cu118 = " --index-url " + k_pytorch + "cu118",
                      torch = "RUN pip install torch==2.0.0" + cu118 + "\n";
    CHECK(image_gets(plain, torch + "RUN pip install torchaudio==2.0.1") == "CC612");
    CHECK(image_gets(plain, torch + "RUN pip install torchaudio==2.0.1" + cu118) == k_silent);
    CHECK(image_gets(plain, torch + "RUN pip install torchaudio==2.0.1 --extra-index-url " + k_pytorch +
                                "cu118") == k_silent);
    CHECK(image_gets(plain, torch + "RUN pip install torchaudio==2.0.1 -f " + k_pytorch +
                                "torch_stable.html") == k_silent);
    CHECK(image_gets(plain, torch + "RUN pip install torchvision==0.15.1") == "CC612");
    CHECK(image_gets(plain, torch + "RUN pip install torchvision==0.15.1" + cu118) == k_silent);
    CHECK(image_gets(plain, "RUN pip install torch==2.0.0\nRUN pip install torchaudio==2.0.1") == k_silent);
    CHECK(image_gets("pytorch/pytorch:2.4.0-cuda12.4-cudnn9-runtime", "RUN pip install torchaudio==2.4.0") ==
          k_silent);
    CHECK(image_gets(plain, "RUN pip install " + k_pytorch +
                                "cu118/torch-2.0.0%2Bcu118-cp310-cp310-linux_x86_64.whl torchaudio==2.0.1") ==
          "CC612");
    CHECK(image_gets(plain, "RUN pip install torch==1.12.1" + std::string(" --index-url ") + k_pytorch +
                                "cu116\nRUN pip install torchaudio==0.12.1") == k_silent);
    CHECK(image_gets("python:3.12", "RUN pip install torch --index-url " + k_pytorch +
                                        "cu126\nRUN pip install torchaudio") == "CC612");
    CHECK(image_gets("python:3.12", "RUN pip install torch torchaudio --index-url " + k_pytorch + "cu126") ==
          k_silent);
}

TEST_CASE("what a project of setuptools requires is installed with it") {
    const std::string image = "nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04",
                      copy = "COPY . /app\nWORKDIR /app\n";
    const Files other{{"setup.py", "setup(extras_require={'gpu': ['onnxruntime-gpu==1.20.0']})\n"}};
    const Files fits{{"setup.py", "setup(extras_require={'gpu': ['onnxruntime-gpu==1.18.0']})\n"}};
    CHECK(image_gets(image, copy + "RUN pip install .[gpu]", other) == "CC301 CC601");
    CHECK(image_gets(image, copy + "RUN pip install .[gpu]", fits) == k_silent);
    CHECK(image_gets(image, copy + "RUN pip install .", other) == k_silent);
    CHECK(image_gets(image, copy + "RUN pip install --no-deps .[gpu]", other) == k_silent);
}

TEST_CASE("pip goes back to older releases for a pin beside open ones") {
    const auto file = [](const std::string& lines) { return codes_of("requirements.txt", lines); };
    CHECK(file("torch\ntensordict\nsympy==1.13.1\n") == k_silent);
    CHECK(file("torch>=2.7\ntensordict\nsympy==1.13.1\n") == "CC612");
    CHECK(file("torch>=2.7\nsympy==1.13.1\n") == "CC612");
}

TEST_CASE("exact pins that exclude each other, also where the Python is not known") {
    const auto file = [](const std::string& lines) { return codes_of("requirements.txt", lines); };
    CHECK(file("sympy==1.12\ntorch==2.6.0\n") == "CC612");
    CHECK(file("torch==2.6.0\nsympy==1.13.1\n") == k_silent);
    CHECK(file("torch==2.4.1\nsympy==1.12\n") == k_silent);
    // Companions of another patch release.
    CHECK(file("torch==1.10.0\ntorchvision==0.11.2\n") == "CC612");
    CHECK(file("torch==1.10.1\ntorchvision==0.11.2\n") == k_silent);
    CHECK(file("torch==1.5.0\ntorchaudio==0.5.1\n") == "CC612");
    CHECK(file("torch==1.5.1\ntorchaudio==0.5.1\n") == k_silent);
}

TEST_CASE("what replaces torch is the package whose requirement it does not meet, reported once") {
    const std::string before = "RUN pip install torch==2.1 --index-url " + k_pytorch + "cu121\n";
    const auto found = findings_in(scenarios_in(
        "Dockerfile", "FROM " + k_cuda + "\n" + before + "RUN pip install accelerate bitsandbytes\n", {}));
    const auto first = std::find_if(found.begin(), found.end(), is_reported);
    REQUIRE(first != found.end());
    CHECK(first->code == "CC614");
    CHECK(first->found[0].value.find("bitsandbytes") == 0);
    CHECK(std::count_if(found.begin(), found.end(), is_reported) == 1);
    CHECK(image_gets(k_cuda, before + "RUN pip install accelerate") == k_silent);
}

TEST_CASE("extensions for a torch load with the next one where that is known") {
    const auto wheel = [](const std::string& torch, const std::string& of) {
        return codes_of("requirements.txt",
                        "torch==" + torch +
                            "\nhttps://github.com/Dao-AILab/flash-attention/releases/download/v2.8.1/"
                            "flash_attn-2.8.1+cu" +
                            (of == "2.6" ? "12" : "13") + "torch" + of +
                            "cxx11abiTRUE-cp313-cp313-linux_x86_64.whl\n");
    };
    CHECK(wheel("2.11.0", "2.10") == k_silent);
    CHECK(wheel("2.12.0", "2.10") == "CC612");
    CHECK(wheel("2.10.0", "2.11") == "CC612");
    CHECK(wheel("2.10.0", "2.9") == "CC612");
    CHECK(wheel("2.7.1", "2.6") == k_silent);
    CHECK(wheel("2.8.0", "2.6") == "CC612");
}

TEST_CASE("each Python that commands name has its own packages") {
    const auto gets = [](const std::string& lines) { return image_gets(k_cuda, lines); };
    CHECK(gets("RUN python3.8 -m pip install torch==2.4.1\nRUN python3.13 -m pip install torch==2.6.0") ==
          k_silent);
    CHECK(gets("RUN pip3.10 install torch==2.5.0\nRUN pip3.11 install torchvision==0.21.0") == k_silent);
    CHECK(gets("RUN python3.8 -m pip install torch==2.4.1\nRUN python3.13 -m pip install torch==2.4.1") ==
          "CC613");
    CHECK(gets("RUN pip3.10 install torch==2.6.0 torchvision==0.20.0\nRUN pip3.11 install torch==2.6.0") ==
          "CC612");
    CHECK(gets("RUN for v in cp38-cp38 cp313-cp313; do /opt/python/$v/bin/pip install torch==2.4.1; done") ==
          "CC613");
}

TEST_CASE("a build that is there is not searched in an index") {
    const auto script = [](const std::string& first) {
        return codes_of("install.sh", first + "\npip install torch==2.9.0+cu128\n");
    };
    const std::string before = "pip install torch==2.9.0 --index-url " + k_pytorch;
    CHECK(script(before + "cu128") == k_silent);
    CHECK(script(before + "cu126") == "CC614");
    CHECK(script(before + "cu128\npip uninstall -y torch") == "CC614");
    CHECK(script("pip install torch==2.8.0 --index-url " + k_pytorch + "cu128") == "CC614");
    const std::string image = "pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime";
    CHECK(image_gets(image, "RUN pip install torch==2.6.0+cu124") == k_silent);
    CHECK(image_gets(image, "RUN pip install torch==2.6.0+cu126") == "CC614");
}

TEST_CASE("what another program fills in, and comments of setup.cfg, are no versions") {
    for (const char* version : {"{ver}", "{a.b}", "[[VER]]", "%(ver)s", "<version>", "@V@", "__VER__"})
        CHECK(codes_of("requirements.txt", "torch==" + std::string(version) + "\n") == k_silent);
    for (const char* version : {"latest", "2.x", "2.{0,1}", "?"})
        CHECK(codes_of("requirements.txt", "torch==" + std::string(version) + "\n") == "CC615");
    CHECK(image_gets("ubuntu:22.04", "ARG V=?\nRUN pip install numpy==$V") == k_silent);
    CHECK(image_gets("ubuntu:22.04", "RUN pip install numpy==?") == "CC615");
    const auto cfg = [](const std::string& line) {
        return codes_of("setup.cfg", "[options]\ninstall_requires =\n    " + line + "\n    idna\n");
    };
    CHECK(cfg("torch==2.6.0 # as in demo/__init__.py") == k_silent);
    CHECK(cfg("torch==2.6.0x # as in demo/__init__.py") == "CC615");
    CHECK(codes_of("environment.yml",
                   "dependencies:\n  - python=3.10\n  - pip:\n    - six -f https://example.org/page\n") ==
          k_silent);
}

}  // namespace ptxguard::recipes
