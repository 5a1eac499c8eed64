// Typed access to the rows of one fact file. Missing or malformed members are collected with file and line,
// so that a hand-edited file is either right or reported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/json.hpp"
#include "model/origin.hpp"
#include "model/result.hpp"
#include "model/system.hpp"
#include "model/version.hpp"

namespace ptxguard {

class FactReader {
public:
    // `path` as in the store; `root` is the parsed file, `text` its text (for line numbers).
    FactReader(std::string path, std::string_view text, const Json& root);

    // Members of a row. Absent or null: empty. Malformed: empty and an error.
    std::optional<Version> version(const Json& row, std::string_view key);
    std::optional<PtxVersion> ptx(const Json& row, std::string_view key);
    std::optional<int> number(const Json& row, std::string_view key);
    std::optional<Arch> arch(const Json& row, std::string_view key);
    std::vector<Arch> archs(const Json& row, std::string_view key);
    std::vector<Version> versions(const Json& row, std::string_view key);
    std::vector<std::string> words(const Json& row, std::string_view key);
    std::string word(const Json& row, std::string_view key);
    bool truth(const Json& row, std::string_view key);
    std::vector<System> systems(const Json& row, std::string_view key);

    // The same, but absence is also an error.
    std::optional<Version> needed_version(const Json& row, std::string_view key);
    std::string needed_word(const Json& row, std::string_view key);

    // "measured: m-ptxas", "documented: d-ptx, d-cudabind": the best kind among the row's `source` ids, and
    // those ids.
    std::string source_words(const Json& row) const;
    // Origin "facts/PATH, WHAT (DETAIL)"; empty parts are left out.
    Origin origin(const std::string& what, const std::string& detail) const;

    void complain(std::string_view key, const std::string& value, const std::string& what);
    const std::vector<Trouble>& troubles() const { return m_troubles; }
    const std::string& path() const { return m_path; }

private:
    int line_of(std::string_view key, const std::string& value) const;

    // A row of `sources`.
    struct Source {
        std::string_view id;
        std::string_view kind;
    };

    std::string m_path;
    std::string_view m_text;
    std::vector<Source> m_sources;
    std::vector<Trouble> m_troubles;
};

// The members of one row, as a visitor of lists: PTXGUARD_FIELDS(in, bad.from, bad.level) reads "from" and
// "level"; with PTXGUARD_ALWAYS, absence is an error.
class FactRow {
public:
    FactRow(FactReader& reader, const Json& row) : m_reader(reader), m_row(row) {}

    template <typename... T>
    void fields(std::string_view names, T&... values) {
        FieldNames rest(names);
        (take(next_key(rest), values), ...);
    }
    template <typename... T>
    void always(std::string_view names, T&... values) {
        for (FieldNames rest(names); rest.any();)
            if (const std::string_view key = next_key(rest); m_row[key].is_null())
                m_reader.complain(key, "", "is missing");
        fields(names, values...);
    }
    // "facts/PATH, WHAT (kind: ids of its sources)".
    Origin origin(const std::string& what) const {
        return m_reader.origin(what, m_reader.source_words(m_row));
    }
    FactReader& reader() const { return m_reader; }
    const Json& json() const { return m_row; }

private:
    // "bad.from" -> "from"
    static std::string_view next_key(FieldNames& names) {
        const std::string_view name = names.next_view();
        return name.substr(name.find_last_of('.') + 1);
    }
    void take(std::string_view key, std::string& value) { value = m_reader.word(m_row, key); }
    void take(std::string_view key, bool& value) { value = m_reader.truth(m_row, key); }
    void take(std::string_view key, int& value) { value = m_reader.number(m_row, key).value_or(value); }
    void take(std::string_view key, std::optional<int>& value) { value = m_reader.number(m_row, key); }
    void take(std::string_view key, std::optional<Version>& value) { value = m_reader.version(m_row, key); }
    void take(std::string_view key, std::optional<PtxVersion>& value) { value = m_reader.ptx(m_row, key); }
    void take(std::string_view key, std::optional<Arch>& value) { value = m_reader.arch(m_row, key); }
    template <typename Enum>
    std::enable_if_t<std::is_enum_v<Enum>> take(std::string_view key, Enum& value) {
        std::optional<Enum> known;
        take(key, known);
        value = known.value_or(value);
    }
    template <typename Enum>
    std::enable_if_t<std::is_enum_v<Enum>> take(std::string_view key, std::optional<Enum>& value) {
        const std::string word = m_reader.word(m_row, key);
        value = from_word<Enum>(word);
        if (!value && !word.empty()) m_reader.complain(key, word, "is not a known word");
    }
    void take(std::string_view key, std::vector<std::string>& value) { value = m_reader.words(m_row, key); }
    void take(std::string_view key, std::vector<System>& value) { value = m_reader.systems(m_row, key); }
    void take(std::string_view key, std::vector<Version>& value) { value = m_reader.versions(m_row, key); }
    void take(std::string_view key, std::vector<Arch>& value) { value = m_reader.archs(m_row, key); }

    FactReader& m_reader;
    const Json& m_row;
};

// The rows of a list, each by its members: read(in, row).
template <typename Row, typename Read>
void read_rows(FactReader& reader, const Json& rows, std::vector<Row>& into, const Read& read) {
    for (const Json& row : rows.items()) {
        FactRow in(reader, row);
        read(in, into.emplace_back());
    }
}

// The rows of the member of `root` with that name, read into the member of `tables`, each by the expressions.
#define PTXGUARD_ROWS(table, ...) \
    read_rows(reader, root[#table], tables.table, [](FactRow& in, auto& row) { __VA_ARGS__; })

// Ids of a row's `source` member, which is one id or a list of them.
std::vector<std::string> source_ids(const Json& row);

}  // namespace ptxguard
