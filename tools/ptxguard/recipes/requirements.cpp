// A requirement is parsed by hand: its form is simple, and an error in it must not hide the rest.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/requirements.hpp"

#include <cctype>

#include "formats/wheel_metadata.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"

namespace ptxguard::recipes {
namespace {

bool is_name_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
}

// "%2B" -> "+".
std::string decoded(std::string_view text) {
    const auto digit = [](char c) {
        return c >= '0' && c <= '9'   ? c - '0'
               : c >= 'a' && c <= 'f' ? c - 'a' + 10
               : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                      : -1;
    };
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
            result += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
            i += 2;
        } else {
            result += text[i];
        }
    }
    return result;
}

constexpr std::string_view k_archives[] = {".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip"};

bool is_archive(std::string_view path) {
    for (const std::string_view end : k_archives)
        if (ends_with(path, end)) return true;
    return ends_with(path, ".whl");
}

// Name and version of "torch-2.0.0+cu118-cp310-cp310-linux_x86_64.whl", "apex-0.1.tar.gz".
void name_from_archive(std::string_view path, Requirement& requirement) {
    path = path.substr(0, path.find_first_of("?#"));
    std::string file = decoded(path.substr(path.find_last_of('/') + 1));
    std::string version;
    if (ends_with(file, ".whl")) {
        const std::size_t first = file.find('-');
        const std::size_t second = first == file.npos ? first : file.find('-', first + 1);
        if (second == file.npos) return;
        version = file.substr(first + 1, second - first - 1);
        file.resize(first);
    } else {
        for (const std::string_view end : k_archives)
            if (ends_with(file, end)) file.resize(file.size() - end.size());
        const std::size_t dash = file.rfind('-');
        if (dash == file.npos || dash + 1 == file.size() ||
            !std::isdigit(static_cast<unsigned char>(file[dash + 1])))
            return;
        version = file.substr(dash + 1);
        file.resize(dash);
    }
    if (file.find_first_of("*?$") != file.npos || version.find_first_of("*?$") != version.npos) return;
    requirement.name = canonical_package(file);
    requirement.specifier = "==" + version;
}

// "...#egg=name[extra]&subdirectory=x".
std::string egg_of(std::string_view url) {
    const std::size_t at = url.find("egg=");
    if (at == url.npos || at == 0 || (url[at - 1] != '#' && url[at - 1] != '&')) return "";
    std::size_t end = at + 4;
    while (end < url.size() && is_name_letter(url[end])) ++end;
    return canonical_package(url.substr(at + 4, end - at - 4));
}

std::string without_blanks(std::string_view text) {
    std::string result;
    for (const char c : text)
        if (!std::isspace(static_cast<unsigned char>(c))) result += c;
    return result;
}

void split_extras(std::string_view text, std::vector<std::string>& extras) {
    for (const std::string& extra : split(text, ",")) extras.push_back(canonical_package(extra));
}

// The text after the name.
void read_rest(const Written& text, std::size_t at, Requirement& requirement) {
    const std::string_view all = text.text;
    const auto skip = [&] {
        while (at < all.size() && std::isspace(static_cast<unsigned char>(all[at]))) ++at;
    };
    skip();
    if (at < all.size() && all[at] == '[') {
        const std::size_t close = all.find(']', at);
        split_extras(all.substr(at + 1, close == all.npos ? close : close - at - 1), requirement.extras);
        at = close == all.npos ? all.size() : close + 1;
        skip();
    }
    if (at < all.size() && all[at] == '@') {
        ++at;
        skip();
        // In a URL ";" is a separator only after a blank.
        std::size_t end = at;
        while (end < all.size() && !std::isspace(static_cast<unsigned char>(all[end]))) ++end;
        requirement.url = part_of(text, at, end - at);
        const std::string name = requirement.name;
        if (is_archive(requirement.url.text.substr(0, requirement.url.text.find('#'))))
            name_from_archive(requirement.url.text, requirement);
        requirement.name = name;
        at = end;
        skip();
    }
    const std::size_t semicolon = std::min(all.find(';', at), all.size());
    std::string specifier = without_blanks(all.substr(at, semicolon - at));
    if (specifier.size() > 1 && specifier.front() == '(' && specifier.back() == ')')
        specifier = specifier.substr(1, specifier.size() - 2);
    if (!specifier.empty()) requirement.specifier = specifier;
    if (semicolon < all.size()) requirement.marker = std::string(trimmed(all.substr(semicolon + 1)));
}

}  // namespace

bool is_project(std::string_view text) {
    text = text.substr(0, text.find('['));
    if (text.empty() || text.find("://") != text.npos || text.find('@') != text.npos) return false;
    return !is_archive(text) && (text.front() == '.' || text.find('/') != text.npos);
}

Requirement read_requirement(const Written& given) {
    Requirement requirement;
    requirement.whole = given;
    const std::string_view all = given.text;
    const std::size_t start = std::min(all.find_first_not_of(" \t"), all.size());
    const Written text = part_of(given, start, std::string::npos);
    std::size_t end = 0;
    while (end < text.text.size() && is_name_letter(text.text[end])) ++end;
    const std::string_view word = std::string_view(text.text).substr(0, text.text.find_first_of(" \t;"));
    const std::size_t at_sign = text.text.find('@');
    const bool direct =
        word.find("://") != word.npos && (at_sign == text.text.npos || word.find("://") < at_sign);
    if (direct || (is_archive(word) && at_sign == text.text.npos)) {
        requirement.url = part_of(text, 0, word.size());
        requirement.name = egg_of(word);
        if (requirement.name.empty() && is_archive(word.substr(0, word.find('#'))))
            name_from_archive(word, requirement);
        const std::size_t semicolon = text.text.find(';', word.size());
        if (semicolon != text.text.npos)
            requirement.marker = std::string(trimmed(std::string_view(text.text).substr(semicolon + 1)));
        return requirement;
    }
    requirement.name = canonical_package(std::string_view(text.text).substr(0, end));
    read_rest(text, end, requirement);
    return requirement;
}

}  // namespace ptxguard::recipes
