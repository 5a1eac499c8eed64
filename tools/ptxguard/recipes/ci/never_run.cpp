// SPDX-License-Identifier: Apache-2.0
#include "recipes/ci/never_run.hpp"

#include <optional>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/ci/expressions.hpp"

namespace ptxguard::recipes {
namespace {

// "'a' == 'b'" of two texts.
std::optional<bool> compared_texts(const std::string& condition) {
    for (const bool equal : {true, false}) {
        const std::size_t at = condition.find(equal ? "==" : "!=");
        if (at == npos) continue;
        const std::string left = trim(condition.substr(0, at)), right = trim(condition.substr(at + 2));
        const auto is_text = [](const std::string& one) {
            return one.size() > 1 && (one[0] == '"' || one[0] == '\'') && one.back() == one[0] &&
                   one.find_first_of("$&|") == npos;
        };
        if (!is_text(left) || !is_text(right)) return std::nullopt;
        const bool same = left.substr(1, left.size() - 2) == right.substr(1, right.size() - 2);
        return same == equal;
    }
    return std::nullopt;
}

}  // namespace

bool never_holds(const Tree& condition_, const std::string& file, Problems& problems) {
    if (!condition_.is_scalar()) return false;
    const std::string text = trim(condition_.text);
    // A text around an expression is true, whatever that is. Others hold where something has failed.
    const std::size_t open = text.find("${{");
    if (open != npos && (open != 0 || text.find("}}") != text.size() - 2)) return false;
    if (lower(text).find("fail") != npos || lower(text).find("cancel") != npos) return false;
    return condition(text, Scope(problems), written(condition_, file)) == Truth::no;
}

bool ignores_needs(const Tree& condition) {
    const std::string text = lower(condition.text);
    for (const char* status :
         {"always()", "cancelled()", "canceled()", "failure()", "failed()", "succeededorfailed()"})
        if (text.find(status) != npos) return true;
    return false;
}

void add_those_that_need(std::set<std::string>& off, const NeedsOfJobs& needs) {
    for (std::size_t before = 0; before != off.size() && !off.empty();) {
        before = off.size();
        for (const auto& [name, needed] : needs)
            if (any_of(needed, [&](const std::string& one) { return off.count(one) > 0; })) off.insert(name);
    }
}

std::set<std::string> jobs_that_never_run(const Tree& jobs, const std::string& file, Problems& problems) {
    std::set<std::string> off;
    NeedsOfJobs needs;
    for (const auto& [name, job] : jobs.members) {
        if (never_holds(job["if"], file, problems)) off.insert(name.text);
        if (ignores_needs(job["if"])) continue;
        std::vector<std::string>& needed = needs.emplace_back(name.text, std::vector<std::string>{}).second;
        for (const Tree* need : job["needs"].each()) needed.push_back(need->text);
    }
    add_those_that_need(off, needs);
    return off;
}

bool never_adds(const std::vector<const Tree*>& rules) {
    for (const Tree* rule : rules) {
        const Tree& condition = (*rule)["if"];
        const auto constant = condition ? compared_texts(condition.text) : std::optional(true);
        const bool depends = (*rule)["changes"] || (*rule)["exists"];
        if (constant && !*constant) continue;
        if ((*rule)["when"].text != "never") return false;
        if (constant && !depends) return true;
    }
    return !rules.empty();
}

}  // namespace ptxguard::recipes
