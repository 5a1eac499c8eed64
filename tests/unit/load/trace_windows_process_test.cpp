// What is in the process: the first DLL of a name, delay-loaded ones, parts that libraries open later, bad
// files.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "windows_trees.hpp"

namespace ptxguard {

TEST_CASE("the first DLL of a name serves the whole process") {
    FakeHost host = windows();
    host.env("PATH", "C:/cuda/bin");
    host.file("C:/app/x.exe", TinyPe{}.program().needs(k_cublas).needs("a.dll").bytes());
    host.file("C:/app/a.dll", needing("CUBLAS64_12.dll"))
        .file("C:/cuda/bin/cublas64_12.dll", needing("cublasLt64_12.dll"));
    host.file("C:/cuda/bin/cublasLt64_12.dll", needing(k_cublas));
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(result.libraries.size() == 3);
    CHECK(library(result, k_cublas).needed_by == "C:/app/x.exe");
    CHECK(library(result, "cublasLt64_12.dll").needed_by == "C:/cuda/bin/cublas64_12.dll");
}

TEST_CASE("delay-loaded DLLs are searched for by bare name, and are optional") {
    FakeHost host = python("311", "KERNEL32.dll");
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/nvrtc64_120_0.dll", dll());
    host.file(k_module, TinyPe{}.delays("nvrtc64_120_0.dll").delays("cufft64_11.dll").bytes());
    const LoadTrace result = trace(host, k_module);
    CHECK(taken(result, "nvrtc64_120_0.dll") == "C:/cuda/bin/nvrtc64_120_0.dll by PATH");
    CHECK(library(result, "nvrtc64_120_0.dll").how == LoadHow::delay_load);
    CHECK(taken(result, "cufft64_11.dll") == "none");
    CHECK(library(result, "cufft64_11.dll").optional);
}

TEST_CASE("cuDNN opens its parts from its own folder first, and what they need is required") {
    FakeHost host = windows();
    host.env("PATH", "C:/other;C:/cudnn")
        .file("C:/app/x.exe", TinyPe{}.program().needs("cudnn64_9.dll").bytes());
    host.file("C:/cudnn/cudnn64_9.dll", dll()).file("C:/cudnn/cudnn_graph64_9.dll", dll());
    host.file("C:/other/cudnn_graph64_9.dll", dll()).file("C:/other/cudnn_ops64_9.dll", dll());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, "cudnn_graph64_9.dll") == "C:/cudnn/cudnn_graph64_9.dll by folder of cudnn64_9.dll");
    CHECK(taken(result, "cudnn_ops64_9.dll") == "C:/other/cudnn_ops64_9.dll by PATH");
    CHECK(taken(result, "cudnn_cnn64_9.dll") == "none");
    CHECK_FALSE(library(result, "cudnn_cnn64_9.dll").optional);
    CHECK(library(result, "cudnn_heuristic64_9.dll").optional);
    LoadOptions options;
    options.opened_later = false;
    CHECK_FALSE(lists(trace(host, "C:/app/x.exe", options), "cudnn_cnn64_9.dll"));
}

TEST_CASE(
    "TensorFlow opens the names of its header through LoadLibrary: PATH counts, the host's folder comes "
    "first") {
    const std::string site = "C:/Python/Lib/site-packages/";
    const std::string internal = site + "tensorflow/python/_pywrap_tensorflow_internal.pyd";
    FakeHost host = python("38", "KERNEL32.dll");
    host.file(internal, needing("python38.dll")).env("PATH", "C:/cuda/bin");
    host.file(site + "tensorflow/include/external/local_config_cuda/cuda/cuda/cuda_config.h",
              "#define TF_CUBLAS_VERSION \"64_11\"\n#define TF_CUDNN_VERSION \"64_8\"\n");
    host.file("C:/cuda/bin/cublas64_12.dll", dll()).file("C:/cuda/bin/cudnn64_8.dll", dll());
    LoadTrace result = trace(host, internal);
    CHECK(taken(result, "cudnn64_8.dll") == "C:/cuda/bin/cudnn64_8.dll by PATH");
    CHECK(losers(result, "cublas64_11.dll") == "C:/cuda/bin/cublas64_12.dll PATH other-name; ");
    CHECK(library(result, "cublasLt64_11.dll").how == LoadHow::dlopen);
    CHECK(lists(result, "nvcuda.dll"));

    host.file("C:/net/cudnn64_8.dll", dll());
    LoadOptions options;
    options.host_folder = "C:\\net";
    CHECK(taken(trace(host, internal, options), "cudnn64_8.dll") ==
          "C:/net/cudnn64_8.dll by application folder");
}

