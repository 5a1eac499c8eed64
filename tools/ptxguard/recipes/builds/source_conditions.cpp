// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/source_conditions.hpp"

#include <algorithm>
#include <cstdlib>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

// The number that one of CUDART_VERSION would be: 12 of __CUDACC_VER_MAJOR__ is 12000. 0: another macro.
long factor_of(const std::string& macro) {
    if (is_one_of(macro, {"CUDART_VERSION", "CUDA_VERSION", "CUDNN_VERSION"})) return 1;
    if (macro == "__CUDACC_VER_MAJOR__") return 1000;
    return 0;
}

// #ifndef X_H, and the next directive is #define X_H.
bool is_guard(const std::string& name, const std::string& code, int line) {
    std::size_t at = 0;
    for (int i = 0; i < line && at != npos; ++i) at = code.find('\n', at), at += at != npos;
    const std::size_t sign = at == npos ? npos : code.find('#', at);
    if (sign == npos) return false;
    const std::vector<std::string> words =
        split(code.substr(sign + 1, code.find('\n', sign) - sign - 1), " \t\r");
    return words.size() >= 2 && words[0] == "define" && words[1] == name;
}

std::string without_brackets(std::string text) {
    text = trim(text);
    while (text.size() > 1 && text.front() == '(' && text.find(')') == text.size() - 1)
        text = trim(text.substr(1, text.size() - 2));
    return text;
}

}  // namespace

std::string NameRange::text() const {
    return std::string(of_cudnn ? "cudnn" : "cuda") + " " + std::to_string(from) + " " + std::to_string(to);
}

NameRange NameRange::read(const std::string& text) {
    const std::vector<std::string> words = split(text, " ");
    NameRange range;
    if (words.size() != 3) return range;
    range.of_cudnn = words[0] == "cudnn";
    range.from = std::strtol(words[1].c_str(), nullptr, 10);
    range.to = std::strtol(words[2].c_str(), nullptr, 10);
    return range;
}

SourceConditions::Branch SourceConditions::Branch::without() const {
    Branch other;
    other.open = open;
    other.range.of_cudnn = range.of_cudnn;
    if (never || open) return other;
    if (range.from == 0 && range.to == 0)
        other.never = true;
    else if (range.from == 0)
        other.range.from = range.to;
    else if (range.to == 0)
        other.range.to = range.from;
    else
        other.open = true;
    return other;
}

SourceConditions::Branch SourceConditions::both(const Branch& a, const Branch& b) {
    Branch all;
    all.never = a.never || b.never;
    all.open = !all.never && (a.open || b.open);
    const bool any_a = a.range.from == 0 && a.range.to == 0, any_b = b.range.from == 0 && b.range.to == 0;
    if (!any_a && !any_b && a.range.of_cudnn != b.range.of_cudnn) all.open = true;
    all.range.of_cudnn = any_a ? b.range.of_cudnn : a.range.of_cudnn;
    all.range.from = std::max(a.range.from, b.range.from);
    all.range.to = a.range.to == 0   ? b.range.to
                   : b.range.to == 0 ? a.range.to
                                     : std::min(a.range.to, b.range.to);
    all.never = all.never || (all.range.to != 0 && all.range.from >= all.range.to);
    return all;
}

SourceConditions::Branch SourceConditions::defined(const std::string& name) const {
    Branch branch;
    const bool by_compiler = m_by_nvcc && is_one_of(name, {"__CUDACC__", "__NVCC__"});
    const bool always = by_compiler || name == "__cplusplus" || factor_of(name) > 0;
    branch.open = !always;
    return branch;
}

// CUDART_VERSION >= 12000
SourceConditions::Branch SourceConditions::compared(const std::string& condition) const {
    Branch branch;
    branch.open = true;
    const std::size_t sign = condition.find_first_of("<>=!");
    if (sign == npos) return branch;
    const std::size_t end = condition.find_first_not_of("<>=!", sign);
    if (end == npos) return branch;
    const std::string macro = trim(condition.substr(0, sign)), op = condition.substr(sign, end - sign),
                      number = trim(condition.substr(end));
    const long factor = factor_of(macro);
    if (factor == 0 || !all_digits(number) || number.empty() || number.size() > 6) return branch;
    const long least = std::strtol(number.c_str(), nullptr, 10) * factor, next = least + factor;
    branch.range.of_cudnn = macro == "CUDNN_VERSION";
    branch.open = false;
    if (op == ">=")
        branch.range.from = least;
    else if (op == ">")
        branch.range.from = next;
    else if (op == "<")
        branch.range.to = least;
    else if (op == "<=")
        branch.range.to = next;
    else
        branch.open = true;
    return branch;
}

SourceConditions::Branch SourceConditions::of(const std::string& condition) const {
    const std::string text = without_brackets(condition);
    Branch branch;
    if (text == "1") return branch;
    branch.never = text == "0";
    if (branch.never) return branch;
    branch.open = text.find("||") != npos;
    if (branch.open) return branch;
    if (const std::size_t conjunction = text.find("&&"); conjunction != npos)
        return both(of(text.substr(0, conjunction)), of(text.substr(conjunction + 2)));
    if (starts_with(text, "!")) return of(text.substr(1)).without();
    if (starts_with(text, "defined")) return defined(without_brackets(text.substr(7)));
    return compared(text);
}

void SourceConditions::begin(Branch branch) {
    Block block;
    block.before = branch.without();
    block.now = std::move(branch);
    m_blocks.push_back(std::move(block));
}

void SourceConditions::next(const Branch& own) {
    if (m_blocks.empty()) return;
    Block& block = m_blocks.back();
    block.now = both(block.before, own);
    block.before = both(block.before, own.without());
}

bool SourceConditions::take(const std::string& word, const std::string& rest, const std::string& code,
                            int line) {
    const std::string name = rest.substr(0, rest.find_first_of(" \t\r"));
    if (word == "if")
        begin(of(rest));
    else if (word == "ifdef")
        begin(defined(name));
    else if (word == "ifndef")
        begin(is_guard(name, code, line) ? Branch{} : defined(name).without());
    else if (word == "elif")
        next(of(rest));
    else if (word == "else")
        next(Branch{});
    else if (word == "endif" && !m_blocks.empty())
        m_blocks.pop_back();
    else
        return word == "endif";
    return true;
}

std::optional<NameRange> SourceConditions::range() const {
    Branch all;
    for (const Block& block : m_blocks) all = both(all, block.now);
    return all.open || all.never ? std::nullopt : std::optional(all.range);
}

}  // namespace ptxguard::recipes
