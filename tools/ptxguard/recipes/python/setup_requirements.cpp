// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/setup_requirements.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "formats/text_lines.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {
namespace {

constexpr const char* k_of_names = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

struct Quoted {
    std::size_t begin = 0, end = 0;  // without the quotes
    bool formatted = false;  // f"...", "...".format(), "..." % of, "..." + of: its value is another text
};

// What a text is part of: the operator or method before or behind it.
bool is_combined(std::string_view text, std::size_t begin, std::size_t end) {
    const std::size_t before = begin == 0 ? npos : text.find_last_not_of(" \t\r\n\\", begin - 1);
    const std::size_t after = text.find_first_not_of(" \t\r\n\\", end);
    const auto is = [&](std::size_t at, std::string_view any) {
        return at != npos && any.find(text[at]) != npos;
    };
    return is(before, "+%") || is(after, "+%.");
}

// The string literals, in order; comments and longer strings ("""...""") are omitted.
std::vector<Quoted> quoted_texts(std::string_view text) {
    std::vector<Quoted> all;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '#') {
            i = std::min(text.find('\n', i), text.size());
        } else if (c != '"' && c != '\'') {
            ++i;
        } else if (text.substr(i, 3) == std::string(3, c)) {
            const std::size_t end = text.find(std::string(3, c), i + 3);
            i = end == npos ? text.size() : end + 3;
        } else {
            Quoted one;
            one.begin = i + 1;
            one.formatted = i > 0 && (text[i - 1] == 'f' || text[i - 1] == 'F');
            for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i)
                if (text[i] == '\\') ++i;
            one.end = std::min(i, text.size());
            if (i < text.size()) ++i;
            one.formatted = one.formatted || is_combined(text, one.begin - 1, i);
            all.push_back(one);
        }
    }
    return all;
}

// The first one that begins at `at` or later.
std::vector<Quoted>::const_iterator first_from(const std::vector<Quoted>& quoted, std::size_t at) {
    return std::lower_bound(quoted.begin(), quoted.end(), at,
                            [](const Quoted& one, std::size_t offset) { return one.begin < offset; });
}

// The '[' or '{' of each NAME = [...] at the start of a line: what install_requires=NAME passes.
using Openings = std::map<std::string_view, std::size_t>;
Openings openings_of(std::string_view text) {
    Openings openings;
    for (const std::string_view line : lines_of(text)) {
        const std::size_t end = std::min(line.find_first_not_of(k_of_names), line.size());
        const std::string_view rest = trimmed(line.substr(end));
        if (end == 0 || rest.empty() || rest.front() != '=') continue;
        const std::size_t equals = static_cast<std::size_t>(rest.data() - text.data());
        const std::size_t open = text.find_first_not_of(" \t", equals + 1);
        if (open != npos && (text[open] == '[' || text[open] == '{'))
            openings.emplace(line.substr(0, end), open);
    }
    return openings;
}
std::size_t opened_by_name(const Openings& openings, std::string_view text, std::string_view name,
                           char opening) {
    const auto found = openings.find(name);
    return found != openings.end() && text[found->second] == opening ? found->second : npos;
}

// Parentheses around strings: the arguments of os.path.join(here, "x") are no items of the list.
class Parentheses {
public:
    void follow(std::string_view all, std::size_t from, std::size_t to) {
        for (std::size_t at = from; at < to; ++at) {
            if (all[at] == '(') {
                m_open.push_back(at > 0 && std::string_view(k_of_names).find(all[at - 1]) != npos);
                m_calls += m_open.back();
            } else if (all[at] == ')' && !m_open.empty()) {
                m_calls -= m_open.back();
                m_open.pop_back();
            }
        }
    }
    bool in_call() const { return m_calls > 0; }

private:
    std::vector<bool> m_open;  // true: of a call
    std::size_t m_calls = 0;
};

// The strings between two places, each a requirement.
void add_strings(const PlacedText& text, const std::vector<Quoted>& quoted, std::size_t begin,
                 std::size_t end, std::vector<WrittenRequirement>& into) {
    Parentheses around;
    std::size_t from = begin + 1;
    for (auto one = first_from(quoted, begin); one != quoted.end() && one->begin <= end; ++one) {
        around.follow(text.text, from, one->begin);
        from = one->end;
        if (one->formatted || around.in_call()) continue;
        const Written word = text.written(one->begin, one->end);
        if (!word.text.empty()) into.push_back(read_requirement(word));
    }
}

