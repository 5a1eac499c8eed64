// String functions for every room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

bool ends_with(std::string_view text, std::string_view end);
bool starts_with(std::string_view text, std::string_view start);
std::string lower(std::string_view text);                 // ASCII only
std::string list(const std::vector<std::string>& words);  // "a, b and c"
// The stem of a library name without the hash that auditwheel and delvewheel append: "libcublas-3965bdd0",
// "cudnn64_8-54d1dc6a9a1bb2ad9cbb7d1dd5b0b0ba".
std::string without_hash(std::string_view stem);

}  // namespace ptxguard
