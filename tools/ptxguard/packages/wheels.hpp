// What pip and its like record of installed packages: NAME-VERSION.dist-info (or .egg-info) in site-packages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "formats/wheel_metadata.hpp"
#include "host/host.hpp"
#include "model/origin.hpp"

namespace ptxguard {

struct InstalledWheel {
    std::string path;       // .../torch-2.0.0.dist-info/METADATA
    std::string installer;  // "pip", "conda", "" = not said
    WheelMetadata metadata;
};
// Of the packages named (canonical names; "cupy-cuda*" = all that begin so) those that have a readable
// METADATA in `site`, in the order of `names`.
std::vector<InstalledWheel> installed_wheels(const Host& host, const std::string& site,
                                             const std::vector<std::string>& names);

// Is the package among names of that kind?
bool names_package(const std::vector<std::string>& names, const std::string& package);
// "torch-2.0.0.dist-info" -> "torch" (canonical); empty for a name that is no record's.
std::string package_of_record(const std::string& folder_name);

// The version of the package whose record this folder is, from METADATA, else from the folder's name.
Known<Version> version_of_record(const Host& host, const std::string& folder);
// Of the first of the packages named that has a record in `site`; unknown where none has.
Known<Version> installed_version(const Host& host, const std::string& site,
                                 const std::vector<std::string>& names);

}  // namespace ptxguard
