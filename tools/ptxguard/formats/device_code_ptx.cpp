// The start of a PTX text: comments and the directives .version, .target and .address_size, in this order.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/device_code.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_max_target_words = 16;

class Words {
public:
    explicit Words(std::string_view text) : m_rest(text) {
        if (m_rest.substr(0, 3) == "\xef\xbb\xbf") m_rest.remove_prefix(3);
    }

    // The next word; a comma is a separate word. Empty at the end. Comments are skipped, but the toolkit in
    // such a comment is kept.
    std::string_view next() {
        skip();
        std::size_t end = 0;
        while (end < m_rest.size() && !ends_word(m_rest[end])) ++end;
        if (end == 0 && !m_rest.empty()) end = 1;
        const std::string_view word = m_rest.substr(0, end);
        m_rest.remove_prefix(end);
        return word;
    }
    std::string_view peek() {
        Words copy = *this;
        return copy.next();
    }
    void skip_line() { m_rest.remove_prefix(std::min(m_rest.find('\n'), m_rest.size())); }
    std::optional<Version> toolkit;

private:
    static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
    static bool ends_word(char c) { return is_blank(c) || c == ',' || c == '/' || c == '\0'; }

    void skip() {
        for (;;) {
            while (!m_rest.empty() && is_blank(m_rest.front())) m_rest.remove_prefix(1);
            const std::string_view start = m_rest.substr(0, 2);
            if (start != "//" && start != "/*") return;
            const std::string_view mark = start == "//" ? "\n" : "*/";
            const std::size_t found = m_rest.find(mark, 2);
            const std::size_t end = found == std::string_view::npos ? m_rest.size() : found + mark.size();
            const std::string_view comment = m_rest.substr(0, end);
            if (!toolkit && comment.find("Cuda compilation tools, release") != std::string_view::npos)
                toolkit = find_version(comment, ", V");
            m_rest.remove_prefix(end);
        }
    }

    std::string_view m_rest;
};

Trouble ptx_trouble(const std::string& what) { return Trouble{"the PTX text", what, ""}; }

std::string shown(std::string_view word) { return "'" + std::string(word.substr(0, 40)) + "'"; }

std::optional<Trouble> read_target(Words& words, PtxFacts& facts) {
    if (words.next() != ".target") return ptx_trouble("has no .target line behind .version");
    const std::string_view word = words.next();
    const std::optional<Arch> arch = word.substr(0, 3) == "sm_" ? parse_arch(word) : std::nullopt;
    if (!arch) return ptx_trouble("has a .target that is not an architecture: " + shown(word));
    facts.target = *arch;
    for (std::size_t i = 0; i < k_max_target_words && words.peek() == ","; ++i) {
        words.next();
        if (words.next() == "debug") facts.debug = true;
    }
    return std::nullopt;
}

}  // namespace

Result<PtxFacts> read_ptx(std::string_view text) {
    Words words(text);
    if (words.next() != ".version") return ptx_trouble("has no .version line");
    PtxFacts facts;
    const std::string_view version = words.next();
    const std::optional<PtxVersion> number = parse_ptx_version(version);
    if (!number) return ptx_trouble("has a .version that is not a number: " + shown(version));
    facts.version = *number;
    if (const auto trouble = read_target(words, facts)) return *trouble;
    if (words.peek() == ".address_size") {
        words.next();
        const std::string_view size = words.next();
        facts.address_size = size == "64" ? 64 : size == "32" ? 32 : 0;
    }
    facts.toolkit = words.toolkit;
    return facts;
}

bool is_empty_ptx(std::string_view text) {
    text = text.substr(0, text.find_last_not_of('\0') + 1);
    Words words(text);
    PtxFacts facts;
    if (words.next() != ".version" || !parse_ptx_version(words.next()) || read_target(words, facts))
        return false;
    if (words.peek() == ".address_size") {
        words.next();
        words.next();
    }
    // Files and sections are of debug information.
    for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
        if (word == ".file") {
            words.skip_line();
        } else if (word == ".section") {
            while (word != "}" && !word.empty()) word = words.next();
        } else {
            return false;
        }
    }
    return true;
}

bool looks_like_ptx(std::string_view head) { return Words(head).next() == ".version"; }

}  // namespace ptxguard
