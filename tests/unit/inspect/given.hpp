// Files to inspect, and a short way to inspect them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "../formats/build_archive.hpp"
#include "../formats/build_elf.hpp"
#include "../formats/build_fatbin.hpp"
#include "../formats/build_pe.hpp"
#include "formats/fatbin.hpp"
#include "host/fake_host.hpp"
#include "inspect/inspect.hpp"

namespace given {

using namespace ptxguard;

inline built::Entry cubin(std::uint32_t arch, std::uint64_t flags = 0) {
    built::Entry entry;
    entry.arch = arch;
    entry.flags |= flags;
    entry.payload = built::cubin_7(arch);
    return entry;
}

inline built::Elf library(const std::string& fatbins, const std::string& section = ".nv_fatbin") {
    built::Elf elf;
    elf.needed = {"libcublas.so.12", "libc.so.6"};
    elf.sections = {{section, fatbins}};
    return elf;
}

// Parsed once: some tests inspect many thousands of files.
inline const Facts& facts() {
    static const Facts all = Facts::embedded();
    return all;
}

inline std::vector<BinaryFile> inspected(const Host& host, const std::vector<std::string>& paths,
                                         bool deep = false) {
    Scenario scenario;
    InspectOptions options;
    options.deep = deep;
    inspect(host, facts(), paths, options, scenario);
    CHECK(scenario.unreadable.empty());
    return scenario.binaries;
}

inline BinaryFile inspected(const std::string& bytes, bool deep = false) {
    FakeHost host;
    host.file("/x/file", bytes);
    const std::vector<BinaryFile> files = inspected(host, {"/x/file"}, deep);
    REQUIRE(files.size() == 1);
    return files[0];
}

// "cubin sm_80, cubin sm_90a, ptx 8.0 sm_90"
inline std::string listed(const BinaryFile& file) {
    std::string text;
    for (const DeviceEntry& entry : file.entries)
        text += (text.empty() ? "" : ", ") + std::string(to_string(entry.kind)) +
                (entry.ptx ? " " + entry.ptx->text() : "") + " " + entry.arch.sm();
    return text;
}

}  // namespace given
