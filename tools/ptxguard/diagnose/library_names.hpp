// Whose a library is and which release it is of, by its name: on Linux and on Windows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ptxguard {

enum class Family {
    cudnn,
    driver,
    driver_part,
    nvrtc_builtins,
    nvrtc,
    cuda,
    torch,
    tensorrt,
    jit,
    system,
    other
};

Family family_of(const std::string& library);
// "libcublas.so.11" -> "cublas.so.11"
std::string stem_of(std::string library);
// Not so "Please make sure it is in your library path".
bool is_library_name(const std::string& name);
bool is_windows_name(const std::string& library);
// "11.0" of cudart64_110.dll, "11" of cublas64_11.dll and libcublas.so.11; "" = none.
std::string release_in_name(const std::string& library);
// The same where it is the release of CUDA: libcurand.so.10 is in CUDA 10 to 13.
std::string cuda_in_name(const std::string& library);

}  // namespace ptxguard
