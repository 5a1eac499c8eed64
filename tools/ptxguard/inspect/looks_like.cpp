// What users pass instead of a binary: the page of a failed download, a pointer instead of a large file,
// another compiler's output.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/device_code.hpp"
#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
namespace {

struct Mark {
    std::string_view start, name;
};
constexpr std::string_view k_gzip("\x1f\x8b", 2), k_fatbin("\x50\xed\x55\xba", 4);
constexpr Mark k_marks[] = {
    {"version https://git-lfs.github.com/spec", "a Git LFS pointer"},
    {"\xff\xfe", "UTF-16 text"},
    {"\xfe\xff", "UTF-16 text"},
    {"PK\x03\x04", "a zip archive"},
    {k_gzip, "gzip data"},
    {"\xfd"
     "7zXZ",
     "xz data"},
    {"\x28\xb5\x2f\xfd", "zstd data"},
    {"BC\xc0\xde", "LLVM bitcode"},
    {"\xde\xc0\x17\x0b", "LLVM bitcode"},
    {"; ModuleID", "LLVM IR text"},
    {"target datalayout", "LLVM IR text"},
    {"\xcf\xfa\xed\xfe", "a Mach-O file"},
    {"\xca\xfe\xba\xbe", "a Mach-O file"},
    {"#!", "a script"},
    {k_fatbin, "a fatbin"},
    {"\x64\x86", "a COFF object file"},
    {"MZ", "a DOS program"},
};

bool is_text(std::string_view head) {
    return std::all_of(head.begin(), head.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 || (byte >= '\t' && byte <= '\r');
    });
}

}  // namespace

std::string looks_like(std::string_view head) {
    if (head.empty()) return {};
    if (is_cubin(head)) return "a cubin";
    if (is_elf(head)) return "an ELF file";
    for (const Mark& mark : k_marks)
        if (head.substr(0, mark.start.size()) == mark.start) return std::string(mark.name);
    const std::string start = lower(trim(head.substr(0, 256)));
    if (starts_with(start, "<!doctype html") || starts_with(start, "<html")) return "an HTML page";
    if (std::all_of(head.begin(), head.end(), [](char c) { return c == 0; })) return "a file of zero bytes";
    // A stored PTX text ends with a zero byte and padding.
    const std::size_t last = head.find_last_not_of('\0');
    return is_text(head.substr(0, last + 1)) ? "text" : "";
}

}  // namespace ptxguard
