// Questions that run in parallel; each answer goes to its caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ask/asker.hpp"

namespace ptxguard {

// Questions such as --version take a millisecond but start slowly, especially from a cold disk: more of them
// than cores run at once.
constexpr unsigned k_short_questions = 16;

class Questions {
public:
    explicit Questions(const Asker& ask) : m_ask(ask) {}
    ~Questions();
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;

    const Asker& ask() const { return m_ask; }

    // Whether the answer is worth keeping; not if it may differ next time (a crash, a hang).
    using Taker = std::function<bool(const Answer&)>;
    void add(Question question, Taker taker) { m_open.push_back({std::move(question), std::move(taker)}); }
    // Delivers cached answers first, then runs the others, at most `jobs` in parallel (0 = number of cores).
    // Afterwards no question is pending.
    void run(unsigned jobs = 0);

private:
    struct Open {
        Question question;
        Taker take;
    };
    Result<std::string> folder_for(const Question& question);

    const Asker& m_ask;
    std::vector<Open> m_open;
    std::map<std::string, std::string> m_folders;  // removed at the end
};

// Runs one question immediately.
Answer ask_now(const Asker& ask, const Question& question);

// Whether there is room for the output of a compile (a few MiB). Checked after a failure without a clear
// message.
bool has_room_to_work();

}  // namespace ptxguard
