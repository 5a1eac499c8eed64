// The words, operators and line breaks of a shell text, in order. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "model/ranges.hpp"
#include "recipes/shell/shell_syntax.hpp"

namespace ptxguard::recipes {

struct ShellToken {
    enum class Kind { word, op, line_break, end } kind = Kind::end;
    Range range;
};

class ShellTokens {
protected:
    using Token = ShellToken;

    explicit ShellTokens(std::string_view text) : m_text(text) { next(); }

    void next();
    void fail(std::string why, const Limit* limit = nullptr);  // stops reading
    std::string text_of_token() const { return std::string(m_token.range.of(m_text).substr(0, 40)); }
    using Texts = std::initializer_list<std::string_view>;
    bool is_op(Texts ops) const {
        return m_token.kind == Token::Kind::op && contains(ops, m_token.range.of(m_text));
    }
    bool is_op(std::string_view op) const { return is_op(Texts{op}); }
    bool is_word(Texts words) const {
        return m_token.kind == Token::Kind::word && contains(words, m_token.range.of(m_text));
    }
    bool is_word(std::string_view word) const { return is_word(Texts{word}); }

    struct Pending {
        HeredocMark mark;
        std::size_t index = 0;  // in m_heredocs
    };

    std::string_view m_text;
    std::size_t m_at = 0, m_problem_at = 0;
    Token m_token;
    std::string m_problem;
    const Limit* m_limit = nullptr;
    std::vector<Pending> m_pending;
    std::vector<Heredoc> m_heredocs;

private:
    void skip_blanks();    // also line continuations and comments
    void read_heredocs();  // the bodies of the here-documents of the line that just ended
};

}  // namespace ptxguard::recipes
