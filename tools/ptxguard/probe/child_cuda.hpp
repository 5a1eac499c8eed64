// The few functions of the CUDA driver interface that children call, looked up in a library, so that no
// NVIDIA header is needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/library.hpp"

namespace ptxguard {

// CUresult and CUdevice are ints; stdcall only on 32-bit Windows, which CUDA no longer supports. A function
// that the library lacks is null.
struct CudaInterface {
    int (*driver_version)(int*) = nullptr;
    int (*init)(unsigned) = nullptr;
    int (*device_count)(int*) = nullptr;
    int (*device)(int*, int) = nullptr;
    int (*device_name)(char*, int, int) = nullptr;
    int (*attribute)(int*, int, int) = nullptr;
    int (*error_name)(int, const char**) = nullptr;
    int (*error_string)(int, const char**) = nullptr;
    int (*create_context)(void**, unsigned, int) = nullptr;
    int (*destroy_context)(void*) = nullptr;
    int (*load_module)(void**, const void*, unsigned, int*, void**) = nullptr;
};
CudaInterface cuda_interface(const LoadedLibrary& library);

// "cuInit answers 100 (CUDA_ERROR_NO_DEVICE)"
std::string words_of(const CudaInterface& api, const char* call, int code);

struct CudaDevice {
    int handle = 0;
    std::string name;
    int major = 0, minor = 0;  // compute capability
};
// After init.
std::vector<CudaDevice> cuda_devices(const CudaInterface& api);

}  // namespace ptxguard
