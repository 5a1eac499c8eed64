// SPDX-License-Identifier: Apache-2.0
#include "load/trace_windows.hpp"

#include <doctest/doctest.h>

#include "host/fake_host.hpp"
#include "tiny_pe.hpp"

namespace ptxguard {
namespace {

const Facts& facts() {
    static const Facts all = Facts::embedded();
    return all;
}

std::string dll() { return TinyPe{}.bytes(); }
std::string needing(const std::string& name) { return TinyPe{}.needs(name).bytes(); }

FakeHost windows() {
    FakeHost host(System::windows);
    host.foreign(true).file("C:/Windows/System32/kernel32.dll", dll()).env("PATH", "");
    return host;
}

LoadTrace trace(const FakeHost& host, const std::string& path, const LoadOptions& options = {}) {
    return trace_windows(host, facts(), path, options);
}

const LoadedFile& library(const LoadTrace& trace, const std::string& name) {
    for (const LoadedFile& file : trace.libraries)
        if (file.name == name) return file;
    static const LoadedFile k_none;
    FAIL_CHECK("not in the trace: " << name);
    return k_none;
}

bool lists(const LoadTrace& trace, const std::string& name) {
    for (const LoadedFile& file : trace.libraries)
        if (file.name == name) return true;
    return false;
}

// "C:/x/cublas64_12.dll by PATH"
std::string taken(const LoadTrace& trace, const std::string& name) {
    const LoadedFile& file = library(trace, name);
    return file.taken ? *file.taken + " by " + file.rule : "none";
}

std::string losers(const LoadTrace& trace, const std::string& name) {
    std::string text;
    for (const LoadLoser& loser : library(trace, name).losers)
        text += loser.path + " " + loser.rule + " " + to_string(loser.lost) + "; ";
    return text;
}

// A Python of that version with one extension module in site-packages.
FakeHost python(const std::string& digits, const std::string& imports) {
    FakeHost host = windows();
    host.file("C:/Python/python.exe", TinyPe{}.program().bytes())
        .file("C:/Python/python" + digits + ".dll", dll());
    host.file("C:/Python/Lib/site-packages/x-1.0.dist-info/METADATA", "Name: x\n");
    host.file("C:/Python/Lib/site-packages/x/_x.pyd",
              TinyPe{}.needs("python" + digits + ".dll").needs(imports).needs("KERNEL32.dll").bytes());
    return host;
}
const char* const k_module = "C:/Python/Lib/site-packages/x/_x.pyd";
const char* const k_cublas = "cublas64_12.dll";

}  // namespace

TEST_CASE("a program's imports: its folder, System32, Windows, current folder, PATH, in this order") {
    const std::string program = TinyPe{}.program().needs(k_cublas).bytes();
    const std::vector<std::pair<std::string, std::string>> order = {{"C:/app", "application folder"},
                                                                    {"C:/Windows/System32", "System32"},
                                                                    {"C:/Windows/System", "System"},
                                                                    {"C:/Windows", "Windows"},
                                                                    {"C:/work", "current folder"},
                                                                    {"C:/one", "PATH"},
                                                                    {"C:/two", "PATH"}};
    for (std::size_t first = 0; first < order.size(); ++first) {
        FakeHost host = windows();
        host.env("PATH", "C:\\one;C:\\two").env("CD", "C:\\work").file("C:/app/x.exe", program);
        std::string later;
        for (std::size_t i = first; i < order.size(); ++i) {
            host.file(order[i].first + "/" + k_cublas, dll());
            if (i > first) later += order[i].first + "/" + k_cublas + " " + order[i].second + " later; ";
        }
        const LoadTrace result = trace(host, "C:/app/x.exe");
        CHECK(result.is_program);
        CHECK(taken(result, k_cublas) == order[first].first + "/" + k_cublas + " by " + order[first].second);
        CHECK(losers(result, k_cublas) == later);
        CHECK(library(result, k_cublas).library == "cublas");
    }
}

TEST_CASE("Python 3.8 and newer: folder of the module, application folder, System32; PATH does not count") {
    FakeHost host = python("311", k_cublas);
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cublas64_12.dll", dll());
    LoadTrace result = trace(host, k_module);
    CHECK(taken(result, k_cublas) == "none");
    CHECK_FALSE(library(result, k_cublas).undecided);
    CHECK(losers(result, k_cublas) == "C:/cuda/bin/cublas64_12.dll PATH not-searched; ");
    CHECK(library(result, k_cublas).losers.front().why ==
          "Python 3.11 does not look in PATH for what an extension module needs");
    CHECK(taken(result, "python311.dll") == "C:/Python/python311.dll by already loaded by python.exe");

    host.file("C:/Windows/System32/cublas64_12.dll", dll());
    CHECK(taken(trace(host, k_module), k_cublas) == "C:/Windows/System32/cublas64_12.dll by System32");
    host.file("C:/Python/cublas64_12.dll", dll());
    CHECK(taken(trace(host, k_module), k_cublas) == "C:/Python/cublas64_12.dll by application folder");
    host.file("C:/Python/Lib/site-packages/x/CUBLAS64_12.DLL", dll());
    result = trace(host, k_module);
    CHECK(taken(result, k_cublas) == "C:/Python/Lib/site-packages/x/CUBLAS64_12.DLL by folder of _x.pyd");
    CHECK(losers(result, k_cublas) ==
          "C:/Python/cublas64_12.dll application folder later; C:/Windows/System32/cublas64_12.dll System32 "
          "later; "
          "C:/cuda/bin/cublas64_12.dll PATH not-searched; ");
}

TEST_CASE("Python 3.7 and older: PATH counts") {
    FakeHost host = python("37", k_cublas);
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cublas64_12.dll", dll());
    CHECK(taken(trace(host, k_module), k_cublas) == "C:/cuda/bin/cublas64_12.dll by PATH");
}

TEST_CASE("a virtual environment has its base's application folder and version") {
    FakeHost host = windows();
    host.file("C:/Python37/python.exe", TinyPe{}.program().bytes())
        .file("C:/Python37/cublas64_12.dll", dll());
    host.file("C:/venv/pyvenv.cfg", "home = C:\\Python37\r\nversion = 3.9.13\r\n")
        .file("C:/venv/Scripts/python.exe");
    host.file("C:/venv/Lib/site-packages/x-1.0.dist-info/METADATA")
        .file("C:/venv/Lib/site-packages/x/_x.pyd", needing(k_cublas));
    const LoadTrace result = trace(host, "C:/venv/Lib/site-packages/x/_x.pyd");
    CHECK(taken(result, k_cublas) == "C:/Python37/cublas64_12.dll by application folder");
    REQUIRE(result.remarks.size() == 1);
    CHECK(result.remarks.front() == "loaded by Python 3.9 (pyvenv.cfg)");
}

TEST_CASE("a wheel's tag tells for which Python it was made; abi3 tells the oldest one") {
    FakeHost host = windows();
    host.env("PATH", "C:/cuda").file("C:/cuda/cublas64_12.dll", dll());
    host.file("C:/deps/x/_x.pyd", needing(k_cublas))
        .file("C:/deps/x-1.0.dist-info/WHEEL", "Tag: cp37-cp37-win_amd64\n");
    CHECK(taken(trace(host, "C:/deps/x/_x.pyd"), k_cublas) == "C:/cuda/cublas64_12.dll by PATH");
    host.file("C:/deps/x-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp37-abi3-win_amd64\n");
    CHECK(taken(trace(host, "C:/deps/x/_x.pyd"), k_cublas) == "none");
}

TEST_CASE("the same files under another site-packages path give the same answer") {
    for (const std::string site : {"C:/Python/Lib/site-packages", "C:/deps", "C:/a b/site"}) {
        FakeHost host = windows();
        host.file(site + "/x-1.0.dist-info/METADATA")
            .file(site + "/x/_x.cp310-win_amd64.pyd", needing(k_cublas));
        host.file(site + "/nvidia/cublas/bin/cublas64_12.dll", dll());
        const LoadTrace result = trace(host, site + "/x/_x.cp310-win_amd64.pyd");
        CHECK(taken(result, k_cublas) == "none");
        CHECK(losers(result, k_cublas) == site + "/nvidia/cublas/bin/cublas64_12.dll wheel not-searched; ");
    }
}

TEST_CASE("torch adds its lib folder, loads all in it first, and tries again with PATH") {
    const std::string site = "C:/Python/Lib/site-packages/";
    FakeHost host = python("311", k_cublas);
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cusolver64_11.dll", dll());
    host.file(site + "torch/__init__.py").file(site + "torch/_C.pyd", needing("torch_cuda.dll"));
    host.file(site + "torch/lib/torch_cuda.dll",
              TinyPe{}.needs("cudnn64_9.dll").needs("cusolver64_11.dll").bytes());
    host.file(site + "torch/lib/cudnn64_9.dll", dll()).file(site + "torch/lib/cublas64_12.dll", dll());
    const LoadTrace result = trace(host, site + "torch/_C.pyd");
    CHECK(taken(result, "cudnn64_9.dll") == site + "torch/lib/cudnn64_9.dll by preload of torch");
    CHECK(library(result, "cudnn64_9.dll").how == LoadHow::preload);
    CHECK(taken(result, "cusolver64_11.dll") == "C:/cuda/bin/cusolver64_11.dll by PATH");

    // Another package's module gets torch's only where it needs torch.
    CHECK(taken(trace(host, k_module), k_cublas) == "none");
    host.file(k_module, TinyPe{}.needs("torch_cuda.dll").needs(k_cublas).bytes());
    CHECK(library(trace(host, k_module), k_cublas).taken == site + "torch/lib/cublas64_12.dll");
}

TEST_CASE("a DLL for another machine is passed over; alone it is the reason") {
    FakeHost host = windows();
    host.env("PATH", "C:/one;C:/two").file("C:/app/x.exe", TinyPe{}.program().needs("cudnn64_8.dll").bytes());
    host.file("C:/one/cudnn64_8.dll", TinyPe{}.machine(0x14c).bytes());
    LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, "cudnn64_8.dll") == "none");
    CHECK(losers(result, "cudnn64_8.dll") == "C:/one/cudnn64_8.dll PATH other-machine; ");
    CHECK(library(result, "cudnn64_8.dll").losers.front().why == "for another machine (x86)");
    host.file("C:/two/cudnn64_8.dll", dll());
    result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, "cudnn64_8.dll") == "C:/two/cudnn64_8.dll by PATH");
    CHECK(losers(result, "cudnn64_8.dll") == "C:/one/cudnn64_8.dll PATH other-machine; ");
}

