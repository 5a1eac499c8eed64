// SPDX-License-Identifier: Apache-2.0
#include "host/once.hpp"

#include "host/paths.hpp"
#include "host/platform.hpp"
#include "model/text.hpp"

namespace ptxguard::own {
namespace {

constexpr std::size_t k_most_bytes = 1 << 16;  // of a file of /proc

// An option with a command ("-c", "-ec") or anything that is no option.
bool is_bare(const std::string& command_line) {
    const std::vector<std::string> words = split(command_line, std::string(1, '\0'));
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.empty()) continue;
        const bool long_option = starts_with(word, "--");
        if (word[0] != '-' || (!long_option && word.find('c') != std::string::npos)) return false;
    }
    return true;
}

std::string text_of(const std::string& path) {
    const auto text = platform::read_from(path, 0, k_most_bytes);
    return text ? *text : std::string();
}

}  // namespace

std::vector<Caller> callers() {
    constexpr std::size_t k_deepest_process = 64;  // those above have nothing to do with a build
    std::vector<Caller> all;
    const std::string boot = trim(text_of("/proc/sys/kernel/random/boot_id"));
    std::string process = std::to_string(platform::process_id());
    while (process != "0" && all.size() < k_deepest_process) {
        // "123 (program) S 1 ...": the name may contain brackets and blanks.
        const std::string state = text_of("/proc/" + process + "/stat");
        const std::size_t open = state.find('('), close = state.rfind(')');
        if (open == std::string::npos || close == std::string::npos || close < open) break;
        const std::vector<std::string> fields = split(trim(state.substr(close + 1)), " ");
        constexpr std::size_t k_parent = 1, k_start = 19;  // proc(5) counts from the number: 4 and 22
        if (fields.size() <= k_start) break;
        Caller caller;
        caller.program = lower(state.substr(open + 1, close - open - 1));
        caller.identity = boot + " " + process + " " + fields[k_start];
        caller.bare = is_bare(text_of("/proc/" + process + "/cmdline"));
        all.push_back(std::move(caller));
        process = fields[k_parent];
    }
    return all;
}

}  // namespace ptxguard::own
