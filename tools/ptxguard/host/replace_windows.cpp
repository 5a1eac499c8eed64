// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/wide_windows.hpp"

#include <aclapi.h>

namespace ptxguard::platform {

namespace {

Trouble not_changed(const std::string& path, const std::string& cause) {
    return {path, "is not changed", cause};
}

Handle open_file(const std::string& path, DWORD access) {
    return Handle(CreateFileW(wide_path(path).c_str(), access,
                              FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr, OPEN_EXISTING,
                              FILE_FLAG_OPEN_REPARSE_POINT, nullptr));
}

bool write_whole(const Handle& file, const std::string& bytes) {
    if (!SetEndOfFile(file.get())) return false;
    for (std::size_t at = 0; at < bytes.size();) {
        DWORD put = 0;
        const DWORD step = static_cast<DWORD>(std::min<std::size_t>(bytes.size() - at, 1u << 24));
        if (!WriteFile(file.get(), bytes.data() + at, step, &put, nullptr)) return false;
        at += put;
    }
    return true;
}

// Owner and access list; a disk without them has none to keep.
DWORD copy_security(const std::string& from, const std::string& to) {
    std::wstring source = wide_path(from), target = wide_path(to);
    PSID owner = nullptr;
    PACL access = nullptr;
    PSECURITY_DESCRIPTOR descriptor = nullptr;
    if (GetNamedSecurityInfoW(&source[0], SE_FILE_OBJECT,
                              OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION, &owner, nullptr,
                              &access, nullptr, &descriptor) != ERROR_SUCCESS)
        return ERROR_SUCCESS;
    SECURITY_DESCRIPTOR_CONTROL control = 0;
    DWORD revision = 0;
    GetSecurityDescriptorControl(descriptor, &control, &revision);
    const DWORD inherits = control & SE_DACL_PROTECTED ? PROTECTED_DACL_SECURITY_INFORMATION
                                                       : UNPROTECTED_DACL_SECURITY_INFORMATION;
    DWORD error = SetNamedSecurityInfoW(&target[0], SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | inherits,
                                        nullptr, nullptr, access, nullptr);
    PSID made_by = nullptr;
    PSECURITY_DESCRIPTOR made = nullptr;
    const bool known = GetNamedSecurityInfoW(&target[0], SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, &made_by,
                                             nullptr, nullptr, nullptr, &made) == ERROR_SUCCESS;
    if (error == ERROR_SUCCESS && known && !EqualSid(owner, made_by))
        error = SetNamedSecurityInfoW(&target[0], SE_FILE_OBJECT, OWNER_SECURITY_INFORMATION, owner, nullptr,
                                      nullptr, nullptr);
    LocalFree(made);
    LocalFree(descriptor);
    return error;
}

}  // namespace

std::optional<Trouble> why_not_replaceable(const std::string& path) {
    const Handle file = open_file(path, FILE_READ_ATTRIBUTES);
    BY_HANDLE_FILE_INFORMATION info;
    if (!file || !GetFileInformationByHandle(file.get(), &info))
        return not_changed(path, words_of(GetLastError()));
    if (info.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT))
        return not_changed(path, "it is not a regular file");
    if (info.dwFileAttributes & FILE_ATTRIBUTE_READONLY) return not_changed(path, "it is read-only");
    if (!open_file(path, GENERIC_WRITE)) return not_changed(path, words_of(GetLastError()));
    if (info.nNumberOfLinks > 1)
        return not_changed(path, "it has another name (a hard link), which would keep the old text");
    return std::nullopt;
}

std::string state_of_file(const std::string& path) {
    const Handle file = open_file(path, FILE_READ_ATTRIBUTES);
    BY_HANDLE_FILE_INFORMATION info;
    if (!file || !GetFileInformationByHandle(file.get(), &info)) return {};
    std::string state;
    for (const DWORD number : {info.dwVolumeSerialNumber, info.nFileIndexHigh, info.nFileIndexLow,
                               info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime,
                               info.dwFileAttributes, info.nNumberOfLinks})
        state += std::to_string(number) + " ";
    return state;
}

// A copy has the attributes and named streams of the file.
std::optional<Trouble> create_like(const std::string& beside, const std::string& bytes,
                                   const std::string& path) {
    const std::wstring name = wide_path(beside);
    if (!CopyFileW(wide_path(path).c_str(), name.c_str(), TRUE))
        return not_changed(path, "its folder takes no new file: " + words_of(GetLastError()));
    Handle file = open_file(beside, GENERIC_WRITE);
    DWORD error = file && write_whole(file, bytes) ? ERROR_SUCCESS : GetLastError();
    file.close();
    std::string why = error == ERROR_SUCCESS ? "" : words_of(error);
    if (why.empty() && (error = copy_security(path, beside)) != ERROR_SUCCESS)
        why = "its owner or access list cannot be kept: " + words_of(error);
    if (why.empty()) return std::nullopt;
    DeleteFileW(name.c_str());
    return not_changed(path, why);
}

Result<bool> exchange(const std::string&, const std::string&) { return false; }

void remove_beside(const std::string& beside) { DeleteFileW(wide_path(beside).c_str()); }

void remove_own_file(const std::string& path) {
    const DWORD attributes = GetFileAttributesW(wide_path(path).c_str());
    const bool regular = attributes != INVALID_FILE_ATTRIBUTES &&
                         !(attributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT));
    if (regular && own::author_of(path) == own::Author::we) remove_beside(path);
}

// Ids repeat, so the program counts, too. Where another process cannot be examined, it may be one of ours.
bool runs_this_program(unsigned process) {
    if (process == process_id()) return false;
    const Handle other(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process));
    if (!other) return GetLastError() != ERROR_INVALID_PARAMETER;
    std::wstring program(32768, 0);
    DWORD size = static_cast<DWORD>(program.size());
    if (!QueryFullProcessImageNameW(other.get(), 0, program.data(), &size)) return true;
    return narrow_path(std::wstring_view(program).substr(0, size)) == own::executable_path();
}

}  // namespace ptxguard::platform
