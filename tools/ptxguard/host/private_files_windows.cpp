// What a user's own folders contain is accessible to that user only.
// SPDX-License-Identifier: Apache-2.0
#include "host/private_files.hpp"

#include <random>

#include "host/host.hpp"
#include "host/platform.hpp"

namespace ptxguard::own {

bool private_folder(const std::string& path, bool make) {
    if (make) (void)make_folders(path);
    return platform::status(path).type == FileType::directory && author_of(path) == Author::we;
}

std::optional<std::string> secret(const std::string& path, bool make) {
    const auto read = [&]() -> std::optional<std::string> {
        const auto bytes = platform::read(path, k_secret_size);
        if (!bytes || bytes->size() != k_secret_size || author_of(path) != Author::we) return std::nullopt;
        return *bytes;
    };
    auto found = read();
    if (found || !make) return found;
    std::random_device random;
    std::string bytes;
    while (bytes.size() < k_secret_size) bytes += static_cast<char>(random());
    (void)write_file(path, bytes);
    return read();
}

}  // namespace ptxguard::own
