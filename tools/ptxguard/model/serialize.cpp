// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"

#include <algorithm>
#include <type_traits>

#include "model/judgement.hpp"
#include "model/matrix.hpp"
#include "model/planned.hpp"

namespace ptxguard {
namespace {

// Says nothing: "", 0, false, [] and {}.
bool is_empty(const Json& json) {
    switch (json.kind()) {
        case Json::Kind::string:
            return json.as_string().empty();
        case Json::Kind::array:
        case Json::Kind::object:
            return json.size() == 0;
        default:
            return json.as_real() == 0 && !json.as_bool();
    }
}

// The members of one struct, which it does not change.
class Writer {
public:
    static constexpr bool reads = false;
    explicit Writer(bool with_entries = true) : m_with_entries(with_entries) {}

    template <typename... T>
    void fields(const char* names, T&... values) {
        FieldNames name(names);
        (add_some(name.next(), values), ...);
    }
    template <typename... T>
    void always(const char* names, T&... values) {
        FieldNames name(names);
        (add(name.next(), values), ...);
    }
    template <typename T>
    void when(const char* name, T& value, bool is_written) {
        if (is_written) fields(name, value);
    }
    void entries(const BinaryFile& file) {
        if (!m_with_entries) return;
        Json array = Json::array();
        for (const DeviceEntry& entry : file.entries) {
            Writer writer;
            std::string section = entry.section < file.sections.size() ? file.sections[entry.section] : "";
            const_cast<DeviceEntry&>(entry).fields(writer, section);
            array.push(writer.take());
        }
        m_members.emplace_back("entries", std::move(array));
    }
    Json take() { return Json::object(std::move(m_members)); }

    static Json json(const std::string& text) { return text; }
    static Json json(const LoadRule& rule) { return rule.text; }
    static Json json(const Version& version) { return version.text; }
    static Json json(PtxVersion version) { return version.text(); }
    static Json json(Arch arch) { return arch.number == 0 ? Json() : Json(arch.sm()); }
    // One decimal: of milliseconds.
    static Json json(double value) { return static_cast<double>(static_cast<std::int64_t>(value * 10)) / 10; }
    static Json json(const Origin& origin) {
        if (origin.kind == OriginKind::none && origin.text.empty()) return Json::object();
        Origin shown = origin;
        shown.text = origin.for_people();
        return struct_json(shown);
    }
    template <typename T>
    static Json json(const std::vector<T>& values) {
        Json array = Json::array();
        for (const T& value : values) array.push(json(value));
        return array;
    }
    template <typename T>
    static Json json(const std::optional<T>& value) {
        return value ? json(*value) : Json();
    }
    template <typename T>
    static Json json(const Known<T>& known) {
        if (!known) return Json();
        return Json::object().set("value", json(*known)).set("origin", json(known.origin));
    }
    template <typename T>
    static Json json(const T& value) {
        if constexpr (std::is_enum_v<T>)
            return to_string(value);
        else if constexpr (std::is_same_v<T, bool>)
            return value;
        else if constexpr (std::is_integral_v<T>)
            return static_cast<std::int64_t>(value);
        else
            return struct_json(value);
    }
    template <typename T>
    static Json struct_json(const T& value, bool with_entries = true) {
        Writer writer(with_entries);
        const_cast<T&>(value).fields(writer);
        return writer.take();
    }

private:
    template <typename T>
    void add(std::string name, const T& value) {
        m_members.emplace_back(std::move(name), json(value));
    }
    template <typename T>
    void add(std::string name, const Known<T>& known) {
        add(name, known.value);
        if (known) add(name + "_origin", known.origin);
    }
    template <typename T>
    void add_some(std::string name, const T& value) {
        Json written = json(value);
        if (!is_empty(written)) m_members.emplace_back(std::move(name), std::move(written));
    }
    template <typename T>
    void add_some(std::string name, const std::optional<T>& value) {
        if (value) add(std::move(name), *value);
    }

    const bool m_with_entries;
    std::vector<Json::Member> m_members;
};

// Where a value is, for errors: "scenario/gpus/0/arch".
struct Place {
    const Place* outer;
    std::string name;
    std::string path() const { return outer ? outer->path() + "/" + name : name; }
};

// Reads the members of one struct; the first error of the whole tree is kept.
class Reader {
public:
    static constexpr bool reads = true;
    Reader(const Json& json, const Place& place, std::optional<Trouble>& trouble)
        : m_json(json), m_place(place), m_trouble(trouble) {}

    template <typename T>
    static Result<T> read(const Json& json, const char* subject) {
        std::optional<Trouble> trouble;
        const Place place{nullptr, subject};
        T value;
        Reader(json, place, trouble).take(json, value);
        if (trouble) return *trouble;
        return value;
    }

    template <typename... T>
    void fields(const char* names, T&... values) {
        FieldNames name(names);
        (member(name.next(), values), ...);
    }
    template <typename... T>
    void always(const char* names, T&... values) {
        fields(names, values...);
    }
    template <typename T>
    void when(const char* name, T& value, bool) {
        fields(name, value);
    }
    // What entries tell need not be written twice: sections, fatbins and summary are taken from them.
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

template <typename T>
Json to_json(const T& value) {
    return Writer::json(value);
}
template Json to_json(const Counts&);
template Json to_json(const CudnnCopy&);
template Json to_json(const Driver&);
template Json to_json(const EnvironmentEntry&);
template Json to_json(const Expectation&);
template Json to_json(const Finding&);
template Json to_json(const CheckedArea&);
template Json to_json(const Gpu&);
template Json to_json(const LoadLoser&);
template Json to_json(const LoadTrace&);
template Json to_json(const LoadedFile&);
template Json to_json(const Matrix&);
template Json to_json(const Origin&);
template Json to_json(const Pick&);
template Json to_json(const Plan&);
template Json to_json(const PlannedSet&);
template Json to_json(const ProbeResult&);
template Json to_json(const Project&);
template Json to_json(const RunsOn&);
template Json to_json(const Scenario&);
template Json to_json(const Selector&);
template Json to_json(const Toolkit&);

Json array_json(const std::vector<std::string>& values) { return Writer::json(values); }
Json binary_json(const BinaryFile& file, bool with_entries) {
    return Writer::struct_json(file, with_entries);
}

Result<Scenario> scenario_from_json(const Json& json) { return Reader::read<Scenario>(json, "scenario"); }
Result<ProbeResult> probe_from_json(const Json& json) { return Reader::read<ProbeResult>(json, "probe"); }

}  // namespace ptxguard
