// SPDX-License-Identifier: Apache-2.0
#include "formats/fatbin.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "build_fatbin.hpp"
#include "damage.hpp"

using namespace ptxguard;
using built::Entry;

namespace {

FatbinWalk walk(const std::string& bytes) { return walk_fatbins(source_of(bytes), 0, bytes.size()); }
FatbinWalk scan(const std::string& bytes) { return scan_fatbins(source_of(bytes), 0, bytes.size()); }

Entry cubin(std::uint32_t arch, std::uint64_t flags = 0) {
    Entry entry;
    entry.arch = arch;
    entry.flags |= flags;
    entry.payload = built::cubin_7(arch);
    return entry;
}

std::string two_fatbins() {
    return built::fatbin({cubin(80), cubin(90, built::k_flag_a)}) + built::fatbin({built::ptx_entry(90)});
}

// What a reader may report for damaged bytes: entries inside the file, no more of them than fit.
void sane(const FatbinWalk& walk, std::size_t size) {
    CHECK(walk.entries.size() <= size / 64);
    for (const DeviceEntry& entry : walk.entries) {
        CHECK(entry.offset <= size);
        CHECK(entry.size <= size - entry.offset);
        CHECK(entry.arch.number <= 999);
        CHECK(entry.fatbin <= walk.fatbins);
    }
}

}  // namespace

TEST_CASE("every entry of every fatbin is listed only from its header") {
    const std::string bytes = two_fatbins();
    const FatbinWalk found = walk(bytes);
    CHECK(found.trouble.empty());
    CHECK(found.fatbins == 2);
    REQUIRE(found.entries.size() == 3);
    CHECK(found.entries[0].kind == EntryKind::cubin);
    CHECK(found.entries[0].arch.sm() == "sm_80");
    CHECK(found.entries[0].abi == 7);
    CHECK(found.entries[0].fatbin == 0);
    CHECK(found.entries[0].offset == 16 + 64);
    CHECK(found.entries[0].size == 64);
    CHECK_FALSE(found.entries[0].ptx);
    CHECK(found.entries[1].arch.sm() == "sm_90a");
    CHECK(found.entries[2].kind == EntryKind::ptx);
    CHECK(found.entries[2].ptx == PtxVersion{8, 0});
    CHECK(found.entries[2].fatbin == 1);
}

TEST_CASE("the flags of an entry give its suffix, compression, debug information and obfuscation") {
    Entry f = cubin(100, built::k_flag_f | 0x2);
    Entry lto = cubin(75, built::k_flag_obfuscated);
    lto.kind = 8;
    const Entry lz4 = built::packed(cubin(86), built::cubin_7(86), built::k_flag_lz4);
    const FatbinWalk found = walk(built::fatbin({f, lto, lz4}));
    REQUIRE(found.entries.size() == 3);
    CHECK(found.entries[0].arch.sm() == "sm_100f");
    CHECK(found.entries[0].debug);
    CHECK_FALSE(found.entries[0].compressed);
    CHECK(found.entries[0].uncompressed == 0);
    CHECK(found.entries[1].kind == EntryKind::ltoir);
    CHECK(found.entries[1].obfuscated);
    CHECK_FALSE(found.entries[1].debug);
    CHECK(found.entries[2].compressed);
    CHECK(found.entries[2].uncompressed == 64);
    CHECK(found.entries[2].size == lz4.payload.size());
    CHECK(found.entries[2].size % 8 != 0);
}

TEST_CASE("an unknown kind is listed as other, relocatable PTX as PTX") {
    Entry index = cubin(80), relocatable = built::ptx_entry(), old = cubin(80);
    index.kind = 0x20;
    relocatable.kind = 0x40;
    old.kind = 4;
    const FatbinWalk found = walk(built::fatbin({index, relocatable, old, cubin(90)}));
    CHECK(found.trouble.empty());
    REQUIRE(found.entries.size() == 4);
    CHECK(found.entries[0].kind == EntryKind::other);
    CHECK(found.entries[0].raw_kind == 0x20);
    CHECK(found.entries[1].kind == EntryKind::ptx);
    CHECK(found.entries[1].relocatable);
    CHECK(found.entries[2].kind == EntryKind::cubin);
    CHECK(found.entries[3].arch.number == 90);
}

TEST_CASE("headers longer than 64 bytes, empty fatbins and zero bytes between fatbins are skipped") {
    Entry named = cubin(80);
    named.extra = 40;
    const std::string bytes = built::fatbin({named}) + built::fatbin({}) + std::string(24, '\0') +
                              built::fatbin({cubin(90)}) + std::string(3, '\0');
    const FatbinWalk found = walk(bytes);
    CHECK(found.trouble.empty());
    CHECK(found.fatbins == 3);
    REQUIRE(found.entries.size() == 2);
    CHECK(found.entries[0].offset == 16 + 104);
    CHECK(found.entries[1].fatbin == 2);
}

