// Json's members, and the two functions that use the JSON library.
// SPDX-License-Identifier: Apache-2.0
#include "model/json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

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
        m_open.back().keys.push_back(std::move(value));
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
        std::vector<std::string> keys;  // of an object: the member being read is the last
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
        Json value = std::move(m_open.back().value);
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
            top.value.set(std::move(top.keys.back()), std::move(value));
        return true;
    }

    Json& m_root;
    std::vector<Open> m_open;
    std::size_t m_position = 0;
};

nlohmann::ordered_json to_library(const Json& json) {
    switch (json.kind()) {
        case Json::Kind::null:
            return nullptr;
        case Json::Kind::boolean:
            return json.as_bool();
        case Json::Kind::integer:
            return json.as_int();
        case Json::Kind::real:
            return json.as_real();
        case Json::Kind::string:
            return json.as_string();
        case Json::Kind::array: {
            auto array = nlohmann::ordered_json::array();
            for (const Json& item : json.items()) array.push_back(to_library(item));
            return array;
        }
        case Json::Kind::object:
            break;
    }
    auto object = nlohmann::ordered_json::object();
    for (const auto& [key, value] : json.members()) object[key] = to_library(value);
    return object;
}

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
    return Trouble{subject, "is no valid JSON" + place, builder.cause};
}

std::string to_text(const Json& json, int indent) {
    return to_library(json).dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace ptxguard
