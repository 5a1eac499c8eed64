// Hand-built recipes -> the findings of the judge.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/meaning.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "judge/judge.hpp"
#include "model/text.hpp"
#include "recipes/meaning/toolkits.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
using Codes = std::vector<std::string>;
namespace {

int g_line = 0;

Written at(const std::string& text) {
    Written written;
    written.text = text;
    written.file = "Dockerfile";
    written.line = ++g_line;
    written.column = 5;
    return written;
}

WrittenRequirement one_requirement(const std::string& text) {
    WrittenRequirement one;
    const std::size_t end = std::min(text.find_first_of("=<>~!["), text.size());
    one.name = text.substr(0, end);
    std::string rest = text.substr(end);
    if (!rest.empty() && rest[0] == '[') {
        one.extras = {rest.substr(1, rest.find(']') - 1)};
        rest.erase(0, rest.find(']') + 1);
    }
    one.specifier = rest;
    one.whole = at(text);
    return one;
}

PipInstall pip(const std::vector<std::string>& requirements, const std::string& index = "",
               const std::string& extra = "") {
    PipInstall step;
    step.tool = "pip";
    for (const std::string& text : requirements) step.requirements.push_back(one_requirement(text));
    if (!index.empty()) step.index = at(index);
    if (!extra.empty()) step.extra_indexes = {at(extra)};
    return step;
}

SetVariable variable(const std::string& name, const std::string& value) { return {name, at(value), true}; }

recipes::Command command(const std::vector<std::string>& words) {
    recipes::Command one;
    const int line = ++g_line;
    for (const std::string& word : words) {
        one.words.push_back(at(word));
        g_line = one.words.back().line = line;
    }
    return one;
}

Recipe dockerfile(const std::string& image, std::vector<recipes::Step> steps) {
    g_line = 0;
    Recipe recipe;
    recipe.file = "Dockerfile";
    Stage stage;
    if (!image.empty()) stage.image = at(image);
    stage.steps = std::move(steps);
    recipe.stages.push_back(std::move(stage));
    return recipe;
}

Judgement judged(const Recipe& recipe) {
    const Facts facts = Facts::embedded();
    return judge(scenarios_of({recipe}, facts), facts, {});
}

// "error CC603", sorted by the judge; notes are left out.
std::vector<std::string> codes(const Judgement& judgement) {
    std::vector<std::string> all;
    for (const Finding& finding : judgement.findings)
        if (finding.level != Level::note)
            all.push_back(std::string(to_string(finding.level)) + " " + finding.code);
    return all;
}

const char* const k_whl = "https://download.pytorch.org/whl/";

}  // namespace

TEST_CASE("a build of torch that was never released is found at its line, with the builds that exist") {
    const Judgement judgement = judged(dockerfile(
        "nvidia/cuda:12.1.1-devel-ubuntu22.04", {pip({"torch==2.0.0+cu121"}, k_whl + std::string("cu121"))}));
    REQUIRE(codes(judgement) == Codes{"error CC603"});
    const Finding& finding = judgement.findings.front();
    CHECK(finding.message ==
          "torch==2.0.0+cu121 was never released; torch 2.0.0 exists as cu117, cu118 and cpu");
    REQUIRE(finding.location);
    CHECK(finding.location->file == "Dockerfile");
    CHECK(finding.location->line > 0);
    REQUIRE_FALSE(finding.fix.empty());
    CHECK(finding.fix.front().text == "torch==2.0.0+cu118 --index-url " + std::string(k_whl) + "cu118");
}

TEST_CASE("a release that the only index does not have was never released there") {
    const auto with = [](const char* build) {
        return codes(judged(dockerfile("nvidia/cuda:12.6.3-cudnn-runtime-ubuntu22.04",
                                       {pip({"torch==2.6.0"}, k_whl + std::string(build))})));
    };
    CHECK(with("cu121") == Codes{"error CC603"});
    CHECK(with("cu126") == Codes{});
}

