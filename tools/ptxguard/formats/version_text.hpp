// Version banners in NVIDIA's programs and libraries, found without running them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formats/sections.hpp"
#include "model/origin.hpp"
#include "model/result.hpp"
#include "model/version.hpp"

namespace ptxguard {

// The string from `needle`, with up to `tail` bytes after it, if a digit follows the needle ("release %d.%d"
// is a format string, not a version). Searches the start of the range, then backwards from its end: ptxas,
// nvlink and libnvvm of all releases have their banner in the first 64 KiB of 7 MiB, cicc and libcuda in the
// last few MiB of 20.
std::optional<std::string> find_numbered(const Source& source, ByteRange range, std::string_view needle,
                                         std::size_t tail);

// "Cuda compilation tools, release 13.0, V13.0.88" in nvcc, cicc, ptxas, libnvvm, NVRTC ...: 13.0.88.
std::optional<Version> banner_version(const Source& source);

// The same for a file that was just opened at `path`, with its origin; unknown if that failed.
Known<Version> scanned_version(const Result<Source>& file, const std::string& path);

// The release of a cuda_runtime_api.h at `path`, from its CUDART_VERSION: 13000 is 13.0. It is defined in the
// first 8 KB.
inline constexpr std::size_t k_header_head = 64u << 10;
Known<Version> runtime_header_version(const Result<std::string>& head, const std::string& path);

// Version of a libcuda's driver, from the name of its profile file in it:
// "nvidia-application-profiles-535.261.03-rc".
std::optional<Version> libcuda_version(const Source& source);

// Producers and consumers of device code, by their file names.

enum class ToolFile { none, nvcc, ptxas, nvrtc, nvjitlink, libnvvm, driver_jit, clang, tileiras };
// "libnvrtc.so.12", "libnvrtc-5e8a26c9.so.10.1" (renamed by auditwheel), "ptxas-blackwell",
// "nvJitLink_130_0.dll", or a path.
ToolFile tool_file(const std::string& path);

}  // namespace ptxguard
