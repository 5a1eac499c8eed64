// Variable names: exact on Linux, case-insensitive on Windows; and Windows' %NAME% inside values.
// SPDX-License-Identifier: Apache-2.0
#include "host/names.hpp"

#include <algorithm>

#include "host/paths.hpp"

namespace ptxguard {

namespace {

using Environment = std::map<std::string, std::string>;
constexpr int k_deepest = 8;  // limit for variables that refer to each other

Environment::const_iterator find(const Environment& environment, const std::string& name, System system) {
    const auto exact = environment.find(name);
    if (exact != environment.end() || system != System::windows) return exact;
    const std::string wanted = lower(name);
    auto at = environment.begin();
    while (at != environment.end() && lower(at->first) != wanted) ++at;
    return at;
}

std::string expand(const std::string& text, const Environment& environment, int depth) {
    std::string result;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t open = text.find('%', at);
        const std::size_t close = open == std::string::npos ? open : text.find('%', open + 1);
        if (close == std::string::npos) break;
        const auto value = find(environment, text.substr(open + 1, close - open - 1), System::windows);
        result.append(text, at, open - at);
        if (value == environment.end()) {
            // The second '%' may open the next name.
            result.append(text, open, close - open);
            at = close;
            continue;
        }
        result += depth < k_deepest ? expand(value->second, environment, depth + 1) : value->second;
        at = close + 1;
    }
    return result + text.substr(std::min(at, text.size()));
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
    return expand(text, environment, 0);
}

}  // namespace ptxguard
