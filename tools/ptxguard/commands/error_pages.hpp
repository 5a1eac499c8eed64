// The pages of docs/errors, each about error texts that people paste.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ptxguard {

struct ErrorPage {
    std::string name;                // "unsupported-toolchain"
    std::vector<std::string> texts;  // its title and the texts below it
    std::string answer;              // what is wrong, in a few sentences; the paragraph below the texts
    std::string text;                // the whole page
};

const std::vector<ErrorPage>& error_pages();
const ErrorPage* find_error_page(const std::string& name);  // null = none
// The page of which a text is in what was pasted; null = none.
const ErrorPage* page_about(const std::string& pasted);

}  // namespace ptxguard