TEST_CASE("a section of zero bytes is not a fatbin") {
    CHECK(walk("").trouble.empty());
    CHECK(walk(std::string(64, '\0')).trouble.empty());
    CHECK(walk(std::string(3u << 20, '\0')).trouble.find("only zero bytes") != std::string::npos);
    CHECK(walk("what is this? no fatbin").trouble == "at 0x0: no fatbin found");
}

TEST_CASE("a damaged entry ends its fatbin, not the walk") {
    const std::string second = built::fatbin({cubin(90)});
    std::string bytes = built::fatbin({cubin(80), cubin(86)}) + second;
    built::put(bytes, 16 + 128 + 8, 1u << 30, 8);  // payload of the second entry
    FatbinWalk found = walk(bytes);
    CHECK(found.trouble == "at 0x90: the entry's 1073741824 bytes go beyond the fatbin's end");
    CHECK(found.fatbins == 2);
    REQUIRE(found.entries.size() == 2);
    CHECK(found.entries[1].arch.number == 90);

    bytes = built::fatbin({cubin(80)}) + second;
    built::put(bytes, 16 + 2, 0x0102, 2);
    found = walk(bytes);
    CHECK(found.trouble == "at 0x10: entries of version 0x102 are not known");
    CHECK(found.entries.size() == 1);
}

TEST_CASE("a header that contradicts itself is reported") {
    CHECK(walk(built::fatbin({cubin(90, built::k_flag_a | built::k_flag_f)})).trouble.find("sm_90a and f") !=
          std::string::npos);
    const FatbinWalk far = walk(built::fatbin({cubin(70000), cubin(80)}));
    CHECK(far.trouble.find("names an architecture sm_70000") != std::string::npos);
    REQUIRE(far.entries.size() == 2);
    CHECK(far.entries[0].arch.number == 0);
    Entry packed = built::packed(cubin(80), "content", built::k_flag_lz4);
    packed.compressed = 5000;
    CHECK(walk(built::fatbin({packed})).trouble.find("compressed bytes are more") != std::string::npos);
}

TEST_CASE("a truncated fatbin gives the remaining entries and is reported") {
    const std::string bytes = two_fatbins();
    const std::size_t first = built::fatbin({cubin(80), cubin(90)}).size();
    built::cut_at_every_byte(bytes, [&](const std::string& cut) {
        const FatbinWalk found = walk(cut);
        sane(found, cut.size());
        CHECK(found.trouble.empty() == (cut.size() == 0 || cut.size() == first));
    });
    const FatbinWalk cut = walk(bytes.substr(0, 16 + 128 + 70));
    CHECK(cut.entries.size() == 1);
    CHECK(cut.fatbins == 1);
    CHECK(cut.trouble == "at 0x0: the fatbin's 256 bytes go beyond its end");
}

TEST_CASE("no value of any header field causes a read outside or an endless loop") {
    built::poke_every_field(two_fatbins(), 0, 16 + 128 + 80, [](const std::string& bad) {
        sane(walk(bad), bad.size());
        sane(scan(bad), bad.size());
    });
}

TEST_CASE("a file that shrinks while it is read is reported") {
    const std::string bytes = two_fatbins() + std::string(4096, '\0') + two_fatbins();
    for (std::size_t reads = 0; reads < 6; ++reads) {
        const FatbinWalk found = walk_fatbins(built::shrinking(bytes, reads, 40), 0, bytes.size());
        sane(found, bytes.size());
    }
    CHECK(walk_fatbins(built::shrinking(bytes, 0, 40), 0, bytes.size()).trouble.find("ended early") !=
          std::string::npos);
    CHECK(scan_fatbins(built::shrinking(bytes, 0, 4), 0, bytes.size()).trouble.find("ended early") !=
          std::string::npos);
}

TEST_CASE("a range beyond the file is read to the file's end") {
    const std::string bytes = two_fatbins();
    const Source source = source_of(bytes);
    CHECK(walk_fatbins(source, 0, bytes.size() + 1).entries.size() == 3);
    CHECK(walk_fatbins(source, 0, bytes.size() + 1).trouble.find("go beyond the file's end") !=
          std::string::npos);
    CHECK_FALSE(walk_fatbins(source, bytes.size() + 8, 16).trouble.empty());
    CHECK_FALSE(walk_fatbins(source, UINT64_MAX - 4, UINT64_MAX).trouble.empty());
    CHECK_FALSE(walk_fatbins(source, 8, UINT64_MAX).trouble.empty());
    CHECK(scan_fatbins(source, UINT64_MAX - 4, UINT64_MAX).entries.empty());
}

