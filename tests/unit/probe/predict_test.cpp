// Results by table, with tables of the test's own.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "probe/predict.hpp"

using namespace ptxguard;

namespace {

Part part(PartKind kind, const char* version) {
    Part made;
    made.kind = kind;
    made.path = std::string("/opt/cuda/bin/") + to_string(kind);
    if (version) made.version = Known<Version>(*parse_version(version), {});
    return made;
}

Toolkit toolkit(const char* nvcc, const char* cicc, const char* ptxas) {
    Toolkit made;
    made.id = "toolkit1";
    made.parts = {part(PartKind::nvcc, nvcc), part(PartKind::cicc, cicc), part(PartKind::ptxas, ptxas)};
    return made;
}

Scenario for_archs(const char* archs) {
    Scenario scenario;
    scenario.project.archs = *parse_arch_list(archs, ArchDialect::cmake);
    return scenario;
}

const ProbeResult* first(const std::vector<ProbeResult>& results, ProbeKind kind) {
    for (const ProbeResult& result : results) {
        if (result.kind == kind) return &result;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("one release throughout is predicted to fit, from its table row") {
    auto results =
        predict_toolkit(Facts::embedded(), for_archs("80"), toolkit("13.0.88", "13.0.88", "13.0.88"));
    const ProbeResult* ptx = first(results, ProbeKind::ptx);
    REQUIRE(ptx);
    CHECK(ptx->outcome == Outcome::accepted);
    CHECK(ptx->basis == Certainty::predicted);
    CHECK(ptx->ptx->text() == "9.0");
    CHECK(ptx->words.find("13.0") != std::string::npos);
    CHECK(first(results, ProbeKind::assemble)->outcome == Outcome::accepted);
}

TEST_CASE("a newer cicc writes PTX that an older ptxas refuses") {
    auto results =
        predict_toolkit(Facts::embedded(), for_archs("80"), toolkit("13.0.88", "13.5.37", "13.0.88"));
    CHECK(first(results, ProbeKind::ptx)->ptx->text() == "9.5");
    const ProbeResult* assembly = first(results, ProbeKind::assemble);
    CHECK(assembly->outcome == Outcome::refused);
    CHECK(assembly->culprit == Culprit::ptxas);
    CHECK(assembly->accepts_up_to->text() == "9.0");
    CHECK(assembly->first_error == "ptxas of CUDA 13.0 reads PTX up to 9.0");
}

TEST_CASE("a dropped architecture is refused, a kept one next to it is not") {
    auto results =
        predict_toolkit(Facts::embedded(), for_archs("60;75"), toolkit("13.0.88", nullptr, "13.0.88"));
    REQUIRE(results.size() == 4);  // list, PTX of 60, PTX of 75 and its assembly
    CHECK(results[1].outcome == Outcome::refused);
    CHECK(results[1].first_error == "nvcc of CUDA 13.0 does not support sm_60");
    CHECK_FALSE(results[1].ptx);
    CHECK(results[2].outcome == Outcome::accepted);
}

TEST_CASE("a version that is not in any table, or none at all, is unknown, with a reason") {
    auto unlisted =
        predict_toolkit(Facts::embedded(), for_archs("80"), toolkit("99.0.1", "99.0.1", "99.0.1"));
    CHECK(first(unlisted, ProbeKind::ptx)->outcome == Outcome::unknown);
    CHECK(first(unlisted, ProbeKind::ptx)->first_error == "nvcc 99.0.1 is in no table");
    CHECK_FALSE(first(unlisted, ProbeKind::assemble));
    auto nameless = predict_toolkit(Facts::embedded(), for_archs("80"), toolkit(nullptr, nullptr, "13.0.88"));
    CHECK(first(nameless, ProbeKind::ptx)->first_error == "the version of nvcc is not known");
    Toolkit empty;
    CHECK(first(predict_toolkit(Facts::embedded(), Scenario{}, empty), ProbeKind::ptx)->first_error ==
          "this toolkit has no nvcc");
}

TEST_CASE("an unlisted ptxas leaves the assembly undecided") {
    auto results = predict_toolkit(Facts::embedded(), for_archs("80"), toolkit("13.0.88", nullptr, "99.0"));
    CHECK(first(results, ProbeKind::assemble)->outcome == Outcome::unknown);
    CHECK(first(results, ProbeKind::assemble)->first_error == "ptxas 99.0 is in no table");
}

TEST_CASE("an empty request gives one result without target") {
    auto results =
        predict_toolkit(Facts::embedded(), Scenario{}, toolkit("12.4.131", "12.4.131", "12.4.131"));
    CHECK_FALSE(first(results, ProbeKind::ptx)->target);
    CHECK(first(results, ProbeKind::ptx)->ptx->text() == "8.4");
}

TEST_CASE("a driver's branch decides on each PTX") {
    auto made = predict_toolkit(Facts::embedded(), for_archs("80"), toolkit("13.0.88", "13.0.88", "13.0.88"));
    std::vector<ProbeResult> ptx = {*first(made, ProbeKind::ptx)};
    Driver old_driver;
    old_driver.id = "driver1";
    old_driver.version = Known<Version>(*parse_version("535.104.05"), {});
    auto refused = predict_driver(Facts::embedded(), old_driver, ptx);
    REQUIRE(refused.size() == 1);
    CHECK(refused[0].outcome == Outcome::refused);
    CHECK(refused[0].accepts_up_to->text() == "8.2");
    CHECK(refused[0].first_error == "driver branch 535 reads PTX up to 8.2");
    CHECK(refused[0].target->sm() == "sm_80");
    Driver new_driver = old_driver;
    new_driver.version = Known<Version>(*parse_version("580.65.06"), {});
    CHECK(predict_driver(Facts::embedded(), new_driver, ptx)[0].outcome == Outcome::accepted);
    CHECK(predict_driver(Facts::embedded(), old_driver, {})[0].accepts_up_to->text() == "8.2");
}

TEST_CASE("a driver with only a CUDA release is judged by that, one without any version is unknown") {
    Driver by_cuda;
    by_cuda.cuda = Known<Version>(*parse_version("12.2"), {});
    CHECK(predict_driver(Facts::embedded(), by_cuda, {})[0].accepts_up_to->text() == "8.2");
    CHECK(predict_driver(Facts::embedded(), Driver{}, {})[0].outcome == Outcome::unknown);
    CHECK(predict_driver(Facts::embedded(), Driver{}, {})[0].first_error ==
          "the driver's version is not known");
    Driver future;
    future.version = Known<Version>(*parse_version("9999.1"), {});
    CHECK(predict_driver(Facts::embedded(), future, {})[0].first_error == "driver 9999.1 is in no table");
}
