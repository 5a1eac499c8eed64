// Path strings: joins, splits and normalises them for either system without accessing a disk. The Host checks
// whether a path exists, and what a link means for "..".
// SPDX-License-Identifier: Apache-2.0
#include "host/paths.hpp"

#include <algorithm>

#include "model/text.hpp"

namespace ptxguard {

namespace {

bool has_drive(std::string_view path) { return path.size() >= 2 && is_letter(path[0]) && path[1] == ':'; }

// Functions without a `system` argument recognise a Windows path by its drive or by a leading "\\"; otherwise
// '\' is a character that a Linux file name may contain.
bool looks_windows(std::string_view path) { return has_drive(path) || starts_with(path, "\\\\"); }

std::string forward(std::string_view path) {
    std::string text(path);
    std::replace(text.begin(), text.end(), '\\', '/');
    return text;
}

// Length of the part before the first component: "/", "C:/", "C:", "//" or nothing.
std::size_t prefix_length(std::string_view path, bool windows) {
    if (windows && has_drive(path)) return path.size() > 2 && path[2] == '/' ? 3 : 2;
    if (windows && starts_with(path, "//")) return 2;
    return starts_with(path, "/") ? 1 : 0;
}

}  // namespace

bool is_absolute(std::string_view path, System system) {
    if (starts_with(path, "/")) return true;
    if (system != System::windows) return false;
    if (starts_with(path, "\\")) return true;
    return has_drive(path) && path.size() > 2 && (path[2] == '/' || path[2] == '\\');
}

std::string join_path(std::string_view a, std::string_view b) {
    const bool windows = looks_windows(a) || looks_windows(b);
    if (a.empty() || b.empty()) return windows ? forward(a.empty() ? b : a) : std::string(a.empty() ? b : a);
    if (is_absolute(b, windows ? System::windows : System::linux_))
        return windows ? forward(b) : std::string(b);
    std::string result = windows ? forward(a) : std::string(a);
    if (result.back() != '/') result += '/';
    return result + (windows ? forward(b) : std::string(b));
}

std::string parent_path(std::string_view path) {
    const bool windows = looks_windows(path);
    std::string text = windows ? forward(path) : std::string(path);
    const std::size_t prefix = prefix_length(text, windows);
    while (text.size() > prefix && text.back() == '/') text.pop_back();
    const std::size_t slash = text.find_last_of('/');
    if (slash == std::string::npos || slash < prefix) return text.substr(0, prefix);
    text.resize(slash);
    while (text.size() > prefix && text.back() == '/') text.pop_back();
    return text;
}

std::string file_name(std::string_view path) {
    const bool windows = looks_windows(path);
    std::string text = windows ? forward(path) : std::string(path);
    const std::size_t prefix = prefix_length(text, windows);
    while (text.size() > prefix && text.back() == '/') text.pop_back();
    const std::size_t slash = text.find_last_of('/');
    return text.substr(std::max(prefix, slash == std::string::npos ? 0 : slash + 1));
}

std::string normal_path(std::string_view path, System system) {
    if (path.empty()) return {};
    const bool windows = system == System::windows;
    std::string text = windows ? forward(path) : std::string(path);
    // "\\?\C:\x" is the long form of C:\x.
    if (windows && starts_with(text, "//?/")) text.erase(0, 4);
    const std::size_t prefix = prefix_length(text, windows);
    const bool rooted = prefix > 0 && text[prefix - 1] == '/';
    std::vector<std::string> kept;
    for (const std::string& piece : split(std::string_view(text).substr(prefix), "/")) {
        if (piece == ".") continue;
        if (piece != "..") {
            kept.push_back(piece);
        } else if (!kept.empty() && kept.back() != "..") {
            kept.pop_back();
        } else if (!rooted) {
            kept.push_back(piece);
        }
    }
    std::string result = text.substr(0, prefix);
    for (std::size_t i = 0; i < kept.size(); ++i) result += (i ? "/" : "") + kept[i];
    return result.empty() ? "." : result;
}

std::vector<std::string> split_list(std::string_view list, System system) {
    std::vector<std::string> entries;
    if (list.empty()) return entries;
    const bool windows = system == System::windows;
    bool quoted = false;
    entries.emplace_back();
    for (const char c : list) {
        if (windows && c == '"') {
            quoted = !quoted;
        } else if (c == (windows ? ';' : ':') && !quoted) {
            entries.emplace_back();
        } else {
            entries.back() += c;
        }
    }
    return entries;
}

bool is_shared_library(std::string_view file_name) {
    if (ends_with(file_name, ".so")) return true;
    const char last = file_name.empty() ? ' ' : file_name.back();
    if (!is_digit(last) && last != '.') return false;
    const std::size_t at = file_name.find(".so.");
    return at != std::string_view::npos &&
           file_name.find_first_not_of("0123456789.", at + 4) == std::string_view::npos;
}

std::string executable_name(std::string_view stem, System system) {
    return std::string(stem) + (system == System::windows ? ".exe" : "");
}

}  // namespace ptxguard
