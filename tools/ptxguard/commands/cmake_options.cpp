// The options with which the CMake module calls `check`; not in the help.
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "commands/options.hpp"

namespace ptxguard {

std::vector<OptionSpec> options_of_cmake() {
    using K = OptionKind;
    const auto row = [](const char* name, K kind, const char* value, const char* help,
                        std::vector<const char*> words = {}, unsigned taken_by = by_check) {
        return OptionSpec(OptionGroup::output, name, taken_by, kind, value, help, std::move(words), "", false,
                          true);
    };
    return {
        row("only-findings", K::flag, "", "print nothing if there is no finding", {}, by_all),
        row("from-cmake", K::flag, "", "called by CMake: use its search order"),
        row("cmake-script", K::flag, "", "print the results as a script for CMake instead of text"),
        row("component", K::each, "NAME[>=VER][?]",
            "framework or library that find_package() asks for; ? = optional"),
        row("cmake-nvcc", K::one, "FILE", "CMAKE_CUDA_COMPILER"),
        row("cmake-host-compiler", K::one, "FILE", "CMAKE_CUDA_HOST_COMPILER"),
        row("cmake-toolkit-root", K::one, "DIR", "CUDAToolkit_ROOT"),
        row("cmake-flags", K::each, "NAME=FLAGS", "flags that CMake passes to nvcc"),
        row("native-stops", K::flag, "", "CMake fails at `native`"),
        row("later", K::list, "WHAT", "what another call of this configure checks",
            {"toolkit", "host-compiler", "architectures", "driver"}),
        row("arch-place", K::each, "LIST @ FILE @ PLACE",
            "architectures or flags at a place of a CMake project"),
        row("arch-places", K::each, "FILE", "such places, one a line"),
        row("dropped-sources", K::each, "FILES @ FILE @ TARGET @ WHAT",
            "CUDA sources that a CMake project does not compile"),
        row("arch-origin", K::one, "NAME", "variable that --arch comes from"),
        row("written", K::each, "NAME=FILE:LINE", "where an option or a variable of CMake is set"),
    };
}

}  // namespace ptxguard