TEST_CASE("for Python from the Microsoft Store Windows searches System32, but not PATH") {
    const std::string header = "#define TF_CUDNN_VERSION \"64_8\"\n";
    for (const std::string& prefix :
         {std::string(
              "C:/Program "
              "Files/WindowsApps/PythonSoftwareFoundation.Python.3.8_3.8.2800.0_x64__qbz5n2kfra8p0/Lib"),
          std::string("C:/Users/a/AppData/Local/Packages/PythonSoftwareFoundation.Python.3.8_qbz5n2kfra8p0/"
                      "LocalCache/"
                      "local-packages/Python38")}) {
        const std::string tensorflow = prefix + "/site-packages/tensorflow/";
        const std::string internal = tensorflow + "python/_pywrap_tensorflow_internal.pyd";
        FakeHost host = windows();
        host.file(internal, needing("python38.dll")).env("PATH", "C:/cuda/bin");
        host.file(prefix + "/site-packages/tensorflow-2.10.0.dist-info/METADATA", "Name: tensorflow\n");
        host.file(tensorflow + "include/external/local_config_cuda/cuda/cuda/cuda_config.h", header);
        host.file("C:/cuda/bin/cudnn64_8.dll", dll());
        const LoadTrace result = trace(host, internal);
        CHECK(taken(result, "cudnn64_8.dll") == "none");
        CHECK(losers(result, "cudnn64_8.dll") == "C:/cuda/bin/cudnn64_8.dll PATH not-searched; ");
        REQUIRE(library(result, "cudnn64_8.dll").losers.size() == 1);
        CHECK(library(result, "cudnn64_8.dll").losers.front().why ==
              "Python of the Microsoft Store is a packaged app, for which Windows does not look in PATH");
        host.file("C:/Windows/System32/cudnn64_8.dll", dll());
        CHECK(taken(trace(host, internal), "cudnn64_8.dll") ==
              "C:/Windows/System32/cudnn64_8.dll by System32");
    }
}

TEST_CASE(
    "ONNX Runtime's providers are plugins: those next to it count, TensorRT's dependencies are optional") {
    const std::string capi = "C:/Python/Lib/site-packages/onnxruntime/capi/";
    FakeHost host = python("311", "KERNEL32.dll");
    host.env("PATH", "C:/cuda/bin").file(capi + "onnxruntime_pybind11_state.pyd", needing("python311.dll"));
    CHECK_FALSE(
        lists(trace(host, capi + "onnxruntime_pybind11_state.pyd"), "onnxruntime_providers_cuda.dll"));
    host.file(capi + "onnxruntime_providers_cuda.dll", needing(k_cublas))
        .file("C:/cuda/bin/cublas64_12.dll", dll());
    host.file(capi + "onnxruntime_providers_tensorrt.dll", needing("nvinfer_10.dll"));
    const LoadTrace result = trace(host, capi + "onnxruntime_pybind11_state.pyd");
    CHECK(taken(result, k_cublas) == "C:/cuda/bin/cublas64_12.dll by PATH");
    CHECK(library(result, "nvinfer_10.dll").optional);
    // Loaded by its path: PATH is used for the provider itself, too.
    CHECK(taken(trace(host, capi + "onnxruntime_providers_cuda.dll"), k_cublas) ==
          "C:/cuda/bin/cublas64_12.dll by PATH");
}

