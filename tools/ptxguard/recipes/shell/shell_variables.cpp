// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_variables.hpp"

namespace ptxguard::recipes {

const Written* Variables::exported_value(std::string_view name) const {
    const Variable* found = find(name);
    return found && found->exported ? &found->value : nullptr;
}

void Variables::set(const std::string& name, Variable variable) {
    const auto shared = std::make_shared<Variable>(std::move(variable));
    m_all.set(name, shared);
    if (shared->exported)
        m_exported.set(name, shared);
    else
        m_exported.erase(name);
    if (shared->exported && shared->assigned_here)
        m_own_exports.set(name, shared->value);
    else
        m_own_exports.erase(name);
}

void Variables::erase(std::string_view name) {
    m_all.erase(name);
    m_exported.erase(name);
    m_own_exports.erase(name);
}

Variable Variables::take(const std::string& name) {
    const Shared* found = m_all.find(name);
    if (!found) return {};
    const Shared shared = *found;
    erase(name);
    // Another copy of the variables may still have it.
    return shared.use_count() == 1 ? std::move(*shared) : *shared;
}

Variables Variables::inherited() const {
    Variables result = *this;
    result.m_all = m_exported;
    return result;
}

}  // namespace ptxguard::recipes
