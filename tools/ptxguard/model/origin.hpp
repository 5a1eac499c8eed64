// Where a fact comes from, as data. Every value in a finding has one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "model/fields.hpp"

namespace ptxguard {

enum class OriginKind { none, command, file, variable, option, table, library, log };
// measured: reported by a tool or library that was run. read: from a file. predicted: from a table. declared:
// by the user.
enum class Certainty { none, measured, read, predicted, declared };

struct Origin {
    OriginKind kind = OriginKind::none;
    Certainty certainty = Certainty::none;
    std::string path;          // file, program or library
    int line = 0;              // 1-based; 0 = not known
    int column = 0;            // 1-based; 0 = not known
    std::string variable;      // environment variable, CMake variable or option name
    std::string command;       // command line that was run
    std::string text;          // as shown: "nvcc 13.0.88 at /usr/local/cuda/bin/nvcc"
    bool overridable = false;  // a default that others may override (an ARG), or one of several alternatives

    static Origin from_command(std::string path, std::string command);
    static Origin from_file(std::string path, int line = 0);
    static Origin from_variable(std::string name, std::string text = {});
    static Origin from_option(std::string option);
    static Origin from_table(std::string row_and_source);  // text = "facts/cuda/13.0.json (m-ptxas)"
    static Origin from_library(std::string path, std::string text = {},
                               Certainty certainty = Certainty::measured);
    bool is_at(const Origin& other) const;    // the same file, line and column
    Origin shown_as(std::string text) const;  // the same with this `text`
    // One line as shown: `text` if given, otherwise composed of the other members.
    std::string for_people() const;

    PTXGUARD_MEMBERS_SET(kind, path, line, column, variable, command, certainty, text, overridable)
};

const char* to_string(OriginKind kind);
const char* to_string(Certainty certainty);

// A value that may be unknown, with its origin. If it is unknown, `origin` may say where it was searched.
template <typename T>
struct Known {
    std::optional<T> value;
    Origin origin;

    Known() = default;
    Known(T v, Origin o) : value(std::move(v)), origin(std::move(o)) {}
    explicit operator bool() const { return value.has_value(); }
    const T& operator*() const { return *value; }
    const T* operator->() const { return &*value; }
};

}  // namespace ptxguard
