// One pass over the words; an unknown option takes no value.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/arguments.hpp"

#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

// Calls `see` with each name of the form until it returns true.
template <class See>
bool any_name(const OptionForm& form, const See& see) {
    std::string_view names = form.names;
    while (!names.empty()) {
        const std::size_t end = names.find(' ');
        if (see(names.substr(0, end))) return true;
        names = end == names.npos ? std::string_view{} : names.substr(end + 1);
    }
    return false;
}

std::string main_name(const OptionForm& form) {
    std::string name;
    if (!any_name(form, [&](std::string_view one) { return starts_with(one, "--") && (name = one, true); }))
        name = form.names;
    return name;
}

const OptionForm* find_form(const std::vector<OptionForm>& table, std::string_view name, bool abbreviated) {
    for (const OptionForm& form : table)
        if (any_name(form, [&](std::string_view one) { return one == name; })) return &form;
    const OptionForm* found = nullptr;
    if (abbreviated && name.size() > 2 && starts_with(name, "--"))
        for (const OptionForm& form : table)
            if (any_name(form, [&](std::string_view one) { return starts_with(one, name); })) {
                if (found) return nullptr;
                found = &form;
            }
    return found;
}

// "-qU", "-rfile": each letter is an option until one uses the rest as its value.
void split_short(const std::vector<Written>& words, std::size_t& at, const std::vector<OptionForm>& table,
                 std::vector<Argument>& result) {
    const Written& word = words[at];
    const std::size_t index = at;
    for (std::size_t i = 1; i < word.text.size(); ++i) {
        const OptionForm* form = find_form(table, std::string("-") + word.text[i], false);
        Argument argument{"", {}, index};
        argument.option = form ? main_name(*form) : std::string("-") + word.text[i];
        if (form && form->takes_value) {
            const std::size_t start = i + 1 + (i + 1 < word.text.size() && word.text[i + 1] == '=');
            if (start < word.text.size())
                argument.value = part_of(word, start);
            else if (at + 1 < words.size())
                argument.value = words[++at];
            result.push_back(std::move(argument));
            return;
        }
        result.push_back(std::move(argument));
    }
}

}  // namespace

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return contains(words, word);
}

bool is_on(std::string_view value) { return is_one_of(lower(value), {"on", "true", "yes", "1"}); }

std::optional<std::pair<std::string, std::string>> cmake_definition(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (!starts_with(word, "-D") || equals == npos) return std::nullopt;
    const std::string name = word.substr(2, equals - 2);
    return std::pair(name.substr(0, name.find(':')), word.substr(equals + 1));
}

std::vector<const Argument*> operands_of(const std::vector<Argument>& arguments) {
    std::vector<const Argument*> operands;
    for (const Argument& argument : arguments)
        if (argument.option.empty()) operands.push_back(&argument);
    return operands;
}

Written part_of(const Written& whole, std::size_t at, std::size_t length) {
    Written part = whole;
    part.text = at < whole.text.size() ? whole.text.substr(at, length) : "";
    if (part.column) part.column += static_cast<int>(at);
    return part;
}

std::vector<Argument> split_arguments(const std::vector<Written>& words, std::size_t from,
                                      const std::vector<OptionForm>& table, bool abbreviated) {
    std::vector<Argument> result;
    bool options = true;
    for (std::size_t at = from; at < words.size(); ++at) {
        const Written& word = words[at];
        if (options && word.text == "--") {
            options = false;
            continue;
        }
        if (!options || word.text.size() < 2 || word.text[0] != '-') {
            result.push_back({"", word, at});
            continue;
        }
        if (word.text[1] != '-') {
            split_short(words, at, table, result);
            continue;
        }
        const std::size_t equals = word.text.find('=');
        const std::string name = word.text.substr(0, equals);
        const OptionForm* form = find_form(table, name, abbreviated);
        Argument argument{form ? main_name(*form) : name, {}, at};
        if (equals != std::string::npos)
            argument.value = part_of(word, equals + 1);
        else if (form && form->takes_value && at + 1 < words.size())
            argument.value = words[++at];
        result.push_back(std::move(argument));
    }
    return result;
}

Written whole_of(const Command& command) {
    Written whole = command.words.front();
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        whole.text += " " + command.words[i].text;
        whole.known = whole.known && command.words[i].known;
        whole.fixed = whole.fixed && command.words[i].fixed;
    }
    return whole;
}

}  // namespace ptxguard::recipes
