// The cache of glibc's loader, in both formats.
// SPDX-License-Identifier: Apache-2.0
#include "formats/ld_cache.hpp"

#include "ask.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto cache = ptxguard::read_ld_cache(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!cache) return 0;
    for (const ptxguard::LdCacheEntry& entry : cache->entries) {
        look_at(entry.name);
        look_at(entry.path);
        look_at(entry.hwcap_folder);
    }
    return 0;
}