TEST_CASE("an index of one package counts for that package only") {
    const auto with = [](const char* package, const char* build, bool fixed) {
        PipInstall step = pip({"torch==2.6.0", "numpy"});
        WrittenRequirement& one = step.requirements[std::string(package) == "torch" ? 0 : 1];
        one.index = at(k_whl + std::string(build));
        one.index.fixed = fixed;
        return codes(judged(dockerfile("nvidia/cuda:12.6.3-cudnn-runtime-ubuntu22.04", {step})));
    };
    CHECK(with("torch", "cu121", true) == Codes{"error CC603"});
    CHECK(with("torch", "cu126", true) == Codes{});
    CHECK(with("torch", "cu121", false) == Codes{});  // a marker decides
    CHECK(with("numpy", "cu121", true) == Codes{});
}

TEST_CASE("an image of another CUDA affects wheels only if something is compiled") {
    const std::string image = "nvidia/cuda:11.8.0-devel-ubuntu22.04";
    const Step torch = pip({"torch==2.5.1"}, k_whl + std::string("cu124"));
    CHECK(codes(judged(dockerfile(image, {torch}))) == Codes{});
    CHECK(codes(judged(dockerfile(image, {torch, command({"nvcc", "-c", "kernel.cu", "-o", "kernel.o"})}))) ==
          Codes{"error CC601"});
}

TEST_CASE("sources that compile device code: of PyPI by the name, of others by the repository") {
    const auto in_runtime = [](const std::string& requirement) {
        PipInstall step = pip({});
        step.requirements = {read_requirement(at(requirement))};
        return codes(judged(dockerfile("nvidia/cuda:12.4.1-runtime-ubuntu22.04", {step})));
    };
    CHECK(in_runtime("torch-scatter") == Codes{"warning CC608", "unknown CC622"});
    CHECK(in_runtime("git+https://github.com/NVlabs/tiny-cuda-nn/#subdirectory=bindings/torch") ==
          Codes{"warning CC608"});
    CHECK(in_runtime("git+https://github.com/facebookresearch/xformers.git@v0.0.30") ==
          Codes{"warning CC608"});
    CHECK(in_runtime("git+https://github.com/NVIDIA/apex.git@24.04") == Codes{});  // without --cuda_ext
    CHECK(in_runtime("apex") == Codes{"warning CC603"});  // PyPI's is another project
    CHECK(in_runtime("git+https://github.com/psf/requests.git") == Codes{});
}

TEST_CASE("CTranslate2 needs no cuDNN since 4.6.3") {
    const auto beside_cudnn8 = [](const std::string& pin) {
        return codes(judged(dockerfile("nvidia/cuda:12.3.2-cudnn8-runtime-ubuntu22.04", {pip({pin})})));
    };
    CHECK(beside_cudnn8("ctranslate2==4.6.2") != Codes{});
    CHECK(beside_cudnn8("ctranslate2==4.4.0") == Codes{});
    CHECK(beside_cudnn8("ctranslate2==4.6.3") == Codes{});
    CHECK(beside_cudnn8("ctranslate2==4.7.1") == Codes{});
    CHECK(beside_cudnn8("faster-whisper==1.0.3") == Codes{});  // takes the newest
    CHECK(beside_cudnn8("faster-whisper==0.9.0") != Codes{});  // takes 3.24, for CUDA 11
}

