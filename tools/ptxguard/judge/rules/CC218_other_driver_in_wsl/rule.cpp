// On WSL a Linux driver's libcuda hides that of Windows' driver, which alone reaches the GPU.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/ptx_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {

PTXGUARD_RULE(CC218) {
    for (const Driver& driver : scenario.drivers) {
        if (driver.wsl_libcuda.empty()) continue;
        Finding& finding =
            add(findings, "CC218", Level::error, driver.libcuda,
                driver.libcuda + " is found before " + driver.wsl_libcuda + ", the driver library of WSL");
        finding.found = {{"driver library", driver.libcuda + " (" + name_of(driver) + ")", driver.origin}};
        finding.expected = {{"driver library", driver.wsl_libcuda, {}}};
        finding.because =
            "WSL has no kernel module of NVIDIA: only the library that Windows' driver puts there reaches "
            "the GPU; programs end with 'no CUDA-capable device is detected' (CUDA error 100)";
        const std::string package =
            "libnvidia-compute-" + std::to_string(version_of(driver) ? version_of(driver)->major() : 0);
        finding.fix = {by_hand("remove the Linux driver's package that contains " + driver.libcuda +
                               (version_of(driver) ? " (on Ubuntu " + package + ")" : std::string()))};
        finding.fix.push_back(by_hand("put " + folder_of(driver.wsl_libcuda) +
                                      " first: LD_LIBRARY_PATH, or its file in /etc/ld.so.conf.d"));
    }
}

}  // namespace ptxguard
