// libcuda is here without the libraries of its driver that it opens to compile: CUDA error 221.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "facts/framework_traits.hpp"
#include "judge/framework_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

const std::string k_ptx_compiler = "libnvidia-ptxjitcompiler.so.1";

// Without its PTX compiler all PTX fails; without the others only what is compiled from NVVM and LTO-IR.
void judge(const Scenario& scenario, const Driver& driver, Findings& findings) {
    const bool ptx = contains(driver.lacks, k_ptx_compiler);
    Finding& finding = add(findings, "CC217", ptx ? Level::warning : Level::note, name_of(driver),
                           name_of(driver) + " is here without its " + list(driver.lacks) + ": " +
                               (ptx ? "PTX" : "LTO-IR and NVVM code") + " cannot be compiled");
    finding.found = {{"libcuda", driver.libcuda, driver.origin}};
    for (const std::string& name : driver.lacks)
        finding.expected.push_back({"library of this driver", name, {}});
    finding.because =
        "libcuda opens it when a program loads code that has to be compiled: CUDA error 221, 'PTX JIT "
        "compiler library not found'";
    if (!scenario.container.empty())
        finding.fix = {by_hand(
            "update the container toolkit, and make its list of files again: `nvidia-ctk cdi generate`")};
    finding.fix.push_back(by_hand("install the whole package of this driver's libraries"));
}

// A framework that compiles C code when it runs, and links it with -lcuda.
const Expectation* linker_of(const Scenario& scenario, const Facts& facts) {
    for (const Expectation& one : scenario.expectations) {
        const auto& below = framework_traits(facts, one.framework).links_driver_below;
        if (is_there(one) && !one.declared && one.version && below && *one.version < *below) return &one;
    }
    return nullptr;
}

void judge_link(const Driver& driver, const Expectation& user, Findings& findings) {
    const std::string link = driver.libcuda.substr(0, driver.libcuda.rfind(".so") + 3);
    Finding& finding = add(findings, "CC217", Level::warning, name_of(user) + ", libcuda.so",
                           name_of(user) + " links with libcuda.so, and only libcuda.so.1 is here");
    finding.package = user.package;
    finding.found = {{"libcuda", driver.libcuda, driver.origin}};
    finding.expected = {{"link for linkers", link, {}}};
    finding.because =
        "it compiles a launcher for each kernel with gcc -lcuda, which ends with 'cannot find -lcuda'";
    finding.fix = {{FixKind::command, "sudo ln -s libcuda.so.1 " + link}};
    finding.fix.push_back(by_hand("install " + user.package + " 3.6 or newer, which links libcuda.so.1"));
}

}  // namespace

PTXGUARD_RULE(CC217) {
    if (const Expectation* user = linker_of(scenario, facts))
        for (const Driver& driver : scenario.drivers)
            if (driver.no_link && !driver.stub && !driver.compat) judge_link(driver, *user, findings);
    for (const Driver& driver : scenario.drivers)
        // CC218 reports the whole library as another driver's.
        if (!driver.lacks.empty() && !driver.stub && driver.wsl_libcuda.empty())
            judge(scenario, driver, findings);
}

}  // namespace ptxguard
