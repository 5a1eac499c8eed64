// The C++ compilers of Visual Studio. An ordinary prompt has none of them on PATH.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

// .../VC/Tools/MSVC/14.38.33130/bin/Hostx64/x64/cl.exe: toolset 14.38 is compiler 19.38 (_MSC_VER 1938).
Known<Version> msvc_version(const std::string& path);
// The cl.exe of each installed toolset, newest first.
std::vector<std::string> installed_msvc(const Host& host);

}  // namespace ptxguard
