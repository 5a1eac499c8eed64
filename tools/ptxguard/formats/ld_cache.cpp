// Layout as in glibc's sysdeps/generic/dl-cache.h. The old format (before glibc 2.2) is read if no newer one
// follows it. Entries with strings outside the file are skipped, as by the loader.
// SPDX-License-Identifier: Apache-2.0
#include "formats/ld_cache.hpp"

#include <algorithm>
#include <optional>

#include "model/source.hpp"

namespace ptxguard {
namespace {

constexpr std::string_view k_old_magic = "ld.so-1.7.0", k_new_magic = "glibc-ld.so.cache1.1";
constexpr std::size_t k_old_header = 16, k_old_row = 12, k_new_header = 48, k_new_row = 24;
constexpr std::size_t k_max_cache_text = 4096;
constexpr std::uint32_t k_extension_magic = 0xeaa42174, k_hwcaps_tag = 1, k_max_extensions = 64;
constexpr std::uint64_t k_max_folders = 1024;  // hwcaps folders; glibc uses three names
constexpr std::uint64_t k_hwcap_extension = 1u << 30, k_isa_levels = 0x3ff;  // in the upper half of `hwcap`
constexpr int k_big_endian = 3;

std::optional<std::string_view> cache_text_at(std::string_view bytes, std::uint64_t place) {
    if (place >= bytes.size()) return std::nullopt;
    const std::string_view rest = bytes.substr(static_cast<std::size_t>(place), k_max_cache_text);
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
}

// Names of the folders that hwcap fields refer to by index.
std::vector<std::string_view> hwcap_folders(std::string_view cache) {
    std::vector<std::string_view> folders;
    const std::uint64_t at = load_u32(cache.data() + 32);
    if (at == 0 || at > cache.size() || cache.size() - at < 8 ||
        load_u32(cache.data() + at) != k_extension_magic)
        return folders;
    const std::uint64_t count = std::min(load_u32(cache.data() + at + 4), k_max_extensions);
    for (std::uint64_t i = 0; i < count && cache.size() - at - 8 >= (i + 1) * 16; ++i) {
        const char* row = cache.data() + at + 8 + i * 16;
        const std::uint64_t offset = load_u32(row + 8), size = load_u32(row + 12);
        if (load_u32(row) != k_hwcaps_tag || offset > cache.size() || size > cache.size() - offset) continue;
        const std::uint64_t end = offset + std::min<std::uint64_t>(size, 4 * k_max_folders);
        for (std::uint64_t place = offset; end - place >= 4; place += 4)
            folders.push_back(
                cache_text_at(cache, load_u32(cache.data() + place)).value_or(std::string_view()));
        break;
    }
    return folders;
}

std::optional<LdCache> read_new(std::string_view cache) {
    if (cache.size() < k_new_header || cache.substr(0, k_new_magic.size()) != k_new_magic)
        return std::nullopt;
    const std::uint64_t count = load_u32(cache.data() + 20);
    if ((cache[28] & 3) == k_big_endian || count > (cache.size() - k_new_header) / k_new_row)
        return std::nullopt;
    const std::vector<std::string_view> folders = hwcap_folders(cache);
    LdCache found;
    found.entries.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        const char* row = cache.data() + k_new_header + i * k_new_row;
        const auto name = cache_text_at(cache, load_u32(row + 4)),
                   path = cache_text_at(cache, load_u32(row + 8));
        if (!name || !path) continue;
        LdCacheEntry entry{*name, *path, static_cast<std::int32_t>(load_u32(row)), load_u64(row + 16), {}};
        if ((entry.hwcap >> 32 & ~k_isa_levels) == k_hwcap_extension) {
            const std::uint64_t index = entry.hwcap & 0xffffffff;
            if (index >= folders.size()) continue;
            entry.hwcap_folder = folders[static_cast<std::size_t>(index)];
        }
        found.entries.push_back(entry);
    }
    return found;
}

LdCache read_old(std::string_view bytes, std::size_t count) {
    const std::string_view texts = bytes.substr(k_old_header + count * k_old_row);
    LdCache found;
    found.entries.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const char* row = bytes.data() + k_old_header + i * k_old_row;
        const auto name = cache_text_at(texts, load_u32(row + 4)),
                   path = cache_text_at(texts, load_u32(row + 8));
        if (name && path)
            found.entries.push_back({*name, *path, static_cast<std::int32_t>(load_u32(row)), 0, {}});
    }
    return found;
}

}  // namespace

Result<LdCache> read_ld_cache(std::string_view bytes) {
    if (auto found = read_new(bytes)) return std::move(*found);
    if (bytes.substr(0, k_new_magic.size()) == k_new_magic)
        return Trouble{{}, "is a damaged cache of ld.so", "its entries lie outside it"};
    if (bytes.size() < k_old_header || bytes.substr(0, k_old_magic.size()) != k_old_magic)
        return Trouble{{}, "is not a cache of ld.so", {}};
    const std::size_t count = load_u32(bytes.data() + 12);
    if (count > (bytes.size() - k_old_header) / k_old_row)
        return Trouble{{}, "is a damaged cache of ld.so", "its entries lie outside it"};
    const std::size_t behind = (k_old_header + count * k_old_row + 7) / 8 * 8;
    if (behind < bytes.size())
        if (auto found = read_new(bytes.substr(behind))) return std::move(*found);
    return read_old(bytes, count);
}

}  // namespace ptxguard
