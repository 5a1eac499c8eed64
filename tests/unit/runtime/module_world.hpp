// An environment with torch, in which tests lay packages with native modules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../load/linux_world.hpp"
#include "runtime/module_files.hpp"
#include "runtime/modules.hpp"

namespace ptxguard {

inline const std::string k_site = "/venv/lib/python3.11/site-packages";
inline const std::string k_set_device = "_ZN3c104cuda9SetDeviceEi";

inline built::Elf defining(const std::vector<std::string>& names) {
    built::Elf elf;
    for (const std::string& name : names) elf.symbols.push_back({name, 1});
    return elf;
}
inline built::Elf importing(const std::vector<std::string>& names, const std::string& also_defines = {}) {
    built::Elf elf;
    for (const std::string& name : names) elf.symbols.push_back({name, 0});
    elf.gnu_hash = true;
    if (!also_defines.empty()) elf.symbols.push_back({also_defines, 1, 1, 0x12, 0, 0x400100});
    return elf;
}

// torch of CUDA 13 with libc10_cuda.so that defines these names.
struct Environment : built::LinuxWorld {
    explicit Environment(const std::vector<std::string>& names) {
        const std::string lib = k_site + "/torch/lib/";
        library(k_site + "/nvidia/cu13/lib/libcudart.so.13", {}, defining({"cudaMalloc"}));
        library(lib + "libtorch_global_deps.so", {"libcudart.so.13"},
                rpath("$ORIGIN/../../nvidia/cu13/lib", defining({"deps"})));
        library(lib + "libc10.so", {}, defining({"_ZN3c105ErrorC2Ev"}));
        library(lib + "libc10_cuda.so", {"libc10.so", "libcudart.so.13"}, rpath("$ORIGIN", defining(names)));
        library(lib + "libtorch_python.so", {"libc10_cuda.so"},
                rpath("$ORIGIN", defining({"aoti_torch_old"})));
        record("torch", "2.11.0", "torch/__init__.py,,\ntorch/lib/libc10.so,,\n");
    }

    Environment& record(const std::string& package, const std::string& version, const std::string& files,
                        const std::string& requires_ = {}) {
        const std::string folder = k_site + "/" + package + "-" + version + ".dist-info/";
        file(folder + "METADATA", "Metadata-Version: 2.1\nName: " + package + "\nVersion: " + version + "\n" +
                                      (requires_.empty() ? "" : "Requires-Dist: " + requires_ + "\n"));
        file(folder + "RECORD", files);
        return *this;
    }

    std::vector<NativeModule> check(const std::string& python = "3.11") {
        Scenario scenario;
        scenario.python.path = k_site;
        scenario.python.version = python;
        scenario.python.places.push_back({k_site});
        Expectation torch;
        torch.framework = "PyTorch";
        torch.package = "torch";
        if (!release.empty()) torch.version = {*parse_version(release), {}};
        if (with_cuda) torch.cuda = {*parse_version("13.0"), {}};
        torch.companions.resize(1);
        torch.companions[0].package = "mypkg";
        scenario.expectations.push_back(torch);
        if (with_gpu) scenario.gpus.resize(1);
        if (with_gpu && gpu) scenario.gpus[0].arch.value = gpu;
        if (with_driver) scenario.drivers.resize(1);
        if (with_driver) scenario.drivers[0].libcuda = libcuda;
        check_modules(*this, Facts::embedded(), module_files(*this, scenario.python), named, {}, scenario);
        stable = scenario.expectations[0].companions[0].stable_abi;
        libraries = scenario.package_libraries;
        return scenario.modules;
    }

    static built::Elf rpath(const std::string& text, built::Elf elf) {
        elf.rpath = text;
        return elf;
    }

    std::vector<std::string> named;
    std::vector<PackageLibraries> libraries;  // of the last check
    std::string libcuda;                      // of the driver
    std::string release;                      // of torch; empty = not known
    std::optional<Arch> gpu;
    bool stable = false, with_gpu = false, with_driver = false, with_cuda = false;
};

// An environment with a package "mypkg" that has one module, which imports these functions.
inline Environment with_module(const std::string& init, const std::vector<std::string>& imported,
                               const std::vector<std::string>& needed = {"libc10.so", "libc10_cuda.so"}) {
    Environment host({"_ZN3c104cuda9SetDeviceEab"});
    host.library(k_site + "/mypkg/_C.abi3.so", needed, importing(imported, "PyInit__C"));
    host.file(k_site + "/mypkg/__init__.py", init);
    host.record("mypkg", "1.2", "mypkg/__init__.py,,\nmypkg/_C.abi3.so,sha256=x,1\n", "torch==2.9.1");
    return host;
}

}  // namespace ptxguard
