// SPDX-License-Identifier: Apache-2.0
#ifndef _WIN32
#include <sys/stat.h>
#endif

#include <chrono>
#include <filesystem>

#include "../formats/damage.hpp"
#include "../host/temporary.hpp"
#include "given.hpp"

using namespace given;

namespace {

std::string good_library() {
    built::Elf elf = library(built::fatbin({cubin(80), built::ptx_entry(90)}));
    elf.sections.emplace_back("__nv_relfatbin", built::fatbin({cubin(90)}));
    elf.sections.emplace_back(".cask_resource", built::fatbin({cubin(100)}));
    elf.sections.emplace_back(".rodata", built::cubin_8(90));
    return elf.build();
}

std::string good_dll() {
    built::Pe dll;
    dll.more = {{".nv_fatb", built::fatbin({cubin(89), built::ptx_entry(89)})}};
    return dll.build();
}

std::string good_archive() {
    return "!<arch>\n" + built::member("a.o/", good_library()) + built::member("b.o/", built::cubin_7(80));
}

// Without doctest's own bookkeeping for each: there are many thousands.
void ask(const std::string& bytes) {
    FakeHost host;
    host.file("/x/file", bytes);
    Scenario scenario;
    InspectOptions options;
    options.deep = true;
    inspect(host, facts(), {"/x/file"}, options, scenario);
    bool sane = !scenario.binaries.empty();
    for (const BinaryFile& file : scenario.binaries)
        for (const DeviceEntry& entry : file.entries)
            sane = sane && entry.section < file.sections.size() && entry.offset <= bytes.size() &&
                   entry.size <= bytes.size() - entry.offset;
    if (!sane) FAIL_CHECK("entries outside of the file");
}

struct ShrinkingHost : FakeHost {
    std::size_t reads = 0, left = 0;
    Result<Source> open(const std::string& path) const override {
        const auto bytes = std::make_shared<std::string>(*FakeHost::read(path, SIZE_MAX));
        Source source = built::shrinking(*bytes, reads, left);
        const auto read = source.read;
        source.read = [bytes, read](std::uint64_t offset, char* to, std::size_t length) {
            return read(offset, to, length);
        };
        return source;
    }
};

}  // namespace

TEST_CASE("a file that is cut at any byte is handled") {
    built::cut_at_every_byte(good_library(), ask);
    built::cut_at_every_byte(good_dll(), ask);
    built::cut_at_every_byte(good_archive(), ask);
}

TEST_CASE("a file with any header field changed is handled") {
    const std::string elf = good_library(), archive = good_archive();
    built::poke_every_field(elf, 0, 64, ask);
    built::poke_every_field(elf, elf.size() - 64 * 8, elf.size(), ask);
    built::poke_every_field(good_dll(), 0x80, 0x80 + 24 + 240 + 80, ask);
    built::poke_every_field(archive, 0, 68, ask);
}

TEST_CASE("a truncated library is reported and keeps what was read") {
    const std::string bytes = good_library();
    const BinaryFile file = inspected(bytes.substr(0, bytes.size() - 20));
    CHECK(file.trouble.find("ends before its section headers do") == 0);
    CHECK(file.by_scan);
    CHECK(file.entries.size() == 4);
}

TEST_CASE("sections that overlap, exceed the file or have no content are reported") {
    built::Elf elf = library(built::fatbin({cubin(80)}));
    elf.sections.emplace_back("__nv_relfatbin", built::fatbin({cubin(90)}));
    const std::string good = elf.build();
    const std::size_t headers = elf.at["shdr"];
    CHECK(inspected(good).entries.size() == 2);

    std::string overlap = good;
    built::put(overlap, headers + 128 + 24, load_u64(&good[headers + 64 + 24]) + 8, 8);
    CHECK(inspected(overlap).trouble == "__nv_relfatbin: it overlaps another section with device code");
    CHECK(inspected(overlap).entries.size() == 1);

    std::string outside = good;
    built::put(outside, headers + 128 + 24, std::uint64_t{1} << 50, 8);
    CHECK(inspected(outside).trouble.find("go beyond the file's end") != std::string::npos);
    built::put(outside, headers + 128 + 24, UINT64_MAX - 8, 8);
    CHECK(inspected(outside).trouble == "__nv_relfatbin: it leaves the file");

    std::string debug = good;
    for (const std::size_t row : {64, 128}) built::put(debug, headers + row + 4, 8, 4);
    CHECK(inspected(debug).entries.empty());
    CHECK(inspected(debug).trouble.empty());
    REQUIRE(inspected(debug).remarks.size() == 1);
    CHECK(inspected(debug).remarks[0].find(".nv_fatbin has no content here") == 0);
}

