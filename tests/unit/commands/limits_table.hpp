// A conflict behind each limit of `lint`: a pin that was never released. Within the limit it is found;
// beyond, the limit is reported with its place and the verdict is not a pass. tests/limits.cmake holds the
// tables complete.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "commands/linting.hpp"
#include "host/fake_host.hpp"
#include "judge/judge.hpp"

namespace limits_test {

using namespace ptxguard;

using Files = std::map<std::string, std::string>;

inline const std::string k_pin = "torch==2.5.1+cu125";  // CC603
inline const std::string k_install = "pip install torch==2.5.1+cu125\n";

// `each` with the number of the repetition for "@".
inline std::string times(std::size_t count, const std::string& each) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        std::string one = each;
        for (std::size_t at; (at = one.find('@')) != std::string::npos;)
            one.replace(at, 1, std::to_string(i));
        all += one;
    }
    return all;
}

// open(0) open(1) ... inside ... close close: levels in each other.
inline std::string nested(std::size_t count, const std::string& open, const std::string& inside,
                          const std::string& close) {
    return times(count, open) + inside + times(count, close);
}

// "name0" refers to "name1", and so on; the last one is `last`.
inline std::string chain(std::size_t count, const std::string& link, const std::string& last) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) {
        std::string one = link;
        for (std::size_t at; (at = one.find("@next")) != std::string::npos;)
            one.replace(at, 5, std::to_string(i + 1));
        for (std::size_t at; (at = one.find('@')) != std::string::npos;)
            one.replace(at, 1, std::to_string(i));
        all += one;
    }
    std::string end = last;
    for (std::size_t at; (at = end.find('@')) != std::string::npos;)
        end.replace(at, 1, std::to_string(count));
    return all + end;
}

inline std::string words(std::size_t count) { return times(count, "w@ "); }
inline std::string lines(std::size_t bytes, const std::string& comment) {
    return times(bytes / 1000 + 1, comment + std::string(999 - comment.size(), 'x') + "\n");
}

struct Row {
    const char* limit;  // its text
    std::size_t within, beyond;
    std::function<Files(std::size_t)> files;
};

inline Files script(const std::string& text) { return {{"a.sh", text}}; }
// Files that find_recipes does not search, but that others name.
inline std::string unseen(std::size_t i) { return "node_modules/" + std::to_string(i); }

inline Judgement lint(const Files& files) {
    static const Facts facts = Facts::embedded();
    FakeHost host;
    for (const auto& [name, text] : files) host.file("/p/" + name, text);
    const recipes::AllowedFiles allowed(host, {"/p"});
    Linting linting(allowed);
    linting.read("/p");
    return judge(linting.scenarios(facts), facts, {});
}

inline bool finds_pin(const Judgement& judgement) {
    return std::any_of(judgement.findings.begin(), judgement.findings.end(),
                       [](const Finding& finding) { return finding.code == "CC603"; });
}

inline const Finding* limit_of(const Judgement& judgement, const std::string& limit) {
    for (const Finding& finding : judgement.findings)
        if (finding.code == "CC002" && finding.expected[0].value == "at most " + limit) return &finding;
    return nullptr;
}

inline void check(const std::vector<Row>& rows, bool holds_pin = true) {
    for (const Row& row : rows) {
        CAPTURE(std::string(row.limit));
        const Judgement within = lint(row.files(row.within));
        if (holds_pin) CHECK(finds_pin(within));
        CHECK(limit_of(within, row.limit) == nullptr);
        const Judgement beyond = lint(row.files(row.beyond));
        const Finding* reached = limit_of(beyond, row.limit);
        CHECK(beyond.verdict != Verdict::pass);
        REQUIRE(reached);
        CHECK(reached->level == Level::unknown);
        CHECK(reached->required);
        REQUIRE(reached->location);
        CHECK(!reached->location->file.empty());
        CHECK(reached->message.find(row.limit) != std::string::npos);
    }
}

}  // namespace limits_test
