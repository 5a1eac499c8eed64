// The field list of a struct: its JSON members, in order and with their own names. Reports, the cache of test
// compiles, the facts of rule cases and the schema of the reports all use this list:
//
//     PTXGUARD_MEMBERS((path, format), (machine))
//
// The first are always written (null = no value), the others unless they are "", 0, false, [] or {}. A list
// in another order is a member template `fields(V& v)` that calls PTXGUARD_ALWAYS and PTXGUARD_FIELDS.
//
// A visitor V has fields() and always() (a text of names, and the members), when(name, member, condition) for
// a member that is written only on that condition, inlined(optional struct), whose members are written beside
// the others, and `reads`: whether it changes the members.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#define PTXGUARD_NAMED(...) #__VA_ARGS__, __VA_ARGS__
#define PTXGUARD_FIELDS(v, ...) v.fields(#__VA_ARGS__, __VA_ARGS__)
#define PTXGUARD_ALWAYS(v, ...) v.always(#__VA_ARGS__, __VA_ARGS__)
#define PTXGUARD_MEMBERS(always_written, others)                                  \
    template <class V>                                                            \
    void fields(V& v) {                                                           \
        v.always(PTXGUARD_NAMED always_written), v.fields(PTXGUARD_NAMED others); \
    }
#define PTXGUARD_MEMBERS_ALWAYS(...)     \
    template <class V>                   \
    void fields(V& v) {                  \
        PTXGUARD_ALWAYS(v, __VA_ARGS__); \
    }
#define PTXGUARD_MEMBERS_SET(...)        \
    template <class V>                   \
    void fields(V& v) {                  \
        PTXGUARD_FIELDS(v, __VA_ARGS__); \
    }

namespace ptxguard {

// "path, format" -> "path", then "format". The names live as long as the program.
class FieldNames {
public:
    explicit FieldNames(std::string_view names) : m_rest(names) {}
    std::string next() { return std::string(next_view()); }
    std::string_view next_view() {
        std::size_t end = 0;
        while (end < m_rest.size() && m_rest[end] != ',') ++end;
        const std::string_view name = m_rest.substr(0, end);
        m_rest.remove_prefix(end + 2 < m_rest.size() ? end + 2 : m_rest.size());
        return name;
    }
    bool any() const { return !m_rest.empty(); }

private:
    std::string_view m_rest;
};

// The enum value with this word of its to_string. Values count from 0.
template <typename Enum>
std::optional<Enum> from_word(const std::string& word) {
    for (int i = 0; *to_string(static_cast<Enum>(i)); ++i)
        if (word == to_string(static_cast<Enum>(i))) return static_cast<Enum>(i);
    return std::nullopt;
}

}  // namespace ptxguard
