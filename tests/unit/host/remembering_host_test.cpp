// SPDX-License-Identifier: Apache-2.0
#include "host/remembering_host.hpp"

#include <atomic>

#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "host/together.hpp"

namespace ptxguard {

TEST_CASE("small and large reads of a file match the host's, wherever they begin") {
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

TEST_CASE("a text is the same however often it is read, and a long one is kept from its second time on") {
    FakeHost machine;
    const std::string small(100, 's'), large(20000, 'l');
    machine.file("/small", small).file("/large", large);
    const RememberingHost host(machine);
    CHECK(*host.read("/small", 1u << 20) == small);
    CHECK(*host.read("/large", 1u << 20) == large);
    machine.file("/small", "changed");
    CHECK(*host.read("/small", 1u << 20) == small);
    CHECK(*host.read("/large", 1u << 20) == large);
    machine.file("/large", "changed");
    CHECK(*host.read("/large", 1u << 20) == large);
}

TEST_CASE("more files than are kept open are still read") {
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

TEST_CASE("with few descriptors, unused files are closed") {
    struct Few : FakeHost {
        mutable int opened = 0;
        Result<Source> open(const std::string& path) const override {
            // The third one at a time fails.
            if (++opened % 3 == 0) return Trouble{path, "cannot be read", "Too many open files"};
            return FakeHost::open(path);
        }
    } machine;
    for (int i = 0; i < 5; ++i) machine.file("/lib/" + std::to_string(i), std::to_string(i));
    const RememberingHost host(machine);
    for (int i = 0; i < 5; ++i) CHECK(host.open("/lib/" + std::to_string(i)));
    CHECK_FALSE(host.open("/lib/none"));
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

TEST_CASE("results are kept, also for a file that grows and for a missing one") {
    FakeHost machine;
    machine.file("/site/a/METADATA", "Name: a");
    const RememberingHost host(machine);
    CHECK(*host.read("/site/a/METADATA", 100) == "Name: a");
    CHECK_FALSE(host.read("/site/b/METADATA", 100));
    CHECK(host.list("/site")->size() == 1);
    machine.file("/site/a/METADATA", "Name: other").file("/site/b/METADATA", "Name: b");
    CHECK(*host.read("/site/a/METADATA", 100) == "Name: a");
    CHECK_FALSE(host.read("/site/b/METADATA", 100));
    CHECK(host.list("/site")->size() == 1);
    CHECK(host.status("/site/b/METADATA").type == FileType::regular);  // not requested before
}

TEST_CASE("a text that is too large for one caller is not too large for another") {
    FakeHost machine;
    machine.file("/record", std::string(1000, 'x'));
    const RememberingHost host(machine);
    CHECK_FALSE(host.read("/record", 10));
    CHECK(host.read("/record", 2000)->size() == 1000);
    CHECK_FALSE(host.read("/record", 10));
}

TEST_CASE("large texts are read again, and are complete each time") {
    FakeHost machine;
    machine.file("/large", std::string(3u << 20, 'x'));
    const RememberingHost host(machine);
    for (int turn = 0; turn < 2; ++turn) CHECK(host.read("/large", 4u << 20)->size() == 3u << 20);
    machine.file("/large", "small");
    CHECK(*host.read("/large", 4u << 20) == "small");
}

TEST_CASE("limits that readers reached are kept, one for each file") {
    static constexpr Limit k_two{2, "wings", "the others"};
    FakeHost machine;
    machine.file("/large", "12345");
    const RememberingHost host(machine);
    CHECK(!host.read("/large", 4));
    CHECK(host.read("/large", 5));
    CHECK(!host.exceeds(k_two, 2, "/bird"));
    CHECK(host.exceeds(k_two, 3, "/bird"));
    CHECK(host.exceeds(k_two, 4, "/bird"));
    CHECK(!host.read("/none", 4));
    const std::vector<Trouble> limits = host.limits();
    REQUIRE(limits.size() == 2);
    CHECK(limits[0].text() == "/bird exceeds the limit of 2 wings: ptxguard did not read the others");
    CHECK(limits[0].limit == "2 wings");
    CHECK(limits[1].text() == "/large is larger than 4 bytes");
    CHECK(limits[1].limit == "4 bytes");
}

TEST_CASE("several threads may read at a time") {
    FakeHost machine;
    for (int i = 0; i < 300; ++i) {
        const std::string name = std::to_string(i);
        machine.file("/lib/" + name, std::string(5000, 'x') + name);
    }
    const RememberingHost host(machine);
    std::atomic<int> wrong{0};
    const auto ask = [&] {
        for (int i = 0; i < 300; ++i) {
            const std::string name = std::to_string(i), path = "/lib/" + name;
            const auto source = host.open(path);
            const bool right = source && read_bytes(*source, 5000, 10) == name &&
                               host.read(path, 6000)->size() == 5000 + name.size() &&
                               host.status(path).size == 5000 + name.size() &&
                               *host.real_path(path) == path && host.list("/lib")->size() == 300;
            if (!right) ++wrong;
        }
    };
    run_together({ask, ask, ask, ask});
    CHECK(wrong == 0);
}

}  // namespace ptxguard
