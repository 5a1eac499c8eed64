// Measured values against rows: equal, different, unlisted, unknown.
// SPDX-License-Identifier: Apache-2.0
#include "verify/part.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {

const char* const k_release = R"({
  "release": "12.9",
  "ptx": { "max": "8.8", "source": ["m-ptxas", "d-ptx"] },
  "ptxas_archs": { "values": ["sm_80", "sm_90", "sm_90a"], "default": "sm_52", "source": "m-ptxas" },
  "host_compilers": { "gcc_max": 14, "clang_max": null, "source": "m-hostcfg" }
})";
const char* const k_drivers =
    R"({"branches": [{"branch": 535, "cuda": "12.2", "ptx_max": "8.2", "source": ["m-jit"]}]})";

Facts tables() { return Facts::with({{"cuda/12.9.json", k_release}, {"drivers.json", k_drivers}}); }

MeasuredPart measured(FactPart kind, const char* version, const char* values) {
    MeasuredPart part;
    part.part = {"/cuda/bin/part", kind};
    if (version) part.version = parse_version(version);
    part.values = *parse_json(values, "test");
    return part;
}

using State = VerifiedPart::State;

}  // namespace

TEST_CASE("a part that matches the table agrees") {
    const auto verified = compare_with_tables(
        tables(),
        measured(
            FactPart::ptxas, "12.9.86",
            R"({"ptx":{"max":"8.8"},"ptxas_archs":{"values":["sm_90a","sm_80","sm_90"],"default":"sm_52"}})"));
    CHECK(verified.state == State::agrees);
    CHECK(verified.table == "cuda/12.9.json");
    CHECK(verified.differences.empty());
}

TEST_CASE("another value is a difference that names both and the table's source") {
    const auto verified =
        compare_with_tables(tables(), measured(FactPart::ptxas, "12.9.86", R"({"ptx":{"max":"8.9"}})"));
    REQUIRE(verified.state == State::differs);
    REQUIRE(verified.differences.size() == 1);
    const FactDifference& one = verified.differences.front();
    CHECK(one.what == "ptx.max");
    CHECK(one.text == "measured 8.9, the table says 8.8");
    CHECK(one.source == "m-ptxas, d-ptx");
}

TEST_CASE("in lists each member that only one side has is reported") {
    const auto verified = compare_with_tables(
        tables(),
        measured(FactPart::ptxas, "12.9.41", R"({"ptxas_archs":{"values":["sm_80","sm_90","sm_107"]}})"));
    REQUIRE(verified.differences.size() == 2);
    CHECK(verified.differences[0].text == "it has sm_107, which the table lacks");
    CHECK(verified.differences[1].text == "it does not know sm_90a, which the table lists");
}

TEST_CASE("a value missing from the table is not a difference, and is reported with what to add") {
    const auto verified = compare_with_tables(
        tables(),
        measured(FactPart::host_config, "12.9.86", R"({"host_compilers":{"gcc_max":14,"clang_max":19}})"));
    CHECK(verified.state == State::unknown);
    CHECK(verified.differences.empty());
    REQUIRE(verified.unlisted.size() == 1);
    CHECK(verified.unlisted[0].what == "host_compilers.clang_max");
    CHECK(verified.unlisted[0].text == "the table says nothing of it: add 19");
}

TEST_CASE("a release that is not in any table is unknown, with the script that adds it") {
    const auto verified =
        compare_with_tables(tables(), measured(FactPart::ptxas, "14.2.7", R"({"ptx":{"max":"10.4"}})"));
    CHECK(verified.state == State::unknown);
    CHECK(verified.table.empty());
    CHECK(verified.add.find("tools/dev/add_release.py 14.2") != std::string::npos);
}

TEST_CASE("a part without a version is unknown") {
    const auto verified = compare_with_tables(
        tables(), measured(FactPart::host_config, nullptr, R"({"host_compilers":{"gcc_max":14}})"));
    CHECK(verified.state == State::unknown);
    CHECK(verified.add.find("version is not known") != std::string::npos);
}

TEST_CASE("a part that could not be measured is broken, whatever the table has") {
    MeasuredPart part = measured(FactPart::ptxas, "12.9.86", "{}");
    part.trouble = "did not end within 30 s";
    CHECK(compare_with_tables(tables(), part).state == State::broken);
}

TEST_CASE("a driver is compared only with its branch") {
    const char* const reads = R"({"ptx_max":"8.2"})";
    CHECK(compare_with_tables(tables(), measured(FactPart::driver_jit, "535.261.03", reads)).state ==
          State::agrees);
    const auto newer = compare_with_tables(tables(), measured(FactPart::driver_jit, "537.13", reads));
    CHECK(newer.state == State::unknown);
    CHECK(newer.add.find("driver branch 537") != std::string::npos);
    const auto other =
        compare_with_tables(tables(), measured(FactPart::driver_jit, "535.1", R"({"ptx_max":"8.3"})"));
    CHECK(other.state == State::differs);
    CHECK(other.table == "drivers.json, branch 535");
}
