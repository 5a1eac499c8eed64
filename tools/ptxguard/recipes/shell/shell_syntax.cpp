// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell_syntax.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/shell/shell_tokens.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_command{40, "compound commands in each other", "the text from here"};
constexpr Limit k_most_commands{50000, "commands of one text", "later ones"};

class Parser : ShellTokens {
public:
    explicit Parser(std::string_view text) : ShellTokens(text) {}

    ShellSyntax parse() {
        ShellSyntax syntax;
        syntax.list = list(0);
        if (m_problem.empty() && m_token.kind != Token::Kind::end)
            fail("unexpected '" + text_of_token() + "'");
        syntax.heredocs = std::move(m_heredocs);
        syntax.problem = m_problem;
        syntax.problem_at = m_problem_at;
        syntax.limit = m_limit;
        return syntax;
    }

private:
    using Kind = ShellNode::Kind;

    bool exceeds(const Limit& limit, std::size_t count) {
        return limit.is_exceeded(count, [&](const Limit& reached) { fail(reached.why(), &reached); });
    }

    void skip_line_breaks() {
        while (m_token.kind == Token::Kind::line_break || is_op(";")) next();
    }

    // Words that end a list: they are not commands.
    bool ends_list() const {
        return m_token.kind == Token::Kind::end || is_op({")", ";;", ";&", ";;&"}) ||
               is_word({"then", "elif", "else", "fi", "do", "done", "esac", "}"});
    }

    ShellNode list(std::size_t depth) {
        ShellNode all;
        all.kind = Kind::list;
        if (exceeds(k_deepest_command, depth)) return all;
        static constexpr std::pair<std::string_view, Joined> k_joins[] = {{"&&", Joined::if_succeeds},
                                                                          {"||", Joined::if_fails},
                                                                          {"|", Joined::piped},
                                                                          {"|&", Joined::piped}};
        Joined joined = Joined::after;
        while (true) {
            while (m_token.kind == Token::Kind::line_break || is_op({";", "&"})) next();
            if (ends_list()) return all;
            const std::size_t before = m_token.range.begin;
            ShellNode one = command(depth);
            one.joined = joined;
            const bool cut = !m_problem.empty() && one.kind == Kind::simple;
            if (!cut) all.children.push_back(std::move(one));
            exceeds(k_most_commands, ++m_commands);
            const auto* join = first_where(k_joins, [&](const auto& row) { return is_op(row.first); });
            joined = join ? join->second : Joined::after;
            if (join)
                next();
            else if (m_token.kind == Token::Kind::op && !is_op({";", "&"}) && !ends_list() &&
                     m_token.range.begin == before)
                fail("unexpected '" + text_of_token() + "'");
        }
    }

    void expect(std::string_view word) {
        if (is_word(word))
            next();
        else
            fail("'" + std::string(word) + "' is missing");
    }

    // Before a compound command it is a word of the shell; elsewhere a program, with options.
    bool times_compound() const {
        if (!is_word("time")) return false;
        std::string_view rest = m_text.substr(m_at);
        const auto skip = [&](std::string_view word) {
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
            if (!starts_with(rest, word) || word.empty()) return false;
            rest.remove_prefix(word.size());
            return true;
        };
        skip("-p ");
        skip("");
        if (!rest.empty() && rest[0] == '(') return true;
        const std::string_view word = rest.substr(0, rest.find_first_of(" \t\n;"));
        for (const char* one : {"{", "if", "for", "while", "until", "case"})
            if (word == one) return true;
        return false;
    }

