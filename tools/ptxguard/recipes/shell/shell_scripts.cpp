// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_scripts.hpp"

#include <algorithm>
#include <deque>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/scripts.hpp"
#include "recipes/shell/shell_walker.hpp"

namespace ptxguard::recipes {
namespace {

constexpr const char* k_arguments[] = {"@", "*", "#", "OPTIND", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

// The index of FILE in `bash -ex FILE`; `words.size()` = none.
std::size_t file_of_shell(const std::vector<Written>& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word.empty() || (word[0] != '-' && word[0] != '+')) return i;
        if (!starts_with(word, "--") && word.find('c') != npos) return words.size();
        if (word.size() > 1 && word.back() == 'o') ++i;
    }
    return words.size();
}

// An ARG without a default is empty where nobody builds the image without a value.
bool is_given(const Written& argument) { return argument.known && (argument.fixed || argument); }

bool is_script_name(const std::string& path) { return ends_with(path, ".sh") || ends_with(path, ".bash"); }

// Files of variables that scripts read with `.`: versions.env, config.conf.
bool is_settings_name(const std::string& path) {
    for (const char* end : {".env", ".conf", ".cfg", ".config", ".vars", ".inc", ".rc"})
        if (ends_with(path, end)) return true;
    return false;
}

// `exec bash $0 "$@"`: the same once more.
bool starts_again(const CalledScript& called, const Shell& shell) {
    const Variable *path = shell.variables.find("0"), *arguments = shell.variables.find("@");
    if (!path || path->value.text != called.path) return false;
    const auto same = [](const Written& a, const Written& b) { return a.text == b.text; };
    return !called.arguments ||
           (arguments && std::equal(arguments->items.begin(), arguments->items.end(),
                                    called.arguments->begin(), called.arguments->end(), same));
}

// `. FILE`, `export A=B`, `A=B`, `set -e`: done again, it changes nothing. `A=$A:B` does.
bool is_repeatable(const ShellNode& node, const std::string& text) {
    if (node.kind == ShellNode::Kind::function) return true;
    if (node.kind != ShellNode::Kind::simple || node.words.empty()) return false;
    const std::string_view program = node.words[0].of(text);
    if (program == "." || program == "source" || program == "set" || program == "shopt") return true;
    for (std::size_t i = program == "export" || program == "readonly"; i < node.words.size(); ++i) {
        const std::string_view word = node.words[i].of(text);
        const std::size_t length = length_of_name(word);
        if (length == 0 || word.substr(length, 1) != "=" ||
            word.find(word.substr(0, length), length) != npos || word.find("$1") != npos)
            return false;
    }
    return true;
}

// The index of the script that the command starts; `words.size()` = none.
std::size_t index_of_script(const std::vector<Written>& words, bool sourced) {
    const std::string& program = words[0].text;
    if (sourced) return 1;
    if (is_posix_shell(program)) return file_of_shell(words);
    return is_script_name(program) && program.find('/') != npos ? 0 : words.size();
}

}  // namespace

std::optional<CalledScript> called_script(const Command& command, const Shell& shell) {
    const std::vector<Written>& words = command.words;
    CalledScript called;
    called.sourced = is_one_of(words[0].text, {".", "source"});
    const std::size_t file = index_of_script(words, called.sourced);
    if (file >= words.size() || !words[file].known || !shell.files) return std::nullopt;
    const std::string& path = words[file].text;
    const bool elsewhere = !shell.in_image && (is_outside(path) || starts_with(path, "~"));
    // Other names: activate, /etc/os-release.
    if (elsewhere || (called.sourced && !is_script_name(path) && !is_settings_name(path)))
        return std::nullopt;
    const auto text = file_named_by(words[file], path, shell);
    if (!text) return std::nullopt;
    const std::string program = program_of_script(without_mark(text->text));
    if (!program.empty() && !is_posix_shell(program)) return std::nullopt;
    called.path = absolute_path(path, shell);
    called.arguments = known_words(words, file + 1);
    if (!called.sourced && starts_again(called, shell)) return std::nullopt;
    called.text = parsed_script(*text, shell.files.budget());
    return called;
}

NestedText nested_script(const CalledScript& called, const Command& command) {
    NestedText text{PlacedText(called.text->text.file), ShellKind::posix, command.variables,
                    called.arguments};
    text.path = called.path;
    text.parsed = called.text;
    return text;
}

bool repeats_definitions(const CalledScript& called, const Shell& shell) {
    const ParsedShell& script = *called.text;
    if (!called.sourced || (called.arguments && !called.arguments->empty())) return false;
    bool defines = false;
    for (const ShellNode& node : script.syntax.list.children) {
        if (!is_repeatable(node, script.text.text) || node.joined == Joined::if_fails) return false;
        if (node.kind != ShellNode::Kind::function) continue;
        defines = true;
        if (node.words.empty() || node.children.empty()) return false;
        const auto known = shell.functions.find(std::string(node.words[0].of(script.text.text)));
        if (known == shell.functions.end() || known->second.body != &node.children[0]) return false;
    }
    return defines;
}