TEST_CASE("a package that is built for one release of torch installs that torch") {
    const std::string devel = "nvidia/cuda:11.8.0-devel-ubuntu22.04";
    PipInstall flash = pip({"flash-attn"});
    flash.no_build_isolation = true;
    const Step cu118 = pip({"torch==2.4.0"}, k_whl + std::string("cu118"));
    // vllm 0.6.0 requires torch 2.4.0, which PyPI has for CUDA 12.1.
    CHECK(codes(judged(dockerfile(devel, {pip({"vllm==0.6.0"}), flash}))) == Codes{"error CC601"});
    CHECK(codes(judged(dockerfile("python:3.11", {pip({"vllm==0.6.0"})}))) == Codes{});
    CHECK(codes(judged(dockerfile("python:3.11", {cu118, pip({"vllm==0.6.0"})}))) == Codes{"error CC612"});
    CHECK(
        codes(judged(dockerfile("python:3.11", {pip({"vllm==0.6.0"}, "", k_whl + std::string("cu118"))}))) ==
        Codes{"error CC612"});
    // Another index is unknown.
    CHECK(codes(judged(dockerfile("python:3.11", {pip({"vllm==0.6.0"}, "", "https://example.org/cu118")}))) ==
          Codes{});
}

TEST_CASE("a later command replaces an installed package if another package requires it") {
    const Step old = pip({"torch==2.3.0"}, k_whl + std::string("cu118"));
    CHECK(codes(judged(dockerfile("python:3.11", {old, pip({"vllm==0.6.0"})}))) == Codes{"warning CC612"});
    CHECK(codes(judged(dockerfile("python:3.11", {pip({"torch==2.3.0", "torchvision==0.18.1"})}))) ==
          Codes{"error CC612"});
    CHECK(codes(judged(dockerfile("python:3.11", {pip({"torch==2.3.1", "torchvision==0.18.1"})}))) ==
          Codes{});
    PipInstall without_deps = pip({"torchvision==0.18.1"});
    without_deps.no_deps = true;
    const Step old_of_cuda12 = pip({"torch==2.3.0"}, k_whl + std::string("cu121"));
    CHECK(codes(judged(dockerfile("python:3.11", {old_of_cuda12, without_deps}))) == Codes{});
    // PyPI's torchvision is for CUDA 12.
    CHECK(codes(judged(dockerfile("python:3.11", {old, without_deps}))) == Codes{"error CC612"});
}

TEST_CASE("an ARG's default lowers the level of what follows from it") {
    Recipe recipe = dockerfile("nvidia/cuda:11.8.0-devel-ubuntu22.04",
                               {pip({"torch==2.5.1"}, k_whl + std::string("cu124")),
                                command({"nvcc", "-c", "kernel.cu", "-o", "kernel.o"})});
    recipe.stages[0].image.fixed = false;
    CHECK(codes(judged(recipe)) == Codes{"warning CC601"});
}

TEST_CASE("a folder whose name has a release is the toolkit if nothing else installs one") {
    const auto with = [](const std::string& image, const recipes::Step& names, const std::string& nvcc,
                         const char* arch) {
        return codes(judged(
            dockerfile(image, {names, command({nvcc, std::string("-arch=") + arch, "a.cu", "-o", "a"})})));
    };
    const Step none = command({"true"}), home = variable("CUDA_HOME", "/usr/local/cuda-11.0/");
    for (const Step& names : {home, Step(variable("CUDACXX", "/opt/cuda/11.0/bin/nvcc")),
                              Step(variable("PATH", "/usr/local/cuda-11.0/bin:/usr/bin")),
                              Step(command({"find_package", "CUDAToolkit", "11.0", "EXACT"}))}) {
        CHECK(with("", names, "nvcc", "sm_86") == Codes{"error CC203"});
        CHECK(with("", names, "nvcc", "sm_80") == Codes{});
    }
    CHECK(with("", none, "/usr/local/cuda-11.0/bin/nvcc", "sm_86") == Codes{"error CC203"});
    CHECK(with("", none, "/usr/local/cuda/bin/nvcc", "sm_86") == Codes{});
    CHECK(with("", variable("PATH", "/usr/bin:/usr/local/cuda-11.0/bin"), "nvcc", "sm_86") == Codes{});
    CHECK(with("", command({"find_package", "CUDAToolkit", "11.0", "REQUIRED"}), "nvcc", "sm_86") == Codes{});
    // The image's own toolkit is used; a runtime image has none.
    CHECK(with("nvidia/cuda:12.1.1-devel-ubuntu22.04", none, "nvcc", "sm_86") == Codes{});
    CHECK(with("nvidia/cuda:11.0.3-runtime-ubuntu20.04", home, "nvcc", "sm_80") == Codes{"error CC608"});
}

