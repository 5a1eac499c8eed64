// Each is one call of the Host.
// SPDX-License-Identifier: Apache-2.0
#include "host/questions.hpp"

namespace ptxguard {

bool is_file(const Host& host, const std::string& path) { return host.status(path).type == FileType::regular; }
bool is_folder(const Host& host, const std::string& path) { return host.status(path).type == FileType::directory; }

std::function<std::string(std::uint64_t, std::size_t)> reader_of(const Host& host, const std::string& path) {
    return [&host, path](std::uint64_t offset, std::size_t length) {
        auto bytes = host.read_range(path, offset, length);
        return bytes ? *bytes : std::string();
    };
}

}  // namespace ptxguard
