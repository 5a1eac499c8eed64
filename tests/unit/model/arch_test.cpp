// SPDX-License-Identifier: Apache-2.0
#include "model/arch.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;

namespace {
Arch a(const char* text) { return *parse_arch(text); }
std::string spelled(const char* text, ArchDialect dialect) {
    return cmake_spelling(parse_arch_list(text, dialect)->targets);
}
}  // namespace

TEST_CASE("an architecture has many spellings") {
    for (const char* text : {"sm_90a", "compute_90a", "90a", "9.0a"}) CHECK(a(text).sm() == "sm_90a");
    CHECK(a("12.1").number == 121);
    CHECK(a("10.3f").compute() == "compute_103f");
    CHECK(a("120").cc() == "12.0");
    for (const char* text : {"", "9", "sm_", "90b", "9.00", "sm_9.0", "0.5", "1234", "08", "-90"})
        CHECK_MESSAGE(!parse_arch(text), text);
}

TEST_CASE("a cubin runs within its major, from its minor on") {
    CHECK(cubin_runs_on(a("80"), a("86")));
    CHECK_FALSE(cubin_runs_on(a("86"), a("80")));
    CHECK_FALSE(cubin_runs_on(a("80"), a("90")));
    CHECK(cubin_runs_on(a("90a"), a("90")));
    CHECK_FALSE(cubin_runs_on(a("100a"), a("103")));
    CHECK(cubin_runs_on(a("100f"), a("103")));
    CHECK_FALSE(cubin_runs_on(a("103f"), a("100")));
    CHECK_FALSE(cubin_runs_on(a("100f"), a("110")));
    CHECK_FALSE(cubin_runs_on(a("100f"), a("101")));
}

TEST_CASE("PTX of a base target compiles for every newer GPU, across majors") {
    CHECK(ptx_compiles_for(a("50"), a("120")));
    CHECK_FALSE(ptx_compiles_for(a("90"), a("89")));
    CHECK_FALSE(ptx_compiles_for(a("90a"), a("100")));
    CHECK(ptx_compiles_for(a("120f"), a("121")));
    CHECK_FALSE(ptx_compiles_for(a("120f"), a("100")));
    for (const char* thor : {"101", "101a", "101f"}) CHECK(ptx_compiles_for(a(thor), a("110")));
    CHECK_FALSE(ptx_compiles_for(a("101a"), a("120")));
    CHECK_FALSE(ptx_compiles_for(a("110a"), a("101")));
}

TEST_CASE("a list is read in the dialect of its writer") {
    CHECK(spelled("80", ArchDialect::cmake) == "80");
    CHECK(spelled("80-real;90a-real;90-virtual", ArchDialect::cmake) == "80-real;90a-real;90-virtual");
    CHECK(spelled("80-real 80-virtual", ArchDialect::cmake) == "80");
    CHECK(spelled("8.0;9.0+PTX", ArchDialect::torch) == "80-real;90");
    CHECK(spelled("Ampere", ArchDialect::torch) == "80-real;86");
    CHECK(spelled("-gencode arch=compute_80,code=sm_80", ArchDialect::nvcc) == "80-real");
    CHECK(spelled("-gencode=arch=compute_80,code=[sm_80,compute_80]", ArchDialect::nvcc) == "80");
    CHECK(spelled("-gencode arch=compute_90,code=compute_90 -arch sm_80", ArchDialect::nvcc) ==
          "90-virtual;80");
    CHECK(spelled("-arch=compute_80 -code=sm_80,sm_86", ArchDialect::nvcc) == "80-real;86-real");
    CHECK(spelled("sm_80,compute_90", ArchDialect::nvcc) == "80;90-virtual");
}

TEST_CASE("the dialect is guessed from the spelling") {
    CHECK(guess_dialect("80;90-real") == ArchDialect::cmake);
    CHECK(guess_dialect("8.0 9.0a+PTX") == ArchDialect::torch);
    CHECK(guess_dialect("Hopper") == ArchDialect::torch);
    CHECK(guess_dialect("sm_80") == ArchDialect::nvcc);
    CHECK(guess_dialect("arch=compute_80,code=sm_80") == ArchDialect::nvcc);
    CHECK(guess_dialect("all-major") == ArchDialect::cmake);
}

TEST_CASE("an unknown word is reported") {
    auto list = parse_arch_list("80;ninety", ArchDialect::cmake);
    REQUIRE(!list);
    CHECK(list.trouble().text() == "architecture 'ninety' is unknown: in the list '80;ninety'");
    CHECK(!parse_arch_list("80-reel", ArchDialect::cmake));
    CHECK(!parse_arch_list("-gencode arch=compute_80", ArchDialect::nvcc));
}

TEST_CASE("words are resolved with what the toolkit lists") {
    std::vector<Arch> known = {a("75"), a("80"), a("86"), a("90"), a("90a"), a("120")};
    auto resolved = [&](const char* text, std::vector<Arch> gpus = {}) {
        ArchList list = *parse_arch_list(text, ArchDialect::cmake);
        resolve_words(list, known, gpus);
        return cmake_spelling(list.targets) + (list.words.empty() ? "" : " left: " + list.words[0]);
    };
    CHECK(resolved("all") == "75-real;80-real;86-real;90-real;120");
    CHECK(resolved("all-major") == "75-real;80-real;90-real;120");
    CHECK(resolved("all-major-real") == "75-real;80-real;90-real;120-real");
    CHECK(resolved("all-virtual") == "75-virtual;80-virtual;86-virtual;90-virtual;120-virtual");
    CHECK(resolved("native", {a("89")}) == "89-real");
    CHECK(resolved("native") == " left: native");
}

TEST_CASE("targets in words: cubins and PTX are listed separately") {
    const auto words = [](const char* text) {
        return words_of(parse_arch_list(text, ArchDialect::cmake)->targets);
    };
    CHECK(words("75-real;80-real;90") == "cubins for sm_75, sm_80 and sm_90 and PTX for sm_90");
    CHECK(words("120-virtual") == "PTX for sm_120");
    CHECK(words("") == "no device code");
}
