// DLLs that packages of a Windows environment need and nothing has.
// SPDX-License-Identifier: Apache-2.0
#include "../load/windows_trees.hpp"
#include "runtime/module_files.hpp"
#include "runtime/modules.hpp"

namespace ptxguard {
namespace {

const std::string k_packages = "C:/Python/Lib/site-packages/";

FakeHost& record(FakeHost& host, const std::string& package, const std::string& version,
                 const std::string& files) {
    const std::string folder = k_packages + package + "-" + version + ".dist-info/";
    return host.file(folder + "METADATA", "Name: " + package + "\nVersion: " + version + "\n")
        .file(folder + "RECORD", files);
}

// A package whose DLL opens cuBLAS of CUDA 12 by its name.
FakeHost with_opener(const std::string& name = "cublas64_12.dll") {
    FakeHost host = python("311", "KERNEL32.dll");
    host.file(k_packages + "opener/opener.dll", TinyPe{}.text(name).bytes());
    return record(host, "opener", "4.0.0", "opener/__init__.py,,\nopener/opener.dll,,\n");
}

std::vector<NativeModule> checked(const FakeHost& host, bool gpu = true, bool driver = false,
                                  std::vector<PackageLibraries>* libraries = nullptr) {
    Scenario scenario;
    if (driver) scenario.drivers.emplace_back();
    scenario.system = System::windows;
    scenario.python.path = "C:/Python/python.exe";
    scenario.python.version = "3.11";
    scenario.python.places.push_back({k_packages.substr(0, k_packages.size() - 1)});
    if (gpu) scenario.gpus.emplace_back();
    check_modules(host, facts(), module_files(host, scenario.python), {}, {}, scenario);
    if (libraries) *libraries = scenario.package_libraries;
    return scenario.modules;
}

}  // namespace

TEST_CASE("a DLL that a package opens by name and nothing has is missing, if there is a GPU or a driver") {
    const std::vector<NativeModule> modules = checked(with_opener());
    REQUIRE(modules.size() == 1);
    CHECK(modules[0].package == "opener");
    CHECK(modules[0].version->text == "4.0.0");
    CHECK(modules[0].path == k_packages + "opener/opener.dll");
    REQUIRE(modules[0].missing.size() == 1);
    CHECK(modules[0].missing[0].name == "cublas64_12.dll");
    CHECK(modules[0].missing[0].how == LoadHow::dlopen);
    CHECK(checked(with_opener(), false, true).size() == 1);
    CHECK(checked(with_opener(), false).empty());
    FakeHost needing = python("311", "KERNEL32.dll");
    needing.file(k_packages + "needing/needing.dll", TinyPe{}.needs("cublas64_12.dll").bytes());
    record(needing, "needing", "1.0", "needing/__init__.py,,\nneeding/needing.dll,,\n");
    CHECK(checked(needing, false).size() == 1);  // the import table is not by choice
    std::vector<PackageLibraries> libraries;
    needing.file("C:/CUDA/bin/cublas64_12.dll", dll()).env("PATH", "C:/CUDA/bin");
    CHECK(checked(needing, false, false, &libraries).empty());
    REQUIRE(libraries.size() == 1);
    CHECK(libraries[0].package == "needing");
    CHECK(libraries[0].found == 1);
}

TEST_CASE("the DLL of another CUDA is named beside it") {
    FakeHost host = with_opener();
    host.env("PATH", "C:/CUDA/v11.8/bin").file("C:/CUDA/v11.8/bin/cublas64_11.dll", dll());
    const std::vector<NativeModule> modules = checked(host);
    REQUIRE(modules.size() == 1);
    REQUIRE(!modules[0].missing[0].losers.empty());
    CHECK(modules[0].missing[0].losers[0].lost == LoadLost::other_name);
}

TEST_CASE("a DLL that is anywhere from where the package may load it is not missing") {
    FakeHost on_path = with_opener();
    on_path.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cublas64_12.dll", dll());
    CHECK(checked(on_path).empty());
    FakeHost in_toolkit = with_opener();
    in_toolkit.env("CUDA_PATH", "C:/cuda").file("C:/cuda/bin/cublas64_12.dll", dll());
    CHECK(checked(in_toolkit).empty());
    FakeHost in_wheel = with_opener();
    in_wheel.file(k_packages + "nvidia/cublas/bin/cublas64_12.dll", dll());
    CHECK(checked(in_wheel).empty());
    FakeHost in_conda = with_opener();
    in_conda.file("C:/Python/Library/bin/cublas64_12.dll", dll()).folder("C:/Python/conda-meta");
    CHECK(checked(in_conda).empty());
    FakeHost in_torch = with_opener();
    in_torch.file(k_packages + "torch/lib/cublas64_12.dll", dll());
    record(in_torch, "torch", "2.5.1", "torch/__init__.py,,\ntorch/lib/cublas64_12.dll,,\n");
    CHECK(checked(in_torch).empty());
}

TEST_CASE("without a known PATH a DLL is missing if the whole tree has none") {
    FakeHost host(System::windows);
    host.foreign(true).file("C:/Python/python.exe", TinyPe{}.program().bytes());
    host.file(k_packages + "opener/opener.dll", TinyPe{}.text("cublas64_12.dll").bytes());
    record(host, "opener", "4.0.0", "opener/__init__.py,,\nopener/opener.dll,,\n");
    const auto is_open = [&] {
        const std::vector<NativeModule> modules = checked(host);
        REQUIRE(modules.size() == 1);
        REQUIRE(modules[0].missing.size() == 1);
        return modules[0].missing[0].undecided;
    };
    CHECK(is_open());  // not a whole system
    host.file("C:/Windows/System32/kernel32.dll", dll());
    CHECK(!is_open());
    host.file("C:/tools/cublas64_12.dll", dll());
    CHECK(is_open());
    host.file(k_packages + "nvidia/cublas/bin/cublas64_12.dll", dll());
    CHECK(checked(host).empty());
}

TEST_CASE("libraries that programs do without, and the driver's, are not missing") {
    CHECK(checked(with_opener("nvcuda.dll")).empty());
    CHECK(checked(with_opener("nvToolsExt64_1.dll")).empty());
    CHECK(checked(with_opener("cupti64_2024.3.2.dll")).empty());
}

// A package with the front of cuDNN and a DLL that names `opened`.
FakeHost with_front(const std::string& opened) {
    FakeHost host = python("311", "KERNEL32.dll");
    host.file(k_packages + "kit/cudnn64_9.dll", dll());
    host.file(k_packages + "kit/kit.dll", TinyPe{}.text(opened).bytes());
    return record(host, "kit", "4.6.0", "kit/__init__.py,,\nkit/cudnn64_9.dll,,\nkit/kit.dll,,\n");
}

TEST_CASE("a package that opens its own front of cuDNN needs the parts") {
    FakeHost host = with_front("cudnn64_9.dll");
    const std::vector<NativeModule> modules = checked(host);
    REQUIRE(modules.size() == 1);
    std::vector<std::string> names;
    for (const LoadedFile& library : modules[0].missing) names.push_back(library.name);
    CHECK(names == std::vector<std::string>{"cudnn_graph64_9.dll", "cudnn_ops64_9.dll", "cudnn_cnn64_9.dll"});
    for (const char* part : {"graph", "ops", "cnn", "adv"})
        host.file(k_packages + "nvidia/cudnn/bin/cudnn_" + part + "64_9.dll", dll());
    CHECK(checked(host).empty());
}

TEST_CASE("a front of cuDNN that no file asks for needs no parts") {
    CHECK(checked(with_front("kernel32.dll")).empty());
}

TEST_CASE("parts of cuDNN in the folder of its own installer are not found, but named") {
    FakeHost host = with_front("cudnn64_9.dll");
    const std::string folder = "C:/Program Files/NVIDIA/CUDNN/v9.8/bin/12.8/";
    for (const char* part : {"graph", "ops", "cnn", "adv"})
        host.file(folder + "cudnn_" + part + "64_9.dll", dll());
    const std::vector<NativeModule> modules = checked(host);
    REQUIRE(modules.size() == 1);
    REQUIRE(modules[0].missing.size() == 3);
    REQUIRE(!modules[0].missing[0].losers.empty());
    CHECK(modules[0].missing[0].losers[0].lost == LoadLost::not_searched);
    CHECK(modules[0].missing[0].losers[0].path == folder + "cudnn_graph64_9.dll");
    host.env("PATH", "C:/Program Files/NVIDIA/CUDNN/v9.8/bin/12.8");
    CHECK(checked(host).empty());
}

TEST_CASE("a DLL that a file imports and names is listed once") {
    FakeHost host = with_opener();
    host.file(k_packages + "opener/opener.dll",
              TinyPe{}.needs("cublas64_12.dll").text("CUBLAS64_12.dll").bytes());
    const std::vector<NativeModule> modules = checked(host);
    REQUIRE(modules.size() == 1);
    REQUIRE(modules[0].missing.size() == 1);
    CHECK(modules[0].missing[0].how == LoadHow::needed);
}

TEST_CASE("one of a package's variants that is whole is enough") {
    FakeHost host = python("311", "KERNEL32.dll");
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cublas64_12.dll", dll());
    host.file(k_packages + "kit/kit_cuda118.dll", needing("cublas64_11.dll"));
    const std::string files = "kit/__init__.py,,\nkit/kit_cuda118.dll,,\n";
    record(host, "kit", "1.0", files);
    REQUIRE(checked(host).size() == 1);
    CHECK(checked(host)[0].missing[0].how == LoadHow::needed);
    host.file(k_packages + "kit/kit_cuda124.dll",
              TinyPe{}.needs("cudart64_99.dll").text("cublas64_13.dll").bytes());
    record(host, "kit", "1.0", files + "kit/kit_cuda124.dll,,\n");
    CHECK(checked(host).size() == 2);  // none of them is whole
    host.file(k_packages + "kit/kit_cuda126.dll", needing("cublas64_12.dll"));
    record(host, "kit", "1.0", files + "kit/kit_cuda126.dll,,\n");
    CHECK(checked(host).empty());
}

TEST_CASE("a framework's own package is not looked at under any of its names") {
    FakeHost host = python("311", "KERNEL32.dll");
    host.file(k_packages + "tensorflow/x.dll", TinyPe{}.text("cublas64_11.dll").bytes());
    record(host, "tensorflow_intel", "2.12.1", "tensorflow/__init__.py,,\ntensorflow/x.dll,,\n");
    CHECK(checked(host).empty());
}

}  // namespace ptxguard
