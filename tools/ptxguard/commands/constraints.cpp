// SPDX-License-Identifier: Apache-2.0
#include "commands/constraints.hpp"

#include <algorithm>
#include <set>

#include "commands/command.hpp"
#include "commands/run.hpp"
#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "host/output.hpp"
#include "judge/fitting_builds.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"
#include "python/marker.hpp"
#include "python/release.hpp"

namespace ptxguard {
namespace {

bool stays(const Requirement& requirement) {
    return requirement.pinned() || !nvidia_component(requirement.name).empty();
}

// A requirement of another system or of an extra that nobody asked for is not installed, and adds no line.
void add_installed(const Host& host, const std::string& site, const std::string& package,
                   std::set<std::string>& seen, std::vector<std::string>& lines) {
    if (package.empty() || !seen.insert(package).second) return;
    for (const InstalledWheel& wheel : installed_wheels(host, site, {package})) {
        if (!parse_python_release(wheel.metadata.version)) continue;
        lines.push_back(package + "==" + wheel.metadata.version);
        for (const WheelRequirement& requirement : wheel.metadata.requirements)
            if (stays(requirement)) add_installed(host, site, requirement.name, seen, lines);
    }
}

// PyPI's table speaks of PyPI's build.
void add_planned(const std::string& package, const Version& version, const Facts& facts,
                 std::vector<std::string>& lines) {
    const std::string line = package + "==" + version.text;
    if (contains(lines, line)) return;
    lines.push_back(line);
    const PypiRow* row = version.local().empty() ? pypi_row(facts, package, version) : nullptr;
    if (!row) return;
    for (const Requirement& requirement : row->required)
        if (const auto pinned = requirement.pinned();
            pinned && holds(requirement.marker, usual({})) == Truth::yes)
            add_planned(requirement.name, *pinned, facts, lines);
}

}  // namespace

std::vector<std::string> installed_constraints(const Host& host, const Scenario& scenario) {
    std::vector<std::string> lines;
    std::set<std::string> seen;
    for (const Expectation& one : scenario.expectations) {
        if (one.declared || one.site.empty()) continue;
        for (const std::string& package : {one.package, one.build_package, one.jax.plugin, one.jax.pjrt,
                                           std::string(one.jax.jaxlib ? "jaxlib" : "")})
            add_installed(host, one.site, package, seen, lines);
        for (const InstalledCompanion& companion : one.companions)
            add_installed(host, one.site, companion.package, seen, lines);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

std::vector<std::string> planned_constraints(const Step& build, const Scenario& machine, const Facts& facts) {
    std::vector<std::string> lines;
    add_planned(build.subject, build.version, facts, lines);
    for (const std::string& bound : bounds_for_gpus(build, machine, facts)) lines.push_back(bound);
    std::sort(lines.begin(), lines.end());
    return lines;
}

int write_constraints(const Settings& settings, const std::vector<std::string>& lines, bool wrong, int code) {
    if (!settings.has("constraints") || code == exit_usage) return code;
    const std::string file = settings.one("constraints");
    if (wrong || code != exit_ok) {
        own::print_error("ptxguard: " + file + " is not written: something is wrong\n");
        return code;
    }
    if (lines.empty()) {
        own::print_error("ptxguard: " + file +
                         " is not written: no framework that pip installed was found\n");
        return exit_findings;
    }
    std::string text =
        "# Written by ptxguard: keeps these packages through later installs. Use it with\n"
        "# pip install --constraint FILE, uv pip install --constraint FILE, or PIP_CONSTRAINT=FILE.\n";
    for (const std::string& line : lines) text += line + "\n";
    if (const auto trouble = own::write_output(file, text)) {
        own::print_error("ptxguard: " + trouble->text() + "\n");
        return exit_usage;
    }
    return code;
}

}  // namespace ptxguard
