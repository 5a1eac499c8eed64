// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_process.hpp"

#include <doctest/doctest.h>

#include "linux_world.hpp"
#include "load/load.hpp"

using namespace ptxguard;
using namespace built;

namespace {

using Texts = std::vector<std::string>;

LinuxProcess start(const Host& host, const std::string& program) {
    LinuxProcess process(host, linux_system(host, k_em_x86_64, ""), program);
    process.preload();
    process.open_needed(0);
    for (std::size_t entry = 0; entry < process.files.size(); ++entry) process.find_losers(entry);
    return process;
}
// "name=path" or "name!" for each entry.
Texts taken(const LinuxProcess& process) {
    Texts result;
    for (const LoadedFile& file : process.files)
        result.push_back(file.name + (file.taken ? "=" + *file.taken : "!"));
    return result;
}
Texts taken(const Host& host, const std::string& program) { return taken(start(host, program)); }

}  // namespace

TEST_CASE("DT_RPATH precedes LD_LIBRARY_PATH, which precedes DT_RUNPATH") {
    LinuxWorld host;
    host.library("/own/liba.so").library("/variable/liba.so").variable("LD_LIBRARY_PATH", "/variable");
    host.program("/bin/rpath", {"liba.so"}, with_rpath("/own"))
        .program("/bin/runpath", {"liba.so"}, with_runpath("/own"));
    const LinuxProcess rpath = start(host, "/bin/rpath");
    CHECK(taken(rpath) == Texts{"liba.so=/own/liba.so"});
    CHECK(rpath.files[0].rule.text == "DT_RPATH of rpath");
    CHECK(rpath.files[0].rule_detail == "/own");
    REQUIRE(rpath.files[0].losers.size() == 1);
    CHECK(rpath.files[0].losers[0].path == "/variable/liba.so");
    CHECK(rpath.files[0].losers[0].rule.text == "LD_LIBRARY_PATH");
    CHECK(rpath.files[0].losers[0].lost == LoadLost::later);
    CHECK(rpath.files[0].losers[0].why == "later in the search");
    const LinuxProcess runpath = start(host, "/bin/runpath");
    CHECK(taken(runpath) == Texts{"liba.so=/variable/liba.so"});
    CHECK(runpath.files[0].losers.at(0).rule.text == "DT_RUNPATH of runpath");
}

TEST_CASE("DT_RPATH applies to what libraries need, the nearest first; DT_RUNPATH does not") {
    LinuxWorld host;
    host.library("/far/libb.so")
        .library("/near/libb.so")
        .library("/l/liba.so", {"libb.so"}, with_rpath("/near"));
    host.library("/m/liba.so", {"libb.so"});
    host.program("/bin/near", {"liba.so"}, with_rpath("/l:/far"))
        .program("/bin/far", {"liba.so"}, with_rpath("/m:/far"));
    host.program("/bin/not", {"liba.so"}, with_runpath("/m:/far"));
    CHECK(taken(host, "/bin/near") == Texts{"liba.so=/l/liba.so", "libb.so=/near/libb.so"});
    CHECK(taken(host, "/bin/far") == Texts{"liba.so=/m/liba.so", "libb.so=/far/libb.so"});
    CHECK(taken(host, "/bin/not") == Texts{"liba.so=/m/liba.so", "libb.so!"});
}

TEST_CASE("an object with DT_RUNPATH uses no DT_RPATH, not even its own") {
    LinuxWorld host;
    Elf both = with_rpath("/deep");
    both.runpath = "/nowhere";
    host.library("/deep/libb.so").library("/l/liba.so", {"libb.so"}, both);
    host.program("/bin/p", {"liba.so"}, with_rpath("/l:/deep"));
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so=/l/liba.so", "libb.so!"});
    CHECK(process.files[1].because ==
          "not in DT_RUNPATH of liba.so (/nowhere), ld.so.cache (there is none), default folders "
          "(/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib:/usr/lib)");
    Elf empty;
    empty.runpath = "";
    host.library("/l/liba.so", {"libb.so"}, empty);
    CHECK(taken(host, "/bin/p").back() == "libb.so!");
}

