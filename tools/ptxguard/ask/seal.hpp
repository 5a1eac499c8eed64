// A seal that only who has the key can make: SipHash-2-4 by Aumasson and Bernstein.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ptxguard {

std::uint64_t siphash(std::string_view key, std::string_view bytes);  // 16 bytes of key

// As 32 hexadecimal digits; 32 bytes of key.
std::string seal(std::string_view key, std::string_view bytes);

}  // namespace ptxguard
