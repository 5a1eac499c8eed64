// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_tokens.hpp"

#include "model/text.hpp"

#include <algorithm>

namespace ptxguard::recipes {
namespace {}  // namespace

void ShellTokens::fail(std::string why, const Limit* limit) {
    if (!m_problem.empty()) return;
    m_problem = std::move(why);
    m_limit = limit;
    m_problem_at = m_token.range.begin;
    m_token = {Token::Kind::end, {m_text.size(), m_text.size()}};
    m_at = m_text.size();
}

void ShellTokens::skip_blanks() {
    while (m_at < m_text.size()) {
        const char c = m_text[m_at];
        if (c == ' ' || c == '\t' || c == '\r')
            ++m_at;
        else if (c == '\\' && m_text.substr(m_at + 1, 1) == "\n")
            m_at += 2;
        else if (c == '\\' && m_text.substr(m_at + 1, 2) == "\r\n")
            m_at += 3;
        else if (c == '#')
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
        else
            return;
    }
}

void ShellTokens::next() {
    skip_blanks();
    const std::size_t begin = m_at;
    if (m_at >= m_text.size()) {
        m_token = {Token::Kind::end, {m_text.size(), m_text.size()}};
        return;
    }
    const char c = m_text[m_at];
    if (c == '\n') {
        ++m_at;
        m_token = {Token::Kind::line_break, {begin, m_at}};
        read_heredocs();
        return;
    }
    if (std::string_view(";&|<>()").find(c) != npos) {
        static constexpr std::string_view ops[] = {";;&", "&>>", "<<<", "<<-", "&&", "||", ";;", ";&", "|&",
                                                   "<<",  ">>",  "<&",  ">&",  "<>", ">|", "&>", "<(", ">("};
        m_at = begin + 1;
        for (const std::string_view op : ops)
            if (m_text.substr(begin, op.size()) == op) {
                m_at = begin + op.size();
                break;
            }
        m_token = {Token::Kind::op, {begin, m_at}};
        return;
    }
    const Limit* reached = nullptr;
    m_at = end_of_word(m_text, begin, reached);
    m_token = {Token::Kind::word, {begin, std::min(m_at, m_text.size())}};
    if (m_at == npos) fail("a quote or bracket that is not closed", reached);
}

void ShellTokens::read_heredocs() {
    std::vector<Pending> pending;
    pending.swap(m_pending);
    for (const Pending& one : pending) {
        Heredoc& doc = m_heredocs[one.index];
        doc.body = {m_at, m_text.size()};
        while (m_at < m_text.size()) {
            const std::size_t line = m_at;
            const std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
            m_at = std::min(end + 1, m_text.size());
            if (one.mark.is_end(m_text.substr(line, end - line))) {
                doc.body.end = line;
                break;
            }
        }
    }
}

}  // namespace ptxguard::recipes
