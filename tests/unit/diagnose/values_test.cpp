// SPDX-License-Identifier: Apache-2.0
#include "diagnose/values.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("a sentence has only the parts whose values are known") {
    const LogValues values{{"driver", {"550.54.14", 3}}};
    CHECK(filled("the driver[ {driver}] reads[ up to {read}]", values) == "the driver 550.54.14 reads");
    CHECK(filled("[--driver {driver}]@driver[--driver VERSION]", values) == "--driver 550.54.14");
    CHECK(filled("[--gpu {gpu}]@gpu[--gpu NAME]", values) == "--gpu NAME");
    CHECK(filled("{gpu|the GPU} and {driver|x}", values) == "the GPU and 550.54.14");
    CHECK(filled("jax[[cuda12]] a@b", values) == "jax[cuda12] a@b");
    CHECK(filled("[outer {driver}[ {gpu}] end]", values) == "outer 550.54.14 end");
}

TEST_CASE("a value that the log disputes is not known") {
    const FoundMessages found = find_messages(
        "PyTorch version: 2.5.1+cu121\ntorch==2.5.1\nNvidia driver version: 550.54.14\n"
        "Nvidia driver version: 535.104.05\n");
    const LogValues values = values_of_log(found);
    REQUIRE(values.count("torch") == 1);
    CHECK(values.at("torch").text == "2.5.1+cu121");
    CHECK(values.count("driver") == 0);
}

TEST_CASE("the tables add the CUDA releases of PTX and architectures") {
    const Facts facts = Facts::embedded();
    const FoundMessages found = find_messages(
        "ptxas x.ptx, line 5; fatal   : Unsupported .version 8.5; current version is '8.2'\n"
        "nvcc fatal   : Unsupported gpu architecture 'compute_120'\n");
    const LogValues of_log = values_of_log(found);
    LogValues values = values_for(found.messages.front(), of_log, facts);
    CHECK(values["made_cuda"].text == "12.5 or 12.6");
    CHECK(values["read_cuda"].text == "12.2");
    values = values_for(found.messages[1], of_log, facts);
    CHECK(values["arch_first"].text == "12.8");
}
