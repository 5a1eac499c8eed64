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
    std::string_view start;
    Content content;
};
constexpr std::string_view k_gzip("\x1f\x8b", 2), k_fatbin("\x50\xed\x55\xba", 4);
constexpr Mark k_marks[] = {
    {"version https://git-lfs.github.com/spec", Content::git_lfs},
    {"\xff\xfe", Content::utf16},
    {"\xfe\xff", Content::utf16},
    {"PK\x03\x04", Content::zip},
    {k_gzip, Content::gzip},
    {"\xfd"
     "7zXZ",
     Content::xz},
    {"\x28\xb5\x2f\xfd", Content::zstd},
    {"BC\xc0\xde", Content::bitcode},
    {"\xde\xc0\x17\x0b", Content::bitcode},
    {"; ModuleID", Content::llvm_ir},
    {"target datalayout", Content::llvm_ir},
    {"\xcf\xfa\xed\xfe", Content::mach_o},
    {"\xca\xfe\xba\xbe", Content::mach_o},
    {"#!", Content::script},
    {k_fatbin, Content::fatbin},
    {"\x64\x86", Content::coff},
    {"MZ", Content::dos},
};

bool is_text(std::string_view head) {
    return std::all_of(head.begin(), head.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 || (byte >= '\t' && byte <= '\r');
    });
}

}  // namespace

Content looks_like(std::string_view head) {
    if (head.empty()) return Content::unknown;
    if (is_cubin(head)) return Content::cubin;
    if (is_elf(head)) return Content::elf;
    for (const Mark& mark : k_marks)
        if (head.substr(0, mark.start.size()) == mark.start) return mark.content;
    const std::string start = lower(trim(head.substr(0, 256)));
    if (starts_with(start, "<!doctype html") || starts_with(start, "<html")) return Content::html;
    if (std::all_of(head.begin(), head.end(), [](char c) { return c == 0; })) return Content::zeros;
    // A stored PTX text ends with a zero byte and padding.
    const std::size_t last = head.find_last_not_of('\0');
    return is_text(head.substr(0, last + 1)) ? Content::text : Content::unknown;
}

}  // namespace ptxguard
