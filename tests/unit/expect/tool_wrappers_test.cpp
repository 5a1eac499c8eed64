// What stands in front of a tool, and where one may be whose search path is not known.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/tool_search.hpp"
#include "model/ranges.hpp"
#include "world.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_packages_of_venv = "/venv/lib/python3.11/site-packages";

}  // namespace

TEST_CASE("a script in front of an nvcc is that nvcc, also where it cannot be run") {
    FakeHost host;
    host.file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n").program("/venv/bin/python3", "");
    host.env("VIRTUAL_ENV", "/venv").env("PATH", "/venv/bin:/usr/bin");
    host.foreign(true)
        .program("/usr/bin/nvcc", "#!/bin/sh\nexec /usr/lib/nvidia-cuda-toolkit/bin/nvcc \"$@\"\n")
        .folder(std::string(k_packages_of_venv) + "/kit");
    add_record(host, k_packages_of_venv, "kit", "1.0");
    const Facts facts = Facts::with({{"tool_search/ours.json", R"({"about": "x", "rows": [{"id": "ours",
      "program": "Kit", "package": "kit", "folder": "kit", "records": ["kit"], "from": "1.0",
      "below": "2.0", "tool": "nvcc", "steps": [{"by": "our folder", "at": "/usr/bin/nvcc"}],
      "setting": "nothing", "wants": "any", "source": "o"}],
      "sources": [{"id": "o", "kind": "documented", "what": "ours"}]})"}});
    for (const bool known : {true, false}) {
        CAPTURE(known);
        Scenario scenario = look(host);
        Toolkit toolkit;
        toolkit.id = "debian";
        toolkit.parts.emplace_back();
        toolkit.parts[0].kind = PartKind::nvcc;
        toolkit.parts[0].path = "/usr/lib/nvidia-cuda-toolkit/bin/nvcc";
        toolkit.parts[0].version = {*parse_version("11.8.89"), {}};
        toolkit.wrappers = {"/usr/bin/nvcc"};
        if (known) scenario.toolkits.push_back(toolkit);
        const Asker ask(host);
        Questions questions(ask);
        ToolSearches searches(host, facts, {}, scenario);
        searches.ask(questions);
        questions.run();
        searches.resolve();
        const auto* pick = first_where(scenario.picks, [](const Pick& one) {
            return one.consumer == "Kit 1.0" && one.tool == "nvcc" && !one.path.empty();
        });
        REQUIRE((pick != nullptr) == known);
        if (!known) continue;
        CHECK(pick->version->text == "11.8.89");
        CHECK(pick->toolkit == "debian");
    }
}

TEST_CASE("without the PATH of a tree a tool is missing if no folder that may be on it has one") {
    const Facts facts = Facts::embedded();
    const auto follows_path = [&](const char* package, const char* release, const char* tool,
                                  const std::vector<const char*>& files) {
        FakeHost host;
        host.file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n").program("/venv/bin/python3", "");
        host.env("VIRTUAL_ENV", "/venv").foreign(true);
        host.folder(std::string(k_packages_of_venv) + "/" + package);
        add_record(host, k_packages_of_venv, package, release);
        for (const char* file : files) host.program(file, "");
        Scenario scenario = look(host);
        const Asker ask(host);
        ToolSearches searches(host, facts, {}, scenario);
        searches.resolve();
        const auto* pick =
            first_where(scenario.picks, [&](const Pick& one) { return one.tool == std::string(tool); });
        REQUIRE(pick);
        CHECK(pick->path.empty());
        const bool is_said = any_of(pick->losers, [](const Pick::Loser& one) { return one.path == "PATH"; });
        CHECK(is_said == !pick->search->follows_path);
        return pick->search->follows_path;
    };
    CHECK_FALSE(follows_path("deepspeed", "0.18.2", "nvcc", {"/bin/sh"}));
    CHECK(follows_path("deepspeed", "0.18.2", "nvcc", {"/usr/local/cuda-12.4/bin/nvcc"}));
    CHECK(follows_path("deepspeed", "0.18.2", "nvcc", {"/opt/tools/bin/nvcc"}));
    // A part of a system may have its C compiler in the rest.
    CHECK(follows_path("triton", "3.5.1", "C compiler", {}));
    CHECK_FALSE(follows_path("triton", "3.5.1", "C compiler", {"/bin/sh"}));
    CHECK(follows_path("triton", "3.5.1", "C compiler", {"/bin/sh", "/usr/bin/clang"}));
}

TEST_CASE("Triton is a companion of torch only, unless another package needs its kernels") {
    const Facts facts = Facts::embedded();
    const auto companion = [&](const std::string& package, const std::string& requirement) {
        FakeHost host;
        host.file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.2\n").program("/venv/bin/python3", "");
        host.env("VIRTUAL_ENV", "/venv").env("PATH", "/venv/bin").foreign(true);
        const std::string site = k_packages_of_venv;
        for (const std::string folder : {"triton", "torch"}) host.folder(site + "/" + folder);
        add_record(host, site, "triton", "3.5.1");
        if (!package.empty())
            host.file(site + "/" + package + "-1.0.dist-info/METADATA",
                      "Name: " + package + "\nVersion: 1.0\nRequires-Dist: " + requirement + "\n");
        Scenario scenario = look(host);
        const Asker ask(host);
        ToolSearches searches(host, facts, {}, scenario);
        searches.resolve();
        const auto* pick =
            first_where(scenario.picks, [](const Pick& one) { return one.tool == "C compiler"; });
        REQUIRE(pick);
        return pick->search->companion_of;
    };
    CHECK(companion("", "") == "torch");
    CHECK(companion("torch", "triton==3.5.1; platform_system == \"Linux\"") == "torch");
    CHECK(companion("kernels", "triton>=3.0") == "");
    CHECK(companion("kernels", "triton>=3.0; extra == \"gpu\"") == "torch");
    CHECK(companion("openai_whisper", "triton>=2") == "torch");
}

}  // namespace ptxguard
