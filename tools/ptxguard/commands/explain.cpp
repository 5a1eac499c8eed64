// `ptxguard explain CODE...`: pages of rules; `explain TEXT`: the page for an error number, an error's name
// or a sentence of it; without arguments the list of rules.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "commands/command.hpp"
#include "commands/error_texts.hpp"
#include "commands/run.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "judge/judge.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// The two parts of the page: its front matter and the rest.
std::pair<std::string, std::string> halves(const std::string& page) {
    const auto end = starts_with(page, "---") ? page.find("\n---", 3) : std::string::npos;
    if (end == std::string::npos) return {"", page};
    const auto line = page.find('\n', end + 1);
    const std::string text = line == std::string::npos ? "" : page.substr(line + 1);
    return {page.substr(0, end), text.substr(std::min(text.find_first_not_of('\n'), text.size()))};
}

// The error texts that the page lists.
std::vector<std::string> texts_of(const Rule& rule) {
    std::vector<std::string> texts;
    for (const std::string& line : split(halves(rule.page).first, "\n"))
        if (const auto quote = line.find('"'); starts_with(line, "  - ") && quote != std::string::npos)
            texts.push_back(line.substr(quote + 1, line.rfind('"') - quote - 1));
    return texts;
}

// Letters and digits, in lower case: "cuda_error_no_device" is one word.
std::vector<std::string> words_of(const std::string& text) {
    std::vector<std::string> words(1);
    for (const char c : lower(text)) {
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

bool has_word(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr int k_certain = 1000;

// How well a page matches: certain if one of its texts is in the question or the other way round.
int fit(const Rule& rule, const std::string& asked) {
    const std::vector<std::string> wanted = words_of(asked);
    int points = 0;
    for (const std::string& text : texts_of(rule)) {
        if (const int letters = text_fit(text, asked)) points = std::max(points, k_certain + letters);
        const std::vector<std::string> words = words_of(text);
        int shared = 0;
        for (const std::string& word : wanted) shared += word.size() >= 3 && has_word(words, word) ? 10 : 0;
        if (points < k_certain) points = std::max(points, shared);
    }
    if (points >= k_certain) return points;
    const std::vector<std::string> name = split(rule.name, "_");
    const std::vector<std::string> page = words_of(halves(rule.page).second);
    for (const std::string& word : wanted)
        points += has_word(name, word) ? 8 : word.size() >= 3 && has_word(page, word) ? 2 : 0;
    return points;
}

void print_page(const Rule& rule) {
    own::print(std::string(rule.code) + " " + rule.name + "\n\n" + page_text(rule.code));
}

using Fitting = std::vector<std::pair<int, const Rule*>>;

// The pages that match `asked`, best first.
Fitting fitting_pages(const std::string& asked) {
    Fitting fitting;
    for (const Rule& rule : rules())
        if (const int points = fit(rule, asked)) fitting.emplace_back(points, &rule);
    std::stable_sort(fitting.begin(), fitting.end(),
                     [](const auto& a, const auto& b) { return a.first > b.first; });
    return fitting;
}

int search(const std::string& asked) {
    const Fitting fitting = fitting_pages(asked);
    constexpr std::size_t k_shown = 5;
    if (!fitting.empty() && fitting.front().first >= k_certain) {
        std::string others;
        for (std::size_t i = 1; i < std::min(fitting.size(), k_shown); ++i)
            if (const Rule* rule = fitting[i].second; fitting[i].first >= k_certain)
                others += (others.empty() ? "" : ", ") + std::string(rule->code) + " " + rule->name;
        print_page(*fitting.front().second);
        if (!others.empty()) own::print("\nSee also: " + others + "\n");
        return exit_ok;
    }
    constexpr int k_near = 8;
    std::string nearest;
    for (std::size_t i = 0; i < std::min(fitting.size(), k_shown) && fitting[i].first >= k_near; ++i)
        nearest += "  " + std::string(fitting[i].second->code) + "  " + fitting[i].second->name + "\n";
    if (nearest.empty()) {
        own::complain("ptxguard explain: no page for '" + asked + "'; 'ptxguard explain' lists all");
        return exit_usage;
    }
    own::complain("ptxguard explain: no page has the text '" + asked + "'; the nearest are:");
    own::print(nearest);
    return exit_usage;
}

// "CC2O2", "cc20": probably a code.
bool looks_like_a_code(const std::string& text) {
    return text.size() <= 6 && starts_with(lower(text), "cc") && text.find(' ') == std::string::npos;
}

}  // namespace

std::string page_text(const std::string& code) {
    const Rule* rule = find_rule(code);
    return rule ? halves(rule->page).second : "";
}

std::string code_for_text(const std::string& text) {
    const Fitting fitting = fitting_pages(text);
    return fitting.empty() || fitting.front().first < k_certain ? "" : fitting.front().second->code;
}

std::vector<std::string> words_of_explain() {
    std::vector<std::string> codes;
    for (const Rule& rule : rules()) codes.push_back(rule.code);
    return codes;
}

int run_explain(const Settings& settings) {
    if (settings.arguments.empty()) {
        for (const Rule& rule : rules()) own::print(std::string(rule.code) + "  " + rule.name + "\n");
        return exit_ok;
    }
    std::vector<const Rule*> named;
    std::string text;
    for (const std::string& argument : settings.arguments) {
        if (const Rule* rule = find_rule(argument)) named.push_back(rule);
        text += (text.empty() ? "" : " ") + argument;
    }
    if (named.size() != settings.arguments.size()) {
        std::vector<std::string> known;
        for (const Rule& one : rules()) known.insert(known.end(), {one.code, one.name});
        for (const std::string& argument : settings.arguments) {
            const std::string meant = nearest_word(argument, known);
            const bool is_name = argument.find('_') != std::string::npos && !meant.empty();
            if (find_rule(argument) || (!looks_like_a_code(argument) && !is_name)) continue;
            own::complain(
                "ptxguard: no rule '" + argument + "'" +
                (meant.empty() ? "; 'ptxguard explain' lists all" : ", did you mean '" + meant + "'?"));
            return exit_usage;
        }
        return search(text);
    }
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (i) own::print("\n");
        print_page(*named[i]);
    }
    return exit_ok;
}

}  // namespace ptxguard
