// Child process: calls NVRTC. Its documented functions are declared here, so no NVIDIA header is needed; they
// are the same from CUDA 7 to 13, and the list of architectures was added in 11.2.
// SPDX-License-Identifier: Apache-2.0
#include "host/host.hpp"
#include "host/paths.hpp"
#include "probe/child.hpp"
#include "probe/child_lines.hpp"
#include "probe/nvrtc.hpp"
#include "probe/ptx_source.hpp"

namespace ptxguard {

namespace {

using Handle = void*;

struct Interface {
    int (*version)(int*, int*) = nullptr;
    int (*number_of_archs)(int*) = nullptr;
    int (*archs)(int*) = nullptr;
    int (*create)(Handle*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*compile)(Handle, int, const char* const*) = nullptr;
    int (*ptx_size)(Handle, std::size_t*) = nullptr;
    int (*ptx)(Handle, char*) = nullptr;
    int (*log_size)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
    const char* (*error_string)(int) = nullptr;
};

std::string look_up(const LoadedLibrary& library, Interface& api) {
    Finder finder(library);
    finder.need(api.version, "nvrtcVersion");
    finder.need(api.create, "nvrtcCreateProgram");
    finder.need(api.destroy, "nvrtcDestroyProgram");
    finder.need(api.compile, "nvrtcCompileProgram");
    finder.need(api.ptx_size, "nvrtcGetPTXSize");
    finder.need(api.ptx, "nvrtcGetPTX");
    finder.need(api.log_size, "nvrtcGetProgramLogSize");
    finder.need(api.log, "nvrtcGetProgramLog");
    finder.need(api.error_string, "nvrtcGetErrorString");
    finder.find(api.number_of_archs, "nvrtcGetNumSupportedArchs");
    finder.find(api.archs, "nvrtcGetSupportedArchs");
    return finder.missing();
}

// NVRTC opens its builtins by name, and some (13.0's wheel) have no RUNPATH to the ones next to them: a
// program that ships both loads them first, as torch does. Windows searches the working folder, which is the
// library's.
void open_builtins(const std::string& nvrtc) {
    const auto host = real_host();
    if (host->system() == System::windows) return;
    for (const std::string& file : builtins_beside(*host, nvrtc)) (void)LoadedLibrary::open(file);
}

void say_loaded(const Interface& api, const std::string& taken) {
    int major = 0, minor = 0;
    api.version(&major, &minor);
    Json line = Json::object();
    line.set("event", "loaded").set("version", std::to_string(major) + "." + std::to_string(minor));
    line.set("taken", taken);
    int count = 0;
    constexpr int k_most = 1024;
    if (api.number_of_archs && api.archs && api.number_of_archs(&count) == 0 && count > 0 && count < k_most) {
        std::vector<int> numbers(static_cast<std::size_t>(count) + 1);
        Json list = Json::array();
        if (api.archs(numbers.data()) == 0)
            for (int i = 0; i < count; ++i) list.push(numbers[static_cast<std::size_t>(i)]);
        line.set("archs", std::move(list));
    }
    say_line(line);
}

void compile(const Interface& api, const std::string& source, const ChildArguments& asked, Arch arch) {
    std::vector<std::string> texts{"--gpu-architecture=" + arch.compute()};
    texts.insert(texts.end(), asked.options.begin(), asked.options.end());
    std::vector<const char*> options;
    for (const std::string& text : texts) options.push_back(text.c_str());
    const Stopwatch watch;
    Handle handle = nullptr;
    int result = api.create(&handle, source.c_str(), "probe.cu", 0, nullptr, nullptr);
    Json line = Json::object();
    line.set("event", "compile").set("arch", arch.sm()).set("call", "nvrtcCompileProgram " + texts.front());
    if (result == 0) result = api.compile(handle, static_cast<int>(options.size()), options.data());
    const char* name = api.error_string(result);
    line.set("result", result).set("name", name ? name : "").set("ms", watch.milliseconds());
    line.set("log", handle ? text_of(handle, api.log_size, api.log) : "");
    line.set("ptx", handle && result == 0 ? text_of(handle, api.ptx_size, api.ptx) : "");
    say_line(line);
    if (handle) api.destroy(&handle);
}

}  // namespace

int child_nvrtc(const std::vector<std::string>& arguments) {
    const ChildArguments asked = child_arguments(arguments);
    if (asked.library.empty()) return 2;
    auto source = own::read_standard_input(16u << 20);
    if (!source) return say_trouble(source.trouble().text());
    const auto library = LoadedLibrary::open(asked.library);
    if (!library) return say_trouble(library.trouble().text());
    Interface api;
    const std::string missing = look_up(*library, api);
    if (!missing.empty()) return say_trouble("the library is no NVRTC: it has no " + missing);
    open_builtins(library->path());
    say_loaded(api, library->path());
    for (Arch arch : asked.archs) compile(api, source->empty() ? k_device_source : *source, asked, arch);
    return 0;
}

}  // namespace ptxguard
