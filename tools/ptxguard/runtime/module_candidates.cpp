// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_candidates.hpp"

#include <cstdint>
#include <map>
#include <utility>

#include "host/together.hpp"
#include "load/modules.hpp"
#include "runtime/module_kinds.hpp"

namespace ptxguard {
namespace {

class CandidateSearch {
public:
    CandidateSearch(const Host& host, const std::vector<PackageFiles>& packages, std::size_t listed,
                    const Scenario& scenario)
        : m_host(host), m_packages(packages), m_listed(listed), m_scenario(scenario) {}

    ModuleCandidates run(const Facts& facts, const IsUsed& is_used) {
        std::vector<ModuleCandidate> all;
        for (std::size_t i = 0; i < m_packages.size(); ++i)
            for (const std::string& path : m_packages[i].modules)
                if (i >= m_listed || (!is_left_out(m_packages[i], m_scenario) && is_used(path, i)))
                    all.push_back({path, i, {}, ""});
        run_for_each(all.size(), [&](std::size_t i) { all[i].head = module_head(m_host, all[i].path); });
        NeededNames names(facts);
        const std::uint16_t machine = machine_of_environment(m_host, m_scenario.python, heads_of(all));
        ModuleCandidates found;
        for (ModuleCandidate& one : all) {
            one.provider = names.provider_of(one.head.needed);
            if (one.provider.empty() && !names.any_of_nvidia(one.head.needed)) continue;
            if (machine && one.package < m_listed && one.head.machine != machine) {
                found.foreign.push_back(std::move(one));
                continue;
            }
            if (brings_provider(m_host, one.path, one.head.needed, names)) one.provider.clear();
            one.links = !one.provider.empty();
            if (!one.links && one.package < m_listed)
                one.provider = provider_required_by(m_packages[one.package]);
            found.fitting.push_back(std::move(one));
        }
        return found;
    }

private:
    std::vector<HeadOfPackage> heads_of(const std::vector<ModuleCandidate>& all) const {
        std::vector<HeadOfPackage> heads;
        for (const ModuleCandidate& one : all)
            if (one.package < m_listed) heads.push_back({one.package, one.head});
        for (std::size_t i = 0; i < m_listed; ++i)
            if (!m_packages[i].modules.empty() && is_left_out(m_packages[i], m_scenario))
                heads.push_back({i, module_head(m_host, m_packages[i].modules.front())});
        return heads;
    }

    std::string provider_required_by(const PackageFiles& package) {
        if (package.record.empty()) return {};
        const auto [known, is_new] = m_providers.emplace(package.record, "");
        // A package that requires torch imports it before its own libraries.
        if (is_new && requires_package(m_host, package, "torch")) known->second = "torch";
        return known->second;
    }

    const Host& m_host;
    const std::vector<PackageFiles>& m_packages;
    const std::size_t m_listed;
    const Scenario& m_scenario;
    std::map<std::string, std::string> m_providers;
};

}  // namespace

ModuleCandidates candidates_in(const Host& host, const Facts& facts,
                               const std::vector<PackageFiles>& packages, std::size_t listed,
                               const Scenario& scenario, const IsUsed& is_used) {
    return CandidateSearch(host, packages, listed, scenario).run(facts, is_used);
}

}  // namespace ptxguard
