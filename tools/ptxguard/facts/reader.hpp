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
    std::optional<Version> version(const Json& row, const char* key);
    std::optional<PtxVersion> ptx(const Json& row, const char* key);
    std::optional<int> number(const Json& row, const char* key);
    std::optional<Arch> arch(const Json& row, const char* key);
    std::vector<Arch> archs(const Json& row, const char* key);
    std::vector<Version> versions(const Json& row, const char* key);
    std::vector<std::string> words(const Json& row, const char* key);
    std::string word(const Json& row, const char* key);
    bool truth(const Json& row, const char* key);
    std::vector<System> systems(const Json& row, const char* key);

    // The same, but absence is also an error.
    std::optional<Version> needed_version(const Json& row, const char* key);
    std::string needed_word(const Json& row, const char* key);

    // "measured: m-ptxas", "documented: d-ptx, d-cudabind": the best kind among the row's `source` ids, and
    // those ids.
    std::string source_words(const Json& row) const;
    // Origin "facts/PATH, WHAT (DETAIL)"; empty parts are left out.
    Origin origin(const std::string& what, const std::string& detail) const;

    void complain(const char* key, const std::string& value, const std::string& what);
    const std::vector<Trouble>& troubles() const { return m_troubles; }
    const std::string& path() const { return m_path; }

private:
    int line_of(const std::string& key, const std::string& value) const;

    std::string m_path;
    std::string_view m_text;
    const Json& m_root;
    std::vector<Trouble> m_troubles;
};

// The members of one row, as a visitor of lists: PTXGUARD_FIELDS(in, bad.from, bad.level) reads "from" and
// "level"; with PTXGUARD_ALWAYS, absence is an error.
class FactRow {
public:
    FactRow(FactReader& reader, const Json& row) : m_reader(reader), m_row(row) {}

    template <typename... T>
    void fields(const char* names, T&... values) {
        std::string key;
        ((key = next_key(names), take(key.c_str(), values)), ...);
    }
    template <typename... T>
    void always(const char* names, T&... values) {
        for (const char* rest = names; *rest;)
            if (const std::string key(next_key(rest)); m_row[key].is_null())
                m_reader.complain(key.c_str(), "", "is missing");
        fields(names, values...);
    }
    // "facts/PATH, WHAT (kind: ids of its sources)".
    Origin origin(const std::string& what) const {
        return m_reader.origin(what, m_reader.source_words(m_row));
    }
    FactReader& reader() const { return m_reader; }
    const Json& json() const { return m_row; }

private:
    // "bad.from, bad.level" -> "from", and `names` moves on to "bad.level".
    static std::string_view next_key(const char*& names) {
        const std::string_view all(names);
        const std::string_view name = all.substr(0, all.find(','));
        names += name.size() == all.size() ? name.size() : name.size() + 2;
        return name.substr(name.find_last_of('.') + 1);
    }
    void take(const char* key, std::string& value) { value = m_reader.word(m_row, key); }
    void take(const char* key, bool& value) { value = m_reader.truth(m_row, key); }
    void take(const char* key, int& value) { value = m_reader.number(m_row, key).value_or(value); }
    void take(const char* key, std::optional<int>& value) { value = m_reader.number(m_row, key); }
    void take(const char* key, std::optional<Version>& value) { value = m_reader.version(m_row, key); }
    void take(const char* key, std::optional<PtxVersion>& value) { value = m_reader.ptx(m_row, key); }
    void take(const char* key, std::optional<Arch>& value) { value = m_reader.arch(m_row, key); }
    template <typename Enum>
    std::enable_if_t<std::is_enum_v<Enum>> take(const char* key, Enum& value) {
        std::optional<Enum> known;
        take(key, known);
        value = known.value_or(value);
    }
    template <typename Enum>
    std::enable_if_t<std::is_enum_v<Enum>> take(const char* key, std::optional<Enum>& value) {
        const std::string word = m_reader.word(m_row, key);
        value = from_word<Enum>(word);
        if (!value && !word.empty()) m_reader.complain(key, word, "is not a known word");
    }
    void take(const char* key, std::vector<std::string>& value) { value = m_reader.words(m_row, key); }
    void take(const char* key, std::vector<System>& value) { value = m_reader.systems(m_row, key); }
    void take(const char* key, std::vector<Version>& value) { value = m_reader.versions(m_row, key); }
    void take(const char* key, std::vector<Arch>& value) { value = m_reader.archs(m_row, key); }

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
