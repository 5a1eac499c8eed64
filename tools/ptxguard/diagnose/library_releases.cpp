// SPDX-License-Identifier: Apache-2.0
#include "diagnose/library_releases.hpp"

#include <cstdlib>

#include "model/text.hpp"

namespace ptxguard {
namespace {

// As the library's own function returns it: 90100 and 8907 of cuDNN, 120205 of cuBLAS, 11402 of cuSOLVER.
std::optional<Version> release_of_number(const std::string& digits, bool is_cudnn) {
    const long number = std::strtol(digits.c_str(), nullptr, 10);
    if (number < 1000) return std::nullopt;
    const long of_major = number >= (is_cudnn ? 90000 : 100000) ? 10000 : 1000;
    const long rest = number % of_major;
    return parse_version(std::to_string(number / of_major) + "." + std::to_string(rest / 100) + "." +
                         std::to_string(rest % 100));
}

std::optional<Version> release_of(const std::string& text, bool is_cudnn) {
    std::string dotted;
    for (const char c : text)
        if (c != ' ') dotted += c == ',' ? '.' : c;
    return dotted.find('.') == std::string::npos ? release_of_number(dotted, is_cudnn)
                                                 : parse_version(dotted);
}

std::optional<Version> captured_release(const FoundMessage& message, const std::string& name, bool is_cudnn) {
    for (const char* form : {"", "_list", "_number"})
        if (const std::string* text = message.value(name + form)) return release_of(*text, is_cudnn);
    return std::nullopt;
}

}  // namespace

LibraryReleases library_releases(const FoundMessage& message) {
    LibraryReleases releases{"cuDNN", captured_release(message, "cudnn_found", true),
                             captured_release(message, "cudnn_built", true)};
    if (releases.loaded || releases.built) return releases;
    const std::string* library = message.value("library");
    const std::string *found = message.value("found"), *needed = message.value("needed");
    if (!library || !found || !needed) return {};
    if (lower(*library) == "cuda") return {};  // its number has another form
    const bool is_cudnn = lower(*library) == "cudnn";
    return {*library, release_of(*found, is_cudnn), release_of(*needed, is_cudnn)};
}

}  // namespace ptxguard
