// Files of this machine through the Unicode Windows API.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>

#include "host/paths.hpp"
#include "host/platform.hpp"
#include "host/questions.hpp"
#include "host/troubles.hpp"
#include "host/wide_windows.hpp"

namespace ptxguard::platform {

namespace {

constexpr DWORD k_share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

FileType type_of_failure(DWORD error, bool is_link) {
    if (error == ERROR_CANT_RESOLVE_FILENAME) return FileType::link_loop;
    if (error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION) return FileType::unreadable;
    return is_link ? FileType::dangling_link : FileType::missing;
}

// Backup semantics: otherwise folders cannot be opened.
Handle open_for(const std::string& path, DWORD access) {
    return Handle(CreateFileW(wide_path(path).c_str(), access, k_share_all, nullptr, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, nullptr));
}

std::uint64_t join(DWORD high, DWORD low) { return (static_cast<std::uint64_t>(high) << 32) | low; }

Result<Handle> open_regular(const std::string& path) {
    Handle file = open_for(path, GENERIC_READ);
    if (!file) return cannot_be_read(path, words_of(GetLastError()));
    BY_HANDLE_FILE_INFORMATION info;
    if (GetFileType(file.get()) != FILE_TYPE_DISK || !GetFileInformationByHandle(file.get(), &info)) {
        return cannot_be_read(path, "it is not a regular file");
    }
    if (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) {
        return cannot_be_read(path, cause_of(FileType::directory));
    }
    return Result<Handle>(std::move(file));
}

Trouble cannot_be_written(const std::string& path, DWORD error) {
    return {path, "cannot be written", words_of(error)};
}

// 0, or the error of the failure.
DWORD write_all(const Handle& file, const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
        DWORD put = 0;
        const DWORD step = static_cast<DWORD>(std::min<std::size_t>(bytes.size() - at, 1u << 24));
        if (!WriteFile(file.get(), bytes.data() + at, step, &put, nullptr)) return GetLastError();
        if (put == 0) return ERROR_DISK_FULL;
        at += put;
    }
    return 0;
}

}  // namespace

System this_system() { return System::windows; }

