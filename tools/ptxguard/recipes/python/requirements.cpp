// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/requirements.hpp"

#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {

bool is_project(std::string_view text) {
    text = text.substr(0, text.find('['));
    if (text.empty() || text.find("://") != text.npos || text.find('@') != text.npos) return false;
    return !names_package_file(text) && (text.front() == '.' || text.find('/') != text.npos);
}

WrittenRequirement read_requirement(const Written& text) {
    WrittenRequirement requirement;
    static_cast<Requirement&>(requirement) = parse_requirement(text.text);
    requirement.whole = text;
    if (!requirement.direct.empty())
        requirement.url = part_of(text, requirement.direct_at, requirement.direct.size());
    return requirement;
}

void take_from(const Written& url, WrittenRequirement& requirement) {
    requirement.url = url;
    const WrittenRequirement file = read_requirement(url);
    if (file.name != requirement.name || file.specifier.empty()) return;
    requirement.specifier = file.specifier;
    requirement.direct = file.direct;
}

}  // namespace ptxguard::recipes
