// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "module_world.hpp"

namespace ptxguard {
TEST_CASE("a library of the system that a package needs is missed where the system is here") {
    enum class Has { nothing, other_release, own_copy, no_system };
    for (const Has has : {Has::nothing, Has::other_release, Has::own_copy, Has::no_system}) {
        Environment host({k_set_device});
        host.file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.4\n");
        if (has != Has::no_system) host.library("/lib/x86_64-linux-gnu/libc.so.6", {}, defining({"malloc"}));
        if (has == Has::other_release)
            host.library("/lib/x86_64-linux-gnu/libavutil.so.57", {}, defining({"malloc"}));
        if (has == Has::own_copy) host.library("/venv/lib/libavutil.so.56", {}, defining({"malloc"}));
        for (const char* release : {"4 libavutil.so.56", "5 libavutil.so.57"})
            host.library(k_site + "/mypkg/libcore" + release[0] + ".so",
                         {"libc10.so", "libc.so.6", std::string(release).substr(2)}, importing({}));
        host.record("mypkg", "1.0", "\"mypkg/libcore4.so\",,\n\"mypkg/libcore5.so\",,\n", "torch");
        const auto modules = host.check();
        REQUIRE(modules.size() == (has == Has::nothing ? 1 : 0));
        if (has != Has::nothing) continue;
        CHECK(modules[0].package == "mypkg");
        CHECK(modules[0].system_missing == std::vector<std::string>{"libavutil.so.56"});
    }
}

TEST_CASE("a package without a module that programs can import lacks what these need") {
    for (const bool one_loads : {false, true}) {
        Environment host({k_set_device});
        host.file("/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.4\n");
        host.library("/lib/x86_64-linux-gnu/libc.so.6", {}, defining({"malloc"}));
        host.file(k_site + "/mypkg/__init__.py", "");
        host.library(k_site + "/mypkg/libdevice_code.so", {"libc10.so", "libc.so.6"}, importing({}));
        host.library(k_site + "/mypkg/engine.so", {"libc10.so", "libc.so.6", "libnuma.so.1"},
                     importing({}, "PyInit_engine"));
        std::vector<std::string> needed{"libc10.so", "libc.so.6"};
        if (!one_loads) needed.push_back("libibverbs.so.1");
        host.library(k_site + "/mypkg/store.so", needed, importing({}, "PyInit_store"));
        host.record("mypkg", "1.0",
                    "mypkg/__init__.py,,\nmypkg/libdevice_code.so,,\nmypkg/engine.so,,\nmypkg/store.so,,\n",
                    "torch");
        const auto modules = host.check();
        REQUIRE(modules.size() == (one_loads ? 0 : 1));
        if (!one_loads) CHECK(modules[0].system_missing == std::vector<std::string>{"libnuma.so.1"});
    }
}

}  // namespace ptxguard
