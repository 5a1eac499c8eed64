// In conda's own parsing order: brackets, channel, name, version, build.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/match_spec.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

// "version='>=1,<2', build=*cuda*": commas in quotes belong to the value.
void read_brackets(std::string_view text, CondaSpec& spec) {
    while (!text.empty()) {
        const std::size_t equals = text.find('=');
        if (equals == text.npos) return;
        const std::string key = std::string(trimmed(text.substr(0, equals)));
        std::size_t end = equals + 1;
        for (char quote = 0; end < text.size() && (quote || text[end] != ','); ++end) {
            if (quote ? text[end] == quote : text[end] == '"' || text[end] == '\'')
                quote = quote ? 0 : text[end];
        }
        const std::string value = without_quotes(text.substr(equals + 1, end - equals - 1));
        if (key == "version") spec.version = value;
        if (key == "build") spec.build = value;
        if (key == "channel") spec.channel = value;
        text = end < text.size() ? text.substr(end + 1) : std::string_view{};
    }
}

// ".../linux-64/pytorch-2.1.0-py3.10_cuda12.1_0.tar.bz2".
bool read_archive(std::string_view text, CondaSpec& spec) {
    std::string_view end;
    for (const std::string_view one : {".conda", ".tar.bz2"})
        if (ends_with(text, one)) end = one;
    if (end.empty()) return false;
    text.remove_suffix(end.size());
    text = text.substr(text.find_last_of('/') + 1);
    const std::size_t build = text.rfind('-');
    const std::size_t version = build == text.npos || build == 0 ? text.npos : text.rfind('-', build - 1);
    if (version == text.npos) return false;
    spec.name = lower(text.substr(0, version));
    spec.version = std::string(text.substr(version + 1, build - version - 1));
    spec.build = std::string(text.substr(build + 1));
    return true;
}

// After the name: "=2.1", "==2.1.0", "=2.1=build", ">=2,<3 build", " 2.1 build".
void read_version(std::string_view rest, CondaSpec& spec) {
    rest = trimmed(rest);
    if (rest.empty()) return;
    // A build follows after a blank that does not belong to the version's operators, or after a second "=".
    std::string version;
    std::size_t at = 0;
    for (; at < rest.size(); ++at) {
        const char c = rest[at];
        const bool operators =
            version.empty() || std::string_view("=<>!~,|").find(version.back()) != std::string_view::npos;
        if (c == ' ' || c == '\t') {
            const std::size_t next = rest.find_first_not_of(" \t", at);
            if (operators || rest[next] == ',' || rest[next] == '|') continue;
            break;
        }
        if (c == '=' && !operators) break;
        version += c;
    }
    if (at < rest.size()) spec.build = std::string(trimmed(rest.substr(at + 1)));
    if (!spec.build.empty() && spec.build.front() == '=') spec.build.erase(0, 1);
    const bool plain = version.find_first_of(",|<>!~") == std::string::npos;
    if (plain && starts_with(version, "=="))
        version.erase(0, 2);
    else if (plain && starts_with(version, "=")) {
        version.erase(0, 1);
        if (spec.build.empty() && !version.empty() && version.back() != '*') version += ".*";
    }
    if (version == "*") version.clear();
    spec.version = version;
    if (spec.build == "*") spec.build.clear();
}

}  // namespace

std::string without_quotes(std::string_view text) {
    text = trimmed(text);
    if (text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
        text = text.substr(1, text.size() - 2);
    return std::string(text);
}

CondaSpec read_match_spec(const Written& written) {
    CondaSpec spec;
    spec.whole = written;
    std::string_view text = trimmed(written.text);
    text = trimmed(text.substr(0, text.find('#')));
    std::string_view brackets;
    if (!text.empty() && text.back() == ']' && text.find('[') != text.npos) {
        const std::size_t open = text.find('[');
        brackets = text.substr(open + 1, text.size() - open - 2);
        text = trimmed(text.substr(0, open));
    }
    if (text.find("://") != text.npos && read_archive(text, spec)) return spec;
    const std::size_t channel = text.find("::");
    if (channel != text.npos) {
        spec.channel = std::string(text.substr(0, channel));
        text = text.substr(channel + 2);
    }
    const std::size_t end = std::min(text.find_first_of(" \t=<>!~,|"), text.size());
    spec.name = lower(text.substr(0, end));
    read_version(text.substr(end), spec);
    read_brackets(brackets, spec);
    return spec;
}

}  // namespace ptxguard::recipes
