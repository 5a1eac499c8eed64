// DLL names that Windows itself provides. Sources: the value list of
// HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\KnownDLLs of Windows 10 and 11, and the DLLs of a
// plain System32.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "host/paths.hpp"
#include "load/trace_windows_parts.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

// Both lists are sorted.
const std::vector<std::string> k_known = split(
    "advapi32 clbcatq combase comdlg32 coml2 difxapi gdi32 gdi32full gdiplus imagehlp imm32 kernel32 "
    "kernelbase msctf msvcp_win msvcrt normaliz nsi ntdll ole32 oleaut32 psapi rpcrt4 sechost "
    "setupapi shcore shell32 shlwapi ucrtbase user32 win32u wldap32 ws2_32",
    " ");

const std::vector<std::string> k_own = split(
    "activeds authz avicap32 avifil32 avrt bcrypt bcryptprimitives cabinet cfgmgr32 comctl32 credui "
    "crypt32 cryptbase cryptnet cryptsp d2d1 d3d10 d3d10_1 d3d11 d3d12 d3d9 d3dcompiler_47 dbgcore "
    "dbghelp ddraw devobj dhcpcsvc dinput8 directml dnsapi dsound dwmapi dwrite dxcore dxgi dxva2 "
    "esent fwpuclnt glu32 hid httpapi iertutil iphlpapi ksuser logoncli mf mfplat mfreadwrite mlang "
    "mpr msacm32 msasn1 mscoree msdmo msi msimg32 msvfw32 mswsock ncrypt netapi32 netutils newdev "
    "ntdsapi odbc32 oleacc oledlg opengl32 pdh powrprof profapi propsys rasapi32 rstrtmgr samcli "
    "secur32 shfolder srvcli sspicli synchronization tdh urlmon userenv usp10 uxtheme version "
    "virtdisk wevtapi windowscodecs winhttp wininet winmm winspool wintrust wkscli wldp wsock32 "
    "wtsapi32 xinput1_4 xmllite",
    " ");

std::string stem(const std::string& name) {
    std::string small = lower(file_name(name));
    for (const char* end : {".dll", ".drv"})
        if (ends_with(small, end)) small.resize(small.size() - 4);
    return small;
}

bool holds(const std::vector<std::string>& all, const std::string& word) {
    return std::binary_search(all.begin(), all.end(), word);
}

}  // namespace

bool is_api_set(const std::string& name) {
    const std::string small = lower(name);
    return starts_with(small, "api-ms-win-") || starts_with(small, "ext-ms-");
}

bool is_known_dll(const std::string& name) { return holds(k_known, stem(name)); }
bool is_windows_own(const std::string& name) {
    return is_api_set(name) || is_known_dll(name) || holds(k_own, stem(name));
}

bool is_vc_runtime(const std::string& name) {
    const std::string word = stem(name);
    for (const char* start :
         {"vcruntime1", "msvcp", "msvcr", "concrt1", "vcomp", "vcamp1", "mfc1", "vccorlib1"}) {
        const std::size_t at = std::string_view(start).size();
        if (starts_with(word, start) && word.size() > at && word[at] >= '0' && word[at] <= '9') return true;
    }
    return false;
}

namespace {

// "313" of python313.dll and of the free-threaded python313t.dll; empty for others.
std::string python_number(const std::string& name) {
    std::string word = stem(name);
    if (ends_with(word, "t")) word.pop_back();
    if (!starts_with(word, "python")) return {};
    word.erase(0, 6);
    return word.find_first_not_of("0123456789") == std::string::npos ? word : std::string();
}

}  // namespace

bool is_python_library(const std::string& name) { return !python_number(name).empty(); }

std::optional<Version> python_of_library(const std::string& name) {
    const std::string number = python_number(name);
    if (number.size() < 2) return std::nullopt;  // python3.dll has no minor version
    return parse_version(number.substr(0, 1) + "." + number.substr(1));
}

}  // namespace ptxguard