TEST_CASE("the cache comes before the default folders and may be out of date") {
    LinuxWorld host;
    host.library("/opt/cuda/liba.so").library("/usr/lib/liba.so").library("/usr/lib/libstale.so");
    host.cache({{"liba.so", "/opt/cuda/liba.so"}, {"libstale.so", "/opt/cuda/libstale.so"}});
    host.program("/bin/p", {"liba.so", "libstale.so"});
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so=/opt/cuda/liba.so", "libstale.so=/usr/lib/libstale.so"});
    CHECK(process.files[0].rule.text == "ld.so.cache");
    CHECK(process.files[1].rule.text == "default folders");
    CHECK(process.files[0].losers.at(0).path == "/usr/lib/liba.so");
}

TEST_CASE("an object may refuse the default folders") {
    LinuxWorld host;
    Elf refusing;
    refusing.flags_1 = 0x800;
    host.library("/usr/lib/liba.so").library("/opt/libb.so").library("/usr/lib/libc1.so");
    host.cache({{"liba.so", "/usr/lib/liba.so"}, {"libb.so", "/opt/libb.so"}});
    host.program("/bin/p", {"liba.so", "libb.so", "libc1.so"}, refusing);
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so!", "libb.so=/opt/libb.so", "libc1.so!"});
    CHECK(process.files[0].losers.at(0).lost == LoadLost::not_searched);
    CHECK(process.files[0].losers[0].why == "p refuses the default folders (DF_1_NODEFLIB)");
}

TEST_CASE("dependencies are loaded breadth first, each file once, also in circles") {
    LinuxWorld host;
    host.library("/usr/lib/liba.so", {"libd.so", "libp.so"}).library("/usr/lib/libb.so", {"liba.so"});
    host.library("/usr/lib/libd.so", {"liba.so", "libd.so"}).library("/usr/lib/libp.so");
    host.program("/bin/p", {"libb.so", "liba.so", "libb.so"});
    CHECK(taken(host, "/bin/p") == Texts{"libb.so=/usr/lib/libb.so", "liba.so=/usr/lib/liba.so",
                                         "libd.so=/usr/lib/libd.so", "libp.so=/usr/lib/libp.so"});
}

TEST_CASE("the soname of a loaded file is reused; the copy that a later search would find is shadowed") {
    LinuxWorld host;
    Elf named;
    named.soname = "liba.so.1";
    host.library("/one/liba.so", {}, named).library("/two/liba.so.1");
    host.library("/l/libb.so", {"liba.so.1"}, with_rpath("/two"));
    host.program("/bin/p", {"liba.so", "libb.so"}, with_rpath("/one:/l"));
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so=/one/liba.so", "libb.so=/l/libb.so"});
    REQUIRE(process.files[0].losers.size() == 1);
    CHECK(process.files[0].losers[0].path == "/two/liba.so.1");
    CHECK(process.files[0].losers[0].rule.text == "DT_RPATH of libb.so");
    CHECK(process.files[0].losers[0].why == "libb.so asks for it when another file has the name");
}

TEST_CASE("one file under two names is loaded once and shadows nothing") {
    LinuxWorld host;
    host.library("/l/liba.so").link("/l/libb.so", "liba.so").link("/usr/lib/liba.so", "/l/liba.so");
    host.program("/bin/p", {"liba.so", "libb.so"}, with_rpath("/l"));
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so=/l/liba.so"});
    CHECK(process.files[0].losers.empty());
}

TEST_CASE("files for other machines are skipped and a broken one ends the search") {
    Elf arm;
    arm.machine = k_em_aarch64;
    LinuxWorld host;
    host.library("/one/liba.so", {}, arm)
        .library("/two/liba.so")
        .file("/one/libb.so", "text")
        .library("/two/libb.so");
    host.program("/bin/p", {"liba.so", "libb.so"}, with_rpath("/one:/two"));
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so=/two/liba.so", "libb.so!"});
    CHECK(process.files[0].losers.at(0).lost == LoadLost::other_machine);
    CHECK(process.files[0].losers[0].why == "for another machine (aarch64)");
    CHECK(process.files[1].because == "/one/libb.so: file too short");
    CHECK(process.files[1].losers.at(0).lost == LoadLost::unreadable);
}

TEST_CASE("$ORIGIN is the folder behind links for a program, and the one it was found in for a library") {
    LinuxWorld host;
    host.library("/view/x/libb.so").library("/store/liba.so", {"libb.so"}, with_runpath("$ORIGIN/x"));
    host.link("/view/liba.so", "/store/liba.so").link("/links/p", "/apps/p");
    host.program("/apps/p", {"liba.so"}, with_runpath("$ORIGIN/../view"));
    CHECK(taken(host, "/links/p") ==
          Texts{"liba.so=/apps/../view/liba.so", "libb.so=/apps/../view/x/libb.so"});
}

