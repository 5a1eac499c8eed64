// One fault in the words of many tools: what is named first, and the words that must be in its sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "diagnose/diagnose.hpp"
#include "diagnose/scenario_of_log.hpp"
#include "judge/judge.hpp"

namespace ptxguard {

struct Class {
    const char* expected;  // "CC210 certain", or "other certain"
    const char* words;     // in the sentence
    const char* text;
};

// "CC210 certain: the container runtime ..."
inline std::string first_answer(std::string_view log) {
    static const Facts facts = Facts::embedded();
    const FoundMessages found = find_messages(log);
    const Scenario scenario = scenario_of_log("log", found, facts);
    const Explanation all = diagnose("log", found, facts, judge({scenario}, facts, {}).findings).explanation;
    const bool other = !all.others.empty() && (all.other_first || all.diagnoses.empty());
    if (other)
        return std::string("other ") + to_string(all.others.front().confidence) + ": " +
               all.others.front().cause;
    if (all.diagnoses.empty()) return "";
    const LogDiagnosis& one = all.diagnoses.front();
    return one.code + " " + to_string(one.confidence) + ": " + one.cause;
}

template <std::size_t N>
void check_classes(const Class (&classes)[N]) {
    for (const Class& one : classes) {
        CAPTURE(std::string(one.text));
        const std::string answer = first_answer(one.text);
        CAPTURE(answer);
        CHECK(answer.substr(0, answer.find(':')) == one.expected);
        CHECK(answer.find(one.words) != std::string::npos);
    }
}

}  // namespace ptxguard
