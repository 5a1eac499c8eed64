// Short forms for the tests of the facts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "facts/facts.hpp"

namespace ptxguard {

// What doctest prints if a comparison fails.
inline std::string text_of(const std::optional<Version>& version) {
    return version ? version->text : "nothing";
}
inline std::string text_of(const Known<Version>& version) { return text_of(version.value); }
inline std::string text_of(const std::optional<PtxVersion>& ptx) { return ptx ? ptx->text() : "nothing"; }
inline std::string text_of(const Known<Arch>& arch) { return arch ? arch->sm() : "nothing"; }

inline Version v(const char* text) { return *parse_version(text); }

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace ptxguard
