// Questions to a Host that several rooms ask.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "host/host.hpp"

namespace ptxguard {

bool is_file(const Host& host, const std::string& path);    // a regular one, through links
bool is_folder(const Host& host, const std::string& path);

// The file's bytes from `offset` on, for readers that hold only what they need; empty where it cannot be read.
std::function<std::string(std::uint64_t offset, std::size_t length)> reader_of(const Host& host, const std::string& path);

}  // namespace ptxguard
