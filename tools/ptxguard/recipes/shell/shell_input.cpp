// What commands read: files, pipes and here-documents, and the variables that `read` and mapfile set from
// them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "formats/text_lines.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/shell_pipeline.hpp"
#include "recipes/shell/shell_run.hpp"
#include "recipes/shell/shell_walker.hpp"
#include "recipes/shell/text_filters.hpp"
#include "recipes/shell/text_programs.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::string_view k_blanks = " \t\n";
constexpr std::size_t k_lines_followed = 256;  // a longer list is data, not packages

struct Field {
    std::size_t begin, end;
};

// The fields of `read`: the last name gets the rest. Several blanks separate like one.
std::vector<Field> fields_of(const std::string& text, const std::string& separators, std::size_t names) {
    std::vector<Field> fields;
    const auto is_blank = [&](std::size_t i) {
        return k_blanks.find(text[i]) != npos && separators.find(text[i]) != npos;
    };
    std::size_t begin = 0, last = text.size();
    while (begin < last && is_blank(begin)) ++begin;
    while (last > begin && is_blank(last - 1)) --last;
    while (names == 0 || fields.size() + 1 < names) {
        const std::size_t end = text.find_first_of(separators, begin);
        if (end == npos || end >= last) break;
        fields.push_back({begin, end});
        begin = end + 1;
        while (is_blank(end) && begin < last && is_blank(begin)) ++begin;
    }
    fields.push_back({begin, last});
    return fields;
}

struct ReadOptions {
    std::vector<std::string> names = {};
    bool list = false;       // one name gets all fields
    bool whole = false;      // -d '': to the end
    bool elsewhere = false;  // another file descriptor
};
ReadOptions options_of_read(const std::vector<Written>& words) {
    ReadOptions options;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        options.list = options.list || (word[0] == '-' && word.find('a') != npos);
        options.elsewhere = options.elsewhere || starts_with(word, "-u");
        if (word == "-d") options.whole = i + 1 < words.size() && words[i + 1].text.empty();
        if (is_one_of(word, {"-p", "-t", "-n", "-d", "-u", "-rp", "-rd", "-N", "-s"}) && word != "-s")
            ++i;
        else if (word[0] != '-')
            options.names.push_back(word);
    }
    return options;
}

std::string separators_of(const Command& command) {
    for (const SetVariable& one : command.variables)
        if (one.name == "IFS" && one.value.known) return one.value.text;
    return std::string(k_blanks);
}

std::vector<std::string> lines_in(const FileText& text) {
    std::vector<std::string> lines;
    for (const std::string_view line : lines_of(text.text)) lines.emplace_back(line);
    if (!lines.empty() && lines.back().empty()) lines.pop_back();
    return lines;
}

Written line_of(const FileText& text, std::size_t index, const std::string& line) {
    return {line, text.file, text.line_number(index), 1, text.fixed, text.known};
}

// What echo, printf and seq write.
std::optional<FileText> text_of_words(const std::vector<Written>& words) {
    const bool known = !words.empty() && all_of(words, [](const Written& word) { return word.known; });
    const auto written = known ? written_without_input(words) : std::nullopt;
    if (!written) return std::nullopt;
    FileText text{words[0].file, *written, words[0].line - 1};
    text.fixed = all_of(words, [](const Written& word) { return word.fixed; });
    number_lines(words, text);
    return text;
}

}  // namespace

std::optional<FileText> ShellWalker::text_of_process(Range source, bool certain) {
    const std::string_view text = source.of(m_text.text);
    if (!starts_with(text, "<(") || text.back() != ')' || is_too_deep(m_text.written(source.begin, "")))
        return std::nullopt;
    const Range inside{source.begin + 2, source.end - 1};
    ++m_shell.depth;
    ShellWalker inner(m_text.part(inside.begin, inside.end), m_shell);
    inner.run(certain);
    --m_shell.depth;
    if (inner.m_flowing) return inner.m_flowing;
    auto output = output_of_pipeline(m_text, inside, m_shell.variables, m_shell.problems, &m_source);
    if (!output) output = output_of(m_text, inside);
    if (!output) return std::nullopt;
    FileText written{output->file, output->text + "\n", output->line - 1};
    written.fixed = output->fixed;
    // Each line is where the commands have its text.
    for (const std::string_view line : lines_of(written.text)) {
        const std::size_t at = line.empty() ? npos : m_text.text.find(line, inside.begin);
        const bool found = at != npos && at < inside.end;
        const int before = written.line_numbers.empty() ? output->line : written.line_numbers.back();
        written.line_numbers.push_back(found ? m_text.place(at).line : before);
    }
    return written;
}

// <(grep -v torch FILE)
void ShellWalker::write_process(Range source, const Written& word, bool certain) {
    if (starts_with(source.of(m_text.text), "<("))
        m_shell.written->write(word.text, text_of_process(source, certain));
}

std::optional<FileText> ShellWalker::redirected_input(const ShellNode& node, bool certain) {
    if (!node.heredocs.empty())
        return text_of_document(m_text, m_parsed->syntax.heredocs[node.heredocs.back()], &m_source, m_shell);
    if (!node.here_strings.empty()) {
        const Written value = expanded_whole(node.here_strings.back());
        FileText text{value.file, value.text + "\n", value.line - 1, value.known, value.fixed};
        return text;
    }
    if (node.inputs.empty()) return std::nullopt;
    const Range source = node.inputs.back();
    if (starts_with(source.of(m_text.text), "<(")) return text_of_process(source, certain);
    const Written path = expanded_whole(source);
    auto text = path.known && m_source.file ? m_source.file(path) : std::nullopt;
    if (text) text->fixed = text->fixed && path.fixed;
    return text && text->known ? std::move(text) : std::nullopt;
}

