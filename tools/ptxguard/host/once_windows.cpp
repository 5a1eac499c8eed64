// SPDX-License-Identifier: Apache-2.0
#include "host/once.hpp"

#include "host/platform.hpp"
#include "host/wide_windows.hpp"
#include "model/text.hpp"

#include <tlhelp32.h>

#include <cstdint>
#include <map>

namespace ptxguard::own {
namespace {

struct Process {
    std::string program;
    DWORD parent = 0;
};

std::map<DWORD, Process> all_processes() {
    std::map<DWORD, Process> all;
    const platform::Handle list(CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0));
    PROCESSENTRY32W entry{};
    entry.dwSize = sizeof entry;
    for (BOOL more = list ? Process32FirstW(list.get(), &entry) : FALSE; more;
         more = Process32NextW(list.get(), &entry)) {
        std::string name = lower(platform::narrow(entry.szExeFile));
        if (ends_with(name, ".exe")) name.resize(name.size() - 4);
        all[entry.th32ProcessID] = {name, entry.th32ParentProcessID};
    }
    return all;
}

// When it started, in units of 100 ns; 0 = not known.
std::uint64_t start_of(DWORD process) {
    const platform::Handle handle(OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, process));
    FILETIME start{}, end{}, kernel{}, user{};
    if (!handle || !GetProcessTimes(handle.get(), &start, &end, &kernel, &user)) return 0;
    return (static_cast<std::uint64_t>(start.dwHighDateTime) << 32) | start.dwLowDateTime;
}

}  // namespace

std::vector<Caller> callers() {
    constexpr std::size_t k_deepest_process = 64;  // those above have nothing to do with a build
    const std::map<DWORD, Process> processes = all_processes();
    std::vector<Caller> all;
    std::uint64_t below = UINT64_MAX;
    for (DWORD id = platform::process_id(); all.size() < k_deepest_process;) {
        const auto known = processes.find(id);
        const std::uint64_t start = known == processes.end() ? 0 : start_of(id);
        // A parent that has ended leaves its number to a later process.
        if (start == 0 || start > below) break;
        Caller caller;
        caller.program = known->second.program;
        caller.identity = std::to_string(id) + " " + std::to_string(start);
        // Command lines of others cannot be read: a shell of PowerShell is one that somebody types in.
        caller.bare = caller.program == "powershell" || caller.program == "pwsh";
        all.push_back(std::move(caller));
        below = start;
        id = known->second.parent;
    }
    return all;
}

}  // namespace ptxguard::own
