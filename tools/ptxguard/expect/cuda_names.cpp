// Since CUDA 11 the runtime's file name contains only the major version, so it gives no minor.
// SPDX-License-Identifier: Apache-2.0
#include "expect/cuda_names.hpp"

#include "model/text.hpp"

namespace ptxguard {
namespace {

std::optional<Version> major_only_from_11(const std::optional<Version>& version) {
    return version && version->major() >= 11 ? parse_version(std::to_string(version->major())) : version;
}

// X of NAME[-hash].so.X
std::optional<Version> after_so(std::string_view file, std::string_view name) {
    if (!starts_with(file, name)) return std::nullopt;
    const std::string_view rest = file.substr(name.size());
    const std::size_t so = rest.find(".so.");
    if (so == std::string_view::npos || (so > 0 && rest[0] != '-')) return std::nullopt;
    return parse_version(rest.substr(so + 4));
}

// digits of NAME64_DIGITS.dll
std::string_view dll_digits(std::string_view file, std::string_view name) {
    const std::string start = std::string(name) + "64_";
    if (!starts_with(file, start) || !ends_with(file, ".dll")) return {};
    const std::string_view digits = file.substr(start.size(), file.size() - start.size() - 4);
    return all_digits(digits) ? digits : std::string_view{};
}

}  // namespace

std::optional<Version> version_of_dll_suffix(std::string_view text) {
    if (!starts_with(text, "64_")) return parse_version(text);
    const std::string_view digits = text.substr(3);
    if (!all_digits(digits) || digits.size() > 3) return std::nullopt;
    const bool major_only = digits.size() == 1 || (digits.size() == 2 && digits[0] == '1');
    return major_only ? parse_version(digits) : with_dot(digits);
}

std::optional<Version> cuda_of_library(std::string_view file) {
    const std::string name = lower(file);
    if (const auto version = after_so(name, "libcudart")) return major_only_from_11(version);
    const std::string_view digits = dll_digits(name, "cudart");
    if (digits.empty()) return std::nullopt;
    return digits.size() == 3 || digits[0] > '1' ? major_only_from_11(with_dot(digits))
                                                 : parse_version(digits);
}

std::optional<Version> cuda_of_cublas(std::string_view file) {
    const std::string name = lower(file);
    auto version = after_so(name, "libcublas");
    if (!version) version = parse_version(dll_digits(name, "cublas"));
    return version && version->major() >= 11 && plausible(*version) ? major_only_from_11(version)
                                                                    : std::nullopt;
}

std::optional<Version> cudnn_of_library(std::string_view file) {
    const std::string name = lower(file);
    if (const auto version = after_so(name, "libcudnn")) return version;
    const std::string_view digits = dll_digits(name, "cudnn");
    return digits.empty() ? std::nullopt : parse_version(digits);
}

bool plausible(const Version& version) {
    return version.major() >= 4 && version.major() < 100 && version.minor() < 100;
}

}  // namespace ptxguard
