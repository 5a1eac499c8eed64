// A recipe, the scenarios that it means, and what the rules find in them. The first line is the file's name,
// which selects its reader; the rest is the file, and so is every file that it names.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "ask.hpp"
#include "judge/judge.hpp"
#include "recipes/find/find.hpp"
#include "recipes/meaning/meaning.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

void look_at_all(const Finding& finding) {
    look_at(finding.subject);
    look_at(finding.message);
    look_at(finding.because);
    for (const auto* list : {&finding.found, &finding.expected})
        for (const Evidence& evidence : *list) look_at(evidence.value);
    for (const Fix& fix : finding.fix) look_at(fix.text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Facts facts = Facts::embedded();
    const std::string whole(reinterpret_cast<const char*>(data), size);
    const std::size_t end = whole.find('\n');
    const std::string name = whole.substr(0, end);
    const auto kind = recipe_kind(name);
    if (!kind || end == std::string::npos) return 0;
    const std::string text = whole.substr(end + 1);
    int reads = 0;
    const ReadFile same = [&](const std::string& path, const Written&) -> std::optional<FileText> {
        return ++reads < 20 ? std::optional(FileText{path, text}) : std::nullopt;
    };
    const Recipe recipe = read_recipe({name, *kind}, text, same);
    for (const Recipe::Problem& problem : recipe.problems) look_at(problem.why);
    for (const Scenario& scenario : scenarios_of({recipe}, facts)) {
        look_at(scenario.name);
        for (const Finding& finding : judge_once(scenario, facts)) look_at_all(finding);
    }
    return 0;
}
