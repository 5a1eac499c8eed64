// SPDX-License-Identifier: Apache-2.0
#include "ask/questions.hpp"

#include <atomic>

#include "host/paths.hpp"

namespace ptxguard {
namespace {

void read_made(const Question& question, Answer& answer) {
    for (const std::string& name : question.makes) {
        const std::string path = join_path(question.command.directory, name);
        const auto bytes = read_own_file(path, 64u << 20);
        if (bytes && !bytes->empty())
            answer.made[name] = bytes->find('\0') == std::string::npos ? *bytes : "binary";
        own::remove_tree(path);
    }
}

}  // namespace

Questions::~Questions() {
    for (const auto& [content, folder] : m_folders) own::remove_tree(folder);
}

Result<std::string> Questions::folder_for(const Question& question) {
    std::string content = question.apart;
    for (const auto& [name, bytes] : question.reads) content += "\n" + name + " " + digest(bytes);
    const auto known = m_folders.find(content);
    if (known != m_folders.end()) return known->second;
    const auto folder = own::temporary_folder();
    if (!folder) return folder;
    m_folders[content] = *folder;
    for (const auto& [name, bytes] : question.reads)
        if (auto trouble = own::write_file(join_path(*folder, name), bytes)) return *trouble;
    return folder;
}

void Questions::run(unsigned jobs) {
    std::vector<Open> all = std::move(m_open);
    m_open.clear();
    std::vector<Open*> open;
    std::vector<Command> commands;
    for (Open& one : all) {
        if (const auto known = m_ask.known(one.question)) {
            one.take(*known);
            continue;
        }
        Question& question = one.question;
        if (!question.reads.empty()) {
            const auto folder = folder_for(question);
            if (!folder) {
                Answer none;
                none.no_folder = true;
                none.trouble = folder.trouble().text();
                one.take(none);
                continue;
            }
            question.command.directory = *folder;
        }
        commands.push_back(question.command);
        open.push_back(&one);
    }
    if (commands.empty()) return;
    std::atomic<std::size_t> done{0};
    if (m_ask.counted())
        for (std::size_t i = 0; i < commands.size(); ++i)
            commands[i].finished = [&, i] {
                m_ask.counted()(++done, commands.size(), open[i]->question.about);
            };
    std::vector<ProcessResult> runs = m_ask.host().run_all(commands, jobs);
    for (std::size_t i = 0; i < runs.size() && i < open.size(); ++i) {
        Answer answer(std::move(runs[i]));
        read_made(open[i]->question, answer);
        if (open[i]->take(answer)) m_ask.keep(open[i]->question, answer);
    }
}

Answer ask_now(const Asker& ask, const Question& question) {
    Answer kept;
    Questions questions(ask);
    questions.add(question, [&](const Answer& answer) {
        kept = answer;
        return answer.ok();
    });
    questions.run();
    return kept;
}

bool has_room_to_work() {
    const auto folder = own::temporary_folder();
    if (!folder) return false;
    const bool written = !own::write_file(join_path(*folder, "room"), std::string(4u << 20, 'x'));
    own::remove_tree(*folder);
    return written;
}

}  // namespace ptxguard
