// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_values.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "model/ranges.hpp"
#include "model/version.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {
namespace {

using Kind = PythonValue::Kind;
using Values = std::vector<PythonValue>;

constexpr std::size_t k_bytes_of_value = 1u << 16, k_weight_of_value = 1024;  // larger ones are open

std::optional<long> integer_of(const PythonValue& value) {
    const std::string& text = value.text.text;
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return value.kind == Kind::number && whole ? std::optional(number) : std::nullopt;
}

// The place of the first; fixed if both are.
PythonValue made_text(std::string text, const PythonValue& from, bool fixed) {
    Written written = from.text;
    written.known = true;
    written.fixed = fixed;
    written.text = text.size() > k_bytes_of_value ? std::string(k_open_part) : std::move(text);
    return PythonValue::of_text(std::move(written));
}

bool same(const PythonValue& a, const PythonValue& b) {
    if (a.is_list() != b.is_list()) return false;
    if (!a.is_list()) return a.kind == b.kind && a.text.text == b.text.text;
    return a.items.size() == b.items.size() &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(), same);
}

bool is_whole(const PythonValue& value) {
    return value.is_list() ? all_of(value.items, is_whole) : value.is_known() && value.text.known;
}

// "11.8", 11.8, (11, 8), 118 and 11080.
std::optional<Version> release_of(const PythonValue& value) {
    if (!value.is_list()) {
        const auto number = value.kind == Kind::number ? integer_of(value) : std::nullopt;
        if (number && *number >= 1000)
            return parse_version(std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10));
        if (number && *number >= 100)
            return parse_version(std::to_string(*number / 10) + "." + std::to_string(*number % 10));
        return parse_version(value.text.text);
    }
    std::string text;
    for (const PythonValue& item : value.items) text += (text.empty() ? "" : ".") + item.text.text;
    return parse_version(text);
}

std::optional<double> real_of(const PythonValue& value) {
    const std::string& text = value.text.text;
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    return value.kind == Kind::number && !text.empty() && *end == 0 ? std::optional(number) : std::nullopt;
}

// -1, 0, 1 for numbers, releases, and lists of numbers.
std::optional<int> ordered(const PythonValue& a, const PythonValue& b) {
    if (a.is_list() && b.is_list()) {
        for (std::size_t i = 0; i < std::min(a.items.size(), b.items.size()); ++i) {
            const auto one = ordered(a.items[i], b.items[i]);
            if (!one || *one != 0) return one;
        }
        return a.items.size() < b.items.size() ? -1 : a.items.size() > b.items.size();
    }
    if (a.is_text() || b.is_text()) {  // a release, and how it is written elsewhere
        const auto x = release_of(a), y = release_of(b);
        return x && y ? std::optional(compare(*x, *y)) : std::nullopt;
    }
    const auto x = real_of(a), y = real_of(b);
    if (!x || !y) return std::nullopt;
    return *x < *y ? -1 : *x > *y;
}

Truth holds_item(const PythonValue& all, const PythonValue& one) {
    if (!one.is_known()) return Truth::unknown;
    if (all.is_text())
        return all.is_known() ? truth(all.text.text.find(one.text.text) != npos) : Truth::unknown;
    if (all.kind != Kind::list && all.kind != Kind::table) return Truth::unknown;
    const std::size_t step = all.kind == Kind::table ? 2 : 1;
    Truth found = Truth::no;
    for (std::size_t i = 0; i < all.items.size(); i += step) {
        if (!is_whole(all.items[i])) found = Truth::unknown;
        if (same(all.items[i], one)) return Truth::yes;
    }
    return found;
}

const PythonValue* entry_of(const PythonValue& table, const PythonValue& key) {
    for (std::size_t i = 0; i + 1 < table.items.size(); i += 2)
        if (same(table.items[i], key)) return &table.items[i + 1];
    return nullptr;
}

