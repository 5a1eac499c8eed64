// Converts Json to structs: members by name; the first error of the whole tree is kept. Inner header of the
// room, for deserialize*.cpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/serialize.hpp"

namespace ptxguard {

// Reads members of one object; the first error of the whole tree is kept in `trouble`.
class JsonReader {
public:
    JsonReader(const Json& json, std::string path, std::optional<Trouble>& trouble)
        : m_json(json), m_path(std::move(path)), m_trouble(trouble) {
        if (!json.is_null() && !json.is_object()) fail("", "is not an object");
    }

    void read(const char* key, std::string& value) const {
        const Json& json = m_json[key];
        if (json.is_string())
            value = json.as_string();
        else if (!json.is_null())
            fail(key, "is not a text");
    }
    void read(const char* key, bool& value) const { value = m_json[key].as_bool(value); }
    void read(const char* key, int& value) const { value = static_cast<int>(m_json[key].as_int(value)); }
    void read(const char* key, double& value) const { value = m_json[key].as_real(value); }

    template <typename Number>
    void number(const char* key, Number& value) const {
        value = static_cast<Number>(m_json[key].as_int(static_cast<std::int64_t>(value)));
    }

    template <typename Number>
    void number(const char* key, std::optional<Number>& value) const {
        if (m_json[key].is_integer())
            value = static_cast<Number>(m_json[key].as_int());
        else if (!m_json[key].is_null())
            fail(key, "is not a number");
    }

    template <typename Enum>
    void word(const char* key, Enum& value, std::optional<Enum> (*from)(const std::string&)) const {
        if (m_json[key].is_null()) return;
        if (auto read = from(m_json[key].as_string()))
            value = *read;
        else
            fail(key, "has the unknown word '" + m_json[key].as_string() + "'");
    }

    template <typename T>
    void read(const char* key, std::optional<T>& value) const {
        if (m_json[key].is_null()) return;
        T read{};
        if (parse(m_json[key], read))
            value = std::move(read);
        else
            fail(key, "has a value that cannot be read");
    }

    template <typename T>
    void read(const char* key, Known<T>& value) const {
        const Json& json = m_json[key];
        bool with_origin = json.is_object() && json.has("value");
        const Json& plain = with_origin ? json["value"] : json;
        if (with_origin) origin(json["origin"], m_path + "/" + key + "/origin", value.origin);
        if (plain.is_null()) return;
        T read{};
        if (parse(plain, read))
            value.value = std::move(read);
        else
            fail(key, "has a value that cannot be read");
    }

    template <typename T>
    void read(const char* key, std::vector<T>& values) const {
        if (m_json[key].is_null()) return;
        if (!parse(m_json[key], values)) fail(key, "is not a list of such values");
    }

    template <typename T>
    void structs(const char* key, std::vector<T>& values, void (*fill)(const JsonReader&, T&)) const {
        std::size_t index = 0;
        for (const Json& item : m_json[key].items()) {
            T value;
            fill(JsonReader(item, m_path + "/" + key + "/" + std::to_string(index++), m_trouble), value);
            values.push_back(std::move(value));
        }
    }

    void origin(const char* key, Origin& value) const { origin(m_json[key], m_path + "/" + key, value); }
    JsonReader member(const char* key) const {
        return JsonReader(m_json[key], m_path + "/" + key, m_trouble);
    }

private:
    void fail(const char* key, std::string what) const {
        if (!m_trouble) m_trouble = Trouble{m_path + (*key ? "/" : "") + key, std::move(what), ""};
    }

    void origin(const Json& json, const std::string& path, Origin& value) const {
        JsonReader in(json, path, m_trouble);
        in.word("kind", value.kind, origin_kind_from);
        in.word("certainty", value.certainty, certainty_from);
        in.read("path", value.path);
        in.read("line", value.line);
        in.read("column", value.column);
        in.read("variable", value.variable);
        in.read("command", value.command);
        in.read("text", value.text);
    }

    static bool parse(const Json& json, std::string& value) {
        value = json.as_string();
        return json.is_string();
    }
    static bool parse(const Json& json, bool& value) {
        value = json.as_bool();
        return json.is_bool();
    }
    static bool parse(const Json& json, int& value) {
        value = static_cast<int>(json.as_int());
        return json.is_integer();
    }
    static bool parse(const Json& json, Version& value) {
        return take(parse_version(json.as_string()), value);
    }
    static bool parse(const Json& json, PtxVersion& value) {
        return take(parse_ptx_version(json.as_string()), value);
    }
    static bool parse(const Json& json, Arch& value) { return take(parse_arch(json.as_string()), value); }
    static bool parse(const Json& json, Target& value) {
        value.real = json["real"].as_bool(true);
        value.ptx = json["ptx"].as_bool(false);
        return parse(json["arch"], value.arch);
    }
    template <typename T>
    static bool parse(const Json& json, std::vector<T>& values) {
        for (const Json& item : json.items()) {
            T value{};
            if (!parse(item, value)) return false;
            values.push_back(std::move(value));
        }
        return json.is_array();
    }
    template <typename T>
    static bool take(std::optional<T> read, T& value) {
        if (read) value = std::move(*read);
        return read.has_value();
    }

    const Json& m_json;
    std::string m_path;
    std::optional<Trouble>& m_trouble;
};

// In deserialize_binary.cpp.
void fill_binary(const JsonReader& in, BinaryFile& file);
void fill_trace(const JsonReader& in, LoadTrace& trace);

}  // namespace ptxguard
