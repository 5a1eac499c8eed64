// SPDX-License-Identifier: Apache-2.0
#include "host/progress.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "host/output.hpp"
#include "host/thread.hpp"
#include "model/visible.hpp"

namespace ptxguard::own {
namespace {

// Letters of UTF-8; each byte that is none counts as one.
std::size_t letters_of(const std::string& text) {
    std::size_t letters = 0;
    for (std::size_t at = 0; at < text.size(); ++letters)
        at += std::max<std::size_t>(letter_at(text, at).bytes, 1);
    return letters;
}

}  // namespace

struct Progress::Line {
    std::mutex mutex;
    std::condition_variable changed;
    std::string step, text;  // what is done now, and what is shown
    bool done = false;
    Thread thread{[this] { show(); }};

    ~Line() {
        {
            const std::lock_guard<std::mutex> lock(mutex);
            done = true;
        }
        changed.notify_one();
        thread.join();
    }

    void show() {
        std::unique_lock<std::mutex> lock(mutex);
        // Not wait_for: it needs glibc 2.30.
        const auto start = std::chrono::system_clock::now() + std::chrono::milliseconds(500);
        if (changed.wait_until(lock, start, [&] { return done; })) return;
        std::string shown;
        while (!done) {
            const std::string before = text;
            const std::string line = one_line(text, terminal_width(true));
            if (shown != line) draw(letters_of(shown), line);
            shown = line;
            changed.wait(lock, [&] { return done || text != before; });
        }
        draw(letters_of(shown), "");
    }

    // Overwrites the line.
    static void draw(std::size_t old, const std::string& text) {
        std::fprintf(stderr, "\r%*s\r%s", static_cast<int>(old), "", text.c_str());
        std::fflush(stderr);
    }
};

Progress::Progress(bool wanted) {
    if (wanted && stderr_is_terminal()) m_line = std::make_unique<Line>();
}

Progress::~Progress() = default;

void Progress::say(const std::string& what) {
    if (!m_line) return;
    {
        const std::lock_guard<std::mutex> lock(m_line->mutex);
        m_line->step = "ptxguard: " + what;
        m_line->text = visible(m_line->step + " ...");
    }
    m_line->changed.notify_one();
}

void Progress::count(std::size_t done, std::size_t all, const std::string& about) {
    if (!m_line) return;
    {
        const std::lock_guard<std::mutex> lock(m_line->mutex);
        m_line->text = visible(m_line->step + " " + count_text(done, all, about) + " ...");
    }
    m_line->changed.notify_one();
}

std::string one_line(const std::string& text, std::size_t columns) {
    constexpr std::size_t k_usual = 80, k_least = 10;
    const std::string end = " ...";
    columns =
        std::max(columns == 0 ? k_usual : columns, k_least) - 1;  // the last one moves some terminals' lines
    if (letters_of(text) <= columns) return text;
    std::size_t at = 0;
    for (std::size_t letters = end.size(); letters < columns; ++letters)
        at += std::max<std::size_t>(letter_at(text, at).bytes, 1);
    return text.substr(0, at) + end;
}

std::string count_text(std::size_t done, std::size_t all, const std::string& about) {
    const std::string of = all ? " of " + std::to_string(all) : "";
    return "(" + std::to_string(done) + of + (about.empty() ? "" : ", " + about) + ")";
}

}  // namespace ptxguard::own
