// Child process: loads PTX on a GPU of this machine as every program does. The result is CUDA's error code,
// such as 222 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION).
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "host/host.hpp"
#include "probe/child.hpp"
#include "probe/child_lines.hpp"
#include "probe/cuda_interface.hpp"

namespace ptxguard {
namespace {

constexpr int k_error_log = 5, k_error_log_size = 6;  // CU_JIT_ERROR_LOG_BUFFER, ..._SIZE_BYTES
constexpr std::size_t k_link_log_size = 16u << 10;

struct DriverReply {
    int result = 0;
    std::string call = "cuModuleLoadDataEx", log;
    bool made = false;
    double milliseconds = 0;
};

DriverReply load(const CudaInterface& api, const CudaDevice& device, const std::string& ptx) {
    DriverReply answer;
    void *context = nullptr, *module = nullptr;
    if (const int code = api.create_context(&context, 0, device.handle); code != 0) {
        answer.call = "cuCtxCreate";
        answer.result = code;
        return answer;
    }
    std::string log(k_link_log_size, '\0');
    int options[] = {k_error_log, k_error_log_size};
    // The size is passed by value in place of the pointer.
    void* values[] = {&log[0], reinterpret_cast<void*>(static_cast<std::uintptr_t>(log.size() - 1))};
    const Stopwatch watch;
    answer.result = api.load_module(&module, ptx.c_str(), 2, options, values);
    answer.milliseconds = watch.milliseconds();
    answer.made = answer.result == 0 && module;
    answer.log = log.c_str();
    if (api.destroy_context) api.destroy_context(context);
    return answer;
}

std::string text_of(int (*look_up)(int, const char**), int code) {
    const char* text = nullptr;
    return look_up && look_up(code, &text) == 0 && text ? text : "";
}

void say(const CudaInterface& api, Arch arch, const DriverReply& answer) {
    const std::string name = text_of(api.error_name, answer.result);
    std::string log = answer.log;
    if (answer.result != 0) {
        std::string error =
            "CUDA error " + std::to_string(answer.result) + (name.empty() ? "" : " (" + name + ")");
        const std::string meaning = text_of(api.error_string, answer.result);
        if (!meaning.empty()) error += ": " + meaning;
        log = error + (log.empty() ? "" : "\n" + log);
    }
    Json line = Json::object();
    line.set("event", "compile").set("arch", arch.sm()).set("call", answer.call);
    line.set("result", answer.result).set("name", name).set("log", log).set("made", answer.made);
    say_line(line.set("ms", answer.milliseconds));
}

}  // namespace

int child_cuda(const std::vector<std::string>& arguments) {
    const ChildArguments asked = child_arguments(arguments);
    if (asked.library.empty()) return 2;
    const auto ptx = own::read_standard_input(64u << 20);
    if (!ptx) return say_trouble(ptx.trouble().text());
    const auto library = LoadedLibrary::open(asked.library);
    if (!library) return say_trouble(library.trouble().text());
    const CudaInterface api = cuda_interface(*library);
    if (!api.driver_version || !api.init || !api.create_context || !api.load_module)
        return say_trouble(asked.library + " is not a CUDA driver library");
    int version = 0;
    api.driver_version(&version);
    if (const int code = api.init(0); code != 0) return say_trouble(words_of(api, "cuInit", code));
    say_line(Json::object()
                 .set("event", "loaded")
                 .set("version", std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)));
    const auto devices = cuda_devices(api);
    for (Arch arch : asked.archs) {
        const CudaDevice* found = nullptr;
        for (const CudaDevice& device : devices)
            if (!found && device.major * 10 + device.minor == arch.number) found = &device;
        if (!found) return say_trouble("no GPU of " + arch.sm() + " is here");
        say(api, arch, load(api, *found, *ptx));
    }
    return 0;
}

}  // namespace ptxguard
