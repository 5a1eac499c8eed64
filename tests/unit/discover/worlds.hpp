// Machines for the tests of discover/: toolkits of a few files whose programs answer as NVIDIA's do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "discover/discover.hpp"
#include "host/fake_host.hpp"
#include "host/paths.hpp"
#include "packages/python.hpp"

namespace worlds {

using namespace ptxguard;

inline std::string banner(const std::string& version) {
    const auto parsed = parse_version(version);
    return "Cuda compilation tools, release " + parsed->release() + ", V" + version;
}

inline const char* profile() {
    return "TOP = $(_HERE_)/..\nCICC_PATH = $(TOP)/nvvm/bin\nNVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice\n"
           "LD_LIBRARY_PATH += $(TOP)/lib:\nPATH += $(CICC_PATH):$(_HERE_):\n"
           "INCLUDES += \"-I$(TOP)/$(_TARGET_DIR_)/include\" $(_SPACE_)\n"
           "LIBRARIES =+ $(_SPACE_) \"-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)/stubs\" "
           "\"-L$(TOP)/$(_TARGET_DIR_)/lib$(_TARGET_SIZE_)\"\n";
}

inline void program(FakeHost& host, const std::string& path, const std::string& version) {
    host.program(path, banner(version) + "\nBuild cuda\n");
}

inline void script(FakeHost& host, const std::string& path, const std::string& text,
                   const std::string& out = {}) {
    host.file(path, text).program(path, out);
}

// A whole toolkit in NVIDIA's layout.
inline void toolkit(FakeHost& host, const std::string& root, const std::string& version) {
    for (const char* name : {"nvcc", "ptxas", "cudafe++", "nvlink", "fatbinary"})
        program(host, root + "/bin/" + name, version);
    host.program(root + "/nvvm/bin/cicc", [](const Command&) { return ProcessResult{}; });
    host.file(root + "/bin/nvcc.profile", profile());
    const auto parsed = parse_version(version);
    host.file(
        root + "/include/cuda_runtime_api.h",
        "#define CUDART_VERSION  " + std::to_string(parsed->major() * 1000 + parsed->minor() * 10) + "\n");
    host.file(root + "/include/crt/host_config.h", "");
    host.file(root + "/nvvm/libdevice/libdevice.10.bc", "BC");
    host.file(root + "/lib64/libcudart.so." + version, "");
    host.link(root + "/lib64/libcudart.so", "libcudart.so." + version);
}

inline Scenario look(const FakeHost& host, const Request& request = {}) {
    Scenario scenario;
    scenario.system = host.system();
    scenario.foreign = host.foreign();
    const Facts facts = Facts::with({});
    find_python(host, request, scenario);
    discover_toolkits(host, facts, request, scenario);
    return scenario;
}

// The same with the project's tables.
inline Scenario look_with_tables(const FakeHost& host, const Request& request = {}) {
    Scenario scenario;
    scenario.system = host.system();
    scenario.foreign = host.foreign();
    find_python(host, request, scenario);
    discover_toolkits(host, Facts::embedded(), request, scenario);
    return scenario;
}

inline const Selector* selector(const Scenario& scenario, const std::string& name) {
    for (const auto& one : scenario.selectors)
        if (one.name == name) return &one;
    return nullptr;
}

inline const Pick* pick(const Scenario& scenario, const std::string& consumer) {
    for (const auto& one : scenario.picks)
        if (one.consumer == consumer) return &one;
    return nullptr;
}

inline std::string version_of(const Toolkit& toolkit, PartKind kind) {
    const Part* part = toolkit.part(kind);
    return part && part->version ? part->version->text : "";
}

}  // namespace worlds