TEST_CASE("a name with '/' is a path, with tokens") {
    LinuxWorld host;
    host.library("/apps/sub/liba.so").library("/abs/libb.so");
    host.program("/apps/p", {"$ORIGIN/sub/liba.so", "/abs/libb.so", "/abs/libc1.so"});
    const LinuxProcess process = start(host, "/apps/p");
    CHECK(taken(process) ==
          Texts{"/apps/sub/liba.so=/apps/sub/liba.so", "/abs/libb.so=/abs/libb.so", "/abs/libc1.so!"});
    CHECK(process.files[0].rule.text == "path");
    CHECK(process.files[2].because == "no such file that this loader accepts");
}

TEST_CASE("preloaded files come first and match their names") {
    LinuxWorld host;
    host.library("/pre/liba.so")
        .library("/usr/lib/liba.so")
        .library("/usr/lib/libx.so")
        .library("/usr/lib/liby.so");
    host.variable("LD_PRELOAD", "/pre/liba.so libx.so:libnone.so").file("/etc/ld.so.preload", "liby.so\n");
    host.program("/bin/p", {"liba.so"});
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"/pre/liba.so=/pre/liba.so", "libx.so=/usr/lib/libx.so", "libnone.so!",
                                  "liby.so=/usr/lib/liby.so"});
    CHECK(process.files[0].how == LoadHow::preload);
    CHECK(process.files[0].rule.text == "LD_PRELOAD");
    CHECK(process.files[0].losers.at(0).path == "/usr/lib/liba.so");
    CHECK(process.files[2].optional);
    CHECK(process.files[3].rule.text == "/etc/ld.so.preload");
}

TEST_CASE("the folders of a caller of dlopen apply only to that name") {
    LinuxWorld host;
    host.library("/own/libdl1.so", {"libneed.so"}).library("/own/libneed.so");
    host.library("/l/liba.so", {}, with_rpath("/own"));
    LinuxProcess process(host, linux_system(host, k_em_x86_64, ""), "");
    const std::size_t file = process.open_file("/l/liba.so");
    CHECK(process.would_find("libdl1.so", file));
    CHECK_FALSE(process.would_find("libneed1.so", file));
    const std::size_t first = process.objects.size();
    CHECK(process.open("libdl1.so", file, LoadHow::dlopen, false));
    process.open_needed(first);
    CHECK(taken(process) == Texts{"libdl1.so=/own/libdl1.so", "libneed.so!"});
}

TEST_CASE("a missing library may be found by a later search") {
    LinuxWorld host;
    host.library("/l/liba.so", {"libx.so"}).library("/l/libb.so", {"libx.so"}, with_runpath("/x"));
    host.library("/l/libc1.so", {"libx.so"}).library("/x/libx.so");
    host.program("/bin/p", {"liba.so", "libb.so", "libc1.so"}, with_runpath("/l"));
    CHECK(taken(host, "/bin/p") == Texts{"liba.so=/l/liba.so", "libb.so=/l/libb.so", "libc1.so=/l/libc1.so",
                                         "libx.so!", "libx.so=/x/libx.so"});
}

TEST_CASE("the loader is in the process under its own name") {
    LinuxWorld host;
    host.library("/v/ld-linux-x86-64.so.2").variable("LD_LIBRARY_PATH", "/v");
    host.program("/bin/p", {"ld-linux-x86-64.so.2"});
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"ld-linux-x86-64.so.2=/lib64/ld-linux-x86-64.so.2"});
    CHECK(process.files[0].rule.text == "the loader itself");
}

TEST_CASE("in a tree without a system a library is undecided, not missing") {
    LinuxWorld host;
    host.program("/bin/p", {"liba.so"});
    host.folder("/usr/lib").foreign(true);
    CHECK(start(host, "/bin/p").files[0].undecided == false);  // /lib is there
    FakeHost bare;
    bare.foreign(true).file("/bin/p", with_rpath("/x").build());
    LinuxProcess process(bare, linux_system(bare, k_em_x86_64, ""), "/bin/p");
    process.open("liba.so", 0, LoadHow::needed, false);
    CHECK(process.files[0].undecided);
}

