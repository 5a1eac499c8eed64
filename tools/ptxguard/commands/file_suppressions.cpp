// SPDX-License-Identifier: Apache-2.0
#include "commands/file_suppressions.hpp"

#include <cctype>

#include "host/host.hpp"
#include "host/paths.hpp"
#include "recipes/gitignore.hpp"

namespace ptxguard {
namespace {

bool is_named(const recipes::GitIgnore& patterns, const std::string& file, bool is_folder) {
    for (std::size_t slash = file.find('/'); slash != std::string::npos; slash = file.find('/', slash + 1))
        if (slash > 0 && patterns.excludes(file.substr(0, slash), true)) return true;
    return patterns.excludes(file, is_folder);
}

}  // namespace

std::optional<FileSuppression> parse_file_suppression(const std::string& text) {
    // A pattern may contain ':' and '=': uses the first colon that "CODE=reason" follows.
    for (std::size_t colon = text.find(':'); colon != std::string::npos; colon = text.find(':', colon + 1)) {
        std::size_t end = colon + 1;
        while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
            ++end;
        const std::string reason = end < text.size() && text[end] == '=' ? trim(text.substr(end + 1)) : "";
        if (colon > 0 && end > colon + 1 && !reason.empty())
            return FileSuppression{text.substr(0, colon), text.substr(colon + 1, end - colon - 1), reason};
    }
    return std::nullopt;
}

std::function<bool(const std::string&, bool)> files_named(const std::vector<std::string>& given,
                                                          const Origin& origin) {
    const auto machine = real_host();
    const auto here = machine->real_path(".");
    const System system = machine->system();
    const std::string start = here ? *here : "";
    std::string base = origin.kind == OriginKind::file
                           ? normal_path(join_path(start, parent_path(origin.path)), system)
                           : start;
    if (base != "/") base += "/";
    recipes::GitIgnore patterns;
    for (const std::string& pattern : given) patterns.add("", pattern);
    return [=](const std::string& path, bool is_folder) {
        const std::string file = normal_path(join_path(start, path), system);
        return starts_with(file, base) && is_named(patterns, file.substr(base.size()), is_folder);
    };
}

Suppression suppression_of(const FileSuppression& given, const Origin& origin) {
    Suppression one{given.code, given.reason, origin, {}};
    one.covers = [is_named = files_named({given.pattern}, origin)](const Location& place) {
        return is_named(place.file, false);
    };
    return one;
}

}  // namespace ptxguard
