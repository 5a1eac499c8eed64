// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "module_world.hpp"

namespace ptxguard {
TEST_CASE("a function with other parameters is named, with package, release and what imports it") {
    Environment host =
        with_module("from . import _C\n", {k_set_device, "_ZN3c105ErrorC2Ev", "PyList_New", "ncclX"});
    const auto modules = host.check();
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].path == k_site + "/mypkg/_C.abi3.so");
    CHECK(modules[0].package == "mypkg");
    CHECK(modules[0].version->text == "1.2");
    CHECK(modules[0].framework == "torch");
    CHECK(modules[0].built_for->text == "2.9.1");
    CHECK(modules[0].use == ModuleUse::at_import);
    CHECK(modules[0].undefined == 1);
    CHECK(modules[0].undefined_names[0].name == k_set_device);
    CHECK(modules[0].missing.empty());
    CHECK_FALSE(host.stable);
}

TEST_CASE("what is imported in a try block or a function is imported when it is used") {
    CHECK(with_module("try:\n    from . import _C\nexcept ImportError:\n    pass\n", {k_set_device})
              .check()[0]
              .use == ModuleUse::when_used);
    CHECK(with_module("from mypkg.ops import run\n", {k_set_device}).check()[0].use == ModuleUse::when_used);
    Environment chain = with_module("from mypkg.ops import run\n", {k_set_device});
    chain.file(k_site + "/mypkg/ops.py", "import mypkg._C as _C\n");
    CHECK(chain.check()[0].use == ModuleUse::at_import);
}

// The C library of a system, with the versions that it defines.
built::Elf c_library(const std::vector<std::string>& versions) {
    built::Elf elf;
    elf.defined_versions = {{"libc.so.6", 1, 1}};
    for (const std::string& version : versions)
        elf.defined_versions.push_back(
            {version, static_cast<std::uint16_t>(elf.defined_versions.size() + 1), 0});
    elf.symbols.push_back({"malloc", 1, 2});
    return elf;
}

TEST_CASE("a module built for a newer C library is reported with the versions that are missing") {
    for (const bool new_enough : {false, true}) {
        Environment host({k_set_device});
        host.library("/lib/x86_64-linux-gnu/libc.so.6", {},
                     c_library(new_enough ? std::vector<std::string>{"GLIBC_2.31", "GLIBC_2.32"}
                                          : std::vector<std::string>{"GLIBC_2.31"}));
        built::Elf module = importing({});
        module.needed_versions = {{"libc.so.6", "GLIBC_2.32", 2}};
        host.library(k_site + "/mypkg/_C.so", {"libc10.so", "libc.so.6"}, module)
            .file(k_site + "/mypkg/__init__.py", "import mypkg._C\n");
        host.record("mypkg", "1.0", "mypkg/__init__.py,,\nmypkg/_C.so,,\n", "torch");
        const auto modules = host.check();
        REQUIRE(modules.size() == (new_enough ? 0 : 1));
        if (new_enough) continue;
        CHECK(modules[0].package == "mypkg");
        REQUIRE(modules[0].lacking.size() == 1);
        CHECK(modules[0].lacking[0].name == "libc.so.6");
        CHECK(modules[0].lacking[0].versions == std::vector<std::string>{"GLIBC_2.32"});
    }
}

TEST_CASE("without its program only the versions of the C library are certain") {
    Environment host({k_set_device});
    built::Elf old = c_library({"GLIBCXX_3.4.28"});
    host.library("/lib/x86_64-linux-gnu/libstdc++.so.6", {}, old);
    built::Elf module = importing({});
    module.needed_versions = {{"libstdc++.so.6", "GLIBCXX_3.4.30", 2}};
    host.library(k_site + "/mypkg/_C.so", {"libc10.so", "libstdc++.so.6"}, module)
        .file(k_site + "/mypkg/__init__.py", "import mypkg._C\n");
    host.record("mypkg", "1.0", "mypkg/__init__.py,,\nmypkg/_C.so,,\n", "torch");
    CHECK(host.check().empty());
}

