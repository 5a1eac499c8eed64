// Converts structs to Json: only members with a value are set, so that reports stay readable and cases small.
// Inner header of the room, for its serializers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/serialize.hpp"

namespace ptxguard {

inline Json value_json(const Version& version) { return version.text; }
inline Json value_json(Arch arch) { return arch.sm(); }
inline Json value_json(PtxVersion version) { return version.text(); }
inline Json value_json(const std::string& text) { return text; }
inline Json value_json(bool value) { return value; }
inline Json value_json(int value) { return value; }
inline Json value_json(const Target& target) {
    return Json::object().set("arch", target.arch.sm()).set("real", target.real).set("ptx", target.ptx);
}
template <typename T>
Json value_json(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push(value_json(value));
    return array;
}

// Sets only members with a value.
class Members {
public:
    Members& text(const char* key, const std::string& value) {
        if (!value.empty()) m_json.set(key, value);
        return *this;
    }
    Members& number(const char* key, std::int64_t value) {
        if (value != 0) m_json.set(key, value);
        return *this;
    }
    Members& flag(const char* key, bool value) {
        if (value) m_json.set(key, true);
        return *this;
    }
    template <typename T>
    Members& known(const char* key, const Known<T>& value) {
        if (!value) return *this;
        m_json.set(key, Json::object().set("value", value_json(*value)).set("origin", to_json(value.origin)));
        return *this;
    }
    template <typename T>
    Members& optional(const char* key, const std::optional<T>& value) {
        if (value) m_json.set(key, value_json(*value));
        return *this;
    }
    // A member that is always set.
    Members& null_or(const char* key, const std::optional<std::string>& value) {
        m_json.set(key, value ? Json(*value) : Json());
        return *this;
    }
    template <typename T>
    Members& values(const char* key, const std::vector<T>& all) {
        if (!all.empty()) m_json.set(key, value_json(all));
        return *this;
    }
    template <typename T>
    Members& structs(const char* key, const std::vector<T>& all) {
        if (all.empty()) return *this;
        Json array = Json::array();
        for (const T& one : all) array.push(to_json(one));
        m_json.set(key, std::move(array));
        return *this;
    }
    Members& json(const char* key, Json value) {
        if (!value.is_null() && (!value.is_object() || value.size() > 0)) m_json.set(key, std::move(value));
        return *this;
    }
    Json take() { return std::move(m_json); }

private:
    Json m_json = Json::object();
};

template <typename T>
Json whole_array(const std::vector<T>& all) {
    Json array = Json::array();
    for (const T& one : all) array.push(to_json(one));
    return array;
}

}  // namespace ptxguard
