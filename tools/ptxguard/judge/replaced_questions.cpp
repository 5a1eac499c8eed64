// SPDX-License-Identifier: Apache-2.0
#include "judge/replaced_questions.hpp"

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// It was installed for the torch before, and the one after is another.
bool is_left_by(const Replaced& one, const Installed& package, const Facts& facts) {
    return !package.newest && !package.of_image && package.version && package.group >= one.before.group &&
           package.group < one.after.group && !other_torch(facts, package, *one.before.version) &&
           other_torch(facts, package, *one.after.version);
}

}  // namespace

std::optional<Version> lower_bound(const std::string& range) {
    for (const Clause& one : clauses_of(range))
        if (one.op == ">=" || one.op == "==" || one.op == "~=") return parse_version(one.version);
    return std::nullopt;
}

std::optional<Version> other_torch(const Facts& facts, const Installed& one, const Version& torch) {
    if (starts_with(one.version->local(), "rocm")) return std::nullopt;  // its torch is ROCm's
    const Requirement* required = requirement_on(facts, one.package, *one.version, "torch");
    const auto exact = required ? exact_version(required->specifier) : std::nullopt;
    if (exact) return same_release(*exact, torch) ? std::nullopt : exact;
    const Companion* companion = companion_of(facts, "torch", one.package);
    if (!companion) return std::nullopt;
    // --no-deps: nothing else installs a companion that requires a newer torch.
    if (required && !accepts(required->specifier, torch))
        if (const auto lowest = lower_bound(required->specifier); lowest && torch < *lowest) return lowest;
    return companion->needs_other(*one.version, torch);
}

bool is_restored(const RecipeFacts& recipe, const Replaced& one) {
    return one.before.version && any_of(recipe.installed, [&](const Installed& last) {
               return last.package == one.before.package && last.build == one.before.build &&
                      last.group > one.after.group && last.version &&
                      last.version->without_local() == one.before.version->without_local();
           });
}

bool is_replaced_by_newest(const RecipeFacts& recipe, const Replaced& one) {
    const Installed &before = one.before, &after = one.after;
    return before.package == "torch" && after.newest && !before.newest && !after.required_by.empty() &&
           before.version && after.version && one.wanted.empty() &&
           !same_release(*before.version, *after.version) && !is_restored(recipe, one);
}

const Replaced* cause_of(const RecipeFacts& recipe, const Installed& package, const Facts& facts) {
    return first_where(recipe.replaced, [&](const Replaced& one) {
        return is_replaced_by_newest(recipe, one) && is_left_by(one, package, facts);
    });
}

std::vector<Evidence> left_behind(const RecipeFacts& recipe, const Replaced& one, const Facts& facts) {
    std::vector<Evidence> all;
    if (!is_replaced_by_newest(recipe, one)) return all;
    for (const Installed& package : recipe.installed)
        if (is_left_by(one, package, facts))
            all.push_back({"left behind",
                           SAY("{} {}, built for torch {}", package.package, package.version->text,
                               one.before.version->without_local()),
                           package.asked});
    return all;
}

}  // namespace ptxguard
