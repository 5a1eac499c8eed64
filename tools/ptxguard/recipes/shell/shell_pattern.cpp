// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_pattern.hpp"

#include <algorithm>
#include <vector>

#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

// One place of a pattern, as in matches_pattern(): "*", or a range of characters.
struct PatternPlace {
    bool any = false;
    unsigned char first = 0, last = 255;
};
std::vector<PatternPlace> pattern_places(std::string_view pattern) {
    std::vector<PatternPlace> places;
    while (!pattern.empty()) {
        const bool range = pattern.size() > 4 && pattern[0] == '[' && pattern[2] == '-' && pattern[4] == ']';
        const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(pattern[i]); };
        if (range)
            places.push_back({false, byte(1), byte(3)});
        else if (pattern[0] == '*')
            places.push_back({true});
        else if (pattern[0] == '?')
            places.push_back({});
        else
            places.push_back({false, byte(0), byte(0)});
        pattern.remove_prefix(range ? 5 : 1);
    }
    return places;
}

enum class Wanted { shortest, longest, whole };

// For each start in `value` where the match there ends, npos = none; `whole`: only matches of the whole rest.
std::vector<std::size_t> ends_of_matches(std::string_view value, std::string_view pattern, Wanted wanted) {
    const std::vector<PatternPlace> places = pattern_places(pattern);
    const auto better = [&](std::size_t a, std::size_t b) {
        if (a == npos || b == npos) return a == npos ? b : a;
        return wanted == Wanted::shortest ? std::min(a, b) : std::max(a, b);
    };
    std::vector<std::size_t> ends(value.size() + 1, npos);
    // Of the places from each one on, for the start below and for the one after it.
    std::vector<std::size_t> here(places.size() + 1), after(places.size() + 1, npos);
    for (std::size_t at = value.size() + 1; at-- > 0; std::swap(here, after)) {
        here.back() = wanted == Wanted::whole && at < value.size() ? npos : at;
        for (std::size_t i = places.size(); i-- > 0;) {
            const PatternPlace& place = places[i];
            const auto byte = static_cast<unsigned char>(at < value.size() ? value[at] : 0);
            if (place.any)
                here[i] = better(here[i + 1], after[i]);
            else
                here[i] =
                    at < value.size() && byte >= place.first && byte <= place.last ? after[i + 1] : npos;
        }
        ends[at] = here.front();
    }
    return ends;
}

}  // namespace

std::string cut(const std::string& value, std::string_view pattern, bool at_end, bool longest) {
    if (!at_end) {
        const std::size_t end =
            ends_of_matches(value, pattern, longest ? Wanted::longest : Wanted::shortest).front();
        return end == npos ? value : value.substr(end);
    }
    const std::vector<std::size_t> ends = ends_of_matches(value, pattern, Wanted::whole);
    const auto matches = [](std::size_t end) { return end != npos; };
    const auto first = std::find_if(ends.begin(), ends.end(), matches);
    if (first == ends.end()) return value;
    const auto last = std::find_if(ends.rbegin(), ends.rend(), matches).base() - 1;
    return value.substr(0, static_cast<std::size_t>((longest ? first : last) - ends.begin()));
}

std::string replaced(const std::string& value, std::string_view pattern, const std::string& by, bool all) {
    if (pattern.empty()) return value;
    const std::vector<std::size_t> ends = ends_of_matches(value, pattern, Wanted::longest);
    std::string result;
    for (std::size_t i = 0; i < value.size();) {
        if (ends[i] == npos || ends[i] == i) {  // none, or empty
            result += value[i++];
            continue;
        }
        result += by;
        i = ends[i];
        if (!all) return result + value.substr(i);
    }
    return result;
}

}  // namespace ptxguard::recipes