TEST_CASE("a million fatbins are counted, and no more entries are kept than requested") {
    std::string empty = built::fatbin({}), bytes;
    bytes.reserve(empty.size() * 1000000);
    for (int i = 0; i < 1000000; ++i) bytes += empty;
    const FatbinWalk many = walk(bytes);
    CHECK(many.fatbins == 1000000);
    CHECK(many.entries.empty());
    CHECK(many.trouble.empty());

    const FatbinWalk capped = [] {
        std::string three;
        for (int i = 0; i < 3; ++i) three += built::fatbin({cubin(80), cubin(90)});
        return walk_fatbins(source_of(three), 0, three.size(), 5);
    }();
    CHECK(capped.entries.size() == 5);
    CHECK(capped.trouble.find("more entries than 5") != std::string::npos);
}

TEST_CASE("the scan finds fatbins between other data at every 8th byte") {
    const std::string noise = "flat buffers" + std::string(100004, 'x');
    const std::string bytes =
        noise + built::fatbin({cubin(100, built::k_flag_f)}) + std::string(8, 'y') + two_fatbins() + noise;
    REQUIRE(noise.size() % 8 == 0);
    const FatbinWalk found = scan(bytes);
    CHECK(found.trouble.empty());
    CHECK(found.fatbins == 3);
    REQUIRE(found.entries.size() == 4);
    CHECK(found.entries[0].arch.sm() == "sm_100f");
    CHECK(found.entries[3].fatbin == 2);
    CHECK(scan(std::string(4, 'x') + two_fatbins()).entries.empty());  // not at an 8th byte
}

TEST_CASE("the scan skips a magic number without a fatbin after it") {
    std::string fake = built::fatbin({cubin(80)});
    for (const std::size_t at : {4, 6, 18}) {
        std::string bad = fake;
        built::put(bad, at, 7, 2);
        CHECK(scan(bad).fatbins == 0);
    }
    std::string large = fake;
    built::put(large, 8, 1 << 20, 8);
    CHECK(scan(large + fake).fatbins == 1);
    CHECK(scan(built::fatbin({})).fatbins == 0);
}

TEST_CASE("the scan finds a fatbin at every 8th byte, also behind and across the end of a block") {
    constexpr std::size_t k_block = 1u << 16;
    const std::string one = built::fatbin({cubin(80)});
    for (const std::size_t from : {std::size_t{0}, k_block - 128, 2 * k_block - 128})
        for (std::size_t at = from; at < from + 256; at += 8) {
            const FatbinWalk found = scan(std::string(at, '\0') + one + std::string(at % 48, '\1'));
            CAPTURE(at);
            REQUIRE(found.entries.size() == 1);
            CHECK(found.entries[0].offset > at);
            CHECK(found.trouble.empty());
        }
    // Only the mark, and the mark where none may begin.
    CHECK(scan(std::string(104, '\0') + one.substr(0, 4) + std::string(300, '\0')).fatbins == 0);
    CHECK(scan(std::string(100, '\0') + one).fatbins == 0);
}

TEST_CASE("the scan stops at its limit, also within zero bytes") {
    const Source hole{[](std::uint64_t, char* to, std::size_t length) {
                          std::fill(to, to + length, '\0');
                          return length;
                      },
                      std::uint64_t{4} << 30};
    const FatbinWalk found = scan_fatbins(hole, 0, hole.size, 10, 8u << 20);
    CHECK(found.fatbins == 0);
    CHECK(found.trouble.find("ended after 8 MiB") != std::string::npos);
}

TEST_CASE("one entry in a fatbin of its own, wherever the file ends") {
    built::Entry packed = cubin(80);
    packed.extra = 24;
    packed.compressed = 40;
    packed.flags |= built::k_flag_lz4;
    const std::string bytes = "12345678" + built::fatbin({cubin(70), packed});
    const FatbinWalk found = walk_fatbins(source_of(bytes), 8, bytes.size() - 8);
    REQUIRE(found.entries.size() == 2);
    CHECK(fatbin_of(source_of(bytes), found.entries[1]) == built::fatbin({packed}));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK(fatbin_of(source_of(bytes.substr(0, size)), found.entries[1]).empty());
    DeviceEntry bare = found.entries[1];
    bare.header = 0;
    CHECK(fatbin_of(source_of(bytes), bare).empty());
    bare.header = 0xffffffff;
    CHECK(fatbin_of(source_of(bytes), bare).empty());
}

TEST_CASE("the version of Tile IR is two bytes, as nvFatbin writes it") {
    built::Entry tile;
    tile.kind = 0x80;
    tile.minor = 0;
    tile.major = 0x0d02;
    tile.payload = "tile";
    const FatbinWalk found = walk(built::fatbin({tile}));
    REQUIRE(found.entries.size() == 1);
    CHECK(found.entries[0].kind == EntryKind::tileir);
    CHECK(found.entries[0].ir == PtxVersion{13, 2});
}
