// What the judge reports of a recipe, in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include "judged.hpp"

namespace ptxguard::recipes {

using Said = std::vector<std::string>;

// "error CC603: message" of each finding, without notes and unknowns.
inline Said said_of(const std::string& name, const std::string& text, const Files& files = {}) {
    Said all;
    for (const Finding& finding : findings_in(scenarios_in(name, text, files)))
        if (is_reported(finding))
            all.push_back(std::string(to_string(finding.level)) + " " + finding.code + ": " +
                          finding.message);
    return all;
}

// Whether one finding is reported, with these words; several places may have it.
inline bool only_says(const Said& said, const std::string& words) {
    for (const std::string& one : said)
        if (one.find(words) == std::string::npos || one != said.front()) MESSAGE(one);
    return !said.empty() && said.front().find(words) != std::string::npos &&
           std::all_of(said.begin(), said.end(), [&](const std::string& one) { return one == said.front(); });
}
inline bool is_silent(const Said& said) {
    for (const std::string& one : said) MESSAGE(one);
    return said.empty();
}

inline Said workflow_says(const std::string& jobs, const Files& files = {}) {
    return said_of(".github/workflows/ci.yml", "on: [push]\njobs:\n" + jobs, files);
}
inline Said pipeline_says(const std::string& text, const Files& files = {}) {
    return said_of("azure-pipelines.yml", text, files);
}

}  // namespace ptxguard::recipes
