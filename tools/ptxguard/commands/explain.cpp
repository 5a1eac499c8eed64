// `ptxguard explain FILE|-|TEXT`: the cause of an error text or a log; `explain CODE...`: pages of rules and
// of error texts; without arguments the list of both.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "commands/command.hpp"
#include "commands/deliver.hpp"
#include "commands/error_pages.hpp"
#include "commands/error_texts.hpp"
#include "commands/explain_log.hpp"
#include "commands/run.hpp"
#include "host/host.hpp"
#include "host/input.hpp"
#include "host/output.hpp"
#include "judge/judge.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "report/table.hpp"

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

void print_list() {
    const std::size_t width = width_of_output(*real_host());
    for (const Rule& rule : rules())
        own::print(folded_line(std::string(rule.code) + "  " + rule.name + ": " +
                                   first_sentence(halves(rule.page).second),
                               7, width) +
                   "\n");
    own::print("\npages by error text:\n");
    for (const ErrorPage& page : error_pages())
        own::print(folded_line("  " + page.name + ": " + page.texts.front(), 4, width) + "\n");
}

// The error texts that the page lists.
std::vector<std::string> texts_of(const Rule& rule) {
    std::vector<std::string> texts;
    for (const std::string& line : split(halves(rule.page).first, "\n"))
        if (const auto quote = line.find('"'); starts_with(line, "  - ") && quote != std::string::npos)
            texts.push_back(line.substr(quote + 1, line.rfind('"') - quote - 1));
    return texts;
}

// "cuda_error_no_device" is one word.
std::vector<std::string> words_of(const std::string& text) { return plain_words(lower(text)); }

constexpr int k_certain = 1000;

// How well a page matches: certain if one of its texts is in the question or the other way round.
int fit(const Rule& rule, const std::string& asked) {
    const std::vector<std::string> wanted = words_of(asked);
    int points = 0;
    for (const std::string& text : texts_of(rule)) {
        if (const int letters = text_fit(text, asked)) points = std::max(points, k_certain + letters);
        const std::vector<std::string> words = words_of(text);
        int shared = 0;
        for (const std::string& word : wanted) shared += word.size() >= 3 && contains(words, word) ? 10 : 0;
        if (points < k_certain) points = std::max(points, shared);
    }
    if (points >= k_certain) return points;
    const std::vector<std::string> name = split(rule.name, "_");
    const std::vector<std::string> page = words_of(halves(rule.page).second);
    for (const std::string& word : wanted)
        points += contains(name, word) ? 8 : word.size() >= 3 && contains(page, word) ? 2 : 0;
    return points;
}

// A page that an argument of `explain` names.
struct NamedPage {
    const Rule* rule = nullptr;
    const ErrorPage* error = nullptr;
    bool exists() const { return rule || error; }
};

NamedPage find_page(const std::string& name) {
    NamedPage page;
    page.rule = find_rule(name);
    if (!page.rule) page.error = find_error_page(name);
    return page;
}

void print_page(const NamedPage& page) {
    own::print(page.rule ? std::string(page.rule->code) + " " + page.rule->name + "\n\n" +
                               page_text(page.rule->code)
                         : page.error->text);
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

// The page whose words are nearest, only if it has a good part of them.
std::string nearest_page(const std::string& asked) {
    if (const ErrorPage* page = page_about(asked)) return page->name;
    const Fitting fitting = fitting_pages(asked);
    constexpr int k_near = 30;
    return fitting.empty() || fitting.front().first < k_near ? "" : fitting.front().second->code;
}

// A text of one number or name is what people search for: "222", "[222]", "error 803".
std::string with_context(const std::string& text) {
    const std::string word = trim(text);
    const std::size_t digit = word.find_first_of("0123456789");
    const bool only_number = digit != std::string::npos && digit < 2 && word.size() <= 6 &&
                             word.find_first_not_of("0123456789[]() ") == std::string::npos;
    if (!only_number) {
        const std::string small = lower(word);
        for (const char* start : {"error code ", "error ", "result "})
            if (starts_with(small, start) && all_digits(word.substr(std::string(start).size())))
                return "CUDA error " + word.substr(std::string(start).size());
        return text;
    }
    const std::size_t end = word.find_first_not_of("0123456789", digit);
    return "CUDA error " + word.substr(digit, end == std::string::npos ? end : end - digit);
}

int explain_text(const std::string& text, Run& run, const Settings& settings) {
    const FoundMessages found = find_messages(with_context(text));
    Report report = explained("explain", "the text", found, run, settings);
    Explanation& explanation = *report.explanation;
    constexpr std::size_t k_quoted = 200;
    explanation.log = "'" + text.substr(0, k_quoted) + (text.size() > k_quoted ? "...'" : "'");
    // A known line that is no fault (a banner, TensorFlow's start) has no page.
    if (found.messages.empty()) explanation.nearest = nearest_page(text);
    return finish_judged(run, settings, report);
}

int explain_file(const std::string& path, Run& run, const Settings& settings) {
    auto input = own::open_input(path);
    if (!input) return usage_error("explain", input.trouble());
    std::optional<Trouble> trouble;
    const std::string name = path == "-" ? "standard input" : path;
    const FoundMessages found =
        find_messages([&](char* to, std::size_t most) { return input->read(to, most, trouble); }, name);
    if (trouble) return usage_error("explain", *trouble);
    return finish_judged(run, settings, explained("explain", name, found, run, settings));
}

bool looks_like_a_file(const std::string& text) {
    return text.find(' ') == std::string::npos && (ends_with(text, ".log") || ends_with(text, ".txt"));
}

int explain_log(const std::string& text, const Settings& settings) {
    auto run = prepare_run(settings);
    if (!run) return usage_error("explain", run.trouble());
    if (settings.arguments.size() == 1) {
        const FileType type = text == "-" ? FileType::regular : real_host()->status(text).type;
        if (type == FileType::regular || type == FileType::other ||
            (type == FileType::missing && looks_like_a_file(text)))
            return explain_file(text, *run, settings);
    }
    return explain_text(text, *run, settings);
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

std::vector<std::string> words_of_explain() {
    std::vector<std::string> codes;
    for (const Rule& rule : rules()) codes.push_back(rule.code);
    for (const ErrorPage& page : error_pages()) codes.push_back(page.name);
    return codes;
}

int run_explain(const Settings& settings) {
    if (settings.arguments.empty()) {
        print_list();
        return exit_ok;
    }
    std::vector<NamedPage> named;
    std::string text;
    for (const std::string& argument : settings.arguments) {
        if (const NamedPage page = find_page(argument); page.exists()) named.push_back(page);
        text += (text.empty() ? "" : " ") + argument;
    }
    if (named.size() != settings.arguments.size()) {
        std::vector<std::string> known;
        for (const Rule& one : rules()) known.insert(known.end(), {one.code, one.name});
        for (const std::string& argument : settings.arguments) {
            const std::string meant = nearest_word(argument, known);
            const bool is_name = argument.find('_') != std::string::npos && !meant.empty();
            if (find_page(argument).exists() || (!looks_like_a_code(argument) && !is_name)) continue;
            own::complain(
                "ptxguard: no rule '" + argument + "'" +
                (meant.empty() ? "; 'ptxguard explain' lists all" : ", did you mean '" + meant + "'?"));
            return exit_usage;
        }
        return explain_log(text, settings);
    }
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (i) own::print("\n");
        print_page(named[i]);
    }
    return exit_ok;
}

}  // namespace ptxguard
