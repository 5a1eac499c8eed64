// Names that modules need, and who provides them.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "load/modules.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

NeededNames::NeededNames(const Facts& facts) : m_facts(facts) {
    for (const PackageHabit& habit : package_habits(facts, System::linux_))
        for (const std::string& name : habit.lends) m_providers.emplace(name, habit.package);
}

std::string NeededNames::provider_of(const std::vector<std::string>& needed) const {
    for (const std::string& name : needed)
        if (const auto provider = m_providers.find(name); provider != m_providers.end())
            return provider->second;
    return {};
}

bool NeededNames::any_of_nvidia(const std::vector<std::string>& needed) {
    return any_of(needed, [&](const std::string& name) {
        const auto [known, is_new] = m_of_nvidia.emplace(name, false);
        if (is_new) {
            const auto library = library_by_file_name(m_facts, name);
            known->second = library && !library->driver;
        }
        return known->second;
    });
}

}  // namespace ptxguard
