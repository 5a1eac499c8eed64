// SPDX-License-Identifier: Apache-2.0
#include "formats/wheel_metadata.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("name, version and requirements are read only from the header part") {
    const auto metadata = read_wheel_metadata(
        "Metadata-Version: 2.1\r\nName: Torch_X\r\nVersion: 2.0.0\r\nRequires-Dist: nvidia-cudnn-cu11 "
        "(==8.5.0.96) ; platform_system == \"Linux\"\r\n\r\nVersion: 9.9\r\n");
    REQUIRE(metadata);
    CHECK(metadata->name == "torch-x");
    CHECK(metadata->version == "2.0.0");
    CHECK(metadata->version_line == 3);
    REQUIRE(metadata->requirements.size() == 1);
    CHECK(metadata->requirements[0].package == "nvidia-cudnn-cu11");
    CHECK(metadata->requirements[0].pinned()->text == "8.5.0.96");
    CHECK(metadata->requirements[0].line == 4);
    CHECK_FALSE(read_wheel_metadata("Name: x\n\nVersion: 1\n"));
    CHECK_FALSE(read_wheel_metadata(""));
}

TEST_CASE("requirements of all spellings give package, extras and pin") {
    CHECK(parse_requirement("cuda-toolkit[cublas,cudart]==13.0.2; platform_system == \"Linux\"")
              .pinned()
              ->text == "13.0.2");
    CHECK(parse_requirement("cuda-toolkit[cublas,cudart]==13.0.2").extras == "cublas,cudart");
    CHECK(parse_requirement("nvidia_cuda.runtime==13.0.96.*").package == "nvidia-cuda-runtime");
    CHECK(parse_requirement("nvidia-cuda-runtime==13.0.96.*").pinned()->text == "13.0.96");
    CHECK(parse_requirement("triton (==2.0.0)").pinned()->text == "2.0.0");
    CHECK_FALSE(parse_requirement("cuda-bindings<14,>=13.0.3").pinned());
    CHECK_FALSE(parse_requirement("x==1.0,!=1.0.1").pinned());
    CHECK_FALSE(parse_requirement("x").pinned());
    CHECK(parse_requirement("x[").package == "x");
    CHECK(parse_requirement("(").package.empty());
}

TEST_CASE("markers are decided by platform and extra") {
    CHECK(parse_requirement("a==1; platform_system == 'Linux'").applies(System::linux_));
    CHECK_FALSE(parse_requirement("a==1; platform_system == \"Linux\" and platform_machine == \"x86_64\"")
                    .applies(System::windows));
    CHECK_FALSE(parse_requirement("a==1; extra == 'and-cuda'").applies(System::linux_));
    CHECK(parse_requirement("a==1; extra == 'and-cuda'").applies(System::linux_, "and-cuda"));
    CHECK(parse_requirement("a==1; (sys_platform == 'linux' or sys_platform == 'win32')")
              .applies(System::windows));
    CHECK_FALSE(parse_requirement("a==1; sys_platform == 'linux'").applies(System::windows));
    CHECK_FALSE(parse_requirement("a==1; sys_platform == 'darwin'").applies(System::linux_));
    CHECK(parse_requirement("a==1; python_version >= '3.9'").applies(System::linux_));
}
