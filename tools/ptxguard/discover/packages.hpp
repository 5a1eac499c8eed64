// Which installed package put a file there, from pip's, conda's and dpkg's own records. For parts that carry
// no version in themselves (crt headers, libdevice, libraries named by their major alone).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/toolkit.hpp"

namespace ptxguard {

struct PackageRecords {
    std::vector<std::string> dist_infos;   // folders NAME-VERSION.dist-info of NVIDIA packages
    std::vector<std::string> conda_files;  // conda-meta/NAME-VERSION-BUILD.json
    bool dpkg = false;                     // the toolkit lies where Debian packages put theirs
};
PackageRecords package_records(const Host& host, const std::string& root, Layout layout);

// The version of the package that lists `path` with its present size. Unknown where none does; the origin
// then says what was looked at, where something was.
Known<Version> package_version(const Host& host, const PackageRecords& records, PartKind kind,
                               const std::string& path);

}  // namespace ptxguard
