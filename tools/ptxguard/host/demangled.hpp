// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard::own {

// "c10::cuda::SetDevice(int)" of _ZN3c104cuda9SetDeviceEi, std::string not spelled out; the name itself if it
// cannot be read, and on Windows.
std::string demangled(const std::string& name);

}  // namespace ptxguard::own
