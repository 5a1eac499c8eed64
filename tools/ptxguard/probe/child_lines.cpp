// Lines to the parent, arguments from it.
// SPDX-License-Identifier: Apache-2.0
#include "probe/child_lines.hpp"

#include <cstdio>

#include "host/paths.hpp"

namespace ptxguard {

void say_line(const Json& line) {
    std::printf("%s\n", to_text(line, -1).c_str());
    std::fflush(stdout);
}

int say_trouble(const std::string& text) {
    say_line(Json::object().set("event", "trouble").set("text", text));
    return 0;
}

ChildArguments child_arguments(const std::vector<std::string>& arguments) {
    ChildArguments made;
    const std::string k_option = "--option=";
    for (const std::string& word : arguments) {
        if (word == "--limit")
            made.limit = true;
        else if (starts_with(word, k_option))
            made.options.push_back(word.substr(k_option.size()));
        else if (made.library.empty())
            made.library = word;
        else if (auto arch = parse_arch(word))
            made.archs.push_back(*arch);
    }
    return made;
}

}  // namespace ptxguard
