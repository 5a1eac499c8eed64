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
    CHECK(metadata->requirements[0].name == "nvidia-cudnn-cu11");
    CHECK(metadata->requirements[0].pinned()->text == "8.5.0.96");
    CHECK(metadata->requirements[0].line == 4);
    CHECK_FALSE(read_wheel_metadata("Name: x\n\nVersion: 1\n"));
    CHECK_FALSE(read_wheel_metadata(""));
}

namespace {

WheelRequirement from_text(const char* text) { return {parse_requirement(text), 1}; }

}  // namespace

TEST_CASE("markers are decided by platform and extra") {
    CHECK(from_text("a==1; platform_system == 'Linux'").applies(System::linux_));
    CHECK_FALSE(from_text("a==1; platform_system == \"Linux\" and platform_machine == \"x86_64\"")
                    .applies(System::windows));
    CHECK_FALSE(from_text("a==1; extra == 'and-cuda'").applies(System::linux_));
    CHECK(from_text("a==1; extra == 'and-cuda'").applies(System::linux_, "and-cuda"));
    CHECK(from_text("a==1; (sys_platform == 'linux' or sys_platform == 'win32')").applies(System::windows));
    CHECK_FALSE(from_text("a==1; sys_platform == 'linux'").applies(System::windows));
    CHECK_FALSE(from_text("a==1; sys_platform == 'darwin'").applies(System::linux_));
    CHECK(from_text("a==1; python_version >= '3.9'").applies(System::linux_));
}
