// A YAML, TOML or JSON text as a small tree with positions. Values keep their written form ("3.10" is a text,
// not a number).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxguard {

struct Tree {
    enum class Kind { none, scalar, list, map };
    Kind kind = Kind::none;
    std::string text;           // of scalar
    bool quoted = false;        // a text even if it looks like a number, true or null
    bool is_reference = false;  // YAML: a list with GitLab's tag "!reference"
    bool is_block = false;      // YAML's "|" or ">": line and column are those of its first line
    std::string lines;  // of ">": as written, with "\" before each line break that is folded to a blank
    int line = 0, column = 0;                    // from 1, in bytes
    std::vector<Tree> items;                     // of list
    std::vector<std::pair<Tree, Tree>> members;  // of map, in order

    const Tree* find(std::string_view key) const;        // null = not found; of equal keys the last
    const Tree& operator[](std::string_view key) const;  // `none` if not found
    explicit operator bool() const { return kind != Kind::none; }
    bool is_scalar() const { return kind == Kind::scalar; }
    bool is_list() const { return kind == Kind::list; }
    bool is_map() const { return kind == Kind::map; }
    bool truth() const;  // true, yes or on, not quoted
    // The items of a list, or the value itself: for the "one or several" of many formats.
    std::vector<const Tree*> each() const;

private:
    // Of a map with many members: the last one of each key. Built by the first look-up.
    struct Index;
    mutable std::shared_ptr<const Index> m_index;
};

}  // namespace ptxguard
