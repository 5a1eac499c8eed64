// How to install a companion for a framework, or another framework for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/libraries.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// The release of the companion for this framework; empty = none is known.
std::string release_beside(const Companion& row, const Version& framework, const Facts& facts);
// "'torchcodec==0.9.1'", "'torchcodec>=0.12'" for this framework; empty = none is known.
std::string words_beside(const Companion& row, const Version& framework, const Facts& facts);
// Whether the table says for which framework it is, and no requirement.
bool is_listed(const InstalledCompanion& one);
// Its release for this framework, or the framework for it: pip would keep a release whose record names none.
Fix install_listed(const Companion& row, const InstalledCompanion& own, const Version& framework,
                   const Facts& facts);
// Of a release with a library for each of some releases of the framework: the newest of these.
Fix install_known(const Companion& row, const InstalledCompanion& own);
// Both, of releases that fit.
Fix install_both(const Companion& row, const Version& framework, const Facts& facts);
// The same release again, or the one for this framework. A build from source is the last resort.
Fix install_again(const Companion& row, const Known<Version>& own, const Expectation& framework);
// Of a companion whose publisher has builds of one release for several frameworks and CUDAs, the one that
// fits.
Fix build_for(const Companion& row, const Version& release, const Known<Version>& cuda);
// How to install a companion for the installed framework.
std::vector<Fix> companion_fixes(const Companion& row, const Known<Version>& own,
                                 const Known<Version>& built_for, const Expectation& framework,
                                 const Facts& facts);

}  // namespace ptxguard
