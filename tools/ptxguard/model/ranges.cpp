// SPDX-License-Identifier: Apache-2.0
#include "model/ranges.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard {
namespace {

// Whether the first `count` numbers are equal.
bool same_start(const Version& a, const Version& b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (a.at(i) != b.at(i)) return false;
    return true;
}

bool meets(const Clause& clause, const Version& version) {
    const bool star = ends_with(clause.version, ".*");
    const auto bound = parse_version(clause.version.substr(0, clause.version.size() - (star ? 2 : 0)));
    const std::string_view op = clause.op;
    if (!bound) return false;
    const std::size_t given = bound->numbers.size();
    if (op == "==" || op == "=" || op == "===")
        return star ? same_start(version, *bound, given) : version == *bound;
    if (op == "!=") return star ? !same_start(version, *bound, given) : version != *bound;
    if (op == ">=") return version >= *bound;
    if (op == "<=") return version <= *bound;
    if (op == ">") return version > *bound;
    if (op == "<") return version < *bound;
    if (op == "~=") return version >= *bound && given > 1 && same_start(version, *bound, given - 1);
    if (op == "~") return version >= *bound && same_start(version, *bound, std::min<std::size_t>(given, 2));
    if (op == "^") return version >= *bound && same_start(version, *bound, bound->at(0) == 0 ? 2 : 1);
    return op.empty() && version == *bound;
}

}  // namespace

std::vector<Clause> clauses_of(std::string_view range) {
    std::vector<Clause> clauses;
    std::size_t at = 0;
    while (at <= range.size()) {
        const std::size_t comma = std::min(range.find(',', at), range.size());
        const std::string_view one = trimmed(range.substr(at, comma - at));
        at = comma + 1;
        if (one.empty()) continue;
        const std::size_t number = std::min(one.find_first_not_of("=<>!~^"), one.size());
        clauses.push_back({one.substr(0, number), trimmed(one.substr(number))});
    }
    return clauses;
}

bool accepts(const std::string& range, const Version& version) {
    const std::vector<Clause> clauses = clauses_of(range);
    return std::all_of(clauses.begin(), clauses.end(),
                       [&](const Clause& clause) { return meets(clause, version); });
}

}  // namespace ptxguard
