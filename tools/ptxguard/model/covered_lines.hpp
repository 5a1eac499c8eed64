// The lines of a file to which a comment in it applies, as Suppression::covers: the judge finds it there, so
// that it need not compare every comment with every finding.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/finding.hpp"

namespace ptxguard {

struct CoveredLines {
    std::string file;
    int first = 0, last = 0;
    bool operator()(const Location& place) const {
        return place.file == file && place.line >= first && place.line <= last;
    }
};

}  // namespace ptxguard
