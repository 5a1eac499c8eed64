// Typed access to the rows of one fact file. Missing or malformed members are collected with file and line,
// so that a hand-edited file is either right or reported.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/arch.hpp"
#include "model/json.hpp"
#include "model/origin.hpp"
#include "model/result.hpp"
#include "model/version.hpp"

namespace ptxguard {

class FactReader {
public:
    // `path` as in the store; `root` is the parsed file, `text` its text (for line numbers).
    FactReader(std::string path, std::string_view text, const Json& root);

    // Members of a row. Absent or null: nothing. Present but malformed: nothing and an error.
    std::optional<Version> version(const Json& row, const char* key);
    std::optional<PtxVersion> ptx(const Json& row, const char* key);
    std::optional<int> number(const Json& row, const char* key);
    std::optional<Arch> arch(const Json& row, const char* key);
    std::vector<Arch> archs(const Json& row, const char* key);
    std::vector<std::string> words(const Json& row, const char* key);
    std::string word(const Json& row, const char* key);

    // The same, but absence is an error too.
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

// Ids of a row's `source` member, which is one id or a list of them.
std::vector<std::string> source_ids(const Json& row);

}  // namespace ptxguard
