// SPDX-License-Identifier: Apache-2.0
#include "load/remembering_host.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"

namespace ptxguard {

TEST_CASE("a file answers small and large reads as its host does, wherever they begin") {
    std::string bytes;
    for (int i = 0; i < 30000; ++i) bytes += static_cast<char>('a' + i * 7 % 26);
    FakeHost machine;
    machine.file("/lib/a.so", bytes);
    const RememberingHost host(machine);
    const auto source = host.open("/lib/a.so");
    REQUIRE(source);
    CHECK(source->size == bytes.size());
    for (const std::size_t at : {0u, 1u, 4095u, 4096u, 8000u, 29990u, 29999u, 30000u, 90000u})
        for (const std::size_t length : {0u, 1u, 64u, 4096u, 5000u, 20000u}) {
            CAPTURE(at);
            CAPTURE(length);
            CHECK(read_bytes(*source, at, length) == (at < bytes.size() ? bytes.substr(at, length) : ""));
        }
    CHECK_FALSE(host.open("/lib/b.so"));
}

TEST_CASE("more files than are held open are still read") {
    FakeHost machine;
    for (int i = 0; i < 300; ++i) machine.file("/lib/" + std::to_string(i), std::to_string(i));
    const RememberingHost host(machine);
    for (int turn = 0; turn < 2; ++turn)
        for (int i = 0; i < 300; ++i) {
            const auto source = host.open("/lib/" + std::to_string(i));
            REQUIRE(source);
            CHECK(read_bytes(*source, 0, 10) == std::to_string(i));
        }
}

TEST_CASE("real paths are those of the host, links and folders that are links included") {
    FakeHost machine;
    machine.file("/opt/x/lib/a.so.1")
        .link("/opt/x/lib/a.so", "a.so.1")
        .link("/y", "/opt/x")
        .link("/z.so", "/y/lib/a.so");
    const RememberingHost host(machine);
    for (const char* path : {"/opt/x/lib/a.so.1", "/opt/x/lib/a.so", "/y/lib/a.so.1", "/y/lib/a.so", "/z.so",
                             "/y/lib/../lib/a.so.1", "/y/lib", "/y/lib/.", "/missing", "/y/missing"}) {
        CAPTURE(path);
        const auto expected = machine.real_path(path), found = host.real_path(path);
        REQUIRE(static_cast<bool>(found) == static_cast<bool>(expected));
        if (found) CHECK(*found == *expected);
        CHECK(host.status(path).type == machine.status(path).type);
    }
}

}  // namespace ptxguard
