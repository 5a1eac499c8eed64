// SPDX-License-Identifier: Apache-2.0
#include "python/marker.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

TEST_CASE("markers are decided if enough is known") {
    const MarkerEnvironment place{"3.11", "linux", "x86_64", {"gpu"}};
    const auto yes = [&](const char* marker) { return holds(marker, place) == Truth::yes; };
    const auto no = [&](const char* marker) { return holds(marker, place) == Truth::no; };
    const auto open = [&](const char* marker) { return holds(marker, place) == Truth::unknown; };
    CHECK(yes(""));
    CHECK(yes("python_version >= '3.9'"));
    CHECK(yes("python_version<\"3.12\" and sys_platform=='linux'"));
    CHECK(no("python_version >= '3.12'"));
    CHECK(no("python_version < '3.10' or platform_system == \"Windows\""));
    CHECK(yes("'3.10' <= python_version"));
    CHECK(yes("python_version == '3.*'"));
    CHECK(yes("python_version ~= '3.9'"));
    for (const char* sign : {"<=", ">=", "==", "==="})
        CHECK_MESSAGE(yes(("python_version " + std::string(sign) + " '3.11'").c_str()), sign);
    for (const char* sign : {"<", ">", "!="})
        CHECK_MESSAGE(no(("python_version " + std::string(sign) + " '3.11'").c_str()), sign);
    CHECK(yes("python_full_version < '3.12'"));
    CHECK(open("python_full_version >= '3.11.4'"));
    CHECK(yes("extra == 'gpu'"));
    CHECK(no("extra == 'cpu' and python_version > '3'"));
    CHECK(yes("extra != 'cpu'"));
    CHECK(yes("(platform_machine == 'x86_64' or platform_machine == 'AMD64') and os_name == 'posix'"));
    CHECK(no("platform_machine in 'aarch64 arm64'"));
    CHECK(yes("python_version in '3.10, 3.11'"));
    CHECK(yes("'linux' in sys_platform"));
    CHECK(open("platform_release >= '5'"));
    for (const char* same :
         {"sys_platform == 'linux'", "sys.platform == 'linux'", "platform_machine == 'x86_64'",
          "platform.machine == 'x86_64'", "platform_python_implementation == 'CPython'",
          "platform.python_implementation == 'CPython'", "implementation_name == 'cpython'",
          "os_name == 'posix'", "os.name == 'posix'", "platform_system == 'Linux'"})
        CHECK_MESSAGE(yes(same), same);
    CHECK(holds("os_name == 'nt'", {"", "win32", "", {}}) == Truth::yes);
    CHECK(holds("platform_system == 'Darwin'", {"", "darwin", "", {}}) == Truth::yes);
    CHECK(open("platform_machine > 'a'"));
    CHECK(open("python_version >="));
    CHECK(open("python_version >= '3' garbage"));
    CHECK(holds("sys_platform == 'linux'", {}) == Truth::unknown);
    CHECK(holds("sys_platform == 'linux' or python_version >= '3'", {"3.11", "", "", {}}) == Truth::yes);
    CHECK(holds(std::string(100000, '('), place) == Truth::unknown);
}

TEST_CASE("the lowest allowed Python decides what it can") {
    const MarkerEnvironment place{"", "linux", "", {}, "3.10"};
    CHECK(holds("python_version < '3.8'", place) == Truth::no);
    CHECK(holds("python_version >= '3.10'", place) == Truth::yes);
    CHECK(holds("python_version > '3.9'", place) == Truth::yes);
    CHECK(holds("python_version > '3.10'", place) == Truth::unknown);
    CHECK(holds("python_version >= '3.11'", place) == Truth::unknown);
    CHECK(holds("python_version < '3.10'", place) == Truth::no);
    CHECK(holds("python_version <= '3.9'", place) == Truth::no);
    CHECK(holds("python_version <= '3.10'", place) == Truth::unknown);
    CHECK(holds("python_version == '3.9'", place) == Truth::no);
    CHECK(holds("python_version != '3.9'", place) == Truth::yes);
    CHECK(holds("python_version == '3.11'", place) == Truth::unknown);
    CHECK(holds("python_version < '3.12'", place) == Truth::unknown);
}

TEST_CASE("what is not known becomes what most users have") {
    CHECK(holds("platform_machine == 'x86_64' and sys_platform == 'linux'", usual({})) == Truth::yes);
    CHECK(holds("platform_machine == 'AMD64'", usual({"", "win32", "", {}})) == Truth::yes);
    CHECK(holds("platform_machine == 'arm64'", usual({"", "darwin", "", {}})) == Truth::yes);
    CHECK(holds("platform_machine == 'aarch64'", usual({"", "linux", "aarch64", {}})) == Truth::yes);
}
