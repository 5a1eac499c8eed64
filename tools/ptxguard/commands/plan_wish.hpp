// What `plan` is asked for: a framework, or a package that runs on one, with the machines that it is for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "commands/settings.hpp"
#include "expect/declared.hpp"
#include "facts/facts.hpp"
#include "facts/libraries.hpp"
#include "facts/plan_table.hpp"
#include "host/host.hpp"

namespace ptxguard {

struct Wish {
    std::string named;  // as the option has it
    Request request;    // drivers, GPUs and Python
    WantedFramework framework;
    System system = System::linux_;
    bool macos = false;
    std::string free_threaded;       // "3.14t"; request.python is "3.14" then
    std::string python_from;         // the environment whose Python it is; empty = it was named, or is open
    std::string package;             // "vllm", which requires the framework; empty = the framework itself
    std::optional<Version> release;  // of the package, if it is named
    std::vector<std::string> says;   // why another package is planned
    bool nothing = false;            // they are the whole answer
    std::string install;             // what is installed after the framework: "flash-attn"
    bool same_command = false;       // or together with it
    bool compiled = false;           // with the nvcc of the machine
    // A package with a release for each one of the framework; `own_code` = no table has its device code.
    const Companion* companion = nullptr;
    bool own_code = false;
    bool unlisted = false;  // no table has the package
    std::string node;
};

// What is not known of a package with code of its own, and of one that is compiled.
std::string own_code_words(const Wish& wish);
inline const std::string k_nvcc_words = "the nvcc of that machine (run ptxguard check --build there)";
// "torch" of vllm: the framework that the newest release of a package requires; empty = none.
std::string framework_below(const std::string& package, const Facts& facts);

// One for each --framework, with all drivers and GPUs.
Result<std::vector<Wish>> wishes_from(const Settings& settings, const Host& host, const Facts& facts,
                                      const PlanTable& words);
// Each node type, or each driver with each GPU if there are several; empty if there is only one machine.
std::vector<Wish> machines_of(const Wish& wish, const Settings& settings);

}  // namespace ptxguard
