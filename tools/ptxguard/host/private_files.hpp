// Files for this user only, whatever the umask is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace ptxguard::own {

constexpr std::size_t k_secret_size = 32;

// False: the folder is missing, belongs to somebody else, or others may write in it. `make`: creates it and
// those above it, and closes one of ours that others may read.
bool private_folder(const std::string& path, bool make);

// The bytes of a file that only we can read; nothing if there is none. `make`: then random ones are written.
std::optional<std::string> secret(const std::string& path, bool make);

}  // namespace ptxguard::own