TEST_CASE("the package nvidia-cuda-toolkit has the CUDA of its distribution") {
    const auto with = [](const char* image, const char* arch, const char* source = "main contrib non-free") {
        AptInstall apt;
        apt.packages = {{"nvidia-cuda-toolkit", "", at("nvidia-cuda-toolkit")}};
        return codes(judged(dockerfile(
            image, {command({"echo", std::string("deb http://deb.debian.org/debian stable ") + source}), apt,
                    command({"nvcc", std::string("-arch=") + arch, "a.cu", "-o", "a"})})));
    };
    for (const char* image :
         {"ubuntu:22.04", "ubuntu:jammy-20240111", "debian:bullseye-slim", "python:3.9-slim-bullseye"}) {
        CHECK(with(image, "sm_90") == Codes{"error CC203"});
        CHECK(with(image, "sm_80") == Codes{});
    }
    CHECK(with("debian:12", "sm_90") == Codes{});
    // It is in non-free, and requires a package of contrib.
    CHECK(with("debian:12", "sm_90", "main") == Codes{"error CC620"});
    CHECK(with("debian:12", "sm_90", "main non-free") == Codes{"error CC620"});
    CHECK(with("python:3.12-slim-bookworm", "sm_90", "main contrib non-free-firmware") ==
          Codes{"error CC620"});
    CHECK(with("ubuntu:22.04", "sm_80", "main") == Codes{});
    CHECK(with("ubuntu:latest", "sm_90") == Codes{});
    CHECK(with("somebody/image:1", "sm_90") == Codes{});
}

TEST_CASE("torchvision of another torch is a conflict") {
    const auto with = [](const char* torchvision) {
        return codes(judged(dockerfile("", {pip({"torch==2.6.0", torchvision})})));
    };
    CHECK(with("torchvision==0.20.1") == Codes{"error CC612"});
    CHECK(with("torchvision==0.21.0") == Codes{});
}

TEST_CASE("a project with CUDAExtension is compiled with the recipe's nvcc") {
    const auto with = [](const char* image, bool extension) {
        PipInstall project = pip({});
        project.no_build_isolation = true;
        project.projects = {at(".")};
        std::vector<Step> steps = {pip({"torch==2.3.0"}), project};
        if (extension) steps.push_back(DeviceExtension{at("CUDAExtension")});
        return codes(judged(dockerfile(image, std::move(steps))));
    };
    CHECK(with("nvidia/cuda:11.8.0-devel-ubuntu22.04", true) == Codes{"error CC601"});
    CHECK(with("nvidia/cuda:11.8.0-devel-ubuntu22.04", false) == Codes{});
    CHECK(with("nvidia/cuda:12.1.1-devel-ubuntu22.04", true) == Codes{});
    CHECK(with("nvidia/cuda:12.1.1-runtime-ubuntu22.04", true) == Codes{"error CC608"});
    CHECK(with("nvidia/cuda:12.1.1-runtime-ubuntu22.04", false) == Codes{});
}

TEST_CASE("jax accepts no jaxlib that is older than its oldest or newer than itself") {
    const auto with = [](const char* jaxlib) {
        return codes(judged(dockerfile("", {pip({"jax==0.4.30", jaxlib})})));
    };
    CHECK(with("jaxlib==0.4.26") == Codes{"error CC612"});
    CHECK(with("jaxlib==0.4.27") == Codes{});
    CHECK(with("jaxlib==0.4.30") == Codes{});
    CHECK(with("jaxlib==0.4.31") == Codes{"error CC612"});
    CHECK(with("jaxlib>=0.4") == Codes{});
    CHECK(codes(judged(dockerfile("", {pip({"jax==0.4.13", "jaxlib==0.4.13+cuda12.cudnn89"}, "",
                                           "https://example.org/jax")}))) == Codes{});
}

