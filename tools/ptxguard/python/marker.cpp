// A recursive descent parser for "or", "and", parentheses and comparisons.
// SPDX-License-Identifier: Apache-2.0
#include "python/marker.hpp"

#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "model/version.hpp"
#include "python/requirement.hpp"

namespace ptxguard {
namespace {

struct Operand {
    bool is_name = false;
    std::string text;
};

bool compared(const Version& a, const std::string& sign, const Version& b) {
    if (sign == "<") return a < b;
    if (sign == "<=") return a <= b;
    if (sign == ">") return a > b;
    if (sign == ">=") return a >= b;
    if (sign == "!=") return a != b;
    return a == b;
}

// "3.11" for a release with an unknown patch: decided if the first and the last patch agree.
Truth compare_python(const std::string& python, bool full, const std::string& sign, std::string text) {
    const bool any_patch = ends_with(text, ".*");
    if (any_patch) text.resize(text.size() - 2);
    const auto wanted = parse_version(text);
    const auto have = parse_version(python);
    if (!wanted || !have) return Truth::unknown;
    if (any_patch) {
        const bool same = have->major() == wanted->major() &&
                          (wanted->numbers.size() < 2 || have->minor() == wanted->minor());
        return sign == "==" ? truth(same) : sign == "!=" ? truth(!same) : Truth::unknown;
    }
    if (sign == "~=")
        return both(compare_python(python, full, ">=", text), truth(have->major() == wanted->major()));
    if (!full) {
        // python_version has two numbers.
        const auto release = parse_version(have->release());
        return truth(compared(*release, sign, *wanted));
    }
    if (have->numbers.size() > 2) return truth(compared(*have, sign, *wanted));
    const auto last = parse_version(python + ".999");
    const bool early = compared(*have, sign, *wanted), late = compared(*last, sign, *wanted);
    return early == late ? truth(early) : Truth::unknown;
}

// The Python is not known, but the lowest one that is allowed.
Truth compare_lowest(const std::string& lowest, const std::string& sign, const std::string& text) {
    const auto from = parse_version(lowest), wanted = parse_version(text);
    if (!from || !wanted) return Truth::unknown;
    const bool early = compared(*from, sign, *wanted);
    if (sign == ">" || sign == ">=") return early ? Truth::yes : Truth::unknown;
    if (sign == "<" || sign == "<=") return early ? Truth::unknown : Truth::no;
    const bool equality = sign == "==" || sign == "!=";
    return equality && *wanted < *from ? truth(sign == "!=") : Truth::unknown;
}

// "3.8, 3.9"
bool is_listed(std::string_view list, std::string_view word) {
    for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
        const auto separates = [&](std::size_t i) {
            return i >= list.size() || list[i] == ',' || list[i] == ' ';
        };
        if ((at == 0 || separates(at - 1)) && separates(at + word.size())) return true;
    }
    return false;
}

class MarkerReader {
public:
    MarkerReader(std::string_view text, const MarkerEnvironment& place) : m_text(text), m_place(place) {}

    Truth read() {
        const Truth result = alternatives(0);
        skip();
        return m_wrong || m_at < m_text.size() ? Truth::unknown : result;
    }

private:
    static constexpr int k_deepest = 32;