// "{}", "{0}", "{name}", "{:02d}": a format is not applied.
std::string filled(const std::string& pattern, const Values& given,
                   const std::vector<std::pair<std::string, PythonValue>>& named) {
    std::string text;
    std::size_t next = 0;
    for (std::size_t i = 0; i < pattern.size() && text.size() <= k_bytes_of_value; ++i) {
        const char c = pattern[i];
        if ((c == '{' || c == '}') && pattern.substr(i + 1, 1) == std::string(1, c)) {
            text += c, ++i;
            continue;
        }
        if (c != '{') {
            text += c;
            continue;
        }
        const std::size_t close = std::min(pattern.find('}', i), pattern.size());
        const std::string field = pattern.substr(i + 1, close - i - 1);
        const PythonValue* value = nullptr;
        if (field.empty() && next < given.size()) value = &given[next++];
        if (all_digits(field) && field.size() < 4 && std::stoul(field) < given.size())
            value = &given[std::stoul(field)];
        for (const auto& [name, one] : named)
            if (name == field) value = &one;
        text += value ? text_in(*value) : std::string(k_open_part);
        i = close;
    }
    return text;
}

PythonValue list_like(const PythonValue& from, Values items) {
    return PythonValue::of_items(Kind::list, from.text, std::move(items));
}

// A method of a string, and what it is given.
struct TextMethod {
    const PythonValue& value;
    const std::string& name;
    const Values& given;

    const std::string& text() const { return value.text.text; }
    std::string argument(std::size_t i) const {
        return i < given.size() ? given[i].text.text : std::string();
    }
    PythonValue made(std::string result) const {
        return made_text(std::move(result), value, is_fixed(value) && all_of(given, is_fixed));
    }
};

PythonValue joined_items(const TextMethod& method) {
    if (!method.given[0].is_list()) return PythonValue{};
    std::string all;
    for (const PythonValue& one : method.given[0].items) {
        if (all.size() > k_bytes_of_value) break;
        all += (&one == &method.given[0].items.front() ? "" : method.text()) + text_in(one);
    }
    return method.made(std::move(all));
}

PythonValue with_replacement(const TextMethod& method) {
    const std::string from = method.argument(0), to = method.argument(1);
    const std::size_t longest = (method.text().size() / from.size() + 1) * to.size();
    return longest > 16 * k_bytes_of_value ? PythonValue{}
                                           : method.made(replace_all(method.text(), from, to));
}

PythonValue split_text(const TextMethod& method) {
    const std::string by = method.argument(0), &text = method.text();
    if (!method.given.empty() && by.empty()) return PythonValue{};
    Values parts;
    if (method.given.empty())
        for (std::string& one : split(text, " \t\n\r")) parts.push_back(method.made(std::move(one)));
    for (std::size_t at = 0; !by.empty() && at != npos;) {
        const std::size_t end = text.find(by, at);
        parts.push_back(method.made(text.substr(at, end == npos ? npos : end - at)));
        at = end == npos ? npos : end + by.size();
    }
    return list_like(method.value, std::move(parts));
}

// lower, upper, strip
std::optional<std::string> plainly_changed(const std::string& name, const std::string& text) {
    if (name == "lower") return lower(text);
    if (name == "upper") return upper(text);
    if (name == "strip") return trim(text);
    return std::nullopt;
}

PythonValue without_affix(const TextMethod& method) {
    const std::string &text = method.text(), affix = method.argument(0);
    if (method.name == "removeprefix" && starts_with(text, affix))
        return method.made(text.substr(affix.size()));
    if (method.name == "removesuffix" && ends_with(text, affix))
        return method.made(text.substr(0, text.size() - affix.size()));
    return method.value;
}

std::optional<PythonValue> method_of_text(const PythonValue& value, const std::string& name,
                                          const Values& given) {
    const TextMethod method{value, name, given};
    if (name == "join" && given.size() == 1) return joined_items(method);
    if (!value.is_known() || !all_of(given, is_whole)) return PythonValue{};
    if (name == "replace" && given.size() == 2 && !method.argument(0).empty())
        return with_replacement(method);
    if (auto changed = plainly_changed(name, method.text()))
        return given.empty() ? method.made(std::move(*changed)) : PythonValue{};
    if (name == "startswith" || name == "endswith")
        return PythonValue::of_truth(method.made("").text,
                                     name == "endswith" ? ends_with(method.text(), method.argument(0))
                                                        : starts_with(method.text(), method.argument(0)));
    if (name == "split") return split_text(method);
    if (is_one_of(name, {"removeprefix", "removesuffix", "decode", "read"})) return without_affix(method);
    return std::nullopt;
}

