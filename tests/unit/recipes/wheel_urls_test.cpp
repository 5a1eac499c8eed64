// Wheels that a table names by their URL, and pages and lists that other programs fill.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const std::string k_flash =
    "https://github.com/Dao-AILab/flash-attention/releases/download/v2.7.4.post1/"
    "flash_attn-2.7.4.post1+cu12torch2.6cxx11abiFALSE-cp312-cp312-linux_x86_64.whl";

// torch 2.0.1 and a torchvision for CUDA 11.8.
std::string both(const std::string& vision) {
    const auto line = [](const std::string& package, const std::string& release) {
        return package + " = { url = \"https://download.pytorch.org/whl/cu118/" + package + "-" + release +
               "%2Bcu118-cp310-cp310-linux_x86_64.whl\" }\n";
    };
    return line("torch", "2.0.1") + line("torchvision", vision);
}

}  // namespace

TEST_CASE("a wheel in uv's sources has the release of its name") {
    const auto says = [](const std::string& torch, const std::string& source) {
        return codes_of("pyproject.toml",
                        "[project]\nname = 'a'\nrequires-python = '==3.12.*'\ndependencies = ['torch==" +
                            torch + "', 'flash-attn']\n[tool.uv.sources]\nflash-attn = " + source + "\n");
    };
    const std::string one = "{ url = \"" + k_flash + "\" }";
    CHECK(says("2.5.1", one) == "CC612");
    CHECK(says("2.6.0", one) == k_silent);
    CHECK(says("2.5.1", "{ git = \"https://github.com/Dao-AILab/flash-attention\" }") == k_silent);
    const auto listed = [](const std::string& url, const std::string& python) {
        return "{ url = \"" + url + "\", marker = \"python_version == '" + python + "'\" }";
    };
    const std::string other = std::string(k_flash).replace(k_flash.find("torch2.6"), 8, "torch2.5");
    CHECK(says("2.5.1", "[" + listed(k_flash, "3.12") + ", " + listed(k_flash, "3.11") + "]") == "CC612");
    CHECK(says("2.4.1", "[" + listed(k_flash, "3.12") + ", " + listed(other, "3.12") + "]") == k_silent);
}

TEST_CASE("a wheel in the tables of poetry and pixi has the release of its name") {
    const auto poetry = [](const std::string& release) {
        return codes_of("pyproject.toml", "[tool.poetry.dependencies]\npython = '~3.10'\n" + both(release));
    };
    CHECK(poetry("0.16.0") == "CC612");
    CHECK(poetry("0.15.2") == k_silent);
    const auto pixi = [](const std::string& release) {
        return codes_of("pixi.toml",
                        "[project]\nchannels = ['conda-forge']\nplatforms = ['linux-64']\n[dependencies]\n"
                        "python = '3.10.*'\n[pypi-dependencies]\n" +
                            both(release));
    };
    CHECK(pixi("0.16.0") == "CC612");
    CHECK(pixi("0.15.2") == k_silent);
}

TEST_CASE("torchvision compares the minor release of CUDA before 0.16") {
    const auto says = [](const std::string& torch, const std::string& vision) {
        return codes_of("requirements.txt", "--find-links " + k_pytorch + "torch_stable.html\ntorch==" +
                                                torch + "\ntorchvision==" + vision + "\n");
    };
    CHECK(says("2.0.1+cu118", "0.15.2+cu117") == "CC612");
    CHECK(says("2.0.1+cu118", "0.15.2+cu118") == k_silent);
    CHECK(says("2.1.0+cu118", "0.16.0+cu121") == "CC612");
    CHECK(says("2.4.0+cu124", "0.19.0+cu121") == k_silent);
}

TEST_CASE("a page of wheels for this torch may have a newer release than PyPI") {
    const auto says = [](const std::string& torch, const std::string& page) {
        return image_gets("python:3.11", "RUN pip install torch==" + torch + " --index-url " + k_pytorch +
                                             "cu124\nRUN pip install dgl -f https://data.dgl.ai/wheels/" +
                                             page + "/repo.html");
    };
    CHECK(says("2.4.0", "torch-2.4/cu124") == k_silent);
    CHECK(says("2.5.1", "torch-2.4/cu124") == "CC612");
    const std::string on_pypi = "RUN pip install torch==2.4.0\nRUN pip install dgl";
    CHECK(image_gets("python:3.11", on_pypi) == "CC612");
    const auto kaolin = [](const std::string& build) {
        return image_gets("python:3.10",
                          "RUN pip install torch==2.4.0 --index-url " + k_pytorch + build +
                              "\nRUN pip install kaolin -f "
                              "https://nvidia-kaolin.s3.us-east-2.amazonaws.com/torch-2.4.0_cu121.html");
    };
    CHECK(kaolin("cu121") == k_silent);
    CHECK(kaolin("cu118") == "CC612");
}

