// onnxruntime and onnxruntime-gpu install the same folder. pip silently installs both, and the last one
// overwrites the files. RECORD contains the size of each package's own extension module.
// SPDX-License-Identifier: Apache-2.0
#include "expect/frameworks/onnxruntime/onnxruntime.hpp"
#include "host/paths.hpp"
#include "packages/record.hpp"

namespace ptxguard::onnxruntime {
namespace {

constexpr const char* k_module = "onnxruntime/capi/onnxruntime_pybind11_state";

bool owns_module(const Host& host, const std::string& site, const InstalledWheel& wheel) {
    for (const RecordedFile& file : recorded_files(host, wheel)) {
        if (!starts_with(file.path, k_module)) continue;
        const FileStatus status = host.status(join_path(site, file.path));
        if (status.type == FileType::regular && file.size == std::to_string(status.size)) return true;
    }
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
