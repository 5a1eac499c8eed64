// SPDX-License-Identifier: Apache-2.0
#include "formats/returned_constants.hpp"

#include <doctest/doctest.h>

#include "build_elf.hpp"
#include "damage.hpp"

using namespace ptxguard;
using namespace std::string_literals;

namespace {

struct Extension {
    std::string bytes;
    std::size_t text = 0, rodata = 0;
};

// Two sections, so that their positions are known before their bytes.
Extension lay(const std::string& text, const std::string& rodata, std::uint16_t machine = 62) {
    built::Elf elf;
    elf.machine = machine;
    elf.sections = {{".text", text}, {".rodata", rodata}};
    Extension made;
    made.bytes = elf.build();
    made.text = elf.at[".text"];
    made.rodata = elf.at[".rodata"];
    return made;
}

std::string number(std::uint32_t value) {
    std::string bytes;
    built::add(bytes, value, 4);
    return bytes;
}

// lea from `at` in .text to `target` in the file (both sections keep their distance in memory).
std::string lea(std::size_t at, std::size_t target) {
    return "\x48\x8d\x05"s + number(static_cast<std::uint32_t>(target - (at + 7)));
}

// As clang and gcc write `return N` of such a function.
std::string clang_code(std::uint32_t value) {
    return "\x55\x48\x89\xe5\xbf"s + number(value) + "\xe8\0\0\0\0\x5d\xc3"s;
}
std::string gcc_code(std::uint32_t value) {
    return "\xf3\x0f\x1e\xfa\xbf"s + number(value) + "\xe9\0\0\0\0"s;
}

const std::string k_names = "cudnn_build_version\0cuda_runtime_build_version\0other\0"s;

// Registers `first` as cudnn_build_version and `second` as cuda_runtime_build_version.
std::string extension(const std::string& first, const std::string& second, std::size_t between = 8) {
    const std::string code = first + second;
    Extension places = lay(std::string(code.size() + 4 * 7 + 2 * between, '\x90'), k_names);
    std::string text = code;
    const auto add_lea = [&](std::size_t target) { text += lea(places.text + text.size(), target); };
    add_lea(places.text);
    text += std::string(between, '\x90');
    add_lea(places.rodata);
    add_lea(places.text + first.size());
    text += std::string(between, '\x90');
    add_lea(places.rodata + k_names.find("cuda_runtime"));
    return lay(text, k_names).bytes;
}

// The same for AArch64.
std::string words(const std::vector<std::uint32_t>& instructions) {
    std::string bytes;
    for (const std::uint32_t word : instructions) bytes += number(word);
    return bytes;
}

// stp x29, x30, [sp, #-16]!; mov x29, sp; movz w0, #N; movk w0, #N, lsl #16; bl
std::string arm_code(std::uint32_t value) {
    std::vector<std::uint32_t> code = {0xa9bf7bfd, 0x910003fd, 0x52800000u | (value & 0xffffu) << 5};
    if (value > 0xffff) code.push_back(0x72a00000u | (value >> 16) << 5);
    code.push_back(0x94000010);
    code.insert(code.end(), {0xa8c17bfd, 0xd65f03c0});
    return words(code);
}

std::string adr(std::size_t at, std::size_t target) {
    const auto by = static_cast<std::uint32_t>(target - at);
    return words({0xd503201f, 0x10000008u | (by & 3u) << 29 | ((by >> 2) & 0x7ffffu) << 5});
}

std::string adrp(std::size_t at, std::size_t target) {
    const auto pages = static_cast<std::uint32_t>((target >> 12) - (at >> 12));
    return words({0x90000008u | (pages & 3u) << 29 | ((pages >> 2) & 0x7ffffu) << 5, 0xaa1303e0,
                  0x91000108u | static_cast<std::uint32_t>(target & 0xfff) << 10});
}

std::string arm_extension(const std::string& first, const std::string& second) {
    const std::string code = first + second;
    constexpr std::uint16_t k_aarch64 = 183;
    const Extension places = lay(code + std::string(4 * 12 + 20, '\0'), k_names, k_aarch64);
    const std::size_t start = places.text, names = places.rodata;
    std::string text = code;
    // `adr` is one instruction after the `nop` that it is written with.
    const auto add_adr = [&](std::size_t target) { text += adr(start + text.size() + 4, target); };
    const auto add_adrp = [&](std::size_t target) { text += adrp(start + text.size(), target); };
    add_adr(start);
    add_adrp(names);
    add_adrp(start + first.size());
    add_adr(names + k_names.find("cuda_runtime"));
    text.resize(code.size() + 4 * 12 + 20);
    return lay(text, k_names, k_aarch64).bytes;
}

const std::vector<std::string> k_functions = {"cudnn_build_version", "cuda_runtime_build_version", "none"};

}  // namespace

