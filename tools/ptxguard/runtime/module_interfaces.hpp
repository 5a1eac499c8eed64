// What the modules of a package ask of its framework, all of them together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "load/modules.hpp"
#include "model/framework.hpp"

namespace ptxguard {

class ModuleInterfaces {
public:
    void add(const std::string& package, const LoadedModule& module) {
        Interface& all = m_all[package];
        all.stable = all.stable && module.decided && module.stable_abi;
        all.whole = all.whole && module.decided && module.undefined.empty();
    }

    // What the table says of its release counts less than what its modules find.
    void settle(InstalledCompanion& companion) const {
        const auto found = m_all.find(companion.package);
        companion.stable_abi = found != m_all.end() && found->second.stable;
        if (found != m_all.end() && found->second.whole &&
            companion.built_for.origin.kind == OriginKind::table)
            companion.built_for = {};
    }

private:
    // Only interfaces that the framework keeps; each function is there.
    struct Interface {
        bool stable = true, whole = true;
    };
    std::map<std::string, Interface> m_all;
};

}  // namespace ptxguard