TEST_CASE("names in the text of a file are marked as such") {
    FakeHost host = windows();
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cudnn64_9.dll", dll());
    host.file("C:/app/x.exe",
              TinyPe{}.program().text("see").text("cudnn64_9.dll").text("nothing.dll").bytes());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(library(result, "cudnn64_9.dll").how == LoadHow::text);
    CHECK(library(result, "cudnn64_9.dll").optional);
    CHECK_FALSE(lists(result, "nothing.dll"));
    const std::string wide = std::string("\0c\0u\0f\0f\0t\0006\0004\0_\0001\0001\0.\0d\0l\0l\0", 29);
    host.file("C:/app/x.exe", TinyPe{}.program().text(wide).bytes());
    CHECK(lists(trace(host, "C:/app/x.exe"), "cufft64_11.dll"));
}

TEST_CASE("a program that adds folders to the search is named, as the file itself and as the host") {
    FakeHost host = python("311", k_cublas);
    const std::string remark =
        "x.exe calls AddDllDirectory: DLLs that are opened later are searched in folders that it adds, too";
    host.file("C:/app/x.exe", TinyPe{}.program().calls("AddDllDirectory").bytes());
    host.file("C:/app/y.exe", TinyPe{}.program().calls("CreateFileW").bytes());
    REQUIRE(trace(host, "C:/app/x.exe").remarks.size() == 1);
    CHECK(trace(host, "C:/app/x.exe").remarks.front() == remark);
    CHECK(trace(host, "C:/app/y.exe").remarks.empty());
    LoadOptions options;
    options.host_folder = "C:/app/x.exe";
    CHECK(trace(host, k_module, options).remarks.front() == remark);
}

namespace {

const std::string k_manager = "SYSTEM\\CurrentControlSet\\Control\\Session Manager";

// The same DLL in the current folder and in System32.
FakeHost with_two_copies() {
    FakeHost host = windows();
    host.env("CD", "C:/data");
    host.file("C:/app/x.exe", TinyPe{}.program().needs("zlibwapi.dll").bytes());
    host.file("C:/data/zlibwapi.dll", dll()).file("C:/Windows/System32/zlibwapi.dll", dll());
    return host;
}

}  // namespace

TEST_CASE("SafeDllSearchMode 0 puts the current folder before System32") {
    FakeHost host = with_two_copies();
    CHECK(taken(trace(host, "C:/app/x.exe"), "zlibwapi.dll") ==
          "C:/Windows/System32/zlibwapi.dll by System32");
    host.registry_value(k_manager, "SafeDllSearchMode", "1");
    CHECK(taken(trace(host, "C:/app/x.exe"), "zlibwapi.dll") ==
          "C:/Windows/System32/zlibwapi.dll by System32");
    CHECK(trace(host, "C:/app/x.exe").remarks.empty());
    host.registry_value(k_manager, "SafeDllSearchMode", "0");
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, "zlibwapi.dll") == "C:/data/zlibwapi.dll by current folder");
    REQUIRE(result.remarks.size() == 1);
    CHECK(result.remarks.front() ==
          "SafeDllSearchMode is 0 in the registry: the current folder is searched before System32");
    host.file("C:/app/zlibwapi.dll", dll());  // the application's folder stays first
    CHECK(taken(trace(host, "C:/app/x.exe"), "zlibwapi.dll") == "C:/app/zlibwapi.dll by application folder");
}

TEST_CASE("a DLL that the registry lists in KnownDLLs comes from System32, unless it is not there") {
    FakeHost host = windows();
    host.file("C:/app/x.exe", TinyPe{}.program().needs(k_cublas).bytes());
    host.file("C:/app/cublas64_12.dll", dll()).file("C:/Windows/System32/other.dll", dll());
    host.registry_value(k_manager + "\\KnownDLLs", "cublas", "CUBLAS64_12.dll");
    CHECK(taken(trace(host, "C:/app/x.exe"), k_cublas) == "C:/app/cublas64_12.dll by application folder");
    host.file("C:/Windows/System32/cublas64_12.dll", dll());
    CHECK(taken(trace(host, "C:/app/x.exe"), k_cublas) == "C:/Windows/System32/cublas64_12.dll by known DLL");
    host.registry_value(k_manager, "ExcludeFromKnownDlls", "other.dll\ncublas64_12.dll\n");
    CHECK(taken(trace(host, "C:/app/x.exe"), k_cublas) == "C:/app/cublas64_12.dll by application folder");
}

