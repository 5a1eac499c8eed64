// SPDX-License-Identifier: Apache-2.0
#include "expect/expect.hpp"

#include <doctest/doctest.h>

#include "world.hpp"

using namespace ptxguard;

namespace {

FakeHost both() {
    FakeHost host;
    add_torch(host, k_site, "2.5.1+cu124", "'12.4'");
    host.file(k_site + "/tensorflow/python/platform/build_info.py",
              "is_cuda_build = True\ncuda_version_number = \"10.0\"\n");
    return host;
}

}  // namespace

TEST_CASE("without --framework every framework found is read, none is required") {
    const auto scenario = look(both(), python(k_site));
    REQUIRE(scenario.expectations.size() == 2);
    CHECK(scenario.expectations[0].framework == "PyTorch");
    CHECK(scenario.expectations[1].framework == "TensorFlow");
    CHECK_FALSE(scenario.expectations[0].required);
}

TEST_CASE("--framework limits the check to the named ones and requires them") {
    Request request = framework("PyTorch");
    request.python = k_site;
    const auto scenario = look(both(), request);
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].package == "torch");
    CHECK(scenario.expectations[0].required);
    CHECK_FALSE(scenario.expectations[0].declared);
}

TEST_CASE("a requested framework that is missing is unknown, with the places searched") {
    FakeHost host;
    host.folder(k_site);
    Request request = framework("torch");
    request.python = k_site;
    auto scenario = look(host, request);
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].trouble == "torch is not installed in " + k_site);
    CHECK_FALSE(scenario.expectations[0].cuda);
    CHECK(look(FakeHost(), framework("torch")).expectations[0].trouble ==
          "torch was not found: there is no Python to look into");
}

TEST_CASE("a declaration that the installed version satisfies uses it; any other overrides and mentions it") {
    Request request = framework("torch==2.5.1");
    request.python = k_site;
    CHECK_FALSE(look(both(), request).expectations[0].declared);
    CHECK(look(both(), request).expectations[0].required);
    request.frameworks = {"torch==2.5.1+cu121"};
    const auto torch = look(both(), request).expectations[0];
    CHECK(torch.declared);
    CHECK(torch.cuda->text == "12.1");
    CHECK(torch.version.origin.text ==
          "--framework torch==2.5.1+cu121 (installed: 2.5.1+cu124 in " + k_site + "/torch)");
}

TEST_CASE("the first folder of the search order that has the framework counts") {
    FakeHost host;
    host.program("/usr/bin/python3.11", "")
        .link("/usr/bin/python3", "python3.11")
        .env("PATH", "/usr/bin")
        .env("HOME", "/h");
    add_torch(host, "/usr/lib/python3/dist-packages", "1.13.1", "None");
    host.folder("/usr/lib/python3.11");
    CHECK(look(host).expectations[0].how == Installation::system);
    add_torch(host, "/h/.local/lib/python3.11/site-packages", "2.5.1+cu124", "'12.4'");
    REQUIRE(look(host).expectations.size() == 1);
    CHECK(look(host).expectations[0].cuda->text == "12.4");
}

TEST_CASE("no program is ever run") {
    FakeHost host = both();
    host.program("/usr/bin/python3.11", "").link("/usr/bin/python3", "python3.11").env("PATH", "/usr/bin");
    look(host);
    look(host, python(k_site));
    CHECK(host.commands_run.empty());
}

TEST_CASE("a framework that was found but is unreadable is reported, unless it was requested by name") {
    FakeHost host = both();
    host.file(k_site + "/torch/version.py", "cuda = 'banana'\n");
    const auto scenario = look(host, python(k_site));
    REQUIRE(scenario.unreadable.size() == 1);
    CHECK(scenario.unreadable[0].subject == "PyTorch in " + k_site + "/torch");
    CHECK_FALSE(scenario.unreadable[0].named_by_user);
    Request request = framework("PyTorch");
    request.python = k_site;
    CHECK(look(host, request).unreadable.empty());
    CHECK(look(both(), python(k_site)).unreadable.empty());
}
