// Runs of programs and library calls, and their results, kept between runs while every file and variable that
// can change them is the same. If anything is wrong with the cache's folder, there is no cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct Question {
    Command command;
    // Programs, libraries and settings whose change may change the answer, compared by path, size and time.
    // If empty, the answer is not kept.
    std::vector<std::string> decided_by;
    std::string asked;  // identifies the question; empty = arguments, environment, input and `reads` do
    // Files that it reads from its working folder. If there are any, it runs in a private folder, shared by
    // questions with equal `reads` and `apart`.
    std::map<std::string, std::string> reads;
    std::string apart;
    std::vector<std::string> makes;  // files that it writes there
    std::string about = {};          // for the progress line: "sm_90"
};

struct Answer : ProcessResult {
    Answer() = default;
    Answer(ProcessResult run) : ProcessResult(std::move(run)) {}

    bool cached = false;
    bool no_folder = false;                   // not run: `trouble` says why there is no working folder
    std::map<std::string, std::string> made;  // Question::makes that exist; for a binary file only "binary"
    std::vector<std::string> headers;         // read in that run; compared like Question::decided_by

    std::string text(const std::string& name) const {
        const auto found = made.find(name);
        return found == made.end() ? std::string() : found->second;
    }
};

// Thread-safe.
class Asker {
public:
    // `cache_folder` empty = nothing is kept. Converts from a Host for callers that keep nothing.
    Asker(const Host& host, std::string cache_folder = {})
        : m_host(host), m_folder(std::move(cache_folder)) {}

    const Host& host() const { return m_host; }
    // Of the questions that run together: how many are answered, of how many, and what the last was about.
    using Counted = std::function<void(std::size_t done, std::size_t all, const std::string& about)>;
    void report_counts(Counted counted) { m_counted = std::move(counted); }
    const Counted& counted() const { return m_counted; }
    std::optional<Answer> known(const Question& question) const;
    void keep(const Question& question, const Answer& answer) const;

private:
    std::optional<std::string> key(bool make) const;
    std::string text_of(const Question& question) const;
    std::string file_of(const std::string& text) const;
    std::string identity(const std::string& path) const;
    std::vector<std::string> identities(const std::vector<std::string>& paths) const;

    const Host& m_host;
    std::string m_folder;
    Counted m_counted;
    mutable std::mutex m_mutex;
    mutable std::map<std::string, std::string> m_identities;  // computed once per run
    mutable std::optional<std::string> m_key;                 // of the seals
};

// 128 bits, as 32 hex digits; for names and comparisons, not for security.
std::string digest(std::string_view bytes);

// Reads one of our own files (working folder, cache), never one of the checked system.
Result<std::string> read_own_file(const std::string& path, std::size_t limit = 16u << 20);

// A seal that only who has the key can make: SipHash-2-4 by Aumasson and Bernstein.

std::uint64_t siphash(std::string_view key, std::string_view bytes);  // 16 bytes of key

// As 32 hexadecimal digits; 32 bytes of key.
std::string seal(std::string_view key, std::string_view bytes);

}  // namespace ptxguard