Environment environment() {
    Environment result;
    wchar_t* const block = GetEnvironmentStringsW();
    for (const wchar_t* entry = block; entry && *entry; entry += std::wstring_view(entry).size() + 1) {
        const std::string text = narrow(entry);
        // "=C:=C:\x" stores the current folder of a drive and is not a variable.
        const std::size_t equals = text.find('=', 1);
        if (text[0] == '=' || equals == std::string::npos) continue;
        result.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    if (block) FreeEnvironmentStringsW(block);
    return result;
}

FileStatus status(const std::string& path) {
    FileStatus result;
    if (path.empty()) return result;
    WIN32_FIND_DATAW found;
    // Use a directory search, because only that distinguishes links from other reparse points (cloud files,
    // for example).
    const std::wstring bare = wide_path(normal_path(path, System::windows));
    if (bare.find_first_of(L"*?", bare.compare(0, 4, L"\\\\?\\") == 0 ? 4 : 0) != std::wstring::npos)
        return result;
    const HANDLE search = FindFirstFileW(bare.c_str(), &found);
    if (search != INVALID_HANDLE_VALUE) {
        FindClose(search);
        result.is_link =
            (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
            (found.dwReserved0 == IO_REPARSE_TAG_SYMLINK || found.dwReserved0 == IO_REPARSE_TAG_MOUNT_POINT);
    }
    const Handle file = open_for(path, FILE_READ_ATTRIBUTES);
    BY_HANDLE_FILE_INFORMATION info;
    if (!file) {
        result.type = type_of_failure(GetLastError(), result.is_link);
        return result;
    }
    if (GetFileType(file.get()) != FILE_TYPE_DISK || !GetFileInformationByHandle(file.get(), &info)) {
        result.type = FileType::other;
        return result;
    }
    result.type = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FileType::directory : FileType::regular;
    result.executable = result.type == FileType::regular && is_windows_program(path);
    result.writable = result.type == FileType::directory;
    result.size = join(info.nFileSizeHigh, info.nFileSizeLow);
    // 100 ns since 1601.
    const auto ticks = join(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime);
    result.mtime_ns = (static_cast<std::int64_t>(ticks) - 116444736000000000ll) * 100;
    result.device = info.dwVolumeSerialNumber;
    result.inode = join(info.nFileIndexHigh, info.nFileIndexLow);
    return result;
}

Result<std::string> read_from(const std::string& path, std::uint64_t offset, std::size_t most) {
    const Result<Handle> file = open_regular(path);
    if (!file) return file.trouble();
    LARGE_INTEGER start;
    start.QuadPart = static_cast<LONGLONG>(offset);
    if (!SetFilePointerEx(file->get(), start, nullptr, FILE_BEGIN)) {
        return cannot_be_read(path, words_of(GetLastError()));
    }
    std::string bytes;
    while (bytes.size() < most) {
        const std::size_t at = bytes.size();
        const std::size_t step = std::min(most - at, std::max<std::size_t>(at, 1u << 14));
        bytes.resize(at + step);
        DWORD got = 0;
        const bool ok = ReadFile(file->get(), &bytes[at], static_cast<DWORD>(step), &got, nullptr);
        bytes.resize(at + (ok ? got : 0));
        if (!ok) return cannot_be_read(path, words_of(GetLastError()));
        if (got == 0) break;
    }
    return bytes;
}

Result<Source> open(const std::string& path) {
    Result<Handle> opened = open_regular(path);
    if (!opened) return opened.trouble();
    LARGE_INTEGER size;
    if (!GetFileSizeEx(opened->get(), &size)) return cannot_be_read(path, words_of(GetLastError()));
    const auto file = std::make_shared<Handle>(std::move(*opened));
    const auto read = [file](std::uint64_t offset, char* to, std::size_t length) -> std::size_t {
        std::size_t done = 0;
        while (done < length) {
            OVERLAPPED place{};
            place.Offset = static_cast<DWORD>(offset + done);
            place.OffsetHigh = static_cast<DWORD>((offset + done) >> 32);
            const auto step = static_cast<DWORD>(std::min<std::size_t>(length - done, 1u << 30));
            DWORD got = 0;
            if (!ReadFile(file->get(), to + done, step, &got, &place) || got == 0) break;
            done += got;
        }
        return done;
    };
    return Source{read, static_cast<std::uint64_t>(size.QuadPart)};
}

Result<std::vector<DirectoryEntry>> list(const std::string& directory) {
    WIN32_FIND_DATAW found;
    const HANDLE search = FindFirstFileW(wide_path(join_path(directory, "*")).c_str(), &found);
    if (search == INVALID_HANDLE_VALUE) return cannot_be_listed(directory, words_of(GetLastError()));
    std::vector<DirectoryEntry> entries;
    do {
        const std::string name = narrow(found.cFileName);
        if (name == "." || name == "..") continue;
        FileType type =
            found.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY ? FileType::directory : FileType::regular;
        if (found.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)
            type = status(join_path(directory, name)).type;
        entries.push_back({name, type});
    } while (FindNextFileW(search, &found));
    FindClose(search);
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
    return entries;
}

Result<std::vector<std::string>> names(const std::string& directory) {
    auto entries = list(directory);
    if (!entries) return entries.trouble();
    return names_of(Entries(std::move(*entries)));
}

Result<std::string> real_path(const std::string& path) {
    const Handle file = open_for(path, FILE_READ_ATTRIBUTES);
    if (!file) return cannot_be_resolved(path, words_of(GetLastError()));
    std::wstring text(32768, 0);
    const DWORD length =
        GetFinalPathNameByHandleW(file.get(), text.data(), static_cast<DWORD>(text.size()), 0);
    if (length == 0 || length >= text.size()) return cannot_be_resolved(path, words_of(GetLastError()));
    text.resize(length);
    return narrow_path(text);
}

std::string current_folder() {
    std::wstring text(GetCurrentDirectoryW(0, nullptr), 0);
    text.resize(GetCurrentDirectoryW(static_cast<DWORD>(text.size()), text.data()));
    return narrow_path(text);
}

std::optional<std::string> link_target(const std::string&) { return std::nullopt; }

// A new file inherits its permissions from the folder.
std::optional<Trouble> create_file(const std::string& path, const std::string& bytes, const std::string&) {
    const std::wstring name = wide_path(path);
    Handle file(
        CreateFileW(name.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, nullptr));
    if (!file) return cannot_be_written(path, GetLastError());
    const DWORD error = write_all(file, bytes);
    if (error == 0) return std::nullopt;
    file.close();
    DeleteFileW(name.c_str());
    return cannot_be_written(path, error);
}

std::optional<Trouble> write_into(const std::string& path, const std::string& bytes) {
    const Handle file(CreateFileW(wide_path(path).c_str(), GENERIC_WRITE, k_share_all, nullptr, OPEN_ALWAYS,
                                  FILE_ATTRIBUTE_NORMAL, nullptr));
    const DWORD error = file ? write_all(file, bytes) : GetLastError();
    if (error == 0) return std::nullopt;
    return cannot_be_written(path, error);
}

// Its console and pipes have no names that a user would give.
bool is_standard_output(const std::string&) { return false; }

std::optional<Trouble> rename_over(const std::string& from, const std::string& to) {
    const std::wstring source = wide_path(from), target = wide_path(to);
    // Another reader or a virus scanner may hold the old file for a moment.
    for (int tries = 0; tries < 20; ++tries) {
        if (MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING)) return std::nullopt;
        if (GetLastError() != ERROR_ACCESS_DENIED && GetLastError() != ERROR_SHARING_VIOLATION) break;
        if (GetFileAttributesW(target.c_str()) & FILE_ATTRIBUTE_DIRECTORY) break;
        Sleep(10);
    }
    const Trouble trouble = cannot_be_written(to, GetLastError());
    DeleteFileW(source.c_str());
    return trouble;
}

std::optional<Trouble> make_folder(const std::string& path) {
    if (CreateDirectoryW(wide_path(path).c_str(), nullptr)) return std::nullopt;
    const DWORD error = GetLastError();
    if (status(path).type == FileType::directory) return std::nullopt;
    return Trouble{path, "cannot be made", words_of(error)};
}

unsigned process_id() { return GetCurrentProcessId(); }

}  // namespace ptxguard::platform
