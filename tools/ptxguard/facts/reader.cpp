// Typed access to the rows of one fact file; see reader.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "facts/reader.hpp"

#include <algorithm>
#include <utility>

namespace ptxguard {
namespace {

// "" for an absent member; for numbers, lists and objects their kind, so that an error message can name it.
std::string shown(const Json& value) { return value.is_string() ? value.as_string() : to_text(value, -1); }

int line_at(std::string_view text, std::size_t at) {
    return 1 +
           static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// Order of trust of the kinds of sources.
int rank(std::string_view kind) {
    const char* const kinds[] = {"measured", "documented", "derived", "third-party"};
    const auto at = std::find(std::begin(kinds), std::end(kinds), kind);
    return static_cast<int>(at - std::begin(kinds));
}

template <typename Parse>
auto parsed(FactReader& reader, const Json& row, std::string_view key, const Parse& parse,
            const char* error) {
    std::vector<typename decltype(parse(std::string()))::value_type> all;
    for (const std::string& word : reader.words(row, key)) {
        if (const auto value = parse(word))
            all.push_back(*value);
        else
            reader.complain(key, word, error);
    }
    return all;
}

}  // namespace

FactReader::FactReader(std::string path, std::string_view text, const Json& root)
    : m_path(std::move(path)), m_text(text) {
    for (const Json& source : root["sources"].items())
        m_sources.push_back({source["id"].as_string(), source["kind"].as_string()});
}

// The line that contains both key and value, else the value's first line, else the key's; 0 = none.
int FactReader::line_of(std::string_view key, const std::string& value) const {
    const std::string quoted_key = '"' + std::string(key) + '"';
    for (auto at = m_text.find(quoted_key); at != std::string_view::npos;
         at = m_text.find(quoted_key, at + 1)) {
        const auto line = m_text.substr(at, m_text.find('\n', at) - at);
        if (!value.empty() && line.find(value, quoted_key.size()) != std::string_view::npos)
            return line_at(m_text, at);
    }
    const auto by_value = value.empty() ? std::string_view::npos : m_text.find('"' + value + '"');
    const auto at = by_value != std::string_view::npos ? by_value : m_text.find(quoted_key);
    return at == std::string_view::npos ? 0 : line_at(m_text, at);
}

void FactReader::complain(std::string_view key, const std::string& value, const std::string& what) {
    const int line = line_of(key, value);
    const std::string subject =
        "facts/" + m_path + (line ? " line " + std::to_string(line) : "") + ": " + std::string(key);
    m_troubles.push_back({subject, (value.empty() ? "" : "'" + value + "' ") + what, ""});
}

std::optional<Version> FactReader::version(const Json& row, std::string_view key) {
    const Json& value = row[key];
    if (value.is_null()) return std::nullopt;
    auto read = value.is_string() ? parse_version(value.as_string()) : std::nullopt;
    if (!read) complain(key, shown(value), "is not a version");
    return read;
}

std::optional<PtxVersion> FactReader::ptx(const Json& row, std::string_view key) {
    const Json& value = row[key];
    if (value.is_null()) return std::nullopt;
    const auto read = value.is_string() ? parse_ptx_version(value.as_string()) : std::nullopt;
    if (!read) complain(key, shown(value), "is not a PTX version");
    return read;
}

std::optional<int> FactReader::number(const Json& row, std::string_view key) {
    const Json& value = row[key];
    if (value.is_null()) return std::nullopt;
    if (value.is_integer() && value.as_int() >= 0 && value.as_int() <= 1'000'000'000)
        return static_cast<int>(value.as_int());
    complain(key, shown(value), "is not a number");
    return std::nullopt;
}

std::optional<Arch> FactReader::arch(const Json& row, std::string_view key) {
    const Json& value = row[key];
    if (value.is_null()) return std::nullopt;
    const auto read = value.is_string() ? parse_arch(value.as_string()) : std::nullopt;
    if (!read) complain(key, shown(value), "is not an architecture");
    return read;
}

std::vector<Arch> FactReader::archs(const Json& row, std::string_view key) {
    return parsed(*this, row, key, parse_arch, "is not an architecture");
}

std::vector<Version> FactReader::versions(const Json& row, std::string_view key) {
    return parsed(*this, row, key, parse_version, "is not a version");
}

std::vector<System> FactReader::systems(const Json& row, std::string_view key) {
    return parsed(*this, row, key, from_word<System>, "is not a system");
}

std::vector<std::string> FactReader::words(const Json& row, std::string_view key) {
    std::vector<std::string> all;
    const Json& list = row[key];
    if (!list.is_null() && !list.is_array()) complain(key, shown(list), "is not a list");
    for (const auto& item : list.items()) {
        if (item.is_string())
            all.push_back(item.as_string());
        else
            complain(key, shown(item), "is not a text");
    }
    return all;
}

std::string FactReader::word(const Json& row, std::string_view key) {
    const Json& value = row[key];
    if (!value.is_null() && !value.is_string()) complain(key, shown(value), "is not a text");
    return value.as_string();
}

bool FactReader::truth(const Json& row, std::string_view key) {
    const Json& value = row[key];
    if (!value.is_null() && !value.is_bool()) complain(key, value.as_string(), "is neither true nor false");
    return value.as_bool();
}

std::optional<Version> FactReader::needed_version(const Json& row, std::string_view key) {
    if (row[key].is_null()) complain(key, "", "is missing");
    return version(row, key);
}

std::string FactReader::needed_word(const Json& row, std::string_view key) {
    if (row[key].is_null()) complain(key, "", "is missing");
    return word(row, key);
}

std::string FactReader::source_words(const Json& row) const {
    std::string_view kind;
    std::string ids;
    for (const auto& id : source_ids(row)) {
        if (!ids.empty()) ids += ", ";
        ids += id;
        for (const Source& source : m_sources)
            if (source.id == id && (kind.empty() || rank(source.kind) < rank(kind))) kind = source.kind;
    }
    return kind.empty() ? ids : std::string(kind).append(": ").append(ids);
}

Origin FactReader::origin(const std::string& what, const std::string& detail) const {
    std::string text = "facts/" + m_path;
    if (!what.empty()) text += ", " + what;
    if (!detail.empty()) text += " (" + detail + ")";
    Origin origin;
    origin.kind = OriginKind::table;
    origin.certainty = Certainty::predicted;
    origin.path = "facts/" + m_path;
    origin.text = text;
    return origin;
}

std::vector<std::string> source_ids(const Json& row) {
    const Json& source = row["source"];
    if (source.is_string()) return {source.as_string()};
    std::vector<std::string> ids;
    for (const auto& item : source.items()) ids.push_back(item.as_string());
    return ids;
}

}  // namespace ptxguard
