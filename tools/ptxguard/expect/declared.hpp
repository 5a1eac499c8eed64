// --framework NAME[==VERSION][+cuXXX].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "expect/expect.hpp"
#include "model/result.hpp"

namespace ptxguard {

struct WantedFramework {
    const FrameworkReader* reader = nullptr;
    bool declares = false;  // a version or a build was named; otherwise the installed one is meant
    DeclaredBuild build;
    bool optional = false;  // not reported if not installed (CMake's OPTIONAL_COMPONENTS)
};

// An error if the name is unknown (with the nearest one) or the value has another form.
Result<WantedFramework> parse_framework(const std::string& value);
// Whether it names a package that is neither a supported framework nor like the name of one.
bool is_other_package(const std::string& value);

}  // namespace ptxguard
