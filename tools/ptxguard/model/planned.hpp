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

    PTXGUARD_MEMBERS_ALWAYS(by, text)
};

// A wish that conflicts with the others, and what would run without it.
struct WishInTheWay {
    std::string wish;   // "--driver 470", "+cu130"
    std::string build;  // "torch 2.11.0+cu126"
    std::string needs;  // what it needs instead of that wish: "driver 580.65.06 or newer"; empty = nothing

    PTXGUARD_MEMBERS_ALWAYS(wish, build, needs)
};

// What a build needs of a machine that was not named.
struct PlannedNeed {
    std::string needs;   // "driver 580.65.06 or newer"
    std::string option;  // that names it: "--driver"

    PTXGUARD_MEMBERS_ALWAYS(needs, option)
};

// A build on one node type, a cell of the table.
enum class PlannedFit { runs, no, unknown };
const char* to_string(PlannedFit fit);
struct PlannedCell {
    std::string build;  // "torch 2.11.0+cu126"
    PlannedFit fit = PlannedFit::unknown;
    std::vector<std::string> because;  // codes of the findings against it

    PTXGUARD_MEMBERS_ALWAYS(build, fit, because)
};

// For one driver and one GPU, or for all named ones together.
struct PlannedSet {
    std::string machine;                // "driver 535, RTX 3090 (sm_86), Python 3.12"
    std::string node;                   // name of a node type; empty = none
    std::string framework;              // as named: "torch==2.11.0+cu130", "torch and jax"
    PlannedFit fit = PlannedFit::no;    // the answer in one word
    std::vector<std::string> says;      // sentences: why it is another package, system or machine
    bool settled = false;               // they are the whole answer: nothing can run there
    std::vector<std::string> builds;    // that run there, newest release first: "torch 2.11.0+cu126"
    std::vector<PlannedNeed> provided;  // what the first one needs of a machine that was not named
    std::string unproven;               // if no build is known to run: the newest that may
    std::vector<std::string> unknown;   // what is not known about it, or was not named
    std::vector<std::string> because;   // codes of the findings against a named build
    std::vector<WishInTheWay> without;  // wishes in the way, if no build runs
    std::vector<std::string> instead;   // changes of the machine that let the named build run
    std::vector<InstallLine> install;   // commands for the first build
    std::vector<PlannedCell> cells;     // of several machines: each build of the table on this one
    bool all = false;                   // for all machines together
    bool together = false;              // several frameworks in one environment

    PTXGUARD_MEMBERS_ALWAYS(machine, node, framework, fit, says, settled, builds, provided, unproven, unknown,
                            because, without, instead, install, cells, all, together)
};

}  // namespace ptxguard
