// What messages mean: each cause with its rule, in words for people.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"
#include "rule_codes.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_driver_and_gpu =
    "ptxguard inspect {program|PROGRAM}[ --gpu '{gpu}']@gpu[ --gpu NAME][ --driver {driver}]@driver[ "
    "--driver VERSION]";

const std::vector<Cause> k_of_toolkits = {
    Cause("variable_names_no_toolkit", CC101, k_check_build,
          "the CUDA toolkit is searched where none is[: {path} does not exist]",
          {"set CUDA_HOME (Windows: CUDA_PATH) to the folder that contains bin/nvcc"}),
    Cause("two_toolkits", CC103, k_check_build,
          "one build uses two CUDA toolkits[: nvcc {nvcc} and CUDA {found_cuda}]",
          {"select one toolkit for all: put its bin folder first on PATH and set CUDA_HOME, CUDAToolkit_ROOT "
           "and CMAKE_CUDA_COMPILER to it"}),
    Cause("nvcc_older_than_option", CC103, k_check_build,
          "the nvcc that is used is older than the option[ {option}][, which came with CUDA {since}]",
          {"select the newer toolkit for all: put its bin folder first on PATH and set CUDA_HOME, "
           "CUDAToolkit_ROOT and CMAKE_CUDA_COMPILER to it",
           "leave out[ {option}]@option[ the option]"}),
    Cause(
        "toolkit_parts_disagree", CC104, k_check_build,
        "the parts of the CUDA toolkit are from different releases[ (headers of {headers})]",
        {"install nvcc, the runtime headers and the libraries of one release, and build in a clean folder"}),
    Cause("toolkit_split", CC104, k_check_build,
          "the parts of the CUDA toolkit are in two folders[: {one} and {other}], as a distribution installs "
          "them",
          {"use a toolkit that is in one folder (NVIDIA's packages, or conda's cuda-toolkit), and name it"}),
    Cause("nvlink_older", CC104, k_check_build,
          "the parts of the CUDA toolkit are from different releases[: {path}][ is of CUDA {made_by}][, "
          "nvlink of CUDA {linked_by}]",
          {"link with the nvlink of[ CUDA {made_by}]@made_by[ the newer release], or compile all with one "
           "release",
           "remove the newer toolkit's folder from LIBRARY_PATH and from the link's -L options"}),
    Cause(
        "cub_of_project", CC104, k_check_build,
        "Thrust is compiled with another CUB than its own: a project or an include path brings an older copy",
        {"remove the project's own CUB and Thrust from the include paths (from CUDA 11 on the toolkit "
         "contains both)"}),
    Cause("cccl_moved", CC105, k_check_build,
          "a header of Thrust, CUB or libcu++ is not found[: {path}]: from CUDA 13 they are in include/cccl, "
          "which only nvcc searches by itself",
          {"compile the file with nvcc, or add include/cccl of the toolkit to the include paths (CMake: link "
           "CCCL::CCCL)"}),
    Cause("hpc_sdk_without_cuda", CC106, "nvfortran --version; ls $NVHPC_ROOT/cuda",
          "the HPC SDK has no CUDA toolkit for this driver[ (CUDA {driver_cuda})]",
          {"name one that is installed, also where no driver is: -gpu=cudaX.Y",
           "set NVHPC_CUDA_HOME to a CUDA toolkit, or install the HPC SDK with all CUDA releases"}),
    Cause("toolkit_incomplete", CC105, k_check_build, "a part of the CUDA toolkit is missing[: {path}]",
          {"install the complete toolkit of this release (conda: cuda-toolkit, Docker: a devel image)"}),
    Cause("nvtx_absent", CC105, k_check_build,
          "the build links NVTX 2 (nvToolsExt), which[ CUDA {toolkit}]@toolkit[ this toolkit] does not have: "
          "from CUDA 13 on there are only the headers of NVTX 3",
          {"install the library of CUDA 12 (apt: cuda-nvtx-12-9, conda: cuda-nvtx-dev=12)",
           "use a release of the package (PyTorch, for one) that uses NVTX 3; in CMakeLists.txt: CUDA::nvtx3 "
           "(CMake 3.25) instead of CUDA::nvToolsExt"}),
    Cause("no_toolkit", CC106, k_check_build, "no CUDA toolkit with nvcc is found",
          {"install a CUDA toolkit with nvcc and set CUDA_HOME to it; PyTorch's wheels and conda's "
           "cudatoolkit contain no nvcc"}),
    Cause(
        "no_visual_studio_integration", CC106, k_check_build,
        "Visual Studio has no files of this CUDA toolkit: it was installed before Visual Studio, without its "
        "integration, or not at all[ ({toolkit})]",
        {"install the CUDA toolkit again, after Visual Studio (component Visual Studio Integration); or copy "
         "extras\\visual_studio_integration\\MSBuildExtensions to Visual Studio's BuildCustomizations folder",
         "use another generator: cmake -G Ninja"}),
    Cause("image_without_nvcc", CC608, "ptxguard lint",
          "something is compiled where no nvcc is: a runtime or base image, or an environment without a "
          "toolkit",
          {"use the devel flavour of the image: nvidia/cuda:VERSION-devel-..."}),
    Cause("nvcc_off_path", CC112, k_check_build, "a CUDA toolkit is there but not on PATH",
          {"add the toolkit's bin folder to PATH, or set CUDACXX to nvcc"}),
    Cause("tool_does_not_run", CC107, k_check_build, "a tool of the CUDA toolkit does not run[: {path}]",
          {"install the toolkit for this system's processor, and make its programs executable"}),
    Cause("host_compiler_unsupported", CC108, k_check_build,
          "nvcc[ {nvcc}] does not support this host compiler[: {compiler} newer than {newest} is refused][: "
          "{compiler} {newest_refused} and newer are refused][: {compiler} {compiler_here} with CUDA "
          "{checked_cuda}][, which needs {oldest}]",
          {"use an older host compiler: -ccbin, CMAKE_CUDA_HOST_COMPILER or NVCC_CCBIN[, for example "
           "{compiler}-{newest}]",
           "use a newer CUDA toolkit"}),
    Cause("visual_studio_unsupported", CC108, k_check_build,
          "nvcc[ {nvcc}] does not support this Visual Studio[: it reads {vs_oldest} to {vs_newest}, and of "
          "{vs_newest} no update that is newer than itself]",
          {"use a newer CUDA toolkit",
           "install an older MSVC toolset in the Visual Studio Installer, and select it: vcvars64.bat "
           "-vcvars_ver=14.NN, or -ccbin with its folder"}),
    Cause("library_not_linked", CC105, k_check_build,
          "the program is not linked with a library of CUDA[: {symbol} is in {library}]",
          {"link it[: {link}]"}),
    Cause("driver_link_name", CC105, "ldconfig -p | grep libcuda",
          "the linker finds no libcuda.so, the name that -lcuda asks for: the driver installs libcuda.so.1, "
          "and the toolkit has a stub for linking",
          {"name the folder of the toolkit's stub: export LIBRARY_PATH=$CUDA_HOME/lib64/stubs (Triton: "
           "TRITON_LIBCUDA_PATH with the folder of libcuda.so)",
           "beside the driver's file: sudo ln -s libcuda.so.1 /usr/lib/x86_64-linux-gnu/libcuda.so"}),
    Cause("host_headers_too_new", CC108, k_check_build,
          "nvcc cannot read the headers of this host compiler: it is newer than nvcc supports",
          {"use an older host compiler: -ccbin, CMAKE_CUDA_HOST_COMPILER or NVCC_CCBIN",
           "use a newer CUDA toolkit"}),
    Cause("clang_older_than_toolkit", CC108, k_check_build,
          "clang is older than the CUDA toolkit, whose headers it cannot read",
          {"use a newer clang, or pass --cuda-path with an older CUDA toolkit"}),
    Cause("host_compiler_32bit", CC108, k_check_build,
          "the host compiler makes 32 bit code (cl.exe of an x86 prompt), which nvcc does not support",
          {"start from the x64 Native Tools Command Prompt (vcvars64.bat)"}),
    Cause("no_host_compiler", CC108, k_check_build, "nvcc finds no host compiler",
          {"install one and put it on PATH (Windows: start from the Developer Command Prompt), or pass "
           "-ccbin"}),
    Cause("host_cxx_absent", CC108, "gcc --version; g++ --version",
          "the host compiler has no part for C++ (cc1plus): g++ of the release of gcc is not installed",
          {"install g++ of the same release as gcc (Ubuntu: g++-12 beside gcc-12)"}),
    Cause("c_library_too_new", CC116, k_check_build,
          "the C library's headers are newer than this CUDA toolkit supports: both declare the same "
          "functions differently",
          {"use a newer CUDA toolkit"}),
    Cause("framework_finds_no_ptxas", CC109, k_check,
          "[{framework} ]@framework[the framework ]finds no ptxas that it can use",
          {"install ptxas where it searches (pip install nvidia-cuda-nvcc-cu12, or conda install cuda-nvcc), "
           "or put the toolkit's bin folder on PATH"}),
    Cause("known_bad_ptxas", CC110, k_check,
          "[ptxas {ptxas} ]@ptxas[this ptxas ]is too old for this framework[ (it wants {need})]",
          {"put a newer ptxas first on PATH, or install the framework's own CUDA packages"}),
    Cause("framework_finds_no_libdevice", CC111, k_check,
          "XLA finds no libdevice.10.bc: the CUDA toolkit is not where it searches",
          {"set XLA_FLAGS=--xla_gpu_cuda_data_dir=DIR to the folder that contains nvvm/libdevice",
           "pip install nvidia-cuda-nvcc-cu12 (conda: cuda-nvcc)"}),
    Cause("run_time_nvcc_unfit", CC114, k_check,
          "the nvcc that compiles kernels at run time does not support this GPU[ ({arch})][: CUDA {need} is "
          "needed]",
          {"install the newer CUDA toolkit and set CUDA_HOME to it"}),
    Cause("nvrtc_headers_unfit", CC115, k_check, "NVRTC reads CUDA headers of another release",
          {"unset CUDA_HOME and CUDA_PATH, or set them to a toolkit of the release of NVRTC"}),
};

