// SPDX-License-Identifier: Apache-2.0
#include "report/page.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard {

std::string first_paragraph(const std::string& page) {
    const std::size_t begin = page.find('\n', page.find("## ")), end = page.find("\n\n", begin);
    if (begin == npos) return "";
    std::string text = page.substr(begin + 1, end == npos ? end : end - begin - 1);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

std::string first_sentence(const std::string& page) {
    std::string text = first_paragraph(page);
    text.erase(std::min({text.find(". "), text.find(": |"), text.find(": - "), text.size()}));
    while (!text.empty() && (text.back() == '.' || text.back() == ':')) text.pop_back();
    text.erase(std::remove(text.begin(), text.end(), '`'), text.end());
    return text;
}

}  // namespace ptxguard
