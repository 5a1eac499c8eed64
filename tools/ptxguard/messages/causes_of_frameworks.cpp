// Causes in packages and frameworks, and faults that no toolchain causes.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "rule_codes.hpp"

namespace ptxguard {
std::vector<Cause> causes_of_frameworks() {
    constexpr const char* k_smi_gpu = "nvidia-smi --query-gpu=name,compute_cap --format=csv";
    return {
        Cause("toolkit_major_mismatch", CC601, k_check_build,
              "[the build uses CUDA {toolkit}]@toolkit[the build uses another CUDA], but [{framework} "
              "]@framework[the framework ]was compiled with[ CUDA {built}]@built[ a different release]",
              {"install[ CUDA {built}]@built[ the CUDA release of the framework] and set CUDA_HOME to it",
               "install a build of the framework for[ CUDA {toolkit}]@toolkit[ the toolkit's CUDA release]"}),
        Cause("toolkit_minor_mismatch", CC602, k_check_build,
              "[the build uses CUDA {toolkit}]@toolkit[the build uses another CUDA], [{framework} "
              "]@framework[the framework ]was compiled with[ CUDA {built}]@built[ a different release]: the "
              "same major, which usually works",
              {"switch the check off in the package's setup.py, or install[ CUDA {built}]@built[ the "
               "framework's CUDA release]"}),
        Cause("written_for_other_tensorrt", CC612,
              "python3 -c \"import tensorrt; print(tensorrt.__version__)\"",
              "the program is written for another major of TensorRT than the installed one, which no longer "
              "has what it uses",
              {"install the TensorRT that the program names (pip install 'tensorrt<9' or 'tensorrt<10')",
               "use a newer release of the program"}),
        Cause("source_for_other_torch", CC619, k_check_build,
              "the source is written for an older PyTorch than the installed one, whose headers no longer "
              "have [{symbol}]@symbol[what it uses]",
              {"use a newer release of the project (AT_CHECK is TORCH_CHECK now; THC is gone from PyTorch "
               "1.11)",
               "install the PyTorch that the project names"}),
        Cause("source_unfit_for_torch", CC619, k_check_build,
              "the source is written for another PyTorch than the installed one, whose headers do not have "
              "[{symbol}]@symbol[what it uses]",
              {"use a release of the project for the installed PyTorch",
               "install the PyTorch that the project names"}),
        Cause("toolkit_release_old", CC601, k_check_build,
              "the CUDA toolkit[ {toolkit}] is too old[: CUDA {need} or newer is required]",
              {"install[ CUDA {need}]@need[ a newer CUDA] or newer, and set CUDA_HOME to it"}),
        Cause("cmake_too_old", CC624, "cmake --version",
              "CMake is too old for this build[: C++{standard} of CUDA came with CMake {need_cmake}]",
              {"python3 -m pip install[ 'cmake>={need_cmake}']@need_cmake[ --upgrade cmake]"}),
        Cause("nvcc_lacks_standard", CC624, "nvcc --version",
              "nvcc[ {cmake_nvcc}] does not have C++{standard|NN}[, which is new in CUDA {need}]",
              {"use[ CUDA {need}]@need[ a newer CUDA] or newer",
               "request an older standard: CMAKE_CUDA_STANDARD, -std"}),
        Cause("source_for_other_release", CC601, k_check_build,
              "the source is written for another release of[ {of_library}]@of_library[ CUDA] than the one "
              "that is installed[: {symbol} is not in its headers][: {changed} has other parameters there]",
              {"install the release that the project names, or use a release of the project for the "
               "installed one"}),
        Cause("package_older_than_toolkit", CC601, k_check_build,
              "the package does not know this CUDA toolkit yet[: CUDA {found_cuda}]",
              {"use a newer release of the package, or an older CUDA toolkit"}),
        Cause("framework_build_missing", CC603, "ptxguard lint",
              "the requested build was never released[: {requirement}]",
              {"request a build that exists: ptxguard plan --framework {package|torch}"}),
        Cause("no_build_for_platform", CC613, "ptxguard plan --framework {package|torch}",
              "there is no build for this Python, system or processor[: {requirement}]",
              {"use a Python version for which it is built"}),
        Cause("index_without_effect", CC614, "ptxguard lint",
              "the searched package index does not have this build[: {requirement}]",
              {"pip install [{requirement}]@requirement[PACKAGE] --index-url "
               "https://download.pytorch.org/whl/cuXXX"}),
        Cause("only_torch_index", CC614, "ptxguard lint",
              "only PyTorch's package index is searched, and it does not have [{requirement}]@requirement[a "
              "package]",
              {"name it beside PyPI: --extra-index-url in place of --index-url (uv: an index with explicit = "
               "true)",
               "install[ {requirement}]@requirement[ the package] from PyPI first"}),
        Cause("torch_index_for_all", CC614, "ptxguard lint",
              "[{requirement} ]@requirement[a package ]is taken from PyTorch's package index, which has no "
              "build of it for this platform",
              {"make that index explicit (explicit = true), and name it for torch alone under "
               "tool.uv.sources"}),
        Cause("framework_cpu_only", CC604, k_check,
              "the installed [{framework}]@framework[framework] is a build without CUDA",
              {"install a CUDA build: ptxguard plan --framework {package|torch}"}),
        Cause("tensorflow_of_windows", CC604, k_check,
              "TensorFlow from 2.11 on has no build with CUDA for Windows[: {framework} is installed]",
              {"use WSL 2: pip install 'tensorflow[[and-cuda]]' there",
               "pip install \"tensorflow<2.11\" (CUDA 11.2, cuDNN 8.1)"}),
        Cause("program_without_cuda", CC604, k_check, "the program or library is a build without CUDA",
              {"install a build with CUDA, or compile it with its option for CUDA (OpenCV: -DWITH_CUDA=ON; "
               "the wheels of OpenCV on PyPI have none)"}),
        Cause("triton_lacks_gpu", CC607, k_check,
              "Triton, the compiler of torch.compile, does not support this GPU[ ({gpu})]: it is too old",
              {"switch torch.compile off: export TORCHDYNAMO_DISABLE=1, or the program's own option"}),
        Cause("cuda_unavailable", CC604, k_check,
              "the framework does not see CUDA: it is a CPU build, or the driver is missing or too old",
              {"ptxguard check names which; then install a CUDA build, or the driver"}),
        Cause("nccl_absent", CC604, "python3 -c \"import torch; print(torch.__version__)\"",
              "this build of PyTorch contains no NCCL: builds for Windows and for the CPU have none",
              {"use the backend gloo on Windows", "install a CUDA build: ptxguard plan --framework torch"}),
        Cause("torch_cuda_not_linked", CC604, k_check,
              "PyTorch's CUDA library is not loaded: the program was linked without it, or this is a build "
              "without CUDA",
              {"link it although no symbol names it: -Wl,--no-as-needed -ltorch_cuda (Windows: "
               "/INCLUDE:\"?warp_size@cuda@at@@YAHXZ\")",
               "install a CUDA build: ptxguard plan --framework torch"}),
        Cause("gpu_too_old_for_program", CC607, k_smi_gpu,
              "the program, or a part of it, does not support this GPU[ ({gpu})]: it is too old for it",
              {"switch that part off (vLLM: VLLM_ATTENTION_BACKEND, transformers: "
               "attn_implementation=\"sdpa\")",
               "use a release that supports the GPU, or a newer GPU"}),
        Cause("cxx_abi", CC605, "ptxguard check[ --module {needed_by}]",
              "the parts were compiled with different C++ string ABIs (_GLIBCXX_USE_CXX11_ABI)[: {symbol}]",
              {"install or compile the extension for the ABI of the installed framework"}),
        Cause("cxx_standard", CC606, k_check_build,
              "the C++ standard is too low for[ {header}]@header[ the headers][: C++{standard} is needed]",
              {"set CMAKE_CXX_STANDARD and CMAKE_CUDA_STANDARD to {standard|17}"}),
        Cause("extension_for_other_release", CC619, "ptxguard check[ --module {needed_by}]",
              "an extension was compiled for another release of the framework[: {symbol} is not in this "
              "one][ ({needed_by})]",
              {"reinstall or compile the extension for the installed release: pip install --no-cache-dir "
               "--force-reinstall --no-build-isolation ..."}),
        Cause(
            "companions", CC612, k_check,
            "packages that must fit each other are from different releases[: {one} and {other}][: {package}]",
            {"install them together, from one index"}),
        Cause("built_for_other_torch", CC612, k_check,
              "[{extension} ]@extension[an extension ]was built for[ PyTorch {built_for}]@built_for[ another "
              "PyTorch][, but PyTorch {torch_here} is installed]",
              {"install the build of it for the installed PyTorch, or both together from one index"}),
        Cause("package_older_than_driver", CC612, k_check,
              "the package does not know the CUDA release of this driver yet[: CUDA {driver_cuda}]",
              {"update the package, or use an older driver"}),
        Cause("plan_of_other_tensorrt", CC612, "python3 -c \"import tensorrt; print(tensorrt.__version__)\"",
              "the TensorRT engine (plan file) was built with another release of TensorRT than the one that "
              "loads it[: built with {plan_built}][, loaded with {plan_here}]",
              {"build the engine again with the TensorRT that loads it",
               "load it with the TensorRT that built it"}),
        Cause("plan_of_other_platform", CC612, "python3 -c \"import tensorrt; print(tensorrt.__version__)\"",
              "the TensorRT engine (plan file) was built on another platform: an engine runs on the system "
              "and processor that built it",
              {"build the engine again on this machine"}),
        Cause("plan_of_other_gpu", CC204, k_smi_gpu,
              "the TensorRT engine (plan file) was built for another GPU[: for compute capability "
              "{plan_arch}][, this GPU has {arch_here}]",
              {"build the engine again on this GPU",
               "build it with hardware compatibility (TensorRT 8.6 and newer, Ampere and newer)"}),
        Cause("apt_conflict", CC612, "apt list --installed '*nvidia*' '*cuda*'",
              "packages of NVIDIA's repository and of the distribution, or of two releases, exclude each "
              "other[: {package} needs {requirement}]",
              {"keep one source for the driver and one for CUDA, remove the other's packages, then sudo "
               "apt-get install again"}),
        Cause("build_isolation", CC622, "pip install --no-build-isolation PACKAGE",
              "the package was built in an isolated environment, with another framework than the installed "
              "one or without it",
              {"pip install --no-build-isolation, after the framework is installed"}),
        Cause("requirement_unreadable", CC615, "ptxguard lint",
              "a requirement cannot be read[: {requirement}]"),
        Cause("toolkit_release_missing", CC620, "ptxguard lint",
              "the package source does not have this CUDA package[: {requirement}]",
              {"add NVIDIA's package source, or name a release that exists"}),
        Cause("image_platform", CC616, "docker manifest inspect IMAGE",
              "the image has no build for this processor or system[: {platform}]",
              {"use an image of NVIDIA's for this processor (Jetson: nvcr.io/nvidia/l4t-...; servers with "
               "ARM: the arm64 tags)"}),
        Cause("image_tag_missing", CC616, "ptxguard lint", "the image does not exist under this tag",
              {"name an existing tag"}),
        Cause("framework_without_cuda_package", CC604, k_check,
              "the CUDA part of the framework is not installed[: {package}]",
              {"install it with its CUDA packages, for example jax[[cuda12]]"}),
        Cause("extension_absent", CC618, k_check_build,
              "a package was installed without the CUDA code that it compiles[: {module} is missing]",
              {"compile it again, with nvcc: pip install -v --no-build-isolation PACKAGE (apex: "
               "--config-settings \"--build-option=--cpp_ext\" --config-settings "
               "\"--build-option=--cuda_ext\")"}),
        Cause("cuda_dropped", CC618, k_check_build, "the build found no CUDA and goes on without it"),
    };
}

std::vector<Cause> causes_of_others() {
    return {
        Cause("tensors_unfit",
              "an operation of the program gets tensors that do not fit: on different devices, of different "
              "shapes or number types"),
        Cause("values_unfit", "the program's numbers are not finite (nan, inf)"),
        Cause("ptxas_never_called",
              "this TensorFlow never calls ptxas on Windows: the driver compiles its code instead, and the "
              "program goes on"),
        Cause("model_unfit", "the file with the model's weights does not fit the program's model"),
        Cause("number_format",
              "the device does not support the program's number format (half, bfloat16, int8, fp8): the GPU "
              "is too old for it, or the CPU is used; choose another format, such as float32"),
        Cause("config_unreadable", "a configuration file cannot be read: it is no valid JSON or YAML"),
        Cause("command_refused", "a command refuses its options, or they exclude each other"),
        Cause("file_damaged",
              "a file is damaged, incomplete or not what its name says (a pointer of Git LFS): download it "
              "again"),
        Cause("file_is_page", "a downloaded file is a web page ('<' is its first letter): download it again"),
        Cause("file_absent", "a file or folder that the program names does not exist[: {path}]"),
        Cause("access_refused",
              "a model or file is not accessible: log in, accept its terms, or correct its name (Hugging "
              "Face: huggingface-cli login)"),
        Cause("port_in_use", "a network port is in use: by another run, or by one that has not ended"),
        Cause(
            "worker_died",
            "a worker process ended unexpectedly: out of memory is usual, and the first error above says it"),
        Cause("numpy_abi",
              "a module was compiled for another NumPy than the installed one: install numpy<2, or newer "
              "builds of the module"),
        Cause("release_absent",
              "the package index has no release of a package for this Python or system, or its name is "
              "another[: {requirement}]"),
        Cause("python_packages",
              "Python packages do not fit each other: one is written for another release of the other[: "
              "{symbol} is not in {module}]"),
        Cause("sources_absent",
              "sources are missing: the folder is another one, or git submodules were not fetched (git "
              "submodule update --init --recursive)"),
        Cause("cmake_package",
              "CMake finds no package[ {package}]: it is not installed, or not under CMAKE_PREFIX_PATH"),
        Cause(
            "cmake_too_new",
            "the project is too old for this CMake: pass -DCMAKE_POLICY_VERSION_MINIMUM=3.5, or use CMake 3"),
        Cause("command_wrong",
              "the build passes nvcc a command that it cannot read[: {option}] (a path with blanks, or an "
              "option of the host compiler without -Xcompiler)"),
        Cause("msvc_runtime",
              "a DLL is found but does not start[: {needed_by}]: install the newest Microsoft Visual C++ "
              "Redistributable"),
        Cause("encoder_sessions",
              "the encoder takes no further session: the GPU or its driver allows only some at a time, or "
              "its memory is used up"),
        Cause("julia_packages", "Julia's packages do not fit each other[: {package}]"),
        Cause("tensorrt_model",
              "TensorRT cannot build this model: an operation or a shape of it is not supported"),
        Cause("static_tls",
              "a library is loaded too late for its static thread memory: import it first, or name it in "
              "LD_PRELOAD[: {library}]"),
        Cause("cpu_instruction",
              "the processor lacks an instruction that the program was compiled with (AVX; Jetson: set "
              "OPENBLAS_CORETYPE=ARMV8)"),
        Cause("openmp_twice",
              "two copies of the OpenMP library are loaded: install the packages from one source (a "
              "workaround is KMP_DUPLICATE_LIB_OK=TRUE)"),
        Cause(
            "gpu_left_out",
            "TensorFlow leaves out a GPU that is smaller than the others (TF_MIN_GPU_MULTIPROCESSOR_COUNT)"),
        Cause("gpu_memory", "the GPU's memory is used up: by this program or by another process"),
        Cause("host_memory", "the machine's memory is used up: the compiler or the program was killed"),
        Cause("shared_memory",
              "the shared memory /dev/shm is full, too small, or may not be written (containers: "
              "--shm-size=8g or --ipc=host)"),
        Cause("disk_full", "the disk is full"),
        Cause("program_bug",
              "a kernel of the program accesses memory that is not its own, or fails an assertion"),
        Cause("launch_failed", "a kernel of the program failed while it ran"),
        Cause("api_misuse", "the program calls CUDA with values that do not fit"),
        Cause("gpu_number_absent",
              "the program asks for a GPU number that is not there: it starts more processes, or names a "
              "higher number, than GPUs are visible"),
        Cause("hardware", "the GPU or its connection reports a hardware error"),
        Cause("gpu_busy", "the GPU is used by another process, or in exclusive mode"),
        Cause("mps", "the MPS daemon cannot be reached, or has no room for another client"),
        Cause("compile_error", "the source does not compile: an error in the program's own code"),
        Cause("compiler_crashed", "the compiler crashed"),
        Cause("host_compiler_broken",
              "a compiler of the host cannot compile CMake's test program: its own message is below it[ "
              "({tool})]"),
        Cause("missing_header", "a header of the project or of another package is missing[: {path}]"),
        Cause(
            "missing_python_header",
            "Python's headers are missing (Python.h): install python3-dev (or python3-devel) of this Python"),
        Cause("include_absent",
              "the source lacks an include of the standard library (<cstdint>), which newer compilers no "
              "longer bring by themselves[: {symbol}]"),
        Cause("missing_module", "a Python package is missing[: {module}]"),
        Cause("python_mismatch", "the module was built for another Python[: {symbol} is not in this one]"),
        Cause("missing_library", "a library that is not from NVIDIA is missing[: {library}]"),
        Cause("missing_dll",
              "a DLL that the module needs is missing, or the module is for another Python[: {module}]"),
        Cause("foreign_dll",
              "a DLL that is neither NVIDIA's nor a framework's cannot be loaded: it, or one that it needs, "
              "is missing or for another processor[: {needed_by}]"),
        Cause("missing_tool", "a program that the build needs is missing, or not on PATH[: {tool}]"),
        Cause("temporary_path",
              "NVRTC cannot open its own temporary file: its path has letters that NVRTC cannot read (set "
              "TEMP and TMP to a folder with plain letters)"),
        Cause("missing_plugin",
              "a TensorRT plugin is not registered: the library that contains it is not loaded"),
        Cause("plan_damaged", "the file is no TensorRT engine, or it is damaged: it names no release"),
        Cause("package_key",
              "the package source's signing key is missing, expired or was replaced[: {key}] (NVIDIA's: "
              "install cuda-keyring)"),
        Cause(
            "package_source",
            "the package source or its mirror is damaged, or was changed while it was read: try again later"),
        Cause("network", "the network or a server failed"),
        Cause("permissions", "a file may not be read or written"),
        Cause("nccl_network",
              "NCCL's connection between processes failed; set NCCL_DEBUG=INFO for the reason"),
        Cause("nccl_timeout",
              "a collective operation took longer than its timeout: another rank is busy, failed or does not "
              "take part; raise the timeout, or look at the log of the other ranks"),
        Cause("nccl_failed",
              "NCCL failed, and the log does not say why: set NCCL_DEBUG=WARN (shared memory, network and "
              "GPU memory are usual)"),
        Cause("slow_filesystem", "a file was not read completely"),
    };
}

}  // namespace ptxguard
