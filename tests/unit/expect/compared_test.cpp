// Packages that compare their releases when they are imported.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/compared.hpp"
#include "facts/compared.hpp"
#include "world.hpp"

using namespace ptxguard;

namespace {

std::vector<ComparedPackages> compared(const FakeHost& host,
                                       const std::vector<std::string>& folders = {k_site}) {
    Scenario scenario;
    for (const std::string& folder : folders) scenario.python.places.push_back({folder});
    find_compared_packages(host, Facts::embedded(), scenario);
    return scenario.python.compared;
}

bool refused(const char* package, const char* of, const char* version, const char* of_version) {
    const Facts facts = Facts::embedded();
    for (const ComparedRow& row : compared_rows(facts))
        if (row.package == package && row.of == of && row.covers(*parse_version(of_version)))
            return refuses(row, *parse_version(version), *parse_version(of_version));
    return false;
}

}  // namespace

TEST_CASE("both packages of a row are found, in whatever folder") {
    FakeHost host;
    add_record(host, k_site, "flashinfer_python", "0.7.2");
    CHECK(compared(host).empty());
    add_record(host, "/t", "flashinfer_cubin", "0.6.13");
    const auto pairs = compared(host, {k_site, "/t"});
    REQUIRE(pairs.size() == 1);
    CHECK(pairs[0].package == "flashinfer-cubin");
    CHECK(pairs[0].version->text == "0.6.13");
    CHECK(pairs[0].of_version->text == "0.7.2");
    CHECK(pairs[0].off_by.empty());
}

TEST_CASE("a variable that disables the comparison counts if it is not empty") {
    FakeHost host;
    add_record(host, k_site, "flashinfer_python", "0.7.2");
    add_record(host, k_site, "flashinfer_cubin", "0.6.13");
    host.env("FLASHINFER_DISABLE_VERSION_CHECK", "");
    CHECK(compared(host).at(0).off_by.empty());
    host.env("FLASHINFER_CUBIN_DIR", "/cubins");
    CHECK(compared(host).at(0).off_by == "FLASHINFER_CUBIN_DIR");
    host.env("FLASHINFER_DISABLE_VERSION_CHECK", "1");
    CHECK(compared(host).at(0).off_by == "FLASHINFER_DISABLE_VERSION_CHECK");
}

TEST_CASE("of two cores of Transformer Engine the one for CUDA 12 is compared") {
    FakeHost host;
    add_record(host, k_site, "transformer_engine", "2.10.0");
    add_record(host, k_site, "transformer_engine_cu13", "2.9.0");
    CHECK(compared(host).at(0).package == "transformer-engine-cu13");
    add_record(host, k_site, "transformer_engine_cu12", "2.10.0");
    REQUIRE(compared(host).size() == 1);
    CHECK(compared(host)[0].package == "transformer-engine-cu12");
}

TEST_CASE("which pairs are refused") {
    CHECK(refused("flashinfer-cubin", "flashinfer-python", "0.6.13", "0.7.2"));
    CHECK(refused("flashinfer-cubin", "flashinfer-python", "0.7.2", "0.7.2.post1"));
    CHECK_FALSE(refused("flashinfer-cubin", "flashinfer-python", "0.5.3", "0.5.3"));
    CHECK(refused("flashinfer-jit-cache", "flashinfer-python", "0.6.13+cu130", "0.6.12"));
    CHECK_FALSE(refused("flashinfer-jit-cache", "flashinfer-python", "0.6.13+cu130", "0.6.13"));
    CHECK_FALSE(refused("flashinfer-jit-cache", "flashinfer-python", "0.6.10+cu130", "0.6.1"));
    CHECK(refused("flashinfer-jit-cache", "flashinfer-python", "0.7.10+cu130", "0.7.1"));
    CHECK_FALSE(refused("flashinfer-cubin", "flashinfer-python", "0.4.1", "0.4.0"));  // not read
    CHECK_FALSE(refused("transformer-engine-cu12", "transformer-engine", "2.4.0", "2.5.0"));
}

TEST_CASE("no release is covered by two rows of a pair") {
    const Facts facts = Facts::embedded();
    for (const ComparedRow& one : compared_rows(facts))
        for (const ComparedRow& other : compared_rows(facts)) {
            if (&one == &other || one.package != other.package || one.of != other.of) continue;
            CHECK(((one.below && other.from && *one.below <= *other.from) ||
                   (other.below && one.from && *other.below <= *one.from)));
        }
}