TEST_CASE("a torch by its URL without a build in its name may be for any CUDA") {
    const auto builds = [](const std::string& torch) {
        return image_gets("nvidia/cuda:11.8.0-devel-ubuntu22.04",
                          "RUN apt-get update && apt-get install -y python3-pip\nRUN pip install " + torch +
                              "\nCOPY . .\nRUN python3 setup.py install",
                          {{"setup.py",
                            "from setuptools import setup\n"
                            "from torch.utils.cpp_extension import BuildExtension, CUDAExtension\n"
                            "setup(name='x', ext_modules=[CUDAExtension('x', ['x.cu'])], "
                            "cmdclass={'build_ext': BuildExtension})\n"}});
    };
    CHECK(builds("torch==2.1.0") == "CC601");
    CHECK(builds(k_pytorch + "$CU/torch-2.1.0-cp310-cp310-linux_x86_64.whl") == k_silent);
    CHECK(builds(k_pytorch + "cu121/torch-2.1.0%2Bcu121-cp310-cp310-linux_x86_64.whl") == "CC601");
    CHECK(builds(k_pytorch + "cu118/torch-2.1.0%2Bcu118-cp310-cp310-linux_x86_64.whl") == k_silent);
}

TEST_CASE("a wheel by its URL names the torch or the CUDA that it is built for") {
    const auto says = [](const std::string& torch, const std::string& wheel) {
        return codes_of("requirements.txt", "torch==" + torch + "\nhttps://example.com/" + wheel +
                                                "-cp310-cp310-linux_x86_64.whl\n");
    };
    CHECK(says("2.2.0", "auto_gptq-0.7.1+cu118") == "CC612");
    CHECK(says("2.2.0", "auto_gptq-0.7.1+cu121") == k_silent);
    CHECK(says("2.2.0", "gptqmodel-1.0.0+cu118") == k_silent);  // it may link nothing of torch's
    CHECK(says("2.2.1", "deepspeed-0.14.0+cu118") == "CC612");
    CHECK(says("2.2.1", "deepspeed-0.14.0+cu121") == k_silent);
    CHECK(says("2.5.1", "sgl_kernel-0.1.0+cu118") == "CC612");
    CHECK(says("2.5.1", "sgl_kernel-0.1.0+cu126") == k_silent);
    CHECK(says("2.0.1", "natten-0.15.1+torch210cu121") == "CC612");
    CHECK(says("2.1.0", "natten-0.15.1+torch210cu121") == k_silent);
    CHECK(says("1.12.1", "natten-0.14.6+torch1131cu117") == "CC612");
}

TEST_CASE("fbgemm-gpu is built for one release of PyTorch") {
    const auto says = [](const std::string& torch, const std::string& fbgemm) {
        return codes_of("requirements.txt", "torch==" + torch + "\nfbgemm-gpu==" + fbgemm + "\n");
    };
    CHECK(says("2.3.0", "1.0.0") == "CC612");
    CHECK(says("2.9.1", "1.3.0") == "CC612");
    CHECK(says("2.5.1", "1.0.0") == k_silent);
    CHECK(says("2.8.0", "1.3.0") == k_silent);
}

TEST_CASE("an index that is only for what a project names itself gives no packages without local versions") {
    const auto says = [](const std::string& only) {
        return codes_of("requirements.txt",
                        "# This file was autogenerated by uv via the following command:\n"
                        "#    uv pip compile pyproject.toml\nnvidia-cublas-cu12==12.6.4.1\ntorch==2.7.0\n",
                        {{"pyproject.toml",
                          "[project]\nname = 'a'\n[[tool.uv.index]]\nname = 'gpu'\nurl = "
                          "'https://download.pytorch.org/whl/cu128'\nexplicit = " +
                              only + "\n"}});
    };
    CHECK(says("true") == k_silent);
    CHECK(says("false") == "CC612");
}

TEST_CASE("the list that is compiled of a file quotes the options for it") {
    const std::string in = "torch==2.11.0\nbitsandbytes==0.46.1\n";
    const auto says = [&](const std::string& options) {
        return codes_of("requirements-test.in", in,
                        {{"requirements-test.txt",
                          "# This file was autogenerated by uv via the following command:\n#    uv pip "
                          "compile requirements-test.in -o requirements-test.txt" +
                              options + "\ntorch==2.11.0\n"}});
    };
    CHECK(says(" --torch-backend cu129") == k_silent);
    CHECK(says("") == "CC612");
    CHECK(codes_of("requirements-test.in", in) == "CC612");
}

