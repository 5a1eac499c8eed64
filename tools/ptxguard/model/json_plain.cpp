// SPDX-License-Identifier: Apache-2.0
#include "model/json_plain.hpp"

namespace ptxguard {
namespace {

constexpr int k_max_depth = 100, k_max_digits = 18;

class PlainReader {
public:
    explicit PlainReader(std::string_view text) : m_at(text.data()), m_end(text.data() + text.size()) {}

    std::optional<Json> read() {
        Json root;
        if (!value(root, 0)) return std::nullopt;
        skip_blanks();
        if (m_at != m_end) return std::nullopt;
        return root;
    }

private:
    void skip_blanks() {
        while (m_at != m_end && (*m_at == ' ' || *m_at == '\n' || *m_at == '\r' || *m_at == '\t')) ++m_at;
    }
    // The next character that is no blank, if it is this one.
    bool take(char wanted) {
        skip_blanks();
        if (m_at == m_end || *m_at != wanted) return false;
        ++m_at;
        return true;
    }
    bool word(std::string_view wanted) {
        if (static_cast<std::size_t>(m_end - m_at) < wanted.size() ||
            std::string_view(m_at, wanted.size()) != wanted)
            return false;
        m_at += wanted.size();
        return true;
    }

    bool text(std::string_view& into) {
        if (!take('"')) return false;
        const char* begin = m_at;
        for (; m_at != m_end && *m_at != '"'; ++m_at)
            if (*m_at == '\\' || *m_at < ' ' || *m_at == '\x7f')
                return false;  // char may be signed: beyond ASCII, too
        if (m_at == m_end) return false;
        into = std::string_view(begin, static_cast<std::size_t>(m_at++ - begin));
        return true;
    }

    bool integer(Json& into) {
        const bool negative = *m_at == '-';
        if (negative) ++m_at;
        const char* begin = m_at;
        std::int64_t number = 0;
        for (; m_at != m_end && *m_at >= '0' && *m_at <= '9' && m_at - begin <= k_max_digits; ++m_at)
            number = number * 10 + (*m_at - '0');
        const auto digits = m_at - begin;
        if (digits == 0 || digits > k_max_digits || (*begin == '0' && (digits > 1 || negative))) return false;
        if (m_at != m_end && (*m_at == '.' || *m_at == 'e' || *m_at == 'E')) return false;
        into = Json(negative ? -number : number);
        return true;
    }

    bool object(Json& into, int depth) {
        into = Json::object();
        if (take('}')) return true;
        do {
            std::string_view key;
            Json member;
            if (!text(key) || !take(':') || !value(member, depth)) return false;
            into.set(std::string(key), std::move(member));
        } while (take(','));
        return take('}');
    }

    bool array(Json& into, int depth) {
        into = Json::array();
        if (take(']')) return true;
        do {
            Json item;
            if (!value(item, depth)) return false;
            into.push(std::move(item));
        } while (take(','));
        return take(']');
    }

    bool value(Json& into, int depth) {
        skip_blanks();
        if (m_at == m_end || depth > k_max_depth) return false;
        switch (*m_at) {
            case '{':
                ++m_at;
                return object(into, depth + 1);
            case '[':
                ++m_at;
                return array(into, depth + 1);
            case '"': {
                std::string_view found;
                if (!text(found)) return false;
                into = Json(found);
                return true;
            }
            case 't':
                into = Json(true);
                return word("true");
            case 'f':
                into = Json(false);
                return word("false");
            case 'n':
                into = Json(nullptr);
                return word("null");
            default:
                return integer(into);
        }
    }

    const char* m_at;
    const char* m_end;
};

}  // namespace

std::optional<Json> read_plain_json(std::string_view text) { return PlainReader(text).read(); }

}  // namespace ptxguard
