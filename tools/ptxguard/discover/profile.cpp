// Measured with nvcc --dryrun: _HERE_ is the folder of the path by which nvcc was called (links are not
// followed), and `+=` on PATH and LD_LIBRARY_PATH prepends the profile's folders to the environment's.
// SPDX-License-Identifier: Apache-2.0
#include "discover/profile.hpp"

#include "host/paths.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_value_cap = 1u << 16;

std::string expand(std::string_view text, const std::map<std::string, std::string>& variables) {
    std::string result;
    while (!text.empty() && result.size() < k_value_cap) {
        const std::size_t open = text.find("$(");
        const std::size_t close = open == std::string_view::npos ? open : text.find(')', open);
        if (close == std::string_view::npos) break;
        result += text.substr(0, open);
        const auto found = variables.find(std::string(text.substr(open + 2, close - open - 2)));
        if (found != variables.end()) result += found->second;
        text.remove_prefix(close + 1);
    }
    return result += text;
}

void assign(std::map<std::string, std::string>& variables, std::string_view line) {
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) return;
    char how = line[equals - 1];
    std::string_view name = line.substr(0, equals), value = line.substr(equals + 1);
    if (how == '+' || how == '?')
        name.remove_suffix(1);
    else if (!value.empty() && value.front() == '+') {
        how = '>';
        value.remove_prefix(1);
    }
    const std::string key = trim(name), text = expand(trim(value), variables);
    std::string& old = variables[key];
    if (how == '+')
        old = text + (old.empty() ? "" : " ") + old;
    else if (how == '>')
        old += (old.empty() ? "" : " ") + text;
    else if (how != '?' || old.empty())
        old = text;
    if (old.size() > k_value_cap) old.resize(k_value_cap);
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    std::string word;
    bool quoted = false, any = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
            any = true;
        } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
            if (any) words.push_back(word);
            word.clear();
            any = false;
        } else {
            word += c;
            any = true;
        }
    }
    if (any) words.push_back(word);
    return words;
}

}  // namespace

std::vector<std::string> flag_values(std::string_view text, std::string_view flag) {
    std::vector<std::string> values;
    const auto words = words_of(text);
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == flag && i + 1 < words.size())
            values.push_back(words[++i]);
        else if (words[i].size() > flag.size() && starts_with(words[i], flag))
            values.push_back(words[i].substr(flag.size()));
    }
    return values;
}

NvccProfile parse_profile(std::string_view text, std::map<std::string, std::string> defined) {
    NvccProfile profile;
    profile.found = true;
    profile.variables = std::move(defined);
    for (const auto& line : split(text, "\r\n"))
        if (!starts_with(trim(line), "#")) assign(profile.variables, line);
    return profile;
}

std::string NvccProfile::get(const std::string& name) const {
    const auto variable = variables.find(name);
    return variable == variables.end() ? std::string() : variable->second;
}

std::vector<std::string> NvccProfile::program_folders(System system) const {
    std::vector<std::string> folders;
    for (const auto& folder : split_list(get("PATH"), system))
        if (!trim(folder).empty()) folders.push_back(trim(folder));
    return folders;
}

std::vector<std::string> NvccProfile::include_folders() const {
    std::vector<std::string> folders = flag_values(get("INCLUDES"), "-I");
    for (auto& folder : flag_values(get("SYSTEM_INCLUDES"), "-isystem")) folders.push_back(std::move(folder));
    return folders;
}

std::vector<std::string> NvccProfile::library_folders() const {
    std::vector<std::string> folders;
    for (const char* flag : {"-L", "/LIBPATH:"})
        for (auto& folder : flag_values(get("LIBRARIES"), flag))
            if (file_name(folder) != "stubs") folders.push_back(std::move(folder));
    return folders;
}

}  // namespace ptxguard
