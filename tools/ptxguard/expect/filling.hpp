// What the readers of expect/frameworks share when they fill an Expectation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"
#include "expect/pins.hpp"

namespace ptxguard {

// "cuda", "rocm", "xpu" or "cpu", and cpu_only with it.
void set_vendor(Expectation& expectation, const char* vendor, const Origin& origin);

// Of the option --framework: framework, package, `declared`, version and what the build's tag says of vendor
// and CUDA. `option` is the origin of all that.
Expectation declared_expectation(const char* framework, const std::string& package,
                                 const DeclaredBuild& build);
Origin option_origin(const DeclaredBuild& build);
// The CUDA, cuDNN, architectures, ABI and C++ standard of a release's default build, as the tables have them.
void apply_release(const FrameworkRelease& release, System system, Expectation& expectation);
// The same where both systems' wheels are built alike and most rows list those of Linux alone.
void apply_common_release(const FrameworkRelease& release, System system, Expectation& expectation);

// Several packages that bring the same folder were installed over one another ("cupy-cuda11x 12.3.0,
// cupy-cuda12x 13.6.0"); "" where there is one, or versions of one.
std::string laid_over_one_another(const std::vector<InstalledWheel>& wheels);
// Nothing but the version and the path of what cannot be trusted stays.
void distrust(Expectation& expectation, const std::string& trouble);

// `__version__ = "..."` of a Python file; the last one counts.
Known<Version> dunder_version(std::string_view text, const std::string& path);
// The same into an expectation; trouble where it cannot be read or holds none.
void read_dunder_version(const Host& host, const std::string& path, Expectation& expectation);
// What conda's records of the packages named leave to be filled: version, CUDA, cuDNN; records of another
// version are passed over.
void add_conda_record(const Host& host, const std::string& prefix, const std::vector<std::string>& names,
                      Expectation& expectation);

// NVIDIA's packages that a record asks for, with and without those extras, as written:
// "nvidia-cudnn-cu12<10.0,>=9.8".
std::vector<std::string> nvidia_packages(const InstalledWheel& wheel, System system,
                                         const std::vector<std::string>& extras);
// ptxas and the like at `path`, with the version inside it; nothing where no file is there.
void add_tool(const Host& host, const std::string& path, const char* tool, const char* used_for,
              Expectation& expectation);

// std::string in the names of namespace `scope` ("6paddle") that a library exports; Linux only.
Known<int> abi_of_library(const Host& host, const std::string& path, std::string_view scope);
// File names of the libraries that a library of the judged system needs; empty where it cannot be read.
std::vector<std::string> needed_by(const Host& host, const std::string& path);

}  // namespace ptxguard
