// Child process: loads PTX on a GPU of this machine as every program does. The result is CUDA's error code,
// such as 222 (CUDA_ERROR_UNSUPPORTED_PTX_VERSION).
// SPDX-License-Identifier: Apache-2.0
#include "probe/child_cuda.hpp"

#include <cstdint>
#include <cstdio>
#include <string>

#include "host/host.hpp"
#include "model/json.hpp"
#include "probe/child.hpp"

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

// Child process: calls the CUDA driver interface in a driver's library. cuDriverGetVersion needs neither a
// GPU nor the kernel module; a stub answers every call with 34.

namespace {

int say(int cuda, Json devices, int code, const std::string& error) {
    const Json line = Json::object()
                          .set("cuda", cuda)
                          .set("devices", std::move(devices))
                          .set("code", code)
                          .set("error", error);
    std::puts(to_text(line, -1).c_str());
    return 0;
}

Json devices_of(const CudaInterface& api) {
    Json devices = Json::array();
    for (const CudaDevice& device : cuda_devices(api))
        devices.push(Json::object()
                         .set("name", device.name)
                         .set("cc", std::to_string(device.major) + "." + std::to_string(device.minor)));
    return devices;
}

}  // namespace

int child_driver(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return 2;
    const auto library = LoadedLibrary::open(arguments.front());
    if (!library) return say(0, Json::array(), -1, library.trouble().text());
    const CudaInterface api = cuda_interface(*library);
    if (!api.driver_version || !api.init)
        return say(0, Json::array(), -1, arguments.front() + " is not a CUDA driver library");
    int cuda = 0;
    if (const int code = api.driver_version(&cuda); code != 0)
        return say(0, Json::array(), code, words_of(api, "cuDriverGetVersion", code));
    if (const int code = api.init(0); code != 0)
        return say(cuda, Json::array(), code, words_of(api, "cuInit", code));
    return say(cuda, devices_of(api), 0, "");
}

namespace {

constexpr int k_attribute_major = 75, k_attribute_minor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
constexpr int k_most_devices = 256;

}  // namespace

CudaInterface cuda_interface(const LoadedLibrary& library) {
    CudaInterface api;
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
    };
    find(api.driver_version, "cuDriverGetVersion");
    find(api.init, "cuInit");
    find(api.device_count, "cuDeviceGetCount");
    find(api.device, "cuDeviceGet");
    find(api.device_name, "cuDeviceGetName");
    find(api.attribute, "cuDeviceGetAttribute");
    find(api.error_name, "cuGetErrorName");
    find(api.error_string, "cuGetErrorString");
    find(api.create_context, "cuCtxCreate_v2");
    find(api.destroy_context, "cuCtxDestroy_v2");
    find(api.load_module, "cuModuleLoadDataEx");
    return api;
}

std::string words_of(const CudaInterface& api, const char* call, int code) {
    const char* name = nullptr;
    std::string words = std::string(call) + " answers " + std::to_string(code);
    if (api.error_name && api.error_name(code, &name) == 0 && name) words += std::string(" (") + name + ")";
    return words;
}

std::vector<CudaDevice> cuda_devices(const CudaInterface& api) {
    std::vector<CudaDevice> devices;
    int count = 0;
    if (!api.device_count || !api.device || !api.device_name || !api.attribute ||
        api.device_count(&count) != 0)
        return devices;
    for (int i = 0; i < count && i < k_most_devices; ++i) {
        CudaDevice device;
        char name[256] = {};
        if (api.device(&device.handle, i) != 0 ||
            api.device_name(name, sizeof name - 1, device.handle) != 0 ||
            api.attribute(&device.major, k_attribute_major, device.handle) != 0 ||
            api.attribute(&device.minor, k_attribute_minor, device.handle) != 0)
            continue;
        device.name = name;
        devices.push_back(std::move(device));
    }
    return devices;
}

}  // namespace ptxguard