TEST_CASE("a function that returns a number is read from its code") {
    for (const auto& bytes :
         {extension(clang_code(90800), clang_code(12080)), extension(gcc_code(90800), gcc_code(12080)),
          extension("\x48\x83\xec\x08\xbf"s + number(90800) + "\xff\x15\0\0\0\0"s, gcc_code(12080))}) {
        const auto found = returned_constants(source_of(bytes), k_functions);
        REQUIRE(found.size() == 2);
        CHECK(found.at("cudnn_build_version") == 90800);
        CHECK(found.at("cuda_runtime_build_version") == 12080);
    }
}

TEST_CASE("the same for AArch64, where addresses are loaded in one step or in two") {
    const auto found =
        returned_constants(source_of(arm_extension(arm_code(90800), arm_code(12080))), k_functions);
    REQUIRE(found.size() == 2);
    CHECK(found.at("cudnn_build_version") == 90800);
    CHECK(found.at("cuda_runtime_build_version") == 12080);
}

TEST_CASE("on AArch64 only recognized code gives a number") {
    const std::string calls_first =
        words({0xa9bf7bfd, 0x910003fd, 0x94000010, 0x52800000u | 7u << 5, 0x94000010});
    const std::string adds = words({0x52800000u | 7u << 5, 0x11000400, 0x94000010});
    const std::string other_register = words({0x52800001u | 7u << 5, 0x94000010});
    for (const std::string& code : {calls_first, adds, other_register}) {
        const auto found = returned_constants(source_of(arm_extension(code, arm_code(12080))), k_functions);
        CHECK(found.count("cudnn_build_version") == 0);
        CHECK(found.at("cuda_runtime_build_version") == 12080);
    }
}

TEST_CASE("a function that does more than return a number gives nothing") {
    const std::string computes = "\x55\x48\x89\xe5\xe8\0\0\0\0\x89\xc7\xe8\0\0\0\0"s;
    const auto found = returned_constants(source_of(extension(computes, gcc_code(12080))), k_functions);
    CHECK(found.count("cudnn_build_version") == 0);
    CHECK(found.at("cuda_runtime_build_version") == 12080);
}

TEST_CASE("code of another record is not attributed to the name") {
    const auto found = returned_constants(source_of(extension(gcc_code(1), gcc_code(2), 200)), k_functions);
    CHECK(found.empty());
}

TEST_CASE("other machines, other files and missing names give nothing") {
    built::Elf arm;
    arm.machine = 183;
    arm.sections = {{".text", gcc_code(1)}, {".rodata", k_names}};  // x86's code
    CHECK(returned_constants(source_of(arm.build()), k_functions).empty());
    CHECK(returned_constants(source_of("no ELF"), k_functions).empty());
    CHECK(returned_constants(source_of(""), k_functions).empty());
    CHECK(returned_constants(source_of(extension(gcc_code(1), gcc_code(2))), {"none", ""}).empty());
}

TEST_CASE("damaged AArch64 extensions are handled") {
    const std::string good = arm_extension(arm_code(90800), arm_code(12080));
    built::cut_at_every_byte(good,
                             [](const std::string& bad) { returned_constants(source_of(bad), k_functions); });
    built::poke_every_field(good, 0, good.size(),
                            [](const std::string& bad) { returned_constants(source_of(bad), k_functions); });
}

TEST_CASE("damaged extensions are handled") {
    const std::string good = extension(clang_code(90800), gcc_code(12080));
    built::cut_at_every_byte(good,
                             [](const std::string& bad) { returned_constants(source_of(bad), k_functions); });
    built::poke_every_field(good, 0, good.size(),
                            [](const std::string& bad) { returned_constants(source_of(bad), k_functions); });
    for (std::size_t reads = 0; reads < 12; ++reads)
        returned_constants(built::shrinking(good, reads, good.size() / 2), k_functions);
}
