// SPDX-License-Identifier: Apache-2.0
#include "rule_files.hpp"

#include <algorithm>
#include <filesystem>

namespace fs = std::filesystem;

namespace {

std::vector<std::string> folders_in(const fs::path& folder) {
    std::vector<std::string> folders;
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
        if (entry.is_directory()) folders.push_back(entry.path().generic_string());
    std::sort(folders.begin(), folders.end());
    return folders;
}

}  // namespace

std::string last_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::vector<std::string> rule_folders() {
    // ctest starts the program in the source folder; by hand it may run anywhere.
    std::vector<std::string> folders = folders_in("tools/ptxguard/judge/rules");
    return folders.empty() ? folders_in(PTXGUARD_RULES_FOLDER) : folders;
}

const std::vector<RuleCase>& rule_cases() {
    static const std::vector<RuleCase> cases = [] {
        const std::string recorded = fs::is_directory("tests/unit/judge/recorded")
                                         ? "tests/unit/judge/recorded"
                                         : PTXGUARD_RECORDED_FOLDER;
        std::vector<RuleCase> all;
        for (const std::string& rule : rule_folders())
            for (const RuleCase& one : read_cases(read_whole(rule + "/cases.md"), last_name(rule), recorded))
                all.push_back(one);
        return all;
    }();
    return cases;
}
