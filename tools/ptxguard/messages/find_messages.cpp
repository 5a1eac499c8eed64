// SPDX-License-Identifier: Apache-2.0
#include "messages/find_messages.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "messages/anchors.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_after = 24;  // characters after a message that are kept
constexpr Limit k_most_messages{5000, "different messages of a log", "later ones"};

struct Table {
    std::vector<Pattern> patterns;  // of all_messages()
    Anchors anchors;
};

const Table& table() {
    static const Table one = [] {
        std::vector<Pattern> patterns;
        std::vector<std::uint64_t> anchors;
        patterns.reserve(all_messages().size());
        for (const Message& message : all_messages()) {
            patterns.emplace_back(message.pattern);
            anchors.push_back(patterns.back().anchor());
        }
        return Table{std::move(patterns), Anchors(anchors)};
    }();
    return one;
}

WordsNearby words_nearby() {
    std::vector<std::vector<Need>> needs;
    for (const Pattern& one : table().patterns) needs.push_back(one.needs());
    return WordsNearby(needs);
}

// A line as it is shown.
std::string shown_line(std::string_view line, std::size_t at) {
    constexpr std::size_t k_shown = 300, k_before = 60;
    if (line.size() <= k_shown) return std::string(line);
    const std::size_t begin = at > k_before ? at - k_before : 0;
    return (begin ? "..." : "") + std::string(line.substr(begin, k_shown)) +
           (begin + k_shown < line.size() ? "..." : "");
}

// "OS: WSL2", in the first lines, where people say what they use. Not "wslpath". The word is in small
// letters.
bool names(std::string_view text, std::string_view word) {
    constexpr std::size_t k_first = 65536;
    text = text.substr(0, k_first);
    const auto is_letter = [&](std::size_t at) {
        return at < text.size() && (text[at] | 0x20) >= 'a' && (text[at] | 0x20) <= 'z';
    };
    for (std::size_t at = 0; at + word.size() <= text.size(); ++at) {
        std::size_t same = 0;
        while (same < word.size() && (text[at + same] | 0x20) == word[same]) ++same;
        if (same == word.size() && (at == 0 || !is_letter(at - 1)) && !is_letter(at + same)) return true;
    }
    return false;
}

// Programs' sources, which tracebacks and build files show beside what they write, and comments.
bool is_line_of_source(std::string line) {
    line = lower(trim(line));
    const std::size_t hashes = line.find_first_not_of('#');
    const bool is_comment = hashes != npos && hashes > 0 && line[hashes] == ' ';
    return is_comment ||
           starts_with_any(line, {"// ",          "message(",  "raise ",  "throw ",    "assert ",
                                  "echo ",        "print(",    "printf(", "fprintf(",  "write-host ",
                                  "write-error ", "sys.exit(", "logger.", "logging.",  "warnings.warn(",
                                  "die ",         "f\"",       "f'",      "std::cerr", "throw("});
}

struct Hit {
    std::size_t begin, pattern;
    PatternMatch match;
};

class Finder {
public:
    explicit Finder(const std::string& log) : m_log(log) {}

    void search(const LogText& log) {
        if (m_is_first) {
            m_found.of_wsl = names(log.text(), "wsl");
            m_found.of_windows = names(log.text(), "windows");
            m_found.of_apple = names(log.text(), "macos") || names(log.text(), "apple");
            m_found.of_container = names(log.text(), "docker") || names(log.text(), "container");
        }
        m_is_first = false;
        std::vector<Hit> hits;
        const std::vector<Pattern>& patterns = table().patterns;
        std::size_t place = npos;  // the last anchor, which several patterns may have
        Surroundings around;
        if (m_words) m_words->begin(log.text());
        table().anchors.find(log.text(), log.from(), log.to(), [&](std::uint32_t pattern, std::size_t at) {
            const Pattern& one = patterns[pattern];
            if (at != place) around = Surroundings(log.text(), place = at);
            if (!one.may_match(around) || !has_words(log, pattern, at)) return;
            if (auto match = one.match(log.text(), at))
                hits.push_back({match->begin, pattern, std::move(*match)});
        });
        // A match that contains others comes before them.
        std::stable_sort(hits.begin(), hits.end(), [](const Hit& one, const Hit& other) {
            if (one.begin != other.begin) return one.begin < other.begin;
            if (one.match.end != other.match.end) return one.match.end > other.match.end;
            return one.pattern < other.pattern;
        });
        drop_contained(hits);
        for (Hit& hit : hits) add(log, std::move(hit));
    }

