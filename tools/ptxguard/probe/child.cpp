// SPDX-License-Identifier: Apache-2.0
#include "probe/child.hpp"

#include "probe/probe.hpp"

namespace ptxguard {

int child_main(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return 2;
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (arguments.front() == "driver") return child_driver(rest);
    if (arguments.front() == "cuda") return child_cuda(rest);
    return child_compiler(arguments.front(), rest).value_or(2);
}

}  // namespace ptxguard