TEST_CASE("a library of zero bytes is reported") {
    const BinaryFile file = inspected(library(std::string(2u << 20, '\0')).build());
    CHECK(file.trouble.find("only zero bytes instead of a fatbin; is the file whole?") != std::string::npos);
}

TEST_CASE("a bad file does not affect the others") {
    FakeHost host;
    host.file("/x/good.so", good_library()).file("/x/empty").folder("/x/folder").file("/x/text", "hello");
    Scenario scenario;
    inspect(host, facts(), {"/x/folder", "/x/empty", "/x/gone", "/x/text", "/x/good.so"}, {}, scenario);
    REQUIRE(scenario.unreadable.size() == 2);
    CHECK(scenario.unreadable[0].subject == "/x/folder");
    CHECK(scenario.unreadable[0].named_by_user);
    CHECK(scenario.unreadable[1].subject == "/x/gone");
    REQUIRE(scenario.binaries.size() == 3);
    CHECK(scenario.binaries[0].trouble == "is empty");
    CHECK(scenario.binaries[1].looks_like == Content::text);
    CHECK(scenario.binaries[2].trouble.empty());
    CHECK(scenario.binaries[2].entries.size() == 3);
}

TEST_CASE("a file that shrinks while it is read is handled") {
    ShrinkingHost host;
    host.file("/x/lib.so", good_library()).file("/x/lib.a", good_archive()).file("/x/lib.dll", good_dll());
    std::size_t reports = 0;
    for (host.reads = 0; host.reads < 40; ++host.reads) {
        for (host.left = 0; host.left < 1000; host.left += 333) {
            Scenario scenario;
            inspect(host, facts(), {"/x/lib.so", "/x/lib.a", "/x/lib.dll"}, {true}, scenario);
            for (const BinaryFile& file : scenario.binaries) reports += !file.trouble.empty();
        }
    }
    CHECK(reports > 100);
}

TEST_CASE("a million fatbins take no memory, an invented number of entries is capped") {
    const std::string empty = built::fatbin({});
    std::string many;
    for (int i = 0; i < 1000000; ++i) many += empty;
    const BinaryFile file = inspected(library(many).build());
    CHECK(file.fatbins == 1000000);
    CHECK(file.entries.empty());
    CHECK(file.trouble.empty());

    built::Entry tiny;
    std::string one = built::fatbin({tiny}), entries;
    for (int i = 0; i < 300000; ++i) entries += one;
    const BinaryFile capped = inspected(library(entries).build());
    CHECK(capped.entries.size() == k_max_entries);
    CHECK(capped.trouble.find("more entries than 262144") != std::string::npos);
}

TEST_CASE("folders and pipes are refused, large empty files are read quickly") {
    const Temporary folder;
    const std::unique_ptr<Host> host = real_host();
    const std::string sparse = folder.write("sparse.so", [] {
        built::Elf elf = library(built::fatbin({cubin(80)}));
        elf.section_headers = false;
        return elf.build();
    }());
    std::vector<std::string> paths{folder.path, sparse};
#ifndef _WIN32
    std::filesystem::resize_file(sparse, std::uintmax_t{4} << 30);
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    paths.push_back(folder / "pipe");
#endif
    Scenario scenario;
    const auto start = std::chrono::steady_clock::now();
    inspect(*host, facts(), paths, {}, scenario);
    const auto seconds =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
    CHECK(seconds < 60);  // a bound against hanging; it takes about one
    CHECK(scenario.unreadable.size() == paths.size() - 1);
    REQUIRE(scenario.binaries.size() == 1);
    CHECK(listed(scenario.binaries[0]) == "cubin sm_80");
#ifndef _WIN32
    CHECK(scenario.binaries[0].trouble.find("the search for fatbins ended after 1024 MiB") !=
          std::string::npos);
#endif
}
