// SPDX-License-Identifier: Apache-2.0
#include "recipe_words.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

PipInstall pip(const std::vector<std::string>& words, const Files& files = {}) {
    return only<PipInstall>(words, files);
}

bool stays_a_command(const std::vector<std::string>& words) {
    const auto steps = steps_of(command_of(words));
    return steps.size() == 1 && std::holds_alternative<ptxguard::recipes::Command>(steps.front());
}

}  // namespace

TEST_CASE("a command that installs nothing stays a command") {
    CHECK(steps_of({}).empty());
    CHECK(stays_a_command({"nvcc", "-arch=sm_75"}));
    CHECK(stays_a_command({"pip", "--version"}));
    CHECK(stays_a_command({"pip", "list"}));
    CHECK(stays_a_command({"python", "-m", "build"}));
    CHECK(stays_a_command({"python", "setup.py", "install"}));
    CHECK(stays_a_command({"uv", "venv"}));
    CHECK(stays_a_command({"pipeline", "install"}));
}

TEST_CASE("a variable for one pip command is a step of its own") {
    ptxguard::recipes::Command command = command_of({"pip", "install", "."});
    Written value;
    value.text = "9.0";
    command.variables = {{"TORCH_CUDA_ARCH_LIST", value, false}, {"EXPORTED", value, true}};
    const auto steps = steps_of(command);
    REQUIRE(steps.size() == 2);
    CHECK(std::get<SetVariable>(steps[0]).name == "TORCH_CUDA_ARCH_LIST");
    CHECK(std::holds_alternative<PipInstall>(steps[1]));
}

TEST_CASE("pip install by any of its names") {
    for (const std::vector<std::string>& start : {std::vector<std::string>{"pip"},
                                                  {"pip3"},
                                                  {"/opt/venv/bin/pip"},
                                                  {"python", "-m", "pip"},
                                                  {"python3", "-I", "-m", "pip"},
                                                  {"uv", "pip"},
                                                  {"pip", "--no-cache-dir"},
                                                  {"pip", "--proxy", "x"}}) {
        std::vector<std::string> words = start;
        words.insert(words.end(), {"install", "-U", "torch==2.0.0+cu121"});
        const PipInstall install = pip(words);
        REQUIRE(install.requirements.size() == 1);
        CHECK(install.requirements[0].name == "torch");
        CHECK(install.requirements[0].specifier == "==2.0.0+cu121");
    }
    CHECK(pip({"pip3.11", "install", "torch"}).python == "3.11");
    CHECK(pip({"python3.12", "-m", "pip", "install", "torch"}).python == "3.12");
    CHECK(pip({"pip", "install", "torch"}).python.empty());
}

TEST_CASE("pip's options decide where packages come from") {
    const PipInstall install =
        pip({"pip", "install", "--no-cache-dir", "torch>=2,<3", "torchvision", "--extra-index-url",
             "https://download.pytorch.org/whl/cu121", "-fhttps://example.org/x", "--no-binary=flash-attn,a",
             "--no-build-isolation", "--pre", "--index", "https://mirror/simple"});
    REQUIRE(install.extra_indexes.size() == 1);
    CHECK(install.extra_indexes[0].text == "https://download.pytorch.org/whl/cu121");
    REQUIRE(install.find_links.size() == 1);
    CHECK(install.find_links[0].text == "https://example.org/x");
    CHECK(install.index.text == "https://mirror/simple");  // optparse accepts a unique prefix
    CHECK(install.no_binary == std::vector<std::string>{"flash-attn", "a"});
    CHECK(install.no_build_isolation);
    CHECK(install.pre);
    REQUIRE(install.requirements.size() == 2);
    CHECK(install.requirements[0].whole.column == 32);
}

TEST_CASE("a requirements file is read with the files that it names") {
    const PipInstall install =
        pip({"pip", "install", "-r", "req/gpu.txt"},
            {{"req/gpu.txt",
              "# a\n-r base.txt\n--extra-index-url https://x/cu121  # why\n\ntorch==2.1.0 \\\n"
              "    --hash=sha256:00 \\\n    --hash=sha256:11\n"},
             {"req/base.txt", "numpy\n-c ../limits.txt\n"},
             {"limits.txt", "numpy<2\n"}});
    REQUIRE(install.requirements.size() == 2);
    CHECK(install.requirements[0].name == "numpy");
    CHECK(install.requirements[0].whole.file == "req/base.txt");
    CHECK(install.requirements[1].specifier == "==2.1.0");
    CHECK(install.requirements[1].whole.line == 5);
    REQUIRE(install.constraints.size() == 1);
    CHECK(install.constraints[0].specifier == "<2");
    REQUIRE(install.extra_indexes.size() == 1);
    CHECK(install.extra_indexes[0].text == "https://x/cu121");
    CHECK(install.extra_indexes[0].column == 19);
}

