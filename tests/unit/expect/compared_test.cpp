// Packages that compare their releases when they are imported.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "expect/compared.hpp"
#include "expect/requirements.hpp"
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

namespace {

std::vector<UnmetRequirement> unmet(const FakeHost& host, const std::vector<std::string>& records) {
    Scenario scenario;
    scenario.python.places.push_back({k_site, false, records});
    find_unmet_requirements(host, Facts::embedded(), scenario);
    return scenario.python.unmet;
}

}  // namespace

TEST_CASE("a companion that requires a newer torch than is there") {
    FakeHost host;
    add_record(host, k_site, "xformers", "0.0.35", "Requires-Dist: torch>=2.10\n");
    add_record(host, k_site, "torch", "2.8.0+cu128");
    const auto found = unmet(host, {"xformers", "torch"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].wanted == "torch>=2.10");
    CHECK(found[0].other_version->text == "2.8.0+cu128");
    FakeHost image;  // NVIDIA's own pre-release
    add_record(image, k_site, "xformers", "0.0.35", "Requires-Dist: torch>=2.10\n");
    add_record(image, k_site, "torch", "2.10.0a0+b558c986e8.nv25.11");
    CHECK(unmet(image, {"xformers", "torch"}).empty());
}

TEST_CASE("a post release that is required is there") {
    FakeHost host;
    add_record(host, k_site, "cuquantum_cu12", "24.8.0", "Requires-Dist: custatevec-cu12 ==1.6.0.post1\n");
    add_record(host, k_site, "custatevec_cu12", "1.6.0.post1");
    CHECK(unmet(host, {"cuquantum-cu12", "custatevec-cu12"}).empty());
    FakeHost other;
    add_record(other, k_site, "cuquantum_cu12", "24.8.0", "Requires-Dist: custatevec-cu12 ==1.6.0.post1\n");
    add_record(other, k_site, "custatevec_cu12", "1.6.0");
    CHECK(unmet(other, {"cuquantum-cu12", "custatevec-cu12"}).size() == 1);
}

TEST_CASE("a package for one CUDA whose required package is there for another one") {
    const std::string requires_cumm = "Requires-Dist: cumm-cu120 (<0.5.0,>=0.4.5)\n";
    FakeHost host;
    add_record(host, k_site, "spconv_cu120", "2.3.6", requires_cumm);
    add_record(host, k_site, "cumm_cu124", "0.8.2");
    const auto found = unmet(host, {"spconv-cu120", "cumm-cu124"});
    REQUIRE(found.size() == 1);
    CHECK(found[0].other == "cumm-cu124");
    CHECK(unmet(host, {"spconv-cu120"}).empty());  // absent: its import reports it
    add_record(host, k_site, "cumm_cu120", "0.4.11");
    CHECK(unmet(host, {"spconv-cu120", "cumm-cu124", "cumm-cu120"}).empty());
    add_record(host, k_site, "nvidia_nccl_cu13", "2.27.7");
    add_record(host, k_site, "cuml_cu12", "25.8.0",
               "Requires-Dist: nvidia-nccl-cu12>=2.19\n"
               "Requires-Dist: cupy-cuda12x>=12; python_version < '3.9'\n");
    CHECK(unmet(host, {"cuml-cu12", "nvidia-nccl-cu13"}).empty());
}

namespace {

std::vector<DriverBoundPackage> driver_bound(FakeHost& host, const std::vector<std::string>& records) {
    Scenario scenario;
    scenario.python.places.push_back({k_site, false, records});
    find_driver_bound_packages(host, Facts::embedded(), scenario);
    return scenario.python.driver_bound;
}

}  // namespace

TEST_CASE("a package whose releases do not work with some drivers is found, and who requires it") {
    FakeHost host;
    add_record(host, k_site, "numba", "0.63.1");
    CHECK(driver_bound(host, {"numba"}).size() == 1);  // a release that works is compared too
    CHECK(driver_bound(host, {}).size() == 1);
    FakeHost older;
    add_record(older, k_site, "numba", "0.61.2");
    const auto alone = driver_bound(older, {"numba"});
    REQUIRE(alone.size() == 1);
    CHECK(alone[0].package == "numba");
    CHECK(alone[0].version->text == "0.61.2");
    CHECK(alone[0].required_by.empty());
    add_record(older, k_site, "librosa", "0.11.0", "Requires-Dist: numba>=0.51.0\n");
    CHECK(driver_bound(older, {"numba", "librosa"})[0].required_by == "librosa");
}

TEST_CASE("an extra does not require a package; what a row names beside it is found too") {
    FakeHost host;
    add_record(host, k_site, "numba_cuda", "0.16.0",
               "Requires-Dist: cuda-bindings==12.9.*; extra == \"cu12\"\n");
    add_record(host, k_site, "cuda_bindings", "12.9.0");
    add_record(host, k_site, "numba", "0.61.2");
    add_record(host, k_site, "x", "1", "Requires-Dist: numba-cuda; extra == \"gpu\"\n");
    const auto found = driver_bound(host, {"numba-cuda", "cuda-bindings", "numba", "x"});
    REQUIRE(found.size() == 3);
    CHECK(found[0].package == "numba-cuda");
    CHECK(found[0].required_by.empty());
    CHECK(found[1].package == "cuda-bindings");
    CHECK(found[1].version->text == "12.9.0");
}