TEST_CASE(
    "what a variable gives is certain where no other Python can be: a dependency's versions count too") {
    for (const char* home : {"/usr/bin", "/opt/elsewhere/bin"}) {
        Environment host({k_set_device});
        host.file("/venv/pyvenv.cfg", std::string("home = ") + home + "\nversion = 3.11.4\n");
        host.library("/old/libstdc++.so.6", {}, c_library({"GLIBCXX_3.4.28"}));
        host.library("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", {},
                     c_library({"GLIBCXX_3.4.28", "GLIBCXX_3.4.30"}));
        host.variable("LD_LIBRARY_PATH", "/old");
        built::Elf base;
        base.needed_versions = {{"libstdc++.so.6", "GLIBCXX_3.4.30", 2}};
        host.library(k_site + "/mypkg/libbase.so", {"libstdc++.so.6"}, base);
        host.library(k_site + "/mypkg/_C.so", {"libc10.so", "libbase.so"},
                     Environment::rpath("$ORIGIN", importing({})));
        host.record("mypkg", "1.0", "mypkg/_C.so,,\n", "torch");
        const auto modules = host.check();
        const bool is_known = std::string(home) == "/usr/bin";
        REQUIRE(modules.size() == (is_known ? 1 : 0));
        if (!is_known) continue;
        REQUIRE(modules[0].lacking.size() == 1);
        const LackingLibrary& lacking = modules[0].lacking[0];
        CHECK(lacking.path == "/old/libstdc++.so.6");
        CHECK(lacking.other == k_site + "/mypkg/libbase.so");
        CHECK(lacking.variable == "LD_LIBRARY_PATH");
        CHECK(lacking.entry == "/old");
        CHECK(lacking.later == "/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
    }
}

TEST_CASE("conda's own libraries are found first although its interpreter is not here") {
    Environment host({k_set_device});
    host.folder("/venv/conda-meta");
    host.library("/venv/lib/libstdc++.so.6", {}, c_library({"GLIBCXX_3.4.28", "GLIBCXX_3.4.30"}));
    host.library("/old/libstdc++.so.6", {}, c_library({"GLIBCXX_3.4.28"}));
    host.variable("LD_LIBRARY_PATH", "/old");
    built::Elf module = importing({});
    module.needed_versions = {{"libstdc++.so.6", "GLIBCXX_3.4.30", 2}};
    host.library(k_site + "/mypkg/_C.so", {"libc10.so", "libstdc++.so.6"}, module);
    host.record("mypkg", "1.0", "mypkg/_C.so,,\n", "torch");
    CHECK(host.check().empty());
}

TEST_CASE("a library that requests an executable stack is refused by glibc 2.41 and newer") {
    struct Row {
        std::optional<std::uint32_t> stack;
        const char* release;
        const char* tunables;
        bool refused;
    };
    for (const Row& row :
         {Row{7, "2.41", "", true}, Row{std::nullopt, "2.42", "", true}, Row{6, "2.41", "", false},
          Row{7, "2.40", "", false}, Row{7, "2.41", "glibc.rtld.execstack=2", false}}) {
        Environment host({k_set_device});
        host.file("/lib64/ld-linux-x86-64.so.2",
                  built::loader_bytes({"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/",
                                       std::string("ld.so stable release version ") + row.release + "."}));
        host.variable("GLIBC_TUNABLES", row.tunables);
        built::Elf base;
        base.stack = row.stack;
        host.library(k_site + "/mypkg/libbase.so", {}, base);
        host.library(k_site + "/mypkg/_C.so", {"libc10.so", "libbase.so"},
                     Environment::rpath("$ORIGIN", importing({})));
        host.record("mypkg", "1.0", "mypkg/_C.so,,\n", "torch");
        const auto modules = host.check();
        REQUIRE(modules.size() == (row.refused ? 1 : 0));
        if (row.refused)
            CHECK(modules[0].executable_stacks == std::vector<std::string>{k_site + "/mypkg/libbase.so"});
    }
}

TEST_CASE("the driver's library for video that a file needs is missed only where its libcuda is here") {
    for (const bool with_driver : {true, false}) {
        Environment host({k_set_device});
        host.library(k_site + "/mypkg/_C.so", {"libcudart.so.13", "libnvcuvid.so.1"},
                     importing({}, "PyInit__C"));
        host.record("mypkg", "1.0", "mypkg/_C.so,,\n");
        host.with_driver = with_driver;
        host.libcuda = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
        std::size_t missed = 0;
        for (const NativeModule& module : host.check()) missed += module.of_driver.size();
        CHECK(missed == (with_driver ? 1 : 0));
    }
}

TEST_CASE(
    "a library of NVIDIA opens those of the driver for video as an option, a package's own file needs them") {
    for (const std::string name : {"mypkg/_C.so", "mypkg.libs/libnvjpeg.8dd2b5e6.so.12"}) {
        Environment host({k_set_device});
        built::Elf elf = importing({"dlopen"});
        elf.sections = {{".nv_fatbin", std::string(64, '\x01')},
                        {".rodata", std::string("libnvcuvid.so.1\0", 16)}};
        host.library(k_site + "/" + name, {"libcudart.so.13"}, elf);
        host.record("mypkg", "1.0", name + ",,\n");
        host.with_driver = true;
        host.libcuda = "/usr/lib/x86_64-linux-gnu/libcuda.so.1";
        std::size_t missed = 0;
        for (const NativeModule& module : host.check()) missed += module.of_driver.size();
        CHECK(missed == (name == "mypkg/_C.so" ? 1 : 0));
    }
}

TEST_CASE("the parts that a copy of cuDNN opens are needed only if a file asks for that copy") {
    for (const std::string name : {"libcudnn.so.9", "libother.so.9"}) {
        Environment host({k_set_device});
        const auto opens = [](const std::string& library) {
            built::Elf elf = importing({"dlopen"});
            elf.sections = {{".rodata", library + std::string(1, '\0')}};
            return elf;
        };
        host.library(k_site + "/kit/libcudnn.so.9", {"libc.so.6"}, opens("libcudnn_graph.so.9"));
        host.library(k_site + "/kit/kit.so", {"libc.so.6"}, opens(name));
        host.record("kit", "1.0", "kit/libcudnn.so.9,,\nkit/kit.so,,\n");
        host.with_driver = true;
        const std::vector<NativeModule> modules = host.check();
        CHECK(any_of(modules, [](const NativeModule& one) { return ends_with(one.path, "libcudnn.so.9"); }) ==
              (name == "libcudnn.so.9"));
    }
}

TEST_CASE("modules that have everything they need are not reported") {
    CHECK(with_module("", {"_ZN3c104cuda9SetDeviceEab", "_ZN3c105ErrorC2Ev"}).check().empty());
    CHECK(with_module("", {"cudaMalloc"}, {"libcudart.so.13", "libc10.so"}).check().empty());
}

TEST_CASE("what a whole package finds is counted, and what nothing could compare it with is named") {
    Environment whole = with_module("", {"cudaMalloc"}, {"libcudart.so.13", "libc10.so"});
    CHECK(whole.check().empty());
    REQUIRE(whole.libraries.size() == 1);
    CHECK(whole.libraries[0].package == "mypkg");
    CHECK(whole.libraries[0].version->text == "1.2");
    CHECK(whole.libraries[0].found == 1);
    CHECK(whole.libraries[0].not_compared.empty());
    Environment lacking = with_module("", {}, {"libcudart.so.12", "libc10.so"});
    CHECK(lacking.check().size() == 1);
    CHECK(lacking.libraries.empty());
    built::LinuxWorld alone;  // without torch
    alone.library(k_site + "/mypkg/_C.abi3.so", {"libc10.so"}, importing({}, "PyInit__C"));
    alone.file(k_site + "/mypkg-1.2.dist-info/RECORD", "mypkg/_C.abi3.so,,\n");
    Scenario scenario;
    scenario.python.places.push_back({k_site});
    check_modules(alone, Facts::embedded(), module_files(alone, scenario.python), {}, {}, scenario);
    CHECK(scenario.modules.empty());
    REQUIRE(scenario.package_libraries.size() == 1);
    CHECK(scenario.package_libraries[0].found == 0);
    CHECK(scenario.package_libraries[0].not_compared == "torch is not installed");
}

TEST_CASE("the stable ABI is checked too, and is not tied to a release") {
    Environment fits = with_module("", {"aoti_torch_old"}, {"libtorch_python.so"});
    CHECK(fits.check().empty());
    CHECK(fits.stable);
    const auto modules = with_module("", {"aoti_torch_new"}, {"libtorch_python.so"}).check();
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].stable_abi);
    CHECK(modules[0].undefined_names[0].name == "aoti_torch_new");
}