TEST_CASE("in a tree whose cache is not made yet a library in a folder of ld.so.conf is undecided") {
    LinuxWorld host;
    host.library("/opt/cuda/lib64/liba.so")
        .library("/lib/x86_64-linux-gnu/libc.so.6")
        .program("/bin/p", {"liba.so", "libb.so"});
    host.file("/etc/ld.so.conf", "include /etc/ld.so.conf.d/*.conf\n")
        .file("/etc/ld.so.conf.d/cuda.conf", "/opt/cuda/lib64\n");
    CHECK_FALSE(start(host, "/bin/p").files.at(0).undecided);  // this machine would have made it
    host.foreign(true);
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so!", "libb.so!"});
    CHECK(process.files[0].undecided);
    CHECK(process.files[0].because.find("ld.so.conf names /opt/cuda/lib64") != std::string::npos);
    CHECK_FALSE(process.files[1].undecided);
    host.cache({});
    CHECK_FALSE(start(host, "/bin/p").files.at(0).undecided);
}

TEST_CASE("endless dependencies are cut off") {
    LinuxWorld host;
    std::vector<std::string> needed;
    for (int i = 0; i < 5000; ++i) needed.push_back("lib" + std::to_string(i) + ".so");
    host.program("/bin/p", needed);
    LinuxProcess process(host, linux_system(host, k_em_x86_64, ""), "/bin/p");
    process.open_needed(0);
    CHECK(process.files.size() == 4096);
    CHECK(process.trouble == "needs more than 4096 libraries");
}

TEST_CASE("an endless search is stopped, and what it did not reach is not missing") {
    LinuxWorld host;
    for (int i = 0; i < 3; ++i) host.folder("/d" + std::to_string(i));
    const SearchList list = search_list("x", "/d0:/d1:/d2", ":", {});
    LinuxFiles files(host, k_em_x86_64, {8, 1000, 1000});
    int visits = 0;
    const auto count = [&](const SearchPlace&) { return ++visits > 0; };
    while (visit_list(files, LinuxSystem(), list, "liba.so", count)) {
    }
    CHECK(files.is_spent());
    CHECK(visits == 8);
    std::string folders;
    for (int i = 0; i < 300000; ++i) folders += ":/d0/" + std::to_string(i) + std::string(60, 'x');
    host.program("/bin/p", {"liba.so"}).variable("LD_LIBRARY_PATH", folders);
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(process.trouble == "needs more lookups than the limit for one file");
    CHECK(taken(process).empty());
}

TEST_CASE("a library that cannot be opened is found, and the reason is reported") {
    struct FewDescriptors : LinuxWorld {
        Result<Source> open(const std::string& path) const override {
            if (file_name(path) != "liba.so") return FakeHost::open(path);
            return Trouble{path, "cannot be read", "Too many open files"};
        }
    } host;
    host.library("/usr/lib/liba.so").program("/bin/p", {"liba.so"});
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so=/usr/lib/liba.so"});
    CHECK(process.trouble == "/usr/lib/liba.so cannot be read: Too many open files");
}

TEST_CASE("a file that cannot be read to its end is reported") {
    LinuxWorld host;
    std::string cut = Elf().build();
    cut.resize(70);
    host.file("/usr/lib/liba.so", cut).program("/bin/p", {"liba.so"});
    const LinuxProcess process = start(host, "/bin/p");
    CHECK(taken(process) == Texts{"liba.so=/usr/lib/liba.so"});
    CHECK(process.trouble.find("/usr/lib/liba.so ") == 0);
}

TEST_CASE("the copies that were not taken are listed for NVIDIA's libraries, for others only with all") {
    built::LinuxWorld world;
    world.program("/app/x", {"libcublas.so.12", "libfoo.so.1"}).variable("LD_LIBRARY_PATH", "/a:/b");
    for (const char* folder : {"/a/", "/b/"})
        world.library(folder + std::string("libcublas.so.12")).library(folder + std::string("libfoo.so.1"));
    const auto copies = [&](bool all) {
        LoadOptions options;
        options.all_libraries = all;
        std::string text;
        for (const LoadedFile& file : trace_linux(world, Facts::embedded(), "/app/x", options).libraries)
            for (const LoadLoser& loser : file.losers) text += loser.path + " ";
        return text;
    };
    CHECK(copies(false) == "/b/libcublas.so.12 ");
    CHECK(copies(true) == "/b/libcublas.so.12 /b/libfoo.so.1 ");
}
