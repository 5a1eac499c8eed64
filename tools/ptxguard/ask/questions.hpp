// Questions that are asked side by side; each answer goes to its caller.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "ask/asker.hpp"

namespace ptxguard {

// Questions such as --version take a millisecond but start slowly, above all from a cold disk: more of them
// than there are cores.
constexpr unsigned k_short_questions = 16;

class Questions {
public:
    explicit Questions(const Asker& ask) : m_ask(ask) {}
    ~Questions();
    Questions(const Questions&) = delete;
    Questions& operator=(const Questions&) = delete;

    const Asker& ask() const { return m_ask; }

    // Is the answer worth keeping? One that may be another next time (a crash, a hang) is not.
    using Taker = std::function<bool(const Answer&)>;
    void add(Question question, Taker taker) { m_open.push_back({std::move(question), std::move(taker)}); }
    // Takes known answers first, then runs the others, at most `jobs` in parallel (0 = number of cores).
    // Nothing is open afterwards.
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

// One question, asked now.
Answer ask_now(const Asker& ask, const Question& question);

// Is there room for the output of a compile (a few MiB)? Checked after a failure without a clear message.
bool has_room_to_work();

}  // namespace ptxguard
