// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

// Whether a version of the C library or of the compiler's libraries (GLIBC_2.38, GLIBCXX_3.4.30) is newer
// than all of its kind that a file defines. These libraries keep their old versions, so that only a newer one
// can be missing. No for other versions, such as NVIDIA's.
bool is_newer_version(const std::string& needed, const std::vector<std::string>& defined);

}  // namespace ptxguard