TEST_CASE("a list that uv has written has builds of the project's indexes") {
    const std::string project =
        "[project]\nname = 'a'\n[[tool.uv.index]]\nname = 'gpu'\nurl = 'https://download.pytorch.org/whl/"
        "cu128'\nexplicit = true\n";
    const std::string list = "torch==2.7.1+cu128\n",
                      made =
                          "# This file was autogenerated by uv via the following command:\n"
                          "#    uv export --no-hashes\n" +
                          list;
    CHECK(codes_of("requirements.txt", made, {{"pyproject.toml", project}}) == k_silent);
    CHECK(codes_of("requirements.txt", made) == "CC614");
    CHECK(codes_of("requirements.txt", list, {{"pyproject.toml", project}}) == "CC614");
}

TEST_CASE("a torch of an index requires NVIDIA's packages of its own CUDA") {
    const auto says = [](const std::string& torch, const std::string& beside) {
        return codes_of("Dockerfile", "FROM python:3.11\nRUN pip install torch==" + torch + " " + beside +
                                          " --extra-index-url " + k_pytorch + "cu126");
    };
    CHECK(says("2.8.0+cu126", "nvidia-cuda-runtime-cu12==12.6.77") == k_silent);
    CHECK(says("2.8.0+cu126", "nvidia-cuda-runtime-cu12==12.8.90") == "CC612");
    CHECK(says("2.8.0+cu126", "nvidia-cublas-cu12==12.8.4.1") == "CC612");
    CHECK(says("2.8.0+cu126", "nvidia-cudnn-cu12==9.10.2.21") == k_silent);
}

TEST_CASE("an extra that requires others of its package has what they require") {
    const auto says = [](const std::string& torch) {
        return image_gets("python:3.11", "RUN pip install 'sglang[all]==0.4.6.post1' torch==" + torch);
    };
    CHECK(says("2.5.1") == "CC612");
    CHECK(says("2.6.0") == k_silent);
}

TEST_CASE("cudatoolkit does not choose the build of a channel that comes before conda-forge") {
    const auto says = [](const std::string& channels, const std::string& torch) {
        return codes_of("environment.yml", "channels: [" + channels +
                                               "]\ndependencies: [python=3.10, pytorch=" + torch +
                                               ", cudatoolkit=11.8]\n");
    };
    CHECK(says("pytorch, nvidia, conda-forge", "2.1.0") == "CC614");
    CHECK(says("conda-forge, pytorch", "2.1.0") == k_silent);
    CHECK(says("pytorch, conda-forge", "1.13.1") == "CC614");
}

TEST_CASE("somebody's own build of a package requires a torch that nobody knows") {
    const auto gets = [](const std::string& local) {
        return image_gets("python:3.10",
                          "RUN pip install torch==2.11.0 torchaudio==2.11.0\n"
                          "RUN pip install https://example.org/xformers-0.0.30+" +
                              local + "-cp310-cp310-manylinux_2_28_x86_64.whl\n");
    };
    CHECK(gets("cu128").find("CC612") == 0);
    CHECK(gets("cbc9beb.d20250514") == k_silent);
}

TEST_CASE("what conda has solved together fits, whatever PyPI's wheels of these releases need") {
    const auto gets = [](const std::string& wheel) {
        const std::string start = "https://conda.anaconda.org/conda-forge/linux-64/";
        return codes_of("pixi.lock",
                        "version: 6\nenvironments:\n  default:\n    packages:\n      linux-64:\n"
                        "      - conda: " +
                            start + "pytorch-2.7.1-cuda129_mkl_py313_h1e53aa0_304.conda\n" + wheel);
    };
    const std::string conda = "      - conda: https://conda.anaconda.org/conda-forge/linux-64/";
    CHECK(gets(conda + "torchvision-0.24.0-cuda129_py313_h6be0d2c_0.conda\n") == k_silent);
    const std::string wheel =
        "https://files.pythonhosted.org/torchvision-0.24.0-cp313-cp313-manylinux_2_28_x86_64.whl\n";
    CHECK(gets("      - pypi: " + wheel + "packages:\n- pypi: " + wheel +
               "  name: torchvision\n  version: 0.24.0\n")
              .find("CC612") == 0);
}

}  // namespace ptxguard::recipes