TEST_CASE("a tree's registry that is not read is named") {
    FakeHost host = windows();
    host.file("C:/app/x.exe", TinyPe{}.program().needs(k_cublas).bytes());
    CHECK(trace(host, "C:/app/x.exe").remarks.empty());
    host.file("C:/Windows/System32/config/SYSTEM", "regf");
    REQUIRE(trace(host, "C:/app/x.exe").remarks.size() == 1);
    CHECK(trace(host, "C:/app/x.exe").remarks.front() ==
          "the registry in C:/Windows/System32/config was not read: SafeDllSearchMode and KnownDLLs are "
          "assumed to have their defaults");
    host.registry_value(k_manager, "SafeDllSearchMode", "1");
    CHECK(trace(host, "C:/app/x.exe").remarks.empty());
}

TEST_CASE("a side-by-side assembly is named and its store is searched") {
    FakeHost host = windows();
    const std::string manifest =
        "<assembly><dependency><dependentAssembly><assemblyIdentity type=\"win32\" "
        "name=\"Microsoft.VC90.CRT\" "
        "version=\"9.0.21022.8\"/></dependentAssembly></dependency></assembly>";
    host.file("C:/app/x.exe", TinyPe{}.program().needs("MSVCR90.dll").manifest(manifest).bytes());
    LoadTrace result = trace(host, "C:/app/x.exe");
    REQUIRE(result.remarks.size() == 1);
    CHECK(result.remarks.front() == "x.exe names the side-by-side assembly Microsoft.VC90.CRT");
    CHECK(library(result, "MSVCR90.dll").undecided);
    const std::string store =
        "C:/Windows/WinSxS/amd64_microsoft.vc90.crt_1fc8b3b9a1e18e3b_9.0.30729.6161_none/";
    host.file(store + "msvcr90.dll", dll());
    result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, "MSVCR90.dll") == store + "msvcr90.dll by side-by-side assembly");
    host.file("C:/app/x.exe", TinyPe{}.program().needs("MSVCR90.dll").bytes());
    CHECK(taken(trace(host, "C:/app/x.exe"), "MSVCR90.dll") == "none");
}

TEST_CASE("without --all the list has NVIDIA's libraries and whatever is missing") {
    FakeHost host = windows();
    host.env("PATH", "C:/cuda");
    host.file("C:/app/x.exe",
              TinyPe{}.program().needs(k_cublas).needs("a.dll").needs("MSVCP140.dll").bytes());
    host.file("C:/app/a.dll", dll()).file("C:/cuda/cublas64_12.dll", dll());
    Scenario scenario;
    trace_loading(host, facts(), {"C:/app/x.exe"}, {}, scenario);
    REQUIRE(scenario.traces.size() == 1);
    CHECK(scenario.traces[0].libraries.size() == 2);
    CHECK(lists(scenario.traces[0], "MSVCP140.dll"));
    LoadOptions options;
    options.all_libraries = true;
    trace_loading(host, facts(), {"C:/app/x.exe"}, options, scenario);
    CHECK(scenario.traces[1].all.size() == 3);
    // What is only shown is not judged.
    CHECK(scenario.traces[1].libraries.size() == 2);
}

TEST_CASE("bad input: not a PE file, a folder, circles, a file that needs itself") {
    FakeHost host = windows();
    host.file("C:/app/x.dll", "MZ").folder("C:/app/folder.dll");
    CHECK(trace(host, "C:/app/x.dll").trouble == "is not a PE file");  // the report names the file before it
    CHECK_FALSE(trace(host, "C:/app/folder.dll").trouble.empty());
    CHECK_FALSE(trace(host, "C:/app/none.dll").trouble.empty());
    host.file("C:/app/a.dll", needing("b.dll"))
        .file("C:/app/b.dll", TinyPe{}.needs("a.dll").needs("b.dll").bytes());
    CHECK(trace(host, "C:/app/a.dll").libraries.size() == 1);
    // The import table is cut off.
    std::string bytes = TinyPe{}.needs(k_cublas).bytes();
    for (std::size_t length = 0; length < bytes.size(); length += 7)
        trace(host.file("C:/app/cut.dll", bytes.substr(0, length)), "C:/app/cut.dll");
}

