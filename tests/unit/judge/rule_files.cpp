// SPDX-License-Identifier: Apache-2.0
#include "rule_files.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

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

RuleCase read_case(const std::string& rule_folder, const std::string& case_folder) {
    RuleCase result;
    result.rule = last_name(rule_folder);
    result.code = result.rule.substr(0, 5);
    result.name = last_name(case_folder);
    result.file = case_folder + "/case.json";
    ptxguard::Result<ptxguard::Json> json = ptxguard::parse_json(read_whole(result.file), result.file);
    if (json)
        result.json = *json;
    else
        result.trouble = json.trouble().text();
    return result;
}

}  // namespace

std::string read_whole(const std::string& file) {
    std::ifstream stream(fs::u8path(file), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
}

std::string last_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::vector<std::string> rule_folders() {
    // ctest starts the program in the source folder; by hand it may run anywhere.
    std::vector<std::string> folders = folders_in("tools/ptxguard/judge/rules");
    return folders.empty() ? folders_in(PTXGUARD_RULES_FOLDER) : folders;
}

const std::vector<RuleCase>& rule_cases() {
    static const std::vector<RuleCase> cases = [] {
        std::vector<RuleCase> all;
        for (const std::string& rule : rule_folders())
            for (const std::string& folder : folders_in(rule + "/cases"))
                all.push_back(read_case(rule, folder));
        return all;
    }();
    return cases;
}
