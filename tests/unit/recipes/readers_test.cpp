// Who reads a list of architectures, what a command builds, and jobs that never run.
// SPDX-License-Identifier: Apache-2.0
#include "judged.hpp"
#include "said.hpp"

namespace ptxguard::recipes {
namespace {

const char* const k_extension =
    "from setuptools import setup\nfrom torch.utils.cpp_extension import CUDAExtension\n"
    "setup(name='ext', ext_modules=[CUDAExtension('ext', ['k.cu'])])\n";

// Of an image with nvcc 11.7, which has no sm_90.
Codes with_list(const std::string& lines, const Files& files = {}) {
    return codes_in(scenarios_in("Dockerfile",
                                 "FROM nvidia/cuda:11.7.1-devel-ubuntu22.04\n"
                                 "ENV TORCH_CUDA_ARCH_LIST=8.6;9.0\nCOPY . /src\nWORKDIR /src\n" +
                                     lines + "\n",
                                 files),
                    "CC203");
}

const Codes k_error{"error CC203"}, k_warning{"warning CC203"}, k_note{"note CC203"};

const std::string k_bad = "pip install torch==2.3.0+cu124 --index-url https://download.pytorch.org/whl/cu124";

bool runs_github(const std::string& jobs) {
    return !codes_of(".github/workflows/a.yml", "on: push\njobs:\n" + jobs).empty();
}
std::string github_job(const std::string& name, const std::string& keys, const std::string& run = k_bad) {
    return "  " + name + ":\n    runs-on: ubuntu-latest\n" + keys + "    steps:\n      - run: " + run + "\n";
}

}  // namespace

TEST_CASE("the command that compiles reads the list with the value that it gets") {
    const Files project{{"setup.py", k_extension}};
    CHECK(with_list("RUN pip install --no-build-isolation .", project) == k_error);
    CHECK(with_list("RUN pip install --no-build-isolation .") == k_error);  // its files are not here
    CHECK(with_list("RUN python3 -m build --no-isolation", project) == k_error);
    CHECK(with_list("RUN ./unknown.sh") == k_warning);
    for (const char* other : {"RUN TORCH_CUDA_ARCH_LIST=8.0 python setup.py install",
                              "ENV TORCH_CUDA_ARCH_LIST=8.0\nRUN pip install --no-build-isolation .",
                              "RUN unset TORCH_CUDA_ARCH_LIST && pip install --no-build-isolation .",
                              "RUN export TORCH_CUDA_ARCH_LIST=8.6; python setup.py install",
                              "ENV TORCH_CUDA_ARCH_LIST=8.0\nRUN .venv/bin/python setup.py develop"})
        CHECK(with_list(other, project).empty());
    CHECK(with_list("RUN export TORCH_CUDA_ARCH_LIST=9.0; uv run python setup.py install", project) ==
          k_error);
}

TEST_CASE("a list that nothing reads") {
    CHECK(with_list("RUN nvcc -arch=sm_80 -o x x.cu").empty());
    CHECK(with_list("RUN cmake -S . -B b",
                    {{"CMakeLists.txt", "project(x LANGUAGES CUDA)\nset(CMAKE_CUDA_ARCHITECTURES 80)\n"}})
              .empty());
    CHECK(with_list("RUN cmake -S . -B b", {{"CMakeLists.txt",
                                             "project(x LANGUAGES CUDA)\nfind_package(Torch)\n"
                                             "set(CMAKE_CUDA_ARCHITECTURES 80)\n"}}) == k_error);
    CHECK(with_list("RUN CMAKE_ARGS=-DGGML_CUDA=on pip install llama-cpp-python").empty());
    // Images that start from it may build something.
    CHECK(with_list("RUN pip install transformers") == k_note);
    CHECK(codes_of("Dockerfile",
                   "FROM nvidia/cuda:11.7.1-runtime-ubuntu22.04\nENV TORCH_CUDA_ARCH_LIST=9.0\n"
                   "RUN pip install transformers\n")
              .empty());
}

TEST_CASE("a project that compiles nothing is built with no torch") {
    const std::string install =
        "FROM pytorch/pytorch:2.4.1-cuda12.4-cudnn9-devel\nENV FORCE_CUDA=1\nCOPY . .\nRUN pip install .\n";
    const auto unknown = [&](const Files& files) {
        return !codes_in(scenarios_in("Dockerfile", install, files), "CC622").empty();
    };
    CHECK(unknown({}));
    CHECK(!unknown({{"pyproject.toml",
                     "[project]\nname='a'\nversion='1'\n[build-system]\n"
                     "requires=['hatchling']\nbuild-backend='hatchling.build'\n"}}));
    CHECK(!unknown({{"setup.py", "from setuptools import setup\nsetup(name='a')\n"}}));
    CHECK(unknown({{"pyproject.toml",
                    "[project]\nname='a'\nversion='1'\n[build-system]\n"
                    "requires=['hatchling', 'x']\nbuild-backend='hatchling.build'\n"
                    "[tool.hatch.build.hooks.custom]\npath='b.py'\n"}}));
}

TEST_CASE("jobs that a constant condition switches off") {
    for (const char* off : {"    if: false\n", "    if: ${{ false }}\n",
                            "    if: false && github.ref == 'a'\n", "    if: ${{ 'a' == 'b' }}\n"})
        CHECK(!runs_github(github_job("a", off)));
    for (const char* on : {"    if: github.repository == 'a/b'\n", "    if: true || false\n",
                           "    if: failure()\n", "    if: inputs.cuda\n", "    if: ${{ false }} || x\n"})
        CHECK(runs_github(github_job("a", on)));
    const std::string none = github_job("z", "    if: false\n", "echo");
    CHECK(!runs_github(github_job("a", "    needs: z\n") + none));
    CHECK(
        !runs_github(github_job("a", "    needs: [y]\n") + github_job("y", "    needs: z\n", "echo") + none));
    CHECK(runs_github(github_job("a", "    needs: z\n    if: always()\n") + none));
    CHECK(runs_github(github_job("a", "    needs: z\n    if: ${{ !cancelled() }}\n") + none));

    const auto runs_gitlab = [](const std::string& keys, const std::string& more = "") {
        return !codes_of(".gitlab-ci.yml",
                         more + "a:\n  image: python:3.11\n" + keys + "  script:\n    - " + k_bad + "\n")
                    .empty();
    };
    CHECK(runs_gitlab(""));
    CHECK(!runs_gitlab("  rules: [{when: never}]\n"));
    CHECK(!runs_gitlab("  rules: [{if: $A, when: never}, {when: never}]\n"));
    CHECK(runs_gitlab("  rules: [{if: $A}, {when: never}]\n"));
    CHECK(runs_gitlab("  rules: [{if: $A, when: never}, {when: manual}]\n"));
    const std::string template_ = ".n:\n  rules: [{when: never}]\n";
    CHECK(!runs_gitlab("  extends: .n\n", template_));
    CHECK(!runs_gitlab("  rules:\n    - !reference [.n, rules]\n", template_));
    const std::string z = "z:\n  rules: [{when: never}]\n  script: [echo]\n";
    CHECK(!runs_gitlab("  needs: [z]\n", z));
    CHECK(runs_gitlab("  needs: [{job: z, optional: true}]\n", z));
    CHECK(!runs_gitlab("", "workflow:\n  rules: [{when: never}]\n"));

    const auto runs_azure = [](const std::string& jobs) {
        return !codes_of("azure-pipelines.yml", "pool: {vmImage: ubuntu-22.04}\njobs:\n" + jobs).empty();
    };
    const std::string steps = "  steps:\n  - script: " + k_bad + "\n",
                      off = "- job: z\n  condition: false\n  steps:\n  - script: echo\n";
    CHECK(!runs_azure("- job: a\n  condition: and(false, succeeded())\n" + steps));
    CHECK(runs_azure("- job: a\n  condition: eq(variables['Build.Reason'], 'Manual')\n" + steps));
    CHECK(!runs_azure(off + "- job: a\n  dependsOn: [z]\n" + steps));
    CHECK(runs_azure(off + "- job: a\n  dependsOn: [z]\n  condition: succeededOrFailed()\n" + steps));
    CHECK(!runs_azure("- job: a\n" + steps + "    enabled: false\n"));
}

}  // namespace ptxguard::recipes
