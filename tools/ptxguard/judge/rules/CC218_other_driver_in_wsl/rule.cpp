// On WSL a Linux driver's libcuda hides that of Windows' driver, which alone reaches the GPU.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/ptx_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

// Windows' library comes first by the loader's order, which programs that search folders do not use.
void judge_second(const Driver& driver, Findings& findings) {
    add(findings, "CC218", Level::warning, driver.beside_wsl,
        SAY("{} of a Linux driver is beside {}, the driver library of WSL", driver.beside_wsl,
            driver.libcuda))
        .found("driver library", driver.beside_wsl, Origin::from_file(driver.beside_wsl))
        .expected("driver library", SAY("only {}", driver.libcuda), driver.origin)
        .because(
            "programs that search folders or open libcuda.so (Numba) may get it, and it reaches no GPU in "
            "WSL: "
            "CUDA_ERROR_NO_DEVICE (CUDA error 100)")
        .by_hand(SAY("remove the Linux driver's package that contains {} (on Ubuntu libnvidia-compute-*)",
                     driver.beside_wsl));
}

}  // namespace

PTXGUARD_RULE(CC218) {
    for (const Driver& driver : scenario.drivers) {
        if (!driver.beside_wsl.empty()) judge_second(driver, findings);
        if (driver.wsl_libcuda.empty()) continue;
        const std::string package =
            "libnvidia-compute-" + std::to_string(version_of(driver) ? version_of(driver)->major() : 0);
        add(findings, "CC218", Level::error, driver.libcuda,
            SAY("{} is found before {}, the driver library of WSL", driver.libcuda, driver.wsl_libcuda))
            .found("driver library", SAY("{} ({})", driver.libcuda, name_of(driver)), driver.origin)
            .expected("driver library", driver.wsl_libcuda, {})
            .because(
                "WSL has no kernel module of NVIDIA: only the library that Windows' driver puts there "
                "reaches the GPU; programs end with 'no CUDA-capable device is detected' (CUDA error 100)")
            .by_hand(version_of(driver)
                         ? SAY("remove the Linux driver's package that contains {} (on Ubuntu {})",
                               driver.libcuda, package)
                         : SAY("remove the Linux driver's package that contains {}", driver.libcuda))
            .by_hand(SAY("put {} first: LD_LIBRARY_PATH, or its file in /etc/ld.so.conf.d",
                         folder_of(driver.wsl_libcuda)));
    }
}

}  // namespace ptxguard
