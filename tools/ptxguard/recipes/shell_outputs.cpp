// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"
#include "recipes/prefixes.hpp"
#include "recipes/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

std::optional<FileText> text_of(const PlacedText& text, const ShellNode& node,
                                const std::vector<Heredoc>& documents, const Command& command) {
    const std::string& program = command.words[0].text;
    if (program == "cat" && node.heredocs.size() == 1 && command.words.size() == 1) {
        const Heredoc& document = documents[node.heredocs[0]];
        const std::string body(document.body.of(text.text));
        if (document.expands && body.find_first_of("$`") != std::string::npos) return std::nullopt;
        return FileText{text.file, body, text.place(document.body.begin).line - 1};
    }
    if (program != "echo" || command.words.size() < 2) return std::nullopt;
    std::string line;
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        if (!command.words[i].known || starts_with(command.words[i].text, "-")) return std::nullopt;
        line += (i > 1 ? " " : "") + command.words[i].text;
    }
    return FileText{text.file, line + "\n", command.words[1].line - 1};
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
    if (program == "wget" && files.empty())
        for (const Written& word : words)
            if (word.text.find("://") != std::string::npos) files.push_back(word);
    for (Written& file : files)  // curl -O URL
        if (fetches) file.text.erase(std::min(file.text.find_first_of("?#"), file.text.size()));
    const std::string last = words.size() > 1 ? file_name(words.back().text) : "";
    const bool copies = is_one_of(program, {"cp", "mv"}) && words.size() > 2 &&
                        last != file_name(words[words.size() - 2].text);
    if (!last.empty() && (copies || program == "tee")) files.push_back(words.back());
    return files;
}

}  // namespace

void note_outputs(const PlacedText& text, const ShellNode& node, const std::vector<Heredoc>& documents,
                  const Command& command, Shell& shell) {
    for (const ShellNode::Output& output : node.outputs) {
        const Written to = expand_whole(text, output.file, shell.variables, shell.problems);
        if (!to.known || to.text.empty() || starts_with(to.text, "/dev/")) continue;
        const auto content = text_of(text, node, documents, command);
        if (output.appends && shell.files && !shell.written->find(to.text))
            if (const auto before = shell.files(join_path(shell.folder, to.text), to))
                shell.written->write(to.text, before);
        if (output.appends)
            shell.written->append(to.text, content);
        else
            shell.written->write(to.text, content);
    }
}

void note_written_files(const Command& command, Shell& shell) {
    for (const Written& file : files_named_in(command.words))
        if (file.text != "-" && !starts_with(file.text, "/dev/"))
            shell.written->write(file.text, std::nullopt);
}

}  // namespace ptxguard::recipes
