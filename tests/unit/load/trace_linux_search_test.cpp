// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_search.hpp"

#include <doctest/doctest.h>

#include "formats/elf.hpp"
#include "linux_world.hpp"

using namespace ptxguard;
using namespace built;

namespace {

const DynamicTokens k_tokens = {"/opt/x", "lib64", "haswell"};

std::vector<std::string> folders(const SearchList& list) {
    std::vector<std::string> result;
    for (const SearchFolder& folder : list.folders) result.push_back(folder.folder);
    return result;
}
using Texts = std::vector<std::string>;

Candidate candidate_of(const std::string& bytes) {
    FakeHost host;
    host.file("/a.so", bytes);
    return LinuxFiles(host, k_em_x86_64).candidate("/a.so");
}
std::string with_byte(std::string bytes, std::size_t at, char value) {
    bytes[at] = value;
    return bytes;
}

}  // namespace

TEST_CASE("tokens are replaced, with braces and without") {
    CHECK(expand_tokens("$ORIGIN/../$LIB/${PLATFORM}", k_tokens) == "/opt/x/../lib64/haswell");
    CHECK(expand_tokens("${ORIGIN}", k_tokens) == "/opt/x");
    CHECK(expand_tokens("$ORIGIN:$LIB", k_tokens) == "/opt/x:lib64");
}

TEST_CASE("other text stays as it is") {
    for (const char* text :
         {"$ORIGINAL/x", "$origin", "${ORIGIN", "${ORIGINX}", "$", "a$", "$$x", "{ORIGIN}", "$LIBS"}) {
        CHECK(expand_tokens(text, k_tokens) == text);
    }
}

TEST_CASE("an entry with an unknown $ORIGIN is dropped") {
    CHECK_FALSE(expand_tokens("$ORIGIN/lib", {}));
    CHECK(folders(search_list("x", "$ORIGIN/lib:/a", ":", {})) == Texts{"/a"});
}

TEST_CASE("a search list has each folder once, without '/' at its end") {
    CHECK(folders(search_list("x", "/a/:/b//:/a:/", ":", k_tokens)) == Texts{"/a", "/b", "/"});
    CHECK(folders(search_list("x", "/a;/b", ":;", k_tokens)) == Texts{"/a", "/b"});
    CHECK(folders(search_list("x", "/a;/b", ":", k_tokens)) == Texts{"/a;/b"});
}

TEST_CASE("an empty entry is the current folder") {
    CHECK(folders(search_list("x", "/a:", ":", k_tokens)) == Texts{"/a", ""});
    CHECK(folders(search_list("x", ":/a::", ":", k_tokens)) == Texts{"", "/a"});
}

TEST_CASE("a file is accepted, skipped or ends the search by its first bytes") {
    const std::string good = Elf().build();
    CHECK(candidate_of(good).state == CandidateState::fits);
    CHECK(candidate_of(with_byte(good, 7, 3)).state == CandidateState::fits);
    CHECK(candidate_of(with_byte(good, 18, 20)).state == CandidateState::other_machine);
    CHECK(candidate_of(with_byte(good, 4, 1)).state == CandidateState::other_machine);
    Elf arm;
    arm.machine = k_em_aarch64;
    CHECK(candidate_of(arm.build()).why == "for another machine (aarch64)");
    const std::vector<std::pair<std::string, std::string>> broken = {
        {"", "file too short"},
        {good.substr(0, 63), "file too short"},
        {std::string(64, 'x'), "invalid ELF header"},
        {with_byte(good, 5, 2), "ELF file data encoding not little-endian"},
        {with_byte(good, 6, 0), "ELF file version ident does not match current one"},
        {with_byte(good, 7, 9), "ELF file OS ABI invalid"},
        {with_byte(good, 16, 1), "only ET_DYN and ET_EXEC can be loaded"},
    };
    for (const auto& [bytes, why] : broken) {
        const Candidate candidate = candidate_of(bytes);
        CHECK(candidate.state == CandidateState::broken);
        CHECK(candidate.why == why);
    }
}

TEST_CASE("a file that ends within a segment is damaged") {
    const std::string whole = Elf().build();
    constexpr std::size_t k_program_headers = 32, k_entry = 56, k_offset = 8, k_file_size = 32;
    std::size_t end = 0;
    for (int i = 0; i < static_cast<unsigned char>(whole[k_entry]); ++i) {
        const std::size_t at =
            load_u64(whole.data() + k_program_headers) + static_cast<std::size_t>(i) * k_entry;
        if (load_u32(whole.data() + at) == 1)
            end = std::max<std::size_t>(
                end, load_u64(whole.data() + at + k_offset) + load_u64(whole.data() + at + k_file_size));
    }
    REQUIRE(end > 64);
    REQUIRE(end <= whole.size());
    CHECK(candidate_of(whole.substr(0, end)).state == CandidateState::fits);
    CHECK(candidate_of(whole.substr(0, end - 1)).state == CandidateState::broken);
    CHECK(candidate_of(whole.substr(0, end - 1)).why == "the file is shorter than its segments");
}

TEST_CASE("what cannot be opened is absent or denied; a folder is broken") {
    FakeHost host;
    host.folder("/folder.so")
        .link("/dangling.so", "/nowhere")
        .link("/loop.so", "/loop.so")
        .unreadable("/secret.so");
    LinuxFiles files(host, k_em_x86_64);
    CHECK(files.candidate("/none.so").state == CandidateState::absent);
    CHECK(files.candidate("/dangling.so").state == CandidateState::absent);
    CHECK(files.candidate("/loop.so").state == CandidateState::absent);
    CHECK(files.candidate("/secret.so").state == CandidateState::denied);
    CHECK(files.candidate("/folder.so").state == CandidateState::broken);
}

TEST_CASE("subfolders come before their folder, if they exist") {
    FakeHost host;
    host.folder("/a/glibc-hwcaps/x86-64-v2").folder("/b").folder("/c/tls");
    LinuxSystem system;
    system.subfolders = {{"glibc-hwcaps/x86-64-v3", "never"}, {"glibc-hwcaps/x86-64-v2", ""}, {"tls", ""}};
    LinuxFiles files(host, k_em_x86_64);
    Texts seen;
    const auto list = search_list("x", "/none:/a:/b:/c", ":", k_tokens);
    CHECK(visit_list(files, system, list, "n", [&](const SearchPlace& place) {
        seen.push_back(place.path + place.never);
        return true;
    }));
    CHECK(seen == Texts{"/a/glibc-hwcaps/x86-64-v3/nnever", "/a/glibc-hwcaps/x86-64-v2/n", "/a/n", "/b/n",
                        "/c/tls/n", "/c/n"});
    CHECK_FALSE(visit_list(files, system, list, "n", [](const SearchPlace&) { return false; }));
}
