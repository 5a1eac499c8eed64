// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/pixi.hpp"

#include "recipe_words.hpp"
#include "recipes/installers/pyproject.hpp"
#include "steps.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

std::string shown_pixi(const Recipe& recipe) {
    std::string text;
    for (const Stage& stage : recipe.stages) {
        text += "[" + stage.name + "] " + stage.platform.text +
                (stage.python.empty() ? "" : " python " + stage.python) + "\n";
        for (const ptxguard::recipes::Step& step : stage.steps) {
            if (const auto* conda = std::get_if<CondaInstall>(&step)) {
                text += "conda:";
                for (const CondaSpec& one : conda->specs)
                    text += " " + one.name + " '" + one.version + "'" +
                            (one.build.empty() ? "" : " build " + one.build) +
                            (one.channel.empty() ? "" : " from " + one.channel) + "@" + place(one.whole);
                for (const std::string& channel : conda->channels) text += " -c " + channel;
                text += "\n";
            } else if (const auto* pip = std::get_if<PipInstall>(&step)) {
                text += pip->tool + ":";
                for (const ptxguard::recipes::WrittenRequirement& one : pip->requirements)
                    text += " " + one.name + " '" + one.specifier + "'" +
                            (one.index ? " index " + one.index.text : "") + "@" + place(one.whole);
                for (const Written& extra : pip->extra_indexes) text += " extra " + extra.text;
                for (const Written& project : pip->projects) text += " project " + project.text;
                text += "\n";
            } else {
                text += std::visit([](const auto& any) { return line_of(any); }, step) + "\n";
            }
        }
    }
    for (const Recipe::Problem& problem : recipe.problems) text += "problem: " + problem.why + "\n";
    return text;
}
std::string manifest(const std::string& text) {
    return shown_pixi(read_pixi_manifest("pixi.toml", text, {}));
}

}  // namespace

