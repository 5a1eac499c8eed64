// Causes in packages and frameworks, and faults that no toolchain causes.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"

namespace ptxguard {
std::vector<Cause> causes_of_frameworks() {
    return {
        {"toolkit_major_mismatch",
         "CC601",
         "the build uses CUDA {toolkit|of another release}, but [{framework}]@framework[the framework] was "
         "compiled with CUDA "
         "{built|another one}",
         k_check_build,
         {"install CUDA {built|of that release} and set CUDA_HOME to it",
          "install a build of the framework for CUDA {toolkit|of the toolkit}"}},
        {"toolkit_minor_mismatch", "CC602",
         "the build uses CUDA {toolkit}, the framework was compiled with {built}: the same major, which "
         "usually works",
         k_check_build},
        {"framework_build_missing",
         "CC603",
         "the requested build was never released[: {requirement}]",
         "ptxguard lint",
         {"request a build that exists: ptxguard plan --framework {package|torch}"}},
        {"no_build_for_platform",
         "CC613",
         "there is no build for this Python, system or processor[: {requirement}]",
         "ptxguard plan --framework {package|torch}",
         {"use a Python version for which it is built"}},
        {"index_without_effect",
         "CC614",
         "the searched package index does not have this build[: {requirement}]",
         "ptxguard lint",
         {"pip install {requirement|PACKAGE} --index-url https://download.pytorch.org/whl/cuXXX"}},
        {"framework_cpu_only",
         "CC604",
         "the installed [{framework}]@framework[framework] is a build without CUDA",
         k_check,
         {"install a CUDA build: ptxguard plan --framework {package|torch}"}},
        {"cuda_unavailable",
         "CC604",
         "the framework does not see CUDA: it is a CPU build, or the driver is missing or too old",
         k_check,
         {"ptxguard check names which; then install a CUDA build, or the driver"}},
        {"cxx_abi",
         "CC605",
         "the parts were compiled with different C++ string ABIs (_GLIBCXX_USE_CXX11_ABI)[: {symbol}]",
         "ptxguard check[ --module {needed_by}]",
         {"install or compile the extension for the ABI of the installed framework"}},
        {"cxx_standard",
         "CC606",
         "the C++ standard is too low for the framework's headers[: {standard} is needed]",
         k_check_build,
         {"set CMAKE_CXX_STANDARD and CMAKE_CUDA_STANDARD to {standard|17}"}},
        {"extension_for_other_release",
         "CC619",
         "an extension was compiled for another release of the framework[: {symbol} is not in this one][ "
         "({needed_by})]",
         "ptxguard check[ --module {needed_by}]",
         {"reinstall or compile the extension for the installed release: pip install --no-cache-dir "
          "--force-reinstall "
          "--no-build-isolation ..."}},
        {"companions",
         "CC612",
         "packages that must fit each other are from different releases[: {package}]",
         k_check,
         {"install them together, from one index"}},
        {"build_isolation",
         "CC622",
         "the package was built in an isolated environment, with another framework than the installed one or "
         "without it",
         "pip install --no-build-isolation PACKAGE",
         {"pip install --no-build-isolation, after the framework is installed"}},
        {"requirement_unreadable", "CC615", "a requirement cannot be read[: {requirement}]", "ptxguard lint"},
        {"toolkit_release_missing",
         "CC620",
         "the package source does not have this CUDA package[: {requirement}]",
         "ptxguard lint",
         {"add NVIDIA's package source, or name a release that exists"}},
        {"image_tag_missing",
         "CC616",
         "the image does not exist under this tag",
         "ptxguard lint",
         {"name an existing tag"}},
        {"framework_without_cuda_package",
         "CC604",
         "the CUDA part of the framework is not installed[: {package}]",
         k_check,
         {"install it with its CUDA packages, for example jax[[cuda12]]"}},
        {"cuda_dropped", "CC618", "the build found no CUDA and goes on without it", k_check_build},
    };
}

std::vector<Cause> causes_of_others() {
    return {
        {"gpu_memory", "", "the GPU's memory is used up: by this program or by another process"},
        {"host_memory", "", "the machine's memory is used up: the compiler or the program was killed"},
        {"disk_full", "", "the disk is full"},
        {"program_bug", "",
         "a kernel of the program accesses memory that is not its own, or fails an assertion"},
        {"launch_failed", "", "a kernel of the program failed while it ran"},
        {"api_misuse", "", "the program calls CUDA with values that do not fit"},
        {"hardware", "", "the GPU or its connection reports a hardware error"},
        {"gpu_busy", "", "the GPU is used by another process, or in exclusive mode"},
        {"compile_error", "", "the source does not compile: an error in the program's own code"},
        {"missing_header", "", "a header of the project or of another package is missing[: {path}]"},
        {"missing_module", "", "a Python package is missing[: {module}]"},
        {"missing_library", "", "a library that is not from NVIDIA is missing[: {library}]"},
        {"missing_tool", "", "a program that the build needs is missing[: {tool}]"},
        {"network", "", "the network or a server failed"},
        {"permissions", "", "a file may not be read or written"},
        {"nccl_network", "",
         "NCCL's connection between processes failed; set NCCL_DEBUG=INFO for the reason"},
        {"slow_filesystem", "", "a file was not read completely"},
    };
}

}  // namespace ptxguard