std::shared_ptr<ShellInput> ShellWalker::input_of_group(const ShellNode& node, bool certain) {
    std::optional<FileText> text;
    if (node.input_count() > 0)
        text = redirected_input(node, certain);
    else if (node.joined == Joined::piped)
        text = m_read ? m_read : text_of_words(m_piped);
    else
        return m_input;
    if (!text || !text->known) return nullptr;
    std::vector<std::string> lines = lines_in(*text);
    if (lines.size() > k_lines_followed) return nullptr;
    return std::make_shared<ShellInput>(ShellInput{std::move(*text), std::move(lines)});
}

void ShellWalker::write_input(const std::vector<Written>& words, std::optional<FileText> text) {
    for (const char* name : {"/dev/stdin", "-"}) m_shell.written->write(name, text);
    if (words[0].text == "xargs" && text) m_piped = {{"cat", words[0].file}, {"/dev/stdin", words[0].file}};
}

void ShellWalker::follow_texts(const ShellNode& node, std::vector<Written>& words,
                               const std::vector<Range>& sources, bool certain) {
    const bool is_piped = node.joined == Joined::piped, redirects = node.input_count() > 0;
    std::optional<FileText> before = is_piped ? m_read : std::nullopt;
    if (redirects) before = redirected_input(node, certain);
    if (before) spend(before->text.size() / 64, node);
    const bool installs = words[0].text == "xargs" || words[0].text == "uv" ||
                          starts_with(program_name(words[0].text), "p");  // pip, python, poetry
    for (std::size_t i = 1; installs && i < std::min(words.size(), sources.size()); ++i)
        write_process(sources[i], words[i], certain);
    if (installs && (is_piped || redirects)) write_input(words, before);
    m_flowing = filtered_text(words, before ? &*before : nullptr, m_source);
    for (auto& [file, text] : edited_texts(words, m_source)) {
        text.fixed = text.fixed && certain;
        if (m_shell.written->find(file.text))
            m_shell.written->write(file.text, text);
        else
            m_shell.written->edit(std::move(text));
    }
}

Tested ShellWalker::read_words(const ShellNode& node, const Command& command, bool certain) {
    const ReadOptions options = options_of_read(command.words);
    const auto own = node.input_count() > 0 ? redirected_input(node, certain) : std::nullopt;
    std::shared_ptr<ShellInput> from = options.elsewhere || node.input_count() > 0 ? nullptr : m_input;
    if (own && own->known) from = std::make_shared<ShellInput>(ShellInput{*own, lines_in(*own)});
    if (!from || !is_name(options.names.empty() ? "REPLY" : options.names[0])) {
        for (const std::string& name : options.names) m_shell.variables.erase(name);
        return {};
    }
    m_was_test = true;
    const bool ended = from->at >= from->lines.size();
    Written input = line_of(from->text, from->at, ended ? "" : from->lines[from->at]);
    if (options.whole) input.text = joined(from->lines, "\n"), from->at = from->lines.size();
    if (!ended && !options.whole) ++from->at;
    input.fixed = input.fixed && certain;
    const std::vector<std::string> names =
        options.names.empty() ? std::vector<std::string>{"REPLY"} : options.names;
    std::vector<Field> fields =
        fields_of(input.text, separators_of(command), options.list ? 0 : names.size());
    fields.resize(std::max(fields.size(), names.size()), Field{input.text.size(), input.text.size()});
    Variable array{input};
    array.is_array = true;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        Written& field = array.items.emplace_back(input);
        field.text = input.text.substr(fields[i].begin, fields[i].end - fields[i].begin);
        field.column += static_cast<int>(fields[i].begin);
        if (!options.list) m_shell.variables.set(names[i], {field});
    }
    if (options.list) m_shell.variables.set(names[0], std::move(array));
    return decided(!ended || options.whole, certain);
}

void ShellWalker::read_lines(const ShellNode& node, const Command& command, bool certain) {
    static const std::vector<OptionForm> options = {{"-t", false}, {"-d"}, {"-n"}, {"-O"}, {"-s"}, {"-u"}};
    std::string name = "MAPFILE";
    bool plain = true;
    for (const Argument& argument : split_arguments(command.words, 1, options, false)) {
        if (argument.option.empty()) name = argument.value.text;
        plain = plain && (argument.option.empty() || argument.option == "-t");
    }
    std::optional<FileText> text;
    if (node.input_count() > 0)
        text = redirected_input(node, certain);
    else if (node.joined == Joined::piped)
        text = m_read;
    m_shell.variables.erase(name);
    if (!text || !text->known || !plain) return;
    Variable array;
    array.is_array = array.assigned_here = true;
    const std::vector<std::string> lines = lines_in(*text);
    if (lines.empty() || lines.size() > k_lines_followed) return;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        array.items.push_back(line_of(*text, i, lines[i]));
        array.items.back().fixed = text->fixed && certain;
    }
    array.value = array.items.front();
    m_shell.variables.set(name, std::move(array));
}

void ShellWalker::print_into(const Command& command, bool certain) {
    std::vector<Written> words = command.words;
    SetVariable one{words[2].text, words[3]};
    words.erase(words.begin() + 1, words.begin() + 3);
    const bool known = all_of(words, [](const Written& word) { return word.known; });
    const auto text = known ? written_without_input(words) : std::nullopt;
    one.value.known = text.has_value();
    one.value.text = text.value_or("");
    one.value.fixed = all_of(words, [](const Written& word) { return word.fixed; });
    set(one, false, certain);
}

}  // namespace ptxguard::recipes
