// conda's records of installed packages: conda-meta/NAME-VERSION-BUILD.json in the environment's prefix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct CondaPackage {
    std::string path;  // .../conda-meta/pytorch-2.5.1-....json
    std::string name, version, build;
    std::vector<std::string> depends;
    std::vector<std::string> files;  // below the prefix, with '/'
};
// Those of the named packages (see installed_wheels) that are installed, in the order of `names`.
std::vector<CondaPackage> conda_packages(const Host& host, const std::string& prefix,
                                         const std::vector<std::string>& names);

struct CondaRecord {
    std::string path, package;
};
// Whether it is an environment of conda; no for an empty prefix.
bool is_conda_prefix(const Host& host, const std::string& prefix);
// All packages of an environment, by the names of their records.
std::vector<CondaRecord> conda_records(const Host& host, const std::string& prefix);
std::optional<CondaPackage> read_conda_package(const Host& host, const std::string& path);
// The prefix above lib/python3.X/site-packages or Lib/site-packages; "" for any other `site`.
std::string prefix_of_site(const std::string& site);

}  // namespace ptxguard
