// SPDX-License-Identifier: Apache-2.0
#include "expect/overwritten.hpp"

#include "host/paths.hpp"
#include "packages/record.hpp"

namespace ptxguard {
namespace {

std::vector<RecordedFile> libraries_of(const Host& host, const InstalledWheel& wheel) {
    std::vector<RecordedFile> found;
    for (RecordedFile& file : recorded_files(host, wheel)) {
        const bool library = file.path.find(".so") != std::string::npos || ends_with(file.path, ".dll");
        if (library && !file.size.empty()) found.push_back(std::move(file));
    }
    return found;
}

// "nvidia-nccl-cu12" -> "nvidia-nccl-cu"; empty if the package name contains no CUDA version.
std::string family_of(const std::string& package) {
    const std::size_t at = package.rfind("-cu");
    const bool numbered = at != std::string::npos && at + 3 < package.size() &&
                          package.find_first_not_of("0123456789", at + 3) == std::string::npos;
    return numbered ? package.substr(0, at + 3) : std::string();
}

std::string title_of(const InstalledWheel& wheel) {
    return canonical_package(wheel.metadata.name) + " " + wheel.metadata.version;
}

Misfit misfit_of(const InstalledWheel& own, const InstalledWheel& other, const std::string& file) {
    Misfit misfit;
    misfit.package = title_of(own);
    misfit.package_origin = Origin::from_file(own.path);
    misfit.other = title_of(other);
    misfit.other_origin = Origin::from_file(other.path);
    misfit.message = "has lost its " + file_name(file) + " to " + misfit.other;
    const auto version = parse_version(own.metadata.version), others = parse_version(other.metadata.version);
    const bool older = version && others && *others < *version;
    misfit.effect = "both bring " + file + ", and the one installed last is there";
    misfit.effect +=
        older ? ": what was built with the newer ends with 'undefined symbol', or calls fail" : "";
    misfit.harm = older ? Harm::import : Harm::later;
    misfit.wanted = own.metadata.version;
    const std::string package = canonical_package(own.metadata.name);
    misfit.fix = "python3 -m pip uninstall -y " + canonical_package(other.metadata.name) +
                 " && python3 -m pip install --force-reinstall --no-deps '" + package +
                 "==" + own.metadata.version + "'";
    return misfit;
}

// The first library of `own` whose size is the one in the record of `other`.
void compare(const Host& host, const std::string& site, const InstalledWheel& own,
             const InstalledWheel& other, Expectation& expectation) {
    const std::vector<RecordedFile> theirs = libraries_of(host, other);
    for (const RecordedFile& mine : libraries_of(host, own))
        for (const RecordedFile& their : theirs) {
            if (mine.path != their.path || mine.size == their.size) continue;
            const FileStatus status = host.status(join_path(site, mine.path));
            if (std::to_string(status.size) != their.size) continue;
            expectation.misfits.push_back(misfit_of(own, other, mine.path));
            return;
        }
}

}  // namespace

void find_overwritten(const Host& host, Expectation& expectation) {
    if (expectation.site.empty()) return;
    for (const std::string& asked : expectation.asks_for) {
        const std::string package = parse_requirement(asked).package;
        const std::string family = family_of(package);
        if (family.empty()) continue;
        const auto own = installed_wheels(host, expectation.site, {package});
        if (own.empty()) continue;
        for (const InstalledWheel& other : installed_wheels(host, expectation.site, {family + "*"}))
            if (canonical_package(other.metadata.name) != package)
                compare(host, expectation.site, own.front(), other, expectation);
    }
}

}  // namespace ptxguard