// Where the list that opens at `open` ends: "uvicorn[standard]" has a bracket inside of a string.
std::size_t end_of_list(std::string_view all, const std::vector<Quoted>& quoted, std::size_t open) {
    const char closing = all[open] == '[' ? ']' : ')';
    std::size_t from = open + 1;
    for (auto item = first_from(quoted, from); item != quoted.end(); ++item) {
        const std::size_t bracket = all.substr(from, item->begin - from).find(closing);
        if (bracket != npos) return from + bracket;
        from = item->end;
    }
    return std::min(all.find(closing, from), all.size());
}

// The values of setup()'s arguments.
class SetupValues {
public:
    SetupValues(const PlacedText& text, const std::vector<Quoted>& quoted)
        : m_text(text), m_quoted(quoted), m_openings(openings_of(text.text)) {}

    // A list, the name of one, or a sum of both: [...], NAME, NAME + ["numpy"]. Returns where it ends.
    // `opened`: the lists that were read for this value.
    std::size_t add(std::size_t at, std::set<std::size_t>& opened,
                    std::vector<WrittenRequirement>& into) const {
        const std::string_view all = m_text.text;
        for (at = all.find_first_not_of(k_blanks, at); at != npos;
             at = all.find_first_not_of(k_blanks, at + 1)) {
            const std::size_t after = std::min(all.find_first_not_of(k_of_names, at), all.size());
            if (all[at] == '[' || all[at] == '(') {
                at = add_list(at, opened, into) + 1;
            } else if (after > at && (after == all.size() || all[after] != '(')) {
                const std::size_t open = opened_by_name(m_openings, all, all.substr(at, after - at), '[');
                if (open != npos) add_list(open, opened, into);
                at = after;
            } else {
                return at;
            }
            at = at < all.size() ? all.find_first_not_of(k_blanks, at) : npos;
            if (at == npos || all[at] != '+') break;
        }
        return std::min(at, all.size());
    }

    // The strings in the values of `install_requires`; it may be the name of the list that is passed, too.
    void add_required(std::vector<WrittenRequirement>& into) const {
        const std::string_view all = m_text.text, key = "install_requires";
        std::set<std::size_t> opened;
        for (std::size_t at = all.find(key); at != npos; at = all.find(key, at)) {
            at += key.size();
            const std::size_t equals = all.find_first_not_of(" \t", at);
            if (equals != npos && all[equals] == '=') at = add(equals + 1, opened, into);
        }
    }

    // extras_require={"gpu": ["torch==2.0.1"], ...}: names with a list of strings; others are computed.
    void add_extras(SetupRequirements& required) const {
        // No more are used, and whoever reads the file for itself says so.
        constexpr std::size_t k_used_extras = 100;
        const std::string_view all = m_text.text, key = "extras_require";
        const std::size_t at = all.find(key);
        std::size_t open = at == npos ? npos : all.find_first_not_of(" \t\n=", at + key.size());
        if (open == npos) return;
        const std::size_t after = all.find_first_not_of(k_of_names, open);
        if (after > open && after != npos && (all[after] == ',' || all[after] == ')'))
            open = opened_by_name(m_openings, all, all.substr(open, after - open), '{');
        if (open == npos || all[open] != '{') return;
        std::size_t from = open + 1;
        for (auto one = first_from(m_quoted, from);
             one != m_quoted.end() && required.extras.size() <= k_used_extras;
             one = first_from(m_quoted, from)) {
            if (all.substr(from, one->begin - from).find('}') != npos) return;
            from = one->end + 1;
            const std::size_t colon = all.find_first_not_of(k_blanks, from);
            if (colon == npos || all[colon] != ':') continue;
            std::vector<WrittenRequirement> more;
            std::set<std::size_t> opened;
            from = std::max(from, add(colon + 1, opened, more));
            if (!more.empty())
                required.extras.emplace_back(all.substr(one->begin, one->end - one->begin), std::move(more));
        }
    }

private:
    static constexpr const char* k_blanks = " \t\n";

    // Its end.
    std::size_t add_list(std::size_t open, std::set<std::size_t>& opened,
                         std::vector<WrittenRequirement>& into) const {
        const std::size_t close = end_of_list(m_text.text, m_quoted, open);
        if (opened.insert(open).second) add_strings(m_text, m_quoted, open, close, into);
        return close;
    }

