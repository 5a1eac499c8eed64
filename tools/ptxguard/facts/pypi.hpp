// PyPI's releases of a package and what they require: facts/pypi/PACKAGE.json, written by
// tools/dev/harvest.py.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "python/marker.hpp"
#include "python/release.hpp"
#include "python/requirement.hpp"

namespace ptxguard {

// What releases of one package have in common.
struct PypiRow {
    std::string python;                             // Requires-Python: ">=3.9,<3.13"
    std::optional<Version> python_from, python_to;  // of the wheels for Linux on x86-64, both inclusive
    // One for any system counts. Those of Linux are for glibc.
    bool linux_wheel = false, aarch64_wheel = false, windows_wheel = false;
    std::optional<Version> glibc;  // that the Linux wheels need, where it is newer than 2.17
    bool musl_wheel = false, musl_aarch64_wheel = false, macos_arm_wheel = false, macos_intel_wheel = false;
    bool sdist = false;
    bool yanked = false;     // only an exact pin installs it
    bool described = false;  // its requirements were read
    std::vector<Requirement> required;
    Origin origin;
};

struct PypiRelease {
    std::string version;
    PythonRelease number;
    std::size_t row = 0;
};

struct PypiPackage {
    std::string package;
    std::string read;                   // the day: "2026-11-26"
    std::vector<PypiRelease> releases;  // ascending; no pre-releases
    std::vector<PypiRow> rows;

    const PypiRow& row(const PypiRelease& release) const { return rows[release.row]; }
    // Null if the table does not list it; local versions do not count.
    const PypiRelease* find(std::string_view version) const;
    // Whether it never existed: not listed, no pre-release, and either older than the newest listed one or so
    // much newer that releases between the two would be listed (torchvision 2.7.0 after 0.29.2).
    bool never_released(std::string_view version) const;
};

// Null if there is no table.
const PypiPackage* pypi_package(const Facts& facts, const std::string& package);

// The row of that release; a local version does not count. Null if no table lists it.
const PypiRow* pypi_row(const Facts& facts, const std::string& package, const Version& version);

// What that release requires of `on` with these extras (canonical); null if nothing, or if it is not known.
const Requirement* requirement_on(const Facts& facts, const std::string& package, const Version& version,
                                  const std::string& on, const std::vector<std::string>& extras = {});

// Whether a Requires-Python (">=3.9,!=3.9.7"; empty = any) accepts a release of that Python ("3.8"; empty =
// not known).
bool allows_python(const std::string& range, const std::string& python);

// Whether pip for that Python ("3.8"; empty = not known) takes a file of the release on Linux on x86-64.
bool fits_python(const PypiRow& row, const std::string& python);
// Whether an extra brings more than the release requires without it.
bool has_extra(const PypiRow& row, const std::string& extra);

// Whether its wheels for Linux need a newer C library than that of the system.
bool needs_newer_glibc(const PypiRow& row, const MarkerEnvironment& place);

// Whether pip finds a wheel of the release, or else a source archive, for that system and machine; unknown
// where one that is not known decides.
Truth has_file_for(const PypiRow& row, const MarkerEnvironment& place);

}  // namespace ptxguard
