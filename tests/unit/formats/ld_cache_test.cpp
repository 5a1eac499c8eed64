// SPDX-License-Identifier: Apache-2.0
#include "formats/ld_cache.hpp"

#include <doctest/doctest.h>

#include "build_ld_cache.hpp"
#include "damage.hpp"

using namespace ptxguard;
using built::CacheRow;
using built::new_cache;
using built::old_cache;
using built::put;

namespace {

const std::vector<CacheRow> k_rows{{"libcudart.so.13", "/usr/local/cuda/lib64/libcudart.so.13"},
                                   {"libcublas.so.12", "/opt/cublas/libcublas.so.12", 0x0a03},
                                   {"libc.so.6", "/lib/libc.so.6", 0x0003}};

}  // namespace

TEST_CASE("the loader's cache is read in its order") {
    const std::string bytes = new_cache(k_rows);
    const auto cache = read_ld_cache(bytes);
    REQUIRE(cache);
    REQUIRE(cache->entries.size() == 3);
    CHECK(cache->entries[0].name == "libcudart.so.13");
    CHECK(cache->entries[0].path == "/usr/local/cuda/lib64/libcudart.so.13");
    CHECK(cache->entries[0].flags == 0x0303);
    CHECK(cache->entries[1].flags == 0x0a03);
    CHECK(cache->entries[2].flags == 0x0003);
    CHECK(cache->entries[0].hwcap_folder.empty());
}

TEST_CASE("folders of glibc-hwcaps have their names") {
    std::vector<CacheRow> rows = k_rows;
    rows.push_back({"libfast.so.1", "/lib/glibc-hwcaps/x86-64-v3/libfast.so.1", 0x0303,
                    std::uint64_t{1} << 62 | std::uint64_t{3} << 32 | 1});
    rows.push_back({"libold.so.1", "/lib/avx2/libold.so.1", 0x0303, 0x4});
    const std::string bytes = new_cache(rows, {"x86-64-v2", "x86-64-v3"});
    const auto cache = read_ld_cache(bytes);
    REQUIRE(cache);
    REQUIRE(cache->entries.size() == 5);
    CHECK(cache->entries[3].hwcap_folder == "x86-64-v3");
    CHECK(cache->entries[4].hwcap_folder.empty());
    CHECK(cache->entries[4].hwcap == 4);
}

TEST_CASE("an entry for a folder that the cache does not name is omitted") {
    std::vector<CacheRow> rows = k_rows;
    rows.push_back({"libfast.so.1", "/x", 0x0303, std::uint64_t{1} << 62 | 7});
    const std::string bytes = new_cache(rows, {"x86-64-v2"});
    const auto cache = read_ld_cache(bytes);
    REQUIRE(cache);
    CHECK(cache->entries.size() == 3);
}

TEST_CASE("the old format is read, and the new one where it follows") {
    std::string bytes = old_cache(k_rows);
    auto cache = read_ld_cache(bytes);
    REQUIRE(cache);
    REQUIRE(cache->entries.size() == 3);
    CHECK(cache->entries[1].name == "libcublas.so.12");
    CHECK(cache->entries[1].path == "/opt/cublas/libcublas.so.12");

    bytes = old_cache({});
    bytes += new_cache(k_rows);
    cache = read_ld_cache(bytes);
    REQUIRE(cache);
    CHECK(cache->entries.size() == 3);
}

TEST_CASE("a file that is not a cache is distinguished from a damaged one") {
    CHECK(read_ld_cache("").trouble().what == "is not a cache of ld.so");
    CHECK(read_ld_cache("ld.so-1.8.0....................").trouble().what == "is not a cache of ld.so");
    std::string bytes = new_cache(k_rows);
    CHECK(read_ld_cache(bytes.substr(0, 60)).trouble().what == "is a damaged cache of ld.so");
    put(bytes, 20, 0xffffffff, 4);
    CHECK(read_ld_cache(bytes).trouble().what == "is a damaged cache of ld.so");
    bytes = new_cache(k_rows);
    put(bytes, 28, 3, 1);  // of a big-endian machine
    CHECK_FALSE(read_ld_cache(bytes));
    bytes = old_cache(k_rows);
    put(bytes, 12, 0xffffffff, 4);
    CHECK_FALSE(read_ld_cache(bytes));
    bytes = new_cache(k_rows);
    put(bytes, 48 + 4, 0xffffff00, 4);  // one name is out of range
    const auto cache = read_ld_cache(bytes);
    REQUIRE(cache);
    CHECK(cache->entries.size() == 2);
}

TEST_CASE("a cache cut at any byte or with any field changed is handled") {
    std::vector<CacheRow> rows = k_rows;
    rows.push_back({"libfast.so.1", "/x", 0x0303, std::uint64_t{1} << 62 | 1});
    for (const std::string& good : {new_cache(rows, {"x86-64-v2", "x86-64-v3"}), old_cache(rows)}) {
        const auto ask = [](const std::string& bad) {
            const auto cache = read_ld_cache(bad);
            if (!cache) return;
            for (const LdCacheEntry& entry : cache->entries)
                (void)std::string(entry.name).append(entry.path).append(entry.hwcap_folder);
        };
        built::cut_at_every_byte(good, ask);
        built::poke_every_field(good, 0, good.size(), ask);
    }
}
