// SPDX-License-Identifier: Apache-2.0
#include "expect/compared.hpp"

#include <map>

#include "facts/compared.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// Versions of installed packages, each searched once.
class Versions {
public:
    Versions(const Host& host, const PythonEnvironment& python) : m_host(host), m_python(python) {}

    // From the first folder that has it, as Python finds it.
    const Known<Version>& of(const std::string& package) {
        const auto [known, is_new] = m_known.try_emplace(package);
        for (const SitePlace& place : m_python.places) {
            if (!is_new || known->second) break;
            known->second = installed_version(m_host, place.folder, {package});
        }
        return known->second;
    }

private:
    const Host& m_host;
    const PythonEnvironment& m_python;
    std::map<std::string, Known<Version>> m_known;
};

std::string set_variable(const Host& host, const std::vector<std::string>& names) {
    for (const std::string& name : names)
        if (!host.env(name).value_or("").empty()) return name;
    return {};
}

}  // namespace

void find_compared_packages(const Host& host, const Facts& facts, Scenario& scenario) {
    PythonEnvironment& python = scenario.python;
    Versions versions(host, python);
    for (const ComparedRow& row : compared_rows(facts)) {
        const Known<Version>& of = versions.of(row.of);
        if (!of || !row.covers(*of)) continue;
        const Known<Version>& version = versions.of(row.package);
        if (!version || (!row.unless.empty() && versions.of(row.unless))) continue;
        python.compared.push_back({row.package, row.of, version, of, set_variable(host, row.off_by)});
    }
}

namespace {

// One that requires it always, not by an extra.
std::string package_that_requires(const Host& host, const PythonEnvironment& python,
                                  const std::string& package) {
    for (const SitePlace& place : python.places)
        for (const InstalledWheel& wheel : installed_wheels(host, place.folder, place.records))
            if (wheel.requires_always(package, host.system())) return canonical_package(wheel.metadata.name);
    return {};
}

}  // namespace

void find_driver_bound_packages(const Host& host, const Facts& facts, Scenario& scenario) {
    PythonEnvironment& python = scenario.python;
    Versions versions(host, python);
    const auto add = [&](const std::string& package, bool is_consumer) {
        const auto is_it = [&](const DriverBoundPackage& one) { return one.package == package; };
        const Known<Version>& version = package.empty() ? Known<Version>{} : versions.of(package);
        if (!version || any_of(python.driver_bound, is_it)) return;
        python.driver_bound.push_back(
            {package, version, is_consumer ? package_that_requires(host, python, package) : ""});
    };
    for (const KnownBad& row : facts.known_bad()) {
        if (row.component != "driver" || (!row.systems.empty() && !contains(row.systems, host.system())))
            continue;
        if (!versions.of(row.consumer)) continue;
        add(row.consumer, true);
        add(row.with_component, false);
        add(row.unless, false);
    }
}

}  // namespace ptxguard
