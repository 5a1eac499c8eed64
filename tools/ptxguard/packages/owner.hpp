// Which installed package owns a file, from the records of pip, conda and dpkg: for files that do not contain
// their version (cuBLAS, crt headers, libdevice, libraries with only the major in their name). A record
// counts only for a file that it lists, and a wheel's only if the file still has the recorded size: a file
// that was copied over by hand belongs to no package.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"
#include "packages/conda.hpp"

namespace ptxguard {

struct PackageOwner {
    std::string package;     // "nvidia-cudnn-cu12", "libcudnn9-cuda-12"; empty = none
    Known<Version> version;  // empty: the origin names a record that lists the file with another size
    bool of_pip = false;     // a wheel
    std::string lister;      // the package of that record ...
    Known<Version> lists;    // ... and its version
};

// Records are read once.
class PackageOwners {
public:
    explicit PackageOwners(const Host& host) : m_host(host) {}
    // `words`: candidate packages have one of them in their names (lower case, '-'); NVIDIA's other wheels
    // are candidates too.
    PackageOwner owner(const std::string& path, const std::vector<std::string>& words);

private:
    struct Record {
        std::string folder, package;
        std::optional<std::string> files;  // RECORD, read when needed
    };
    struct AskedFile;
    std::vector<Record>& records_in(const std::string& folder);
    PackageOwner of_wheel(const std::string& folder, const AskedFile& file, bool assembled);
    PackageOwner of_wheels_above(const AskedFile& file);
    PackageOwner of_conda(const AskedFile& file);
    PackageOwner of_dpkg(const AskedFile& file);

    const Host& m_host;
    std::map<std::string, std::vector<Record>> m_records;                 // by folder
    std::map<std::string, std::optional<CondaPackage>> m_conda_packages;  // by the record's path
    std::map<std::string, Known<Version>> m_dpkg_versions;                // by package
};

}  // namespace ptxguard
