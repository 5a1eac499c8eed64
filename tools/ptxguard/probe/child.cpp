// The table of child modes.
// SPDX-License-Identifier: Apache-2.0
#include "probe/child.hpp"

#include "probe/probe.hpp"

namespace ptxguard {

namespace {

struct ChildMode {
    const char* name;
    int (*run)(const std::vector<std::string>& arguments);
};

const ChildMode k_modes[] = {
    {"jit", child_jit},   {"driver", child_driver}, {"nvrtc", child_nvrtc}, {"nvjitlink", child_nvjitlink},
    {"nvvm", child_nvvm}, {"cuda", child_cuda},
};

}  // namespace

int child_main(const std::vector<std::string>& arguments) {
    for (const ChildMode& mode : k_modes) {
        if (!arguments.empty() && arguments.front() == mode.name)
            return mode.run({arguments.begin() + 1, arguments.end()});
    }
    return 2;
}

}  // namespace ptxguard
