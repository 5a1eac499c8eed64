// Every selector, what it resolves to, and every way in which it can fail.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "worlds.hpp"

using namespace ptxguard;
using namespace worlds;

namespace {
FakeHost one_toolkit() {
    FakeHost host;
    toolkit(host, "/usr/local/cuda-13.0", "13.0.88");
    host.link("/usr/local/cuda", "/usr/local/cuda-13.0");
    return host;
}
}  // namespace

TEST_CASE("every variable that names a toolkit is followed") {
    for (const char* name : {"CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDAToolkit_ROOT",
                             "CUDA_TOOLKIT_ROOT_DIR", "NVHPC_CUDA_HOME", "EBROOTCUDA", "CUDA_INSTALL_PATH",
                             "CUDA_BASE", "CUDADIR", "CUDA_DIR", "CUDATOOLKIT_HOME", "CUDA_PATH_V13_0"}) {
        CAPTURE(name);
        FakeHost host;
        toolkit(host, "/somewhere/else", "13.0.88");
        host.env(name, "/somewhere/else/");
        const Scenario scenario = look(host);
        REQUIRE(selector(scenario, name));
        CHECK(selector(scenario, name)->toolkit == "toolkit1");
        CHECK(selector(scenario, name)->problem == PathProblem::none);
        CHECK(scenario.project.toolkit == "toolkit1");
        CHECK(scenario.toolkits.at(0).root == "/somewhere/else");
    }
}

TEST_CASE("a toolkit without any selector is found in its default folder, once, with all its names") {
    const Scenario scenario = look(one_toolkit());
    REQUIRE(scenario.toolkits.size() == 1);
    const auto& names = scenario.toolkits[0].names;
    CHECK(std::count(names.begin(), names.end(), "/usr/local/cuda") == 1);
    CHECK(std::count(names.begin(), names.end(), "/usr/local/cuda-13.0") == 1);
    CHECK(scenario.project.toolkit_because == "default folder /usr/local/cuda");
    CHECK(scenario.toolkits[0].layout == Layout::nvidia);
}

TEST_CASE("a misspelt CUDA_HOME is still selected, and the nearest toolkit is suggested") {
    FakeHost host = one_toolkit();
    host.env("CUDA_HOME", "/usr/local/cudda").env("PATH", "/usr/local/cudda/bin:/usr/bin");
    const Scenario scenario = look(host);
    REQUIRE(selector(scenario, "CUDA_HOME"));
    CHECK(selector(scenario, "CUDA_HOME")->problem == PathProblem::missing);
    CHECK(selector(scenario, "CUDA_HOME")->nearest == "/usr/local/cuda");
    CHECK(selector(scenario, "CUDA_HOME")->decides);
    CHECK(scenario.project.toolkit == "");
    CHECK(scenario.project.toolkit_because == "CUDA_HOME");
    REQUIRE(scenario.entries.size() == 1);
    CHECK(scenario.entries[0].value == "/usr/local/cudda/bin");
    CHECK(scenario.entries[0].nearest == "/usr/local/cuda/bin");
}

TEST_CASE("CMake ignores CUDA_HOME, so a misspelt one has no effect") {
    FakeHost host = one_toolkit();
    host.env("CUDA_HOME", "/usr/local/cudda").env("PATH", "/usr/local/cuda/bin");
    Request request;
    request.from_cmake = true;
    const Scenario scenario = look(host, request);
    CHECK_FALSE(selector(scenario, "CUDA_HOME")->decides);
    CHECK(selector(scenario, "CUDA_HOME")->problem == PathProblem::missing);
    CHECK(selector(scenario, "PATH")->decides);
    CHECK(scenario.project.toolkit == "toolkit1");
    CHECK(scenario.project.toolkit_because == "first nvcc on PATH (entry 1)");
}