std::optional<PythonValue> method_of_table(const PythonValue& value, const std::string& name,
                                           const Values& given) {
    if (name == "get" && !given.empty()) {
        if (const PythonValue* found = entry_of(value, given[0])) return *found;
        return given.size() > 1 && is_whole(given[0]) ? given[1] : PythonValue{};
    }
    if (name != "items" && name != "keys" && name != "values") return std::nullopt;
    Values all;
    for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        if (name == "items")
            all.push_back(list_like(value, {value.items[i], value.items[i + 1]}));
        else
            all.push_back(value.items[name == "keys" ? i : i + 1]);
    }
    return list_like(value, std::move(all));
}

}  // namespace

PythonValue PythonValue::of_items(Kind kind, Written at, std::vector<PythonValue> items) {
    PythonValue value{kind, std::move(at), std::move(items)};
    for (const PythonValue& item : value.items) value.weight += item.weight;
    return value.weight > k_weight_of_value ? PythonValue{} : value;
}

void PythonValue::add(PythonValue item) {
    weight += item.weight;
    items.push_back(std::move(item));
    if (weight > k_weight_of_value) *this = {};
}

std::string text_in(const PythonValue& value) {
    // None stands for what code that is not followed sets: exec(open("version.py").read()).
    const bool none = value.kind == Kind::number && value.text.text == "None";
    const bool scalar = value.kind == Kind::text || value.kind == Kind::number;
    return scalar && !none && value.text.known ? value.text.text : std::string(k_open_part);
}

Truth truth_of(const PythonValue& value) {
    switch (value.kind) {
        case Kind::text: return is_whole(value) ? truth(!value.text.text.empty()) : Truth::unknown;
        case Kind::number:
            if (!value.text.known) return Truth::unknown;
            return truth(value.text.text != "False" && value.text.text != "None" && value.text.text != "0");
        case Kind::list:
        case Kind::table: return truth(!value.items.empty());
        default: return Truth::unknown;
    }
}

bool is_fixed(const PythonValue& value) { return value.text.fixed && all_of(value.items, is_fixed); }

PythonValue opened(PythonValue value) {
    value.text.fixed = false;
    for (PythonValue& item : value.items) item = opened(std::move(item));
    return value;
}

PythonValue unknown(PythonValue value) {
    value.text.known = false;
    for (PythonValue& item : value.items) item = unknown(std::move(item));
    return value;
}

PythonValue sum_of(const PythonValue& left, const PythonValue& right) {
    if (left.is_list() && right.is_list()) {
        Values all = left.items;
        append(all, right.items);
        return list_like(left, std::move(all));
    }
    const bool fixed = is_fixed(left) && is_fixed(right);
    if (left.is_text() || right.is_text()) {
        if ((!left.is_text() && left.kind != Kind::open) || (!right.is_text() && right.kind != Kind::open))
            return {};
        return made_text(text_in(left) + text_in(right), left.is_text() ? left : right, fixed);
    }
    const auto a = integer_of(left), b = integer_of(right);
    if (!a || !b || std::abs(*a) > 1000000 || std::abs(*b) > 1000000) return {};
    Written at = left.text;
    at.fixed = fixed;
    return PythonValue::of_number(at, std::to_string(*a + *b));
}

PythonValue formatted_by_percent(const PythonValue& left, const PythonValue& right) {
    if (!left.is_text()) return {};
    const Values given = right.is_list() ? right.items : Values{right};
    std::string text;
    std::size_t next = 0;
    const std::string& pattern = left.text.text;
    for (std::size_t i = 0; i < pattern.size() && text.size() <= k_bytes_of_value; ++i) {
        if (pattern[i] != '%' || i + 1 == pattern.size()) {
            text += pattern[i];
        } else if (pattern[++i] == '%') {
            text += '%';
        } else {
            const bool simple = pattern[i] == 's' || pattern[i] == 'd';
            text += simple && next < given.size() ? text_in(given[next]) : std::string(k_open_part);
            ++next;
            if (!simple) i = std::min(pattern.find_first_of("sdrif", i), pattern.size());
        }
    }
    return made_text(std::move(text), left, is_fixed(left) && is_fixed(right));
}

