// SPDX-License-Identifier: Apache-2.0
#include "expect/pins.hpp"

#include "facts/compared.hpp"
#include "facts/libraries.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

bool is_compiled_for(const WheelRequirement& requirement) {
    return !nvidia_component(requirement.name).empty() || requirement.name == "triton" ||
           requirement.name == "pytorch-triton";
}

}  // namespace

bool begins_as(const Version& version, const Version& pin) {
    for (std::size_t i = 0; i < pin.numbers.size(); ++i)
        if (version.at(i) != pin.at(i)) return false;
    return true;
}

void add_pins(const InstalledWheel& wheel, System system, const std::string& extra,
              std::vector<WheelRequirement>& pins) {
    for (const WheelRequirement& requirement : wheel.metadata.requirements)
        if (is_compiled_for(requirement) && requirement.pinned() && requirement.applies(system, extra) &&
            (extra.empty() || !requirement.applies(system)))
            pins.push_back(requirement);
}

std::vector<WheelRequirement> pins_of(const Host& host, const std::string& site, const std::string& package,
                                      const std::vector<std::string>& extras) {
    std::vector<WheelRequirement> pins;
    const auto own = installed_wheels(host, site, {package});
    if (own.empty()) return pins;
    for (const std::string& extra : extras) add_pins(own.front(), host.system(), extra, pins);
    const auto toolkit = installed_wheels(host, site, {"cuda-toolkit"});
    for (std::size_t i = 0; i < pins.size() && !toolkit.empty(); ++i)
        if (pins[i].name == "cuda-toolkit") {
            const std::vector<std::string> parts = pins[i].extras;  // `pins` grows
            for (const std::string& part : parts) add_pins(toolkit.front(), host.system(), part, pins);
        }
    return pins;
}

namespace {

// Null also if one of two records of the package meets the pin: which of them has its files is not known.
const InstalledWheel* unmet_by(const std::vector<InstalledWheel>& installed, const WheelRequirement& pin) {
    const InstalledWheel* other = nullptr;
    for (const InstalledWheel& wheel : installed) {
        const Known<Version> version = wheel.version();
        if (canonical_package(wheel.metadata.name) != pin.name || !version) continue;
        if (begins_as(*version, *pin.pinned())) return nullptr;
        other = &wheel;
    }
    return other;
}

}  // namespace

void find_unmet_pins(const Host& host, Expectation& expectation) {
    if (expectation.site.empty() || !expectation.version || !expectation.trouble.empty()) return;
    if (!expectation.cuda || !expectation.may_use_cuda()) return;
    const auto of_record = [](const Disagreement& one) { return one.what == k_record; };
    const auto& others = expectation.disagreements;
    if (any_of(others, of_record)) return;  // the pins are not of these files
    const std::vector<WheelRequirement> pins =
        pins_of(host, expectation.site, expectation.package, {std::string()});
    std::vector<std::string> names;
    for (const WheelRequirement& pin : pins) names.push_back(pin.name);
    if (names.empty()) return;
    const auto installed = installed_wheels(host, expectation.site, names);
    for (const WheelRequirement& pin : pins) {
        const InstalledWheel* other = unmet_by(installed, pin);
        if (other) expectation.unmet_pins.push_back({pin.name, other->version(), *pin.pinned()});
    }
}

}  // namespace ptxguard