TEST_CASE("a library of another CUDA that nothing installs is missing; one that its package opens is not") {
    Environment host = with_module("", {}, {"libc10.so", "libcudart.so.12"});
    const auto modules = host.check();
    REQUIRE(modules.size() == 1);
    REQUIRE(modules[0].missing.size() == 1);
    CHECK(modules[0].missing[0].name == "libcudart.so.12");
    CHECK(modules[0].missing[0].cuda_major == 12);
    // The wheel of the other CUDA is installed, and torch does not load it.
    host.library(k_site + "/nvidia/cuda_runtime/lib/libcudart.so.12", {}, defining({"cudaMalloc"}));
    CHECK(host.check().size() == 1);
    host.file(k_site + "/mypkg/__init__.py", "ctypes.CDLL(path)\n");
    CHECK(host.check().empty());
}

TEST_CASE("modules of NVIDIA, of torch and of other Pythons are left out, and so are unreadable ones") {
    Environment host({});
    host.library(k_site + "/torch/lib/libother.so", {"libc10.so"}, importing({k_set_device}));
    host.library(k_site + "/p/_C.cpython-310-x86_64-linux-gnu.so", {"libc10.so"}, importing({k_set_device}));
    host.file(k_site + "/p/broken.so", "\177ELF");
    host.record("p", "1", "p/_C.cpython-310-x86_64-linux-gnu.so,,\np/broken.so,,\np/gone.so,,\n");
    host.record("torch", "2.11.0", "torch/lib/libother.so,,\n");
    CHECK(host.check().empty());
    CHECK(host.check("3.10").size() == 1);
}