PythonValue compared(const PythonValue& left, std::string_view sign, const PythonValue& right) {
    Written at = left.text;
    at.known = true;
    at.fixed = is_fixed(left) && is_fixed(right);
    const auto result = [&](Truth value) {
        return value == Truth::unknown ? PythonValue{} : PythonValue::of_truth(at, value == Truth::yes);
    };
    if (is_one_of(sign, {"in", "not in"})) {
        const Truth found = holds_item(right, left);
        return result(sign == "in" ? found : opposite(found));
    }
    if (!is_whole(left) || !is_whole(right)) return {};
    const auto alike = left.kind == right.kind ? std::nullopt : ordered(left, right);
    const bool equal = alike ? *alike == 0 : same(left, right);
    if (is_one_of(sign, {"==", "is"})) return result(truth(equal));
    if (is_one_of(sign, {"!=", "is not"})) return result(truth(!equal));
    const auto order = ordered(left, right);
    if (!order) return {};
    if (sign == "<") return result(truth(*order < 0));
    if (sign == ">") return result(truth(*order > 0));
    return result(truth(sign == "<=" ? *order <= 0 : *order >= 0));
}

const PythonValue* unpacked(const PythonValue& item, std::size_t name, std::size_t names) {
    if (names == 1) return &item;
    return item.is_list() && name < item.items.size() ? &item.items[name] : nullptr;
}

PythonValue item_of(const PythonValue& value, const PythonValue& index) {
    if (value.kind == Kind::table) {
        const PythonValue* found = entry_of(value, index);
        if (!found) return {};
        return is_fixed(index) ? *found : opened(*found);
    }
    const auto number = integer_of(index);
    if (!number) return {};
    const auto size = static_cast<long>(value.is_list() ? value.items.size() : value.text.text.size());
    const long at = *number < 0 ? size + *number : *number;
    if (at < 0 || at >= size) return {};
    const auto place = static_cast<std::size_t>(at);
    if (value.is_list()) return value.items[place];
    return value.is_text() && value.is_known()
               ? made_text(value.text.text.substr(place, 1), value, is_fixed(value))
               : PythonValue{};
}

PythonValue slice_of(const PythonValue& value, const PythonValue* begin, const PythonValue* end) {
    const bool is_text = value.is_text() && value.is_known();
    if (!value.is_list() && !is_text) return {};
    const auto size = static_cast<long>(value.is_list() ? value.items.size() : value.text.text.size());
    const auto bound = [&](const PythonValue* one, long none) {
        const auto number = one ? integer_of(*one) : std::optional(none);
        return number ? std::optional(std::clamp(*number < 0 ? size + *number : *number, 0L, size))
                      : std::nullopt;
    };
    const auto from = bound(begin, 0), to = bound(end, size);
    if (!from || !to) return {};
    const auto first = static_cast<std::size_t>(*from), last = static_cast<std::size_t>(std::max(*from, *to));
    if (is_text) return made_text(value.text.text.substr(first, last - first), value, is_fixed(value));
    return list_like(value, {value.items.begin() + *from, value.items.begin() + static_cast<long>(last)});
}

std::optional<PythonValue> method_of(const PythonValue& value, const std::string& name, const Values& given,
                                     const std::vector<std::pair<std::string, PythonValue>>& named) {
    if (value.kind == Kind::table) return method_of_table(value, name, given);
    if (!value.is_text()) return std::nullopt;
    if (name != "format") return method_of_text(value, name, given);
    const bool fixed = is_fixed(value) && all_of(given, is_fixed) &&
                       all_of(named, [](const auto& one) { return is_fixed(one.second); });
    return made_text(filled(value.text.text, given, named), value, fixed);
}

}  // namespace ptxguard::recipes