namespace {

const std::string k_site = "C:/Python/Lib/site-packages/", k_libs = k_site + "cupy_backends/cuda/libs/";

FakeHost cupy(const std::string& release) {
    FakeHost host = python("311", "KERNEL32.dll");
    host.file(k_site + "cupy_cuda12x-" + release + ".dist-info/METADATA", "")
        .file(k_libs + "cublas.cp311-win_amd64.pyd", needing(k_cublas));
    host.file(k_libs + "curand.cp311-win_amd64.pyd", needing("curand64_10.dll"));
    host.file(k_libs + "cudnn.cp311-win_amd64.pyd", needing("cudnn64_8.dll"));
    return host;
}

LoadTrace trace_cupy(const FakeHost& host) {
    LoadOptions options;
    options.site_packages = {"C:/Python/Lib/site-packages"};
    options.together = {k_libs + "curand.cp311-win_amd64.pyd"};
    options.optional = {k_libs + "cudnn.cp311-win_amd64.pyd"};
    options.opens = {"nvrtc64_120_0.dll"};
    options.opens_by_python = true;
    return trace(host, k_libs + "cublas.cp311-win_amd64.pyd", options);
}

}  // namespace

TEST_CASE("CuPy's modules share one process, and their DLLs are found through CUDA_PATH") {
    FakeHost host = cupy("13.6.0");
    host.env("CUDA_PATH", "C:/CUDA").file("C:/CUDA/bin/cublas64_12.dll", dll());
    host.file("C:/CUDA/bin/nvrtc64_120_0.dll", dll());
    const LoadTrace result = trace_cupy(host);
    CHECK(taken(result, k_cublas) == "C:/CUDA/bin/cublas64_12.dll by os.add_dll_directory of cupy_backends");
    CHECK(taken(result, "nvrtc64_120_0.dll") ==
          "C:/CUDA/bin/nvrtc64_120_0.dll by os.add_dll_directory of cupy_backends");
    CHECK(taken(result, "curand64_10.dll") == "none");
    CHECK_FALSE(library(result, "curand64_10.dll").optional);
    CHECK(library(result, "cudnn64_8.dll").optional);
}

TEST_CASE("DLLs that CuPy lacks may come from torch, if it is installed and imported first") {
    FakeHost host = cupy("13.6.0");
    host.file(k_site + "torch/lib/cublas64_12.dll", dll()).file(k_site + "torch/lib/curand64_10.dll", dll());
    host.file(k_site + "torch/lib/nvrtc64_120_0.dll", dll());
    CHECK(taken(trace_cupy(host), k_cublas) == k_site + "torch/lib/cublas64_12.dll by preload of torch");
    host.env("CUDA_PATH", "C:/CUDA").file("C:/CUDA/bin/cublas64_12.dll", dll());
    host.file("C:/CUDA/bin/nvrtc64_120_0.dll", dll()).file("C:/CUDA/bin/curand64_10.dll", dll());
    CHECK(taken(trace_cupy(host), k_cublas) ==
          "C:/CUDA/bin/cublas64_12.dll by os.add_dll_directory of cupy_backends");
}