TEST_CASE("words before the program are not part of it") {
    const ptxguard::recipes::Command inner = only<ptxguard::recipes::Command>(
        {"sudo", "-E", "-u", "me", "env", "A=1", "time", "nvcc", "-ptx", "x.cu"});
    REQUIRE(inner.words.size() == 3);
    CHECK(inner.words[0].text == "nvcc");
    REQUIRE(inner.variables.size() == 1);
    CHECK(inner.variables[0].name == "A");
    CHECK(pip({"sudo", "-H", "pip3", "install", "torch"}).requirements.size() == 1);
    CHECK(pip({"timeout", "-k", "5", "600", "uv", "pip", "install", "torch"}).tool == "uv");
    CHECK(pip({"conda", "run", "-n", "gpu", "pip", "install", "torch"}).environment == "gpu");
    const auto steps =
        steps_of(command_of({"env", "PIP_INDEX_URL=https://x/cu118", "pip", "install", "torch"}));
    REQUIRE(steps.size() == 2);
    const auto& install = std::get<PipInstall>(steps.back());
    CHECK(install.index.text == "https://x/cu118");
    CHECK(install.index.column == 23);
    CHECK(only<ptxguard::recipes::Command>({"sudo"}).words.size() == 1);
    CHECK(only<ptxguard::recipes::Command>({"env", "A=1"}).words.size() == 2);
}

TEST_CASE("variables of pip and uv count like their options") {
    std::map<std::string, Written, std::less<>> set{
        {"PIP_EXTRA_INDEX_URL", {"https://a/cu121 https://b/simple", "Dockerfile", 2, 25}},
        {"UV_TORCH_BACKEND", {"cu128", "Dockerfile", 2, 1}},
        {"PIP_PRE", {"1", "Dockerfile", 2, 1}}};
    Problems problems;
    Inherited inherited(problems);
    inherited.variables = [&](std::string_view name) -> const Written* {
        const auto found = set.find(name);
        return found == set.end() ? nullptr : &found->second;
    };
    const auto installed = [&](const std::vector<std::string>& words) {
        return std::get<PipInstall>(interpret(command_of(words), {}, inherited).at(0));
    };
    const PipInstall by_pip = installed({"pip", "install", "torch"});
    REQUIRE(by_pip.extra_indexes.size() == 2);
    CHECK(by_pip.extra_indexes[1].text == "https://b/simple");
    CHECK(by_pip.extra_indexes[1].column == 41);
    CHECK(by_pip.pre);
    CHECK(!by_pip.torch_backend);
    const PipInstall by_uv = installed({"uv", "pip", "install", "--system", "torch"});
    CHECK(by_uv.torch_backend.text == "cu128");
    CHECK(by_uv.extra_indexes.empty());
    const SetVariable set_by_pip =
        only<SetVariable>({"pip", "config", "set", "global.index-url", "https://m/simple"});
    CHECK(set_by_pip.name == "PIP_INDEX_URL");
    CHECK(set_by_pip.value.text == "https://m/simple");
}

TEST_CASE("a variable of pip is on by the words that pip accepts") {
    const auto no_deps = [](const char* word) {
        const Written value{word, "Dockerfile", 2, 1};
        Problems problems;
        Inherited inherited(problems);
        inherited.variables = [&](std::string_view name) { return name == "PIP_NO_DEPS" ? &value : nullptr; };
        return std::get<PipInstall>(interpret(command_of({"pip", "install", "torch"}), {}, inherited).at(0))
            .no_deps;
    };
    for (const char* word : {"1", "true", "yes", "on", "y", "t", "On", "TRUE"})
        CHECK_MESSAGE(no_deps(word), word);
    for (const char* word : {"0", "false", "no", "off", "n", "f", "", "2", "yes!"})
        CHECK_FALSE_MESSAGE(no_deps(word), word);
}

TEST_CASE("uv: indexes, tools and projects") {
    const PipInstall add =
        pip({"uv", "add", "--index", "pytorch=https://d/whl/cu124", "torch", "--default-index", "https://m"});
    CHECK(add.extra_indexes.at(0).text == "https://d/whl/cu124");
    CHECK(add.index.text == "https://m");
    CHECK(pip({"uv", "sync", "--frozen", "--extra", "gpu"}).projects.at(0).text == ".");
    const PipInstall tool = pip({"uvx", "--torch-backend=auto", "vllm@0.11.0", "serve", "--model", "x"});
    CHECK(tool.environment == "uvx");
    REQUIRE(tool.requirements.size() == 1);
    CHECK(tool.requirements[0].specifier == "==0.11.0");
    const auto run = steps_of(command_of({"uv", "run", "--with", "torch==2.6.0", "python", "-c", "x"}));
    REQUIRE(run.size() == 2);  // and what it runs
    const PipInstall& with = std::get<PipInstall>(run.front());
    CHECK(std::get<recipes::Command>(run.back()).words.front().text == "python");
    CHECK(with.requirements.at(0).name == "torch");
    CHECK(stays_a_command({"uv", "run", "train.py"}));
    const PipInstall from = pip({"uv", "tool", "run", "--from", "a[b]>=1", "c"});
    REQUIRE(from.requirements.size() == 1);
    CHECK(from.requirements[0].extras.at(0) == "b");
}

