// Every rule's page has the structure that `ptxguard explain` and the generated docs rely on.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "judge/judge.hpp"
#include "model/finding.hpp"
#include "rule_files.hpp"

using namespace ptxguard;

namespace {

const char* const k_sections[] = {"What it checks", "Why it breaks", "Example", "Fix",
                                  "When to ignore", "Sources"};

struct Page {
    std::map<std::string, std::string> front;
    std::vector<std::pair<std::string, std::string>> sections;  // title, text
};

Page read_page(const std::string& text) {
    Page page;
    std::istringstream stream(text);
    std::string line;
    bool in_front = false;
    int fences = 0;
    for (int number = 1; std::getline(stream, line); ++number) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line == "---" && page.sections.empty() && (number == 1 || in_front)) {
            in_front = number == 1;
        } else if (in_front) {
            const std::size_t colon = line.find(':');
            if (colon != std::string::npos && line.compare(0, 1, " ") != 0 && line.compare(0, 1, "-") != 0)
                page.front[line.substr(0, colon)] = colon + 2 <= line.size() ? line.substr(colon + 2) : "";
        } else if (line.rfind("```", 0) == 0) {
            ++fences;
            if (!page.sections.empty()) page.sections.back().second += line;
        } else if (line.rfind("## ", 0) == 0 && fences % 2 == 0) {
            page.sections.emplace_back(line.substr(3), "");
        } else if (!page.sections.empty()) {
            page.sections.back().second += line;
        }
    }
    return page;
}

}  // namespace

TEST_CASE("every page names its rule and has all sections in order, none of them empty") {
    for (const Rule& rule : rules()) {
        CAPTURE(rule.code);
        const Page page = read_page(rule.page);
        REQUIRE(page.front.count("code") == 1);
        CHECK(page.front.at("code") == rule.code);
        CHECK(page.front.count("name") == 1);
        CHECK(page.front.at("name") == rule.name);
        CHECK(page.front.count("since") == 1);
        CHECK(page.front.count("texts") == 1);
        CHECK(page.front.count("level") == 1);
        CHECK_FALSE(page.front.at("level").empty());
        REQUIRE(page.front.count("area") == 1);
        CHECK(page.front.at("area") == rule.area);
        REQUIRE(page.sections.size() == 6);
        for (std::size_t i = 0; i < 6; ++i) {
            CHECK(page.sections[i].first == k_sections[i]);
            CHECK_MESSAGE(page.sections[i].second.size() > 20, page.sections[i].first,
                          " has too little data");
        }
    }
}

TEST_CASE("the table has every folder once, in the order of the codes") {
    const std::vector<std::string> folders = rule_folders();
    REQUIRE(folders.size() == rules().size());
    for (std::size_t i = 0; i < folders.size(); ++i)
        CHECK(last_name(folders[i]) == std::string(rules()[i].code) + "_" + rules()[i].name);
}

TEST_CASE("a rule is found by its code in either letter case and by its name") {
    REQUIRE(find_rule("CC003") != nullptr);
    CHECK(find_rule("cc003") == find_rule("CC003"));
    CHECK(find_rule("suppression_unused") == find_rule("CC003"));
    CHECK(find_rule("CC999") == nullptr);
    CHECK(find_rule("") == nullptr);
}