TEST_CASE("a later command replaces the newest torch of an index") {
    const auto with = [](const char* build, const char* vllm) {
        return codes(
            judged(dockerfile("python:3.11", {pip({"torch"}, k_whl + std::string(build)), pip({vllm})})));
    };
    // vllm 0.6.0 requires torch 2.4.0, whose build on PyPI is for CUDA 12.1.
    CHECK(with("cu126", "vllm==0.6.0") == Codes{"warning CC612"});
    CHECK(with("cu121", "vllm==0.6.0") == Codes{});  // the same CUDA: a note
    CHECK(codes(judged(dockerfile("python:3.11", {pip({"torch"}), pip({"vllm==0.6.0"})}))) == Codes{});
}

TEST_CASE("a later command replaces a requirement of torch, which differ between its builds") {
    const auto with = [](const char* torch) {
        return codes(judged(dockerfile(
            "python:3.11", {pip({torch}, k_whl + std::string("cu128")), pip({"cuda-toolkit==12.8.1"})})));
    };
    CHECK(with("torch==2.11.0+cu128") == Codes{});
    CHECK(codes(judged(dockerfile("python:3.11", {pip({"torch==2.11.0"}), pip({"cuda-toolkit==12.8.1"})}))) ==
          Codes{"error CC612"});
}

TEST_CASE("a stage that is only the base of another is judged as part of that one") {
    Recipe recipe = dockerfile("nvidia/cuda:12.1.1-devel-ubuntu22.04", {});
    recipe.stages[0].name = "base";
    recipe.stages[0].last = false;
    Stage last;
    last.name = "app";
    last.base = "base";
    last.steps = {pip({"torch==2.0.0+cu121"}, k_whl + std::string("cu121"))};
    recipe.stages.push_back(last);
    const Judgement judgement = judged(recipe);
    REQUIRE(codes(judgement) == Codes{"error CC603"});
    CHECK(judgement.findings.front().scenario == "Dockerfile stage app");
}

TEST_CASE("an image of NVIDIA without a tag does not exist, one by its digest does") {
    CHECK(codes(judged(dockerfile("nvidia/cuda", {command({"make"})}))) == Codes{"warning CC616"});
    CHECK(codes(judged(dockerfile("nvidia/cuda@sha256:0123", {command({"make"})}))) == Codes{});
}

TEST_CASE("without known packages there is no finding") {
    CHECK(codes(judged(dockerfile("ghcr.io/somebody/image:latest", {pip({"torch"})}))) == Codes{});
    CHECK(codes(judged(dockerfile("nvidia/cuda:99.0.0-devel-ubuntu24.04", {pip({"torch==3.0"})}))) ==
          Codes{});
    CHECK(codes(judged(dockerfile("", {command({"make"})}))) == Codes{});
}

TEST_CASE("the release in a toolkit's folder") {
    const auto release = [](const char* path) {
        const auto folder = release_folder(path);
        return folder ? folder->root + " " + folder->release.text : "";
    };
    CHECK(release("/usr/local/cuda-12.1/bin/nvcc") == "/usr/local/cuda-12.1 12.1");
    CHECK(release("/opt/cuda12.4") == "/opt/cuda12.4 12.4");
    CHECK(release("/opt/cuda_11.8/lib64") == "/opt/cuda_11.8 11.8");
    CHECK(release("/opt/CUDA/v12.4/bin") == "/opt/CUDA/v12.4 12.4");
    CHECK(release("C:\\CUDA\\12.4\\bin") == "C:\\CUDA\\12.4 12.4");
    for (const char* other :
         {"", "/", "/usr/local/cuda", "/usr/local/cuda-12", "/opt/v12.4", "/opt/cuda-12.4rc1"})
        CHECK_MESSAGE(release(other) == "", other);
}

}  // namespace ptxguard::recipes
