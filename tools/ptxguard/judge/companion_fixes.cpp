// SPDX-License-Identifier: Apache-2.0
#include "judge/companion_fixes.hpp"

#include "facts/pypi.hpp"
#include "judge/fixes.hpp"
#include "judge/package_conflicts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// torchaudio 2.0 to 2.10 are for the torch of their number.
bool has_same_number(const Companion& row, const Version& framework) {
    return row.releases.count(framework.release()) > 0;
}

// "0.10": the newest release of the companion that is listed for this one; empty = none.
std::string listed_for(const Companion& row, const Version& framework) {
    std::string newest;
    for (const auto& [release, of] : row.releases)
        if (same_release(of, framework) &&
            (newest.empty() || *parse_version(newest) < *parse_version(release)))
            newest = release;
    return newest;
}

// The newest release of a companion that requires exactly this framework; empty if PyPI's tables have none.
std::string release_for(const Companion& row, const Version& framework, const Facts& facts) {
    if (has_same_number(row, framework)) return framework.without_local();
    const PypiPackage* pypi = pypi_package(facts, row.package);
    if (!pypi) return "";
    for (auto at = pypi->releases.rbegin(); at != pypi->releases.rend(); ++at) {
        const auto version = parse_version(at->version);
        const Requirement* required =
            version ? requirement_on(facts, row.package, *version, row.of) : nullptr;
        if (!required || pypi->row(*at).yanked || !required->pinned()) continue;
        if (accepts(required->specifier, framework.without_local())) return at->version;
    }
    return "";
}

// "0.7.0": the newest one that PyPI's table has of those; "0.7.*" without it. Empty: none is listed.
std::string newest_listed_for(const Companion& row, const Version& framework, const Facts& facts) {
    const std::string listed = listed_for(row, framework);
    const PypiPackage* pypi = listed.empty() ? nullptr : pypi_package(facts, row.package);
    const auto minor = parse_version(listed);
    for (std::size_t left = pypi ? pypi->releases.size() : 0; left > 0 && minor; --left) {
        const PypiRelease& one = pypi->releases[left - 1];
        const auto version = parse_version(one.version);
        if (version && !version->is_prerelease() && !pypi->row(one).yanked && same_release(*version, *minor))
            return one.version;
    }
    return listed.empty() ? "" : SAY("{}.*", listed);
}

}  // namespace

std::string release_beside(const Companion& row, const Version& framework, const Facts& facts) {
    const std::string required = release_for(row, framework, facts);
    if (!required.empty()) return required;
    std::string newest = newest_listed_for(row, framework, facts);
    for (const CompanionWheel& wheel : row.wheels)  // ascending
        if (row.releases.empty() && same_release(wheel.of, framework)) newest = wheel.version.text;
    return newest;
}

std::string words_beside(const Companion& row, const Version& framework, const Facts& facts) {
    const std::string release = release_beside(row, framework, facts);
    if (!release.empty()) return SAY("'{}=={}'", row.package, release);
    const bool stable = row.stable_from && row.stable_of && framework >= *row.stable_of;
    return stable ? SAY("'{}>={}'", row.package, row.stable_from->text) : "";
}

Fix install_both(const Companion& row, const Version& framework, const Facts& facts) {
    const std::string words = words_beside(row, framework, facts);
    if (words.empty())
        return by_hand(SAY("install a release of {} for {} {}", row.package, row.of, framework.release()));
    if (has_same_number(row, framework)) return pip_fix(words);
    return pip_fix(SAY("'{}=={}' {}", row.of, framework.without_local(), words));
}

bool is_listed(const InstalledCompanion& one) { return one.built_for.origin.kind == OriginKind::table; }

Fix install_listed(const Companion& row, const InstalledCompanion& own, const Version& framework,
                   const Facts& facts) {
    if (has_same_number(row, framework)) return install_both(row, framework, facts);
    if (const std::string listed = listed_for(row, framework); !listed.empty())
        return pip_fix(SAY("'{}=={}.*'", row.package, listed));
    return pip_fix(SAY("'{}=={}.*' '{}=={}'", row.of, own.built_for->release(), row.package,
                       own.version->without_local()));
}

Fix install_known(const Companion& row, const InstalledCompanion& own) {
    return pip_fix(SAY("'{}=={}' '{}=={}'", row.of, own.built_for->without_local(), row.package,
                       own.version->without_local()));
}

Fix install_again(const Companion& row, const Known<Version>& own, const Expectation& framework) {
    const Version& release = *framework.version;
    const bool other = own && !has_same_number(row, release) && row.needs_other(*own, release);
    const std::string listed = other ? listed_for(row, release) : "";
    if (!listed.empty() && !row.index.empty() && !release.local().empty())
        return pip_again_fix(
            SAY("'{}=={}.*' --index-url {}{}", row.package, listed, row.index, release.local()));
    if (!row.index.empty() && own && !release.local().empty()) {
        // A companion may have no newer releases while the framework has: torchaudio 2.11.0 works with torch
        // 2.11 and newer.
        const Version& number = has_same_number(row, release) && release < *own ? release : *own;
        return pip_again_fix(SAY("'{}=={}' --index-url {}{}", row.package, number.without_local(), row.index,
                                 release.local()));
    }
    if (row.builds.empty())
        return pip_again_fix(SAY("--no-build-isolation --no-binary {} {}", row.package, row.package));
    return build_for(row, release, framework.cuda);
}

Fix build_for(const Companion& row, const Version& release, const Known<Version>& cuda) {
    std::string text = SAY("install the build of {} for {} {}", row.package, row.of, release.release());
    if (cuda) text += SAY(" and CUDA {}", cuda->major());
    return by_hand(SAY("{}: {}", text, row.builds));
}

std::vector<Fix> companion_fixes(const Companion& row, const Known<Version>& own,
                                 const Known<Version>& built_for, const Expectation& framework,
                                 const Facts& facts) {
    const bool other_release = built_for && !same_release(*built_for, *framework.version);
    if (other_release) return {install_both(row, *framework.version, facts)};
    // The record names no release, and nothing else has builds for each.
    const auto listed = own && !built_for && row.index.empty() && row.builds.empty()
                            ? row.needs_other(*own, *framework.version)
                            : std::nullopt;
    if (!listed) return {install_again(row, own, framework)};
    const std::string other = listed->numbers.size() > 2 ? listed->without_local() : listed->release() + ".*";
    const Fix back = pip_fix(SAY("'{}=={}' '{}=={}'", row.of, other, row.package, own->without_local()));
    const Fix both = install_both(row, *framework.version, facts);
    return both.kind == FixKind::command ? std::vector<Fix>{both, back} : std::vector<Fix>{back, both};
}

}  // namespace ptxguard
