// JAX: `jax` and `jaxlib`, and the plugin packages with its CUDA part (jax-cuda12-plugin with
// jax-cuda12-pjrt); up to 0.4.21 CUDA was in jaxlib itself (0.4.7+cuda12.cudnn88).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "expect/expect.hpp"
#include "packages/wheels.hpp"

namespace ptxguard::jax {

std::vector<Expectation> read(const Host& host, const SitePlace& place);
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build);

// jaxlib's local version: "cuda12.cudnn88" is CUDA 12 with cuDNN 8.8, "cuda11.cudnn805" 11 with 8.0.5,
// "cuda111" 11.1.
struct LocalTag {
    std::optional<Version> cuda, cudnn;
};
LocalTag read_local_tag(const std::string& tag);
// CUDA_VERSION 12080 is 12.8; CUDNN_VERSION 8904 is 8.9.4, 90501 is 9.5.1.
std::optional<Version> cuda_of_number(std::uint32_t number);
std::optional<Version> cudnn_of_number(std::uint32_t number);
// CUDA and cuDNN that `folder`/_versions.so was built with; fills only what is still unknown.
void read_built_versions(const Host& host, const std::string& folder, Expectation& expectation);

// The packages in one site-packages folder.
struct Site {
    const Host& host;
    std::string folder;
    std::vector<InstalledWheel> wheels;  // jax*, jaxlib
};
Site look_at(const Host& host, const std::string& folder);
const InstalledWheel* wheel_of(const Site& site, const std::string& package);
// The version of a package: its record's, unless its version.py has another one.
Known<Version> version_of(const Site& site, const std::string& package, const std::string& folder);

// A package with JAX's CUDA part.
struct Plugin {
    std::string package;     // "jax-cuda12-plugin"
    int cuda_major = 0;      // 12
    std::string modules;     // .../jax_cuda12_plugin; empty if missing
    std::string pjrt;        // .../jax_plugins/xla_cuda12, likewise
    Known<Version> version;  // of `modules`, else of `pjrt`
    Known<Version> pjrt_version;
    bool has_library = false;  // xla_cuda_plugin.so exists
};
// The newest CUDA major first, in jaxlib's search order.
std::vector<Plugin> find_plugins(const Site& site);
void read_plugin(const Site& site, const Plugin& plugin, Expectation& expectation);
// The releases of jax, jaxlib and the plugin that is used.
void read_packages(const Site& site, const std::vector<Plugin>& plugins, Expectation& expectation);

}  // namespace ptxguard::jax
