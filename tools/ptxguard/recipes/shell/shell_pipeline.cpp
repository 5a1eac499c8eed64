// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_pipeline.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/python_runs.hpp"

namespace ptxguard::recipes {
namespace {

using Words = std::vector<Written>;
using Output = std::optional<std::string>;

// "1,2", "1-2", "2-": which of `count` fields, in their order.
std::vector<bool> chosen(const std::string& list, std::size_t count) {
    std::vector<bool> all(count);
    for (const std::string& one : split(list, ",")) {
        const std::size_t dash = one.find('-');
        const auto number = [](const std::string& text, std::size_t absent) {
            return text.empty() || text.size() > 4 ? absent
                                                   : static_cast<std::size_t>(std::atoi(text.c_str()));
        };
        const std::size_t from = number(one.substr(0, dash), 1);
        const std::size_t to = dash == npos ? from : number(one.substr(dash + 1), count);
        for (std::size_t i = from; i >= 1 && i <= std::min(to, count); ++i) all[i - 1] = true;
    }
    return all;
}

Output cut(const Words& words, const std::string& text) {
    static const std::vector<OptionForm> options = {{"-d --delimiter"}, {"-f --fields"}, {"-c --characters"}};
    std::string by, list, characters;
    for (const Argument& argument : split_arguments(words, 1, options, false)) {
        if (argument.option == "--delimiter") by = argument.value.text;
        if (argument.option == "--fields") list = argument.value.text;
        if (argument.option == "--characters") characters = argument.value.text;
        if (argument.option.empty()) return std::nullopt;
    }
    std::string result;
    if (!characters.empty()) {
        const std::vector<bool> which = chosen(characters, text.size());
        for (std::size_t i = 0; i < text.size(); ++i)
            if (which[i]) result += text[i];
        return result;
    }
    if (by.size() != 1 || list.empty()) return std::nullopt;
    const std::vector<std::string> fields = split_fields(text, by[0]);
    if (fields.size() == 1) return text;
    const std::vector<bool> which = chosen(list, fields.size());
    bool any = false;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (which[i]) result += (any ? by : "") + fields[i], any = true;
    return result;
}

// The characters that a set of tr names; nothing for ranges and classes.
std::optional<std::string> characters_of(const std::string& set) {
    std::string all;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const bool escaped = set[i] == '\\' && i + 1 < set.size();
        if (escaped && std::string_view("nrt0123456789").find(set[i + 1]) != npos) return std::nullopt;
        const bool range = set[i] == '-' && i > 0 && i + 1 < set.size();
        if (!escaped && (range || set[i] == '[')) return std::nullopt;
        all += set[escaped ? ++i : i];
    }
    return all;
}

// tr -d . and tr . _
Output translate(const Words& words, const std::string& text) {
    if (words.size() != 3) return std::nullopt;
    const bool drops = words[1].text == "-d";
    const auto from = characters_of(words[drops ? 2 : 1].text), to = characters_of(words[2].text);
    if (!from || !to || to->empty() || (!drops && words[1].text[0] == '-' && words[1].text.size() > 1))
        return std::nullopt;
    std::string result;
    for (const char c : text) {
        const std::size_t at = from->find(c);
        if (at == npos)
            result += c;
        else if (!drops)
            result += (*to)[std::min(at, to->size() - 1)];
    }
    return result;
}

// A pattern without a meaning of its own.
Output literal(const std::string& pattern) {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern.compare(i, 2, "\\.") == 0)
            ++i;
        else if (std::string_view(".*[]^$\\+?(){}|").find(pattern[i]) != npos)
            return std::nullopt;
        text += pattern[i];
    }
    return text.empty() ? std::nullopt : Output(text);
}

// s/\.//g
Output substitute(const Words& words, const std::string& text) {
    const bool with_option = words.size() == 3 && (words[1].text == "-e" || words[1].text == "-E");
    if (words.size() != 2 && !with_option) return std::nullopt;
    const std::string& script = words.back().text;
    if (script.size() < 4 || script[0] != 's') return std::nullopt;
    const std::vector<std::string> parts = split_fields(script.substr(2), script[1]);
    if (parts.size() != 3 || (!parts[2].empty() && parts[2] != "g")) return std::nullopt;
    const Output pattern = literal(parts[0]);
    if (!pattern || parts[1].find_first_of("\\&") != npos) return std::nullopt;
    if (!parts[2].empty()) return replace_all(text, *pattern, parts[1]);
    const std::size_t at = text.find(*pattern);
    return at == npos ? text : text.substr(0, at) + parts[1] + text.substr(at + pattern->size());
}

// $1"."$2
Output print_fields(const std::string& expression, const std::vector<std::string>& fields) {
    std::string result;
    for (std::size_t i = 0; i < expression.size(); ++i) {
        if (expression[i] == ' ') continue;
        if (expression[i] == '$' && i + 1 < expression.size() && is_digit(expression[i + 1])) {
            const std::size_t field = static_cast<std::size_t>(expression[++i] - '0');
            if (field == 0) return std::nullopt;
            if (field <= fields.size()) result += fields[field - 1];
        } else if (const std::size_t end = expression.find('"', i + 1); expression[i] == '"' && end != npos) {
            result += expression.substr(i + 1, end - i - 1);
            i = end;
        } else {
            return std::nullopt;
        }
    }
    return result;
}