TEST_CASE("the bindings of CUDA open what a program asks for, whichever package holds them") {
    for (const std::string package : {"cuda_python", "mypkg"}) {
        CAPTURE(package);
        Environment host({});
        host.with_gpu = true;
        built::Elf opener = importing({"dlopen"});
        opener.sections = {{".rodata", std::string("\0libcudart.so.12\0", 17)}};
        host.library(k_site + "/cuda/cyruntime.so", {}, opener);
        host.record(package, "12.6.2", "cuda/__init__.py,,\ncuda/cyruntime.so,,\n");
        CHECK(host.check().size() == (package == "mypkg" ? 1 : 0));
    }
}

TEST_CASE("without torch its extensions are unknown") {
    Environment host = with_module("", {k_set_device});
    host.file(k_site + "/torch/lib/libtorch_global_deps.so", std::string(4096, '\0'));
    CHECK(host.check().empty());
}

TEST_CASE("libraries of the same package are found by name; folders without a record are walked") {
    Environment host = with_module("", {"_ZN5torch3mine1fEv"}, {"libc10.so", "libmine.so"});
    CHECK(host.check().size() == 1);
    host.library(k_site + "/mypkg/lib/libmine.so", {}, defining({"_ZN5torch3mine1fEv"}));
    host.record("mypkg", "1.2", "mypkg/_C.abi3.so,,\nmypkg/lib/libmine.so,,\n");
    CHECK(host.check().empty());
    host.library(k_site + "/local/_C.so", {"libc10.so"}, importing({k_set_device}));
    CHECK(host.check().empty());
    host.file(k_site + "/local/__init__.py", "");
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].package.empty());
}

