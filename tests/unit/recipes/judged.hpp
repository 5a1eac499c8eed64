// The text of a recipe -> the findings of the judge.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "judge/judge.hpp"
#include "recipe_words.hpp"
#include "recipes/find/find.hpp"
#include "recipes/meaning/meaning.hpp"

namespace ptxguard::recipes {

inline const Facts& own_facts() {
    static const Facts facts = Facts::embedded();
    return facts;
}

inline std::vector<Scenario> scenarios_in(const std::string& name, const std::string& text,
                                          const Files& files) {
    const Recipe recipe = read_recipe({name, *recipe_kind(name)}, text, reader_of(files));
    return scenarios_of({recipe}, own_facts());
}

inline std::vector<Finding> findings_in(const std::vector<Scenario>& scenarios) {
    return judge(scenarios, own_facts(), {}).findings;
}

inline bool is_reported(const Finding& finding) {
    return finding.level == Level::error || finding.level == Level::warning;
}

// "error CC603", without notes and unknowns; with those of the rule `also`.
using Codes = std::vector<std::string>;
inline const Codes k_nothing;
inline Codes codes_in(const std::vector<Scenario>& scenarios, const std::string& also = "") {
    Codes all;
    for (const Finding& finding : findings_in(scenarios))
        if (is_reported(finding) || finding.code == also)
            all.push_back(std::string(to_string(finding.level)) + " " + finding.code);
    return all;
}
inline Codes codes_in(const std::string& name, const std::string& text, const Files& files = {}) {
    return codes_in(scenarios_in(name, text, files));
}

// Errors and warnings: "CC603 CC612"; notes only if `notes`.
inline std::string codes_of(const std::string& name, const std::string& text, const Files& files = {},
                            bool notes = false) {
    std::string codes;
    for (const Finding& finding : findings_in(scenarios_in(name, text, files)))
        if (is_reported(finding) || (notes && finding.level == Level::note))
            codes += (codes.empty() ? "" : " ") + finding.code;
    return codes;
}

inline const std::string k_silent;
// The same of an image with these lines of a Dockerfile.
inline std::string image_gets(const std::string& image, const std::string& lines, const Files& files = {}) {
    return codes_of("Dockerfile", "FROM " + image + "\n" + lines + "\n", files);
}

inline const std::string k_pytorch = "https://download.pytorch.org/whl/";

}  // namespace ptxguard::recipes