TEST_CASE("pixi.toml: environments from features") {
    CHECK(manifest(R"([workspace]
channels = ["conda-forge"]
platforms = ["osx-arm64", "linux-64"]
[dependencies]
python = "3.11.*"
[pypi-dependencies]
numpy = "*"
[tasks]
build = "nvcc -arch=sm_80 a.cu"
[feature.cuda]
channels = ["nvidia"]
platforms = ["linux-64"]
system-requirements = { cuda = "12" }
[feature.cuda.dependencies]
pytorch = { version = "2.4.1", channel = "pytorch", build = "*cuda*" }
cuda-version = ">=12.4,<13"
[feature.cuda.pypi-dependencies]
torchvision = { version = "==0.22.1", index = "https://download.pytorch.org/whl/cu128" }
[feature.cuda.target.osx-arm64.dependencies]
mlx = "*"
[feature.cuda.target.linux-64.dependencies]
triton = "3.*"
[feature.mac]
platforms = ["osx-arm64"]
[environments]
gpu = ["cuda"]
plain = { features = ["cuda"], no-default-feature = true }
mac = ["mac"]
)") == R"([] linux python 3.11
conda: python '3.11.*'@5:11 -c conda-forge
uv: numpy ''@7:10
9:10 nvcc~ -arch=sm_80~ a.cu~
[environment gpu] linux python 3.11
conda: python '3.11.*'@5:11 pytorch '2.4.1' build *cuda* from pytorch@15:24 cuda-version '>=12.4,<13'@16:17 triton '3.*'@22:11 __cuda '>=12'@13:33 -c nvidia -c conda-forge
uv: numpy ''@7:10 torchvision '==0.22.1' index https://download.pytorch.org/whl/cu128@18:28
9:10 nvcc~ -arch=sm_80~ a.cu~
[environment plain] linux
conda: pytorch '2.4.1' build *cuda* from pytorch@15:24 cuda-version '>=12.4,<13'@16:17 triton '3.*'@22:11 __cuda '>=12'@13:33 -c nvidia -c conda-forge
uv: torchvision '==0.22.1' index https://download.pytorch.org/whl/cu128@18:28
)");
}

TEST_CASE("pixi.toml: platforms with virtual packages, indexes") {
    CHECK(manifest(R"([workspace]
channels = ["conda-forge"]
platforms = [{ name = "jetson", platform = "linux-aarch64", cuda = "12.8" }]
[pypi-options]
extra-index-urls = ["https://download.pytorch.org/whl/cu126", {url = "https://x/simple"}]
[pypi-dependencies]
torch = "==2.7.1"
app = { path = ".", editable = true }
[activation.env]
TORCH_CUDA_ARCH_LIST = "8.7"
)") == R"([] linux/arm64
10:25 TORCH_CUDA_ARCH_LIST=8.7
conda: __cuda '>=12.8'@3:69 -c conda-forge
uv: torch '==2.7.1'@7:10 extra https://download.pytorch.org/whl/cu126 extra https://x/simple project .
)");
    // "*-cuda" is for the names of platforms; a package that is not isolated is a command of its own.
    CHECK(manifest(R"([workspace]
platforms = [{ name = "linux-64-cuda", platform = "linux-64", cuda = "13.0" }]
[pypi-options]
no-build-isolation = ["Simple_KNN", "flash-attn"]
[pypi-dependencies]
app = { path = "." }
simple-knn = { path = "knn" }
torch = "*"
[target."*-cuda".pypi-dependencies]
torch = "==2.9.0"
[target."*-cuda-126".pypi-dependencies]
torch = "==2.8.0"
)") == R"([] linux
conda: __cuda '>=13.0'@2:71
uv: torch '==2.9.0'@10:10 project .
uv: project knn
)");
    CHECK(manifest("[workspace]\nplatforms = [\"osx-64\"]\n[dependencies]\na = \"1\"\n") == "");
    CHECK(manifest("[workspace\n").substr(0, 8) == "problem:");
    CHECK(manifest("environments = 1\nfeature = [2]\nworkspace = \"x\"\n") == "");
}

TEST_CASE("[tool.pixi] installs what [project] requires") {
    const Recipe recipe = read_pyproject("pyproject.toml", R"([project]
name = "a"
dependencies = ["torch==2.7.1"]
[project.optional-dependencies]
gpu = ["triton"]
[tool.pixi.workspace]
channels = ["conda-forge"]
platforms = ["linux-64"]
[tool.pixi.dependencies]
cuda-toolkit = "12.8.*"
[tool.pixi.environments]
gpu = ["gpu"]
)",
                                         {});
    CHECK(shown_pixi(recipe) == R"([] linux
conda: cuda-toolkit '12.8.*'@10:17 -c conda-forge
uv: torch '==2.7.1'@3:18
[environment gpu] linux
conda: cuda-toolkit '12.8.*'@10:17 -c conda-forge
uv: torch '==2.7.1'@3:18 triton ''@5:9
)");
}

TEST_CASE("pixi.lock") {
    const Recipe recipe = read_pixi_lock("pixi.lock", R"(version: 7
platforms:
- name: p1
  subdir: linux-64
environments:
  default:
    channels:
    - url: https://conda.anaconda.org/conda-forge/
    packages:
      p1:
      - conda: https://conda.anaconda.org/conda-forge/linux-64/cuda-nvcc-12.9.86-hcdd1206_6.conda
      - conda: https://conda.anaconda.org/pytorch/linux-64/pytorch-2.3.0-py3.10_cuda12.1_cudnn8.9.2_0.tar.bz2
      - pypi: https://download.pytorch.org/whl/cu128/torch-2.7.1%2Bcu128-cp311-cp311-linux_x86_64.whl
      osx-arm64:
      - conda: https://conda.anaconda.org/conda-forge/osx-arm64/a-1-0.conda
packages:
- pypi: https://download.pytorch.org/whl/cu128/torch-2.7.1%2Bcu128-cp311-cp311-linux_x86_64.whl
  name: torch
  version: 2.7.1+cu128
)");
    CHECK(shown_pixi(recipe) == R"([environment default (p1)] linux-64
conda: cuda-nvcc '12.9.86' build hcdd1206_6@11:16 pytorch '2.3.0' build py3.10_cuda12.1_cudnn8.9.2_0@12:16
lock: torch '==2.7.1+cu128'@13:15
)");
    CHECK(shown_pixi(read_pixi_lock("pixi.lock", "a: [")).substr(0, 8) == "problem:");
    CHECK(shown_pixi(read_pixi_lock("pixi.lock", "")) == "");
}
