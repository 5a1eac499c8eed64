// From the child's lines to results; the texts are those of real drivers.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "probe/reading.hpp"

using namespace ptxguard;

namespace {

Driver driver_535() {
    Driver driver;
    driver.id = "driver1";
    driver.version = Known<Version>(*parse_version("535.261.03"), {});
    return driver;
}

JitLibrary library() {
    JitLibrary jit;
    jit.path = "/usr/lib/libnvidia-ptxjitcompiler.so.1";
    return jit;
}

PtxSample sample(Arch arch, PtxVersion version) {
    PtxSample made;
    made.text = "...";
    made.toolkit = "toolkit1";
    made.target = arch;
    made.version = version;
    made.archs = {arch};
    return made;
}

ProcessResult jit_said(const std::string& out) {
    ProcessResult run;
    run.state = ProcessResult::State::exited;
    run.out = out;
    return run;
}

const char* const k_limit =
    R"({"event":"loaded","api":"12.2"})"
    "\n"
    R"({"event":"limit","arch":"sm_80","result":7,"log":"ptxas application ptx input, line 1; fatal   : Unsupported .version 99.9; current version is '8.2'\n","made":false})"
    "\n"
    R"({"event":"oldest","arch":"sm_80","result":0,"log":"","made":true})"
    "\n";

}  // namespace

TEST_CASE("PTX that the driver compiles is accepted, and its own limit is reported") {
    auto results =
        jit_results(driver_535(), library(), sample({80, 0}, {8, 2}),
                    jit_said(std::string(k_limit) +
                             R"({"event":"compile","arch":"sm_80","result":0,"log":"","made":true})"
                             "\n"));
    REQUIRE(results.size() == 1);
    CHECK(results[0].outcome == Outcome::accepted);
    CHECK(results[0].accepts_up_to->text() == "8.2");
    CHECK(results[0].driver == "driver1");
    CHECK(results[0].toolkit == "toolkit1");
    CHECK(results[0].tool_version->text == "535.261.03");
    CHECK(results[0].command == "nvPTXCompilerCompile --gpu-name=sm_80");
}

TEST_CASE("too new PTX is refused with the driver's own message") {
    auto results = jit_results(
        driver_535(), library(), sample({80, 0}, {9, 0}),
        jit_said(
            std::string(k_limit) +
            R"({"event":"compile","arch":"sm_80","result":7,"log":"ptxas application ptx input, line 9; fatal   : Unsupported .version 9.0; current version is '8.2'\n","made":false})"));
    REQUIRE(results.size() == 1);
    CHECK(results[0].outcome == Outcome::refused);
    CHECK(
        results[0].first_error ==
        "ptxas application ptx input, line 9; fatal   : Unsupported .version 9.0; current version is '8.2'");
    CHECK(results[0].exit_code == 7);
}

TEST_CASE("an architecture that the driver does not support is distinguished from the version") {
    auto results = jit_results(
        driver_535(), library(), sample({100, 0}, {9, 0}),
        jit_said(
            std::string(k_limit) +
            R"({"event":"compile","arch":"sm_100","result":3,"log":"ptxas fatal   : Value 'sm_100' is not defined for option 'gpu-name'\n","made":false})"
            "\n"
            R"({"event":"version","arch":"sm_52","result":7,"log":"ptxas application ptx input, line 1; fatal   : Unsupported .version 9.0; current version is '8.2'\n","made":false})"));
    REQUIRE(results.size() == 2);
    CHECK(results[0].target->sm() == "sm_100");
    CHECK(results[0].outcome == Outcome::refused);
    CHECK(results[0].first_error == "ptxas fatal   : Value 'sm_100' is not defined for option 'gpu-name'");
    CHECK_FALSE(results[1].target);
    CHECK(results[1].outcome == Outcome::refused);
    CHECK(results[1].ptx->text() == "9.0");
    CHECK(results[1].accepts_up_to->text() == "8.2");
}

TEST_CASE("without input a driver reports the newest PTX it reads") {
    auto results = jit_results(driver_535(), library(), PtxSample{}, jit_said(k_limit));
    REQUIRE(results.size() == 1);
    CHECK(results[0].outcome == Outcome::accepted);
    CHECK_FALSE(results[0].ptx);
    CHECK(results[0].accepts_up_to->text() == "8.2");
    CHECK(results[0].first_error.empty());
}

