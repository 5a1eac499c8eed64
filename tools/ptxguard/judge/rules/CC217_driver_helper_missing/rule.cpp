// libcuda is here without the libraries of its driver that it opens to compile: CUDA error 221.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/ptx_questions.hpp"
#include "judge/rule.hpp"

namespace ptxguard {
namespace {

const std::string k_ptx_compiler = "libnvidia-ptxjitcompiler.so.1";

// Without its PTX compiler all PTX fails; without the others only what is compiled from NVVM and LTO-IR.
void judge(const Scenario& scenario, const Driver& driver, Findings& findings) {
    const bool ptx =
        std::find(driver.lacks.begin(), driver.lacks.end(), k_ptx_compiler) != driver.lacks.end();
    Finding& finding = add(findings, "CC217", ptx ? Level::warning : Level::note, name_of(driver),
                           name_of(driver) + " is here without its " + list(driver.lacks) + ": " +
                               (ptx ? "PTX" : "LTO-IR and NVVM code") + " cannot be compiled");
    finding.found = {{"libcuda", driver.libcuda, driver.origin}};
    for (const std::string& name : driver.lacks)
        finding.expected.push_back({"library of this driver", name, {}});
    finding.because =
        "libcuda opens it when a program loads code that has to be compiled: CUDA error 221, "
        "'PTX JIT compiler library not found'";
    if (!scenario.container.empty())
        finding.fix = {
            {FixKind::manual,
             "update the container toolkit, and make its list of files again: `nvidia-ctk cdi generate`"}};
    finding.fix.push_back({FixKind::manual, "install the whole package of this driver's libraries"});
}

}  // namespace

PTXGUARD_RULE(CC217) {
    for (const Driver& driver : scenario.drivers)
        // CC218 reports the whole library as another driver's.
        if (!driver.lacks.empty() && !driver.stub && driver.wsl_libcuda.empty())
            judge(scenario, driver, findings);
}

}  // namespace ptxguard
