// SPDX-License-Identifier: Apache-2.0
#include "model/limit.hpp"

namespace ptxguard {

std::string Limit::text() const { return std::to_string(m_most) + " " + m_what; }

std::string Limit::why() const {
    std::string why = "exceeds the limit of " + text();
    if (m_tool) why += std::string(", at which ") + m_tool + " itself fails";
    return why + ": ptxguard did not read " + m_unread;
}

}  // namespace ptxguard