    ShellNode command(std::size_t depth) {
        const bool negated = is_word("!");
        if (negated) next();
        if (times_compound()) {
            next();
            if (is_word("-p")) next();
        }
        static constexpr std::pair<std::string_view, ShellNode (Parser::*)(std::size_t)> k_compound[] = {
            {"if", &Parser::condition},
            {"for", &Parser::for_loop},
            {"select", &Parser::for_loop},
            {"while", &Parser::while_loop},
            {"until", &Parser::while_loop},
            {"case", &Parser::choice},
            {"function", &Parser::named_function},
            {"{", &Parser::group}};
        const auto* compound = first_where(k_compound, [&](const auto& row) { return is_word(row.first); });
        ShellNode node = compound     ? (this->*compound->second)(depth)
                         : is_op("(") ? subshell(depth)
                                      : simple(depth);
        if (negated) node.negated = true;
        if (node.kind == Kind::simple) return node;
        ShellNode redirected;
        while (redirection(redirected)) {
        }
        node.outputs = std::move(redirected.outputs);
        node.inputs = std::move(redirected.inputs);
        node.heredocs = std::move(redirected.heredocs);
        node.here_strings = std::move(redirected.here_strings);
        return node;
    }

    ShellNode condition(std::size_t depth) {
        ShellNode node;
        node.kind = Kind::condition;
        do {
            next();  // if, elif
            node.children.push_back(list(depth + 1));
            expect("then");
            node.children.push_back(list(depth + 1));
        } while (is_word("elif"));
        if (is_word("else")) {
            next();
            node.children.push_back(list(depth + 1));
        }
        expect("fi");
        return node;
    }

    void do_body(ShellNode& node, std::size_t depth) {
        skip_line_breaks();
        expect("do");
        node.children.push_back(list(depth + 1));
        expect("done");
    }

    ShellNode for_loop(std::size_t depth) {
        ShellNode node;
        node.kind = Kind::for_loop;
        next();
        if (is_op("(")) {  // for ((i = 0; i < 3; i++))
            skip_parentheses();
        } else {
            if (m_token.kind == Token::Kind::word) node.words.push_back(m_token.range);
            next();
            while (m_token.kind == Token::Kind::line_break) next();
            if (is_word("in")) {
                next();
                for (; m_token.kind == Token::Kind::word; next()) node.words.push_back(m_token.range);
            }
        }
        do_body(node, depth);
        return node;
    }

    ShellNode while_loop(std::size_t depth) {
        ShellNode node;
        node.kind = Kind::while_loop;
        node.negated = is_word("until");
        next();
        node.children.push_back(list(depth + 1));
        do_body(node, depth);
        return node;
    }

    ShellNode choice(std::size_t depth) {
        ShellNode node;
        node.kind = Kind::choice;
        next();
        if (m_token.kind == Token::Kind::word) node.words.push_back(m_token.range);
        next();
        skip_line_breaks();
        expect("in");
        while (m_problem.empty()) {
            skip_line_breaks();
            if (is_word("esac") || m_token.kind == Token::Kind::end) break;
            if (is_op("(")) next();
            std::vector<Range> patterns;
            for (; m_token.kind == Token::Kind::word || is_op("|"); next())
                if (m_token.kind == Token::Kind::word) patterns.push_back(m_token.range);
            if (!is_op(")")) fail("')' is missing behind a pattern of case");
            next();
            node.patterns.push_back(std::move(patterns));
            node.children.push_back(list(depth + 1));
            if (is_op({";;", ";&", ";;&"})) next();
        }
        expect("esac");
        return node;
    }

    ShellNode group(std::size_t depth) {
        next();
        ShellNode node = list(depth + 1);
        expect("}");
        return node;
    }

    void skip_parentheses() {
        int level = 0;
        do {
            if (is_op("(")) ++level;
            if (is_op(")")) --level;
            next();
        } while (level > 0 && m_token.kind != Token::Kind::end);
    }

    ShellNode subshell(std::size_t depth) {
        if (m_text.substr(m_token.range.end, 1) == "(") {  // ((i++))
            ShellNode node;
            const Limit* reached = nullptr;
            const std::size_t begin = m_token.range.begin;
            const std::size_t end = end_of_parentheses(m_text, begin, reached);
            if (end != npos) node.words.push_back({begin, end});
            skip_parentheses();
            return node;
        }
        next();
        ShellNode node = list(depth + 1);
        node.kind = Kind::subshell;
        if (is_op(")"))
            next();
        else
            fail("')' is missing");
        return node;
    }