TEST_CASE("from CuPy 14 on cuda-pathfinder searches wheels, then PATH, then CUDA_PATH") {
    FakeHost host = cupy("14.2.0");
    host.file(k_site + "nvidia/cublas/bin/cublas64_12.dll", needing("cublasLt64_12.dll"))
        .file(k_site + "nvidia/cublas/bin/cublasLt64_12.dll", dll());
    host.env("PATH", "C:/on/path").file("C:/on/path/curand64_10.dll", dll());
    host.file("C:/on/path/cublas64_12.dll", dll());
    host.env("CUDA_PATH", "C:/CUDA").file("C:/CUDA/bin/nvrtc64_120_0.dll", dll());
    host.file("C:/CUDA/bin/cublas64_13.dll", dll());
    const LoadTrace result = trace_cupy(host);
    CHECK(taken(result, k_cublas) ==
          k_site + "nvidia/cublas/bin/cublas64_12.dll by found by cuda-pathfinder");
    CHECK(taken(result, "cublasLt64_12.dll") ==
          k_site + "nvidia/cublas/bin/cublasLt64_12.dll by found by cuda-pathfinder");
    CHECK(taken(result, "curand64_10.dll") == "C:/on/path/curand64_10.dll by found by cuda-pathfinder");
    CHECK(taken(result, "nvrtc64_120_0.dll") == "C:/CUDA/bin/nvrtc64_120_0.dll by found by cuda-pathfinder");
    CHECK_FALSE(lists(result, "cublas64_13.dll"));
}

TEST_CASE("what PaddlePaddle opens is searched for as LoadLibrary does, in PATH") {
    const std::string module = k_site + "paddle/base/libpaddle.pyd";
    FakeHost host = python("311", "KERNEL32.dll");
    host.file(module, needing("python311.dll"))
        .file(k_site + "paddlepaddle_gpu-2.6.2.dist-info/METADATA", "");
    host.env("PATH", "C:/CUDA/bin").file("C:/CUDA/bin/cublas64_11.dll", dll());
    host.file("C:/CUDA/bin/cusparse64_12.dll", dll());
    LoadOptions options;
    options.site_packages = {"C:/Python/Lib/site-packages"};
    const auto loading =
        framework_loading(facts(), "paddlepaddle-gpu", System::windows, parse_version("2.6.2"));
    for (const auto& [major, names] : loading.opens)
        if (major == 11) options.opens = names;
    for (const auto& [major, names] : loading.opens_optional)
        if (major == 11) options.opens_optional = names;
    const LoadTrace result = trace(host, module, options);
    CHECK(taken(result, "cublas64_11.dll") == "C:/CUDA/bin/cublas64_11.dll by PATH");
    CHECK(losers(result, "cusparse64_11.dll") == "C:/CUDA/bin/cusparse64_12.dll PATH other-name; ");
    CHECK_FALSE(library(result, "cudnn64_8.dll").optional);
    CHECK(library(result, "curand64_10.dll").optional);
}

TEST_CASE("of a folder that torch loads whole at most 512 files count") {
    const std::string site = "C:/Python/Lib/site-packages/";
    FakeHost host = python("311", "KERNEL32.dll");
    host.file(site + "torch/__init__.py").file(site + "torch/_C.pyd", needing("KERNEL32.dll"));
    const std::string bytes = dll();
    for (int i = 1000; i < 1513; ++i) host.file(site + "torch/lib/x" + std::to_string(i) + ".dll", bytes);
    LoadOptions options;
    options.all_libraries = true;
    const LoadTrace result = trace(host, site + "torch/_C.pyd", options);
    CHECK(std::count_if(result.libraries.begin(), result.libraries.end(),
                        [](const LoadedFile& file) { return file.how == LoadHow::preload; }) == 512);
}

TEST_CASE("the copy of a library that is not NVIDIA's is not looked for in folders that are not searched") {
    FakeHost host = windows();
    host.env("PATH", "C:/on")
        .file("C:/app/x.exe", TinyPe{}.program().needs("foo.dll").needs(k_cublas).bytes());
    for (const char* folder : {"C:/on/", "C:/cuda/bin/"})
        host.file(folder + std::string("foo.dll"), dll()).file(folder + std::string(k_cublas), dll());
    host.env("CUDA_PATH", "C:/cuda");
    LoadOptions options;
    options.all_libraries = true;
    const LoadTrace result = trace(host, "C:/app/x.exe", options);
    CHECK(taken(result, "foo.dll") == "C:/on/foo.dll by PATH");
    CHECK(losers(result, "foo.dll").empty());
    CHECK_FALSE(losers(result, k_cublas).empty());
}

}  // namespace ptxguard
