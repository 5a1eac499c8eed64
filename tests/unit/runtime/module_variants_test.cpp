// Of several modules of a package: those for other releases of torch, and those of which one must load.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "module_world.hpp"
#include "runtime/module_variants.hpp"

namespace ptxguard {

TEST_CASE("variants of a library are the package's choice; other libraries are named") {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    const std::vector<std::string> needed = {"libc10.so", "libc10_cuda.so"};
    const auto add = [&](const std::string& name, const std::string& imported) {
        host.library(k_site + "/mypkg/" + name, needed, importing({imported}));
    };
    host.file(k_site + "/mypkg/__init__.py", "");
    host.record("mypkg", "1.2",
                "mypkg/__init__.py,,\nmypkg/libaddon_torch24.so,sha256=x,1\nmypkg/libaddon_torch29.so,,\n");
    add("libaddon_torch24.so", k_set_device);
    add("libaddon_torch29.so", "_ZN3c104cuda9SetDeviceEab");
    CHECK(host.check().empty());
    add("libaddon_torch29.so", k_set_device);  // none of them works
    CHECK(host.check().size() == 2);
    host.record("mypkg", "1.2", "mypkg/libaddon_torch24.so,,\nmypkg/libother_torch29.so,,\n");
    add("libother_torch29.so", "_ZN3c104cuda9SetDeviceEab");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].use == ModuleUse::opened);
}

TEST_CASE("a library for another release of torch is not opened with this one") {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    host.file(k_site + "/mypkg/__init__.py", "");
    host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/libaddon_torch29-cpu.so,,\n");
    host.library(k_site + "/mypkg/libaddon_torch29-cpu.so", {"libc10.so", "libc10_cuda.so"},
                 importing({k_set_device}));
    for (const std::string release : {"2.14.0", "2.9.1", ""}) {
        CAPTURE(release);
        host.release = release;
        const std::vector<NativeModule> modules = host.check();
        REQUIRE(modules.size() == 1);
        CHECK(modules[0].undefined == (release == "2.14.0" ? 0 : 1));
        CHECK(modules[0].variants.size() == (release == "2.14.0" ? 1 : 0));
    }
    host.release = "2.14.0";
    CHECK(host.check()[0].essential);
    host.file(
        k_site + "/mypkg/core.py",
        "def load():\n    if is_built_in():\n        return\n    CDLL(f\"libaddon_torch{release}.so\")\n");
    CHECK_FALSE(host.check()[0].essential);
}

TEST_CASE("of modules for several releases of torch only the one for the installed release counts") {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    const auto lay = [&](const std::vector<std::string>& names) {
        std::string record = "mypkg/__init__.py,,\n";
        for (const std::string& name : names) {
            const std::string file = name + ".cpython-311-x86_64-linux-gnu.so";
            host.library(k_site + "/mypkg/" + file, {"libc10.so", "libc10_cuda.so"},
                         importing({k_set_device}, "PyInit_" + name));
            record += "mypkg/" + file + ",,\n";
        }
        host.record("mypkg", "1.2", record);
        return host.check();
    };
    host.file(k_site + "/mypkg/__init__.py", "");
    host.release = "2.10.0";
    CHECK(lay({"ep_2_9_0", "ep_2_10_0"}).size() == 1);
    CHECK(lay({"ep_2_9_0", "ep_2_10_0"})[0].path.find("ep_2_10_0") != std::string::npos);
    CHECK(lay({"_C_2_9", "_C_2_10"})[0].path.find("_C_2_10") != std::string::npos);
    host.release = "2.11.0";
    const std::vector<NativeModule> absent = lay({"ep_2_9_0", "ep_2_10_0", "pg_2_9_0", "pg_2_10_0"});
    REQUIRE(absent.size() == 2);
    CHECK((absent[0].variant == "ep" && absent[0].undefined == 0 && absent[0].essential));
    CHECK(absent[0].variants == std::vector<std::string>{"2.9.0", "2.10.0"});
    CHECK(absent[1].variant == "pg");
    CHECK_FALSE(lay({"ep_2_9_0", "ep_2_10_0", "core"}).back().essential);
    // Numbers of another major, and those of one module only, mean something else.
    CHECK(lay({"fa_3_0", "fa_3_1"})[0].variants.empty());
    CHECK(lay({"ep_2_9_0"})[0].variants.empty());
}

TEST_CASE("of a library for each CUDA the one for the framework's counts, or that of its variable") {
    built::LinuxWorld host;
    Scenario scenario;
    Expectation torch;
    torch.package = "torch";
    torch.cuda = {*parse_version("12.8"), {}};
    scenario.expectations.push_back(torch);
    const std::string folder = "/site/bitsandbytes/libbitsandbytes_cuda";
    const std::vector<std::string> files = {folder + "126.so", folder + "128.so"};
    const auto opened = [&] {
        return files_for_cuda(host, Facts::embedded(), "bitsandbytes", files, scenario);
    };
    CHECK(opened() == std::vector<std::string>{folder + "128.so"});
    host.env("BNB_CUDA_VERSION", "126");
    CHECK(opened() == std::vector<std::string>{folder + "126.so"});
    host.env("BNB_CUDA_VERSION", "130");
    CHECK(opened() == files);
    CHECK(files_for_cuda(host, Facts::embedded(), "mypkg", files, scenario) == files);
}

