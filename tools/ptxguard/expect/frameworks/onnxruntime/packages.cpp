// onnxruntime and onnxruntime-gpu bring the same folder. pip installs both without a word; the one that came
// last has its files there. RECORD tells how large each package's own extension module is.
// SPDX-License-Identifier: Apache-2.0
#include "expect/frameworks/onnxruntime/onnxruntime.hpp"
#include "host/paths.hpp"
#include "packages/reading.hpp"

namespace ptxguard::onnxruntime {
namespace {

constexpr std::size_t k_record_limit = 16u << 20;
constexpr const char* k_module = "onnxruntime/capi/onnxruntime_pybind11_state";

// "onnxruntime/capi/x.so,sha256=...,12345": whether the file there has that size.
bool is_its_file(const Host& host, const std::string& site, const std::string& line) {
    const std::size_t name = line.find(','), size = line.rfind(',');
    if (name == std::string::npos || size == name) return false;
    const FileStatus status = host.status(join_path(site, line.substr(0, name)));
    const std::string text = trim(line.substr(size + 1));
    return status.type == FileType::regular && text == std::to_string(status.size);
}

bool owns_module(const Host& host, const std::string& site, const InstalledWheel& wheel) {
    const auto record = read_text(host, join_path(parent_path(wheel.path), "RECORD"), k_record_limit);
    if (!record) return false;
    for (const std::string& line : split(*record, "\n"))
        if (starts_with(line, k_module) && is_its_file(host, site, line)) return true;
    return false;
}

}  // namespace

std::string owner_of_files(const Host& host, const std::string& site,
                           const std::vector<InstalledWheel>& wheels) {
    std::string owner;
    for (const InstalledWheel& wheel : wheels) {
        if (!owns_module(host, site, wheel)) continue;
        if (!owner.empty()) return "";
        owner = wheel.metadata.name;
    }
    return owner;
}

}  // namespace ptxguard::onnxruntime
