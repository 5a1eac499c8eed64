// The answer of `ptxguard plan`: the builds of a framework that run on the named drivers, GPUs and Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/fields.hpp"

namespace ptxguard {

struct InstallLine {
    std::string by;    // pip, uv, conda, docker
    std::string text;  // to paste; for docker: lines of a Dockerfile

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, by, text);
    }
};

// A wish that conflicts with the others, and what would run without it.
struct WishInTheWay {
    std::string wish;   // "--driver 470", "+cu130"
    std::string build;  // "torch 2.11.0+cu126"

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, wish, build);
    }
};

// For one driver and one GPU, or for all named ones together.
struct PlannedSet {
    std::string machine;                // "driver 535, RTX 3090 (sm_86), Python 3.12"
    std::string framework;              // as named: "torch==2.11.0+cu130"
    std::vector<std::string> builds;    // that run there, newest release first: "torch 2.11.0+cu126"
    std::string unproven;               // if no build is known to run: the newest that may
    std::vector<std::string> unknown;   // what is not known about it, or was not named
    std::vector<std::string> because;   // codes of the findings against a named build
    std::vector<WishInTheWay> without;  // wishes in the way, if no build runs
    std::vector<std::string> instead;   // changes of the machine that let the named build run
    std::vector<InstallLine> install;   // commands for the first build; only for all wishes together

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, machine, framework, builds, unproven, unknown, because, without, instead, install);
    }
};

}  // namespace ptxguard
