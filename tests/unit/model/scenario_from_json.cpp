// SPDX-License-Identifier: Apache-2.0
#include "scenario_from_json.hpp"

#include <algorithm>
#include <type_traits>

#include "every_member.hpp"

namespace ptxguard {
namespace {

// Where a value is, for errors: "scenario/gpus/0/arch".
struct Place {
    const Place* outer;
    std::string name;
    std::string path() const { return outer ? outer->path() + "/" + name : name; }
};

// Reads the members of one struct; the first error of the whole tree is kept.
class Reader : public EveryMember<Reader> {
public:
    static constexpr bool reads = true;
    Reader(const Json& json, const Place& place, std::optional<Trouble>& trouble)
        : m_json(json), m_place(place), m_trouble(trouble) {}

    static Result<Scenario> scenario(const Json& json) {
        std::optional<Trouble> trouble;
        const Place place{nullptr, "scenario"};
        Scenario value;
        Reader(json, place, trouble).take(json, value);
        if (trouble) return *trouble;
        return value;
    }

    template <typename... T>
    void fields(const char* names, T&... values) {
        FieldNames name(names);
        (member(name.next(), values), ...);
    }
    template <typename T>
    void inlined(std::optional<T>& value) {
        T read;
        read.fields(*this);
        if (!read.empty()) value = std::move(read);
    }
    // What follows from entries need not be written twice: sections, fatbins and summary are taken from them.
    void entries(BinaryFile& file) {
        std::size_t index = 0;
        const Place list{&m_place, "entries"};
        for (const Json& item : m_json["entries"].items()) {
            const Place place{&list, std::to_string(index++)};
            Reader reader(item, place, m_trouble);
            DeviceEntry entry;
            std::string section;
            entry.fields(reader, section);
            auto found = std::find(file.sections.begin(), file.sections.end(), section);
            if (found == file.sections.end()) found = file.sections.insert(found, section);
            entry.section = static_cast<std::uint16_t>(found - file.sections.begin());
            file.fatbins = std::max<std::size_t>(file.fatbins, entry.fatbin + std::size_t{1});
            file.entries.push_back(std::move(entry));
        }
        if (file.summary.empty()) file.summary = summarize(file.entries);
    }

private:
    template <typename T>
    void member(std::string name, T& value) {
        const Json& json = m_json[name];
        if (json.is_null()) return;
        const Place place{&m_place, std::move(name)};
        Reader(json, place, m_trouble).take(json, value);
    }

    void require(bool is_right, const std::string& otherwise = "has a value that cannot be read") const {
        if (!is_right && !m_trouble) m_trouble = Trouble{m_place.path(), otherwise, ""};
    }
    template <typename T>
    void take_parsed(std::optional<T> parsed, T& value) {
        require(parsed.has_value());
        if (parsed) value = std::move(*parsed);
    }

    void take(const Json& json, std::string& value) {
        require(json.is_string());
        value = json.as_string();
    }
    void take(const Json& json, LoadRule& value) {
        require(json.is_string());
        value = LoadRule::from_text(json.as_string());
    }
    void take(const Json& json, Version& value) { take_parsed(parse_version(json.as_string()), value); }
    void take(const Json& json, PtxVersion& value) {
        take_parsed(parse_ptx_version(json.as_string()), value);
    }
    void take(const Json& json, Arch& value) { take_parsed(parse_arch(json.as_string()), value); }
    template <typename T>
    void take(const Json& json, std::optional<T>& value) {
        take(json, value.emplace());
    }
    template <typename T>
    void take(const Json& json, Known<T>& known) {
        const bool with_origin = json.is_object() && json.has("value");
        if (with_origin) member("origin", known.origin);
        if (!with_origin)
            take(json, known.value);
        else if (!json["value"].is_null())
            take(json["value"], known.value);
    }
    template <typename T>
    void take(const Json& json, std::vector<T>& values) {
        require(json.is_array());
        for (const Json& item : json.items()) {
            const Place place{&m_place, std::to_string(values.size())};
            Reader(item, place, m_trouble).take(item, values.emplace_back());
        }
    }
    template <typename T>
    void take(const Json& json, T& value) {
        if constexpr (std::is_enum_v<T>) {
            const auto known = from_word<T>(json.as_string());
            require(known.has_value(), "has the unknown word '" + json.as_string() + "'");
            value = known.value_or(value);
        } else if constexpr (std::is_same_v<T, bool>) {
            require(json.is_bool());
            value = json.as_bool();
        } else if constexpr (std::is_integral_v<T>) {
            require(json.is_integer());
            value = static_cast<T>(json.as_int());
        } else if constexpr (std::is_floating_point_v<T>) {
            value = json.as_real();
        } else {
            require(json.is_object(), "is not an object");
            value.fields(*this);
        }
    }

    const Json& m_json;
    const Place& m_place;
    std::optional<Trouble>& m_trouble;
};

}  // namespace

Result<Scenario> scenario_from_json(const Json& json) { return Reader::scenario(json); }

}  // namespace ptxguard
