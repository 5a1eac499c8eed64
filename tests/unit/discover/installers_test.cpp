// What installs toolkits on a machine, as its files and variables show.
// SPDX-License-Identifier: Apache-2.0
#include "discover/picks.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

std::string installers_of(const FakeHost& host) {
    Scenario scenario;
    find_installers(host, scenario);
    std::string text;
    for (const Installer& one : scenario.installers) {
        text += (text.empty() ? "" : "; ") + one.tool + (one.active ? " active" : "");
        for (const std::string& release : one.releases) text += " " + release;
    }
    return text;
}

}  // namespace

TEST_CASE("modules are those of MODULEPATH with a release in their names") {
    FakeHost host;
    host.env("MODULEPATH", "/opt/modules:/gone")
        .file("/opt/modules/cuda/12.8.1.lua")
        .file("/opt/modules/cuda/13.0.2")
        .file("/opt/modules/cuda/.version")
        .file("/opt/modules/cuda/default")
        .file("/opt/modules/gcc/12.2.lua");
    CHECK(installers_of(host) == "module cuda/12.8.1 cuda/13.0.2");
    host.env("MODULEPATH", "");
    CHECK(installers_of(host) == "");
}

TEST_CASE("an active conda environment is installed into, another conda can make one") {
    FakeHost host;
    host.program("/opt/bin/micromamba", "2.0").env("PATH", "/opt/bin");
    CHECK(installers_of(host) == "micromamba");
    host.env("CONDA_PREFIX", "/opt/env");
    CHECK(installers_of(host) == "conda active");
    CHECK(installers_of(FakeHost()) == "");
}

TEST_CASE("pip installs into the Python that was found, first of all into an active environment") {
    FakeHost host;
    host.env("VIRTUAL_ENV", "/venv");
    CHECK(installers_of(host) == "pip active");
    Scenario scenario;
    scenario.python.path = "/usr/bin/python3";
    find_installers(FakeHost(), scenario);
    REQUIRE(scenario.installers.size() == 1);
    CHECK(scenario.installers[0].tool == "pip");
    CHECK_FALSE(scenario.installers[0].active);
}

TEST_CASE("apt and dnf count only with NVIDIA's repository") {
    FakeHost host;
    host.file("/etc/apt/sources.list.d/docker.list");
    CHECK(installers_of(host) == "");
    host.file("/etc/apt/sources.list.d/cuda-ubuntu2204-x86_64.list");
    CHECK(installers_of(host) == "apt-get");
    FakeHost red;
    red.file("/etc/yum.repos.d/cuda-rhel9.repo");
    CHECK(installers_of(red) == "dnf");
    FakeHost windows(System::windows);
    windows.file("/etc/apt/sources.list.d/cuda.list").env("MODULEPATH", "/x");
    CHECK(installers_of(windows) == "");
}

TEST_CASE("NVIDIA's installer needs glibc and a program that fetches it, and is not for Jetsons") {
    FakeHost host;
    host.program("/usr/bin/curl", "8").program("/usr/bin/wget", "1.21").env("PATH", "/usr/bin");
    CHECK(installers_of(host) == "");  // Alpine
    host.file("/lib64/ld-linux-x86-64.so.2");
    CHECK(installers_of(host) == "wget linux");
    FakeHost arm;
    arm.program("/usr/bin/curl", "8").env("PATH", "/usr/bin").file("/lib/ld-linux-aarch64.so.1");
    CHECK(installers_of(arm) == "curl linux_sbsa");
    arm.file("/etc/nv_tegra_release");
    CHECK(installers_of(arm) == "");
    FakeHost bare;
    bare.file("/lib64/ld-linux-x86-64.so.2").env("PATH", "/usr/bin");
    CHECK(installers_of(bare) == "");
}
