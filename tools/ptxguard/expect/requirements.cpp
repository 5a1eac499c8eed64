// SPDX-License-Identifier: Apache-2.0
#include "expect/requirements.hpp"

#include "facts/libraries.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_torch = "torch";

// "cumm-cu" of cumm-cu120, "cupy-cuda" of cupy-cuda12x; empty if the name contains no CUDA release.
std::string cuda_family(const std::string& package) {
    for (const char* mark : {"-cuda", "-cu"}) {
        const std::size_t at = package.rfind(mark);
        const std::size_t digits = at + std::string_view(mark).size();
        if (at == std::string::npos || digits >= package.size()) continue;
        std::size_t end = package.find_first_not_of("0123456789", digits);
        if (end == digits) continue;
        if (end != std::string::npos && package[end] == 'x') ++end;
        if (end == std::string::npos || end == package.size()) return package.substr(0, digits);
    }
    return {};
}

// A pre-release of NVIDIA's images (2.10.0a0+nv25.10) has what its release has.
Version as_release(const Version& version) {
    std::string text;
    for (const int number : version.numbers) text += (text.empty() ? "" : ".") + std::to_string(number);
    return parse_version(text).value_or(version);
}

bool met_by(const std::string& range, const Version& installed) {
    return accepts(range, installed) || accepts(range, as_release(installed));
}

class Search {
public:
    Search(const Host& host, PythonEnvironment& python) : m_host(host), m_python(python) {}

    void judge(const InstalledWheel& wheel, const SitePlace& place) {
        for (const WheelRequirement& one : wheel.metadata.requirements) {
            // The Python and the machine are not known here.
            const bool open = one.marker.find("python") != std::string::npos ||
                              one.marker.find("machine") != std::string::npos;
            if (open || !one.applies(m_host.system()) || !nvidia_component(one.name).empty()) continue;
            const std::string family = cuda_family(one.name);
            if (family.empty() && (one.name != k_torch || one.pinned())) continue;
            const Known<Version> installed = version_of(one.name);
            if (installed && !met_by(one.specifier, *installed)) add(wheel, one, one.name, installed);
            if (!installed && !family.empty()) add_sibling(wheel, one, family, place);
        }
    }

private:
    // From the first folder that has it, as Python finds it.
    Known<Version> version_of(const std::string& package) const {
        for (const SitePlace& place : m_python.places)
            if (const Known<Version> version = installed_version(m_host, place.folder, {package}))
                return version;
        return {};
    }

    void add(const InstalledWheel& wheel, const WheelRequirement& wanted, const std::string& other,
             const Known<Version>& version) {
        m_python.unmet.push_back({canonical_package(wheel.metadata.name), wheel.version(),
                                  wanted.name + wanted.specifier, other, version});
    }

    // The required one is not there, and the one for another CUDA is.
    void add_sibling(const InstalledWheel& wheel, const WheelRequirement& wanted, const std::string& family,
                     const SitePlace& place) {
        for (const std::string& other : place.records)
            if (other != wanted.name && cuda_family(other) == family)
                return add(wheel, wanted, other, version_of(other));
    }

    const Host& m_host;
    PythonEnvironment& m_python;
};

}  // namespace

void find_unmet_requirements(const Host& host, const Facts& facts, Scenario& scenario) {
    PythonEnvironment& python = scenario.python;
    Search search(host, python);
    for (const SitePlace& place : python.places) {
        std::vector<std::string> names;
        for (const std::string& name : place.records)
            if (!cuda_family(name).empty() || companion_of(facts, k_torch, name)) names.push_back(name);
        if (names.empty()) continue;
        for (const InstalledWheel& wheel : installed_wheels(host, place.folder, names))
            search.judge(wheel, place);
    }
}

}  // namespace ptxguard