    const PlacedText& m_text;
    const std::vector<Quoted>& m_quoted;
    Openings m_openings;
};

// The items of a list whose strings are all known and certain.
bool add_known(const std::optional<PythonValue>& value, std::vector<WrittenRequirement>& into) {
    const auto is_known = [](const PythonValue& one) {
        return one.is_text() && one.is_known() && one.text.known && is_fixed(one) && one.text.line > 0;
    };
    if (!value || !value->is_list() || !all_of(value->items, is_known)) return false;
    for (const PythonValue& one : value->items) into.push_back(read_requirement(one.text));
    return true;
}

using Extras = std::vector<std::pair<std::string, std::vector<WrittenRequirement>>>;
void add_known_extras(const PythonValue& table, Extras& extras) {
    if (table.kind != PythonValue::Kind::table) return;
    for (std::size_t i = 0; i + 1 < table.items.size(); i += 2) {
        std::vector<WrittenRequirement> more;
        const PythonValue& name = table.items[i];
        if (!name.is_text() || !name.is_known() || !add_known(table.items[i + 1], more) || more.empty())
            continue;
        const auto found = first_where(extras, [&](const auto& one) { return one.first == name.text.text; });
        if (found)
            found->second = std::move(more);
        else
            extras.emplace_back(name.text.text, std::move(more));
    }
}

}  // namespace

void SetupCall::note(const PythonCall& call, const PythonRun& run) {
    if (call.last.text != "setup" || !run.certain || run.chosen) return;
    for (auto [name, into] :
         {std::pair{"install_requires", &install_requires}, {"extras_require", &extras_require}})
        if (const PythonValue* value = call.argument(name)) *into = *value;
}

SetupRequirements requirements_of_script(const PlacedText& text, const SetupCall& call) {
    SetupRequirements required;
    const std::vector<Quoted> quoted = quoted_texts(text.text);
    const SetupValues values(text, quoted);
    if (!add_known(call.install_requires, required.always)) values.add_required(required.always);
    values.add_extras(required);
    if (call.extras_require) add_known_extras(*call.extras_require, required.extras);
    return required;
}

SetupRequirements requirements_of_script(const FileText& file, const ReadFile& files) {
    struct : PythonObserver {
        void gets(const std::string&, const PythonValue&, bool, const PythonRun&) override {}
        void calls(const PythonCall& call, const PythonRun& run) override { setup.note(call, run); }
        SetupCall setup;
    } observer;
    Shell shell;
    shell.files = files.instead({});
    const PlacedText text(file.file, without_mark(file.text));
    PythonFollower(file.file, text.text).show(observer, {}, shell);
    return requirements_of_script(text, observer.setup);
}

// `install_requires =` and, in [options.extras_require], `gpu =`, each with its indented lines.
SetupRequirements requirements_of_cfg(const PlacedText& text) {
    SetupRequirements required;
    std::size_t begin = 0;
    bool of_extras = false;
    std::vector<WrittenRequirement>* into = nullptr;
    const auto add = [&](std::string_view line, std::string_view content) {
        content = trimmed(content.substr(0, content.find(" #")));
        const std::size_t at = begin + static_cast<std::size_t>(content.data() - line.data());
        into->push_back(read_requirement(text.written(at, at + content.size())));
    };
    for (const std::string_view line : lines_of(text.text)) {
        const std::string_view content = trimmed(line);
        const bool indented = starts_with_any(line, {" ", "\t"});
        const std::size_t equals = content.find('=');
        if (content.empty() || content.front() == '#') {
            // between the lines of a list
        } else if (content.front() == '[' && !indented) {
            of_extras = content == "[options.extras_require]";
            into = nullptr;
        } else if (!indented && equals != npos) {
            const std::string_view name = trimmed(content.substr(0, equals));
            into = nullptr;
            if (name == "install_requires") into = &required.always;
            if (of_extras)
                into = &required.extras.emplace_back(std::string(name), std::vector<WrittenRequirement>{})
                            .second;
            const std::string_view value = trimmed(content.substr(equals + 1));
            if (into && !value.empty()) add(line, value);
        } else if (indented && into) {
            add(line, content);
        }
        begin = std::min(text.text.find('\n', begin), text.text.size() - 1) + 1;
    }
    auto& extras = required.extras;
    erase_if(extras, [](const auto& one) { return one.second.empty(); });
    return required;
}

}  // namespace ptxguard::recipes
