// SPDX-License-Identifier: Apache-2.0
#include "expect/compared.hpp"

#include "facts/compared.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// Of the first folder that has it, as Python finds it.
Known<Version> version_in(const Host& host, const PythonEnvironment& python, const std::string& package) {
    for (const SitePlace& place : python.places)
        if (const auto version = installed_version(host, place.folder, {package})) return version;
    return {};
}

std::string set_variable(const Host& host, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (!host.env(name).value_or("").empty()) return name;
    return {};
}

}  // namespace

void find_compared_packages(const Host& host, const Facts& facts, Scenario& scenario) {
    PythonEnvironment& python = scenario.python;
    for (const ComparedRow& row : compared_rows(facts)) {
        const Known<Version> of = version_in(host, python, row.of);
        if (!of || compared_row(facts, row.package, row.of, *of) != &row) continue;
        const Known<Version> version = version_in(host, python, row.package);
        if (!version || (!row.unless.empty() && version_in(host, python, row.unless))) continue;
        python.compared.push_back({row.package, row.of, version, of, set_variable(host, row.off_by)});
    }
}

}  // namespace ptxguard
