// The lexical part of cmake-language(7): quoted, bracket and plain arguments, nested parentheses, comments.
// SPDX-License-Identifier: Apache-2.0
#include "formats/cmake_commands.hpp"

#include <cctype>
#include <optional>

#include "formats/text_lines.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

class Scanner {
public:
    explicit Scanner(std::string_view text) : m_text(text) {}

    std::vector<CMakeCommand> all() {
        std::vector<CMakeCommand> commands;
        while (!done()) {
            skip_blanks();
            CMakeCommand command;
            command.line = m_line;
            command.column = column();
            while (is_word_character(at())) command.name += take();
            command.name = lower(command.name);
            skip_blanks();
            if (command.name.empty() || at() != '(') {
                if (command.name.empty() && !done()) take();
                continue;
            }
            take();
            if (read_arguments(command)) commands.push_back(std::move(command));
        }
        return commands;
    }

private:
    bool done() const { return m_at >= m_text.size(); }
    char at(std::size_t ahead = 0) const {
        return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
    }
    char take() {
        const char c = m_text[m_at++];
        if (c == '\n') {
            ++m_line;
            m_line_start = m_at;
        }
        return c;
    }
    int column() const { return static_cast<int>(m_at - m_line_start) + 1; }

    void skip_blanks() {
        while (!done()) {
            if (at() == '#') {
                take();
                if (!bracket())
                    while (!done() && at() != '\n') take();
            } else if (std::isspace(static_cast<unsigned char>(at()))) {
                take();
            } else {
                return;
            }
        }
    }

    // [==[ ... ]==]
    std::optional<std::string> bracket() {
        std::size_t equals = 1;
        while (at(equals) == '=') ++equals;
        if (at() != '[' || at(equals) != '[') return std::nullopt;
        const std::string end = "]" + std::string(equals - 1, '=') + "]";
        const std::size_t start = m_at + equals + 1, stop = m_text.find(end, start);
        const std::string inside(m_text.substr(start, stop == std::string_view::npos ? stop : stop - start));
        const std::size_t after = stop == std::string_view::npos ? m_text.size() : stop + end.size();
        while (m_at < after) take();
        return inside;
    }

    std::string quoted() {
        std::string text;
        take();
        while (!done() && at() != '"') {
            if (at() == '\\' && m_at + 1 < m_text.size()) take();
            text += take();
        }
        if (!done()) take();
        return text;
    }

    std::string plain() {
        std::string text;
        while (!done() && !std::isspace(static_cast<unsigned char>(at())) &&
               std::string_view("()#\"").find(at()) == std::string_view::npos) {
            if (at() == '\\' && m_at + 1 < m_text.size()) text += take();
            text += take();
        }
        return text;
    }

    // The brackets inside a condition are arguments.
    bool read_arguments(CMakeCommand& command) {
        const bool condition = command.name == "if" || command.name == "elseif";
        for (int depth = 1;;) {
            skip_blanks();
            if (done()) return false;
            if (at() == '(' || at() == ')') {
                const int line = m_line, place = column();
                const char edge = take();
                depth += edge == '(' ? 1 : -1;
                if (depth == 0) return true;
                if (!condition) continue;
                command.lines.push_back(line);
                command.columns.push_back(place);
                command.arguments.emplace_back(1, edge);
                continue;
            }
            command.lines.push_back(m_line);
            command.columns.push_back(column() + (at() == '"' ? 1 : 0));
            if (at() == '"')
                command.arguments.push_back(quoted());
            else if (auto inside = at() == '[' ? bracket() : std::nullopt)
                command.arguments.push_back(std::move(*inside));
            else
                command.arguments.push_back(plain());
        }
    }

    std::string_view m_text;
    std::size_t m_at = 0, m_line_start = 0;
    int m_line = 1;
};

}  // namespace

std::vector<CMakeCommand> read_cmake_commands(std::string_view text) {
    return Scanner(without_mark(text)).all();
}

std::size_t end_of_block(const std::vector<CMakeCommand>& commands, std::size_t begin, std::size_t last) {
    const std::string& name = commands[begin].name;
    int depth = 1;
    for (std::size_t i = begin + 1; i < last; ++i) {
        if (commands[i].name == name) ++depth;
        if (commands[i].name == "end" + name && --depth == 0) return i;
    }
    return last;
}

std::optional<std::vector<ForeachItem>> foreach_items(const CMakeCommand& command) {
    const std::vector<std::string>& words = command.arguments;
    if (words.size() > 1 && words[1] == "RANGE") return std::nullopt;
    const bool in = words.size() > 1 && words[1] == "IN";
    std::vector<ForeachItem> items;
    bool lists = false;
    for (std::size_t i = in ? 2 : 1; i < words.size(); ++i) {
        if (words[i] == "ZIP_LISTS" && words[i - 1] == "IN") return std::nullopt;  // of several variables
        if (in && (words[i] == "LISTS" || words[i] == "ITEMS"))
            lists = words[i] == "LISTS";
        else
            items.push_back({i, lists});
    }
    return items;
}

std::string dereferenced(const std::string& word) {
    const bool whole = starts_with(word, "${") && word.find('}') == word.size() - 1;
    return whole ? word.substr(2, word.size() - 3) : "";
}

}  // namespace ptxguard
