// What recipes mean, whole and with one word or line left out: the seeds of the fuzz target scenarios, which
// have one of each kind. PTXGUARD_UPDATE_GOLDEN in the environment rewrites the texts; read the difference.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "judge/judge.hpp"
#include "model/serialize.hpp"
#include "model/text.hpp"
#include "recipes/find/find.hpp"
#include "recipes/meaning/meaning.hpp"

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

// "problems:1", "scenario:a", "torch==2.1.0(pip)" ...
std::set<std::string> short_meaning(const std::string& name, const std::string& text) {
    const Recipe recipe = recipe_in(name, text);
    std::set<std::string> words;
    for (const Recipe::Problem& problem : recipe.problems)
        words.insert("problem:" + std::to_string(problem.at.line));
    for (const Scenario& one : scenarios_of({recipe}, all_tables())) {
        const RecipeFacts& facts = one.recipe;
        words.insert("scenario:" + one.name);
        if (!one.python.version.empty()) words.insert("python:" + one.python.version);
        if (!facts.image.name.empty()) words.insert(facts.image.name + ":" + facts.image.tag);
        if (facts.libraries_cuda) words.insert("libraries:" + facts.libraries_cuda->text);
        for (const RecipePin& pin : facts.pins)
            words.insert(pin.package + pin.specifier + pin.build + "(" + pin.by + " " +
                         std::to_string(pin.group) + " " + std::to_string(pin.origin.line) + ")");
        for (const RecipeIndex& index : facts.indexes)
            words.insert(index.url + "(" + to_string(index.use) + " " + std::to_string(index.group) + ")");
        for (const CompileStep& step : facts.compiles)
            words.insert((step.isolated ? "isolated:" : "compiled:") + step.what);
        for (const NvccCall& call : facts.nvcc_calls) words.insert("nvcc:" + call.output);
        for (const RecipeArchs& list : facts.arch_lists) words.insert(list.name + "=" + list.archs.text);
        for (const Toolkit& toolkit : one.toolkits) words.insert("toolkit:" + toolkit.root);
        for (const Target& target : one.project.archs.targets) words.insert(target.arch.sm());
        for (const Expectation& each : one.expectations)
            words.insert(each.package + "=" + (each.version ? each.version->text : "?") + "/" +
                         (each.cuda ? each.cuda->text : "?"));
        for (const Finding& finding : judge_once(one, all_tables()))
            words.insert(std::string(to_string(finding.level)) + ":" + finding.code);
    }
    return words;
}

constexpr std::size_t k_most_shown = 8;

// " -gone +new", or " the same"
std::string difference(const std::set<std::string>& usual, const std::set<std::string>& now) {
    std::vector<std::string> gone, added;
    std::set_difference(usual.begin(), usual.end(), now.begin(), now.end(), std::back_inserter(gone));
    std::set_difference(now.begin(), now.end(), usual.begin(), usual.end(), std::back_inserter(added));
    std::string text;
    for (const auto& [sign, words] : {std::pair{" -", &gone}, std::pair{" +", &added}}) {
        for (std::size_t i = 0; i < std::min(words->size(), k_most_shown); ++i) text += sign + (*words)[i];
        if (words->size() > k_most_shown)
            text += sign + std::to_string(words->size() - k_most_shown) + " more";
    }
    return text.empty() ? " the same" : text;
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
        result += "problem in line " + std::to_string(problem.at.line) + ": " +
                  (problem.missing ? "'" + problem.at.text + "' " : "") + problem.why + "\n";
    for (const Scenario& one : scenarios_of({recipe}, all_tables())) add_lines(to_json(one), "-", 2, result);
    return result;
}

std::string text_of_seed(const std::string& seed) {
    const std::size_t end = seed.find('\n');
    const std::string name = seed.substr(0, end), text = seed.substr(end + 1);
    const auto usual = short_meaning(name, text);
    std::string result = whole_meaning(name, text);
    for (const std::string& word : usual) result += word + "\n";
    // Each word left out, and the whole of each line.
    const auto leave_out = [&](std::size_t at, std::size_t next, const std::string& what) {
        const auto now = short_meaning(name, text.substr(0, at) + text.substr(next));
        result += "without " + what + ":" + difference(usual, now) + "\n";
    };
    int line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t stop = std::min(text.find('\n', at), text.size() - 1), next = stop + 1;
        leave_out(at, next, "line " + std::to_string(line));
        for (std::size_t word = text.find_first_not_of(" \t\n", at); word < stop;) {
            const std::size_t after = std::min(text.find_first_of(" \t\n", word), next);
            leave_out(word, after, std::to_string(line) + " " + text.substr(word, after - word));
            word = text.find_first_not_of(" \t\n", after);
        }
        at = next;
    }
    return result;
}

}  // namespace

TEST_CASE("a recipe of each kind means what it did, and so it does with one word or line less") {
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
