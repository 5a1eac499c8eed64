// The conditions are those of real headers; the prose behind #error is shortened.
// SPDX-License-Identifier: Apache-2.0
#include "formats/header_defines.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("limits of 12.4's header; the clang of one vendor does not count") {
    const HostConfig config = read_host_config(
        "#if !__NV_NO_HOST_COMPILER_CHECK\n"
        "#if (__GRCO_CLANG_COMPILER__ == 1) && ((__clang_major__ < 16) || (__clang_major__ > 17))\n"
        "#error -- unsupported Grace clang version! The version must be 16.x to 17.x.\n"
        "#if __GNUC__ > 13\n\n#error -- unsupported GNU version! gcc versions later than 13 are not "
        "supported!\n\n"
        "#endif /* __GNUC__ > 13 */\n"
        "#if (__clang_major__ >= 22) || (__clang_major__ < 3)\n"
        "#error -- unsupported HOS clang version! The version must be must be less than 22\n"
        "#if (__clang_major__ >= 18) || (__clang_major__ < 3) || ((__clang_major__ == 3) &&  "
        "(__clang_minor__ < 3))\n"
        "#error -- unsupported clang version! clang version must be less than 18\n"
        "#if _MSC_VER < 1910 || _MSC_VER >= 1950\n\n"
        "#error -- unsupported Microsoft Visual Studio version! Only the versions between 2017 and 2022\n"
        "#elif _MSC_VER >= 1910 && _MSC_VER < 1910\n");
    CHECK(config.gcc_max == 13);
    CHECK(config.clang_max == 17);
    CHECK(config.msvc_ver_min == 1910);
    CHECK(config.msvc_ver_below == 1950);
}

TEST_CASE("a header without these lines sets no limits") {
    CHECK(read_host_config("").empty());
    CHECK(read_host_config("#if __GNUC__ > 13\n#endif\n").empty());
    CHECK(read_host_config("#error -- unsupported GNU version!").empty());
    CHECK(read_host_config("#if __GNUC__\n#error -- unsupported GNU version!\n").empty());
    CHECK(read_host_config("/* #if __GNUC__ > 5 */\n").empty());
}

TEST_CASE("CRLF and indented lines are read") {
    CHECK(read_host_config("  #if __GNUC__ > 14\r\n\r\n  #error -- unsupported GNU version!\r\n").gcc_max ==
          14);
}
