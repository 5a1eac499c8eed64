// SPDX-License-Identifier: Apache-2.0
#include "python/requirement.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("requirements of all spellings give package, extras and pin") {
    CHECK(parse_requirement("cuda-toolkit[cublas,cudart]==13.0.2; platform_system == \"Linux\"")
              .pinned()
              ->text == "13.0.2");
    CHECK(parse_requirement("cuda-toolkit[cublas,cudart]==13.0.2").extras ==
          std::vector<std::string>{"cublas", "cudart"});
    CHECK(parse_requirement("nvidia_cuda.runtime==13.0.96.*").name == "nvidia-cuda-runtime");
    CHECK(parse_requirement("nvidia-cuda-runtime==13.0.96.*").pinned()->text == "13.0.96");
    CHECK(parse_requirement("triton (==2.0.0)").pinned()->text == "2.0.0");
    CHECK_FALSE(parse_requirement("cuda-bindings<14,>=13.0.3").pinned());
    CHECK_FALSE(parse_requirement("x==1.0,!=1.0.1").pinned());
    CHECK_FALSE(parse_requirement("x").pinned());
    CHECK(parse_requirement("x[").name == "x");
    CHECK(parse_requirement("(").name.empty());
}
