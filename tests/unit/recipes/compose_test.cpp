// SPDX-License-Identifier: Apache-2.0
#include "recipes/containers/compose.hpp"

#include "recipe_words.hpp"

using namespace ptxguard::recipes;

TEST_CASE("compose: the arguments of a build decide, not the Dockerfile's defaults") {
    const Files files{{"docker/Dockerfile",
                       "ARG CUDA=11.8.0\nFROM nvidia/cuda:${CUDA}-devel AS build\nRUN pip install -r "
                       "r.txt\nFROM build AS run\nRUN pip install jax\n"},
                      {"docker/r.txt", "torch==2.1\n"},
                      {".env", "TAG=12.4.1  \n"}};
    const Recipe recipe = read_compose("compose.yml", R"(
services:
  base:
    build:
      context: ./docker
      args: {CUDA: 12.1.1}
  more:
    extends: {service: base}
    build: {target: build, args: ["CUDA=${TAG}"]}
    environment: {A: b}
  ready:
    image: pytorch/pytorch:${VERSION:-2.1.0}-cuda12.1-cudnn8-runtime
    platform: linux/arm64
  gone: {build: ./nowhere}
  remote: {build: "https://x/y.git"}
)",
                                       reader_of(files));
    const Stage& base = stage_named(recipe, "service base build");
    CHECK(base.image.text == "nvidia/cuda:12.1.1-devel");
    CHECK(!base.last);
    CHECK(stage_named(recipe, "service base run").base == "service base build");
    const Stage& more = stage_named(recipe, "service more build");
    CHECK(more.image.text == "nvidia/cuda:12.4.1-devel");
    CHECK(more.last);
    CHECK(recipe.stages.size() == 4);
    CHECK(stage_named(recipe, "service ready").image.text == "pytorch/pytorch:2.1.0-cuda12.1-cudnn8-runtime");
    CHECK(stage_named(recipe, "service ready").platform.text == "linux/arm64");
    CHECK(read_compose("compose.yml", "services: {a: {extends: a}}", {}).stages.empty());
    CHECK(read_compose("compose.yml", "a: [", {}).problems.size() == 1);
}

TEST_CASE("compose: dockerfile_inline, extends of another file") {
    const Files files = {{"common/base.yml",
                          "services:\n  gpu:\n    build: {context: ., args: {CUDA: '12.4.1'}}\n    "
                          "environment: {A: '1', B: '1'}\n"
                          "  loop: {extends: {file: base.yml, service: loop}, image: x}\n"},
                         {"common/Dockerfile", "ARG CUDA=11.8.0\nFROM nvidia/cuda:$CUDA-devel\n"}};
    const Recipe recipe = read_compose(
        "compose.yml",
        "services:\n  a:\n    build:\n      dockerfile_inline: |\n        FROM nvidia/cuda:12.1.1-runtime\n"
        "        RUN pip install \\\n          torch==2.5.1\n"
        "  b:\n    extends: {file: common/base.yml, service: gpu}\n    environment: {B: '2'}\n"
        "  c:\n    extends: {file: common/base.yml, service: loop}\n"
        "  d:\n    extends: {file: none.yml, service: x}\n    image: debian\n",
        reader_of(files));
    const Stage& a = stage_named(recipe, "service a");
    CHECK(a.image.file == "compose.yml");
    CHECK(a.image.line == 5);
    CHECK(a.image.column == 14);
    const Written torch = all<PipInstall>(a)[0].requirements[0].whole;
    CHECK(torch.line == 7);
    CHECK(torch.column == 11);
    const Stage& b = stage_named(recipe, "service b");
    CHECK(b.image.text == "nvidia/cuda:12.4.1-devel");
    CHECK(b.image.file == "common/Dockerfile");
    CHECK(all<SetVariable>(b).back().value.text == "2");
    CHECK(stage_named(recipe, "service c").image.text == "x");
    CHECK(stage_named(recipe, "service d").image.text == "debian");
    CHECK(recipe.problems.size() == 2);  // the service that extends itself, none.yml
}

TEST_CASE("devcontainer.json") {
    const Recipe image = read_devcontainer(".devcontainer/devcontainer.json", R"({
	// comments, and a comma too many
	"image": "mcr.microsoft.com/devcontainers/base:ubuntu", /* "x */
	"features": {"ghcr.io/devcontainers/features/nvidia-cuda:1": {"cudaVersion": "12.4", "installToolkit": true}},
	"containerEnv": {"URL": "https://x//y"},
	"postCreateCommand": "pip install torch==2.6.0",
})",
                                           {});
    REQUIRE(image.stages.size() == 1);
    CHECK(image.problems.empty());
    CHECK(all<AptInstall>(image.stages[0]).at(0).packages.at(0).name == "cuda-toolkit-12-4");
    CHECK(all<SetVariable>(image.stages[0]).at(0).value.text == "https://x//y");
    CHECK(all<PipInstall>(image.stages[0]).at(0).requirements.at(0).whole.line == 6);
    const Recipe built = read_devcontainer(
        ".devcontainer/devcontainer.json",
        R"({"build": {"dockerfile": "Dockerfile", "args": {"CUDA": "12.1.1"}},
  "postCreateCommand": ["pip", "install", "-r", "requirements.txt"]})",
        reader_of({{".devcontainer/Dockerfile", "ARG CUDA=1\nFROM nvidia/cuda:${CUDA}-base\n"},
                   {"requirements.txt", "numpy\n"}}));
    CHECK(built.stages.at(0).image.text == "nvidia/cuda:12.1.1-base");
    CHECK(all<PipInstall>(built.stages[0]).at(0).requirements.at(0).name == "numpy");
    CHECK(!built.stages[0].gpu);
    CHECK(read_devcontainer("devcontainer.json", "{", {}).problems.size() == 1);
    CHECK(read_devcontainer("devcontainer.json", "/*", {}).stages.empty());
}