TEST_CASE("each kind of bad value is reported as such") {
    FakeHost host = one_toolkit();
    host.file("/a/file", "x")
        .link("/a/dangling", "/a/nothing")
        .link("/a/loop", "/a/loop2")
        .link("/a/loop2", "/a/loop");
    host.folder("/a/bare").unreadable("/a/locked");
    const auto problem = [&](const std::string& value) {
        host.env("CUDA_ROOT", value);
        return selector(look(host), "CUDA_ROOT")->problem;
    };
    CHECK(problem("") == PathProblem::empty);
    CHECK(problem("   ") == PathProblem::empty);
    CHECK(problem("usr/local/cuda") == PathProblem::relative);
    CHECK(problem("/a/nowhere") == PathProblem::missing);
    CHECK(problem("/a/file") == PathProblem::file);
    CHECK(problem("/a/dangling") == PathProblem::dangling);
    CHECK(problem("/a/loop") == PathProblem::loop);
    CHECK(problem("/a/bare") == PathProblem::no_toolkit);
    CHECK(problem("/a/locked") == PathProblem::unreadable);
    CHECK(problem("/usr/local/cuda/bin/nvcc") == PathProblem::file);
    CHECK(problem("/usr/local/cuda/bin") == PathProblem::no_toolkit);
    CHECK(problem("/usr/local/cuda///") == PathProblem::none);
}

TEST_CASE("the nearest toolkit is suggested only if one was plausibly meant") {
    FakeHost host = one_toolkit();
    host.folder("/opt/tools");
    const auto nearest = [&](const std::string& value) {
        host.env("CUDA_ROOT", value);
        return selector(look(host), "CUDA_ROOT")->nearest;
    };
    CHECK(nearest("/usr/local/cuda/bin/nvcc") == "/usr/local/cuda");
    CHECK(nearest("/usr/local/cuda/bin") == "/usr/local/cuda");
    CHECK(nearest("/usr/local/cudda/bin/nvcc") == "/usr/local/cuda");
    CHECK(nearest("/usr/local") == "/usr/local/cuda");
    CHECK(nearest("/usr/local/cuda-13.1") == "/usr/local/cuda-13.0");
    CHECK(nearest("/usr/local/CUDA") == "/usr/local/cuda");
    CHECK(nearest("/usr/locale/cuda") == "/usr/local/cuda");
    CHECK(nearest(":/usr/local/cuda") == "/usr/local/cuda");
    CHECK(nearest("/opt/tools") == "");
    toolkit(host, "/site-packages/nvidia/cu13", "13.0.88");
    CHECK(nearest("/site-packages") == "/site-packages/nvidia/cu13");
    CHECK(nearest("/home/me/project") == "");
    CHECK(nearest("") == "");
}

TEST_CASE("CUDACXX may be a path, a name on PATH, or have arguments") {
    for (const char* value :
         {"/usr/local/cuda/bin/nvcc", "nvcc", "nvcc -ccbin g++-12", "\"/usr/local/cuda/bin/nvcc\" -v"}) {
        CAPTURE(value);
        FakeHost host = one_toolkit();
        host.env("CUDACXX", value).env("PATH", "/usr/local/cuda/bin");
        Request request;
        request.from_cmake = true;
        const Scenario scenario = look(host, request);
        CHECK(selector(scenario, "CUDACXX")->problem == PathProblem::none);
        CHECK(selector(scenario, "CUDACXX")->toolkit == "toolkit1");
        CHECK(selector(scenario, "CUDACXX")->decides);
    }
    FakeHost host = one_toolkit();
    host.env("CUDACXX", "nvc");
    Request request;
    request.from_cmake = true;
    const Scenario scenario = look(host, request);
    CHECK(selector(scenario, "CUDACXX")->problem == PathProblem::missing);
    CHECK(selector(scenario, "CUDACXX")->decides);
}

TEST_CASE("options override CMake's compiler, which overrides variables and PATH") {
    FakeHost host = one_toolkit();
    toolkit(host, "/opt/a", "12.4.131");
    toolkit(host, "/opt/b", "11.8.89");
    host.env("CUDA_HOME", "/usr/local/cuda").env("PATH", "/usr/local/cuda/bin");
    Request request;
    request.cmake_nvcc = "/opt/b/bin/nvcc";
    Scenario scenario = look(host, request);
    CHECK(scenario.build_toolkit()->root == "/opt/b");
    CHECK(scenario.project.toolkit_because == "CMAKE_CUDA_COMPILER");
    request.toolkits = {"/opt/a"};
    scenario = look(host, request);
    CHECK(scenario.build_toolkit()->root == "/opt/a");
    CHECK(scenario.toolkits.size() == 3);
    request.toolkits = {"/opt/a/bin/nvcc"};
    CHECK(look(host, request).build_toolkit()->root == "/opt/a");
    request.toolkits = {"/opt/a/bin"};
    CHECK(look(host, request).build_toolkit()->root == "/opt/a");
}

