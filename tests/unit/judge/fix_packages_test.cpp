// No fix names a package that nobody publishes for the CUDA at hand, or that of another CUDA.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <regex>
#include <set>
#include <string>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/package_builds.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

using namespace ptxguard;

namespace {

const Facts& facts() {
    static const Facts all = Facts::embedded();
    return all;
}

// Library file -> its packages, by CUDA major.
std::map<int, std::map<std::string, std::set<std::string>>> all_packages() {
    std::map<int, std::map<std::string, std::set<std::string>>> all;
    for (const int major : majors_with_packages(facts())) {
        const std::string path = "sonames/" + std::to_string(major) + ".json";
        const auto table = parse_json(*facts().text(path), path);
        for (const Json& row : (*table)["libraries"].items())
            for (const Json& file : row["linux"].items())
                all[major][file["name"].as_string()].insert(row["package"].as_string());
    }
    return all;
}

// "nvidia-cublas-cu12" of "pip install nvidia-cublas-cu12 'nvidia-cudnn-cu12>=9,<10', and add ..."
std::set<std::string> packages_in(const std::vector<Fix>& fixes) {
    static const std::regex k_package("[a-z][a-z0-9]*(-[a-z0-9]+)*-cu(da)?[0-9x]+|nvidia-[a-z0-9-]+");
    std::set<std::string> found;
    for (const Fix& fix : fixes)
        for (auto at = std::sregex_iterator(fix.text.begin(), fix.text.end(), k_package);
             at != std::sregex_iterator(); ++at)
            found.insert(at->str());
    return found;
}

LoadedFile missing(const std::string& name) {
    LoadedFile file;
    file.name = name;
    return file;
}

void check_library(const std::string& file, int cuda,
                   const std::map<int, std::map<std::string, std::set<std::string>>>& all) {
    const auto own = library_by_file_name(facts(), file);
    const int expected = own && own->cuda_major ? own->cuda_major : cuda;
    std::vector<Fix> fixes = get_library_fix(file, facts(), expected);
    append(fixes, get_libraries_fix({missing(file)}, cuda, facts()));
    for (const std::string& package : packages_in(fixes)) {
        const auto there = all.at(expected).find(file);
        const bool has = there != all.at(expected).end() && there->second.count(package) > 0;
        const std::string said = file + " for CUDA " + std::to_string(cuda) + ": " + package;
        CHECK_MESSAGE(has, said);
    }
}

Scenario with_driver(const char* version) {
    Scenario scenario;
    Driver driver;
    driver.id = "driver1";
    driver.declared = true;
    driver.version = {*parse_version(version), Origin{}};
    scenario.drivers.push_back(driver);
    return scenario;
}

}  // namespace

TEST_CASE("a fix for a missing library names the package of the CUDA at hand, or none") {
    const auto all = all_packages();
    REQUIRE(all.size() == 3);
    for (const auto& by_major : all)
        for (const auto& row : by_major.second)
            for (const auto& wanted : all) check_library(row.first, wanted.first, all);
}

TEST_CASE("a fix for cuDNN names a release that PyPI has for that CUDA") {
    Expectation framework;
    framework.how = Installation::wheel;
    for (const int cuda : {9, 10, 11, 12, 13, 14, 15})
        for (const char* wanted : {"7", "7.6", "8", "8.9", "8.9.7", "9", "9.1", "9.12", "10"}) {
            const Fix fix = get_cudnn_fix(&framework, *parse_version(wanted), facts(), cuda);
            for (const std::string& package : packages_in({fix})) {
                const PypiPackage* table = pypi_package(facts(), package);
                CHECK_MESSAGE(package == "nvidia-cudnn-cu" + std::to_string(cuda), fix.text);
                REQUIRE_MESSAGE(table, fix.text);
                const std::size_t at = fix.text.find(">="), end = fix.text.find('\'', at);
                const std::string range = fix.text.substr(at, end - at);
                CHECK_MESSAGE(any_of(table->releases,
                                     [&](const PypiRelease& one) { return accepts(range, one.version); }),
                              fix.text);
            }
        }
}

TEST_CASE("the CUDA whose packages belong here: named, of the frameworks, of the driver, of the GPU") {
    CHECK(cuda_that_fits(Scenario{}, facts()) == 0);
    CHECK(cuda_that_fits(Scenario{}, facts(), "cuquantum-python-cu12") == 12);
    CHECK(cuda_that_fits(with_driver("470.256.02"), facts()) == 11);
    CHECK(cuda_that_fits(with_driver("535.183.06"), facts()) == 12);
    CHECK(cuda_that_fits(with_driver("580.65.06"), facts()) == 13);
    Scenario torch = with_driver("580.65.06");
    torch.expectations.push_back({});
    torch.expectations.back().framework = "PyTorch";
    torch.expectations.back().cuda = {*parse_version("12.8"), Origin{}};
    CHECK(cuda_that_fits(torch, facts()) == 12);
    // Two frameworks for two CUDAs decide nothing.
    torch.expectations.push_back(torch.expectations.back());
    torch.expectations.back().cuda = {*parse_version("11.8"), Origin{}};
    CHECK(cuda_that_fits(torch, facts()) == 13);
    Scenario volta = with_driver("580.65.06");
    Gpu gpu;
    gpu.arch = {Arch{70, 0}, Origin{}};
    volta.gpus.push_back(gpu);
    CHECK(cuda_that_fits(volta, facts()) == 12);
}

TEST_CASE("of two builds the one is kept whose CUDA the libraries here are of") {
    SharedFile shared;
    shared.package = shared.owner = "cupy-cuda11x";
    shared.other = "cupy-cuda12x";
    shared.version = {*parse_version("13.6.0"), Origin{}};
    shared.other_version = {*parse_version("14.2.0"), Origin{}};
    shared.mixed = true;
    Scenario scenario;
    CHECK(build_to_keep(scenario, facts(), shared).package == "cupy-cuda11x");
    scenario.python.places.push_back({"/site", false, {"nvidia-cublas-cu12"}});
    const KeptBuild kept = build_to_keep(scenario, facts(), shared);
    CHECK(kept.package == "cupy-cuda12x");
    CHECK(kept.version->text == "14.2.0");
    CHECK(kept.against == "nvidia-cublas-cu12 is installed, for CUDA 12");
    // Both are there: the driver decides.
    scenario.python.places[0].records.push_back("nvidia-cublas-cu11");
    CHECK(build_to_keep(scenario, facts(), shared).package == "cupy-cuda11x");
    scenario.drivers = with_driver("470.256.02").drivers;
    CHECK(build_to_keep(scenario, facts(), shared).against == "driver 470.256.02 is too old for CUDA 12");
}
