// What CuPy's wheels say of themselves, and what names of packages and libraries say where they do not.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/cupy/cupy.hpp"
#include "host/paths.hpp"
#include "model/json.hpp"

namespace ptxguard::cupy {
namespace {

// "12.x" is any release of CUDA 12.
std::optional<Version> read_cuda(const std::string& text) {
    const bool any_minor = ends_with(text, ".x");
    const auto version = parse_version(any_minor ? text.substr(0, text.size() - 2) : text);
    return version && plausible(*version) ? version : std::nullopt;
}

bool all_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// From 11.2 on NVRTC's name stays that of the major's first release that promises it.
std::optional<Version> without_promised_minor(const std::optional<Version>& version) {
    if (!version || !plausible(*version)) return std::nullopt;
    const bool promised = version->major() > 11 || (version->major() == 11 && version->minor() >= 2);
    return promised ? parse_version(std::to_string(version->major())) : version;
}

}  // namespace

void read_wheel_data(std::string_view text, const std::string& path, Expectation& expectation) {
    const auto json = parse_json(text, path);
    if (!json || !json->is_object()) {
        distrust(expectation, json ? path + " holds no JSON object" : json.trouble().text());
        return;
    }
    const Origin origin = Origin::from_file(path, 1);
    const Json& cuda = (*json)["cuda"];
    if (starts_with(cuda.as_string(), "rocm")) {
        set_vendor(expectation, "rocm", origin);
        return;
    }
    const auto version = read_cuda(cuda.as_string());
    if (!version) {
        distrust(expectation, cuda.is_null() ? path + " names no CUDA release"
                                             : path + " gives cuda a value that is no CUDA release ('" +
                                                   cuda.as_string().substr(0, 60) + "')");
        return;
    }
    expectation.cuda = {*version, origin};
    set_vendor(expectation, "cuda", origin);
    const auto cudnn = parse_version((*json)["cudnn"]["version"].as_string());
    if (cudnn && plausible(*cudnn)) expectation.cudnn = {*cudnn, origin};
}

std::optional<Version> cuda_of_package(std::string_view package) {
    const std::string_view stem = "cupy-cuda";
    if (!starts_with(package, stem)) return std::nullopt;
    std::string_view digits = package.substr(stem.size());
    if (!ends_with(digits, "x")) return cuda_of_tag("cu" + std::string(digits));
    digits.remove_suffix(1);
    const auto version = all_digits(digits) && digits.size() == 2 ? parse_version(digits) : std::nullopt;
    return version && plausible(*version) ? version : std::nullopt;
}

std::optional<Version> cuda_of_nvrtc(std::string_view file) {
    const std::string name = lower(file);
    const std::string linux_stem = "libnvrtc.so.", windows_stem = "nvrtc64_";
    if (starts_with(name, linux_stem))
        return without_promised_minor(parse_version(name.substr(linux_stem.size())));
    if (!starts_with(name, windows_stem) || !ends_with(name, ".dll")) return std::nullopt;
    const std::string digits =
        name.substr(windows_stem.size(), name.find_first_of("_.", windows_stem.size()) - windows_stem.size());
    if (!all_digits(digits)) return std::nullopt;
    return without_promised_minor(cuda_of_tag("cu" + digits));
}

}  // namespace ptxguard::cupy
