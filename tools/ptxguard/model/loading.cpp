// SPDX-License-Identifier: Apache-2.0
#include "model/loading.hpp"

namespace ptxguard {

const LoadedFile* LoadTrace::library(const std::string& library_name) const {
    for (const LoadedFile& library : libraries)
        if (library.library == library_name) return &library;
    return nullptr;
}

}  // namespace ptxguard
