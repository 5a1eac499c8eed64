// The branches of an if in a build file, whose conditions may be open. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/truth.hpp"

namespace ptxguard::recipes {

struct Branch {
    Truth now = Truth::no;     // whether its statements run
    Truth before = Truth::no;  // whether an earlier branch of the same if did
    bool of_release = false;   // a condition of it compares the release of CUDA

    // Whether the next branch can run at all; until run_if() it does not.
    bool next() {
        now = Truth::no;
        return before != Truth::yes;
    }
    void run_if(Truth own) {
        now = before == Truth::unknown ? both(Truth::unknown, own) : own;
        if (own != Truth::no) before = own;
    }
};

// Whether what stands in all these branches runs.
template <class One>
Truth active(const std::vector<One>& branches) {
    Truth all = Truth::yes;
    for (const Branch& branch : branches) all = both(all, branch.now);
    return all;
}

// An if in them: where nothing runs, nothing in its branches is evaluated.
template <class One>
Branch begun_in(const std::vector<One>& branches) {
    return {Truth::no, truth(active(branches) == Truth::no), false};
}

}  // namespace ptxguard::recipes
