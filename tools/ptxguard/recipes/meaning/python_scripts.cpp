// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/python_scripts.hpp"

#include "host/paths.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

// "https://bootstrap.pypa.io/get-pip.py"; that of pip/3.8/ is for an old Python.
const FirstRelease* script_in(const Command& command, const Facts& facts) {
    return first_where(recipe_tables(facts).script_pythons, [&](const FirstRelease& row) {
        return any_of(command.words, [&](const Written& word) {
            return word.known && word.fixed && ends_with(word.text, row.package);
        });
    });
}

// Another one of its name.
bool fetches(const Command& command, const std::string& script) {
    const bool gets = is_one_of(program_name(command.words[0].text), {"curl", "wget"});
    return gets && any_of(command.words,
                          [&](const Written& word) { return ends_with(word.text, "/" + file_of(script)); });
}

// `python3.8 get-pip.py`, `... | python3 -`
bool runs(const Command& command, const std::string& script) {
    const auto& words = command.words;
    if (!words[0].fixed || !starts_with(program_name(words[0].text), "python")) return false;
    return words.size() < 2 || words[1].text == "-" || file_of(words[1].text) == file_of(script);
}

// "3.8" of "/usr/bin/python3.8"
std::string release_of(const std::string& program) {
    const std::string name = file_of(program);
    const auto release = starts_with(name, "python3.") ? parse_version(name.substr(6)) : std::nullopt;
    return release ? release->release() : "";
}

}  // namespace

void PythonScripts::note(const Command& command, const Facts& facts) {
    const auto& words = command.words;
    if (const FirstRelease* row = script_in(command, facts))
        m_script = row;
    else if (m_script && fetches(command, m_script->package))
        m_script = nullptr;
    if (words.size() > 2 && program_name(words[0].text) == "ln" && file_of(words.back().text) == "python")
        m_linked = release_of(words[words.size() - 2].text);
}

std::optional<RefusedPin> PythonScripts::take(const Command& command, const std::string& python,
                                              const Origin& of_python, const Facts& facts) {
    if (command.words.empty()) return std::nullopt;
    note(command, facts);
    if (!m_script || !runs(command, m_script->package)) return std::nullopt;
    const std::string named = release_of(command.words[0].text);
    const bool linked = program_name(command.words[0].text) == "python" && !m_linked.empty();
    const std::string& release = !named.empty() ? named : linked ? m_linked : python;
    const auto version = parse_version(release);
    if (!version || !(*version < *m_script->from)) return std::nullopt;
    RefusedPin one;
    one.why = Refusal::old_python;
    one.package = file_of(m_script->package);
    one.pinned = m_script->package;
    one.by = release;
    one.by_origin = named.empty() && !linked ? of_python : origin_of(command.words[0]);
    one.wanted = m_script->from->text;
    one.wanted_origin = m_script->origin;
    one.origin = origin_of(command.words[0]);
    m_script = nullptr;
    return one;
}

}  // namespace ptxguard::recipes
