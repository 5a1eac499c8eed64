// A prefix may be the root itself, or torch.utils.cmake_prefix_path (ROOT/share/cmake), or the folder of
// TorchConfig.cmake. SPDX-License-Identifier: Apache-2.0
#include "expect/libtorch_places.hpp"

#include "expect/reading.hpp"
#include "host/paths.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_config = "share/cmake/Torch/TorchConfig.cmake";

std::string root_of(const Host& host, const std::string& prefix) {
    if (is_file(host, join_path(prefix, k_config))) return prefix;
    if (is_file(host, join_path(prefix, "Torch/TorchConfig.cmake"))) return parent_path(parent_path(prefix));
    if (is_file(host, join_path(prefix, "TorchConfig.cmake")))
        return parent_path(parent_path(parent_path(prefix)));
    return {};
}

}  // namespace

std::vector<LibtorchPlace> libtorch_places(const Host& host) {
    std::vector<LibtorchPlace> places;
    for (const char* variable : {"Torch_ROOT", "Torch_DIR", "CMAKE_PREFIX_PATH", "LIBTORCH"}) {
        for (const std::string& entry : split_list(host.env(variable).value_or(""), host.system())) {
            if (!is_absolute(entry, host.system())) continue;
            const std::string root = root_of(host, normal_path(entry, host.system()));
            if (root.empty()) continue;
            const bool wheel = file_name(root) == "torch" &&
                               host.status(join_path(root, "version.py")).type != FileType::missing;
            places.push_back({root, wheel ? parent_path(root) : root, variable});
        }
    }
    return places;
}

}  // namespace ptxguard
