// UTF-8 to and from Windows' wide texts, words of command lines, and the system's error messages. Private to
// this room's Windows files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <string>
#include <string_view>
#include <utility>

namespace ptxguard::platform {

std::wstring wide(std::string_view utf8);
std::string narrow(std::wstring_view text);
// With '\', made absolute and prefixed with "\\?\" if it is too long for the older calls.
std::wstring wide_path(const std::string& path);
// Without "\\?\", with '/'.
std::string narrow_path(std::wstring_view path);
std::string words_of(DWORD error);
// Encodes `argument` for CommandLineToArgvW and the C runtime: backslashes are doubled only before a quote.
// Inside quotes cmd.exe, which runs batch files, treats its own operators as text.
std::wstring quoted_word(const std::wstring& argument, bool for_cmd = false);

class Handle {
public:
    Handle() = default;
    explicit Handle(HANDLE handle) : m_handle(handle == INVALID_HANDLE_VALUE ? nullptr : handle) {}
    Handle(Handle&& other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    Handle& operator=(Handle&& other) noexcept {
        if (this != &other) {
            close();
            m_handle = std::exchange(other.m_handle, nullptr);
        }
        return *this;
    }
    ~Handle() { close(); }

    HANDLE get() const { return m_handle; }
    explicit operator bool() const { return m_handle != nullptr; }
    void close() {
        if (m_handle) CloseHandle(m_handle);
        m_handle = nullptr;
    }

private:
    HANDLE m_handle = nullptr;
};

}  // namespace ptxguard::platform
