// SPDX-License-Identifier: Apache-2.0
#include "messages/log_text.hpp"

#include <algorithm>
#include <cstring>

#include "messages/pattern.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_chunk = 256 << 10;  // the pieces of all three forms fit into a second-level cache
constexpr std::size_t k_line = 64 << 10;    // a longer line is taken in parts
constexpr std::size_t k_history = 4 << 10;  // kept before the place where a piece is searched
constexpr std::size_t k_tail = 8 << 10;     // searched again with what follows
constexpr std::size_t k_name = 40;          // of a service of Compose

bool has(std::string_view text, char c) {
    return !text.empty() && std::memchr(text.data(), c, text.size()) != nullptr;
}

// Without escape sequences (colours, cursor, titles, links).
std::string without_escapes(std::string_view line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\x1b') {
            text += line[i];
            continue;
        }
        if (++i >= line.size()) break;
        if (line[i] == '[') {
            while (++i < line.size() && (line[i] < '@' || line[i] > '~')) {
            }
        } else if (line[i] == ']') {
            while (++i < line.size() && line[i] != '\a' && line[i] != '\x1b') {
            }
            if (i < line.size() && line[i] == '\x1b') ++i;
        }
    }
    return text;
}

void append_utf8(std::string& text, std::uint32_t letter) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
    if (letter < 0x80) {
        add(letter);
    } else if (letter < 0x800) {
        add(0xC0 | letter >> 6), add(0x80 | (letter & 0x3F));
    } else if (letter < 0x10000) {
        add(0xE0 | letter >> 12), add(0x80 | (letter >> 6 & 0x3F)), add(0x80 | (letter & 0x3F));
    } else {
        add(0xF0 | letter >> 18), add(0x80 | (letter >> 12 & 0x3F)), add(0x80 | (letter >> 6 & 0x3F)),
            add(0x80 | (letter & 0x3F));
    }
}

// A set of characters.
class Letters {
public:
    constexpr explicit Letters(std::string_view letters) : m_has() {
        for (const char c : letters) m_has[static_cast<unsigned char>(c)] = true;
    }
    std::size_t skip(std::string_view text, std::size_t at) const {
        while (at < text.size() && m_has[static_cast<unsigned char>(text[at])]) ++at;
        return at;
    }

private:
    bool m_has[256];
};
constexpr Letters k_of_time("0123456789-/:.,TZ+"), k_of_seconds("0123456789."), k_colon(":");

std::size_t skip_digits(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}
std::size_t skip_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    return at;
}

// "2026-01-02T03:04:05.678Z", "2026/01/02 03:04:05,678", "03:04:05.678": the end, or `at`.
std::size_t time_end(std::string_view text, std::size_t at) {
    const std::size_t end = k_of_time.skip(text, at);
    const std::string_view time = text.substr(at, end - at);
    if (time.size() < 8 || !is_digit(time[0]) || !is_digit(time[1])) return at;
    const auto count = [&](char c) { return std::count(time.begin(), time.end(), c); };
    const bool is_date = count('-') >= 2 || count('/') == 2, is_time = count(':') >= 2;
    if (!is_date && !is_time) return at;
    return end;
}

// "    3.141592" of the kernel's log.
bool is_time_of_kernel(std::string_view text) {
    return text.size() >= 10 && text[text.size() - 7] == '.' &&
           text.find_first_not_of("0123456789. ") == npos;
}

// "Jan 02 03:04:05 host program[123]: ", "Jan 02 03:04:05 host kernel: ": the end, or 0.
std::size_t journal_end(std::string_view line) {
    constexpr std::size_t k_time = 16, k_source = 80;
    if (line.size() <= k_time || line[3] != ' ' || line[6] != ' ' || line[9] != ':' || line[12] != ':' ||
        line[15] != ' ')
        return 0;
    const std::size_t host = line.substr(k_time, k_source).find(' ');
    if (host == npos) return 0;
    const std::size_t program = k_time + host + 1;
    const std::size_t colon = line.substr(program, k_source).find(": ");
    if (colon == npos) return 0;
    const std::string_view name = line.substr(program, colon);
    return name == "kernel" || (!name.empty() && name.back() == ']') ? program + colon + 1 : 0;
}

