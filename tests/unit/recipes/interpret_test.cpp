// SPDX-License-Identifier: Apache-2.0
#include "recipes/interpret.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace ptxguard::recipes;

namespace {

Command command_of(const std::vector<std::string>& words) {
    Command command;
    int column = 5;
    for (const std::string& word : words) {
        command.words.push_back({word, "Dockerfile", 3, column});
        column += static_cast<int>(word.size()) + 1;
    }
    return command;
}

PipInstall pip(const std::vector<std::string>& words, const std::map<std::string, std::string>& files = {},
               const Inherited& inherited = {}) {
    const ReadFile read = [&](const std::string& path) -> std::optional<FileText> {
        const auto found = files.find(path);
        if (found == files.end()) return std::nullopt;
        return FileText{path, found->second};
    };
    const auto steps = interpret(command_of(words), read, inherited);
    REQUIRE(steps.size() == 1);
    REQUIRE(std::holds_alternative<PipInstall>(steps.front()));
    return std::get<PipInstall>(steps.front());
}

bool stays_a_command(const std::vector<std::string>& words) {
    const auto steps = interpret(command_of(words), {});
    return steps.size() == 1 && std::holds_alternative<Command>(steps.front());
}

}  // namespace

TEST_CASE("a command that installs nothing stays a command") {
    CHECK(interpret({}, {}).empty());
    CHECK(stays_a_command({"nvcc", "-arch=sm_75"}));
    CHECK(stays_a_command({"pip", "--version"}));
    CHECK(stays_a_command({"pip", "list"}));
    CHECK(stays_a_command({"python", "-m", "build"}));
    CHECK(stays_a_command({"python", "setup.py", "install"}));
    CHECK(stays_a_command({"uv", "venv"}));
    CHECK(stays_a_command({"pipeline", "install"}));
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

TEST_CASE("pip's options decide from where packages come") {
    const PipInstall install =
        pip({"pip", "install", "--no-cache-dir", "torch>=2,<3", "torchvision", "--extra-index-url",
             "https://download.pytorch.org/whl/cu121", "-fhttps://example.org/x", "--no-binary=flash-attn,a",
             "--no-build-isolation", "--pre", "--index", "https://mirror/simple"});
    REQUIRE(install.extra_indexes.size() == 1);
    CHECK(install.extra_indexes[0].text == "https://download.pytorch.org/whl/cu121");
    REQUIRE(install.find_links.size() == 1);
    CHECK(install.find_links[0].text == "https://example.org/x");
    CHECK(install.index.text == "https://mirror/simple");  // optparse takes a unique start
    CHECK(install.no_binary == std::vector<std::string>{"flash-attn", "a"});
    CHECK(install.no_build_isolation);
    CHECK(install.pre);
    REQUIRE(install.requirements.size() == 2);
    CHECK(install.requirements[0].whole.column == 32);
}

TEST_CASE("a requirements file is read with what it names") {
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
