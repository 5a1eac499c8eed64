// Structs to Json by their field lists (model/fields.hpp). Known<T> becomes
// {"value": ..., "origin": {...}}, or the plain value if it has no origin (a member that is always written:
// the value or null, then NAME_origin); Version, PtxVersion and Arch become text ("13.0.88", "9.0",
// "sm_90a").
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.hpp"
#include "model/json.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// For a struct with a field list. serialize.cpp instantiates those that other rooms write.
template <typename T>
Json to_json(const T& value);

template <typename T>
Json array_json(const std::vector<T>& values) {
    Json array = Json::array();
    for (const T& value : values) array.push(to_json(value));
    return array;
}
Json array_json(const std::vector<std::string>& values);

// A report contains the entries only if requested.
Json binary_json(const BinaryFile& file, bool with_entries);

}  // namespace ptxguard