// "[12/345]", "[2026-01-02 03:04:05]", "[rank0]:", "[ 50%]", "(EngineCore pid=12)".
std::size_t group_end(std::string_view text, std::size_t at) {
    const char close = text[at] == '[' ? ']' : ')';
    constexpr std::size_t k_group = 60;
    const std::size_t end = text.substr(at, k_group).find(close);
    if (end == npos) return at;
    const std::string_view inner = text.substr(at + 1, end - 1);
    const bool is_counter = close == ']' && !inner.empty() &&
                            inner.find_first_not_of("0123456789/% ") == npos &&
                            inner.find_first_of("/%") != npos;  // "[222] Call to cuLinkAddData" has none
    const bool is_time = time_end(inner, 0) > 0 || is_time_of_kernel(inner);
    const bool is_process =
        inner.find("pid=") != npos || starts_with(inner, "rank") || starts_with(inner, "Worker");
    if (!is_counter && !is_time && !is_process) return at;
    return k_colon.skip(text, at + end + 1);
}

// "#8 1.234 " of Docker, "app-1  | " of Compose, "E   " of pytest, "> " of quotes.
std::size_t mark_end(std::string_view text, std::size_t at) {
    const char c = text[at];
    if (c == '#') {
        const std::size_t number = skip_digits(text, at + 1);
        if (number == at + 1 || number >= text.size() || text[number] != ' ') return at;
        const std::size_t seconds = k_of_seconds.skip(text, number + 1);
        return seconds < text.size() && text[seconds] == ' ' ? seconds : number;
    }
    if (c == '|' || c == '>') return at + 1;
    if (c == 'E' && text.substr(at, 4) == "E   ") return at + 4;
    // A bar is rare, so most lines need no further look.
    const std::string_view begin = text.substr(at, k_name);
    if (!has(begin, '|')) return at;
    const std::size_t end = begin.find(" | ");
    if (end != npos && text.substr(at, end).find_first_of("\"'(,;=<>[]{}") == npos &&
        trim(text.substr(at, end)).find(' ') == npos)
        return at + end + 3;
    return at;
}

bool is_compose_prefix(std::string_view prefix) {
    const std::size_t bar = prefix.find('|');
    if (bar == npos || bar == 0) return false;
    const std::string name = trim(prefix.substr(0, bar));
    const std::size_t number = name.find_last_of("-_");
    return number != std::string::npos && number > 0 && number + 1 < name.size() &&
           all_digits(name.substr(number + 1));
}

}  // namespace

std::size_t prefix_length(std::string_view line) {
    std::size_t at = skip_blanks(line, journal_end(line));
    while (at < line.size()) {
        const char c = line[at];
        std::size_t end = at;
        if (is_digit(c)) end = time_end(line, at);
        if (c == '[' || c == '(') end = group_end(line, at);
        if (end == at) end = mark_end(line, at);
        if (end == at) break;
        at = skip_blanks(line, end);
    }
    return at;
}

bool LogText::next() {
    if (m_at_end) return false;
    const std::size_t gone = m_to > k_history ? m_to - k_history : 0;
    m_text.erase(0, gone);
    m_from = m_to - gone;
    auto first = std::find_if(m_starts.begin(), m_starts.end(),
                              [&](const Start& start) { return start.offset > gone; });
    if (first != m_starts.begin()) --first;  // the line that is cut
    m_starts.erase(m_starts.begin(), first);
    for (Start& start : m_starts) start.offset -= std::min(start.offset, gone);
    read_more();
    m_to = m_at_end ? m_text.size() : m_text.size() > m_from + k_tail ? m_text.size() - k_tail : m_from;
    return true;
}

