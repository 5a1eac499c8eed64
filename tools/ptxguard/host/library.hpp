// A shared library opened at run time (dlopen, LoadLibrary). Only a child process of ptxguard opens libraries
// that may be broken; a library stays loaded until the process ends, because some of NVIDIA's crash when they
// are unloaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/result.hpp"

namespace ptxguard {

class LoadedLibrary {
public:
    // A path, or a bare name ("libcuda.so.1") that the system's loader searches. Its symbols stay private.
    static Result<LoadedLibrary> open(const std::string& path);

    void* symbol(const char* name) const;  // null = none
    std::string path() const;              // of the file that the loader took

private:
    explicit LoadedLibrary(void* handle) : m_handle(handle) {}
    void* m_handle = nullptr;
};

}  // namespace ptxguard
