// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda_interface.hpp"

namespace ptxguard {
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
