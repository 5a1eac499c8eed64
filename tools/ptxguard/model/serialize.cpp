// SPDX-License-Identifier: Apache-2.0
#include "model/serialize.hpp"

#include <type_traits>

#include "model/diagnosis.hpp"
#include "model/judgement.hpp"
#include "model/matrix.hpp"
#include "model/planned.hpp"

namespace ptxguard {
namespace {

// No value: "", 0, false, [] and {}.
bool is_empty(const Json& json) {
    switch (json.kind()) {
        case Json::Kind::string: return json.as_string().empty();
        case Json::Kind::array:
        case Json::Kind::object: return json.size() == 0;
        default: return json.as_real() == 0 && !json.as_bool();
    }
}

// Writes the members of one struct without changing it.
class FieldWriter {
public:
    static constexpr bool reads = false;
    explicit FieldWriter(bool with_entries = true) : m_with_entries(with_entries) {}

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
    template <typename T>
    void inlined(std::optional<T>& value) {
        if (value) value->fields(*this);
    }
    void entries(const BinaryFile& file) {
        if (!m_with_entries) return;
        Json array = Json::array();
        for (const DeviceEntry& entry : file.entries) {
            FieldWriter writer;
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
    // One decimal, for milliseconds.
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
        FieldWriter writer(with_entries);
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

}  // namespace

template <typename T>
Json to_json(const T& value) {
    return FieldWriter::json(value);
}
template Json to_json(const Counts&);
template Json to_json(const CudnnCopy&);
template Json to_json(const Driver&);
template Json to_json(const EnvironmentEntry&);
template Json to_json(const LogDiagnosis&);
template Json to_json(const DroppedSources&);
template Json to_json(const Expectation&);
template Json to_json(const Finding&);
template Json to_json(const CheckedArea&);
template Json to_json(const Acceptance&);
template Json to_json(const Gpu&);
template Json to_json(const LoadLoser&);
template Json to_json(const LoadTrace&);
template Json to_json(const LoadedFile&);
template Json to_json(const Matrix&);
template Json to_json(const NativeModule&);
template Json to_json(const MatchedLine&);
template Json to_json(const Origin&);
template Json to_json(const OtherFault&);
template Json to_json(const Pick&);
template Json to_json(const Plan&);
template Json to_json(const PlannedSet&);
template Json to_json(const ProbeResult&);
template Json to_json(const Project&);
template Json to_json(const RunsOn&);
template Json to_json(const Scenario&);
template Json to_json(const Selector&);
template Json to_json(const Toolkit&);

Json array_json(const std::vector<std::string>& values) { return FieldWriter::json(values); }
Json binary_json(const BinaryFile& file, bool with_entries) {
    return FieldWriter::struct_json(file, with_entries);
}

}  // namespace ptxguard
