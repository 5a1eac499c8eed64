// SPDX-License-Identifier: Apache-2.0
#include "messages/log_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace ptxguard;

namespace {

LogText::Read reads(std::string_view text, std::size_t at_once = 1 << 20) {
    return [text, at_once](char* to, std::size_t most) mutable {
        const std::size_t size = text.copy(to, std::min(most, at_once));
        text.remove_prefix(size);
        return size;
    };
}

// Lines joined by '|'.
std::string cleaned(std::string_view text, std::size_t at_once = 1 << 20) {
    LogText log(reads(text, at_once));
    std::string all;
    while (log.next())
        all += log.text().substr(log.from() > all.size() ? 0 : log.from(), log.to() - log.from());
    std::replace(all.begin(), all.end(), '\0', '|');
    return all;
}

}  // namespace

TEST_CASE("colours, carriage returns and zero bytes are no text") {
    CHECK(cleaned("\x1b[1;31merror\x1b[0m: x\r\ny\n") == "error: x|y|");
    CHECK(cleaned("\x1b]0;title\aa\x1b]8;;http://x\x1b\\b\n") == "ab|");
    CHECK(cleaned(std::string_view("a\0b\n", 4)) == "ab|");
    CHECK(cleaned("10%\r20%\rdone\n") == "10%|20%|done|");
}

TEST_CASE("UTF-16 is read in both orders, and where it was appended to other text") {
    const std::string_view little(
        "\xFF\xFE"
        "e\0r\0r\0\n\0\xE4\0\n\0",
        14),
        big("\xFE\xFF\0e\0r\0r\0\n", 10);
    CHECK(cleaned(little) == "err|\xC3\xA4|");
    CHECK(cleaned(big) == "err|");
    CHECK(cleaned(little, 3) == "err|\xC3\xA4|");
    CHECK(cleaned(std::string_view("a\ne\0r\0r\0\n\0", 10)) == "a|err|");
    CHECK(cleaned("\xEF\xBB\xBF"
                  "x\n") == "x|");
}

TEST_CASE("what CI systems, Docker, Ninja, pip and loggers put before a line is removed") {
    for (const char* line :
         {"2026-01-02T03:04:05.6781234Z error", "[12/345] error", "#12 34.56 error", "[ 50%] error",
          "app-1  | error", "[2026-01-02 03:04:05,678] error", "(EngineCore_DP0 pid=316) error", "E   error",
          "  | error", "> error", "2024-06-16 15:29:47.734111: error", "[rank0]: error", "12:00:01.123 error",
          "Aug 12 10:38:34 fileserver app[4073658]:     error", "[    3.141592] error",
          "Aug 12 10:38:34 fileserver kernel: error", "[12345.678901] error"}) {
        CAPTURE(line);
        CHECK(cleaned(std::string(line) + "\n").substr(0, 5) == "error");
    }
    CHECK(cleaned("Aug 12 10:38:34 fileserver says: x\n") == "Aug 12 10:38:34 fileserver says: x|");
    CHECK(cleaned("[3.141592653589] x\n") == "[3.141592653589] x|");
    CHECK(cleaned("1 error generated\n") == "1 error generated|");
    CHECK(cleaned("[WinError 126] x\n") == "[WinError 126] x|");
    CHECK(cleaned("(0) Internal: x\n") == "(0) Internal: x|");
}

TEST_CASE("each place has its line, also in later pieces and beyond long lines") {
    std::string text;
    for (int i = 1; i <= 300000; ++i) text += "line " + std::to_string(i) + "\n";
    text += std::string(300000, 'x') + "\nthe end\n";
    LogText log(reads(text, 70000));
    std::int64_t last = 0;
    bool right = true;
    while (log.next()) {
        const std::string_view piece = log.text();
        for (std::size_t at = piece.find("line ", log.from()); at < log.to();
             at = piece.find("line ", at + 1)) {
            right = right && log.line_text(at) == "line " + std::to_string(log.line_at(at)) &&
                    log.line_at(at) == last + 1;
            last = log.line_at(at);
        }
        if (const std::size_t end = piece.find("the end"); end < log.to()) CHECK(log.line_at(end) == 300002);
    }
    CHECK(right);
    CHECK(last == 300000);
}

TEST_CASE("a piece is bounded, whatever the log is") {
    for (const char byte : {'x', '\0', '\n', '\x1b', '\r'}) {
        CAPTURE(static_cast<int>(byte));
        std::size_t left = 40u << 20, longest = 0;
        LogText log([&](char* to, std::size_t most) {
            const std::size_t size = std::min(most, left);
            std::fill_n(to, size, byte);
            left -= size;
            return size;
        });
        while (log.next()) longest = std::max(longest, log.text().size());
        CHECK(longest < (3u << 20));
    }
}
