// SPDX-License-Identifier: Apache-2.0
#include "host/paths.hpp"
#include "model/text.hpp"
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

}  // namespace

void note_outputs(const PlacedText& text, const ShellNode& node, const std::vector<Heredoc>& documents,
                  const Command& command, Shell& shell) {
    for (const ShellNode::Output& output : node.outputs) {
        const Written to = expand_whole(text, output.file, shell.variables, shell.problems);
        if (!to.known || to.text.empty() || starts_with(to.text, "/dev/")) continue;
        auto content = text_of(text, node, documents, command);
        if (output.appends && shell.files && !shell.written->find(to.text))
            if (const auto before = shell.files(join_path(shell.folder, to.text), to))
                shell.written->write(to.text, before);
        if (output.appends)
            shell.written->append(to.text, std::move(content));
        else
            shell.written->write(to.text, std::move(content));
    }
}

}  // namespace ptxguard::recipes
