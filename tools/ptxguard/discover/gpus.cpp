// "9.0", "sm_90" and "90" are capabilities; anything else has to be a listed product name.
// SPDX-License-Identifier: Apache-2.0
#include "discover/gpus.hpp"

#include "host/paths.hpp"

namespace ptxguard {

void declare_gpus(const Facts& facts, const Request& request, Scenario& scenario) {
    for (const auto& text : request.gpus) {
        const std::string name = trim(text);
        if (name.empty()) continue;
        Gpu gpu;
        gpu.name = name;
        gpu.declared = true;
        gpu.origin = Origin::from_option("--gpu");
        gpu.origin.text = "--gpu " + name;
        if (const auto arch = parse_arch(name))
            gpu.arch = {*arch, gpu.origin};
        else
            gpu.arch = facts.gpu_by_name(name);
        if (!gpu.arch)
            scenario.unreadable.push_back({"--gpu " + name,
                                           "is not one listed GPU: give its compute capability, such as 9.0",
                                           true, gpu.origin});
        scenario.gpus.push_back(gpu);
    }
}

}  // namespace ptxguard
