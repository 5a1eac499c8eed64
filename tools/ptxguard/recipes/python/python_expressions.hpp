// The value of a Python expression, as far as it follows from the text. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recipes/python/python_code.hpp"
#include "recipes/python/python_values.hpp"

namespace ptxguard::recipes {

// subprocess.run(["nvcc", x], cwd="src")
struct PythonCall {
    std::string path;  // "subprocess.run"; empty = what is called has no name
    std::vector<PythonValue> given;
    std::vector<std::pair<std::string, PythonValue>> named;
    Written at;
    Written last = {};        // name of the path
    PythonValue object = {};  // whose method it is

    const PythonValue* argument(const std::string& name) const {
        for (const auto& [key, value] : named)
            if (key == name) return &value;
        return nullptr;
    }
};

// What surrounds the expression.
struct PythonScope {
    std::string file;
    std::function<PythonValue(const std::string& path)> variable;  // "CUDA", "args.cuda"
    std::function<PythonValue(const PythonCall& call)> call;
    std::function<bool(const Written& at)> spend;  // false: the run may not take more steps
    std::function<bool(const Written& at, std::size_t depth)> is_too_deep;
    bool only_certain = false;  // what a condition chooses that is not known is not known
};

class PythonExpression {
public:
    PythonExpression(const std::vector<PythonToken>& tokens, std::size_t begin, std::size_t end,
                     const PythonScope& scope, std::size_t depth = 0)
        : m_tokens(tokens), m_at(begin), m_end(end), m_scope(scope), m_depth(depth) {}

    // "a, b" is a list.
    PythonValue value();
    // The first token behind it.
    std::size_t at() const { return m_at; }

private:
    using Bound = std::vector<std::pair<std::string, PythonValue>>;  // by comprehensions

    bool here(std::string_view text) const { return m_at < m_end && m_tokens[m_at].is(text); }
    bool take(std::string_view text);
    Written place() const;

    PythonValue ternary();
    PythonValue any();
    PythonValue all();
    PythonValue negated();
    PythonValue comparison();
    PythonValue sum();
    PythonValue product();
    PythonValue postfix();
    PythonValue atom(std::string& path);
    PythonValue text();
    std::string formatted(const PythonToken& token, PythonValue& whole);
    PythonValue bracketed(std::string_view close, PythonValue::Kind kind, bool& single);
    PythonValue comprehension(std::size_t begin, std::string_view close);
    PythonValue subscript(const PythonValue& value);
    PythonValue called(const PythonValue& value, std::string path);
    void skip_to(std::string_view close);
    PythonValue named(const std::string& path) const;

    const std::vector<PythonToken>& m_tokens;
    std::size_t m_at, m_end;
    const PythonScope& m_scope;
    std::size_t m_depth;
    Bound m_bound = {};
};

}  // namespace ptxguard::recipes
