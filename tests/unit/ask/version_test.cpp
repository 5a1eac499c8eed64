// When the version of a program is queried again.
// SPDX-License-Identifier: Apache-2.0
#include "ask/version.hpp"

#include <doctest/doctest.h>

#include "ask/questions.hpp"
#include "host/fake_host.hpp"

using namespace ptxguard;

namespace {

const std::string k_elf = "\177ELF";

struct Folder {
    std::string path = *own::temporary_folder();
    ~Folder() { own::remove_tree(path); }
};

std::string version_of(const FakeHost& host, const std::string& program, const std::string& cache) {
    const Question question = version_question(host, program);
    const SaidVersion answer = said_version(question, ask_now(Asker(host, cache), question), ", V");
    return answer.version ? answer.version->text : answer.trouble;
}

FakeHost machine(const std::string& path, const std::string& bytes, const std::string& out) {
    FakeHost host;
    host.file(path, bytes).program(path, out);
    return host;
}

}  // namespace

TEST_CASE("an unchanged program is run once, a changed one again") {
    Folder cache;
    FakeHost host = machine("/cuda/bin/nvcc", k_elf, "release 13.0, V13.0.88\n");
    CHECK(version_of(host, "/cuda/bin/nvcc", cache.path) == "13.0.88");
    CHECK(version_of(host, "/cuda/bin/nvcc", cache.path) == "13.0.88");
    CHECK(host.commands_run.size() == 1);
    host.file("/cuda/bin/nvcc", k_elf + "of 13.5").program("/cuda/bin/nvcc", "release 13.5, V13.5.37\n");
    CHECK(version_of(host, "/cuda/bin/nvcc", cache.path) == "13.5.37");
    host.env("LD_PRELOAD", "/lib/x.so");
    CHECK(version_of(host, "/cuda/bin/nvcc", cache.path) == "13.5.37");
    CHECK(host.commands_run.size() == 3);
}

TEST_CASE("a script, or a link to a program of another name, is run each time: it may start any other") {
    Folder cache;
    FakeHost host = machine("/bin/nvcc", "#!/bin/sh\nexec $CUDA/nvcc \"$@\"\n", "release 13.0, V13.0.88\n");
    host.file("/usr/bin/ccache", k_elf).program("/usr/bin/ccache", "release 12.8, V12.8.93\n");
    host.link("/usr/lib/ccache/nvcc", "/usr/bin/ccache");
    for (int i = 0; i < 2; ++i) {
        CHECK(version_of(host, "/bin/nvcc", cache.path) == "13.0.88");
        CHECK(version_of(host, "/usr/lib/ccache/nvcc", cache.path) == "12.8.93");
    }
    CHECK(host.commands_run.size() == 4);
}

TEST_CASE("a failure is not cached") {
    Folder cache;
    FakeHost host;
    host.file("/cuda/bin/ptxas", k_elf).program("/cuda/bin/ptxas", "no memory\n", 1);
    for (int i = 0; i < 2; ++i)
        CHECK(version_of(host, "/cuda/bin/ptxas", cache.path) ==
              "fails on --version (exit code 1): no memory");
    CHECK(host.commands_run.size() == 2);
}
