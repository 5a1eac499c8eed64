// What recipes mean, whole and with one line left out: the seeds of the fuzz target scenarios, which have one
// of each kind. PTXGUARD_UPDATE_GOLDEN in the environment rewrites the texts; read the difference.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "judge/judge.hpp"
#include "model/serialize.hpp"
#include "model/text.hpp"
#include "recipes/find.hpp"
#include "recipes/meaning.hpp"

namespace ptxguard::recipes {
namespace {

const char* const k_pins = "torch==2.4.0\nnvidia-cudnn-cu12==8.9.2.26\n";
const std::string k_seeds = "tests/fuzz/corpus/scenarios", k_meanings = "tests/unit/recipes/meanings/";

std::string bytes_of_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

const Facts& all_tables() {
    static const Facts facts = Facts::embedded();
    return facts;
}

// A file of requirements that a recipe names has these; any other is the recipe again.
Recipe recipe_in(const std::string& name, const std::string& text) {
    int reads = 0;
    const ReadFile same = [&](const std::string& path, const Written&) -> std::optional<FileText> {
        const bool pins = ends_with(path, ".txt") && !ends_with(name, ".txt");
        return ++reads < 5 ? std::optional(FileText{path, pins ? k_pins : text}) : std::nullopt;
    };
    return read_recipe({name, *recipe_kind(name)}, text, same);
}

// "1 problem; a: torch==2.1.0 nvcc; error CC603"
std::string short_meaning(const std::string& name, const std::string& text) {
    const Recipe recipe = recipe_in(name, text);
    std::string result;
    if (!recipe.problems.empty()) result = std::to_string(recipe.problems.size()) + " problems;";
    for (const Scenario& one : scenarios_of({recipe}, all_tables())) {
        result += " " + one.name + ":";
        const RecipeFacts& facts = one.recipe;
        if (!facts.image.name.empty()) result += " " + facts.image.name + ":" + facts.image.tag;
        for (const RecipePin& pin : facts.pins)
            result +=
                " " + pin.by + ":" + pin.package + (pin.version ? "==" + pin.version->text : pin.specifier);
        for (const RecipeIndex& index : facts.indexes) result += " " + index.url;
        for (const CompileStep& step : facts.compiles) result += " (" + step.what + ")";
        for (const Toolkit& toolkit : one.toolkits) result += " " + toolkit.root;
        for (const Target& target : one.project.archs.targets) result += " " + target.arch.sm();
        for (const Finding& finding : judge_once(one, all_tables()))
            result += std::string(" ") + to_string(finding.level) + " " + finding.code;
        result += ";";
    }
    return result;
}

// One line for each value of the scenario and of its objects, and for each item of their lists.
void add_lines(const Json& value, const std::string& name, int depth, std::string& lines) {
    if (depth > 0 && value.is_object())
        for (const Json::Member& member : value.members())
            add_lines(member.second, name + " " + member.first, depth - 1, lines);
    else if (value.is_array())
        for (const Json& item : value.items()) add_lines(item, name, 0, lines);
    else
        lines += name + " " + to_text(value, -1) + "\n";
}

std::string whole_meaning(const std::string& name, const std::string& text) {
    const Recipe recipe = recipe_in(name, text);
    std::string result;
    for (const Recipe::Problem& problem : recipe.problems)
        result += "problem in line " + std::to_string(problem.at.line) + ": " + problem.why + "\n";
    for (const Scenario& one : scenarios_of({recipe}, all_tables())) add_lines(to_json(one), "-", 2, result);
    return result;
}

std::string text_of_seed(const std::string& seed) {
    const std::size_t end = seed.find('\n');
    const std::string name = seed.substr(0, end), text = seed.substr(end + 1);
    std::string result = whole_meaning(name, text);
    const std::string usual = short_meaning(name, text);
    result += "whole:" + usual + "\n";
    int line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t next = std::min(text.find('\n', at), text.size() - 1) + 1;
        const std::string now = short_meaning(name, text.substr(0, at) + text.substr(next));
        result += "without line " + std::to_string(line) + ":" + (now == usual ? " the same" : now) + "\n";
        at = next;
    }
    return result;
}

}  // namespace

TEST_CASE("a recipe of each kind means what it did, and so it does with one line less") {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(k_seeds))
        names.push_back(entry.path().filename().string());
    REQUIRE(names.size() > 15);
    for (const std::string& name : names) {
        const std::string file = k_meanings + name + ".txt",
                          text = text_of_seed(bytes_of_file(k_seeds + "/" + name));
        if (std::getenv("PTXGUARD_UPDATE_GOLDEN")) std::ofstream(file, std::ios::binary) << text;
        CHECK_MESSAGE(bytes_of_file(file) == text, file, " differs; PTXGUARD_UPDATE_GOLDEN=1 rewrites it");
    }
}

}  // namespace ptxguard::recipes
