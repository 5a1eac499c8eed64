// Shared by the readers of expect/frameworks: fills an Expectation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expect/expect.hpp"
#include "formats/python_assignments.hpp"
#include "model/origin.hpp"
#include "packages/conda.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

// Also sets cpu_only.
void set_vendor(Expectation& expectation, Vendor vendor, const Origin& origin);

// A framework that was found in `folder`; its reader adds the rest.
Expectation found_expectation(const char* framework, const char* package, const SitePlace& place,
                              const std::string& folder);
// From the option --framework: framework, package, `declared`, version, and vendor and CUDA from the build
// tag. `option` is the origin of all of them.
Expectation declared_expectation(const char* framework, const std::string& package,
                                 const DeclaredBuild& build);
Origin option_origin(const DeclaredBuild& build);
// CUDA, cuDNN, architectures, ABI and C++ standard of a release's default build, from the tables.
void apply_release(const FrameworkRelease& release, System system, Expectation& expectation);
// The same if both systems' wheels are built alike and most rows list only those of Linux.
void apply_common_release(const FrameworkRelease& release, System system, Expectation& expectation);

// Several packages with the same folder were installed over each other ("cupy-cuda11x 12.3.0, cupy-cuda12x
// 13.6.0"); "" if there is one, or versions of one.
std::string laid_over_one_another(const std::vector<InstalledWheel>& wheels);
// Keeps only the version and path of an untrusted installation.
void distrust(Expectation& expectation, const std::string& trouble);
// Reads a file of the framework; one that cannot be read is the expectation's trouble.
void read_file_into(const Host& host, const std::string& path,
                    void (*read)(std::string_view text, const std::string& path, Expectation& into),
                    Expectation& expectation);
// A version that a Python file assigns. Absent, None and "" mean "not given"; anything else has to be one.
Known<Version> assigned_version(const PythonValue* value, const std::string& path, const char* name,
                                std::optional<Version> (*parse)(std::string_view text), std::string& trouble);

// `__version__ = "..."` of a Python file; the last one wins.
Known<Version> dunder_version(std::string_view text, const std::string& path);
// The same, into an expectation; an error if the file cannot be read or has no version.
void read_dunder_version(const Host& host, const std::string& path, Expectation& expectation);
// Fills version, CUDA and cuDNN from conda's records of the named packages if still unknown; records of
// another version are skipped.
void add_conda_record(const Host& host, const std::string& prefix, const std::vector<std::string>& names,
                      Expectation& expectation);

// NVIDIA packages that a record requires, with and without those extras, as written:
// "nvidia-cudnn-cu12<10.0,>=9.8".
std::vector<std::string> nvidia_packages(const InstalledWheel& wheel, System system,
                                         const std::vector<std::string>& extras);
// ptxas and the like at `path`, with the version in it; nothing if there is no file.
void add_tool(const Host& host, const std::string& path, const char* tool, const char* used_for,
              Expectation& expectation);

// std::string in the names of namespace `scope` ("6paddle") that a library exports; Linux only.
Known<int> abi_of_library(const Host& host, const std::string& path, std::string_view scope);
// File names of the libraries that a library of the checked system needs; empty if it cannot be read.
std::vector<std::string> needed_by(const Host& host, const std::string& path);

// The CUDA and cuDNN that a framework was built with, from package records.
// The CUDA release of pins: cuda-toolkit==13.0.2, nvidia-cuda-runtime-cu12==12.4.127.
Known<Version> cuda_of_pins(const InstalledWheel& wheel, System system, std::string_view extra = {});
// nvidia-cudnn-cu12==9.1.0.70
Known<Version> cudnn_of_pins(const InstalledWheel& wheel, System system, std::string_view extra = {});
// "cuda12.4_cudnn9.1.0_0" in a build string; "cudnn >=9.3.0.75,<10" and "cuda-version >=12.6,<13" in the
// dependencies.
Known<Version> cuda_of_conda(const CondaPackage& package);
Known<Version> cudnn_of_conda(const CondaPackage& package);

}  // namespace ptxguard
