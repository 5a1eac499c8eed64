// SPDX-License-Identifier: Apache-2.0
#include "formats/library_text.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace ptxguard;

namespace {

std::string names(std::initializer_list<const char*> list) {
    std::string bytes(1, '\0');
    for (const char* name : list) bytes += std::string(name) + '\0';
    return bytes;
}

}  // namespace

TEST_CASE("the std::string that a library exports shows its ABI") {
    CHECK(string_abi(
              names({"_ZN3c105ErrorC1ENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", "_ZN3c104xESs"}),
              "3c10") == 1);
    CHECK(string_abi(names({"_ZN3c105ErrorC1ENS_14SourceLocationESs"}), "3c10") == 0);
    CHECK(string_abi(names({"_ZN3c107Warning5printERKSs"}), "3c10") == 0);
    // Other names, even those of libstdc++ itself, prove nothing.
    CHECK_FALSE(string_abi(
        names({"_ZNSt13runtime_errorC1ERKSs", "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEED1Ev"}),
        "3c10"));
    CHECK_FALSE(string_abi(names({"_ZN3c106isOkayEi", "3c10ESs"}), "3c10"));
    CHECK_FALSE(string_abi("", "3c10"));
}

TEST_CASE("architectures are a separate constant") {
    const auto archs =
        find_arch_flags(names({"asm_75 x", "sm_75 sm_90a compute_90", "sm_80 is fast"}), false);
    REQUIRE(archs);
    REQUIRE(archs->size() == 3);
    CHECK((*archs)[1].arch.name() == "90a");
    CHECK((*archs)[2].ptx);
    CHECK_FALSE((*archs)[2].real);
}

TEST_CASE("a lone architecture, two different lists and no list are unknown") {
    CHECK_FALSE(find_arch_flags(names({"sm_75"}), false));
    CHECK_FALSE(find_arch_flags(names({"sm_75 sm_80", "sm_75 sm_90"}), false));
    CHECK(find_arch_flags(names({"sm_75 sm_80", "sm_75 sm_80"}), false));
    CHECK_FALSE(find_arch_flags("", false));
    CHECK_FALSE(parse_arch_words({"sm_75", "sm_"}, false));
    CHECK_FALSE(parse_arch_words({}, false));
}

TEST_CASE("for TensorFlow compute_80 stands for cubin and PTX") {
    const auto archs = parse_arch_words({"sm_70", "compute_80"}, true);
    REQUIRE(archs);
    CHECK((*archs)[1].real);
    CHECK((*archs)[1].ptx);
    CHECK_FALSE((*archs)[0].ptx);
}
