// A build is asked for by an option, or by a variable that an installed program reads. Where nothing but a
// toolkit is here, that is what is looked at.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "discover/discover.hpp"
#include "facts/framework_traits.hpp"

namespace ptxguard {
namespace {

bool asked_by_option(const Request& request) {
    const auto about_a_build = [](const std::string& what) {
        return what == "toolkit" || what == "cudnn" || what == "cublas";
    };
    return request.build || !request.archs.empty() || !request.toolkits.empty() ||
           !request.cmake_nvcc.empty() || request.cxx_abi || request.cxx_standard ||
           std::any_of(request.require.begin(), request.require.end(), about_a_build);
}

bool is_there_for_cuda(const Expectation& one) {
    return (one.version || !one.path.empty()) && one.may_use_cuda();
}

// CMake reads CUDACXX and CUDAARCHS, and torch's extensions the others. CUDA's installer for Windows sets
// CUDA_PATH for everybody.
bool asked_by_variable(const Host& host, const Facts& facts, const Scenario& scenario) {
    const auto is_set = [&](const char* name) { return !host.env(name).value_or("").empty(); };
    if (is_set("CUDACXX") || is_set("CUDAARCHS")) return true;
    const bool extensions =
        std::any_of(scenario.expectations.begin(), scenario.expectations.end(), [&](const Expectation& one) {
            return is_there_for_cuda(one) && framework_traits(facts, one.framework).cxx_interface;
        });
    const bool path = scenario.system == System::linux_ && is_set("CUDA_PATH");
    return extensions && (is_set("CUDA_HOME") || is_set("TORCH_CUDA_ARCH_LIST") || path);
}

}  // namespace

void decide_intent(const Host& host, const Facts& facts, const Request& request, Scenario& scenario) {
    scenario.project.wanted =
        asked_by_option(request) || asked_by_variable(host, facts, scenario) ||
        std::none_of(scenario.expectations.begin(), scenario.expectations.end(), is_there_for_cuda);
}

}  // namespace ptxguard
