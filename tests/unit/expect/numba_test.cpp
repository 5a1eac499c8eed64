// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "world.hpp"

using namespace ptxguard;

namespace {

FakeHost with_numba_cuda(const std::string& bindings) {
    FakeHost host;
    host.file(k_site + "/numba_cuda/__init__.py");
    add_record(host, k_site, "numba_cuda", "0.30.4", "Requires-Dist: cuda-bindings<14.0.0,>=12.9.1\n");
    if (!bindings.empty()) add_record(host, k_site, "cuda_bindings", bindings);
    return host;
}

}  // namespace

TEST_CASE("numba-cuda's CUDA is that of the cuda-bindings next to it") {
    for (const auto& [bindings, cuda] : {std::pair{"13.1.0", "13"}, std::pair{"12.9.4", "12"}}) {
        const Scenario scenario = look(with_numba_cuda(bindings), python(k_site));
        REQUIRE(scenario.expectations.size() == 1);
        const Expectation& found = scenario.expectations[0];
        CHECK(found.framework == "Numba");
        CHECK(found.package == "numba-cuda");
        CHECK(found.version->text == "0.30.4");
        CHECK(*found.vendor == Vendor::cuda);
        CHECK(found.cuda->text == cuda);
        CHECK(found.cuda.origin.text == std::string("cuda-bindings ") + bindings + ", " + k_site +
                                            "/cuda_bindings-" + bindings + ".dist-info/METADATA");
    }
}

TEST_CASE("without cuda-bindings its CUDA is unknown, and Numba without numba-cuda is not a framework") {
    const Scenario without_bindings = look(with_numba_cuda(""), python(k_site));
    REQUIRE(without_bindings.expectations.size() == 1);
    CHECK_FALSE(without_bindings.expectations[0].cuda);
    FakeHost host;
    host.file(k_site + "/numba/__init__.py");
    add_record(host, k_site, "numba", "0.61.2");
    CHECK(look(host, python(k_site)).expectations.empty());
}

TEST_CASE("the nvJitLink of its CUDA links its kernels, from 0.16 on") {
    FakeHost host = with_numba_cuda("12.9.4");
    add_record(host, k_site, "nvidia_nvjitlink_cu12", "12.4.127");
    add_record(host, k_site, "nvidia_nvjitlink", "13.0.88");
    const Scenario scenario = look(host, python(k_site));
    REQUIRE(scenario.expectations.size() == 1);
    REQUIRE(scenario.expectations[0].tools.size() == 1);
    CHECK(scenario.expectations[0].tools[0].tool == "nvJitLink");
    CHECK(scenario.expectations[0].tools[0].version->text == "12.4.127");
    host.file(k_site + "/numba_cuda/VERSION", "0.15.2\n");
    CHECK(look(host, python(k_site)).expectations[0].tools.empty());
}

TEST_CASE("a declared numba-cuda has the CUDA of its extra") {
    Request request = python(k_site);
    request.frameworks = {"numba-cuda[cu13]==0.30.4"};
    FakeHost host;
    host.folder(k_site);
    const Scenario scenario = look(host, request);
    REQUIRE(scenario.expectations.size() == 1);
    CHECK(scenario.expectations[0].declared);
    CHECK(scenario.expectations[0].cuda->text == "13");
}
