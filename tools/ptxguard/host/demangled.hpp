// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard::own {

// "c10::cuda::SetDevice(int)" for _ZN3c104cuda9SetDeviceEi, with std::string abbreviated; the name itself if
// it cannot be demangled, and on Windows.
std::string demangled(const std::string& name);

}  // namespace ptxguard::own