// Each step of each job may read the same scripts.
std::shared_ptr<const ParsedShell> parsed_script(const FileText& script, Budget& budget) {
    constexpr std::size_t k_kept_scripts = 64, k_times_for_parsing = 4, k_part_for_comparing = 16;
    struct Kept {
        int lines_before;
        std::shared_ptr<const ParsedShell> script;
    };
    thread_local std::deque<Kept> kept;
    const Kept* known = first_where(kept, [&](const Kept& one) {
        const PlacedText& text = one.script->text;
        return text.file == script.file && one.lines_before == script.lines_before &&
               text.text == script.text;
    });
    budget.spend_bytes(script.text.size() / k_part_for_comparing);
    if (known) return known->script;
    budget.spend_bytes(script.text.size() * k_times_for_parsing);
    PlacedText text(script.file);
    text.append(script.text, {script.lines_before + 1, 1});
    kept.push_front({script.lines_before, std::make_shared<const ParsedShell>(text)});
    if (kept.size() > k_kept_scripts) kept.pop_back();
    return kept.front().script;
}

bool keeps_parsed(std::string_view file) {
    return is_script_name(std::string(file)) || file_name(file) == "CMakeLists.txt" ||
           ends_with(file, ".cmake");
}

std::optional<CalledPython> called_python(const Command& command, const Shell& shell) {
    const std::vector<Written>& words = command.words;
    if (!starts_with(program_name(words[0].text), "python") || !shell.files) return std::nullopt;
    std::size_t file = 1;
    while (file < words.size() && is_one_of(words[file].text, {"-u", "-B", "-E", "-s", "-I", "-O"})) ++file;
    if (file >= words.size() || !words[file].known) return std::nullopt;
    const std::string& path = words[file].text;
    const bool elsewhere = !shell.in_image && is_outside(path);
    if (!ends_with(path, ".py") || file_name(path) == "setup.py" || elsewhere) return std::nullopt;
    auto text = file_named_by(words[file], path, shell);
    if (!text) return std::nullopt;
    return CalledPython{
        std::move(*text), {words.begin() + static_cast<std::ptrdiff_t>(file) + 1, words.end()}, path};
}

void set_path_of_script(const std::string& path, Variables& variables) {
    for (const char* name : {"0", k_source_file}) variables.set(name, {{path, ""}});
    variables.set("PSSCRIPTROOT", {{parent_path(path), ""}});
}

bool is_outside(const std::string& path) {
    return is_absolute(path, System::linux_) && !starts_with(path, k_workspace);
}

std::string absolute_path(const std::string& path, const Shell& shell) {
    const std::string start = shell.in_image ? shell.starts_in : std::string(k_workspace);
    return normal_path(join_path(join_path(start, shell.folder), path), System::linux_);
}

std::optional<FileText> file_named_by(const Written& at, const std::string& path, const Shell& shell) {
    auto text = file_now(shell, folder_below(shell.folder, path), at);
    return text && text->known ? std::move(text) : std::nullopt;
}

ReadFile below_workspace(const ReadFile& files, std::size_t above) {
    if (!files) return files;
    std::string up;
    for (; above > 0; --above) up += "../";
    return files.instead([files, up](const std::string& path, const Written& by) {
        const std::string whole = normal_path(path, System::linux_);
        if (!starts_with(whole, std::string(k_workspace) + "/")) return files(path, by);
        return files(normal_path(up + whole.substr(k_workspace.size() + 1), System::linux_), by);
    });
}

std::optional<std::vector<Written>> known_words(const std::vector<Written>& words, std::size_t first) {
    std::vector<Written> rest(words.begin() + static_cast<std::ptrdiff_t>(first), words.end());
    const bool known = all_of(rest, [](const Written& word) { return word.known; });
    return known ? std::optional(std::move(rest)) : std::nullopt;
}

void set_arguments(const std::vector<Written>& arguments, Variables& variables) {
    Variable all;
    all.is_array = true;
    all.items = arguments;
    variables.set("@", all);
    variables.set("*", std::move(all));
    variables.erase("OPTIND");
    if (all_of(arguments, [](const Written& one) { return one.known; }))
        variables.set("#", {{std::to_string(arguments.size()), ""}});
    else
        variables.erase("#");
    for (std::size_t i = 1; i <= 9; ++i) {
        const std::string name = std::to_string(i);
        // One that is not given is not known: `${2:-12.1}` has a default.
        if (i <= arguments.size() && is_given(arguments[i - 1]))
            variables.set(name, {arguments[i - 1]});
        else
            variables.erase(name);
    }
}

void restore_arguments(const Variables& before, Variables& variables) {
    for (const char* name : k_arguments)
        if (const Variable* old = before.find(name))
            variables.set(name, *old);
        else
            variables.erase(name);
}

}  // namespace ptxguard::recipes