    ShellNode function_body(Range name, std::size_t depth) {
        ShellNode node;
        node.kind = Kind::function;
        node.words.push_back(name);
        skip_line_breaks();
        if (!exceeds(k_deepest_command, depth)) node.children.push_back(command(depth + 1));
        return node;
    }

    ShellNode named_function(std::size_t depth) {
        next();
        const Range name = m_token.range;
        next();
        if (is_op("(")) {
            next();
            next();
        }
        return function_body(name, depth);
    }

    // <(COMMAND)
    bool process(std::vector<Range>& into) {
        const Limit* reached = nullptr;
        const std::size_t end = end_of_parentheses(m_text, m_token.range.begin + 1, reached);
        if (end == npos) {
            fail("a bracket that is not closed", reached);
            return false;
        }
        into.push_back({m_token.range.begin, end});
        m_at = end;
        next();
        return true;
    }

    bool redirection(ShellNode& node) {
        if (is_op({"<(", ">("})) return process(node.words);
        const std::string_view op = m_token.range.of(m_text);
        if (m_token.kind != Token::Kind::op || op.find_first_of("<>") == npos) return false;
        next();
        if (op == "<" && is_op("<(")) return process(node.inputs);
        if (m_token.kind != Token::Kind::word) return m_problem.empty();
        node.to_errors = node.to_errors || (op == ">&" && m_token.range.of(m_text) == "2");
        if (op == "<<" || op == "<<-") {
            Pending one{{m_token.range.of(m_text), op == "<<-"}, m_heredocs.size()};
            node.heredocs.push_back(one.index);
            m_heredocs.push_back({{m_text.size(), m_text.size()}, one.mark.expands});
            m_pending.push_back(std::move(one));
        } else if (contains(Texts{">", ">>", ">|", "&>", "&>>"}, op)) {
            node.outputs.push_back({m_token.range, op == ">>" || op == "&>>"});
        } else if (op == "<<<") {
            node.here_strings.push_back(m_token.range);
        } else if (op == "<") {
            node.inputs.push_back(m_token.range);
        }
        next();
        return true;
    }

    // `[[ a && b ]]`: operators in it belong to the test.
    void double_brackets(ShellNode& node) {
        while (m_token.kind == Token::Kind::word || m_token.kind == Token::Kind::op ||
               m_token.kind == Token::Kind::line_break) {
            const bool last = is_word("]]");
            if (m_token.kind != Token::Kind::line_break) node.words.push_back(m_token.range);
            next();
            if (last) return;
        }
    }

    ShellNode simple(std::size_t depth) {
        ShellNode node;
        if (is_word("[[")) {
            double_brackets(node);
            return node;
        }
        while (true) {
            if (m_token.kind == Token::Kind::word) {
                const Range word = m_token.range;
                // "2" of "2>&1"
                const bool number = word.of(m_text).find_first_not_of("0123456789") == npos;
                next();
                const bool redirects = number && m_token.kind == Token::Kind::op &&
                                       m_token.range.begin == word.end &&
                                       m_token.range.of(m_text).find_first_of("<>") != npos;
                if (!redirects) node.words.push_back(word);
                if (node.words.size() == 1 && is_op("(") && !redirects) {
                    next();
                    if (!is_op(")")) {
                        fail("unexpected '('");
                        return node;
                    }
                    next();
                    return function_body(word, depth);
                }
            } else if (!redirection(node)) {
                break;
            }
        }
        return node;
    }

    std::size_t m_commands = 0;
};

}  // namespace

ShellSyntax parse_shell(std::string_view text) { return Parser(text).parse(); }

}  // namespace ptxguard::recipes
