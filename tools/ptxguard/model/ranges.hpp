// The standard algorithms for a whole list.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <iterator>

namespace ptxguard {

template <class Range, class Test>
bool any_of(Range&& all, Test test) {
    return std::any_of(std::begin(all), std::end(all), test);
}

template <class Range, class Test>
bool all_of(Range&& all, Test test) {
    return std::all_of(std::begin(all), std::end(all), test);
}

template <class Range, class Test>
bool none_of(Range&& all, Test test) {
    return std::none_of(std::begin(all), std::end(all), test);
}

template <class Range, class Value>
bool contains(const Range& all, const Value& value) {
    return std::find(std::begin(all), std::end(all), value) != std::end(all);
}

// The first that fits; nullptr if none does.
template <class Range, class Test>
auto first_where(Range& all, Test test) -> decltype(&*std::begin(all)) {
    const auto found = std::find_if(std::begin(all), std::end(all), test);
    return found == std::end(all) ? nullptr : &*found;
}

template <class Range, class Test>
void erase_if(Range& all, Test test) {
    all.erase(std::remove_if(all.begin(), all.end(), test), all.end());
}

template <class Range, class More = Range>
void append(Range& all, const More& more) {
    all.insert(all.end(), more.begin(), more.end());
}

}  // namespace ptxguard