// awk -F. '{print $1"."$2}'
Output print_fields(const Words& words, const std::string& text) {
    std::string by, program;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (word == "-F" && i + 1 < words.size())
            by = words[++i].text;
        else if (starts_with(word, "-F"))
            by = word.substr(2);
        else if (program.empty())
            program = word;
        else
            return std::nullopt;
    }
    program = trim(program);
    if (by.size() != 1 || program.size() < 9 || program.front() != '{' || program.back() != '}')
        return std::nullopt;
    program = trim(program.substr(1, program.size() - 2));
    if (!starts_with(program, "print ")) return std::nullopt;
    return print_fields(program.substr(6), split_fields(text, by[0]));
}

constexpr const char* k_release = "(release of the system)";  // no name of a variable

// lsb_release -rs, -r -s, --release --short; without -s "Release:\t22.04"
Output release_printed(const Words& words, const Variables& variables) {
    std::string letters;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        letters += word == "--release" ? "r" : word == "--short" ? "s" : word;
    }
    std::string sorted;
    for (const char c : letters)
        if (c != '-') sorted += c;
    std::sort(sorted.begin(), sorted.end());
    const Variable* release = sorted == "rs" || sorted == "r" ? variables.find(k_release) : nullptr;
    return release ? Output((sorted == "r" ? "Release:\t" : "") + release->value.text) : std::nullopt;
}

// dirname X, basename X, readlink -f X, realpath X
Output part_of_path(const Words& words, const OutputSource& source) {
    const std::string& program = words[0].text;
    std::string path = words.back().text;
    const auto options =
        std::count_if(words.begin() + 1, words.end(), [](const Written& one) { return one.text[0] == '-'; });
    if (words.size() != static_cast<std::size_t>(options) + 2 || path.empty()) return std::nullopt;
    if (program == "basename") return file_name(path);
    if (program != "dirname") return source.absolute(path);
    path = parent_path(path);
    return path.empty() ? "." : path;
}

// A file of one line, such as a version.
Output line_of_file(const Words& words, const OutputSource& source) {
    const auto file = words.size() == 2 ? source.file(words[1]) : std::nullopt;
    if (!file || !file->known || !file->fixed) return std::nullopt;
    const std::string text(trimmed(file->text));
    return text.find('\n') == npos ? Output(text) : std::nullopt;
}

// printf "%s\\n" A B, printf A, echo -n A B
Output text_of_echo(const Words& words) {
    const std::string& program = words[0].text;
    const std::string option = words.size() > 1 ? words[1].text : "";
    std::size_t first = 1;
    if (program == "printf") {
        const bool lines = option == "%s\\n";
        if (lines || option == "%s") first = 2;
        if (words.size() <= first || (!lines && words.size() > first + 1)) return std::nullopt;
        if (words.size() == first + 1 && words[first].text.find_first_of("%\\") != npos) return std::nullopt;
    } else if (option == "-n") {
        first = 2;
    }
    std::vector<std::string> texts;
    for (std::size_t i = first; i < words.size(); ++i) texts.push_back(words[i].text);
    return joined(texts, program == "printf" ? "\n" : " ");
}

// What the first program of a pipeline writes.
Output printed(const Words& words, const Variables& variables, const OutputSource* source, bool& fixed) {
    const std::string& program = words[0].text;
    if (program == "lsb_release") return release_printed(words, variables);
    if (starts_with(program, "python")) return printed_by_python(words, variables, fixed);
    if (source && is_one_of(program, {"dirname", "basename", "readlink", "realpath"}))
        return part_of_path(words, *source);
    if (source && program == "cat") return line_of_file(words, *source);
    return is_one_of(program, {"printf", "echo"}) ? text_of_echo(words) : std::nullopt;
}

// Names of files, which the shell puts there.
bool is_pattern(std::string_view word) {
    char quote = 0;
    for (std::size_t i = 0; i < word.size(); ++i) {
        const char c = word[i];
        if (c == '\\' && quote != '\'')
            ++i;
        else if (quote)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (const Limit* reached = nullptr; c == '$')
            i = std::min(end_of_dollar(word, i, reached), word.size()) - 1;
        else if (c == '*' || c == '?')
            return true;
    }
    return false;
}

