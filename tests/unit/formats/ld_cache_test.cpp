// SPDX-License-Identifier: Apache-2.0
#include "formats/ld_cache.hpp"

#include <doctest/doctest.h>

#include "build_elf.hpp"
#include "damage.hpp"

using namespace ptxguard;
using built::add;
using built::put;

namespace {

struct Row {
    std::string name, path;
    std::int32_t flags = 0x0303;
    std::uint64_t hwcap = 0;
};

// As ldconfig of glibc 2.36 writes it.
std::string new_cache(const std::vector<Row>& rows, const std::vector<std::string>& folders = {}) {
    std::string bytes = "glibc-ld.so.cache1.1", texts;
    add(bytes, rows.size(), 4);
    const std::size_t texts_at = 48 + rows.size() * 24;
    const auto text = [&](const std::string& word) {
        texts += word + '\0';
        return texts_at + texts.size() - word.size() - 1;
    };
    std::string table;
    for (const Row& row : rows) {
        add(table, static_cast<std::uint32_t>(row.flags), 4);
        add(table, text(row.name), 4);
        add(table, text(row.path), 4);
        add(table, 0, 4);
        add(table, row.hwcap, 8);
    }
    std::string places;
    for (const std::string& folder : folders) add(places, text(folder), 4);
    add(bytes, texts.size(), 4);
    add(bytes, 2, 4);  // little-endian
    texts.resize((texts.size() + 3) / 4 * 4, '\0');
    const std::size_t extension = texts_at + texts.size();
    add(bytes, folders.empty() ? 0 : extension, 4);
    bytes.resize(48, '\0');
    bytes += table + texts;
    if (folders.empty()) return bytes;
    add(bytes, 0xeaa42174, 4);
    add(bytes, 1, 4);
    add(bytes, 1, 4);
    add(bytes, 0, 4);
    add(bytes, extension + 24, 4);
    add(bytes, places.size(), 4);
    return bytes + places;
}

std::string old_cache(const std::vector<Row>& rows) {
    std::string bytes = "ld.so-1.7.0", texts;
    bytes.resize(12, '\0');
    add(bytes, rows.size(), 4);
    for (const Row& row : rows) {
        add(bytes, static_cast<std::uint32_t>(row.flags), 4);
        add(bytes, texts.size(), 4);
        texts += row.name + '\0';
        add(bytes, texts.size(), 4);
        texts += row.path + '\0';
    }
    return bytes + texts;
}

const std::vector<Row> k_rows{{"libcudart.so.13", "/usr/local/cuda/lib64/libcudart.so.13"},
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

TEST_CASE("folders of glibc-hwcaps are named") {
    std::vector<Row> rows = k_rows;
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

TEST_CASE("an entry for a folder that the cache does not name is left out") {
    std::vector<Row> rows = k_rows;
    rows.push_back({"libfast.so.1", "/x", 0x0303, std::uint64_t{1} << 62 | 7});
    const std::string bytes = new_cache(rows, {"x86-64-v2"});
    const auto cache = read_ld_cache(bytes);
    REQUIRE(cache);
    CHECK(cache->entries.size() == 3);
}

TEST_CASE("the old format is read, and the new one where it lies behind it") {
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

TEST_CASE("what is no cache and what is damaged is told apart") {
    CHECK(read_ld_cache("").trouble().what == "is no cache of ld.so");
    CHECK(read_ld_cache("ld.so-1.8.0....................").trouble().what == "is no cache of ld.so");
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
    put(bytes, 48 + 4, 0xffffff00, 4);  // one name lies nowhere
    const auto cache = read_ld_cache(bytes);
    REQUIRE(cache);
    CHECK(cache->entries.size() == 2);
}

TEST_CASE("a cache cut at any byte or wrong in any field is survived") {
    std::vector<Row> rows = k_rows;
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
