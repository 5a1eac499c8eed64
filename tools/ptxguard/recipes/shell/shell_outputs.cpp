// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string_view>

#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/shell/shell_run.hpp"
#include "recipes/shell/text_programs.hpp"

namespace ptxguard::recipes {
namespace {

std::optional<FileText> text_of(const PlacedText& text, const WritingCommand& command, Shell& shell) {
    const std::vector<Written>& words = command.words;
    const ShellNode& node = command.node;
    if (words[0].text == "cat" && node.heredocs.size() == 1 && words.size() == 1) {
        FileText file = text_of_document(text, command.documents[node.heredocs[0]], command.source, shell);
        file.fixed = file.fixed && words[0].fixed;
        return file;
    }
    return command.text ? std::optional(*command.text) : echoed(words);
}

// `tee -a FILE`, `tee FILE`
void note_tee(const WritingCommand& command, Shell& shell) {
    const std::vector<Written>& words = command.words;
    if (words.size() < 2 || program_name(words[0].text) != "tee" || command.piped.empty()) return;
    const auto content = echoed(command.piped);
    if (!content || !words.back().known) return;
    shell.written->write(words.back().text, content, is_one_of(words[1].text, {"-a", "--append"}));
}

// "-o" and "-fsSLo" before the value, "--output=FILE".
Written value_of_option(const std::vector<Written>& words, std::size_t i, std::string_view option,
                        bool joins_letters) {
    const std::string& word = words[i].text;
    const bool joined = joins_letters && option.size() == 2 && word.size() > 2 && word[0] == '-' &&
                        word[1] != '-' && word.back() == option[1];
    if (word == option || joined) return i + 1 < words.size() ? words[i + 1] : Written{};
    if (option.size() < 3 || !starts_with(word, std::string(option) + "=")) return {};
    Written value = words[i];
    value.text.erase(0, option.size() + 1);
    return value;
}

// wget -O FILE, curl -o FILE, uv export -o FILE, tee FILE, cp A FILE
std::vector<Written> files_named_in(const std::vector<Written>& words) {
    std::vector<Written> files;
    const std::string program = program_name(words[0].text);
    const bool fetches = is_one_of(program, {"curl", "wget"});
    std::vector<std::string_view> options{"-o", "-O", "--output", "--output-file", "--output-document"};
    if (program == "ptxguard") options.push_back("--constraints");
    for (std::size_t i = 1; i < words.size(); ++i)
        for (const std::string_view option : options)
            if (Written value = value_of_option(words, i, option, fetches)) files.push_back(std::move(value));
    const auto is_address = [](const Written& word) { return word.text.find("://") != npos; };
    if (program == "wget" && files.empty())
        std::copy_if(words.begin(), words.end(), std::back_inserter(files), is_address);
    for (Written& file : files)  // curl -O URL
        if (fetches) file.text = file.text.substr(0, file.text.find_first_of("?#"));
    if (words.size() < 2) return files;
    const std::string last = file_name(words.back().text);
    const bool copies = is_one_of(program, {"cp", "mv"}) && words.size() > 2 &&
                        last != file_name(words[words.size() - 2].text);
    if (!last.empty() && (copies || program == "tee")) files.push_back(words.back());
    return files;
}

}  // namespace

namespace {

// printf '%s\n' A B
std::optional<FileText> printed(const std::vector<Written>& words) {
    auto text = written_without_input(words);
    if (!text) return std::nullopt;
    FileText file{words[0].file, std::move(*text), words.back().line - 1};
    for (const Written& word : words) {
        file.known = file.known && word.known;
        file.fixed = file.fixed && word.fixed;
    }
    number_lines(words, file);
    return file;
}

}  // namespace

// Each line is where a word has its text.
void number_lines(const std::vector<Written>& words, FileText& file) {
    file.line_numbers.clear();
    for (const std::string_view line : lines_of(file.text)) {
        int number = file.line_numbers.empty() ? words[0].line : file.line_numbers.back();
        for (const Written& word : words) {
            const std::size_t at = line.empty() ? npos : word.text.find(line);
            if (at == npos || word.line < number) continue;
            const auto end = word.text.begin() + static_cast<std::ptrdiff_t>(at);
            number = word.line + static_cast<int>(std::count(word.text.begin(), end, '\n'));
            break;
        }
        file.line_numbers.push_back(number);
    }
}

std::optional<FileText> echoed(const std::vector<Written>& words, bool quoted) {
    if (words[0].text == "printf") return printed(words);
    const bool echo = words[0].text == "echo";
    if (!echo && (!quoted || words.size() > 1)) return std::nullopt;
    FileText file{words[0].file, "", words.back().line - 1};
    file.fixed = words[0].fixed;
    for (std::size_t i = echo ? 1 : 0; i < words.size(); ++i) {
        const Written& word = words[i];
        if (i == 1 && is_one_of(word.text, {"-e", "-n", "-E", "-en", "-ne"})) continue;
        file.known = file.known && word.known;
        file.fixed = file.fixed && word.fixed;
        file.text += (file.text.empty() ? "" : " ") + word.text;
    }
    if (echo && words.size() > 1 && starts_with(words[1].text, "-") && words[1].text.find('e') != npos)
        file.text = replace_all(file.text, "\\n", "\n");
    file.text += '\n';
    number_lines(words, file);
    return file;
}

FileText text_of_document(const PlacedText& text, const Heredoc& document, const OutputSource* source,
                          Shell& shell) {
    FileText file{text.file, std::string(document.body.of(text.text)),
                  text.place(document.body.begin).line - 1};
    if (!document.expands || file.text.find_first_of("$`\\") == std::string::npos) return file;
    Written all = expand_document(text, document.body, shell.variables, shell.problems, source);
    file.text = std::move(all.text);
    file.known = all.known;
    file.fixed = all.fixed;
    return file;
}

void note_outputs(const PlacedText& text, const std::vector<ShellNode::Output>& outputs,
                  const WritingCommand& command, Shell& shell) {
    note_tee(command, shell);
    for (const ShellNode::Output& output : outputs) {
        const Written to = expand_whole(text, output.file, shell.variables, shell.problems);
        // A name that is not known is the same wherever it is written so.
        const bool named = to.known || file_name(to.text).find('$') != npos;
        if (!named || to.text.empty() || starts_with(to.text, "/dev/")) continue;
        const auto content = text_of(text, command, shell);
        const bool of_system = !shell.in_image && is_outside(to.text);
        if (output.appends && !of_system && shell.files && !shell.written->find(to.text))
            if (const auto before = file_now(shell, join_path(shell.folder, to.text), to))
                shell.written->write(to.text, before);
        shell.written->write(to.text, content, output.appends);
    }
}

std::optional<FileText> file_now(const Shell& shell, const std::string& path, const Written& by) {
    auto text = shell.files ? shell.files(normal_path(path, System::linux_), by) : std::nullopt;
    return text ? std::optional(shell.written->current(std::move(*text))) : std::nullopt;
}

void note_written_files(const Command& command, Shell& shell) {
    for (const Written& file : files_named_in(command.words))
        if (file.text != "-" && !starts_with(file.text, "/dev/"))
            shell.written->write(file.text, std::nullopt);
}

}  // namespace ptxguard::recipes
