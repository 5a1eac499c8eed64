// Lines for several machines or Pythons, packages that an earlier command has brought, and files that are
// read in another way than pip reads them: what is consistent, each beside the fault.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {

TEST_CASE("lines for several Pythons: those of one Python are judged together") {
    const auto gets = [](const std::string& text) { return codes_of("requirements.txt", text); };
    const std::string older = "; python_version < '3.9'\n", newer = "; python_version >= '3.9'\n";
    const std::string torch = "torch==2.6.0" + newer + "torch==2.4.1" + older;
    CHECK(gets(torch + "torchvision==0.19.1" + older + "torchvision==0.21.0" + newer) == k_silent);
    CHECK(gets(torch + "torchvision==0.21.0" + newer + "xformers==0.0.29.post3" + newer) == k_silent);
    CHECK(gets(torch + "torchvision==0.19.1" + older) == k_silent);
    CHECK(gets(torch + "torchvision==0.19.1" + newer) == "CC612");
    CHECK(gets("torch==2.9.11" + older + "torch==2.6.0" + newer) == "CC603");
}

TEST_CASE("lines for another machine are not compared with those for the usual one") {
    const auto gets = [](const std::string& text) { return codes_of("requirements.txt", text); };
    const std::string x86 = " ; platform_machine == 'x86_64' and sys_platform == 'linux'\n",
                      arm = " ; platform_machine == 'aarch64' and sys_platform == 'linux'\n";
    const std::string torch = "torch==2.6.0" + x86;
    CHECK(gets(torch + "nvidia-nccl-cu11==2.21.5" + arm) == k_silent);
    CHECK(gets(torch + "nvidia-nccl-cu11==2.21.5" + x86) == "CC612");
    CHECK(gets(torch + "torchvision==0.19.0" + arm + "xformers==0.0.27.post2" + arm) == k_silent);
    CHECK(gets(torch + "torch==2.5.1" + arm + "torchvision==0.20.1" + arm) == k_silent);
    CHECK(gets(torch + "torch==2.5.1" + arm + "torchvision==0.21.0" + arm) == "CC612");
    CHECK(gets(torch + "torchvision==0.19.1" + x86) == "CC612");
    CHECK(gets("torch==2.6.0\ntorchvision==0.19.1" + arm) == "CC612");  // torch is there, too
    CHECK(gets("torch==2.6.0\ntorchvision==0.19.1 ; python_version < '0'\n") == k_silent);
}

TEST_CASE("each platform that the markers name is judged") {
    const auto gets = [](const std::string& text, const std::string& name = "requirements.txt") {
        return codes_of(name, text);
    };
    const std::string on_linux = "; sys_platform == 'linux'\n", windows = "; platform_system == 'Windows'\n",
                      other = "; sys_platform != 'linux'\n", mac = "; sys_platform == 'darwin'\n";
    const std::string index = "--extra-index-url " + k_pytorch + "cu124\n";
    const std::string torch =
        index + "torch==2.6.0+cu124" + on_linux + "torchvision==0.21.0+cu124" + on_linux;
    CHECK(gets(torch + "torch==2.6.0+cu124" + windows + "torchvision==0.21.0+cu124" + windows) == k_silent);
    CHECK(gets(torch + "torch==2.6.0+cu124" + windows + "torchvision==0.20.1+cu124" + windows) == "CC612");
    CHECK(gets(torch + "torch==2.4.1+cu122" + windows) == "CC603");
    CHECK(gets(torch + "torch==2.5.1" + mac + "torchvision==0.20.1" + mac) == k_silent);
    CHECK(gets(torch + "torch==2.5.1" + mac + "torchvision==0.21.0" + mac) == "CC612");
    CHECK(gets(torch + "torch==2.5.1" + other + "torchvision==0.20.1" + other) == k_silent);
    // A line of all platforms beside one of Windows, and one that only Linux has.
    CHECK(gets("torch==2.6.0" + on_linux + "torch==2.5.1" + windows + "torchvision==0.21.0\n") == "CC612");
    CHECK(gets("torch==2.6.0\ntorchvision==0.21.0\ntriton==3.2.0" + on_linux) == k_silent);
    CHECK(gets("torch==2.6.0\nbitsandbytes==0.45.0" + windows) == k_silent);
    // A container is Linux.
    CHECK(image_gets("python:3.11",
                     "RUN pip install 'torch==2.6.0' 'torchvision==0.20.1 ; sys_platform == \"win32\"'") ==
          k_silent);
}

