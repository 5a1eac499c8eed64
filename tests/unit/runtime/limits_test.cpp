// What the readers of an environment's packages did not read is reported.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "host/remembering_host.hpp"
#include "packages/python.hpp"
#include "packages/wheels.hpp"
#include "runtime/module_files.hpp"

using namespace ptxguard;

namespace limits_of_packages {

const std::string k_folder = "/site";

std::string reached(const RememberingHost& host) {
    std::string all;
    for (const Trouble& one : host.limits()) all += one.subject + ": " + one.limit + "\n";
    return all;
}

PythonEnvironment environment() {
    PythonEnvironment python;
    python.places.push_back({k_folder});
    return python;
}

TEST_CASE("folders of a package that are deeper than is searched") {
    for (const int levels : {8, 9}) {
        FakeHost machine;
        std::string folder = k_folder + "/a";
        machine.file(folder + "/__init__.py", "");
        for (int i = 0; i < levels; ++i) folder += "/b";
        machine.file(folder + "/x.so", "");
        const RememberingHost host(machine);
        CHECK((module_files(host, environment()).size() == 1) == (levels == 8));
        CHECK(reached(host) == (levels == 8 ? "" : folder + ": 8 folders in folders of a package\n"));
    }
}

TEST_CASE("what the lines of a RECORD say") {
    const auto files_of = [](const std::string& lines, System system) {
        FakeHost machine(system);
        machine.file(k_folder + "/a-1.dist-info/RECORD", lines);
        const RememberingHost host(machine);
        const auto found = module_files(host, environment());
        return found.empty() ? PackageFiles{} : found.front();
    };
    const std::string lines =
        "../../bin/a.so,,\n../../bin/a.dll,,\na/__init__.py,sha256=x,10\na/b/__init__.py,,\nother/"
        "__init__.py,,\n"
        "a/x.so,sha256=x,12\na/y.so.2,,7\na/z.so.txt,,\na.so.1/t.2,,\na/.so.,,\n\na/K.DLL,,3\na/p.pyd,,\na/"
        "q.dld,,\n"
        "a/k.ptx,,\na/tests/k.ptx,,\n\"a/c,d.so\",,\nsingle.so,,5";
    const PackageFiles on_linux = files_of(lines, System::linux_);
    CHECK(on_linux.top_level == std::vector<std::string>{"a", "other"});
    CHECK(on_linux.modules ==
          std::vector<std::string>{"/site/a/x.so", "/site/a/y.so.2", "/site/a/.so.", "/site/single.so"});
    CHECK(on_linux.sizes == std::vector<std::uint64_t>{12, 7, 0, 5});
    CHECK(on_linux.ptx == std::vector<std::string>{"/site/a/k.ptx"});
    const PackageFiles on_windows = files_of(lines, System::windows);
    CHECK(on_windows.modules == std::vector<std::string>{"/site/a/K.DLL", "/site/a/p.pyd"});
    CHECK(on_windows.sizes == std::vector<std::uint64_t>{3, 0});
}

TEST_CASE("a RECORD that is too large") {
    FakeHost machine;
    machine.file(k_folder + "/a-1.dist-info/RECORD", std::string((16u << 20) + 1, '\n'));
    const RememberingHost host(machine);
    (void)module_files(host, environment());
    CHECK(reached(host) == k_folder + "/a-1.dist-info/RECORD: 16777216 bytes\n");
}

TEST_CASE("files that one import reads") {
    FakeHost machine;
    std::string imports;
    for (int i = 0; i < 501; ++i) {
        const std::string name = "m" + std::to_string(i);
        imports += "import a." + name + "\n";
        machine.file(k_folder + "/a/" + name + ".py", i == 500 ? "import a.c\n" : "");
    }
    machine.file(k_folder + "/a/__init__.py", imports);
    const RememberingHost host(machine);
    CHECK(!imports_unconditionally(host, k_folder, {"a"}, "a.c"));
    CHECK(reached(host).find("500 files that one import reads") != std::string::npos);
}

TEST_CASE("folders of .pth files, and a .pth file that is too large") {
    FakeHost machine;
    std::string lines;
    for (int i = 0; i < 64; ++i) {
        const std::string folder = "/src/" + std::to_string(i);
        machine.file(folder + "/x.py", "");
        lines += folder + "\n";
    }
    machine.file(k_folder + "/a.pth", lines).file(k_folder + "/b.pth", std::string(70000, '#'));
    const RememberingHost host(machine);
    CHECK(with_added_paths(host, {k_folder}).size() == 64);
    CHECK(reached(host) == "/site/b.pth: 65536 bytes\n/src/63: 64 folders that Python imports from\n");
}

}  // namespace limits_of_packages
