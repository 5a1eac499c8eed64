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

TEST_CASE("a file may have extras, and a URL ends at the marker") {
    const Requirement archive = parse_requirement("dist/engine.tar.gz[all,dev]");
    CHECK(archive.direct == "dist/engine.tar.gz");
    CHECK(archive.extras == std::vector<std::string>{"all", "dev"});
    CHECK(archive.specifier.empty());
    const Requirement wheel = parse_requirement("./engine-1.2-py3-none-any.whl[gpu]; python_version < '3.9'");
    CHECK(wheel.name == "engine");
    CHECK(wheel.pinned()->text == "1.2");
    CHECK(wheel.marker == "python_version < '3.9'");
    for (const char* text : {"engine @ https://a.b/engine-1.2-py3-none-any.whl; python_version < '3.9'",
                             "engine @ https://a.b/engine-1.2-py3-none-any.whl ; python_version < '3.9'"}) {
        const Requirement url = parse_requirement(text);
        CHECK(url.direct == "https://a.b/engine-1.2-py3-none-any.whl");
        CHECK(url.specifier == "==1.2");
        CHECK(url.marker == "python_version < '3.9'");
    }
    CHECK(parse_requirement("engine @ https://a.b/x;y/engine.zip").direct == "https://a.b/x;y/engine.zip");
}