TEST_CASE("the files that import a package's only module are named if none can be without it") {
    const auto importers = [](const std::string& ops, const std::string& other) {
        Environment host({"_ZN3c104cuda9SetDeviceEab"});
        host.library(k_site + "/mypkg/c_ops.so", {"libc10.so", "libc10_cuda.so"},
                     importing({k_set_device}, "PyInit_c_ops"));
        host.file(k_site + "/mypkg/__init__.py", "").file(k_site + "/mypkg/v1/__init__.py", "");
        host.file(k_site + "/mypkg/v1/memory.py", ops).file(k_site + "/mypkg/v1/other.py", other);
        host.file(k_site + "/mypkg/tests/test_ops.py", "def f():\n    import mypkg.c_ops\n");
        host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/c_ops.so,,\n");
        const auto modules = host.check();
        REQUIRE(modules.size() == 1);
        return modules[0].importers;
    };
    using Names = std::vector<std::string>;
    CHECK(importers("import mypkg.c_ops as ops\n", "") == Names{"mypkg/v1/memory.py"});
    CHECK(importers("from mypkg import c_ops\n", "from .. import c_ops\n") ==
          Names{"mypkg/v1/memory.py", "mypkg/v1/other.py"});
    CHECK(importers("import mypkg.c_ops\n", "try:\n    import mypkg.c_ops\nexcept ImportError:\n    pass\n")
              .empty());
    CHECK(importers("import mypkg.c_ops\n", "def f():\n    from mypkg import c_ops\n").empty());
    CHECK(importers("import mypkg.c_ops\n", "if find_spec('mypkg.c_ops'):\n    pass\n").empty());
    CHECK(importers("import other_c_ops\n", "").empty());
}

TEST_CASE("the files that load a library with a package's device code by its path") {
    const auto loaders = [](const std::string& ops, bool other_has_code) {
        Environment host({"_ZN3c104cuda9SetDeviceEab"});
        const auto with_code = [](built::Elf elf) {
            elf.sections.push_back({".nv_fatbin", "code"});
            return elf;
        };
        host.library(k_site + "/mypkg/ops.so", {"libc10.so", "libc10_cuda.so"},
                     with_code(importing({k_set_device})));
        const built::Elf other = importing({"_ZN3c105ErrorC2Ev"});
        host.library(k_site + "/mypkg/other.so", {"libc10.so"}, other_has_code ? with_code(other) : other);
        host.file(k_site + "/mypkg/__init__.py", "").file(k_site + "/mypkg/load.py", ops);
        host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/ops.so,,\nmypkg/other.so,,\n");
        const auto modules = host.check();
        REQUIRE(modules.size() == 1);
        return modules[0].importers;
    };
    const std::string load = "torch.ops.load_library(os.path.join(folder, 'ops.so'))\n";
    CHECK(loaders(load, false) == std::vector<std::string>{"mypkg/load.py"});
    CHECK(loaders(load, true).empty());
    CHECK(loaders("try:\n    " + load + "except OSError:\n    pass\n", false).empty());
    CHECK(loaders(load + "path = 'ops.so'\n", false).empty());
}

TEST_CASE("a Python module for each release of torch is a variant by its name") {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    const std::vector<std::string> needed = {"libc10.so", "libc10_cuda.so"};
    for (const std::string name : {"cpp_torch211", "_fa2_C", "cpp_torch213", "_fa3_C"}) {
        const bool old = name == "cpp_torch211" || name == "_fa2_C";
        host.library(k_site + "/mypkg/" + name + ".so", needed,
                     importing({old ? k_set_device : "_ZN3c104cuda9SetDeviceEab"}, "PyInit_" + name));
    }
    host.file(k_site + "/mypkg/__init__.py", "");
    host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/cpp_torch211.so,,\nmypkg/cpp_torch213.so,,\n");
    CHECK(host.check().empty());
    host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/_fa2_C.so,,\nmypkg/_fa3_C.so,,\n");
    CHECK(host.check().size() == 1);  // two libraries
}

TEST_CASE("the only library of a package is not a plugin") {
    Environment host({});
    host.file(k_site + "/mypkg/__init__.py", "");
    host.library(k_site + "/mypkg/libcore.so", {"libcudart.so.12"}, {});
    host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/libcore.so,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].use == ModuleUse::when_used);
    host.library(k_site + "/mypkg/libother.so", {"libnccl.so.2"}, Environment::rpath("$ORIGIN", {}));
    host.library(k_site + "/mypkg/libnccl.so.2", {}, {});
    host.record("mypkg", "1.2", "mypkg/libcore.so,,\nmypkg/libother.so,,\nmypkg/libnccl.so.2,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].use == ModuleUse::opened);
}

TEST_CASE("a plugin beside torch is the only library of its package too, except beside one for CPUs") {
    Environment host({});
    host.library(k_site + "/mypkg/libplugin.so", {"libcudart.so.12"}, {});
    host.record("mypkg", "1.2", "mypkg/libplugin.so,,\n", "torch");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].use == ModuleUse::opened);
    host.with_cuda = true;
    CHECK(host.check()[0].use == ModuleUse::when_used);
    CHECK_FALSE(host.check()[0].none_loads);  // it is no module of Python's
}

TEST_CASE("none of a package's Python modules loads, or another does") {
    Environment host = with_module("", {}, {"libcudart.so.12"});
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].none_loads);
    host.library(k_site + "/mypkg/_plain.abi3.so", {}, {});
    host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/_C.abi3.so,,\nmypkg/_plain.abi3.so,,\n");
    CHECK_FALSE(host.check()[0].none_loads);
    host.record("mypkg", "1.2", "mypkg/_C.abi3.so,,\nmypkg/_old.cpython-39-x86_64-linux-gnu.so,,\n");
    CHECK(host.check()[0].none_loads);
    host.library(k_site + "/mypkg/_D.abi3.so", {"libcudart.so.13", "libc10_cuda.so"},
                 importing({}, "PyInit__D"));
    host.record("mypkg", "1.2", "mypkg/_C.abi3.so,,\nmypkg/_D.abi3.so,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK_FALSE(host.check()[0].none_loads);
}

}  // namespace ptxguard
