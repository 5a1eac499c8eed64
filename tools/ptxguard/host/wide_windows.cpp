// UTF-8 to and from Windows' wide strings, and the system's error messages.
// SPDX-License-Identifier: Apache-2.0
#include "host/wide_windows.hpp"

#include <algorithm>

#include "host/paths.hpp"

namespace ptxguard::platform {

std::wstring wide(std::string_view utf8) {
    const int size = static_cast<int>(utf8.size());
    std::wstring result(
        static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, nullptr, 0)), 0);
    MultiByteToWideChar(CP_UTF8, 0, utf8.data(), size, result.data(), static_cast<int>(result.size()));
    return result;
}

std::string narrow(std::wstring_view text) {
    const int size = static_cast<int>(text.size());
    const int need = WideCharToMultiByte(CP_UTF8, 0, text.data(), size, nullptr, 0, nullptr, nullptr);
    std::string result(static_cast<std::size_t>(need), 0);
    WideCharToMultiByte(CP_UTF8, 0, text.data(), size, result.data(), need, nullptr, nullptr);
    return result;
}

std::wstring wide_path(const std::string& path) {
    std::wstring text = wide(path);
    std::replace(text.begin(), text.end(), L'/', L'\\');
    // 260 with the end and, for folders, room for a name of the 8.3 kind.
    constexpr std::size_t short_enough = 240;
    if (text.size() < short_enough || text.compare(0, 4, L"\\\\?\\") == 0) return text;
    std::wstring full(GetFullPathNameW(text.c_str(), 0, nullptr, nullptr), 0);
    full.resize(GetFullPathNameW(text.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr));
    if (full.compare(0, 2, L"\\\\") == 0) return L"\\\\?\\UNC\\" + full.substr(2);
    return L"\\\\?\\" + full;
}

std::string narrow_path(std::wstring_view path) {
    std::string text = narrow(path);
    std::replace(text.begin(), text.end(), '\\', '/');
    if (starts_with(text, "//?/UNC/")) return "//" + text.substr(8);
    return starts_with(text, "//?/") ? text.substr(4) : text;
}

namespace {

// The most common errors in the wording of the other systems, so that users, tools and tests see the same
// message everywhere.
const char* common_words(DWORD error) {
    switch (error) {
        case ERROR_FILE_NOT_FOUND:
        case ERROR_PATH_NOT_FOUND: return "No such file or directory";
        case ERROR_DIRECTORY: return "Not a directory";
        case ERROR_ACCESS_DENIED: return "Permission denied";
        case ERROR_CANT_RESOLVE_FILENAME: return "Too many levels of symbolic links";
        case ERROR_BAD_EXE_FORMAT:
        case ERROR_EXE_MACHINE_TYPE_MISMATCH: return "Exec format error";
        case ERROR_HANDLE_DISK_FULL:
        case ERROR_DISK_FULL: return "No space left on device";
        case ERROR_WRITE_PROTECT: return "Read-only file system";
        default: return nullptr;
    }
}

}  // namespace

std::string words_of(DWORD error) {
    if (const char* words = common_words(error)) return words;
    wchar_t text[512];
    const DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS;
    const DWORD length = FormatMessageW(flags, nullptr, error, MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US),
                                        text, 512, nullptr);
    std::string words = trim(narrow(std::wstring_view(text, length)));
    while (!words.empty() && words.back() == '.') words.pop_back();
    return words.empty() ? "Windows error " + std::to_string(error) : words;
}

std::wstring quoted_word(const std::wstring& argument, bool for_cmd) {
    const wchar_t* const special = for_cmd ? L" \t\n\v\"&|<>^()" : L" \t\n\v\"";
    if (!argument.empty() && argument.find_first_of(special) == std::wstring::npos) return argument;
    std::wstring result = L"\"";
    std::size_t backslashes = 0;
    for (const wchar_t c : argument) {
        if (c == L'"') result.append(backslashes + 1, L'\\');
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        result += c;
    }
    return result.append(backslashes, L'\\') + L'"';
}

}  // namespace ptxguard::platform
