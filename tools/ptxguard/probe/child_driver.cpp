// The child's side of looking at a driver: the CUDA driver interface, looked up in the library.
// cuDriverGetVersion needs neither a GPU nor the kernel module; a stub answers every call with 34.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "host/library.hpp"
#include "model/json.hpp"
#include "probe/child.hpp"

namespace ptxguard {

namespace {

// CUresult and CUdevice are ints; stdcall on 32-bit Windows only, which CUDA has left.
struct Interface {
    int (*driver_version)(int*) = nullptr;
    int (*init)(unsigned) = nullptr;
    int (*device_count)(int*) = nullptr;
    int (*device)(int*, int) = nullptr;
    int (*device_name)(char*, int, int) = nullptr;
    int (*attribute)(int*, int, int) = nullptr;
    int (*error_name)(int, const char**) = nullptr;
};

constexpr int k_attribute_major = 75, k_attribute_minor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
constexpr int k_most_devices = 256;

Interface look_up(const LoadedLibrary& library) {
    Interface api;
    auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
    };
    find(api.driver_version, "cuDriverGetVersion");
    find(api.init, "cuInit");
    find(api.device_count, "cuDeviceGetCount");
    find(api.device, "cuDeviceGet");
    find(api.device_name, "cuDeviceGetName");
    find(api.attribute, "cuDeviceGetAttribute");
    find(api.error_name, "cuGetErrorName");
    return api;
}

std::string words_of(const Interface& api, const char* call, int code) {
    const char* name = nullptr;
    std::string words = std::string(call) + " answers " + std::to_string(code);
    if (api.error_name && api.error_name(code, &name) == 0 && name) words += std::string(" (") + name + ")";
    return words;
}

int say(int cuda, Json devices, int code, const std::string& error) {
    const Json line = Json::object()
                          .set("cuda", cuda)
                          .set("devices", std::move(devices))
                          .set("code", code)
                          .set("error", error);
    std::puts(to_text(line, -1).c_str());
    return 0;
}

Json devices_of(const Interface& api) {
    Json devices = Json::array();
    int count = 0;
    if (!api.device_count || !api.device || !api.device_name || !api.attribute ||
        api.device_count(&count) != 0)
        return devices;
    for (int i = 0; i < count && i < k_most_devices; ++i) {
        int device = 0, major = 0, minor = 0;
        char name[256] = {};
        if (api.device(&device, i) != 0 || api.device_name(name, sizeof name - 1, device) != 0) continue;
        if (api.attribute(&major, k_attribute_major, device) != 0 ||
            api.attribute(&minor, k_attribute_minor, device) != 0)
            continue;
        devices.push(Json::object()
                         .set("name", std::string(name))
                         .set("cc", std::to_string(major) + "." + std::to_string(minor)));
    }
    return devices;
}

}  // namespace

int child_driver(const std::vector<std::string>& arguments) {
    if (arguments.empty()) return 2;
    const auto library = LoadedLibrary::open(arguments.front());
    if (!library) return say(0, Json::array(), -1, library.trouble().text());
    const Interface api = look_up(*library);
    if (!api.driver_version || !api.init)
        return say(0, Json::array(), -1, arguments.front() + " is no CUDA driver library");
    int cuda = 0;
    if (const int code = api.driver_version(&cuda); code != 0)
        return say(0, Json::array(), code, words_of(api, "cuDriverGetVersion", code));
    if (const int code = api.init(0); code != 0)
        return say(cuda, Json::array(), code, words_of(api, "cuInit", code));
    return say(cuda, devices_of(api), 0, "");
}

}  // namespace ptxguard