const std::vector<Cause> k_of_ptx = {
    Cause("ptx_newer_than_ptxas", CC201, k_check_build,
          "compiler and ptxas are from different CUDA releases: the PTX is newer than this ptxas reads[: PTX "
          "{made}][ of CUDA {made_cuda}][; it reads up to {read}][ (CUDA {read_cuda})]",
          {"put the ptxas of the compiler's CUDA release first: its bin folder first on PATH (Triton: "
           "TRITON_PTXAS_PATH)",
           "compile with[ CUDA {read_cuda}]@read_cuda[ the CUDA release of that ptxas]"}),
    Cause("ptx_newer_than_driver", CC202, k_driver_and_gpu,
          "the driver[ {driver}][ (CUDA {driver_api_cuda})] is older than the compiler of this program's "
          "PTX[ ({made}, CUDA {made_cuda}); it reads up to {read}], and the program has no cubin for the "
          "GPU[ {gpu}]",
          {"compile for the GPU itself, for example CMAKE_CUDA_ARCHITECTURES=80-real or -gencode "
           "arch=compute_80,code=sm_80",
           "compile with the CUDA release of the driver[ ({driver_cuda})] or an older one",
           "update the driver"}),
    Cause("run_time_ptx_newer_than_driver", CC214, k_check,
          "Numba's compiler writes PTX that is newer than the driver[ {driver}] reads[ (up to {read})]",
          {"install the CUDA packages of the driver's release[ ({driver_cuda})] in Numba's environment",
           "update the driver"}),
    Cause("arch_unknown_to_nvcc", CC203, k_check_build,
          "nvcc[ {nvcc}] does not support[ {arch}]@arch[ a requested architecture][ ({arch_bound})]",
          {"[use {arch_needs}]@arch_needs[use a CUDA toolkit that supports it]",
           "remove[ {arch}]@arch[ it] from the architectures (CMAKE_CUDA_ARCHITECTURES, "
           "TORCH_CUDA_ARCH_LIST, -gencode)"}),
    Cause(
        "arch_unknown_to_build", CC203, k_check_build,
        "the script that makes options of nvcc from a list of architectures does not know[ {arch}]@arch[ one "
        "of them]: PyTorch and CMake's FindCUDA have the architectures that were known at their release",
        {"use a PyTorch (for FindCUDA: CMake) that knows it",
         "remove[ {arch}]@arch[ it] from the list (TORCH_CUDA_ARCH_LIST, CUDA_ARCH_LIST); pass its -gencode "
         "option to nvcc directly"}),
    Cause("native_unresolved", CC203, k_check_build,
          "the word 'native' reached nvcc as the name of an architecture: CMake resolves it from 3.24 on, "
          "FindCUDA never",
          {"name the architecture: -DCMAKE_CUDA_ARCHITECTURES=80", "use CMake 3.24 or newer"}),
    Cause("arch_not_a_name", CC203, k_check_build,
          "what the build passes to nvcc as an architecture is none[: '{value}']",
          {"set the architectures yourself: CMAKE_CUDA_ARCHITECTURES=80, or TORCH_CUDA_ARCH_LIST=8.0 (only "
           "PyTorch knows +PTX)"}),
    Cause("arch_word_unknown", CC203, k_check_build,
          "nvcc[ {nvcc}] is older than the word[ '{word}'] for its architectures ('native' needs CUDA 11.6, "
          "'all' and 'all-major' 11.5)",
          {"name the architecture: -arch=sm_80 (CMAKE_CUDA_ARCHITECTURES=80; llama.cpp and whisper.cpp: "
           "CUDA_DOCKER_ARCH=sm_80)",
           "use a newer CUDA toolkit"}),
    Cause("arch_unknown_to_ptxas", CC203, k_check,
          "ptxas does not support[ {arch}]@arch[ the architecture of this GPU][ ({arch_bound})]",
          {"[use the ptxas of {arch_needs}]@arch_needs[use a ptxas that supports it] (Triton: "
           "TRITON_PTXAS_PATH)"}),
    Cause("arch_unknown_to_nvrtc", CC203, k_check,
          "NVRTC does not support this GPU[ ({gpu})][ ({arch})][ ({arch_asked})]: it is newer than this CUDA "
          "release, or CUDA has dropped it",
          {"install the package for another CUDA release (CuPy: cupy-cuda11x, cupy-cuda12x, cupy-cuda13x)"}),
    Cause("arch_unknown_to_compiler", CC203, k_check, "the compiler does not support this GPU[ ({arch})]",
          {"use a release that supports it"}),
    Cause("no_code_for_gpu", CC204, k_driver_and_gpu,
          "a program, library or extension has no code for this GPU[ ({gpu})][ ({arch})][; it has code for "
          "{archs}]",
          {"compile it for this GPU: TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES or -gencode, in a clean "
           "build folder",
           "install a build that covers the GPU"}),
    Cause("framework_lacks_gpu", CC607, "ptxguard check[ --gpu '{gpu}']@gpu[ --gpu NAME]",
          "[this build of {framework}]@framework[the installed framework] has no code for this GPU[ "
          "({gpu})][ ({arch})][; it has code for {archs}]",
          {"install a build that covers the GPU: ptxguard plan --framework {package|torch}[ --gpu "
           "'{gpu}']@gpu[ --gpu NAME]"}),
    Cause("list_lacks_gpu", CC204, k_check_build,
          "the architectures to compile for are older than the program needs: the list names old ones, or "
          "the GPU is old",
          {"set TORCH_CUDA_ARCH_LIST to the GPU's architecture[ ({arch_of_gpu})], or unset it"}),
    Cause("arch_lacks_suffix", CC204, k_check_build,
          "the code uses instructions that belong to one architecture: it must be compiled for {arch|sm_90}a",
          {"name the architecture with its letter: CMAKE_CUDA_ARCHITECTURES=90a, TORCH_CUDA_ARCH_LIST=9.0a, "
           "-gencode arch=compute_90a,code=sm_90a"}),
    Cause("ptx_above_gpu", CC204, k_driver_and_gpu,
          "the PTX is for a newer GPU than the one that it is compiled for",
          {"compile the PTX for the older GPU, or pass -arch to ptxas"}),
    Cause("not_ptx", CC205, "ptxguard inspect {path|FILE}",
          "what should be PTX is none: the file is empty or damaged, or the step before it failed",
          {"look at the step that writes the file"}),
    Cause("ptx_does_not_compile", CC213, "ptxguard inspect {path|FILE} --compile",
          "the PTX is refused for what is in it, not for its version",
          {"look at the lines of ptxas before this one"}),
    Cause("native_without_gpu", CC211, "nvidia-smi",
          "the architectures are \"native\", but no GPU was detected",
          {"name the architectures: -DCMAKE_CUDA_ARCHITECTURES=80"}),
    Cause("ir_newer_than_linker", CC215, k_check,
          "nvJitLink[ {tool}] is older than the compiler of the code that it links[ ({made})]",
          {"install nvJitLink of the compiler's CUDA release or a newer one"}),
    Cause("ir_unfit_for_nvvm", CC215, k_check,
          "libNVVM does not read the IR that the program writes: one of them is older than the other",
          {"install the CUDA release that the program supports, or a newer release of the program"}),
    Cause("ir_older_than_nvvm", CC215, k_check,
          "[{program} ]@program[the program ]is older than this CUDA: libNVVM no longer reads the IR that it "
          "writes[ ({ir_made}; it reads {ir_read})]",
          {"install a newer release of[ {program}]@program[ the program]",
           "use the older CUDA release that it supports"}),
    Cause("ir_newer_than_nvvm", CC215, k_check,
          "libNVVM of this CUDA is older than[ {program}]@program[ the program], whose IR it does not read[ "
          "({ir_made}; it reads {ir_read})]",
          {"install a newer CUDA release"}),
    Cause("stub_library", CC408, k_check, "the toolkit's stub of libcuda is loaded in place of the driver's",
          {"remove the folder stubs from LD_LIBRARY_PATH; it is for linking only"}),
};

}  // namespace

const std::vector<Cause>& causes() {
    static const std::vector<Cause> all = [] {
        std::vector<Cause> joined;
        for (const auto& some : {k_of_toolkits, k_of_ptx, causes_of_drivers(), causes_of_libraries(),
                                 causes_of_frameworks(), causes_of_others()})
            append(joined, some);
        return joined;
    }();
    return all;
}

const Cause* find_cause(std::string_view id) {
    for (const Cause& cause : causes())
        if (id == cause.id) return &cause;
    return nullptr;
}

}  // namespace ptxguard
