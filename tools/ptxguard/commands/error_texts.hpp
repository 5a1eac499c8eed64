// Finds the error texts of the pages in pasted text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ptxguard {

// How many letters of `asked` match a page's text: 0 if neither contains the other. In the page's text a
// separate '*' matches up to a dozen words, and at the end of a word the rest of it.
int text_fit(std::string_view page_text, std::string_view asked);

}  // namespace ptxguard
