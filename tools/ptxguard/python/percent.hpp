// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ptxguard {

// Of a URL: "%2B" is "+".
std::string percent_decoded(std::string_view text);

}  // namespace ptxguard