TEST_CASE("each Python that the markers name is judged, of those that the project admits") {
    const std::string older = " ; python_version < '3.10'", newer = " ; python_version >= '3.10'";
    const auto project = [&](const std::string& admits) {
        return codes_of("pyproject.toml", "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \"" +
                                              admits + "\"\ndependencies = [\"torch==2.6.0" + newer +
                                              "\", \"torchvision==0.21.0" + newer + "\", \"torch==2.4.1" +
                                              older + "\", \"torchvision==0.21.0" + older + "\"]\n");
    };
    CHECK(project(">=3.9") == "CC612");
    CHECK(project(">=3.10") == k_silent);
}

TEST_CASE("a locked package that no edge installs on this system") {
    const auto lock = [](const std::string& marker) {
        return codes_of("uv.lock",
                        "version = 1\n[[package]]\nname = \"torch\"\nversion = \"2.7.1\"\n"
                        "[[package]]\nname = \"torchcodec\"\nversion = \"0.2.1\"\n"
                        "[[package]]\nname = \"x\"\nversion = \"1\"\nsource = { virtual = \".\" }\n"
                        "dependencies = [{ name = \"torch\" }, { name = \"torchcodec\"" +
                            marker + " }]\n");
    };
    CHECK(lock("") == "CC612");
    CHECK(lock(", marker = \"sys_platform == 'linux'\"") == "CC612");
    CHECK(lock(", marker = \"sys_platform == 'never'\"") == k_silent);
}

TEST_CASE("what an earlier command has brought satisfies a later one") {
    const std::string image = "nvidia/cuda:11.3.1-devel-ubuntu20.04";
    const std::string first =
        "RUN pip install torch==1.12.1+cu113 torchvision==0.13.1+cu113 "
        "--extra-index-url " +
        k_pytorch + "cu113\n";
    CHECK(image_gets(image, first + "RUN pip install torch==1.12.1").find("CC612") == npos);
    CHECK(image_gets(image, first + "RUN pip install -U torch==1.12.1").find("CC612") != npos);
    const std::string script = "pip install torch==2.2.1+cu121 --index-url " + k_pytorch + "cu121\n";
    CHECK(codes_of("setup.sh", script + "pip install ctranslate2==4.1.0 'torch>=2.2.0'\n") == k_silent);
    CHECK(codes_of("setup.sh", "pip install ctranslate2==4.1.0 'torch>=2.2.0'\n") == "CC601 CC611");
}

TEST_CASE("metadata cannot name an index, a command can") {
    const std::string project =
        "[project]\nname = \"a\"\nversion = \"1\"\n"
        "optional-dependencies.cpu = [\"torch==2.7.1+cpu\"]\n";
    CHECK(codes_of("pyproject.toml", project) == k_silent);
    CHECK(codes_of("pyproject.toml", project, {}, true) == "CC614");
    CHECK(image_gets("python:3.11", "COPY . .\nRUN pip install .[cpu]", {{"pyproject.toml", project}}) ==
          "CC614");
}

TEST_CASE("packages that uv sync leaves out are those of the image") {
    const std::string project =
        "[project]\nname = \"a\"\nversion = \"1\"\nrequires-python = \">=3.10\"\ndependencies = "
        "[\"torch\"]\n";
    const auto gets = [&](const std::string& script) {
        return image_gets("nvcr.io/nvidia/pytorch:25.05-py3", "COPY . .\nRUN " + script,
                          {{"pyproject.toml", project}});
    };
    const std::string venv = "uv venv --system-site-packages && ";
    CHECK(gets(venv + "uv sync") == "CC611");
    CHECK(gets(venv + "uv sync --no-install-package torch") == k_silent);
    CHECK(gets("A=(--no-install-package torch) && " + venv + "uv sync \"${A[@]}\"") == k_silent);
}

TEST_CASE("a list without items is no word, a loop over it does nothing") {
    const auto gets = [](const std::string& call) {
        return codes_of("run.sh", call + "\n",
                        {{"gen.sh", "for v in \"$@\"; do\n  pip install \"torch==$v\"\ndone\n"}});
    };
    CHECK(gets("bash gen.sh") == k_silent);
    CHECK(gets("bash gen.sh 2.6.0") == k_silent);
    CHECK(gets("bash gen.sh 2.9.11") == "CC603");
}