void LogText::read_more() {
    if (!m_buffer) m_buffer.reset(new char[k_chunk]);
    std::string_view chunk(m_buffer.get(), m_read(m_buffer.get(), k_chunk));
    m_at_end = chunk.empty();
    if (!m_begun) {
        m_begun = true;
        if (starts_with(chunk, "\xFF\xFE")) m_encoding = Encoding::utf16_little;
        if (starts_with(chunk, "\xFE\xFF")) m_encoding = Encoding::utf16_big;
        const std::size_t mark = m_encoding != Encoding::bytes        ? 2
                                 : starts_with(chunk, "\xEF\xBB\xBF") ? 3
                                                                      : 0;
        chunk.remove_prefix(mark);
    }
    if (m_encoding == Encoding::bytes)
        add_raw(chunk);
    else
        add_utf16(chunk);
    m_has_escapes = has(m_raw, '\x1b');
    m_has_returns = has(m_raw, '\r');
    take_lines(m_at_end);
}

// Zero bytes say nothing; they are half of each character where UTF-16 was appended to other text.
void LogText::add_raw(std::string_view bytes) {
    const std::size_t before = m_raw.size();
    m_raw += bytes;
    if (has(bytes, '\0'))
        m_raw.erase(std::remove(m_raw.begin() + static_cast<std::ptrdiff_t>(before), m_raw.end(), '\0'),
                    m_raw.end());
}

void LogText::add_utf16(std::string_view bytes) {
    const std::string whole = m_unit + std::string(bytes);
    for (std::size_t i = 0; i + 1 < whole.size(); i += 2) {
        const auto first = static_cast<unsigned char>(whole[i]),
                   second = static_cast<unsigned char>(whole[i + 1]);
        const std::uint32_t unit =
            m_encoding == Encoding::utf16_little ? first | second << 8u : second | first << 8u;
        const std::uint32_t high = std::exchange(m_high_surrogate, 0);
        if (unit >= 0xD800 && unit < 0xDC00)
            m_high_surrogate = unit;
        else if (high && unit >= 0xDC00 && unit < 0xE000)
            append_utf8(m_raw, 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00));
        else if (unit != 0)
            append_utf8(m_raw, unit);
    }
    m_unit = whole.size() % 2 ? whole.substr(whole.size() - 1) : "";
}

void LogText::take_lines(bool all) {
    std::size_t at = 0;
    while (at < m_raw.size()) {
        const std::size_t end = m_raw.find('\n', at);
        if (end == std::string::npos) break;
        add_line(std::string_view(m_raw).substr(at, end - at), true);
        at = end + 1;
    }
    if (all || m_raw.size() - at > k_line) {
        // The end of a log ends its line, for messages that have one.
        if (at < m_raw.size() || (all && m_in_line)) add_line(std::string_view(m_raw).substr(at), all);
        at = m_raw.size();
    }
    m_raw.erase(0, at);
}

void LogText::add_line(std::string_view line, bool ends) {
    std::string changed;
    if (m_has_returns && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (m_has_escapes && has(line, '\x1b')) line = changed = without_escapes(line);
    if (!m_in_line) {
        m_starts.push_back({m_text.size(), m_line});
        const std::size_t prefix = prefix_length(line);
        m_of_compose = m_of_compose || is_compose_prefix(line.substr(0, prefix));
        line.remove_prefix(prefix);
    }
    while (ends && !line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    const std::size_t begin = m_text.size();
    m_text += line;
    // A progress bar writes over its line.
    if (m_has_returns && has(line, '\r'))
        std::replace(m_text.begin() + static_cast<std::ptrdiff_t>(begin), m_text.end(), '\r', k_line_break);
    m_in_line = !ends;
    if (!ends) return;
    m_text += k_line_break;
    ++m_line;
}

std::int64_t LogText::line_at(std::size_t offset) const {
    auto after = std::upper_bound(m_starts.begin(), m_starts.end(), offset,
                                  [](std::size_t at, const Start& start) { return at < start.offset; });
    return after == m_starts.begin() ? m_line : std::prev(after)->line;
}

std::string_view LogText::line_text(std::size_t offset) const {
    const std::string_view text = m_text;
    const std::size_t before = offset == 0 ? npos : text.rfind(k_line_break, offset - 1);
    const std::size_t begin = before == npos ? 0 : before + 1;
    return text.substr(begin, std::min(text.find(k_line_break, begin), text.size()) - begin);
}

}  // namespace ptxguard
