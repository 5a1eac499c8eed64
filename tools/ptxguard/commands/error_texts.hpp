// Finds the error texts of the rules' pages in what people paste.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxguard {

// A text in words that can be compared: lower case, numbers in one class, because versions, architectures and
// paths differ from report to report. A number stays what it is where it names an error ("error 222").
struct TextWord {
    std::string text;    // with '#' for each number
    std::string number;  // what stood there, where `text` is "#"
};
std::vector<TextWord> text_words(std::string_view text);

// How many letters of `asked` a page's text explains: 0 if it is not in there, nor the other way round. In the
// page's text '*' alone stands for up to a dozen words, and at the end of a word for the rest of it.
int text_fit(std::string_view page_text, std::string_view asked);

// The code of the page that `ptxguard explain TEXT` shows; empty where no page has such a text.
std::string code_for_text(const std::string& text);

}  // namespace ptxguard
