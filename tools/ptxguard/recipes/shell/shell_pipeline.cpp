// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_pipeline.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/python_runs.hpp"
#include "recipes/shell/text_filters.hpp"
#include "recipes/shell/text_programs.hpp"

namespace ptxguard::recipes {
namespace {

using Words = std::vector<Written>;
using Output = std::optional<std::string>;

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

// A file, or what such a program leaves of it.
Output text_of_file(const Words& words, const OutputSource& source, bool& fixed) {
    const auto file = words.size() > 1 ? source.file(words.back()) : std::nullopt;
    if (!file || !file->known) return std::nullopt;
    fixed = fixed && file->fixed;
    const Words without_file(words.begin(), words.end() - 1);
    if (words[0].text != "cat") return written_of(without_file, file->text);
    return words.size() == 2 && file->fixed ? Output(file->text) : std::nullopt;
}

// What the first program of a pipeline writes.
Output printed(const Words& words, const Variables& variables, const OutputSource* source, bool& fixed) {
    const std::string& program = words[0].text;
    if (program == "lsb_release") return release_printed(words, variables);
    if (starts_with(program, "python")) return printed_by_python(words, variables, source, fixed);
    if (source && is_one_of(program, {"dirname", "basename", "readlink", "realpath"}))
        return part_of_path(words, *source);
    if (source && source->file && reads_named_file(program)) return text_of_file(words, *source, fixed);
    return written_without_input(words);
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

bool is_folder_entered(const ShellSyntax& syntax, std::string_view text) {
    const std::vector<ShellNode>& both = syntax.list.children;
    return both.size() == 2 && both[0].words.size() > 1 && both[0].words[0].of(text) == "cd" &&
           both[1].joined != Joined::piped && both[1].joined != Joined::if_fails && !both[1].words.empty() &&
           both[1].words[0].of(text) == "pwd";
}

// `python - <<END`: the same as `python -c`.
Words as_option(const Words& words, const Written& code) {
    const bool plain = words.size() == 1 || (words.size() == 2 && words[1].text == "-");
    Written option = code, program = words[0];
    option.text = "-c";
    return plain ? Words{program, option, code} : Words{};
}

// Whether what the command writes goes only to the next one, and what it reads is known.
bool may_follow(const ShellNode& node, bool first) {
    const bool plain =
        node.kind == ShellNode::Kind::simple && node.outputs.empty() && (first || node.heredocs.empty());
    const std::size_t inputs = node.input_count();
    return plain && (first ? inputs < 2 : node.joined == Joined::piped && inputs == 0);
}

struct PipelineText {
    const PlacedText& text;
    const Variables& variables;
    Problems& problems;
    const OutputSource* source;
    const std::vector<Heredoc>& documents;

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
    // cd FOLDER && pwd
    std::optional<Written> folder_at(Range to) const {
        Written folder = expand_whole(text, to, variables, problems, '\\', source);
        if (folder.known) folder.text = source->absolute(folder.text);
        return folder.known ? std::optional(std::move(folder)) : std::nullopt;
    }
    // <<< TEXT, < FILE, << END. False: it is not known.
    bool read_input(const ShellNode& node, Written& into) const {
        if (!node.heredocs.empty()) return read_document(documents[node.heredocs[0]], into);
        if (!node.inputs.empty()) return read_file(node.inputs[0], into);
        if (node.here_strings.empty()) return true;
        const Written input = expand_whole(text, node.here_strings[0], variables, problems);
        into.fixed = into.fixed && input.fixed;
        into.text = input.text + "\n";
        return input.known;
    }

private:
    bool read_document(const Heredoc& document, Written& into) const {
        into.text = std::string(document.body.of(text.text));
        if (!document.expands || into.text.find_first_of("$`\\") == npos) return true;
        const Written all = expand_document(text, document.body, variables, problems, source);
        into.fixed = into.fixed && all.fixed;
        into.text = all.text;
        return all.known;
    }
    bool read_file(Range path, Written& into) const {
        const Written name = expand_whole(text, path, variables, problems, '\\', source);
        const auto file = name.known && source && source->file ? source->file(name) : std::nullopt;
        if (!file || !file->known) return false;
        into.fixed = into.fixed && file->fixed && name.fixed;
        into.text = file->text;
        return true;
    }
};

}  // namespace

std::optional<Written> output_of_pipeline(const PlacedText& text, Range inner, const Variables& variables,
                                          Problems& problems, const OutputSource* source) {
    constexpr std::size_t k_short = 1024, k_longest_output = 1u << 14;  // longer ones compute something else
    if (inner.end - inner.begin > k_short) return std::nullopt;
    const PlacedText part = text.part(inner.begin, inner.end);
    const ShellSyntax syntax = parse_shell(part.text);
    Written all = text.written(inner.begin, "");
    bool first = true;
    if (!syntax.problem.empty() || syntax.list.children.empty()) return std::nullopt;
    const PipelineText pipeline{part, variables, problems, source, syntax.heredocs};
    if (source && is_folder_entered(syntax, part.text))
        return pipeline.folder_at(syntax.list.children[0].words.back());
    for (const ShellNode& node : syntax.list.children) {
        if (!may_follow(node, first)) return std::nullopt;
        const Words words = pipeline.words_of(node, all.fixed);
        const bool only_file = node.words.empty() && !node.inputs.empty();  // $(<FILE)
        if ((words.empty() && !only_file) || !pipeline.read_input(node, all)) return std::nullopt;
        const bool reads = !first || node.input_count() > 0;
        const bool runs =
            reads && starts_with(program_name(node.words.empty() ? "" : words[0].text), "python");
        const Output output = only_file ? Output(all.text)
                              : runs  ? printed_by_python(as_option(words, all), variables, source, all.fixed)
                              : reads ? written_of(words, all.text)
                                      : printed(words, variables, source, all.fixed);
        if (!output || output->size() > k_longest_output) return std::nullopt;
        all.text = *output;
        first = false;
    }
    while (ends_with(all.text, "\n")) all.text.pop_back();
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
