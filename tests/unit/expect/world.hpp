// Parts of installed frameworks for tests, modelled on the real ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "expect/expect.hpp"
#include "host/fake_host.hpp"
#include "judge/package_conflicts.hpp"
#include "packages/python.hpp"

namespace ptxguard {

inline const std::string k_site = "/s/site-packages";

inline std::vector<Conflict> conflicts(const Expectation& framework) {
    return package_conflicts(framework, Facts::embedded());
}

inline std::string version_py(const std::string& version, const std::string& cuda) {
    return "from typing import Optional\n\n__all__ = ['__version__', 'debug', 'cuda', 'hip']\n__version__ = "
           "'" +
           version + "'\ndebug = False\ncuda: Optional[str] = " + cuda +
           "\ngit_version = 'abc'\nhip: Optional[str] = None\n";
}

inline std::string torch_config(const std::string& abi, const std::string& standard) {
    const std::string flags =
        "if(CMAKE_SYSTEM_NAME STREQUAL \"Linux\")\n  set(TORCH_CXX_FLAGS \"-D_GLIBCXX_USE_CXX11_ABI=" + abi +
        "\")\nendif()\n";
    return (abi.empty() ? "" : flags) + "set_target_properties(torch PROPERTIES\n    CXX_STANDARD " +
           standard + "\n)\n";
}

inline FakeHost& add_torch(FakeHost& host, const std::string& site, const std::string& version,
                           const std::string& cuda) {
    return host.file(site + "/torch/__init__.py").file(site + "/torch/version.py", version_py(version, cuda));
}

inline FakeHost& add_record(FakeHost& host, const std::string& site, const std::string& name,
                            const std::string& version, const std::string& requirements = {}) {
    const std::string folder = site + "/" + name + "-" + version + ".dist-info";
    return host
        .file(folder + "/METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: " + version + "\n" +
                                        requirements + "\nText\n")
        .file(folder + "/INSTALLER", "pip\n");
}

inline Scenario look(const FakeHost& host, const Request& request = {}) {
    Scenario scenario;
    scenario.system = host.system();
    find_python(host, request, scenario);
    expect(host, Facts::embedded(), request, scenario);
    return scenario;
}

inline Request python(const std::string& value) {
    Request request;
    request.python = value;
    return request;
}

inline Request framework(const std::string& value) {
    Request request;
    request.frameworks = {value};
    return request;
}

// The expectation of the only framework that is found.
inline Expectation only(const FakeHost& host, const Request& request) {
    const Scenario scenario = look(host, request);
    REQUIRE(scenario.expectations.size() == 1);
    return scenario.expectations[0];
}

inline Expectation only(const FakeHost& host, const std::string& site = k_site) {
    return only(host, python(site));
}

// The expectation from --framework only.
inline Expectation named(const std::string& value, System system = System::linux_) {
    const Scenario scenario = look(FakeHost(system), framework(value));
    REQUIRE(scenario.expectations.size() == 1);
    return scenario.expectations[0];
}

// One intact installation, which bad_input_test.cpp damages.
struct DamagedInstallation {
    const char* framework;
    std::string distribution, version;  // of the package with the CUDA part
    std::string module;                 // folder
    std::string version_file;           // that contains the version
    std::string cuda;                   // as the reader reports it; empty: only from libraries
    std::function<void(FakeHost&)> lay;
};

// One of each framework.
std::vector<DamagedInstallation>& installations();
// Adds that of the framework whose test has a global of this type.
struct AddInstallation {
    explicit AddInstallation(DamagedInstallation one) { installations().push_back(std::move(one)); }
};

}  // namespace ptxguard
