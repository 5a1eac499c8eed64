// What decides whether a driver whose files are here can work: the container and its options, the running
// kernel, WSL's own library, the fabric manager, and the variable that hides GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/host.hpp"
#include "model/driver.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Only programs of NixOS have it in their own search list.
constexpr const char* k_of_nixos = "/run/opengl-driver/lib";
bool only_nixos_searches(const Host& host, const std::string& folder);

// "/.dockerenv", "NVIDIA_VISIBLE_DEVICES=all"; empty = no sign.
std::string sign_of_container(const Host& host);
void find_container(const Host& host, Scenario& scenario);
// libnvidia-ml.so.1 that a container runtime has put into one of the folders, beside no libcuda.so.1.
Known<std::string> injected_nvml(const Host& host, const std::vector<std::string>& folders);
void find_surroundings(const Host& host, Driver& driver);
// Whether the files of another machine and CUDA_VISIBLE_DEVICES show that programs see no GPU there.
bool hides_every_gpu(const Host& host, const std::string& visible_devices);

}  // namespace ptxguard