TEST_CASE("a file that two packages list belongs to the one whose record has its size") {
    Environment host = with_module("from . import _C\n", {k_set_device});
    const auto size = host.status(k_site + "/mypkg/_C.abi3.so").size;
    host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/_C.abi3.so,sha256=x,1\n");
    host.record("otherpkg", "0.3", "mypkg/_C.abi3.so,sha256=y," + std::to_string(size) + "\n");
    const auto modules = host.check();
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].package == "otherpkg");
}

TEST_CASE("a file of --module is loaded like the modules of packages") {
    Environment host({});
    host.library("/work/_ops.so", {"libc10.so"}, importing({k_set_device}));
    CHECK(host.check().empty());
    host.named = {"/work/_ops.so"};
    REQUIRE(host.check().size() == 1);
    CHECK(host.check()[0].named);
    CHECK(host.check()[0].undefined_names[0].name == k_set_device);
}

TEST_CASE("names of shared libraries") {
    for (const char* name : {"libx.so", "_C.abi3.so", "libx.so.2", "libx.so.2.1.0"})
        CHECK(is_shared_library(name));
    for (const char* name : {"x.sources", "libx.so.2.bak", "x.so.txt", "x.py"})
        CHECK_FALSE(is_shared_library(name));
}

TEST_CASE("a library that another package of the environment brings is loaded by the package's own code") {
    Environment host({});
    host.library(k_site + "/librmm/lib64/librmm.so", {"librapids_logger.so"}, defining({"rmm"}));
    host.library(k_site + "/rapids_logger/lib64/librapids_logger.so", {}, defining({"log"}));
    host.library(k_site + "/nvidia/libnvcomp/lib64/libnvcomp.so.5", {}, defining({"nvcompNew"}));
    host.library(k_site + "/rmm/_rmm.abi3.so", {"librmm.so", "librapids_logger.so", "libnvcomp.so.5"},
                 importing({"rmm"}, "PyInit__rmm"));
    host.file(k_site + "/rmm/__init__.py", "import librmm\nlibrmm.load_library()\nfrom rmm import _rmm\n");
    host.record("rmm_cu13", "26.10.0", "rmm/__init__.py,,\nrmm/_rmm.abi3.so,,\n");
    host.record("librmm_cu13", "26.10.0", "librmm/lib64/librmm.so,,\n");
    CHECK(host.check().empty());
    Environment without({});
    without.library(k_site + "/rmm/_rmm.abi3.so", {"librmm.so"}, importing({"rmm"}, "PyInit__rmm"));
    without.record("rmm_cu13", "26.10.0", "rmm/__init__.py,,\nrmm/_rmm.abi3.so,,\n");
    const std::vector<NativeModule> found = without.check();
    REQUIRE(found.size() == 1);
    CHECK(found[0].missing[0].name == "librmm.so");
}

