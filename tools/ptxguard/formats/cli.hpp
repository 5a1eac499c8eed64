// Managed (.NET) assemblies: the CLI header of a PE file, and the names of native DLLs that its code calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/pe.hpp"
#include "model/limit.hpp"

namespace ptxguard {

struct CliFile {
    bool only_managed = true;        // false: C++/CLI, with machine code and imports of its own
    bool needs_32_bit = false;       // otherwise, without machine code, it runs in a process of any machine
    std::vector<std::string> names;  // the heap #Strings: among them those of [DllImport]
    std::optional<Limit> beyond;     // the names are more than are read: none was
};
// Nothing if the file is not managed. Names that cannot be read are left out.
std::optional<CliFile> read_cli(const Source& source, const PeFile& file);

}  // namespace ptxguard
