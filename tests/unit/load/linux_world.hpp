// A system of tiny ELF files on a FakeHost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../formats/build_elf.hpp"
#include "../formats/build_ld_cache.hpp"
#include "host/fake_host.hpp"
#include "host/paths.hpp"

namespace built {

// Texts of an ld.so, each with its NUL.
inline std::string loader_bytes(const std::vector<std::string>& texts) {
    std::string bytes = "\177ELF";
    bytes.push_back('\0');
    for (const std::string& text : texts) bytes += text + '\0';
    return bytes;
}

inline std::string debian_loader() {
    return loader_bytes({"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/", "x",
                         "haswell", "/etc/ld.so.cache", "--glibc-hwcaps-mask", "/etc/ld.so.preload",
                         "ld.so (Debian GLIBC 2.41-12) stable release version 2.41."});
}

struct LinuxWorld : ptxguard::FakeHost {
    LinuxWorld() { file("/lib64/ld-linux-x86-64.so.2", debian_loader()); }

    // Like FakeHost's, for chaining.
    LinuxWorld& file(const std::string& path, const std::string& text) {
        return FakeHost::file(path, text), *this;
    }
    LinuxWorld& link(const std::string& path, const std::string& to) {
        return FakeHost::link(path, to), *this;
    }
    LinuxWorld& folder(const std::string& path) { return FakeHost::folder(path), *this; }
    LinuxWorld& variable(const std::string& name, const std::string& value) {
        return FakeHost::env(name, value), *this;
    }

    // A library whose soname is its file name.
    LinuxWorld& library(const std::string& path, std::vector<std::string> needed = {}, Elf elf = {}) {
        if (elf.soname.empty()) elf.soname = ptxguard::file_name(path);
        elf.needed = std::move(needed);
        file(path, elf.build());
        return *this;
    }
    LinuxWorld& program(const std::string& path, std::vector<std::string> needed, Elf elf = {}) {
        elf.interpreter = "/lib64/ld-linux-x86-64.so.2";
        elf.needed = std::move(needed);
        file(path, elf.build());
        return *this;
    }
    LinuxWorld& cache(const std::vector<CacheRow>& rows, const std::vector<std::string>& folders = {}) {
        file("/etc/ld.so.cache", new_cache(rows, folders));
        return *this;
    }
};

inline Elf with_rpath(const std::string& text) {
    Elf elf;
    elf.rpath = text;
    return elf;
}
inline Elf with_runpath(const std::string& text) {
    Elf elf;
    elf.runpath = text;
    return elf;
}

}  // namespace built
