// Requirements in the notation of PEP 508 and of older setuptools: "torch[opt]>=2,<3; python_version <
// '3.12'", "name (==1.0)", "torch @ URL", a URL or the path of an archive.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/version.hpp"

namespace ptxguard {

// "nvidia-cuda-runtime" for "NVIDIA_cuda.runtime".
std::string canonical_package(std::string_view name);

struct Requirement {
    std::string name;                 // canonical; empty for a bare path or URL
    std::vector<std::string> extras;  // canonical
    std::string specifier;            // "==2.5.1+cu121", ">=2,<3"; empty = any release
    std::string marker;               // text after ";"
    std::string direct;               // URL or path of a direct reference
    std::size_t direct_at = 0;        // its place in the text

    // The version after "==" if that is the whole specifier ("==12.4.127", "==13.0.85.*").
    std::optional<Version> pinned() const;
};

// An error in a requirement does not hide the rest of it. The name and "==VERSION" of an archive come from
// its file name.
Requirement parse_requirement(std::string_view text);

// "x.whl", "x.tar.gz"
bool names_package_file(std::string_view path);

// Of a URL: "%2B" is "+".
std::string percent_decoded(std::string_view text);

}  // namespace ptxguard