TEST_CASE("poetry, pdm, pipenv and pipx") {
    const PipInstall add = pip({"poetry", "add", "torch@^2.1.2", "--source", "pytorch", "numpy>=1.26"});
    CHECK(add.requirements.at(0).name == "torch");
    CHECK(add.requirements.at(0).specifier == ">=2.1.2,<3");
    CHECK(add.requirements.at(1).specifier == ">=1.26");
    CHECK(pip({"poetry", "install", "--only", "main"}).projects.size() == 1);
    CHECK(pip({"pdm", "add", "-G", "gpu", "torch"}).requirements.size() == 1);
    CHECK(pip({"pipenv", "install"}).projects.size() == 1);
    CHECK(pip({"pipx", "install", "nvitop"}).environment == "pipx");
    CHECK(stays_a_command({"poetry", "build"}));
    CHECK(stays_a_command({"pipx", "list"}));
}

TEST_CASE("conda: channels, specs and environments") {
    const CondaInstall install =
        only<CondaInstall>({"conda", "install", "-y", "pytorch==2.1.0", "pytorch-cuda=12.1", "-c", "pytorch",
                            "-c", "nvidia/label/cuda-12.1.0", "numpy<2"});
    CHECK(install.channels == std::vector<std::string>{"pytorch", "nvidia/label/cuda-12.1.0", "defaults"});
    REQUIRE(install.specs.size() == 3);
    CHECK(install.specs[0].version == "2.1.0");
    CHECK(install.specs[1].version == "12.1.*");
    CHECK(install.specs[2].version == "<2");
    const CondaInstall create = only<CondaInstall>(
        {"mamba", "create", "-n", "gpu", "--override-channels", "-c", "conda-forge", "cuda-version=12.4"});
    CHECK(create.environment == "gpu");
    CHECK(create.channels == std::vector<std::string>{"conda-forge"});
    const CondaInstall listed = only<CondaInstall>(
        {"conda", "install", "--file", "c.txt"},
        {{"c.txt", "# x\n@EXPLICIT\nhttps://c/linux-64/pytorch-2.1.0-py3.10_cuda12.1_0.tar.bz2\n numpy\n"}});
    REQUIRE(listed.specs.size() == 2);
    CHECK(listed.specs[0].build == "py3.10_cuda12.1_0");
    CHECK(listed.specs[1].whole.column == 2);
    CHECK(only<SetVariable>({"conda", "config", "--add", "channels", "conda-forge"}).value.text ==
          "conda-forge,defaults");
    CHECK(stays_a_command({"conda", "activate", "gpu"}));
    CHECK(stays_a_command({"conda", "config", "--set", "always_yes", "true"}));
    CHECK(stays_a_command({"conda", "clean", "-a"}));
}

TEST_CASE("packages of distributions") {
    const AptInstall apt =
        only<AptInstall>({"apt-get", "-o", "A=b", "install", "-y", "--no-install-recommends",
                          "cuda-toolkit-12-4", "libcudnn8=8.6.0.163-1+cuda11.8", "gcc:amd64", "./x.deb"});
    REQUIRE(apt.packages.size() == 3);
    CHECK(apt.packages[0].name == "cuda-toolkit-12-4");
    CHECK(apt.packages[1].name == "libcudnn8");
    CHECK(apt.packages[1].version == "8.6.0.163-1+cuda11.8");
    CHECK(apt.packages[2].name == "gcc");
    const AptInstall dnf = only<AptInstall>({"dnf", "install", "-y", "cuda-toolkit-12-4-12.4.1-1",
                                             "libcudnn8-8.9.7.29-1.cuda12.2.x86_64", "cuda-12-1", "@devel"});
    REQUIRE(dnf.packages.size() == 3);
    CHECK(dnf.packages[0].name == "cuda-toolkit-12-4");
    CHECK(dnf.packages[0].version == "12.4.1-1");
    CHECK(dnf.packages[1].name == "libcudnn8");
    CHECK(dnf.packages[1].version == "8.9.7.29-1.cuda12.2");
    CHECK(dnf.packages[2].name == "cuda-12-1");
    CHECK(only<AptInstall>({"apk", "add", "--virtual", "x", "gcc=1.2"}).packages.at(0).version == "1.2");
    CHECK(stays_a_command({"apt-get", "update"}));
    CHECK(stays_a_command({"apt-get", "remove", "install"}));
}

TEST_CASE("choco and winget install a CUDA toolkit") {
    const auto installed = [](const std::vector<std::string>& words) {
        std::string text;
        for (const AptPackage& one : only<AptInstall>(words).packages)
            text += one.name + " " + one.version + "\n";
        return text;
    };
    CHECK(installed({"choco", "install", "-y", "cuda", "--version=12.3.2.546"}) == "cuda 12.3.2.546\n");
    CHECK(installed({"winget", "install", "-e", "--id", "Nvidia.CUDA", "-v", "12.6"}) == "cuda 12.6\n");
    CHECK(installed({"winget", "install", "Nvidia.CUDA"}) == "cuda \n");
    CHECK(stays_a_command({"choco", "list", "cuda"}));
}