TEST_CASE("a library that cannot be used is broken, with a reason") {
    auto missing =
        jit_results(driver_535(), library(), sample({80, 0}, {9, 0}),
                    jit_said(R"({"event":"trouble","text":"libfoo.so.1: cannot open shared object file"})"));
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].outcome == Outcome::broken);
    CHECK(missing[0].first_error == "libfoo.so.1: cannot open shared object file");

    ProcessResult crash = jit_said(k_limit);
    crash.state = ProcessResult::State::crashed;
    crash.exit_code = 11;
    auto crashed = jit_results(driver_535(), library(), sample({80, 0}, {9, 0}), crash);
    CHECK(crashed[0].outcome == Outcome::broken);
    CHECK(crashed[0].crashed);
    CHECK(crashed[0].first_error == "the library crashed (signal or exception 11)");
    CHECK(crashed[0].accepts_up_to->text() == "8.2");  // it had reported that before

    ProcessResult hang;
    hang.state = ProcessResult::State::timed_out;
    auto hung = jit_results(driver_535(), library(), PtxSample{}, hang);
    CHECK(hung[0].timed_out);
    CHECK(hung[0].outcome == Outcome::broken);
    CHECK_FALSE(hung[0].accepts_up_to);
}

TEST_CASE("garbage among the child's lines is skipped") {
    auto results =
        jit_results(driver_535(), library(), sample({80, 0}, {8, 2}),
                    jit_said("the library's own chatter {\n" + std::string(k_limit) +
                             R"({"event":"compile","arch":"sm_80","result":0,"log":"","made":true})"));
    CHECK(results[0].outcome == Outcome::accepted);
}

TEST_CASE("a failure to start our own program is not a result for the library") {
    ProcessResult run;
    run.trouble = "Resource temporarily unavailable";
    auto results = jit_results(driver_535(), library(), sample({80, 0}, {8, 2}), run);
    CHECK(results[0].outcome == Outcome::unknown);
}

TEST_CASE("PTX is compiled for the GPUs that it may be compiled for, else for its own target") {
    Gpu ampere, turing, nameless;
    ampere.arch = Known<Arch>({86, 0}, {});
    turing.arch = Known<Arch>({75, 0}, {});
    auto archs = archs_to_compile_for({80, 0}, {turing, ampere, ampere, nameless});
    REQUIRE(archs.size() == 1);
    CHECK(archs[0].sm() == "sm_86");
    CHECK(archs_to_compile_for({90, 'a'}, {turing}).front().sm() == "sm_90a");
    CHECK(archs_to_compile_for({80, 0}, {}).front().sm() == "sm_80");
}

TEST_CASE("a library that accepts an absurd version or refuses the oldest one is ignored") {
    const std::string compiled = R"({"event":"compile","arch":"sm_80","result":0,"log":"","made":true})"
                                 "\n";
    const std::string refused =
        R"({"event":"compile","arch":"sm_80","result":7,"log":"Unsupported .version 9.0; current version is '8.2'","made":false})"
        "\n";
    const std::string all_pass = R"({"event":"limit","arch":"sm_80","result":0,"log":"","made":true})"
                                 "\n";
    const std::string old = R"({"event":"oldest","arch":"sm_80","result":3,"log":"error","made":false})"
                            "\n";
    for (const std::string& lines :
         {all_pass + compiled, k_limit + old + compiled, k_limit + old + refused}) {
        const auto results = jit_results(driver_535(), library(), sample({80, 0}, {8, 2}), jit_said(lines));
        REQUIRE(results.size() == 1);
        CHECK(results[0].outcome == Outcome::unknown);
        CHECK_FALSE(results[0].accepts_up_to);
        CHECK(results[0].first_error.find("do not count") != std::string::npos);
    }
    for (const std::string& lines : {all_pass, k_limit + old})
        CHECK(jit_results(driver_535(), library(), PtxSample{}, jit_said(lines))[0].outcome ==
              Outcome::unknown);
}
