// SPDX-License-Identifier: Apache-2.0
#include "commands/locating.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include "discover/profile.hpp"
#include "formats/text_lines.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

std::string from_here(std::string path) {
    const auto here = real_host()->real_path(".");
    const bool below =
        here && starts_with(path, *here) && path.find_first_of("/\\", here->size()) == here->size();
    return below ? path.substr(here->size() + 1) : path;
}

namespace {

// From --written "NAME=FILE:LINE", for the name of an option or a variable.
std::optional<Location> written_at(const Settings& settings, const std::string& name) {
    for (const std::string& text : settings.all("written")) {
        const std::size_t colon = text.rfind(':');
        if (!starts_with(text, name + "=") || colon == std::string::npos) continue;
        const std::size_t file = name.size() + 1;
        return Location{text.substr(file, colon - file), std::atoi(text.c_str() + colon + 1), 0};
    }
    return std::nullopt;
}

}  // namespace

namespace {

// `driver = "470"` of a configuration file is quoted with its place, not as an option.
void show_where_written(const Settings& settings, std::vector<Evidence>& all) {
    for (Evidence& one : all) {
        if (one.origin.kind != OriginKind::option || !starts_with(one.origin.variable, "--")) continue;
        const Origin written = settings.origin(one.origin.variable.substr(2));
        if (written.kind == OriginKind::file)
            one.origin.text = from_here(written.path) + ":" + std::to_string(written.line);
    }
}

}  // namespace

void locate(const Settings& settings, const Host& host, std::vector<Finding>& findings) {
    for (Finding& finding : findings) {
        show_where_written(settings, finding.found);
        show_where_written(settings, finding.expected);
        std::vector<Evidence> all = finding.found;
        append(all, finding.expected);
        for (const Evidence& one : all) {
            const bool option =
                one.origin.kind == OriginKind::option && starts_with(one.origin.variable, "--");
            if (finding.location || one.origin.variable.empty()) continue;
            finding.location =
                written_at(settings, option ? one.origin.variable.substr(2) : one.origin.variable);
            if (!finding.location && one.origin.kind == OriginKind::variable)
                finding.location = where_set(host, one.origin.variable, one.value);
            if (finding.location || !option) continue;
            const Origin written = settings.origin(one.origin.variable.substr(2));
            if (written.kind == OriginKind::file)
                finding.location = Location{from_here(written.path), written.line, written.column};
        }
    }
}

namespace {

// The columns of places in texts, counted in characters.
class CharacterColumns {
public:
    explicit CharacterColumns(const LocatedText& text_of) : m_text_of(text_of) {}

    int column(const Location& at, int column) {
        if (column < 2) return column;
        const auto [known, added] = m_texts.try_emplace(at.file);
        Text& text = known->second;
        if (added) {
            if (auto bytes = m_text_of(at.file)) text.bytes = std::move(*bytes);
            text.lines = lines_of(text.bytes);
        }
        const auto line = static_cast<std::size_t>(at.line);
        if (line == 0 || line > text.lines.size()) return column;
        const auto [of_line, fresh] = text.inner_bytes.try_emplace(line);
        std::vector<std::size_t>& inner = of_line->second;
        for (std::size_t i = 0; fresh && i < text.lines[line - 1].size(); ++i)
            if (characters_of(text.lines[line - 1].substr(i, 1)) == 0) inner.push_back(i);
        const auto before = static_cast<std::size_t>(column - 1);
        return column -
               static_cast<int>(std::lower_bound(inner.begin(), inner.end(), before) - inner.begin());
    }

private:
    struct Text {
        std::string bytes;
        std::vector<std::string_view> lines;
        // Of each line with findings: where its bytes that begin no character are.
        std::map<std::size_t, std::vector<std::size_t>> inner_bytes = {};
    };
    const LocatedText& m_text_of;
    std::map<std::string, Text> m_texts;
};

}  // namespace

void count_characters(const LocatedText& text_of, std::vector<Finding>& findings) {
    CharacterColumns columns(text_of);
    for (Finding& finding : findings) {
        if (finding.location)
            finding.location->column = columns.column(*finding.location, finding.location->column);
        for (Fix& fix : finding.fix)
            if (fix.edit) {
                fix.edit->end_column = columns.column(fix.edit->at, fix.edit->end_column);
                fix.edit->at.column = columns.column(fix.edit->at, fix.edit->at.column);
            }
    }
}

void sort_by_place(std::vector<Finding>& findings) {
    const auto key = [](const Finding& finding) {
        const Location at = finding.location.value_or(Location());
        return std::make_tuple(at.file.empty(), at.file, at.line, at.column,
                               -static_cast<int>(finding.level));
    };
    std::stable_sort(findings.begin(), findings.end(),
                     [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
}

Location root_file(const Settings& settings, const Host& machine) {
    std::vector<std::string> files = settings.arguments;
    files.push_back(from_here(settings.configuration.path));
    for (const char* name : {"CMakeLists.txt", "pyproject.toml", "setup.py", "setup.cfg", "requirements.txt",
                             "environment.yml", "Dockerfile", "README.md"})
        files.push_back(name);
    for (const std::string& file : files) {
        const bool is_file = !file.empty() && machine.status(file).type == FileType::regular;
        if (is_file) return {from_here(file), 1, 0};
    }
    return {"ptxguard.toml", 1, 0};  // where a setting would be
}

}  // namespace ptxguard
