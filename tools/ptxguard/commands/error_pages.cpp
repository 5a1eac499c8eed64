// SPDX-License-Identifier: Apache-2.0
#include "commands/error_pages.hpp"

#include <algorithm>

#include "commands/error_texts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

extern const char* const ptxguard_error_pages[];  // file name, text, ...

namespace ptxguard {
namespace {

// The parts of the text that are in backquotes.
std::vector<std::string> quoted(const std::string& text) {
    std::vector<std::string> found;
    for (std::size_t open = text.find('`'); open != std::string::npos;) {
        const std::size_t close = text.find('`', open + 1);
        if (close == std::string::npos) break;
        found.push_back(text.substr(open + 1, close - open - 1));
        open = text.find('`', close + 1);
    }
    return found;
}

std::string on_one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    return text;
}

std::vector<std::string> paragraphs_of(const std::string& text) {
    std::vector<std::string> paragraphs;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find("\n\n", at), text.size());
        paragraphs.push_back(text.substr(at, end - at));
        at = std::min(text.find_first_not_of('\n', end), text.size());
    }
    return paragraphs;
}

// The title, the texts and the answer are the first three paragraphs; tests/unit/commands checks all pages.
ErrorPage page_of(const std::string& file, const std::string& text) {
    ErrorPage page;
    page.name = file.substr(0, file.find('.'));
    page.text = text;
    const std::vector<std::string> paragraphs = paragraphs_of(text);
    if (paragraphs.size() < 3) return page;
    for (const std::string& one : split(paragraphs[0].substr(paragraphs[0].find_first_not_of("# ")), ","))
        page.texts.push_back(trim(one));
    for (std::string& one : quoted(paragraphs[1])) page.texts.push_back(on_one_line(std::move(one)));
    page.answer = on_one_line(paragraphs[2]);
    return page;
}

}  // namespace

const std::vector<ErrorPage>& error_pages() {
    static const std::vector<ErrorPage> pages = [] {
        std::vector<ErrorPage> read;
        for (const char* const* at = ptxguard_error_pages; *at; at += 2)
            read.push_back(page_of(at[0], at[1]));
        return read;
    }();
    return pages;
}

const ErrorPage* find_error_page(const std::string& name) {
    return first_where(error_pages(), [&](const ErrorPage& page) { return page.name == name; });
}

const ErrorPage* page_about(const std::string& pasted) {
    const ErrorPage* best = nullptr;
    int most = 0;
    for (const ErrorPage& page : error_pages())
        for (const std::string& text : page.texts)
            if (const int letters = text_fit(text, pasted); letters > most) {
                most = letters;
                best = &page;
            }
    return best;
}

}  // namespace ptxguard
