// Our own process on Windows: executable, cache, temporary folders, standard streams, cores, the wide command
// line.
// SPDX-License-Identifier: Apache-2.0
#include "host/host.hpp"
#include "host/main_arguments.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/troubles.hpp"
#include "host/wide_windows.hpp"

#include <aclapi.h>
#include <shellapi.h>

#include <bitset>
#include <map>
#include <mutex>
#include <random>

namespace ptxguard {

ProcessSetup::ProcessSetup() : m_code_page(GetConsoleOutputCP()) { SetConsoleOutputCP(CP_UTF8); }

ProcessSetup::~ProcessSetup() {
    if (m_code_page != 0) SetConsoleOutputCP(m_code_page);
}

std::vector<std::string> utf8_arguments(int, char**) {
    int count = 0;
    wchar_t** const texts = CommandLineToArgvW(GetCommandLineW(), &count);
    std::vector<std::string> arguments;
    for (int i = 1; texts && i < count; ++i) arguments.push_back(platform::narrow(texts[i]));
    if (texts) LocalFree(texts);
    return arguments;
}

namespace own {

namespace {

std::string variable(const wchar_t* name) {
    std::wstring text(GetEnvironmentVariableW(name, nullptr, 0), 0);
    if (text.empty()) return {};
    text.resize(GetEnvironmentVariableW(name, text.data(), static_cast<DWORD>(text.size())));
    return platform::narrow_path(text);
}

constexpr const char* k_temporary = "ptxguard-work-";
// The folders of this run, held open without delete sharing: others see that they are in use.
struct Held {
    std::mutex mutex;
    std::map<std::string, platform::Handle> folders;
};
Held& held() {
    static Held all;
    return all;
}

platform::Handle open_folder(const std::string& path, DWORD access, DWORD share) {
    return platform::Handle(CreateFileW(platform::wide_path(path).c_str(), access, share, nullptr,
                                        OPEN_EXISTING,
                                        FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
}

// A killed run leaves its folder behind.
void remove_stale_folders(const std::string& above) {
    const auto entries = platform::list(above);
    if (!entries) return;
    for (const DirectoryEntry& entry : *entries) {
        if (entry.type != FileType::directory || !starts_with(entry.name, k_temporary)) continue;
        const std::string path = join_path(above, entry.name);
        // A run that opens its folder between the two lines keeps it: it shares no deletion.
        const bool left = !!open_folder(path, DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE);
        if (left) remove_tree(path);
    }
}

}  // namespace

Author author_of(const std::string& path) {
    PSID owner = nullptr;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    std::wstring name = platform::wide_path(path);
    if (GetNamedSecurityInfoW(&name[0], SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &owner, nullptr, nullptr,
                              nullptr, &descriptor) != ERROR_SUCCESS)
        return Author::we;  // a disk without owners
    alignas(TOKEN_USER) char user[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    DWORD size = 0;
    HANDLE token = nullptr;
    const bool known = OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token) &&
                       GetTokenInformation(token, TokenUser, user, sizeof user, &size);
    if (token) CloseHandle(token);
    const bool ours = (known && EqualSid(owner, reinterpret_cast<TOKEN_USER*>(user)->User.Sid)) ||
                      IsWellKnownSid(owner, WinBuiltinAdministratorsSid) ||
                      IsWellKnownSid(owner, WinLocalSystemSid);
    LocalFree(descriptor);
    return ours ? Author::we : Author::another_user;
}

std::string executable_path() {
    std::wstring text(32768, 0);
    text.resize(GetModuleFileNameW(nullptr, text.data(), static_cast<DWORD>(text.size())));
    return platform::narrow_path(text);
}

std::string cache_folder() {
    const std::string chosen = variable(L"XDG_CACHE_HOME"), local = variable(L"LOCALAPPDATA");
    if (is_absolute(chosen, System::windows)) return join_path(chosen, "ptxguard");
    return local.empty() ? "" : join_path(local, "ptxguard/cache");
}

Result<std::string> temporary_folder() {
    wchar_t base[MAX_PATH + 1];
    const DWORD length = GetTempPathW(MAX_PATH + 1, base);
    const std::string chosen = variable(L"TMPDIR");
    const std::string above = is_absolute(chosen, System::windows)
                                  ? chosen
                                  : platform::narrow_path(std::wstring_view(base, length));
    remove_stale_folders(above);
    std::random_device random;
    for (int tries = 0; tries < 100; ++tries) {
        const std::string path = join_path(
            above, k_temporary + std::to_string(platform::process_id()) + "-" + std::to_string(random()));
        // A user's temporary folder on Windows is accessible to that user only; ours inherits that.
        if (CreateDirectoryW(platform::wide_path(path).c_str(), nullptr)) {
            platform::Handle folder = open_folder(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE);
            if (!folder) continue;
            const std::lock_guard<std::mutex> lock(held().mutex);
            held().folders[path] = std::move(folder);
            return path;
        }
        if (GetLastError() != ERROR_ALREADY_EXISTS) break;
    }
    return Trouble{normal_path(above, System::windows), "takes no temporary folder",
                   platform::words_of(GetLastError())};
}

void remove_tree(const std::string& path) {
    {
        const std::lock_guard<std::mutex> lock(held().mutex);
        held().folders.erase(path);
    }
    const std::wstring name = platform::wide_path(path);
    const DWORD attributes = GetFileAttributesW(name.c_str());
    if (attributes == INVALID_FILE_ATTRIBUTES) return;
    if (attributes & FILE_ATTRIBUTE_READONLY)
        SetFileAttributesW(name.c_str(), attributes & ~FILE_ATTRIBUTE_READONLY);
    if (!(attributes & FILE_ATTRIBUTE_DIRECTORY)) {
        DeleteFileW(name.c_str());
        return;
    }
    // A link to a folder is removed, never its target.
    if (!(attributes & FILE_ATTRIBUTE_REPARSE_POINT)) {
        if (const auto entries = platform::list(path)) {
            for (const DirectoryEntry& entry : *entries) remove_tree(join_path(path, entry.name));
        }
    }
    RemoveDirectoryW(name.c_str());
}

Result<std::string> read_standard_input(std::size_t limit) {
    const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
    std::string bytes, buffer(1 << 16, 0);
    for (;;) {
        DWORD got = 0;
        if (!ReadFile(input, buffer.data(), static_cast<DWORD>(buffer.size()), &got, nullptr)) {
            if (GetLastError() == ERROR_BROKEN_PIPE || GetLastError() == ERROR_HANDLE_EOF) return bytes;
            return cannot_be_read("standard input", platform::words_of(GetLastError()));
        }
        if (got == 0) return bytes;
        bytes.append(buffer, 0, got);
        if (bytes.size() > limit) return too_large("standard input", limit);
    }
}

bool stdout_is_terminal() {
    DWORD mode = 0;
    return GetConsoleMode(GetStdHandle(STD_OUTPUT_HANDLE), &mode) != 0;
}

bool stderr_is_terminal() {
    DWORD mode = 0;
    return GetConsoleMode(GetStdHandle(STD_ERROR_HANDLE), &mode) != 0;
}

std::size_t terminal_width(bool of_errors) {
    CONSOLE_SCREEN_BUFFER_INFO info{};
    const HANDLE stream = GetStdHandle(of_errors ? STD_ERROR_HANDLE : STD_OUTPUT_HANDLE);
    if (!GetConsoleScreenBufferInfo(stream, &info)) return 0;
    return static_cast<std::size_t>(info.srWindow.Right - info.srWindow.Left + 1);
}

unsigned cores() {
    DWORD_PTR ours = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &ours, &all) || ours == 0) return 1;
    return static_cast<unsigned>(std::bitset<64>(ours).count());
}

}  // namespace own

}  // namespace ptxguard
