// Structs to Json by their field lists (model/fields.hpp). Known<T> is
// {"value": ..., "origin": {...}}, or just the plain value where it has no origin (a member that is always
// written: the value or null, then NAME_origin); Version, PtxVersion and Arch are their text ("13.0.88",
// "9.0", "sm_90a").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.hpp"
#include "model/json.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Of a struct with a field list. Those that other rooms write are instantiated in serialize.cpp.
template <typename T>
Json to_json(const T& value);

template <typename T>
Json array_json(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push(to_json(value));
    return array;
}
Json array_json(const std::vector<std::string>& values);

// A report has the entries only where they are asked for.
Json binary_json(const BinaryFile& file, bool with_entries);

}  // namespace ptxguard
