// A sentence with values in it: SAY("{} refuses PTX {}", name_of(driver), version).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "model/text.hpp"

namespace ptxguard {

constexpr std::size_t places_in(std::string_view pattern) {
    std::size_t places = 0;
    for (std::size_t i = 0; i + 1 < pattern.size(); ++i)
        if (pattern[i] == '{' && pattern[i + 1] == '}') ++places;
    return places;
}

// How a value looks in a sentence: text as it is, a number in digits, words as "a, b and c".
inline std::string_view shown(std::string_view text) { return text; }
inline std::string shown(const std::vector<std::string>& words) { return list(words); }
template <class Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
std::string shown(Number number) {
    return std::to_string(number);
}

// The pattern with one value for each {}; a {} in a value stays.
std::string filled(std::string_view pattern, std::initializer_list<std::string_view> values);

template <std::size_t places, class... Values>
std::string say(std::string_view pattern, const Values&... values) {
    static_assert(places == sizeof...(Values), "a sentence takes one value for each {}");
    return filled(pattern, {std::string_view(shown(values))...});
}

}  // namespace ptxguard

// The pattern is a literal, so that a missing value is an error of the compiler and each sentence can be
// searched for.
#define SAY(pattern, ...) ::ptxguard::say<::ptxguard::places_in(pattern)>(pattern, __VA_ARGS__)
