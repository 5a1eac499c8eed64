// Managed (.NET) assemblies, the programs that run them, and what [DllImport] finds.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/cli.hpp"
#include "windows_trees.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_host = "C:/app/Host.dll";
constexpr const char* k_wanted = "cublas64_11.dll";

// As mcs and csc write AnyCPU: PE32 for x86, with mscoree.dll as its only import.
std::string assembly(const std::vector<std::string>& names) {
    return TinyPe{}.machine(0x14c).needs("mscoree.dll").managed(names).bytes();
}

FakeHost with_dotnet() {
    FakeHost host = windows();
    host.program("C:/dotnet/dotnet.exe", "").env("PATH", "C:/dotnet");
    return host.file(k_host, assembly({"Host", "cublas64_11", "cublasCreate_v2"}));
}

}  // namespace

TEST_CASE("a managed assembly is not an x86 file that needs another mscoree.dll") {
    const FakeHost host = with_dotnet();
    const LoadTrace result = trace(host, k_host);
    CHECK(result.machine == "x86_64");
    CHECK_FALSE(lists(result, "mscoree.dll"));
    REQUIRE_FALSE(result.remarks.empty());
    CHECK(result.remarks[0] == "managed assembly, run by dotnet.exe in C:/dotnet");
}

TEST_CASE("[DllImport] finds a DLL beside the assembly and on PATH, with or without .dll in its name") {
    FakeHost host = with_dotnet();
    CHECK(taken(trace(host, k_host), k_wanted) == "none");
    host.env("PATH", "C:/dotnet;C:/cuda/bin")
        .file("C:/cuda/bin/cublas64_11.dll", needing("cublasLt64_11.dll"));
    host.file("C:/cuda/bin/cublasLt64_11.dll", dll());
    CHECK(taken(trace(host, k_host), k_wanted) == "C:/cuda/bin/cublas64_11.dll by PATH");
    CHECK(taken(trace(host, k_host), "cublasLt64_11.dll") ==
          "C:/cuda/bin/cublasLt64_11.dll by folder of cublas64_11.dll");
    host.file("C:/app/cublas64_11.dll", dll());
    CHECK(taken(trace(host, k_host), k_wanted) == "C:/app/cublas64_11.dll by folder of Host.dll");
    host.file(k_host, assembly({"cublas64_11.dll"}));
    CHECK(taken(trace(host, k_host), k_wanted) == "C:/app/cublas64_11.dll by folder of Host.dll");
}

TEST_CASE("a folder below runtimes/ is searched if .deps.json names it, for Windows on x64 only") {
    FakeHost host = with_dotnet();
    const std::string native = "C:/app/runtimes/win-x64/native/";
    host.file(native + k_wanted, dll());
    CHECK(taken(trace(host, k_host), k_wanted) == "none");
    const auto deps = [](const std::string& rid) {
        return R"({"targets":{".NETCoreApp,Version=v3.1":{"cublas/11.0":{"runtimeTargets":{"runtimes/)" +
               rid + R"(/native/cublas64_11.dll":{"rid":")" + rid + R"(","assetType":"native"}}}}}})";
    };
    host.file("C:/app/Host.deps.json", deps("win-x64"));
    CHECK(taken(trace(host, k_host), k_wanted) == native + k_wanted + " by Host.deps.json");
    host.file("C:/app/runtimes/linux-x64/native/cublas64_11.dll", dll());
    host.file("C:/app/Host.deps.json", deps("linux-x64"));
    CHECK(taken(trace(host, k_host), k_wanted) == "none");
    host.file("C:/app/Host.deps.json", "{");
    CHECK(taken(trace(host, k_host), k_wanted) == "none");
}

TEST_CASE(
    "Python in a .NET program searches the folder of the program: dotnet.exe's, or the assembly's .exe") {
    FakeHost host = python("38", "KERNEL32.dll");
    const std::string module = "C:/Python/Lib/site-packages/tensorflow/x.pyd";
    host.file(module, TinyPe{}.needs("python38.dll").delays("cudart64_110.dll").bytes());
    host.program("C:/dotnet/dotnet.exe", "").env("PATH", "C:/dotnet");
    host.file(k_host, assembly({})).file("C:/app/Host.runtimeconfig.json", "{}");
    host.file("C:/app/cudart64_110.dll", dll());
    const auto found = [&](const std::string& host_exe) {
        LoadOptions options;
        options.host_folder = host_exe;
        return taken(trace(host, module, options), "cudart64_110.dll");
    };
    for (const char* host_exe : {k_host, "C:/app", "C:/dotnet/dotnet.exe", "C:/dotnet"}) {
        CAPTURE(host_exe);
        CHECK(found(host_exe) == "none");
    }
    LoadOptions hosted;
    hosted.host_folder = k_host;
    const LoadTrace beside = trace(host, module, hosted);
    const auto missing = std::find_if(beside.libraries.begin(), beside.libraries.end(),
                                      [](const LoadedFile& one) { return one.name == "cudart64_110.dll"; });
    REQUIRE(missing != beside.libraries.end());
    REQUIRE(missing->losers.size() == 1);
    CHECK(missing->losers[0].path == "C:/app/cudart64_110.dll");
    CHECK(missing->losers[0].lost == LoadLost::not_searched);
    host.program("C:/app/Host.exe", "");
    CHECK(found(k_host) == "C:/app/cudart64_110.dll by application folder");
    CHECK(found("C:/app") == "C:/app/cudart64_110.dll by application folder");
    CHECK(found("C:/dotnet/dotnet.exe") == "none");
}

TEST_CASE("without a dotnet.exe the trace says whose folder is not known") {
    FakeHost host = windows();
    host.file(k_host, assembly({}));
    const LoadTrace result = trace(host, k_host);
    REQUIRE(result.remarks.size() == 2);
    CHECK(result.remarks[1] ==
          "no dotnet.exe was found, which runs Host.dll: its folder is searched first; name it with "
          "--host-exe");
}

TEST_CASE("metadata that ends early or is damaged has no names") {
    const std::string whole = assembly({"a", "cublas64_11"});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string part = whole.substr(0, size);
        const Source source = source_of(part);
        if (const auto file = read_pe(source)) read_cli(source, *file);
    }
    const Source source = source_of(whole);
    const auto cli = read_cli(source, *read_pe(source));
    REQUIRE(cli);
    CHECK(cli->names == std::vector<std::string>{"a", "cublas64_11"});
    const std::string native = dll();
    const Source other = source_of(native);
    CHECK_FALSE(read_cli(other, *read_pe(other)));
}

}  // namespace ptxguard