    FoundMessages take() { return std::move(m_found); }

private:
    // Which words the patterns need is made only for logs in which that is soon faster than to try them.
    bool has_words(const LogText& log, std::uint32_t pattern, std::size_t at) {
        constexpr std::size_t k_few = 500;
        if (!m_words) {
            if (++m_tried < k_few) return true;
            m_words = words_nearby();
            m_words->begin(log.text());
        }
        return m_words->may_match(pattern, at);
    }

    // A fault whose words are part of a more exact fault says nothing new, and one whose words are part of a
    // harmless message is none; of equal ones the first row counts.
    static void drop_contained(std::vector<Hit>& hits) {
        std::vector<Hit> kept;
        std::vector<Range> open;  // faults that may contain what follows
        for (Hit& hit : hits) {
            const Message& message = all_messages()[hit.pattern];
            const Range range{hit.match.end, certainty_of(message)};
            erase_if(open, [&](const Range& one) { return one.end <= hit.begin; });
            const bool is_part = any_of(open, [&](const Range& one) {
                return one.end >= range.end && one.certainty >= range.certainty;
            });
            if (message.role == Role::fault || message.role == Role::harmless) open.push_back(range);
            if (!is_part || message.role == Role::fact) kept.push_back(std::move(hit));
        }
        hits = std::move(kept);
    }

    struct Range {
        std::size_t end;
        int certainty;
    };
    static int certainty_of(const Message& message) {
        if (message.role == Role::harmless) return static_cast<int>(certain);
        int most = -1;
        for (const Suspect& one : message.suspects) most = std::max(most, static_cast<int>(one.confidence));
        return most;
    }

    void add(const LogText& log, Hit hit) {
        std::string key = std::to_string(hit.pattern);
        for (const auto& [name, value] : hit.match.captured) key += '\n' + value;
        const auto known = m_index.find(key);
        if (known != m_index.end()) {
            FoundMessage& first = m_found.messages[known->second];
            ++first.times;
            if (first.of_source) set_line(log, hit, first);
            return;
        }
        if (k_most_messages.is_exceeded(m_index.size() + 1, [&](const Limit& reached) {
                if (m_found.limits.empty()) m_found.limits.push_back(reached.trouble(m_log));
            }))
            return;
        m_index.emplace(std::move(key), m_found.messages.size());
        FoundMessage found;
        found.message = &all_messages()[hit.pattern];
        found.order = m_found.messages.size();
        set_line(log, hit, found);
        found.captured = std::move(hit.match.captured);
        m_found.messages.push_back(std::move(found));
    }

    static void set_line(const LogText& log, const Hit& hit, FoundMessage& found) {
        found.line = log.line_at(hit.begin);
        const std::string_view line = log.line_text(hit.begin);
        const auto at = static_cast<std::size_t>(log.text().data() + hit.begin - line.data());
        found.text = shown_line(line, at);
        found.begins_line = std::none_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(at),
                                         [](char c) { return is_letter_or_digit(c); });
        found.after = line.substr(std::min(at + hit.match.end - hit.begin, line.size()), k_after);
        found.of_source = is_line_of_source(found.text);
    }

    std::string m_log;
    std::size_t m_tried = 0;
    std::optional<WordsNearby> m_words;
    std::map<std::string, std::size_t> m_index;
    FoundMessages m_found;
    bool m_is_first = true;
};

}  // namespace

const std::string* FoundMessage::value(std::string_view name) const {
    for (const auto& [key, found] : captured)
        if (key == name) return &found;
    return nullptr;
}

FoundMessages find_messages(const LogText::Read& read, const std::string& log) {
    LogText text(read);
    Finder finder(log);
    while (text.next()) finder.search(text);
    FoundMessages found = finder.take();
    found.of_compose = text.is_of_compose();
    return found;
}

FoundMessages find_messages(std::string_view text) {
    return find_messages(
        [text](char* to, std::size_t most) mutable {
            const std::size_t size = text.copy(to, most);
            text.remove_prefix(size);
            return size;
        },
        "the text");
}

}  // namespace ptxguard
