// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/env_files.hpp"

#include "formats/text_lines.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {

std::vector<SetVariable> variables_in(const FileText& file) {
    std::vector<SetVariable> all;
    int number = file.lines_before;
    for (const std::string_view line : lines_of(file.text)) {
        ++number;
        const std::size_t equals = line.find('=');
        std::string_view name = trimmed(line.substr(0, equals));
        if (starts_with(name, "export ")) name = trimmed(name.substr(7));
        if (equals == npos || name.empty() || name[0] == '#') continue;
        std::string text(trimmed(line.substr(equals + 1)));
        if (text.size() > 1 && (text[0] == '"' || text[0] == '\'') && text.back() == text[0])
            text = text.substr(1, text.size() - 2);
        Written value{text, file.file, number, static_cast<int>(equals) + 2, file.fixed, file.known};
        all.push_back({std::string(name), std::move(value)});
    }
    return all;
}

}  // namespace ptxguard::recipes
