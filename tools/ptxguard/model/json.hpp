// A JSON value and its text form. Only json.cpp includes the JSON library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "model/result.hpp"

namespace ptxguard {

class Json {
public:
    enum class Kind { null, boolean, integer, real, string, array, object };
    using Member = std::pair<std::string, Json>;

    Json() = default;
    Json(std::nullptr_t) {}
    Json(bool value) : m_value(value) {}
    Json(int value) : m_value(std::int64_t{value}) {}
    Json(std::int64_t value) : m_value(value) {}
    Json(std::size_t value) : m_value(static_cast<std::int64_t>(value)) {}
    Json(double value) : m_value(value) {}
    Json(const char* value) : m_value(std::string(value)) {}
    Json(std::string value) : m_value(std::move(value)) {}
    Json(std::string_view value) : m_value(std::string(value)) {}
    static Json array(std::vector<Json> items = {}) {
        Json j;
        j.m_value = std::move(items);
        return j;
    }
    static Json object() {
        Json j;
        j.m_value = std::vector<Member>();
        return j;
    }
    // Of equal keys the last value wins, in the place of the first.
    static Json object(std::vector<Member> members);

    Kind kind() const { return static_cast<Kind>(m_value.index()); }
    bool is_null() const { return kind() == Kind::null; }
    bool is_string() const { return kind() == Kind::string; }
    bool is_array() const { return kind() == Kind::array; }
    bool is_object() const { return kind() == Kind::object; }
    bool is_integer() const { return kind() == Kind::integer; }
    bool is_bool() const { return kind() == Kind::boolean; }

    // These never fail: a missing member or another type gives the default.
    bool as_bool(bool fallback = false) const {
        const bool* value = std::get_if<bool>(&m_value);
        return value ? *value : fallback;
    }
    std::int64_t as_int(std::int64_t fallback = 0) const {
        const std::int64_t* value = std::get_if<std::int64_t>(&m_value);
        return value ? *value : fallback;
    }
    double as_real(double fallback = 0) const;
    const std::string& as_string() const;                // "" for another kind
    const Json& operator[](std::string_view key) const;  // null for a missing member
    bool has(std::string_view key) const { return !(*this)[key].is_null() || find(key) != nullptr; }
    const Json* find(std::string_view key) const;
    const std::vector<Json>& items() const;      // of an array
    const std::vector<Member>& members() const;  // of an object, in order
    std::size_t size() const { return is_array() ? items().size() : members().size(); }

    // Becomes an empty text, which the caller fills.
    std::string& become_text() { return m_value.emplace<std::string>(); }
    // set() keeps the order of insertion and replaces an existing member. It searches all members: for
    // thousands, use object().
    Json& set(std::string key, Json value);
    Json& push(Json value);

private:
    // In the order of Kind.
    std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, std::vector<Json>,
                 std::vector<Member>>
        m_value = nullptr;
};

// The error names `subject`, the line and the fault. Depth is limited to 200; of duplicate keys the last
// wins.
Result<Json> parse_json(std::string_view text, const std::string& subject);
// indent < 0: one line. Bytes that are not UTF-8 become U+FFFD. Ends without a line break.
std::string to_text(const Json& json, int indent = 2);

}  // namespace ptxguard