TEST_CASE("devcontainer.json: the service of a compose file, and what gives it a GPU") {
    const Files files{{"docker/compose.yml",
                       "services:\n  db: {image: b}\n  app:\n    build: .\n    environment: {A: 1}\n"},
                      {"docker/Dockerfile", "FROM nvidia/cuda:12.4.1-devel-ubuntu22.04\n"},
                      {"requirements.txt", "numpy\n"}};
    const auto read = [&](const std::string& rest) {
        return read_devcontainer(".devcontainer/devcontainer.json",
                                 R"({"dockerComposeFile": ["../docker/compose.yml"], "service": "app",
  "features": {"ghcr.io/devcontainers/features/nvidia-cuda@sha256:1": {"cudaVersion": "12.4"}},
  "postCreateCommand": "pip install -r requirements.txt")" +
                                     rest + "}",
                                 reader_of(files));
    };
    const Recipe plain = read("");
    REQUIRE(plain.stages.size() == 1);
    CHECK(plain.stages[0].image.text == "nvidia/cuda:12.4.1-devel-ubuntu22.04");
    CHECK(all<SetVariable>(plain.stages[0]).at(0).name == "A");
    CHECK(all<AptInstall>(plain.stages[0]).at(0).packages.at(0).name == "cuda-libraries-12-4");
    CHECK(all<PipInstall>(plain.stages[0]).at(0).requirements.at(0).name == "numpy");
    CHECK(!plain.stages[0].gpu);
    const auto gpu = [&](const std::string& rest) { return read(rest).stages.at(0).gpu.text; };
    CHECK(gpu(R"(, "hostRequirements": {"gpu": true})") == "hostRequirements.gpu");
    CHECK(gpu(R"(, "hostRequirements": {"gpu": {"cores": 1000}})") == "hostRequirements.gpu");
    CHECK(gpu(R"(, "hostRequirements": {"gpu": "optional"})").empty());
    CHECK(gpu(R"(, "runArgs": ["--rm", "--gpus=all"])") == "--gpus=all");
    CHECK(read_devcontainer("devcontainer.json",
                            R"({"dockerComposeFile": ["a.yml", "b.yml"], "service": "app"})",
                            reader_of(files))
              .stages.empty());
}

TEST_CASE("compose: a Dockerfile that many services build") {
    std::string dockerfile = "FROM a\n";
    while (dockerfile.size() < (1u << 20)) dockerfile += "# " + std::string(1000, 'x') + "\n";
    std::string services = "services:\n";
    for (int i = 0; i < 300; ++i) services += "  s" + std::to_string(i) + ": {build: .}\n";
    CHECK(read_compose("compose.yml", services, reader_of({{"Dockerfile", dockerfile}})).stages.size() < 10);
}

TEST_CASE("compose: a file that only adds arguments takes the rest from the file with a usual name") {
    const std::string own =
        "services:\n  a:\n    build:\n      context: .\n      args: {ARCH: sm_100, CUDA: 12.8.1}\n";
    const Files files{{"Dockerfile",
                       "ARG CUDA=12.4.1\nFROM nvidia/cuda:${CUDA}-devel\nARG ARCH=sm_90\n"
                       "RUN nvcc -arch=${ARCH} -c a.cu\n"},
                      {"docker-compose.yml", own}};
    const auto image_in = [&](const std::string& text) {
        return read_compose("docker-compose.gpu.yml", text, reader_of(files)).stages.at(0).image.text;
    };
    CHECK(image_in("services:\n  a:\n    build: {args: {ARCH: sm_90}}\n") == "nvidia/cuda:12.8.1-devel");
    CHECK(image_in("services:\n  a:\n    build: {args: {CUDA: 12.9.1}}\n") == "nvidia/cuda:12.9.1-devel");
    CHECK(image_in("services:\n  a:\n    build: {context: ., args: {ARCH: sm_90}}\n") ==
          "nvidia/cuda:12.4.1-devel");
    CHECK(image_in("services:\n  b:\n    build: {args: {ARCH: sm_90}}\n") == "nvidia/cuda:12.4.1-devel");
}