TEST_CASE("a file that is no DLL ends the search") {
    FakeHost host = windows();
    host.env("PATH", "C:/one;C:/two").file("C:/app/x.exe", TinyPe{}.program().needs(k_cublas).bytes());
    host.file("C:/one/cublas64_12.dll", "<html>404</html>").file("C:/two/cublas64_12.dll", dll());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, k_cublas) == "none");
    CHECK(losers(result, k_cublas) ==
          "C:/one/cublas64_12.dll PATH unreadable; C:/two/cublas64_12.dll PATH later; ");
}

TEST_CASE("the DLL of another CUDA is named where the wanted one is missing") {
    FakeHost host = windows();
    host.env("PATH", "C:/cuda/bin")
        .file("C:/cuda/bin/cublas64_12.dll", dll())
        .file("C:/cuda/bin/cublasLt64_12.dll", dll());
    host.file("C:/app/x.exe", TinyPe{}.program().needs("cublas64_11.dll").bytes());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(losers(result, "cublas64_11.dll") == "C:/cuda/bin/cublas64_12.dll PATH other-name; ");
    CHECK(library(result, "cublas64_11.dll").because ==
          "not in C:/app (application folder), C:/Windows/System32 (System32), C:/Windows/System (System), "
          "C:/Windows (Windows), C:/cuda/bin (PATH)");
}

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

