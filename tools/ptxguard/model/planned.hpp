// The answer of `ptxguard plan`: which builds of a framework run on the drivers, GPUs and Python that were
// named.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fields.hpp"

namespace ptxguard {

struct InstallLine {
    std::string by;    // pip, uv, conda, docker
    std::string text;  // to paste; of docker the lines of a Dockerfile

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, by, text);
    }
};

// A wish that nothing fulfils together with the others, and what would run without it.
struct WishInTheWay {
    std::string wish;   // "--driver 470", "+cu130"
    std::string build;  // "torch 2.11.0+cu126"

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, wish, build);
    }
};

// For one driver and one GPU, or for all that were named together.
struct PlannedSet {
    std::string machine;                // "driver 535, RTX 3090 (sm_86), Python 3.12"
    std::string framework;              // as named: "torch==2.11.0+cu130"
    std::vector<std::string> builds;    // that run there, the newest release first: "torch 2.11.0+cu126"
    std::string unproven;               // where no build is known to run: the newest that may
    std::vector<std::string> unknown;   // what is not known of it, or was not named
    std::vector<std::string> because;   // codes of what speaks against a build that was named
    std::vector<WishInTheWay> without;  // where no build runs
    std::vector<std::string> instead;   // changes of the machine under which the named build runs
    std::vector<InstallLine> install;   // commands for the first build; only for all wishes together

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, machine, framework, builds, unproven, unknown, because, without, instead, install);
    }
};

}  // namespace ptxguard
