// Declared drivers first (they are what the user builds for), then the one of this machine.
// SPDX-License-Identifier: Apache-2.0
#include "discover/discover.hpp"
#include "discover/driver_libraries.hpp"
#include "discover/targets.hpp"
#include "host/paths.hpp"

namespace ptxguard {

namespace {

void add(Scenario& scenario, Driver driver) {
    driver.id = "driver" + std::to_string(scenario.drivers.size() + 1);
    scenario.drivers.push_back(std::move(driver));
}

// The CUDA release that drivers of this branch report, if a table lists the branch.
Known<Version> release_of_branch(const Facts& facts, const Known<Version>& driver) {
    const DriverBranch* branch = driver ? facts.driver_branch(*driver) : nullptr;
    return branch && branch->cuda ? Known<Version>{*branch->cuda, branch->origin} : Known<Version>{};
}

// "535.104.05", "535", "R535".
void declare_version(const Facts& facts, const std::string& text, Scenario& scenario) {
    std::string word = trim(text);
    if (!word.empty() && (word.front() == 'R' || word.front() == 'r')) word.erase(0, 1);
    Origin origin = Origin::from_option("--driver");
    origin.text = "--driver " + trim(text);
    const auto version = parse_version(word);
    if (!version || version->major() < 100) {
        scenario.unreadable.push_back({"--driver " + text,
                                       "is not a driver version such as 550.54.14 or a branch such as 550",
                                       true, origin});
        return;
    }
    Driver driver;
    driver.declared = true;
    driver.version = {*version, origin};
    driver.origin = origin;
    driver.cuda = release_of_branch(facts, driver.version);
    add(scenario, driver);
}

void declare_libraries(const Host& host, const Facts& facts, const std::string& place, Scenario& scenario) {
    Origin origin = Origin::from_option("--driver-libs");
    origin.text = "--driver-libs " + place;
    const auto libraries = find_jit_libraries(host, place);
    if (libraries.empty()) {
        const char* name =
            host.system() == System::windows ? "nvptxJITCompiler64.dll" : "libnvidia-ptxjitcompiler.so.1";
        const bool missing = host.status(place).type == FileType::missing;
        scenario.unreadable.push_back({"--driver-libs " + place,
                                       missing ? "does not exist" : std::string("holds no ") + name, true,
                                       origin});
    }
    for (const auto& library : libraries) {
        Driver driver;
        driver.declared = true;
        driver.jit = {library};
        driver.version = library.driver_version;
        driver.cuda = release_of_branch(facts, library.driver_version);
        if (!driver.cuda) driver.cuda = jit_release(host, library);
        const LibCuda beside = libcuda_in(host, parent_path(library.real_path));
        driver.libcuda = beside.path;
        driver.stub = beside.stub;
        driver.origin = origin;
        add(scenario, driver);
    }
}

// Package manager variables that mean "a driver for this CUDA release".
bool declare_from_variables(const Host& host, Scenario& scenario) {
    for (const char* name : {"CONDA_OVERRIDE_CUDA", "NV_VARIANT_PROVIDER_FORCE_CUDA_DRIVER_VERSION"}) {
        const std::string value = trim(host.env(name).value_or(""));
        if (value.empty()) continue;
        const Origin origin = Origin::from_variable(name, std::string(name) + "=" + value);
        const auto version = parse_version(value);
        if (!version) {
            scenario.unreadable.push_back(
                {name, "is not a CUDA release such as 12.4: " + value, true, origin});
            continue;
        }
        Driver driver;
        driver.declared = true;
        driver.cuda = {*version, origin};
        driver.origin = origin;
        add(scenario, driver);
        return true;
    }
    return false;
}

Known<std::string> setting_of(const Host& host, const std::string& name) {
    const std::string value = trim(host.env(name).value_or(""));
    if (value.empty()) return {};
    return {value, Origin::from_variable(name, name + "=" + value)};
}

}  // namespace

void declare_drivers_and_gpus(const Host& host, const Facts& facts, const Request& request,
                              Scenario& scenario) {
    for (const auto& text : request.drivers) declare_version(facts, text, scenario);
    for (const auto& place : request.driver_libs) declare_libraries(host, facts, place, scenario);
    if (request.drivers.empty() && request.driver_libs.empty()) declare_from_variables(host, scenario);
    declare_gpus(facts, request, scenario);
}

void find_drivers(const Facts& facts, const Request& request, Questions& questions, Scenario& scenario) {
    declare_drivers_and_gpus(questions.ask().host(), facts, request, scenario);
    const Host& host = questions.ask().host();
    scenario.container = sign_of_container(host);
    if (!scenario.container.empty()) {
        scenario.capabilities = setting_of(host, "NVIDIA_DRIVER_CAPABILITIES");
        scenario.cuda_demand = setting_of(host, "NVIDIA_REQUIRE_CUDA");
    }
    find_driver(questions, scenario);
}

void complete_drivers(const Host& host, Scenario& scenario) {
    for (Driver& driver : scenario.drivers)
        if (!driver.declared && !driver.cuda && !driver.jit.empty())
            driver.cuda = jit_release(host, driver.jit.front());
}

void discover_drivers(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario) {
    Questions questions(ask);
    find_drivers(facts, request, questions, scenario);
    questions.run(k_short_questions);
    complete_drivers(ask.host(), scenario);
    find_gpus_on_bus(ask.host(), facts, scenario);
    resolve_project_words(facts, scenario);
}

// "9.0", "sm_90" and "90" are capabilities; anything else has to be a listed product name.
void declare_gpus(const Facts& facts, const Request& request, Scenario& scenario) {
    for (const auto& text : request.gpus) {
        const std::string name = trim(text);
        if (name.empty()) continue;
        Gpu gpu;
        gpu.name = name;
        gpu.declared = true;
        gpu.origin = Origin::from_option("--gpu");
        gpu.origin.text = "--gpu " + name;
        if (const auto arch = parse_arch(name))
            gpu.arch = {*arch, gpu.origin};
        else
            gpu.arch = facts.gpu_by_name(name);
        if (!gpu.arch)
            scenario.unreadable.push_back({"--gpu " + name,
                                           "is not one listed GPU: give its compute capability, such as 9.0",
                                           true, gpu.origin});
        scenario.gpus.push_back(gpu);
    }
}

}  // namespace ptxguard
