// The releases of a library in a message, however they are written: "8.9.7", "8, 9, 7", 8907 or 90100.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "messages/find_messages.hpp"
#include "model/version.hpp"

namespace ptxguard {

struct LibraryReleases {
    std::string library;                   // "cuDNN"; empty if the message names no release
    std::optional<Version> loaded, built;  // the one in use, and the one that its user was built with
};

LibraryReleases library_releases(const FoundMessage& message);

}  // namespace ptxguard
