// File names that a framework assembles at run time from numbers in a header in its package. Inner header of
// the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"

namespace ptxguard {

struct ComposedLibraries {
    std::vector<std::string> names;
    std::string asks_by;  // as in ComposedNames
};
// What the file at `path` opens this way: "cublas64_11.dll", "libcublas.so.12"; from the first package folder
// with a header.
ComposedLibraries composed_libraries(const Host& host, const Facts& facts, const std::string& path,
                                     const std::vector<std::string>& site_packages);

}  // namespace ptxguard
