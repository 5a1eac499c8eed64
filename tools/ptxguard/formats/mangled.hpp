// C++ names as GCC and Clang mangle them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ptxguard {

// The outermost namespace or class of a function, variable, vtable or type: "c10" for
// _ZN3c104cuda9SetDeviceEi and _ZTVN3c105ErrorE; empty for C names, and for names without a namespace.
std::string_view mangled_scope(std::string_view name);

}  // namespace ptxguard
