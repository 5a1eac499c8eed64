// cmd and PowerShell: scripts that commands start, and the arguments of scripts and functions.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_scripts.hpp"
#include "recipes/shell/shell_windows_reader.hpp"

namespace ptxguard::recipes {

namespace {

std::optional<ShellKind> kind_of_script(std::string_view path) {
    const std::string name = lower(path);
    if (ends_with(name, ".ps1") || ends_with(name, ".psm1")) return ShellKind::powershell;
    if (ends_with(name, ".bat") || ends_with(name, ".cmd")) return ShellKind::cmd;
    return std::nullopt;
}

}  // namespace

std::size_t WindowsReader::parameters(std::size_t i) {
    if (!is_powershell()) return 0;
    const auto all = powershell_parameters(m_text.text, i, variables());
    if (!all) return 0;
    for (const auto& one : all->defaults) set(one.name, taken(one.begin, one.value), false);
    bind(all->names);
    if (m_shell.open_case && m_shell.open_case->name.empty() && !all->choices.empty()) {
        m_shell.open_case->name = all->choices.front().name;
        for (const auto& [begin, value] : all->choices.front().values)
            m_shell.open_case->values.push_back(m_text.written(begin, value));
    }
    return all->end;
}

// %1, %~1, %*, %~dp0
std::size_t WindowsReader::argument(std::size_t i) {
    const std::string_view text = m_text.text;
    std::size_t at = i + 1;
    if (text.substr(at, 1) == "~") at = std::min(text.find_first_not_of("dpnxf", at + 1), text.size());
    const std::string name(text.substr(at, 1));
    if (text[i] != '%' || name.find_first_of("0123456789*") == npos) return 0;
    // %2B of a URL
    if (at == i + 1 && text.substr(at + 1, 1).find_first_of("0Bb") != npos) return 0;
    const Variable* found = m_shell.variables.find(name);
    const Variable* count = m_shell.variables.find("#");
    const bool folder = text.substr(i + 1, 4) == "~dp0";
    const bool missing = count && name[0] - '0' > std::atoi(count->value.text.c_str());
    if (folder && found) {
        m_word.text += parent_path(found->value.text) + "/";
    } else if (found && name != "*" && at == i + 1 + (text[i + 1] == '~')) {
        m_word.text += found->value.text;
        m_word.fixed = m_word.fixed && found->value.fixed;
    } else if (!missing) {
        m_word.known = false;
        m_word.text += text.substr(i, at + 1 - i);
    }
    return at + 1;
}

// The arguments of a script or function: -Name VALUE, or in the order of its parameters.
void WindowsReader::bind(const std::vector<std::string>& names) {
    const Variable* all = m_shell.variables.find("@");
    if (!all) return;
    const std::vector<Written> given = all->items;
    std::vector<std::string> left = names;
    std::vector<Written> others;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::string option = lower(given[i].text.substr(0, given[i].text.find(':')));
        const auto named = std::find_if(left.begin(), left.end(), [&](const std::string& name) {
            return option.size() > 1 && option[0] == '-' && starts_with(lower(name), option.substr(1));
        });
        if (named == left.end()) {
            others.push_back(given[i]);
            continue;
        }
        const std::size_t colon = given[i].text.find(':');
        Written value = given[i];
        if (colon != npos)
            value.text.erase(0, colon + 1);
        else if (i + 1 < given.size() && !starts_with(given[i + 1].text, "-"))
            value = given[++i];
        else
            value.text = "True";
        set(*named, std::move(value), false);
        left.erase(named);
    }
    for (std::size_t i = 0; i < std::min(left.size(), others.size()); ++i) set(left[i], others[i], false);
}

void WindowsReader::set(std::string_view name, Written value, bool exported) {
    if (!m_blocks.empty()) m_blocks.back().assigned.push_back(upper(name));
    value.fixed = value.fixed && m_blocks.empty();
    Variable variable{value};
    variable.exported = exported;
    variable.assigned_here = true;
    m_shell.variables.set(upper(name), std::move(variable));
    // What turns a check off in one branch is written somewhere: nothing is known of the check.
    const bool no_check = value.text.find("allow-unsupported-compiler") != npos;
    if (no_check || (m_shell.is_script && exported))
        m_steps.push_back(SetVariable{std::string(name), std::move(value)});
}

bool WindowsReader::assigns_of_cmd() {
    const std::vector<Written>& words = m_command.words;
    if (is_word(words[0], "if") || is_word(words[0], "for")) forget_assigned();
    if (is_word(words[0], "setlocal") && words.size() > 1 && is_word(words[1], "enabledelayedexpansion"))
        m_delayed = true;
    if (words.size() < 2 || !is_word(words[0], "set")) return false;
    if (is_word(words[1], "/p")) return read_prompt(), true;
    Written value = words[1];
    const std::size_t equals = value.text.find('=');
    if (equals == npos) return true;
    const std::string name = value.text.substr(0, equals);
    value.text.erase(0, equals + 1);
    for (std::size_t i = 2; i < words.size(); ++i) value.text += " " + words[i].text;
    set(name, std::move(value));
    return true;
}

bool WindowsReader::assigns() {
    if (!is_powershell()) return assigns_of_cmd();
    if (!std::exchange(m_value_starts, false)) return false;
    const std::vector<Written>& words = m_command.words;
    const std::string& first = words[0].text;
    const bool environment = lower(first.substr(0, 5)) == "$env:";
    Written value = words.size() > 2 ? words[2] : words[1];
    // A table is kept as its JSON; other commands and operators are not evaluated.
    const bool as_json = words.size() > 3 && is_word(words[2], "convertto-json") && words[1].text == "=";
    if (as_json)
        value = words[3];
    else if (words.size() != 3 || words[1].text != "=" || !m_literal)
        value.known = false;
    set(first.substr(environment ? 5 : 1), std::move(value), environment);
    return true;
}

void WindowsReader::forget_assigned() {
    const std::vector<Written>& words = m_command.words;
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
        if (is_word(words[i], "set"))
            m_shell.variables.erase(upper(words[i + 1].text.substr(0, words[i + 1].text.find('='))));
}

bool runs_in_this_shell(std::string_view program) {
    return program == "." || is_one_of(lower(program), {"import-module", "ipmo"});
}

std::optional<NestedText> called_windows_script(const Command& command, const Shell& shell) {
    const std::vector<Written>& words = command.words;
    const bool in_this = runs_in_this_shell(words[0].text);
    std::size_t file = lower(words[0].text) == "call" || in_this ? 1 : 0;
    // pwsh -NoProfile -ExecutionPolicy Bypass -File x.ps1, Import-Module -Force ./x.psm1
    if (shell_kind(words[0].text) != ShellKind::posix || in_this)
        for (file = 1; file < words.size() && !kind_of_script(words[file].text);) ++file;
    if (file >= words.size() || !words[file].known || !shell.files) return std::nullopt;
    const std::string path = replace_all(words[file].text, "\\", "/");
    const auto kind = kind_of_script(path);
    if (!kind || is_outside(path) || path.substr(1, 1) == ":") return std::nullopt;
    const auto text = file_named_by(words[file], path, shell);
    if (!text) return std::nullopt;
    NestedText nested{PlacedText(text->file), *kind, command.variables};
    nested.text.append(without_mark(text->text), {text->lines_before + 1, 1});
    nested.path = absolute_path(path, shell);
    nested.arguments = known_words(words, file + 1);
    return nested;
}

}  // namespace ptxguard::recipes
