// A requirement is parsed by hand: its form is simple, and an error in it must not hide the rest.
// SPDX-License-Identifier: Apache-2.0
#include "python/requirement.hpp"

#include <algorithm>
#include <cctype>

#include "model/text.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_name_letter(char c) { return is_word_character(c, "-_."); }

constexpr std::string_view k_source_archives[] = {".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip"};

// Name and version of "torch-2.0.0+cu118-cp310-cp310-linux_x86_64.whl", "apex-0.1.tar.gz".
void name_from_archive(std::string_view path, Requirement& requirement) {
    path = path.substr(0, path.find_first_of("?#"));
    std::string file = percent_decoded(path.substr(path.find_last_of('/') + 1));
    std::string version;
    if (ends_with(file, ".whl")) {
        const std::size_t first = file.find('-');
        const std::size_t second = first == file.npos ? first : file.find('-', first + 1);
        if (second == file.npos) return;
        version = file.substr(first + 1, second - first - 1);
        file.resize(first);
    } else {
        for (const std::string_view end : k_source_archives)
            if (ends_with(file, end)) file.resize(file.size() - end.size());
        const std::size_t dash = file.rfind('-');
        if (dash == file.npos || dash + 1 == file.size() || !is_digit(file[dash + 1])) return;
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
        if (!is_blank(c)) result += c;
    return result;
}

// "dist/name-1.0.tar.gz[all,dev]" -> the place of "[", else its size.
std::size_t before_extras(std::string_view path) {
    return ends_with(path, "]") ? std::min(path.rfind('['), path.size()) : path.size();
}

class RequirementReader {
public:
    explicit RequirementReader(std::string_view text) : m_text(text) {}

    Requirement read() {
        skip();
        const std::string_view rest = m_text.substr(m_at);
        const std::string_view word = rest.substr(0, rest.find_first_of(" \t;"));
        const std::size_t sign = rest.find('@');
        const std::size_t scheme = word.find("://");
        const bool direct = scheme != word.npos && (sign == rest.npos || scheme < sign);
        const std::size_t size = before_extras(word);
        if (direct || (names_package_file(word.substr(0, size)) && sign == rest.npos))
            read_direct(direct ? word : word.substr(0, size));
        else
            read_named();
        return std::move(m_result);
    }

private:
    void skip() {
        while (m_at < m_text.size() && is_blank(m_text[m_at])) ++m_at;
    }

    void read_direct(std::string_view word) {
        set_direct(word.size());
        m_result.name = egg_of(word);
        if (m_result.name.empty() && names_package_file(word.substr(0, word.find('#'))))
            name_from_archive(word, m_result);
        m_at += word.size();
        read_extras();
        read_marker(m_text.find(';', m_at));
    }

    void read_named() {
        std::size_t end = m_at;
        while (end < m_text.size() && is_name_letter(m_text[end])) ++end;
        m_result.name = canonical_package(m_text.substr(m_at, end - m_at));
        m_at = end;
        skip();
        read_extras();
        read_reference();
        const std::size_t semicolon = std::min(m_text.find(';', m_at), m_text.size());
        std::string specifier = without_blanks(m_text.substr(m_at, semicolon - m_at));
        if (specifier.size() > 1 && specifier.front() == '(' && specifier.back() == ')')
            specifier = specifier.substr(1, specifier.size() - 2);
        if (!specifier.empty()) m_result.specifier = std::move(specifier);
        read_marker(semicolon);
    }

    void read_extras() {
        if (m_at >= m_text.size() || m_text[m_at] != '[') return;
        const std::size_t close = std::min(m_text.find(']', m_at), m_text.size());
        std::string_view names = m_text.substr(m_at + 1, close - m_at - 1);
        while (!names.empty()) {
            const std::size_t comma = std::min(names.find(','), names.size());
            const std::string extra = canonical_package(names.substr(0, comma));
            if (!extra.empty()) m_result.extras.push_back(extra);
            names.remove_prefix(std::min(comma + 1, names.size()));
        }
        m_at = std::min(close + 1, m_text.size());
        skip();
    }

    void read_reference() {
        if (m_at >= m_text.size() || m_text[m_at] != '@') return;
        ++m_at;
        skip();
        // In a URL ";" is a separator only beside a blank.
        std::size_t end = m_at;
        while (end < m_text.size() && !is_blank(m_text[end])) ++end;
        if (end < m_text.size() && end > m_at && m_text[end - 1] == ';') --end;
        set_direct(end - m_at);
        const std::string name = m_result.name;
        if (names_package_file(m_result.direct.substr(0, m_result.direct.find('#'))))
            name_from_archive(m_result.direct, m_result);
        m_result.name = name;
        m_at = end;
        skip();
    }

    void set_direct(std::size_t size) {
        m_result.direct = std::string(m_text.substr(m_at, size));
        m_result.direct_at = m_at;
    }

    void read_marker(std::size_t semicolon) {
        if (semicolon < m_text.size()) m_result.marker = std::string(trimmed(m_text.substr(semicolon + 1)));
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    Requirement m_result;
};

}  // namespace

std::string percent_decoded(std::string_view text) {
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

std::string canonical_package(std::string_view name) {
    std::string result = lower(trimmed(name));
    for (char& c : result)
        if (c == '_' || c == '.') c = '-';
    return result;
}

bool names_package_file(std::string_view path) {
    for (const std::string_view end : k_source_archives)
        if (ends_with(path, end)) return true;
    return ends_with(path, ".whl");
}

std::optional<Version> Requirement::pinned() const { return pinned_version(specifier); }

Requirement parse_requirement(std::string_view text) { return RequirementReader(text).read(); }

}  // namespace ptxguard
