// Records of installed packages by pip and the like: NAME-VERSION.dist-info (or .egg-info) in site-packages.
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
    std::string installer;  // "pip", "conda", "" = not given
    WheelMetadata metadata;

    Known<Version> version() const;  // with its line; unknown if it is not a version
    bool requires_always(const std::string& package, System system) const;  // not by an extra
};
// Those of the named packages (canonical names; "cupy-cuda*" = all that start with it) that have a readable
// METADATA in `site`, in the order of `names`.
std::vector<InstalledWheel> installed_wheels(const Host& host, const std::string& site,
                                             const std::vector<std::string>& names);

// Whether `names` contains the package.
bool names_package(const std::vector<std::string>& names, std::string_view package);
// "torch-2.0.0.dist-info" -> "torch" (canonical); empty if it is not the name of a record.
std::string package_of_record(const std::string& folder_name);

// The nearest folder above the file that contains packages' records; empty = none.
std::string site_above(const Host& host, const std::string& path);
// The interpreters and systems for which the package with this record was built: "cp311-cp311-win_amd64".
std::vector<std::string> wheel_tags(const Host& host, const std::string& record);

// The version of the package with this record folder, from METADATA, otherwise from the folder's name.
Known<Version> version_of_record(const Host& host, const std::string& folder);
// Of the first named package with a record in `site`; unknown if there is none.
Known<Version> installed_version(const Host& host, const std::string& site,
                                 const std::vector<std::string>& names);

// pip's list of the files of an installed package is RECORD next to its METADATA.
// It is CSV, and some tools quote each path: without the quotes. No library's path has a comma.
std::string plain_record(std::string text);

struct RecordedFile {
    std::string path;  // below site-packages: "nvidia/nccl/lib/libnccl.so.2"
    std::string size;  // in bytes; empty if the line has none
};
// In its order; empty if there is no readable RECORD. With `names`: only files with one of these names.
std::vector<RecordedFile> recorded_files(const Host& host, const InstalledWheel& wheel,
                                         const std::vector<std::string>& names = {});

// Which modules the import of a package imports, by the text of its Python files. Nothing is run.

// Whether `import PACKAGE` of one of these top-level packages in `site` always imports that module
// ("vllm._C").
bool imports_unconditionally(const Host& host, const std::string& site,
                             const std::vector<std::string>& packages, const std::string& module);

}  // namespace ptxguard
