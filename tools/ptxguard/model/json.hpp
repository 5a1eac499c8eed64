// A JSON value and its text form. Only json.cpp includes the JSON library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/result.hpp"

namespace ptxguard {

class Json {
public:
    enum class Kind { null, boolean, integer, real, string, array, object };
    using Member = std::pair<std::string, Json>;

    Json() = default;
    Json(std::nullptr_t) {}
    Json(bool value) : m_kind(Kind::boolean), m_integer(value) {}
    Json(int value) : m_kind(Kind::integer), m_integer(value) {}
    Json(std::int64_t value) : m_kind(Kind::integer), m_integer(value) {}
    Json(std::size_t value) : m_kind(Kind::integer), m_integer(static_cast<std::int64_t>(value)) {}
    Json(double value) : m_kind(Kind::real), m_real(value) {}
    Json(const char* value) : m_kind(Kind::string), m_string(value) {}
    Json(std::string value) : m_kind(Kind::string), m_string(std::move(value)) {}
    Json(std::string_view value) : m_kind(Kind::string), m_string(value) {}
    static Json array() {
        Json j;
        j.m_kind = Kind::array;
        return j;
    }
    static Json object() {
        Json j;
        j.m_kind = Kind::object;
        return j;
    }
    // Of equal keys the last value wins, in the place of the first.
    static Json object(std::vector<Member> members);

    Kind kind() const { return m_kind; }
    bool is_null() const { return m_kind == Kind::null; }
    bool is_string() const { return m_kind == Kind::string; }
    bool is_array() const { return m_kind == Kind::array; }
    bool is_object() const { return m_kind == Kind::object; }
    bool is_integer() const { return m_kind == Kind::integer; }
    bool is_bool() const { return m_kind == Kind::boolean; }

    // These never fail: a missing member or another type gives the default.
    bool as_bool(bool fallback = false) const { return is_bool() ? m_integer != 0 : fallback; }
    std::int64_t as_int(std::int64_t fallback = 0) const { return is_integer() ? m_integer : fallback; }
    double as_real(double fallback = 0) const;
    const std::string& as_string() const;                // "" for another kind
    const Json& operator[](std::string_view key) const;  // null for a missing member
    bool has(std::string_view key) const { return !(*this)[key].is_null() || find(key) != nullptr; }
    const Json* find(std::string_view key) const;
    const std::vector<Json>& items() const { return m_items; }        // of an array
    const std::vector<Member>& members() const { return m_members; }  // of an object, in order
    std::size_t size() const { return is_array() ? m_items.size() : m_members.size(); }

    // set() keeps the order of insertion and replaces an existing member. It searches all members: for
    // thousands, use object().
    Json& set(std::string key, Json value);
    Json& push(Json value);

private:
    Kind m_kind = Kind::null;
    std::int64_t m_integer = 0;
    double m_real = 0;
    std::string m_string;
    std::vector<Json> m_items;
    std::vector<Member> m_members;
};

// The error names `subject`, the line and the fault. Depth is limited to 200; of duplicate keys the last
// wins.
Result<Json> parse_json(std::string_view text, const std::string& subject);
// indent < 0: one line. Bytes that are not UTF-8 become U+FFFD. Ends without a line break.
std::string to_text(const Json& json, int indent = 2);

}  // namespace ptxguard
