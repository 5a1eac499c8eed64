// Json's members, and the two functions that use the JSON library.
// SPDX-License-Identifier: Apache-2.0
#include "model/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace ptxguard {
namespace {

constexpr int k_max_depth = 200;

// Fills a Json from the parser's events, so that the order of members stays and depth is bounded before it
// hurts.
class Builder : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit Builder(Json& root) : m_root(root) {}

    bool null() override { return put(Json()); }
    bool boolean(bool value) override { return put(Json(value)); }
    bool number_integer(number_integer_t value) override {
        return put(Json(static_cast<std::int64_t>(value)));
    }
    bool number_unsigned(number_unsigned_t value) override {
        if (value > static_cast<number_unsigned_t>(INT64_MAX)) return put(Json(static_cast<double>(value)));
        return put(Json(static_cast<std::int64_t>(value)));
    }
    bool number_float(number_float_t value, const string_t&) override { return put(Json(value)); }
    bool string(string_t& value) override { return put(Json(std::move(value))); }
    bool binary(binary_t&) override { return fail("binary value"); }
    bool key(string_t& value) override {
        m_open.back().members.emplace_back(std::move(value), Json());
        return true;
    }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool parse_error(std::size_t position, const std::string&,
                     const nlohmann::detail::exception& error) override {
        m_position = position;
        std::string text = error.what();
        auto colon = text.rfind(
            ": ");  // "[json.exception...] parse error at line 1, column 2: syntax error ...: reason"
        return fail(colon == std::string::npos ? text : text.substr(colon + 2));
    }

    std::string cause;
    std::size_t position() const { return m_position; }

private:
    struct Open {
        Json value;
        std::vector<Json::Member> members;  // of an object: the one being read is the last
    };

    bool fail(std::string why) {
        cause = std::move(why);
        return false;
    }
    bool open(Json value) {
        if (m_open.size() >= k_max_depth) return fail("nested deeper than 200");
        m_open.push_back({std::move(value), {}});
        return true;
    }
    bool close() {
        Open& top = m_open.back();
        Json value = top.value.is_object() ? Json::object(std::move(top.members)) : std::move(top.value);
        m_open.pop_back();
        return put(std::move(value));
    }
    bool put(Json value) {
        if (m_open.empty()) {
            m_root = std::move(value);
            return true;
        }
        Open& top = m_open.back();
        if (top.value.is_array())
            top.value.push(std::move(value));
        else
            top.members.back().second = std::move(value);
        return true;
    }

    Json& m_root;
    std::vector<Open> m_open;
    std::size_t m_position = 0;
};

// Whether one of the keys comes twice.
bool has_doubles(const std::vector<Json::Member>& members) {
    std::vector<std::string_view> keys;
    for (const auto& member : members) keys.push_back(member.first);
    std::sort(keys.begin(), keys.end());
    return std::adjacent_find(keys.begin(), keys.end()) != keys.end();
}

// What the library writes for a text or a number.
void add_scalar(const nlohmann::json& value, std::string& text) {
    text += value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void add_string(const std::string& value, std::string& text) {
    const bool plain = std::all_of(value.begin(), value.end(),
                                   [](char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\\'; });
    if (plain)
        text.append("\"").append(value).append("\"");
    else
        add_scalar(value, text);
}

// Writes as the library does, without a second tree of all values: reports have up to a hundred megabytes.
class Writer {
public:
    Writer(std::string& text, int indent) : m_text(text), m_indent(indent) {}

    void add(const Json& json, int depth) {
        switch (json.kind()) {
            case Json::Kind::null:
                m_text += "null";
                break;
            case Json::Kind::boolean:
                m_text += json.as_bool() ? "true" : "false";
                break;
            case Json::Kind::integer:
                m_text += std::to_string(json.as_int());
                break;
            case Json::Kind::real:
                add_scalar(json.as_real(), m_text);
                break;
            case Json::Kind::string:
                add_string(json.as_string(), m_text);
                break;
            case Json::Kind::array:
                add_all(json.items(), "[]", depth, [&](const Json& item) { add(item, depth + 1); });
                break;
            case Json::Kind::object:
                add_all(json.members(), "{}", depth, [&](const Json::Member& member) {
                    add_string(member.first, m_text);
                    m_text += m_indent < 0 ? ":" : ": ";
                    add(member.second, depth + 1);
                });
        }
    }

private:
    template <typename Value, typename Add>
    void add_all(const std::vector<Value>& values, const char* brackets, int depth, const Add& add_one) {
        m_text += brackets[0];
        for (const Value& value : values) {
            if (&value != &values.front()) m_text += ',';
            start_line(depth + 1);
            add_one(value);
        }
        if (!values.empty()) start_line(depth);
        m_text += brackets[1];
    }
    void start_line(int depth) {
        if (m_indent >= 0) m_text.append(1, '\n').append(static_cast<std::size_t>(m_indent * depth), ' ');
    }

    std::string& m_text;
    const int m_indent;
};

}  // namespace

double Json::as_real(double fallback) const {
    return m_kind == Kind::real ? m_real : is_integer() ? static_cast<double>(m_integer) : fallback;
}

const std::string& Json::as_string() const {
    static const std::string none;
    return is_string() ? m_string : none;
}

const Json* Json::find(std::string_view key) const {
    for (const auto& member : m_members)
        if (member.first == key) return &member.second;
    return nullptr;
}

const Json& Json::operator[](std::string_view key) const {
    static const Json none;
    const Json* value = find(key);
    return value ? *value : none;
}

Json& Json::set(std::string key, Json value) {
    m_kind = Kind::object;
    for (auto& member : m_members)
        if (member.first == key) {
            member.second = std::move(value);
            return *this;
        }
    m_members.emplace_back(std::move(key), std::move(value));
    return *this;
}

Json Json::object(std::vector<Member> members) {
    Json json = object();
    if (has_doubles(members)) {
        std::unordered_map<std::string_view, std::size_t> first;  // of each key; `members` stays as it is
        std::vector<Member> kept;
        for (Member& member : members) {
            const auto [known, is_new] = first.emplace(member.first, kept.size());
            if (is_new)
                kept.emplace_back(member.first, std::move(member.second));
            else
                kept[known->second].second = std::move(member.second);
        }
        members = std::move(kept);
    }
    json.m_members = std::move(members);
    return json;
}

Json& Json::push(Json value) {
    m_kind = Kind::array;
    m_items.push_back(std::move(value));
    return *this;
}

Result<Json> parse_json(std::string_view text, const std::string& subject) {
    Json root;
    Builder builder(root);
    if (nlohmann::json::sax_parse(text.begin(), text.end(), &builder)) return root;
    std::size_t end = std::min(builder.position(), text.size());
    auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n') + 1;
    std::string place = builder.position() ? " in line " + std::to_string(line) : "";
    return Trouble{subject, "is not valid JSON" + place, builder.cause};
}

std::string to_text(const Json& json, int indent) {
    std::string text;
    Writer(text, indent).add(json, 0);
    return text;
}

}  // namespace ptxguard
