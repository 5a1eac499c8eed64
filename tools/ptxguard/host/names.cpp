// Variable names: exact on Linux, case-insensitive on Windows; and Windows' %NAME% inside values.
// SPDX-License-Identifier: Apache-2.0
#include "host/names.hpp"

#include "model/text.hpp"

namespace ptxguard {

namespace {

using Environment = std::map<std::string, std::string>;
constexpr int k_deepest = 8;              // limit for variables that refer to each other
constexpr std::size_t k_longest = 32767;  // characters of a variable, as Windows has it

Environment::const_iterator find(const Environment& environment, const std::string& name, System system) {
    const auto exact = environment.find(name);
    if (exact != environment.end() || system != System::windows) return exact;
    const std::string wanted = lower(name);
    auto at = environment.begin();
    while (at != environment.end() && lower(at->first) != wanted) ++at;
    return at;
}

// Adds the expanded text to `result`. False: it is longer than a variable can be, or contains so many names
// that it would never end (`left` counts down both).
bool expand(std::string_view text, const Environment& environment, int depth, std::size_t& left,
            std::string& result) {
    const auto add = [&](std::string_view part) {
        if (part.size() >= left) return false;
        left -= part.size() + 1;
        result += part;
        return true;
    };
    while (!text.empty()) {
        const std::size_t open = text.find('%');
        const std::size_t close = open == std::string_view::npos ? open : text.find('%', open + 1);
        if (close == std::string_view::npos) break;
        const std::string name(text.substr(open + 1, close - open - 1));
        const auto value = find(environment, name, System::windows);
        const bool known = value != environment.end();
        if (!add(text.substr(0, known ? open : close))) return false;
        // After an unknown name the second '%' may open the next one.
        text.remove_prefix(known ? close + 1 : close);
        if (!known) continue;
        const bool deep = depth >= k_deepest;
        if (deep ? !add(value->second) : !expand(value->second, environment, depth + 1, left, result))
            return false;
    }
    return add(text);
}

}  // namespace

std::optional<std::string> variable(const Environment& environment, const std::string& name, System system) {
    const auto found = find(environment, name, system);
    if (found == environment.end()) return std::nullopt;
    return found->second;
}

void set_variable(Environment& environment, const std::string& name, const std::optional<std::string>& value,
                  System system) {
    const auto found = find(environment, name, system);
    std::string spelling = name;
    if (found != environment.end()) {
        spelling = found->first;
        environment.erase(found);
    }
    if (value) environment[spelling] = *value;
}

std::string expand_variables(const std::string& text, const Environment& environment) {
    std::string result;
    std::size_t left = k_longest;
    return expand(text, environment, 0, left, result) ? result : text;
}

}  // namespace ptxguard
