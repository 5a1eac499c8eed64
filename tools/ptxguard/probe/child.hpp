// Modes of `ptxguard --child MODE ...`: work that may crash or hang its process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/json.hpp"

namespace ptxguard {

// The compilers in libraries, MODE jit, nvrtc, nvvm or nvjitlink: LIBRARY [--limit] [--option=X]... ARCH...,
// the source on stdin (empty: a small one of our own, not for jit). JSON lines on stdout:
//   {"event":"trouble","text":...}          the library cannot be used
//   {"event":"loaded","version":"12.9"}     NVRTC also "archs":[50,52]; jit "api"; libNVVM "api", "ir",
//   "llvm"
//   {"event":"limit",...}                   the answer to PTX of an absurd version: jit, nvJitLink with
//   --limit
//   {"event":"oldest",...}                  jit: the answer to old PTX, which every driver compiles
//   {"event":"compile","arch":"sm_80","call":...,"result":0,"name":"NVRTC_SUCCESS","log":"","ms":12.5,
//    "ptx":... (NVRTC, libNVVM), "ltoir":"7f43..." (NVRTC with -dlto) or "made":true (jit, nvJitLink)}
//   {"event":"version",...}                 jit, after an unsupported arch: only the PTX version, for a
//                                           supported arch
// nvJitLink's --option=8.0: .version of our own kernels. Nothing for another MODE.
std::optional<int> child_compiler(const std::string& mode, const std::vector<std::string>& arguments);

// LIBCUDA: what a driver's library reports about itself and its GPUs, one line of JSON; code is a CUresult:
//   {"cuda":12020,"devices":[{"name":"NVIDIA H100","cc":"9.0"}],"code":0,"error":""}
int child_driver(const std::vector<std::string>& arguments);

// LIBCUDA ARCH: like the compilers, on a GPU of this machine; "result" is a CUresult.
int child_cuda(const std::vector<std::string>& arguments);

// Shared by the child processes that call libraries: lines of JSON, arguments, texts from a library.

// One line, flushed: the next step may crash.
void say_line(const Json& line);
// {"event":"trouble","text":...}: the library cannot be used. The child's exit code.
int say_trouble(const std::string& text);

// Text that a library returns in two steps: its size including the zero, then its bytes.
std::string text_of(void* handle, void* size_of, void* copy);
std::string bytes_of(void* handle, void* size_of, void* copy);  // up to their end

// Bytes in a line of JSON.
std::string to_hex(const std::string& bytes);
std::string from_hex(const std::string& digits);  // empty = not hexadecimal

// "LIBRARY [--limit] [--option=X]... ARCH..."
struct ChildArguments {
    std::string library;
    bool limit = false;
    std::vector<std::string> options;
    std::vector<Arch> archs;
};
ChildArguments child_arguments(const std::vector<std::string>& arguments);

class Stopwatch {
public:
    double milliseconds() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - m_start).count();
    }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

}  // namespace ptxguard