TEST_CASE("functions are compared with the libraries of the environment that the package loads itself") {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    host.library(k_site + "/nvidia/cu13/lib/libcublasLt.so.13", {}, defining({"cublasLtCreate"}));
    const auto engine = importing({"cublasLtCreate", "cublasLtGroupedMatrixLayoutInit_internal"});
    host.library(k_site + "/engine/lib/libengine.so", {"libcublasLt.so.13"}, engine);
    host.file(k_site + "/engine/__init__.py", "import ctypes\nctypes.CDLL('libcublasLt.so.13')\n");
    host.record("engine", "2.13.0", "engine/__init__.py,,\nengine/lib/libengine.so,,\n");
    const std::vector<NativeModule> found = host.check();
    REQUIRE(found.size() == 1);
    REQUIRE(found[0].lacking.size() == 1);
    CHECK(found[0].lacking[0].name == "libcublasLt.so.13");
    CHECK(found[0].lacking[0].functions ==
          std::vector<std::string>{"cublasLtGroupedMatrixLayoutInit_internal"});
    CHECK(found[0].essential);
    host.library(k_site + "/engine/lib/libother.so", {"libcublasLt.so.13"}, importing({"cublasLtCreate"}));
    host.record("engine", "2.13.0",
                "engine/__init__.py,,\nengine/lib/libengine.so,,\nengine/lib/libother.so,,\n");
    REQUIRE(host.check().size() == 1);
    CHECK(!host.check()[0].essential);  // another library of the package loads
}

TEST_CASE("a library of NVIDIA that gets an older file of another one is named, whoever loads it") {
    for (const bool captured : {true, false}) {
        Environment host({"_ZN3c104cuda9SetDeviceEab"});
        built::Elf cusparse = importing({}, "cusparseCreate");
        cusparse.needed_versions = {{"libnvJitLink.so.12", "libnvJitLink.so.12", 2}};
        cusparse.symbols.insert(cusparse.symbols.begin(), {"__nvJitLinkComplete_12_9", 0, 2});
        cusparse.runpath = "$ORIGIN/../../nvjitlink/lib";
        host.library(k_site + "/nvidia/cusparse/lib/libcusparse.so.12", {"libnvJitLink.so.12"}, cusparse);
        host.library(k_site + "/nvidia/nvjitlink/lib/libnvJitLink.so.12", {},
                     defining({"__nvJitLinkComplete_12_9"}));
        host.library("/cuda-12.2/lib64/libnvJitLink.so.12", {}, defining({"__nvJitLinkComplete_12_2"}));
        host.library(k_site + "/aer/w.so", {"libcusparse.so.12"},
                     Environment::rpath("$ORIGIN/../nvidia/cusparse/lib", importing({"cusparseCreate"})));
        host.file(k_site + "/aer/__init__.py", "from aer import w\n");
        host.record("aer_gpu", "0.13.3", "aer/__init__.py,,\naer/w.so,,\n");
        if (captured) host.env("LD_LIBRARY_PATH", "/cuda-12.2/lib64");
        const std::vector<NativeModule> found = host.check();
        if (!captured) CHECK(found.empty());
        if (!captured) continue;
        REQUIRE(found.size() == 1);
        REQUIRE(found[0].lacking.size() == 1);
        CHECK(found[0].lacking[0].path == "/cuda-12.2/lib64/libnvJitLink.so.12");
        CHECK(found[0].lacking[0].other.find("nvidia/cusparse/lib/libcusparse.so.12") != std::string::npos);
        CHECK(found[0].lacking[0].functions == std::vector<std::string>{"__nvJitLinkComplete_12_9"});
    }
}

TEST_CASE("functions of a library that is missing are not looked for in that of another CUDA") {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    host.library(k_site + "/nvidia/cu13/lib/libcublasLt.so.13", {}, defining({"cublasLtOther"}));
    host.library(k_site + "/engine/lib/libengine.so", {"libcublasLt.so.12", "libcublasLt.so.13"},
                 importing({"cublasLtCreate"}));
    host.file(k_site + "/engine/__init__.py", "import ctypes\nctypes.CDLL('libcublasLt.so.13')\n");
    host.record("engine", "2.13.0", "engine/__init__.py,,\nengine/lib/libengine.so,,\n");
    for (const NativeModule& module : host.check()) CHECK(module.lacking.empty());
}

}  // namespace ptxguard
