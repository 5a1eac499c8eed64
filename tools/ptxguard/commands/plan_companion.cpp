// SPDX-License-Identifier: Apache-2.0
#include "commands/plan_companion.hpp"

#include "judge/companion_fixes.hpp"
#include "model/say.hpp"

namespace ptxguard {
namespace {

std::string companion_words(const Wish& wish, const Step& build, const Facts& facts) {
    const Companion& row = *wish.companion;
    if (!wish.release) return words_beside(row, build.version, facts);
    const bool fits = row.framework_of(*wish.release) && !row.needs_other(*wish.release, build.version);
    return fits ? SAY("'{}=={}'", row.package, wish.release->text) : "";
}

}  // namespace

bool has_companion(const Wish& wish, const Step& build, const Facts& facts) {
    return !wish.companion || !companion_words(wish, build, facts).empty();
}

Wish with_companion(const Wish& wish, const Step& build, const Facts& facts) {
    Wish beside = wish;
    if (wish.companion) beside.install = companion_words(wish, build, facts);
    return beside;
}

}  // namespace ptxguard
