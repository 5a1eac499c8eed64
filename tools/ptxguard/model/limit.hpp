// A bound on what a reader takes from a foreign file. Its number is private and the only comparison reports,
// so no reader can end early and silently.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "model/result.hpp"

namespace ptxguard {

class Limit {
public:
    // Limit{1000, "Docker stages", "later stages"}; `tool`: a program that has the same limit and fails
    // there.
    constexpr Limit(std::size_t most, const char* what, const char* unread, const char* tool = nullptr)
        : m_most(most), m_what(what), m_unread(unread), m_tool(tool) {}

    // Whether `count` is more; then `report` gets the limit.
    template <class Report>
    bool is_exceeded(std::size_t count, const Report& report) const {
        if (count <= m_most) return false;
        report(*this);
        return true;
    }

    // The same for a reader that ends with an error.
    std::optional<Trouble> trouble_beyond(std::size_t count, const std::string& subject) const {
        std::optional<Trouble> found;
        is_exceeded(count, [&](const Limit& reached) { found = reached.trouble(subject); });
        return found;
    }

    std::string text() const;  // "1000 Docker stages"
    // Predicate of the place where reading ended: "exceeds the limit of 1000 Docker stages: ptxguard did not
    // read later stages".
    std::string why() const;
    Trouble trouble(const std::string& subject) const { return {subject, why(), "", text()}; }

private:
    std::size_t m_most;
    const char* m_what;
    const char* m_unread;
    const char* m_tool;
};

}  // namespace ptxguard