    void skip() {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at]))) ++m_at;
    }
    bool word(std::string_view expected) {
        skip();
        if (m_text.substr(m_at, expected.size()) != expected) return false;
        const std::size_t end = m_at + expected.size();
        if (end < m_text.size() && is_word_character(m_text[end], "_.")) return false;
        m_at = end;
        return true;
    }

    Truth alternatives(int depth) {
        Truth result = conditions(depth);
        while (!m_wrong && word("or")) result = either(result, conditions(depth));
        return result;
    }
    Truth conditions(int depth) {
        Truth result = term(depth);
        while (!m_wrong && word("and")) result = both(result, term(depth));
        return result;
    }
    Truth term(int depth) {
        skip();
        if (m_at < m_text.size() && m_text[m_at] == '(') {
            if (depth >= k_deepest) return wrong();
            ++m_at;
            const Truth inner = alternatives(depth + 1);
            skip();
            if (m_at >= m_text.size() || m_text[m_at] != ')') return wrong();
            ++m_at;
            return inner;
        }
        const auto left = operand();
        const std::string sign = comparison();
        const auto right = operand();
        if (!left || !right || sign.empty()) return wrong();
        return judge(*left, sign, *right);
    }
    Truth wrong() {
        m_wrong = true;
        return Truth::unknown;
    }

    std::optional<Operand> operand() {
        skip();
        if (m_at >= m_text.size()) return std::nullopt;
        const char quote = m_text[m_at];
        if (quote == '"' || quote == '\'') {
            const std::size_t end = m_text.find(quote, m_at + 1);
            if (end == m_text.npos) return std::nullopt;
            Operand result{false, std::string(m_text.substr(m_at + 1, end - m_at - 1))};
            m_at = end + 1;
            return result;
        }
        std::size_t end = m_at;
        while (end < m_text.size() && is_word_character(m_text[end], "_.")) ++end;
        if (end == m_at) return std::nullopt;
        Operand result{true, std::string(m_text.substr(m_at, end - m_at))};
        m_at = end;
        return result;
    }
    std::string comparison() {
        if (word("in")) return "in";
        if (word("not")) return word("in") ? "not in" : "";
        skip();
        std::size_t end = m_at;
        while (end < m_text.size() && std::string_view("<>=!~").find(m_text[end]) != std::string_view::npos)
            ++end;
        std::string sign(m_text.substr(m_at, end - m_at));
        m_at = end;
        return sign;
    }

    Truth judge(Operand left, std::string sign, Operand right) {
        if (!left.is_name && right.is_name && sign != "in" && sign != "not in") {
            std::swap(left, right);
            for (char& c : sign) c = c == '<' ? '>' : c == '>' ? '<' : c;
        }
        if (right.is_name) return named_right(left, sign, right.text);
        if (!left.is_name) return Truth::unknown;
        const std::string& name = left.text;
        if (name == "extra") {
            const auto& extras = m_place.extras;
            const bool asked = contains(extras, canonical_package(right.text));
            return truth(asked == (sign != "!="));
        }
        if (name == "python_version") return judge_python(false, sign, right.text);
        if (name == "python_full_version" || name == "implementation_version")
            return judge_python(true, sign, right.text);
        return compare_text(value_of(name), sign, right.text);
    }

    // `full`: all three numbers of Python's version are compared.
    Truth judge_python(bool full, const std::string& sign, const std::string& text) const {
        if (m_place.python.empty()) return compare_lowest(m_place.python_from, sign, text);
        if (sign == "in" || sign == "not in") return truth(is_listed(text, m_place.python) == (sign == "in"));
        return compare_python(m_place.python, full, sign, text);
    }

    // "x" in extras, 'linux' in sys_platform.
    Truth named_right(const Operand& left, const std::string& sign, const std::string& name) {
        if (left.is_name || (sign != "in" && sign != "not in")) return Truth::unknown;
        if (name == "extras") {
            const auto& extras = m_place.extras;
            const bool asked = contains(extras, canonical_package(left.text));
            return truth(asked == (sign == "in"));
        }
        const std::string value = value_of(name);
        if (value.empty()) return Truth::unknown;
        return truth((value.find(left.text) != std::string::npos) == (sign == "in"));
    }

    static Truth compare_text(const std::string& value, const std::string& sign, const std::string& text) {
        if (value.empty()) return Truth::unknown;
        if (sign == "==" || sign == "===") return truth(value == text);
        if (sign == "!=") return truth(value != text);
        if (sign == "in") return truth(text.find(value) != std::string::npos);
        if (sign == "not in") return truth(text.find(value) == std::string::npos);
        return Truth::unknown;
    }

    std::string value_of(const std::string& name) const {
        struct Words {
            std::string_view sys_platform, os_name, platform_system;
        };
        constexpr Words k_systems[] = {{"linux", "posix", "Linux"},
                                       {"win32", "nt", "Windows"},
                                       {"darwin", "posix", "Darwin"},
                                       {"", "", ""}};
        const std::string_view sys_platform = m_place.system;
        const Words* known =
            first_where(k_systems, [&](const Words& one) { return one.sys_platform == sys_platform; });
        const Words system = known ? *known : Words{sys_platform, "posix", ""};
        const std::pair<std::string_view, std::string_view> values[] = {
            {"sys_platform", sys_platform},
            {"sys.platform", sys_platform},
            {"platform_machine", m_place.machine},
            {"platform.machine", m_place.machine},
            {"platform_python_implementation", "CPython"},
            {"platform.python_implementation", "CPython"},
            {"implementation_name", "cpython"},
            {"os_name", system.os_name},
            {"os.name", system.os_name},
            {"platform_system", system.platform_system}};
        const auto* value = first_where(values, [&](const auto& one) { return one.first == name; });
        return value ? std::string(value->second) : std::string();
    }

    std::string_view m_text;
    const MarkerEnvironment& m_place;
    std::size_t m_at = 0;
    bool m_wrong = false;
};

}  // namespace

MarkerEnvironment usual(MarkerEnvironment environment) {
    if (environment.system.empty()) environment.system = "linux";
    if (environment.machine.empty())
        environment.machine = environment.system == "win32"    ? "AMD64"
                              : environment.system == "darwin" ? "arm64"
                                                               : "x86_64";
    return environment;
}

Truth holds(std::string_view marker, const MarkerEnvironment& place) {
    marker = trimmed(marker);
    if (marker.empty()) return Truth::yes;
    return MarkerReader(marker, place).read();
}

}  // namespace ptxguard
