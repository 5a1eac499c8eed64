// Child process: calls the CUDA driver interface in a driver's library. cuDriverGetVersion needs neither a
// GPU nor the kernel module; a stub answers every call with 34.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "model/json.hpp"
#include "probe/child.hpp"
#include "probe/cuda_interface.hpp"

namespace ptxguard {

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

}  // namespace ptxguard
