// Measured with nvcc --dryrun: _HERE_ is the folder of the path by which nvcc was called (links are not
// followed), and `+=` on PATH and LD_LIBRARY_PATH prepends the profile's folders to the environment's.
// SPDX-License-Identifier: Apache-2.0
#include "discover/profile.hpp"

#include <string_view>
#include <vector>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"

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

namespace {

constexpr std::size_t k_most_bytes = 256u << 10;

// The user's come first: the shell reads them last.
std::vector<std::string> start_files(const Host& host) {
    std::vector<std::string> files;
    const auto add_folder = [&](const std::string& folder) {
        for (const DirectoryEntry& entry : entries_in(host, folder))
            files.push_back(join_path(folder, entry.name));
    };
    for (const std::string& module : split_list(host.env("_LMFILES_").value_or(""), System::linux_))
        files.push_back(module);
    if (const auto environment = host.env("VIRTUAL_ENV"))
        files.push_back(join_path(*environment, "bin/activate"));
    if (const auto environment = host.env("CONDA_PREFIX"))
        add_folder(join_path(*environment, "etc/conda/activate.d"));
    const std::string home = host.env("HOME").value_or("/root");
    for (const char* name : {".bashrc", ".bash_profile", ".bash_login", ".profile", ".zshrc", ".zprofile",
                             ".zshenv", ".config/fish/config.fish", ".cshrc", ".tcshrc", ".pam_environment"})
        files.push_back(join_path(home, name));
    add_folder("/etc/profile.d");
    for (const char* name : {"/etc/environment", "/etc/profile", "/etc/bash.bashrc", "/etc/bashrc",
                             "/etc/zsh/zshenv", "/etc/zshenv"})
        files.push_back(name);
    return files;
}

// Replaces $NAME and ${NAME} by their values, except `but`, which is removed: its earlier value is not what
// this line adds.
std::string expanded(std::string_view text, const Host& host, const std::string& but) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const bool home = text[i] == '~' && i + 1 < text.size() && text[i + 1] == '/';
        if (text[i] != '$' && !home) {
            result += text[i++];
            continue;
        }
        if (home) {
            result += host.env("HOME").value_or("/root");
            ++i;
            continue;
        }
        const bool braces = text.substr(i + 1, 1) == "{";
        std::size_t end = i + 1 + braces;
        const std::size_t begin = end;
        while (end < text.size() && is_word_character(text[end])) ++end;
        const std::string name(text.substr(begin, end - begin));
        if (name != but) result += host.env(name).value_or("");
        i = braces && end < text.size() && text[end] == '}' ? end + 1 : end;
        if (name.empty()) ++i;
    }
    return result;
}

// Whether `text` is `value`, or a list with it as an entry.
bool holds(const std::string& text, const std::string& value) {
    static const std::string borders = ":;,=\"' \t()&";
    for (std::size_t at = text.find(value); at != std::string::npos; at = text.find(value, at + 1)) {
        std::size_t end = at + value.size();
        if (text.substr(end, 1) == "/") ++end;
        const bool begins = at == 0 || borders.find(text[at - 1]) != std::string::npos;
        if (begins && (end >= text.size() || borders.find(text[end]) != std::string::npos)) return true;
    }
    return false;
}

// The column (from 1) of the variable that the line sets to `value`; 0 = none.
int column_of(const Host& host, std::string_view line, const std::string& variable,
              const std::string& value) {
    const std::string_view text = trimmed(line);
    if (text.empty() || text[0] == '#' || text.substr(0, 2) == "--") return 0;
    for (std::size_t at = line.find(variable); at != npos; at = line.find(variable, at + 1)) {
        const std::size_t end = at + variable.size();
        const bool whole =
            (at == 0 || (!is_word_character(line[at - 1]) && line[at - 1] != '$' && line[at - 1] != '{')) &&
            (end == line.size() || !is_word_character(line[end]));
        if (whole && holds(expanded(line.substr(end), host, variable), value))
            return static_cast<int>(at) + 1;
    }
    return 0;
}

}  // namespace

std::optional<Location> where_set(const Host& host, const std::string& variable, const std::string& value) {
    if (host.system() != System::linux_ || variable.empty() || value.empty()) return std::nullopt;
    for (const std::string& file : start_files(host)) {
        const auto text = host.read(file, k_most_bytes);
        if (!text || text->find(variable) == std::string::npos) continue;
        std::optional<Location> last;
        int number = 0;
        for (const std::string_view line : lines_of(*text)) {
            ++number;
            if (const int column = column_of(host, line, variable, value))
                last = Location{file, number, column};
        }
        if (last) return last;
    }
    return std::nullopt;
}

}  // namespace ptxguard
