// The metadata in CuPy's wheels, and otherwise the names of packages and libraries.
// SPDX-License-Identifier: Apache-2.0

#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/cupy/cupy.hpp"
#include "model/json.hpp"
#include "model/text.hpp"

namespace ptxguard::cupy {
namespace {

// "12.x" is any release of CUDA 12.
std::optional<Version> read_cuda(const std::string& text) {
    const bool any_minor = ends_with(text, ".x");
    const auto version = parse_version(any_minor ? text.substr(0, text.size() - 2) : text);
    return version && plausible(*version) ? version : std::nullopt;
}

// The text between both; nothing if `name` does not start and end so.
std::optional<std::string> between(const std::string& name, const std::string& start,
                                   const std::string& end) {
    if (!starts_with(name, start) || !ends_with(name, end) || name.size() <= start.size() + end.size())
        return std::nullopt;
    return name.substr(start.size(), name.size() - start.size() - end.size());
}

// Since 11.2 NVRTC keeps the name of the first compatible release of its major, so only the major is certain.
std::optional<Version> without_promised_minor(const std::optional<Version>& version) {
    if (!version || !plausible(*version)) return std::nullopt;
    const bool promised = version->major() > 11 || (version->major() == 11 && version->minor() >= 2);
    return promised ? parse_version(std::to_string(version->major())) : version;
}

}  // namespace

void read_wheel_data(std::string_view text, const std::string& path, Expectation& expectation) {
    const auto json = parse_json(text, path);
    if (!json || !json->is_object()) {
        distrust(expectation, json ? path + " contains no JSON object" : json.trouble().text());
        return;
    }
    const Origin origin = Origin::from_file(path, 1);
    const Json& cuda = (*json)["cuda"];
    if (starts_with(cuda.as_string(), "rocm")) {
        set_vendor(expectation, Vendor::rocm, origin);
        return;
    }
    const auto version = read_cuda(cuda.as_string());
    if (!version) {
        distrust(expectation, cuda.is_null() ? path + " has no CUDA release"
                                             : path + " gives cuda a value that is not a CUDA release ('" +
                                                   cuda.as_string().substr(0, 60) + "')");
        return;
    }
    expectation.cuda = {*version, origin};
    set_vendor(expectation, Vendor::cuda, origin);
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

std::optional<Version> cuda_of_name(std::string_view file) {
    const std::string name = lower(file);
    if (const auto digits = between(name, "libnvrtc.so.", ""))
        return without_promised_minor(parse_version(*digits));
    if (const auto digits = between(name, "nvrtc64_", "_0.dll"))
        return without_promised_minor(cuda_of_tag("cu" + *digits));
    return cuda_of_cublas(name);
}

}  // namespace ptxguard::cupy