// sort -V; head -n 1, head -n1, head -1, tail -1
Output of_lines(const Words& words, const std::string& text) {
    const std::string& program = words[0].text;
    std::vector<std::string> lines = split_fields(text, '\n');
    if (program == "sort") {
        if (words.size() != 2 || !is_one_of(words[1].text, {"-V", "--version-sort"}) ||
            !all_of(lines, [](const std::string& line) { return parse_version(line).has_value(); }))
            return std::nullopt;
        std::stable_sort(lines.begin(), lines.end(), [](const std::string& a, const std::string& b) {
            return *parse_version(a) < *parse_version(b);
        });
        std::string sorted;
        for (const std::string& line : lines) sorted += (&line == &lines.front() ? "" : "\n") + line;
        return sorted;
    }
    std::string options;
    for (std::size_t i = 1; i < words.size(); ++i) options += words[i].text;
    if (!is_one_of(options, {"-n1", "-1", "--lines=1"})) return std::nullopt;
    return program == "head" ? lines.front() : lines.back();
}

Output written_by(const Words& words, const std::string& text) {
    const std::string& program = words[0].text;
    if (is_one_of(program, {"sort", "head", "tail"})) return of_lines(words, text);
    if (text.find('\n') != npos) return std::nullopt;
    if (program == "cat" && words.size() == 1) return text;
    if (program == "cut") return cut(words, text);
    if (program == "tr") return translate(words, text);
    if (program == "sed") return substitute(words, text);
    if (program == "awk") return print_fields(words, text);
    return std::nullopt;
}

}  // namespace

namespace {

bool is_folder_entered(const ShellSyntax& syntax, std::string_view text) {
    const std::vector<ShellNode>& both = syntax.list.children;
    return both.size() == 2 && both[0].words.size() > 1 && both[0].words[0].of(text) == "cd" &&
           both[1].joined != Joined::piped && both[1].joined != Joined::if_fails && !both[1].words.empty() &&
           both[1].words[0].of(text) == "pwd";
}

// Whether what the command writes goes only to the next one, and what it reads is known.
bool may_follow(const ShellNode& node, bool first) {
    const bool plain = node.kind == ShellNode::Kind::simple && node.outputs.empty() && node.heredocs.empty();
    return plain &&
           (first ? node.here_strings.size() < 2 : node.joined == Joined::piped && node.here_strings.empty());
}

struct PipelineText {
    const PlacedText& text;
    const Variables& variables;
    Problems& problems;
    const OutputSource* source;

    // Empty: not known.
    Words words_of(const ShellNode& node, bool& fixed) const {
        Words words;
        for (const Range& range : node.words) {
            if (is_pattern(range.of(text.text))) return {};
            for (Written& word : expand(text, range, variables, problems, {'\\', true, source})) {
                if (!word.known) return {};
                fixed = fixed && word.fixed;
                words.push_back(std::move(word));
            }
        }
        return words;
    }
    // False: it is not known.
    bool read_here_string(const ShellNode& node, Written& into) const {
        if (node.here_strings.empty()) return true;
        const Written input = expand_whole(text, node.here_strings[0], variables, problems);
        into.fixed = into.fixed && input.fixed;
        into.text = input.text;
        return input.known;
    }
};

}  // namespace

std::optional<Written> output_of_pipeline(const PlacedText& text, Range inner, const Variables& variables,
                                          Problems& problems, const OutputSource* source) {
    constexpr std::size_t k_short = 1024;  // longer ones compute something else
    if (inner.end - inner.begin > k_short) return std::nullopt;
    const PlacedText part = text.part(inner.begin, inner.end);
    const ShellSyntax syntax = parse_shell(part.text);
    Written all = text.written(inner.begin, "");
    bool first = true;
    if (!syntax.problem.empty() || syntax.list.children.empty()) return std::nullopt;
    const PipelineText pipeline{part, variables, problems, source};
    if (source && is_folder_entered(syntax, part.text)) {  // cd FOLDER && pwd
        const Range& to = syntax.list.children[0].words.back();
        Written folder = expand_whole(part, to, variables, problems, '\\', source);
        if (folder.known) folder.text = source->absolute(folder.text);
        return folder.known ? std::optional(std::move(folder)) : std::nullopt;
    }
    for (const ShellNode& node : syntax.list.children) {
        if (!may_follow(node, first)) return std::nullopt;
        const Words words = pipeline.words_of(node, all.fixed);
        if (words.empty() || !pipeline.read_here_string(node, all)) return std::nullopt;
        const bool reads = !first || !node.here_strings.empty();
        const Output output =
            reads ? written_by(words, all.text) : printed(words, variables, source, all.fixed);
        if (!output) return std::nullopt;
        all.text = *output;
        first = false;
    }
    return all;
}

void set_release_of_system(const Written& name, Variables& variables) {
    const std::string ubuntu = "ubuntu";
    const std::size_t at = name.text.find(ubuntu);
    if (at == npos || !name.known) return;
    std::size_t begin = at + ubuntu.size();
    if (begin < name.text.size() && (name.text[begin] == ':' || name.text[begin] == '-')) ++begin;
    const std::string release = name.text.substr(begin, 5);  // "22.04"
    if (release.size() < 5 || release[2] != '.' || !all_digits(release.substr(0, 2)) ||
        !all_digits(release.substr(3)))
        return;
    Variable variable{name};
    variable.value.text = release;
    variable.exported = true;
    variables.set(k_release, std::move(variable));
}

}  // namespace ptxguard::recipes
