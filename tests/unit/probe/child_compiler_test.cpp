// What the child process reports about a compiler in a library. The library is fake_compiler.cpp; nothing is
// measured that depends on a real one.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <map>

#include "probe/child.hpp"

using namespace ptxguard;

namespace {

// A stream of this process that is another file for a while.
class Redirected {
public:
    Redirected(int stream, int file) : m_stream(stream), m_saved(dup(stream)) { dup2(file, stream); }
    ~Redirected() {
        dup2(m_saved, m_stream);
        close(m_saved);
    }
    Redirected(const Redirected&) = delete;
    Redirected& operator=(const Redirected&) = delete;

private:
    int m_stream, m_saved;
};

// The lines of `ptxguard --child`, by their event.
std::multimap<std::string, Json> child_said(const std::string& mode, std::vector<std::string> arguments,
                                            const std::map<std::string, std::string>& answers) {
    for (const char* name : {"FAKE_IR", "FAKE_LLVM", "FAKE_MADE", "FAKE_FAILS", "FAKE_LOG", "FAKE_LOG_SIZE",
                             "FAKE_NO_LOG", "FAKE_NO_HANDLE"})
        unsetenv(name);
    for (const auto& [name, value] : answers) setenv(name.c_str(), value.c_str(), 1);
    arguments.insert(arguments.begin(), PTXGUARD_FAKE_COMPILER);
    std::FILE* const said = std::tmpfile();
    const int nothing = open("/dev/null", O_RDONLY);
    REQUIRE((said && nothing >= 0));
    std::fflush(stdout);
    {
        const Redirected in(STDIN_FILENO, nothing), out(STDOUT_FILENO, fileno(said));
        CHECK(child_compiler(mode, arguments) == 0);
        std::fflush(stdout);
    }
    close(nothing);
    std::rewind(said);
    std::multimap<std::string, Json> lines;
    char line[4096];
    while (std::fgets(line, sizeof line, said)) {
        const auto json = parse_json(line, "child");
        REQUIRE(json);
        lines.emplace((*json)["event"].as_string(), *json);
    }
    std::fclose(said);
    return lines;
}

Json only_line(const std::multimap<std::string, Json>& lines, const std::string& event) {
    REQUIRE(lines.count(event) == 1);
    return lines.find(event)->second;
}

}  // namespace

TEST_CASE("libNVVM: the version of its IR and its LLVM are reported if it tells them") {
    const Json whole =
        only_line(child_said("nvvm", {"sm_80"}, {{"FAKE_IR", "2"}, {"FAKE_LLVM", "18"}}), "loaded");
    CHECK(whole["api"].as_string() == "2.0");
    CHECK(whole["ir"].as_string() == "2.7");
    CHECK(whole["llvm"].as_int() == 18);
    const Json bare = only_line(child_said("nvvm", {"sm_80"}, {}), "loaded");
    CHECK_FALSE(bare.has("ir"));
    CHECK_FALSE(bare.has("llvm"));
}

TEST_CASE("libNVVM: each architecture is compiled, with its result and its log") {
    const auto lines = child_said("nvvm", {"sm_80", "sm_90"}, {});
    REQUIRE(lines.count("compile") == 2);
    const Json good = lines.find("compile")->second;
    CHECK(good["arch"].as_string() == "sm_80");
    CHECK(good["result"].as_int(-1) == 0);
    CHECK(good["name"].as_string() == "NVVM_SUCCESS");
    CHECK(good["ptx"].as_string() == "//ptx");
    CHECK(good["log"].as_string().empty());
    const Json bad =
        only_line(child_said("nvvm", {"sm_80"}, {{"FAKE_FAILS", "9"}, {"FAKE_LOG", "why"}}), "compile");
    CHECK(bad["result"].as_int() == 9);
    CHECK(bad["name"].as_string() == "NVVM_ERROR");
    CHECK(bad["log"].as_string() == "why");
    CHECK(bad["ptx"].as_string().empty());
    CHECK(bad["call"].as_string() == "nvvmCompileProgram -arch=compute_80");
}

