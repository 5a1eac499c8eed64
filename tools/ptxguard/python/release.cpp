// SPDX-License-Identifier: Apache-2.0
#include "python/release.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr int k_largest = 99999999;  // larger numbers count as this one

class ReleaseReader {
public:
    explicit ReleaseReader(std::string_view text) : m_rest(text) {}

    std::optional<PythonRelease> read() {
        takes({"v"});
        if (!is_number()) return std::nullopt;
        m_release.numbers.push_back(number());
        if (takes({"!"})) {
            if (!is_number()) return std::nullopt;
            m_release.epoch = m_release.numbers.back();
            m_release.numbers = {number()};
        }
        while (m_rest.size() > 1 && m_rest[0] == '.' && is_digit(m_rest[1])) {
            m_rest.remove_prefix(1);
            m_release.numbers.push_back(number());
        }
        read_pre();
        read_post();
        if (const auto dev = segment({"dev"})) m_release.dev = *dev;
        if (takes({"+"}) && !read_local()) return std::nullopt;
        return m_rest.empty() ? std::optional<PythonRelease>(m_release) : std::nullopt;
    }

private:
    bool is_number() const { return !m_rest.empty() && is_digit(m_rest[0]); }
    int number() {
        int value = 0;
        for (; is_number(); m_rest.remove_prefix(1))
            value = std::min(value * 10 + (m_rest[0] - '0'), k_largest / 10);
        return value;
    }
    bool takes(std::initializer_list<std::string_view> words) {
        for (const std::string_view word : words) {
            if (!starts_with(m_rest, word)) continue;
            m_rest.remove_prefix(word.size());
            return true;
        }
        return false;
    }
    // ".dev", "-dev0", "_dev.1": a word with its separators; its number may be missing.
    std::optional<int> segment(std::initializer_list<std::string_view> words) {
        const std::string_view before = m_rest;
        takes({".", "-", "_"});
        if (!takes(words)) {
            m_rest = before;
            return std::nullopt;
        }
        const std::string_view after = m_rest;
        takes({".", "-", "_"});
        if (is_number()) return number();
        m_rest = after;
        return 0;
    }
    void read_pre() {
        const std::array<std::initializer_list<std::string_view>, 3> kinds = {
            {{"alpha", "a"}, {"beta", "b"}, {"preview", "pre", "rc", "c"}}};
        for (int kind = 0; kind < 3; ++kind)
            if (const auto found = segment(kinds[static_cast<std::size_t>(kind)])) {
                m_release.pre = kind + 1;
                m_release.pre_number = *found;
                return;
            }
    }
    void read_post() {
        if (m_rest.size() > 1 && m_rest[0] == '-' && is_digit(m_rest[1])) {
            m_rest.remove_prefix(1);
            m_release.post = number();
        } else if (const auto found = segment({"post", "rev", "r"})) {
            m_release.post = *found;
        }
    }
    bool read_local() {
        const std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
        const std::size_t end =
            std::min(m_rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.-_"), m_rest.size());
        m_release.local = std::string(m_rest.substr(0, end));
        for (char& c : m_release.local)
            if (c == '-' || c == '_') c = '.';
        m_rest.remove_prefix(end);
        return !m_release.local.empty() && letters.find(m_release.local.front()) != letters.npos &&
               letters.find(m_release.local.back()) != letters.npos;
    }

    std::string_view m_rest;
    PythonRelease m_release;
};

}  // namespace

std::optional<PythonRelease> parse_python_release(std::string_view text) {
    const std::string plain = lower(trimmed(text));
    return ReleaseReader(plain).read();
}

int compare_public(const PythonRelease& a, const PythonRelease& b) {
    if (a.epoch != b.epoch) return a.epoch - b.epoch;
    for (std::size_t i = 0; i < std::max(a.numbers.size(), b.numbers.size()); ++i)
        if (a.at(i) != b.at(i)) return a.at(i) - b.at(i);
    // 1.0.dev1 < 1.0a1.dev1 < 1.0a1 < 1.0rc1 < 1.0 < 1.0.post1.dev1 < 1.0.post1
    const auto stage = [](const PythonRelease& one) {
        if (one.pre) return one.pre;
        return one.dev >= 0 && one.post < 0 ? 0 : 4;
    };
    if (stage(a) != stage(b)) return stage(a) - stage(b);
    if (a.pre_number != b.pre_number) return a.pre_number - b.pre_number;
    if (a.post != b.post) return a.post - b.post;
    const auto dev = [](const PythonRelease& one) { return one.dev < 0 ? k_largest : one.dev; };
    return dev(a) - dev(b);
}

bool is_older_release(std::string_view a, std::string_view b) {
    const auto first = parse_python_release(a), second = parse_python_release(b);
    if (!first || !second) return second.has_value() && !first;
    return compare_public(*first, *second) < 0;
}

}  // namespace ptxguard
