// What only Windows has: batch files, long paths, wide names of variables.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <windows.h>

#include "host/host.hpp"
#include "host/library.hpp"
#include "host/output.hpp"
#include "temporary.hpp"

using namespace ptxguard;

TEST_CASE("paths are returned with forward slashes and accepted with either") {
    const Temporary folder;
    folder.write("A b/X.txt", "1");
    const auto host = real_host();
    CHECK(host->real_path(folder / "A b\\X.txt")->find('\\') == std::string::npos);
    CHECK(ends_with(*host->real_path(folder / "A b\\X.txt"), "/A b/X.txt"));
    CHECK(host->status(folder / "a B/x.TXT").inode == host->status(folder / "A b/X.txt").inode);
    CHECK(own::executable_path().find('\\') == std::string::npos);
}

TEST_CASE("a path of more than 260 characters works") {
    const Temporary folder;
    std::string deep = folder.path;
    for (int i = 0; i < 6; ++i) deep += "/" + std::string(60, static_cast<char>('a' + i));
    CHECK_FALSE(own::make_folders(folder / "short"));
    const auto trouble = own::write_file(deep + "/file.txt", "deep");
    CHECK_MESSAGE(!trouble, (trouble ? trouble->text() : ""));
    CHECK(*real_host()->read(deep + "/file.txt") == "deep");
    CHECK(real_host()->list(deep)->size() == 1);
    own::remove_tree(folder.path);
    CHECK(real_host()->status(folder.path).type == FileType::missing);
}

TEST_CASE("variables are found regardless of case") {
    CHECK(real_host()->env("path"));
    CHECK(*real_host({{"PATH", "x"}})->env("Path") == "x");
}

TEST_CASE("variables of the registry are read, which only later programs get") {
    const wchar_t* const name = L"PTXGUARD_TEST_LATER";
    const std::wstring text = L"%SystemRoot%\\x";
    const auto bytes = static_cast<DWORD>((text.size() + 1) * sizeof(wchar_t));
    REQUIRE(RegSetKeyValueW(HKEY_CURRENT_USER, L"Environment", name, REG_EXPAND_SZ, text.c_str(), bytes) ==
            ERROR_SUCCESS);
    const auto later = real_host()->later_environment();
    RegDeleteKeyValueW(HKEY_CURRENT_USER, L"Environment", name);
    CHECK(later.at("PTXGUARD_TEST_LATER") == *real_host()->env("SystemRoot") + "\\x");
    CHECK_FALSE(real_host()->env("PTXGUARD_TEST_LATER"));
    CHECK(real_host()->later_environment().count("PTXGUARD_TEST_LATER") == 0);
    CHECK(later.count("PATH") + later.count("Path") == 1);
}

TEST_CASE("a key of the registry is read with its values and the keys below it") {
    const wchar_t* const key = L"Software\\Classes\\ptxguard-test";
    const DWORD number = 70000;
    const wchar_t list[] = L"a.dll\0b.dll\0";
    REQUIRE(RegSetKeyValueW(HKEY_LOCAL_MACHINE, key, L"number", REG_DWORD, &number, sizeof number) ==
            ERROR_SUCCESS);
    RegSetKeyValueW(HKEY_LOCAL_MACHINE, key, L"list", REG_MULTI_SZ, list, sizeof list);
    RegSetKeyValueW(HKEY_LOCAL_MACHINE, L"Software\\Classes\\ptxguard-test\\v1", L"InstallDir", REG_SZ,
                    L"D:\\CUDA", 9 * sizeof(wchar_t));
    const auto above = real_host()->registry("SOFTWARE\\Classes\\ptxguard-test");
    const auto below = real_host()->registry("SOFTWARE\\Classes\\ptxguard-test\\v1");
    RegDeleteTreeW(HKEY_LOCAL_MACHINE, key);
    REQUIRE(above);
    REQUIRE(below);
    CHECK(above->values.at("number") == "70000");
    CHECK(above->values.at("list") == "a.dll\nb.dll\n");
    CHECK(above->keys == std::vector<std::string>{"v1"});
    CHECK(below->values.at("InstallDir") == "D:\\CUDA");
    CHECK_FALSE(real_host()->registry("SOFTWARE\\Classes\\ptxguard-test"));
}

TEST_CASE("a batch file runs, but not with an argument that cmd would misread") {
    const Temporary folder;
    Command command;
    command.argv = {folder.write("wrapper.bat", "@echo from a batch file %1\r\n"), "a b"};
    CHECK(trim(real_host()->run(command).out) == "from a batch file \"a b\"");
    command.argv[1] = "R&D\\cl.exe";
    CHECK(trim(real_host()->run(command).out) == "from a batch file \"R&D\\cl.exe\"");
    command.argv[1] = "%PATH%";
    CHECK(real_host()->run(command).state == ProcessResult::State::not_started);
}

TEST_CASE("the next run removes the temporary folder of a killed run, not that of a running one") {
    const std::string living = *own::temporary_folder();
    const std::string above = parent_path(living);
    const std::string stale = above + "/ptxguard-work-1-1", fresh = above + "/ptxguard-work-1-2";
    for (const std::string& path : {stale, fresh}) REQUIRE_FALSE(own::write_file(path + "/probe.cu", "x"));
    const FILETIME long_ago{0, 0x01c00000};
    for (const std::string& path : {stale, living}) {
        const HANDLE folder =
            CreateFileA(path.c_str(), FILE_WRITE_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE, nullptr,
                        OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
        REQUIRE(SetFileTime(folder, nullptr, nullptr, &long_ago));
        CloseHandle(folder);
    }
    const std::string next = *own::temporary_folder();
    for (const std::string& path : {stale, fresh}) CHECK(real_host()->status(path).type == FileType::missing);
    for (const std::string& path : {living, next}) {
        CHECK(real_host()->status(path).type == FileType::directory);
        own::remove_tree(path);
        CHECK(real_host()->status(path).type == FileType::missing);
    }
}

TEST_CASE("a device is not a file") {
    CHECK(real_host()->status("NUL").type == FileType::other);
    CHECK_FALSE(real_host()->read("NUL"));
    CHECK_FALSE(own::write_output("NUL", "x"));
    CHECK(real_host()->status("NUL").type == FileType::other);
}

TEST_CASE("a library of the system is loaded and its symbols found") {
    const auto library = LoadedLibrary::open("kernel32.dll");
    REQUIRE(library);
    CHECK(library->symbol("GetCurrentProcessId") != nullptr);
    CHECK(library->symbol("no_such_symbol_anywhere") == nullptr);
    CHECK(ends_with(lower(library->path()), "kernel32.dll"));
}