TEST_CASE("a log is left out if its size is not told, is nothing or is absurd") {
    const auto log = [](const std::map<std::string, std::string>& answers) {
        auto all = answers;
        all["FAKE_LOG"] = "why";
        return only_line(child_said("nvvm", {"sm_80"}, all), "compile")["log"].as_string();
    };
    CHECK(log({}) == "why");
    CHECK(log({{"FAKE_NO_LOG", "1"}}).empty());
    CHECK(log({{"FAKE_LOG_SIZE", "0"}}).empty());
    CHECK(log({{"FAKE_LOG_SIZE", "33554432"}}) == "why");
    CHECK(log({{"FAKE_LOG_SIZE", "33554433"}}).empty());
}

TEST_CASE("a library that makes no program is asked nothing about it") {
    const Json line = only_line(
        child_said("nvvm", {"sm_80"}, {{"FAKE_NO_HANDLE", "1"}, {"FAKE_LOG", "of no program"}}), "compile");
    CHECK(line["result"].as_int() == 5);
    CHECK(line["call"].as_string() == "nvvmCreateProgram -arch=compute_80");
    CHECK(line["log"].as_string().empty());
}

TEST_CASE("a PTX compiler that succeeds has made something only if it has a size") {
    const auto made = [](const char* size) {
        return only_line(child_said("jit", {"sm_80"}, {{"FAKE_MADE", size}}), "compile")["made"].as_bool();
    };
    CHECK(made("64"));
    CHECK(made("1"));
    CHECK_FALSE(made("0"));
}

TEST_CASE("a PTX compiler's limit is asked with the first architecture that it has") {
    const std::string refusal = "line 1; fatal   : Unsupported .version 99.9; current version is '8.2'";
    const auto lines = child_said("jit", {"sm_90"}, {{"FAKE_FAILS", "7"}, {"FAKE_LOG", refusal}});
    CHECK(only_line(lines, "loaded")["api"].as_string() == "12.2");
    CHECK(only_line(lines, "limit")["arch"].as_string() == "sm_90");
    CHECK(only_line(lines, "limit")["log"].as_string() == refusal);
    CHECK(only_line(lines, "oldest")["result"].as_int() == 7);
    CHECK(lines.count("version") == 0);
    const std::string unknown = "ptxas fatal   : Value 'sm_90' is not defined for option 'gpu-name'";
    CHECK(child_said("jit", {"sm_90"}, {{"FAKE_FAILS", "3"}, {"FAKE_LOG", unknown}}).count("limit") == 0);
}

TEST_CASE("a library of another kind, and none, are told") {
    const Json trouble = only_line(child_said("nvjitlink", {"sm_80"}, {}), "trouble");
    CHECK(trouble["text"].as_string().find("the library is not nvJitLink: it has no ") == 0);
    CHECK(child_compiler("nvvm", {}) == 2);
    CHECK_FALSE(child_compiler("other", {PTXGUARD_FAKE_COMPILER}));
}

TEST_CASE("bytes travel as hexadecimal digits") {
    CHECK(to_hex(std::string("\x00\x7f\xff", 3)) == "007fff");
    CHECK(from_hex("007fff") == std::string("\x00\x7f\xff", 3));
    CHECK(from_hex("0").empty());
    CHECK(from_hex("0g").empty());
    CHECK(from_hex("g0").empty());
    CHECK(from_hex("a0f") == "\xa0");
}

TEST_CASE("arguments of a child: the library first, options and architectures in any order") {
    const ChildArguments made =
        child_arguments({"--limit", "/lib/x.so", "--option=-dlto", "sm_80", "word", "--option=8.0", "90a"});
    CHECK(made.library == "/lib/x.so");
    CHECK(made.limit);
    CHECK(made.options == std::vector<std::string>{"-dlto", "8.0"});
    REQUIRE(made.archs.size() == 2);
    CHECK(made.archs[1].sm() == "sm_90a");
    CHECK_FALSE(child_arguments({"x"}).limit);
}