TEST_CASE("a file whose lines are the arguments of commands, and one of another tool") {
    const std::string file = "numpy\n-f " + k_pytorch + "torch_stable.html torch==1.13.1+cpu\n";
    const Files files{{"ci.txt", file}};
    CHECK(codes_of("a.sh", "pip install -r ci.txt\n", files) == "CC615");
    CHECK(codes_of("a.sh", "grep -v '^#' ci.txt | xargs -n 1 -L 1 pip install\n", files) == k_silent);
    CHECK(codes_of("dev-requirements.txt", "owner/recipes\nowner/name@dd05839a7e63\n") == k_silent);
    CHECK(codes_of("requirements.txt", "torch=2.6.0\n") == "CC615");
}

TEST_CASE("a file has one name, however a script writes it") {
    const auto places = [](const std::string& path) {
        std::string all;
        for (const Finding& one : findings_in(
                 scenarios_in("a.sh", "pip install -r " + path + "\n", {{"ci.txt", "torch==2.9.11\n"}})))
            all += (one.location ? one.location->file : "") + ";";
        return all;
    };
    CHECK(places("./ci.txt") == places("ci.txt"));
}

TEST_CASE("the newest release is one for the Python that is there") {
    for (const char* image : {"nvcr.io/nvidia/pytorch:23.04-py3", "nvcr.io/nvidia/pytorch:23.02-py3"})
        CHECK_MESSAGE(image_gets(image, "RUN pip install kornia") == k_silent, image);
    const std::string pins = "RUN pip install espnet 'torch<2.0.1' torchaudio";
    CHECK(image_gets("owner/server:python3.8", pins) == k_silent);
    CHECK(image_gets("python:3.8", pins) == k_silent);
}

TEST_CASE("a version that only an old pip reads, where pip is that old") {
    const std::string pins = "RUN pip install mmcv-full==latest+torch1.6.0+cu101";
    CHECK(image_gets("pytorch/pytorch:1.6.0-cuda10.1-cudnn7-devel", pins) == k_silent);
    CHECK(image_gets("pytorch/pytorch:1.6.0-cuda10.1-cudnn7-devel", "RUN pip install -U pip\n" + pins) ==
          "CC615");
    CHECK(image_gets("python:3.13", pins) == "CC615");
    CHECK(image_gets("pytorch/pytorch:1.6.0-cuda10.1-cudnn7-devel", "RUN pip install torch=1.6.0") ==
          "CC615");
}

TEST_CASE("a freeze of an image's packages, installed on it, finds them there") {
    const std::string frozen =
        "RUN pip install nvidia-nvjpeg-cu13==0.0.0a0 nvidia-resiliency-ext==0.4.1+cuda13";
    CHECK(image_gets("nvcr.io/nvidia/pytorch:25.10-py3", frozen) == k_silent);
    CHECK(image_gets("dustynv/l4t-pytorch:r36.2.0", "RUN pip install torchvision==0.17.2+c1d70fe") ==
          k_silent);
    CHECK(image_gets("python:3.12", frozen) == "CC603 CC614");
    CHECK(image_gets("nvcr.io/nvidia/pytorch:25.10-py3", "RUN pip install torch==2.7.0+cu128") == "CC614");
}

TEST_CASE("what the requirements of a cloned repository install is not known") {
    const std::string clone =
        "RUN git clone https://github.com/a/b /b && pip install -r /b/requirements.txt\n";
    const std::string pins = "RUN pip install timm\nRUN pip install transformer_engine==2.8.0+torch2.8";
    CHECK(image_gets("ubuntu:22.04", clone + pins) == k_silent);
    CHECK(image_gets("ubuntu:22.04", pins) == "CC612");
}

TEST_CASE("what later commands install again is not replaced at the end") {
    const std::string first = "pip install torch==2.3.1\npip install timm\n";
    const std::string again = "pip install torchaudio==2.3.1\npip install torchvision==0.18.1\n";
    CHECK(codes_of("env.sh", first).find("CC612") != npos);
    CHECK(codes_of("env.sh", first + again) == k_silent);
}

}  // namespace ptxguard::recipes
