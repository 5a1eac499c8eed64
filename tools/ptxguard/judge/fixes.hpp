// Fix lines that several rules use: components of one release, selecting another toolkit, a new list of
// architectures. Each uses the form in which this toolkit was installed or this build was configured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "judge/rule.hpp"
#include "model/finding.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// pip's commands up to the packages. Without --force-reinstall pip keeps an installed package of that
// release.
inline const std::string k_pip_install = "python3 -m pip install ";
inline const std::string k_pip_install_again = "python3 -m pip install --force-reinstall --no-deps ";
inline const std::string k_pip_uninstall = "python3 -m pip uninstall -y ";
Fix pip_fix(const std::string& words);        // "'torch==2.5.1'"
Fix pip_again_fix(const std::string& words);  // installs it even where it is there

// Whether all components of a compile are from one release.
bool parts_agree(const Toolkit& toolkit);

// Installs all components of `toolkit` in the release of its nvcc (without one: of its ptxas): the package
// manager's command if it came from one, otherwise another toolkit of the scenario whose components agree,
// otherwise prose. Empty if no release is known. `release`: another release than that of its nvcc.
std::vector<Fix> same_release_fix(const Scenario& scenario, const Toolkit& toolkit, const Facts& facts,
                                  const Version* release = nullptr);

// "driver 580.65.06 or newer", and why.
Fix driver_fix(const Version& driver, const std::string& why = "");

// For a driver that refuses that PTX: the first one that reads it, if a table lists one.
void add_driver_for_ptx(const Scenario& scenario, const Facts& facts, PtxVersion ptx, Finding& finding);
// Of a file without code for the GPU "90a" itself.
Fix compile_for_fix(const std::string& arch);

// What can be pasted comes first. A driver the user often cannot change, and it needs a restart: it comes
// last.
void put_easiest_first(std::vector<Fix>& fixes);

// The Debian and Ubuntu packages with the programs and the headers.
Fix debian_fix();

// conda's command for a complete compiler of that release.
Fix conda_fix(const Version& release);
// The channels and packages of that command. Before CUDA 12 only NVIDIA's channel has the compiler.
std::string conda_words(const Version& release);

// Makes the build use `toolkit` by changing what selects it now (a variable, a CMake variable, an option).
Fix choose_toolkit_fix(const Scenario& scenario, const Toolkit& toolkit);

// The first toolkit of the scenario with an nvcc of that release (or only major) whose components agree; null
// = none.
const Toolkit* toolkit_of_release(const Scenario& scenario, const Version& release);
const Toolkit* toolkit_of_major(const Scenario& scenario, int major);

// Makes the build request `targets`: in TORCH_CUDA_ARCH_LIST, CUDAARCHS, CMake's line or nvcc's flags,
// wherever the list is now, else in what the project builds with.
Fix arch_list_fix(const Scenario& scenario, const std::vector<Target>& targets);

// How to get a toolkit of that release and build with it: a setting if one is installed, the command of what
// installs toolkits here (toolkit_sources.cpp), otherwise prose: "use CUDA 12.9 " + `why`.
Fix get_toolkit_fix(const Scenario& scenario, const Version& release, const Facts& facts,
                    const std::string& why);

// A toolkit's folder and nvcc as words of the shell: /usr/local/cuda-12.8, "$CONDA_PREFIX".
struct ToolkitWords {
    std::string root, bin, nvcc;
};
ToolkitWords toolkit_words(const std::string& root_word, System system);
// PATH comes before default folders and packages, in CMake as in other programs.
Fix first_on_path(const std::string& folder_word, System system);
// Makes the build use that toolkit by changing what selects one now.
Fix selecting_fix(const Scenario& scenario, const ToolkitWords& words);
// Installs the wheels with the compiler of that release.
std::string pip_line(const Version& wanted, const Facts& facts);
// Commands behind that of pip, " && ln -sfn lib ...": the linker of nvcc before 13.2 searches lib64, and the
// wheels have no libcudart.so. Empty where a build links without them.
std::string links_of_wheel(const Scenario& scenario, const Version& release, const std::string& root_word);
// Installs a toolkit of that release and selects it; nothing if no installer here has it.
std::optional<std::string> install_command(const Scenario& scenario, const Version& release,
                                           const Facts& facts);

// How to give nvcc another host compiler, for the rules that report a missing or unsupported one.

// Nothing names a host compiler, and cl.exe is only on the PATH of Visual Studio's own prompts.
bool is_outside_developer_prompt(const Scenario& scenario);
// A toolkit is also installed for its libraries and its ptxas: without a build, nobody needs cl.exe.
// PyTorch's extension builder calls vcvars64.bat of an installed Visual Studio itself.
bool needs_developer_prompt(const Scenario& scenario);
// A compile that failed where nobody asked for what only that prompt can do.
bool is_for_developer_prompt(const Scenario& scenario, const ProbeResult& probe);
// The variable of flags that selects the host compiler by -ccbin; empty = none.
std::string flags_that_choose_host_compiler(const Scenario& scenario);
// In the notation of the setting that selects it now.
Fix choose_host_compiler(const Scenario& scenario, const std::string& program);
// By an installed toolset of Visual Studio that the build's nvcc supports, else by what to install.
std::vector<Fix> msvc_fixes(const Scenario& scenario);

}  // namespace ptxguard
