// Each is one call of the Host.
// SPDX-License-Identifier: Apache-2.0
#include "host/questions.hpp"

namespace ptxguard {

bool is_file(const Host& host, const std::string& path) {
    return host.status(path).type == FileType::regular;
}
bool is_folder(const Host& host, const std::string& path) {
    return host.status(path).type == FileType::directory;
}

}  // namespace ptxguard
