// SPDX-License-Identifier: Apache-2.0
#include "python/specifier.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Whether the first `count` numbers are equal.
bool same_start(const PythonRelease& a, const PythonRelease& b, std::size_t count) {
    if (a.epoch != b.epoch) return false;
    for (std::size_t i = 0; i < count; ++i)
        if (a.at(i) != b.at(i)) return false;
    return true;
}

bool is_post_or_local_of(const PythonRelease& version, const PythonRelease& bound) {
    return version.post >= 0 && bound.post < 0 &&
           same_start(version, bound, std::max(version.numbers.size(), bound.numbers.size()));
}
bool is_pre_of(const PythonRelease& version, const PythonRelease& bound) {
    return version.is_prerelease() && !bound.is_prerelease() &&
           same_start(version, bound, std::max(version.numbers.size(), bound.numbers.size()));
}

bool equals(const PythonRelease& version, const PythonRelease& bound) {
    return compare_public(version, bound) == 0 && (bound.local.empty() || bound.local == version.local);
}

bool is_on_side(std::string_view op, const PythonRelease& version, const PythonRelease& bound) {
    const std::size_t given = bound.numbers.size();
    const int order = compare_public(version, bound);
    if (op == "<=") return order <= 0;
    if (op == "<") return order < 0 && !is_pre_of(version, bound);
    if (op == ">") return order > 0 && !is_post_or_local_of(version, bound);
    if (order < 0) return false;
    if (op == "~=") return given > 1 && same_start(version, bound, given - 1);
    if (op == "~") return same_start(version, bound, std::min<std::size_t>(given, 2));
    if (op == "^") return same_start(version, bound, bound.at(0) == 0 ? 2 : 1);
    return op == ">=";
}

bool meets(const Clause& clause, const PythonRelease& version) {
    const bool star = ends_with(clause.version, ".*");
    const auto bound = parse_python_release(clause.version.substr(0, clause.version.size() - (star ? 2 : 0)));
    const std::string_view op = clause.op;
    if (!bound) return false;
    if (op.empty()) return equals(version, *bound);
    const bool same = star ? same_start(version, *bound, bound->numbers.size()) : equals(version, *bound);
    if (op == "==" || op == "=" || op == "===") return same;
    return op == "!=" ? !same : is_on_side(op, version, *bound);
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

bool accepts(const std::string& range, const PythonRelease& release) {
    return all_of(clauses_of(range), [&](const Clause& clause) { return meets(clause, release); });
}

bool accepts(const std::string& range, std::string_view version) {
    if (clauses_of(range).empty()) return true;
    const auto release = parse_python_release(version);
    return release && accepts(range, *release);
}

bool accepts(const std::string& range, const Version& version) { return accepts(range, version.text); }

std::string trouble_of(const std::string& specifier) {
    for (const Clause& clause : clauses_of(specifier)) {
        static const char* const k_operators[] = {"==", "===", "!=", ">=", "<=", ">", "<", "~="};
        const bool known = any_of(k_operators, [&](const char* op) { return clause.op == op; });
        const auto text = [&] { return std::string(clause.op) + std::string(clause.version); };
        if (!known) return "'" + text() + "' is not a version specifier of pip";
        if (clause.op == "===") continue;
        const bool equality = clause.op == "==" || clause.op == "!=";
        const bool star = equality && ends_with(clause.version, ".*");
        if (!parse_python_release(clause.version.substr(0, clause.version.size() - (star ? 2 : 0))))
            return "'" + std::string(clause.version) + "' in '" + text() + "' is not a version";
        if (!equality && clause.version.find('+') != std::string::npos)
            return "'" + text() + "': a local version ('+') is allowed behind '==' and '!=' only";
    }
    return "";
}

std::optional<Version> exact_version(const std::string& specifier) {
    const auto clauses = clauses_of(specifier);
    if (clauses.size() != 1 || (clauses[0].op != "==" && clauses[0].op != "===")) return std::nullopt;
    if (ends_with(clauses[0].version, ".*")) return std::nullopt;
    return parse_version(clauses[0].version);
}

std::optional<Version> pinned_version(const std::string& specifier) {
    if (const auto version = exact_version(specifier)) return version;
    const auto clauses = clauses_of(specifier);
    if (clauses.size() != 1 || clauses[0].op != "==" || !ends_with(clauses[0].version, ".*"))
        return std::nullopt;
    return parse_version(clauses[0].version.substr(0, clauses[0].version.size() - 2));
}

}  // namespace ptxguard
