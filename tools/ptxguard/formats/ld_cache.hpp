// /etc/ld.so.cache of glibc: the new format ("glibc-ld.so.cache1.1"), and the old one followed by the new
// one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace ptxguard {

struct LdCacheEntry {
    std::string_view name;   // "libcublas.so.12"; into the bytes
    std::string_view path;   // "/usr/lib/x86_64-linux-gnu/libcublas.so.12"
    std::int32_t flags = 0;  // 0x0303 = x86-64 libc6, 0x0a03 = aarch64 libc6, 0x0003 = libc6 of 32 bit
    std::uint64_t hwcap = 0;
    std::string_view hwcap_folder;  // "x86-64-v3" of a glibc-hwcaps entry; empty = none
};
struct LdCache {
    std::vector<LdCacheEntry> entries;  // in file order; the loader prefers earlier matches
};
Result<LdCache> read_ld_cache(std::string_view bytes);

}  // namespace ptxguard
