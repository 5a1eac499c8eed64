// Bytes from standard input, a file, a FIFO or a device, in order. For input of ptxguard itself, not of the
// checked system.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "model/result.hpp"

namespace ptxguard::own {

// Puts up to `most` bytes to `to` and returns how many; 0 = the end. An error ends it too, and sets
// `trouble`.
struct Input {
    std::function<std::size_t(char* to, std::size_t most, std::optional<Trouble>& trouble)> read;
};
// "-" is standard input.
Result<Input> open_input(const std::string& path);

}  // namespace ptxguard::own
