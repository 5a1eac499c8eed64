// What an earlier step leaves for a later one: packages that stay, libraries beside torch, copied programs,
// arguments of a stage; each beside a twin that differs in one word.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "judged.hpp"

namespace ptxguard::recipes {
namespace {

const std::string k_install_python = "RUN apt-get update && apt-get install -y python3 python3-pip\n";

std::string cuda(const std::string& tag, const std::string& lines) {
    return image_gets("nvidia/cuda:" + tag, k_install_python + lines);
}

}  // namespace

TEST_CASE("wheels that the recipe has built bring the project's requirements") {
    const auto gets = [](const std::string& install, const std::string& torch) {
        return image_gets("nvidia/cuda:12.8.1-devel-ubuntu24.04",
                          "RUN pip install torch==2.10.0 --index-url " + k_pytorch +
                              "cu130\nCOPY . /app\nWORKDIR /app\nRUN " + install,
                          {{"pyproject.toml",
                            "[project]\nname = \"app\"\nversion = \"1\"\ndependencies = "
                            "[\"torch" +
                                torch + "\"]\n"}});
    };
    const std::string build = "python -m build --wheel && pip install ";
    CHECK(gets(build + "dist/*.whl", "==2.7.1") == "CC612");
    CHECK(gets(build + "/app/dist/app-*.whl", "==2.7.1") == "CC612");
    CHECK(gets(build + "dist/*.whl", ">=2.7") == k_silent);
    CHECK(gets(build + "--no-deps dist/*.whl", "==2.7.1") == k_silent);
    CHECK(gets(build + "wheels/*.whl", "==2.7.1") == k_silent);
    CHECK(gets(build + "/other/dist/*.whl", "==2.7.1") == k_silent);
}

TEST_CASE("what a later package requires itself moves with the torch that it requires") {
    const auto gets = [](const std::string& package) {
        return image_gets("python:3.12", "RUN pip install torch==2.7.1 torchvision==0.22.1 --index-url " +
                                             k_pytorch + "cu126\nRUN pip install " + package);
    };
    CHECK(gets("sglang==0.5.23").find("CC612 CC612") == npos);  // it requires torchvision too
    CHECK(gets("vllm==0.10.2") == "CC612");                     // it requires a release of torchvision
    CHECK(gets("torch==2.6.0").find("CC612") != npos);          // it does not
}

TEST_CASE("the libraries of TensorFlow's images are those that it was built with") {
    const auto gets = [](const std::string& tag, const std::string& package) {
        return image_gets("tensorflow/tensorflow:" + tag,
                          "RUN pip install '" + package +
                              "' -f https://storage.googleapis.com/jax-releases/jax_cuda_releases.html");
    };
    CHECK(gets("2.9.0-gpu", "jax[cuda]==0.4.13") == "CC302");
    CHECK(gets("2.12.0-gpu", "jax[cuda]==0.4.13") == k_silent);
}

TEST_CASE("jax without a pin beside a jaxlib that has one") {
    const auto gets = [](const std::string& packages) {
        return image_gets("python:3.8", "RUN pip install " + packages +
                                            " -f https://storage.googleapis.com/jax-releases/"
                                            "jax_cuda_releases.html");
    };
    CHECK(gets("--upgrade jax jaxlib==0.1.69+cuda110") == "CC612");
    CHECK(gets("--upgrade jax jaxlib==0.4.13+cuda11.cudnn86") == k_silent);
    CHECK(gets("jax==0.2.17 jaxlib==0.1.69+cuda110") == k_silent);
}

TEST_CASE("a CUDA plugin of JAX beside a jaxlib of another release") {
    const auto gets = [](const std::string& packages) {
        return image_gets("python:3.10", "RUN pip install " + packages);
    };
    CHECK(gets("jax==0.4.26 jaxlib==0.4.26 'jax-cuda12-plugin[with_cuda]==0.4.28'") == "CC612");
    CHECK(gets("jax==0.4.26 jaxlib==0.4.26 'jax-cuda12-plugin[with_cuda]==0.4.26'") == k_silent);
    CHECK(gets("jax==0.6.0 jaxlib==0.6.0 'jax-cuda12-plugin[with-cuda]==0.5.3'") == "CC612");
    // jax accepts it, and this jaxlib does not compare.
    CHECK(gets("jax==0.4.35 jaxlib==0.4.34 'jax-cuda12-plugin[with-cuda]==0.4.35'") == k_silent);
}

TEST_CASE("a range that the torch of an earlier index fits keeps it") {
    const auto gets = [](const std::string& first, const std::string& then) {
        return cuda("12.8.1-devel-ubuntu24.04", "RUN pip install " + first + "\nRUN pip install " + then +
                                                    "\nRUN pip install nvidia-nvshmem-cu12==3.4.5\n");
    };
    const std::string index = " --index-url " + k_pytorch + "cu126";
    for (const char* range : {"'torch>=2.0,<=2.12.1'", "torch==2.12.1", "'torch>=2.0'"})
        CHECK_MESSAGE(gets("torch==2.12.1" + index, range) == k_silent, range);
    CHECK(gets("torch==2.12.1", "'torch>=2.0,<=2.12.1'") == "CC612");
}

TEST_CASE("another torch breaks the extensions that a package of an earlier command has brought") {
    const auto gets = [](const std::string& first, const std::string& then) {
        return image_gets("python:3.10", "RUN pip install " + first + "\nRUN pip install " + then);
    };
    CHECK(gets("chatterbox-tts==0.1.2", "torch==2.5.1") == "CC612");
    CHECK(gets("chatterbox-tts==0.1.2", "torch==2.6.0") == k_silent);
    CHECK(gets("'sglang[all]==0.3.5.post1'", "torch==2.5.1") == "CC612");
    CHECK(gets("'sglang[all]==0.3.5.post1'", "torch==2.4.1") == k_silent);  // of the same minor release
}

TEST_CASE("CTranslate2 finds the cuDNN of torch's wheels, if it is of its major") {
    const auto gets = [](const std::string& packages) {
        return cuda("12.6.3-base-ubuntu24.04", "RUN pip install " + packages);
    };
    CHECK(gets("torch==2.8.0 ctranslate2==4.5.0") == k_silent);
    CHECK(gets("ctranslate2==4.5.0") == "CC305");
    CHECK(gets("torch==2.8.0 ctranslate2==4.4.0") == "CC305");
    CHECK(gets("torch==2.3.1 ctranslate2==4.5.0") == "CC305");
}

TEST_CASE("programs that are copied from another image bring no libraries") {
    const auto gets = [](const std::string& copy) {
        return cuda("12.8.1-base-ubuntu22.04",
                    "RUN apt-get install -y libcudnn9-cuda-12=9.8.0.87-1\nCOPY --from=" + copy +
                        "\nRUN pip install ctranslate2==4.4.0");
    };
    CHECK(gets("ghcr.io/astral-sh/uv:0.8 /uv /uvx /bin/") == "CC301");
    CHECK(gets("ghcr.io/astral-sh/uv:0.8 /uv /usr/local/bin/uv") == "CC301");
    CHECK(gets("example/libraries:1 /usr/local/lib /usr/local/lib") == k_silent);
}

TEST_CASE("an argument of a stage is one of those that start from it") {
    const auto gets = [](const std::string& from) {
        return codes_of("Dockerfile", "FROM python:3.11 AS base\nARG BUILD=cu118\nFROM " + from +
                                          "\nRUN pip install torch==2.9.0 --index-url " + k_pytorch +
                                          "${BUILD}\n");
    };
    CHECK(gets("base") == "CC603");
    CHECK(gets("python:3.11") == k_silent);
}

TEST_CASE("a Python without the GIL has the release of its name") {
    const auto gets = [](const std::string& python) {
        return codes_of(".github/workflows/ci.yml",
                        "on: [push]\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
                        "    - uses: actions/checkout@v4\n    - run: uv sync --python " +
                            python + "\n",
                        {{"pyproject.toml",
                          "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.10\"\n"
                          "dependencies = [\"numpy\"]\n"}});
    };
    CHECK(gets("3.14t") == k_silent);
    CHECK(gets("3.9") == "CC613");
}

TEST_CASE("what a list of CMake becomes, and words that rapids-cmake reads") {
    const auto gets = [](const std::string& lines) {
        return codes_of("CMakeLists.txt", "project(x LANGUAGES CXX CUDA)\n" + lines);
    };
    const std::string set = "set(CMAKE_CUDA_ARCHITECTURES 80 90)\n";
    CHECK(gets(set + "list(TRANSFORM CMAKE_CUDA_ARCHITECTURES APPEND \"-real\")\n") == k_silent);
    CHECK(gets(set + "list(TRANSFORM CMAKE_CUDA_ARCHITECTURES APPEND \"-rael\")\n") == "CC203");
    CHECK(gets(set + "list(TRANSFORM CMAKE_CUDA_ARCHITECTURES REPLACE \"90\" \"90a\" AT -1)\n") == k_silent);
    CHECK(gets(set + "list(APPEND CMAKE_CUDA_ARCHITECTURES APPEND)\n") == "CC203");
    const auto built = [](const std::string& list) {
        const Files project{{"CMakeLists.txt", "project(x LANGUAGES CXX CUDA)\nadd_executable(a a.cu)\n"}};
        return image_gets("nvidia/cuda:12.8.1-devel-ubuntu24.04",
                          "COPY . .\nRUN apt-get update && apt-get install -y cmake\n"
                          "RUN cmake -B b -DCMAKE_CUDA_ARCHITECTURES=" +
                              list,
                          project);
    };
    CHECK(built("RAPIDS") == k_silent);
    CHECK(built("NATIVE") == k_silent);
    CHECK(built("Common") == "CC203");
}

TEST_CASE("a torch backend has PyTorch's packages only, and torch's triton stays") {
    CHECK(image_gets("python:3.12", "RUN uv pip install --system --torch-backend=cu130 torch pytest") ==
          k_silent);
    CHECK(image_gets("pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime", "RUN pip install liger-kernel") ==
          k_silent);
}

TEST_CASE("extras, labels and tags that do not exist") {
    CHECK(codes_of("requirements.txt", "jax[cuda11_pip]\n") == "CC604");
    CHECK(codes_of("requirements.txt", "jax[cuda12]\n") == k_silent);
    CHECK(codes_of("environment.yml",
                   "channels: [nvidia]\ndependencies:\n- nvidia/label/cuda-12.0.1::cuda-toolkit=11.8\n") ==
          "CC620");
    CHECK(codes_of("environment.yml",
                   "channels: [nvidia]\ndependencies:\n- nvidia/label/cuda-11.8.0::cuda-toolkit=11.8\n") ==
          k_silent);
    CHECK(image_gets("pytorch/pytorch:2.4.1-cuda12.1-cudnn8-runtime", "RUN true") == "CC616");
    CHECK(image_gets("pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime", "RUN true") == k_silent);
}

TEST_CASE("a pin of a release that is there with another build installs nothing") {
    const std::string image = "nvidia/cuda:11.7.1-devel-ubuntu22.04";
    const std::string first =
        "RUN pip install torch==1.12.1+cu116 --extra-index-url https://download.pytorch.org/whl/cu116\n";
    const std::string builds =
        "RUN pip install --no-build-isolation "
        "git+https://github.com/NVlabs/tiny-cuda-nn.git#subdirectory=bindings/torch\n";
    for (const char* later : {"torch==1.12.1", "'torch>=1.12'"})
        CHECK_MESSAGE(image_gets(image, first + builds + "RUN pip install " + later) == k_silent, later);
    CHECK(image_gets(image, first + builds + "COPY . /x\nRUN cd /x && pip install -e .",
                     {{"pyproject.toml", "[project]\nname = 'x'\ndependencies = ['torch==1.12.1']\n"}}) ==
          k_silent);
    CHECK(image_gets(image, first + builds + "RUN pip install --force-reinstall torch==1.12.1") == "CC601");
    CHECK(image_gets(image, builds + "RUN pip install torch==1.12.1") == "CC601");
}

TEST_CASE("an extension is compiled with the newest torch before a later command replaces it") {
    const std::string image = "nvidia/cuda:11.8.0-devel-ubuntu22.04";
    const std::string torch = "RUN pip install 'torch>=2.0.0'\n",
                      xformers = "RUN pip install xformers==0.0.22\n";
    const std::string flash = "RUN pip install --no-build-isolation flash-attn\n";
    CHECK(image_gets(image, torch + flash + xformers) == "CC611");
}

TEST_CASE("another Triton than torch requires is a warning, another cuDNN an error") {
    const auto replaced = [](const std::string& package) {
        return codes_in("install.sh", "pip install torch==2.3.0\npip install " + package + "\n");
    };
    CHECK(replaced("triton==3.1.0") == Codes{"warning CC612"});
    CHECK(replaced("nvidia-cudnn-cu12==9.1.0.70") == Codes{"error CC612"});
    CHECK(replaced("triton==2.3.0") == Codes{});
}

TEST_CASE("what is brought fits the torch that is pinned beside it") {
    CHECK(codes_in("requirements.txt", "torch==2.0.1\ntimm\n") == Codes{});
    CHECK(codes_in("requirements.txt", "torch==2.0.1\ntorchvision==0.16.0\ntimm\n") == Codes{"error CC612"});
}

TEST_CASE("an image whose tags are the releases of a package has what that release requires") {
    const auto gets = [](const std::string& image, const std::string& command) {
        return image_gets(image, "RUN pip install " + command);
    };
    const std::string vllm = "vllm/vllm-openai:v0.8.5", newer = "vllm/vllm-openai:v0.10.0-x86_64";
    CHECK(gets(vllm, "--no-deps torchvision==0.20.1") == "CC612");  // torch 2.6.0
    CHECK(gets(vllm, "--no-deps torchvision==0.21.0") == k_silent);
    CHECK(gets(vllm, "xformers==0.0.29.post2") == k_silent);
    CHECK(gets(newer, "torch==2.6.0") == "CC612");  // vllm is linked against 2.7
    CHECK(gets(newer, "torch==2.7.1 transformers") == k_silent);
    CHECK(gets(newer, "-U vllm") == k_silent);
    CHECK(gets(vllm,
               "torch==2.6.0 torchvision==0.21.0 torchaudio==2.6.0 --index-url "
               "https://download.pytorch.org/whl/cu118") == k_silent);  // it is there
    CHECK(gets("vllm/vllm-openai:latest", "--no-deps torchvision==0.20.1") == k_silent);
    CHECK(gets("me/vllm-openai:v0.8.5", "--no-deps torchvision==0.20.1") == k_silent);
    CHECK(image_gets(newer,
                     "RUN pip uninstall -y vllm xformers\nRUN pip install torch==2.6.0 torchvision==0.21.0 "
                     "torchaudio==2.6.0") == k_silent);
}

TEST_CASE("requirements of a clone leave open what they install, not what later commands name") {
    const auto gets = [](const std::string& command) {
        return image_gets("python:3.11",
                          "RUN git clone https://github.com/a/b && pip install -r "
                          "b/requirements.txt\nRUN pip install " +
                              command);
    };
    const std::string index = " --index-url https://download.pytorch.org/whl/";
    CHECK(gets("torch torchvision" + index + "cu124\nRUN pip install --no-deps torchvision==0.20.1") ==
          k_silent);  // torch 2.6.0, unless the clone's is another
    CHECK(gets("torch==2.6.0" + index + "cu124\nRUN pip install --no-deps torchvision==0.20.1") == "CC612");
    CHECK(gets("torch" + index + "cu124") == k_silent);
    CHECK(gets("torchvision") == k_silent);
    CHECK(gets("torch==2.6.0\nRUN pip install torchvision") == k_silent);  // it may be there
}

}  // namespace ptxguard::recipes
