// Causes in libraries: cuDNN, cuBLAS and the other ones of CUDA, DLLs, and what the loader makes of them.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "rule_codes.hpp"

namespace ptxguard {

std::vector<Cause> causes_of_libraries() {
    constexpr const char* k_deps = "ptxguard deps {needed_by|FILE}";
    return {
        Cause("cudnn_major", CC301, k_check,
              "cuDNN of another major release is installed[: {library} is of cuDNN {library_major}]"
              "[: {cudnn_found} is loaded, {cudnn_built} is needed]",
              {"[python3 -m pip install 'nvidia-cudnn-cu12=={cudnn_wheel}.*' (cu11 or cu13 for that CUDA)]"
               "@cudnn_wheel[install cuDNN of the major that the program was built for]"}),
        Cause(
            "cudnn_older", CC302, k_check,
            "cuDNN[ {cudnn_found}] is older than the one that the framework was built with[ ({cudnn_built})]",
            {"install cuDNN[ {cudnn_built}]@cudnn_built[ of that release] or newer of the same major",
             "remove the older cuDNN from LD_LIBRARY_PATH (Windows: PATH)"}),
        Cause("cudnn_newer", CC302, k_check,
              "this framework runs only with the minor of cuDNN that it was built with[: {cudnn_found} is "
              "loaded, {cudnn_built} is needed]",
              {"install cuDNN[ {cudnn_built}]@cudnn_built[ of that release]",
               "use a newer release of the framework: it accepts newer minors of cuDNN"}),
        Cause("cudnn_mixed", CC303, k_check, "libraries of cuDNN from different releases are loaded together",
              {"remove all copies of cuDNN but one from LD_LIBRARY_PATH (Windows: PATH); compare them with "
               "ptxguard deps"}),
        Cause("cudnn_missing", CC305, k_check, "cuDNN is not found[: {library}]",
              {"[python3 -m pip install 'nvidia-cudnn-cu12=={cudnn_wheel}.*' (cu11 or cu13 for that CUDA)]"
               "@cudnn_wheel[install cuDNN]",
               "if it is there, add the folder of its libraries to LD_LIBRARY_PATH (Windows: PATH)"}),
        Cause("cudnn_for_other_cuda", CC304, k_check, "cuDNN is for another CUDA than the framework",
              {"install the cuDNN of the framework's CUDA, and remove the other one"}),
        Cause("cudnn_lacks_gpu", CC306, "ptxguard check[ --gpu '{gpu}']@gpu[ --gpu NAME]",
              "this cuDNN has no code for this GPU", {"install a cuDNN release that covers the GPU"}),
        Cause("cudnn_failed", CC302, k_check,
              "cuDNN cannot be initialised: it is older than the framework needs, does not fit the driver, "
              "or the GPU's memory is used up",
              {"run nvidia-smi: is memory free? Then install the cuDNN release that the framework names"}),
        Cause("library_missing", CC401, k_deps,
              "[{library} ]@library[a library of CUDA ]is not found[: {needed_by} needs it][: module "
              "{module} needs it][; the build is for CUDA {library_major}]",
              {"install the package that contains[ {library}]@library[ it], or add its folder to "
               "LD_LIBRARY_PATH",
               "[use a build for the CUDA that is there: this one needs CUDA {library_major}]"}),
        Cause("library_of_other_cuda", CC404, k_deps,
              "CUDA of another major release is installed[: {library} is of CUDA {library_major}][, the log "
              "names CUDA {nvcc}]",
              {"install the build for the CUDA release that is there, or the CUDA release that the build "
               "needs"}),
        Cause("library_set_mixed", CC402, k_deps,
              "[{library} ]@library[a library ]is loaded from another release than the library that needs "
              "it[ ({needed_by})][: it lacks {lacking}]",
              {"remove the folder of the other release from LD_LIBRARY_PATH",
               "reinstall the nvidia-* packages of one release"}),
        Cause("library_older_than_build", CC402, k_deps,
              "[{library} ]@library[a library ]is older than the one that [{needed_by} ]@needed_by[a program "
              "]was "
              "built with[: it lacks {symbol}]",
              {"build that file again, with the CUDA release of the libraries that are loaded (PyTorch's: "
               "python -c 'import torch; print(torch.version.cuda)')",
               "install a framework that is built for the CUDA release of that file"}),
        Cause("nccl_of_old_cuda", CC402, k_check,
              "NCCL[ {nccl}] was built with an older CUDA than 11.3, or the driver is older than R465",
              {"install the NCCL of the framework's CUDA release (pip: nvidia-nccl-cu12)",
               "update the driver"}),
        Cause("packages_overwrite", CC402, k_check,
              "[{one} and {other} ]@one[two packages ]contain the same files: the one that was installed "
              "last has overwritten libraries of the other[; {library} lacks {lacking}]",
              {"pip uninstall[ {one} {other}]@one[ both], then install the one that the framework requires"}),
        Cause("library_captured", CC403, k_check,
              "LD_LIBRARY_PATH makes a framework load CUDA libraries of another release than its own[: "
              "{captured}[ for {captured_by}]]",
              {"unset LD_LIBRARY_PATH and try again"}),
        Cause("nvrtc_builtins_missing", CC405, k_check,
              "NVRTC cannot open [{library}]@library[its builtins library], which must be of exactly its "
              "release",
              {"add the folder of that file to LD_LIBRARY_PATH (Windows: PATH)",
               "reinstall NVRTC with its builtins"}),
        Cause(
            "symbol_version_missing", CC406, k_deps,
            "[{library} ]@library[libstdc++.so.6 ]is too old[: {symbol} is missing][; {needed_by} needs it]",
            {"use a newer libstdc++: conda install -c conda-forge libstdcxx-ng, or the system's through "
             "LD_PRELOAD",
             "compile with the environment's own compiler"}),
        Cause("container_glibc_too_old", CC406, k_deps,
              "the container's glibc is older than the host's libraries that --nv binds into it[: {symbol} "
              "is missing][; {needed_by} needs it]",
              {"use a container with a newer base system", "leave these libraries out of nvliblist.conf"}),
        Cause("jetson_mounts", CC401, "ls /etc/nvidia-container-runtime/host-files-for-container.d",
              "[{library} ]@library[a library of CUDA ]is not found: containers of JetPack 4 (L4T R32) get "
              "CUDA from the host",
              {"install CUDA and nvidia-container-csv-cuda of JetPack on the Jetson itself, and run with "
               "--runtime nvidia"}),
        Cause("glibc_too_old", CC406, k_deps,
              "this system's glibc is too old[: {symbol} is missing][; {needed_by} needs it]",
              {"use a build for an older system, or a newer system"}),
        Cause("undefined_symbol", CC406, k_deps,
              "a library lacks a symbol that another needs[: {symbol}][ ({needed_by})]",
              {"reinstall both from one release"}),
        Cause("cublas_failed", CC407, k_check,
              "cuBLAS failed; the log does not say why: no free GPU memory, a cuBLAS without code for the "
              "GPU, or libraries of different releases",
              {"run nvidia-smi while it fails: is memory free?",
               "run ptxguard check: it compares cuBLAS with the GPU, the driver and cuBLASLt"}),
        Cause("headers_newer", CC307, k_check_build,
              "the headers are newer than the library that is linked[: {symbol} is not in it]",
              {"link the library of the headers' release"}),
        Cause("dll_missing", CC501, "ptxguard deps {deps_of|PROGRAM.exe}",
              "[{library} ]@library[[{needed_by}, or a DLL that it needs, ]@needed_by[a DLL, or one that it "
              "needs, ]]is not found[: module {module} needs it]",
              {"install the package that contains it, and add its folder to PATH",
               "if it is one of Microsoft's runtime (ptxguard deps names it): winget install "
               "Microsoft.VCRedist.2015+.x64"}),
        Cause(
            "cudnn_zlib_missing", CC501, "ptxguard deps PROGRAM.exe",
            "zlibwapi.dll is not found: cuDNN 8 needs it, and does not contain it",
            {"put zlibwapi.dll (zlib 1.2.3 for 64 bit, named in NVIDIA's cuDNN guide) into a folder on PATH",
             "install a build of the framework for cuDNN 9, which needs no zlib on Windows"}),
        Cause(
            "cudnn_dll_or_zlib", CC501, "ptxguard deps {library|FILE.dll}",
            "[{library}, or a DLL that it needs, ]@library[a DLL of cuDNN, or one that it needs, ]is not "
            "found: cuDNN 8 needs zlibwapi.dll, and its own folder on PATH",
            {"put zlibwapi.dll (zlib 1.2.3 for 64 bit, named in NVIDIA's cuDNN guide) into a folder on PATH",
             "add the bin folder of cuDNN to PATH"}),
        Cause("dll_of_other_cuda", CC502, "ptxguard check",
              "[{library} is of CUDA {library_cuda}; ]another CUDA release is installed",
              {"install CUDA[ {library_cuda}]@library_cuda[ of the release in the DLL's name], or a build "
               "for the CUDA that is there"}),
        Cause("dll_shadowed", CC503, "ptxguard deps {needed_by|FILE.dll}",
              "a DLL of another release is loaded first[: {library} lacks a function]",
              {"remove the other copy from PATH, or reinstall the package"}),
        Cause("dll_wrong_machine", CC504, "ptxguard deps {needed_by|FILE.dll}",
              "[{library} ]@library[a DLL ]is for another processor (32 and 64 bit mixed), or damaged",
              {"install the 64 bit file"}),
        Cause("dll_folder_not_searched", CC505, k_check,
              "the DLL may be there, but its folder is not searched: Python 3.8 and newer do not use PATH "
              "for it",
              {"os.add_dll_directory(r'...\\bin') before the import"}),
    };
}

}  // namespace ptxguard