TEST_CASE("two toolkits, CUDA_HOME for one and PATH for the other: the table shows who picks which") {
    FakeHost host = one_toolkit();
    toolkit(host, "/opt/cuda-12.4", "12.4.131");
    host.env("CUDA_HOME", "/usr/local/cuda").env("PATH", "/usr/bin:/opt/cuda-12.4/bin");
    const Scenario scenario = look(host);
    CHECK(pick(scenario, "this build")->path == "/usr/local/cuda/bin/nvcc");
    CHECK(pick(scenario, "this build")->version->text == "13.0.88");
    CHECK(pick(scenario, "torch.utils.cpp_extension")->because == "CUDA_HOME");
    CHECK(pick(scenario, "CMake (enable_language(CUDA))")->path == "/opt/cuda-12.4/bin/nvcc");
    CHECK(pick(scenario, "a bare `nvcc`")->because == "first nvcc on PATH (entry 2)");
    CHECK(pick(scenario, "a bare `ptxas`")->version->text == "12.4.131");
    REQUIRE(pick(scenario, "CMake (enable_language(CUDA))")->losers.size() >= 1);
    CHECK(pick(scenario, "CMake (enable_language(CUDA))")->losers[0].reason == "CUDA_HOME is not looked at");
}

TEST_CASE("a shadowed toolkit is listed once, however many names it has") {
    FakeHost host;
    toolkit(host, "/usr/local/cuda-12.4", "12.4.131");
    toolkit(host, "/opt/cuda", "13.0.88");
    host.link("/usr/local/cuda", "/usr/local/cuda-12.4").env("CUDA_HOME", "/opt/cuda");
    const Scenario scenario = look(host);
    REQUIRE(pick(scenario, "this build"));
    REQUIRE(pick(scenario, "this build")->losers.size() == 1);
    CHECK(pick(scenario, "this build")->losers[0].path == "/usr/local/cuda/bin/nvcc");
}

TEST_CASE("CMake prefers the folder of the C++ compiler to an earlier entry of PATH") {
    FakeHost host = one_toolkit();
    toolkit(host, "/early", "12.4.131");
    host.program("/usr/bin/c++", "");
    script(host, "/usr/bin/nvcc", "#!/bin/sh\nexec /usr/local/cuda/bin/nvcc \"$@\"\n");
    host.env("PATH", "/early/bin:/usr/bin");
    Request request;
    request.from_cmake = true;
    CHECK(look(host, request).picks.at(0).path == "/usr/bin/nvcc");
    CHECK(look(host).picks.at(0).path == "/early/bin/nvcc");
}

TEST_CASE("one folder named twice on PATH and by a link is one selector and one toolkit") {
    FakeHost host = one_toolkit();
    host.env("CUDA_HOME", "/usr/local/cuda-13.0").env("PATH", "/usr/local/cuda/bin:/usr/local/cuda-13.0/bin");
    const Scenario scenario = look(host);
    CHECK(scenario.toolkits.size() == 1);
    CHECK(std::count_if(scenario.selectors.begin(), scenario.selectors.end(),
                        [](const Selector& one) { return one.kind == SelectorKind::search_path; }) == 1);
    for (const auto& one : scenario.selectors) CHECK(one.toolkit == "toolkit1");
}

TEST_CASE("without any toolkit there is no pick and nothing to report") {
    FakeHost host;
    host.env("PATH", "/usr/bin:/bin").env("HOME", "/root");
    const Scenario scenario = look(host);
    CHECK(scenario.toolkits.empty());
    CHECK(scenario.selectors.empty());
    CHECK(scenario.entries.empty());
    CHECK(scenario.project.toolkit == "");
    CHECK(pick(scenario, "this build")->path == "");
}
