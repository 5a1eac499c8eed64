// What glibc's loader of the judged system has built into it and finds in /etc: default folders, $LIB,
// $PLATFORM, the subfolders for the processor, ld.so.cache, /etc/ld.so.preload. Read from the loader's own
// file. Inner header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/ld_cache.hpp"
#include "host/host.hpp"

namespace ptxguard {

// A folder below each search folder that the loader looks into first.
struct LinuxSubfolder {
    std::string name;   // "glibc-hwcaps/x86-64-v3", "tls/x86_64"
    std::string never;  // why it does not count here; empty = it does
};

struct LinuxSystem {
    std::uint16_t machine = 0;  // k_em_x86_64, k_em_aarch64
    std::string loader;         // path of ld.so; empty = there is none
    std::string loader_soname;  // "ld-linux-x86-64.so.2"
    std::vector<std::string> default_folders;
    bool any_default_folder = false;                 // one of them is there
    std::string lib, platform;                       // values of $LIB and $PLATFORM
    std::vector<LinuxSubfolder> subfolders;          // highest priority first, without the folder itself
    std::string cache_path;                          // "/etc/ld.so.cache"
    std::shared_ptr<const std::string> cache_bytes;  // buffer of the views in `cache`
    LdCache cache;
    std::vector<std::string> preload_file;  // names in /etc/ld.so.preload
    std::string trouble;                    // why this loader's rules are not known: it is musl's
};

// `interpreter` is the one that a program names; empty for a library, which any program may open.
LinuxSystem linux_system(const Host& host, std::uint16_t machine, const std::string& interpreter);

// The folders in the bytes of an ld.so: "/lib64/" NUL "/usr/lib64/" NUL.
std::vector<std::string> folders_in_loader(std::string_view bytes);

// The subfolders that this ld.so searches on this processor (text of /proc/cpuinfo; empty = not known).
std::string loader_platform(std::string_view bytes, std::uint16_t machine, std::string_view cpuinfo);
std::vector<LinuxSubfolder> loader_subfolders(std::string_view bytes, std::uint16_t machine,
                                              std::string_view cpuinfo);

// The cache's entries for a name and machine type, the one that the loader uses first.
struct CachedPath {
    std::string path;
    std::string never;  // for the others: why the loader does not reach them
};
std::vector<CachedPath> cached_paths(const LinuxSystem& system, std::string_view name);

}  // namespace ptxguard