TEST_CASE("delay-loaded DLLs are looked for by bare name, and done without") {
    FakeHost host = python("311", "KERNEL32.dll");
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/nvrtc64_120_0.dll", dll());
    host.file(k_module, TinyPe{}.delays("nvrtc64_120_0.dll").delays("cufft64_11.dll").bytes());
    const LoadTrace result = trace(host, k_module);
    CHECK(taken(result, "nvrtc64_120_0.dll") == "C:/cuda/bin/nvrtc64_120_0.dll by PATH");
    CHECK(library(result, "nvrtc64_120_0.dll").how == LoadHow::delay_load);
    CHECK(taken(result, "cufft64_11.dll") == "none");
    CHECK(library(result, "cufft64_11.dll").optional);
}

TEST_CASE("cuDNN opens its parts beside itself first, and what they miss is required") {
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

TEST_CASE(
    "ONNX Runtime's providers are plugins: those that lie beside it count, TensorRT's needs are optional") {
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
    // Loaded by its path: PATH counts for the provider itself, too.
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

TEST_CASE("API sets and known DLLs need no file; Windows' own are taken for granted without a System32") {
    FakeHost host(System::windows);
    host.foreign(true).env("PATH", "").file("C:/app/user32.dll", dll());
    host.file("C:/app/x.exe", TinyPe{}
                                  .program()
                                  .needs("api-ms-win-crt-heap-l1-1-0.dll")
                                  .needs("USER32.dll")
                                  .needs("bcrypt.dll")
                                  .needs("MSVCP140.dll")
                                  .needs("mfcore.dll")
                                  .needs("nvcuda.dll")
                                  .needs(k_cublas)
                                  .bytes());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(library(result, "api-ms-win-crt-heap-l1-1-0.dll").rule == "API set");
    CHECK(taken(result, "USER32.dll") == "C:/Windows/System32/USER32.dll by known DLL");
    CHECK(taken(result, "bcrypt.dll") == "C:/Windows/System32/bcrypt.dll by System32");
    CHECK(library(result, "MSVCP140.dll").undecided);
    CHECK(library(result, "nvcuda.dll").undecided);
    CHECK(library(result, "nvcuda.dll").because == "the tree has no System32, where it would lie");
    CHECK_FALSE(library(result, k_cublas).undecided);
    CHECK(library(result, "mfcore.dll").undecided);
    host.folder("C:/Windows/System32");
    CHECK_FALSE(library(trace(host, "C:/app/x.exe"), "MSVCP140.dll").undecided);
    CHECK_FALSE(library(trace(host, "C:/app/x.exe"), "nvcuda.dll").undecided);
}

TEST_CASE("without a known PATH nothing that it may hold is called missing") {
    FakeHost host(System::windows);
    host.foreign(true)
        .folder("C:/Windows/System32")
        .file("C:/app/x.exe", TinyPe{}.program().needs(k_cublas).bytes());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(library(result, k_cublas).undecided);
    CHECK(library(result, k_cublas).because == "PATH of the judged system is not known");
}

TEST_CASE("a side-by-side assembly is named and its store is looked into") {
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

TEST_CASE("without --all the list holds NVIDIA's libraries and whatever is missing") {
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
    CHECK(lists(scenario.traces[1], "a.dll"));
}

TEST_CASE("bad input: no PE file, a folder, circles, a file that needs itself") {
    FakeHost host = windows();
    host.file("C:/app/x.dll", "MZ").folder("C:/app/folder.dll");
    CHECK_FALSE(trace(host, "C:/app/x.dll").trouble.empty());
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

}  // namespace ptxguard
