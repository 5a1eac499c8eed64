// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_follower.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "model/ranges.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/python/python_commands.hpp"

namespace ptxguard::recipes {
namespace {

constexpr Limit k_deepest_python{200, "brackets, blocks and calls in each other in Python code",
                                 "deeper ones"};
constexpr Limit k_python_rounds{64, "rounds of a loop in Python code", "later rounds"};

}  // namespace

PythonFollower::PythonFollower(std::string file, std::string_view text, int lines_before)
    : m_file(std::move(file)) {
    std::vector<PythonLine> lines = python_lines(text);
    for (PythonLine& one : lines)
        for (PythonToken& token : one.tokens) token.at.line += lines_before;
    m_lines = std::make_shared<const std::vector<PythonLine>>(std::move(lines));
    m_globals["__name__"] = PythonValue::of_word("__main__");
    m_globals["sys.executable"] = PythonValue::of_word("python");
}

void PythonFollower::begin(Shell& shell) {
    m_shell = &shell;
    m_steps.clear();
    m_certain = true;
    m_exited = false;
    m_printed = at();
    m_scope.file = m_file;
    m_scope.variable = [this](const std::string& path) { return variable(path); };
    m_scope.call = [this](const PythonCall& call) { return called(call); };
    m_scope.spend = [this](const Written& at) { return m_shell->files.budget().spend_at(at, 1); };
    m_scope.is_too_deep = [this](const Written& at, std::size_t depth) {
        return m_shell->problems.exceeds(k_deepest_python, depth + 10 * m_results.size(), at);
    };
}

std::vector<Step> PythonFollower::follow(Shell& shell) {
    begin(shell);
    walk(0, m_lines->size(), true);
    return std::move(m_steps);
}

std::vector<Step> PythonFollower::follow_function(const std::string& name, const Arguments& given,
                                                  Shell& shell) {
    begin(shell);
    PythonCall call;
    for (const auto& [key, value] : given) call.named.emplace_back(key, value);
    call_function(name, call, false);
    return std::move(m_steps);
}

// The names that are called in the lines [begin, end).
std::set<std::string> PythonFollower::called_in(std::size_t begin, std::size_t end) const {
    std::set<std::string> names;
    for (std::size_t i = begin; i < end; ++i) {
        const std::vector<PythonToken>& tokens = line(i).tokens;
        for (std::size_t k = 0; k + 1 < tokens.size(); ++k)
            if (tokens[k].is_name() && tokens[k + 1].is("(") && (k == 0 || !tokens[k - 1].is("def")))
                names.insert(tokens[k].text);
    }
    return names;
}

std::vector<std::string> PythonFollower::uncalled() const {
    const std::set<std::string> called = called_in(0, m_lines->size());
    std::map<std::string, std::vector<std::string>> callers;
    std::vector<std::string> open;
    for (const auto& [name, function] : m_functions)
        for (const std::string& other : called_in(function.line, function.end)) {
            callers[other].push_back(name);
            if (may_run_command(other)) open.push_back(name);
        }
    std::set<std::string> running;
    while (!open.empty()) {
        const std::string name = std::move(open.back());
        open.pop_back();
        if (!running.insert(name).second) continue;
        const std::vector<std::string>& more = callers[name];
        append(open, more);
    }
    std::vector<std::string> names;
    for (const std::string& name : running)
        if (called.count(name) == 0) names.push_back(name);
    return names;
}

std::size_t PythonFollower::end_of_block(std::size_t i, std::size_t end) const {
    std::size_t next = i + 1;
    while (next < end && line(next).indentation > line(i).indentation) ++next;
    return next;
}

int PythonFollower::nesting_of(const PythonToken& token) {
    if (token.is("(") || token.is("[") || token.is("{")) return 1;
    return token.is(")") || token.is("]") || token.is("}") ? -1 : 0;
}

// The sign outside of brackets; the number of tokens if there is none.
std::size_t PythonFollower::sign_in(const PythonLine& line, std::string_view sign) {
    int depth = 0;
    for (std::size_t i = 0; i < line.tokens.size(); ++i) {
        const PythonToken& token = line.tokens[i];
        if (depth == 0 && token.kind == PythonToken::Kind::sign && token.text == sign) return i;
        depth += nesting_of(token);
    }
    return line.tokens.size();
}

PythonFollower::Flow PythonFollower::walk(std::size_t begin, std::size_t end, bool certain) {
    if (begin < end && m_scope.is_too_deep({"", m_file, line(begin).tokens.front().at.line, 1}, ++m_blocks))
        return --m_blocks, Flow::ends;
    const Flow flow = walk_lines(begin, end, certain);
    --m_blocks;
    return flow;
}

PythonFollower::Flow PythonFollower::walk_lines(std::size_t begin, std::size_t end, bool certain) {
    for (std::size_t i = begin; i < end && !m_exited;) {
        const PythonToken& first = line(i).tokens.front();
        if (!m_shell->files.budget().spend_at(Written{"", m_file, first.at.line, first.at.column}, 1))
            return Flow::ends;
        const bool is_compound =
            is_one_of(first.text, {"if", "for", "while", "try", "except", "finally", "else", "with", "def",
                                   "class", "async", "elif", "match", "case", "@"});
        if (is_compound && first.kind != PythonToken::Kind::text) {
            if (const Flow flow = compound(i, end, certain); flow != Flow::goes_on) return flow;
            continue;
        }
        if (const Flow flow = statement(line(i), 0, certain); flow != Flow::goes_on) return flow;
        ++i;
    }
    return m_exited ? Flow::ends : Flow::goes_on;
}

// What is behind the colon, or the indented lines below.
PythonFollower::Flow PythonFollower::body_of(std::size_t i, std::size_t end, bool certain) {
    const std::size_t colon = sign_in(line(i), ":");
    if (colon + 1 < line(i).tokens.size()) return statement(line(i), colon + 1, certain);
    return walk(i + 1, end_of_block(i, end), certain);
}

PythonFollower::Flow PythonFollower::compound(std::size_t& i, std::size_t end, bool certain) {
    const std::string& word = line(i).tokens.front().text;
    if (word == "if") return branches(i, end, certain);
    const std::size_t at = i;
    i = end_of_block(i, end);
    if (word == "@") {
        m_decorators.push_back(at);
        return Flow::goes_on;
    }
    const bool is_async = word == "async" && line(at).tokens.size() > 1 && line(at).tokens[1].is("def");
    if (word == "def" || is_async) {
        note_function(at, i);
        return Flow::goes_on;
    }
    m_decorators.clear();
    if (word == "for") return for_loop(at, end, certain);
    const bool open = is_one_of(word, {"while", "except", "case", "elif"});
    if (word == "with") enter(line(at));
    const bool may_fail = m_observer && word == "try";
    const Flow flow = body_of(at, end, certain && !open && !may_fail);
    return open || word == "class" ? Flow::goes_on : flow;
}

PythonFollower::Decided PythonFollower::decided(const PythonLine& line, bool certain) {
    const PythonToken& word = line.tokens.front();
    if (word.is("else")) return {Truth::yes, certain, false};
    const std::size_t colon = sign_in(line, ":");
    PythonValue condition = evaluated(line, 1, colon);
    if (truth_of(condition) == Truth::unknown) note_choice(line, 1, colon);
    // What others may choose is open for who asks for all; by default one of them runs.
    const bool usual = m_observer && !is_fixed(condition) && truth_of(condition) == Truth::yes;
    if (m_observer && !m_environment && !is_fixed(condition)) condition = {};
    const Truth truth = truth_of(condition);
    if (m_observer) m_observer->decides(word.at.line, truth);
    const bool open = !usual && (truth == Truth::unknown || !(is_fixed(condition) || m_environment));
    return {truth, open ? is_certain(line, colon, certain) : certain, usual};
}

PythonFollower::Flow PythonFollower::branches(std::size_t& i, std::size_t end, bool certain) {
    const std::size_t indentation = line(i).indentation;
    const PythonRun outer = m_run;
    bool done = false, may_go_on = false;  // behind a branch that may run
    Flow flow = Flow::goes_on;
    for (bool first = true; i < end && line(i).indentation == indentation; first = false) {
        const PythonToken& word = line(i).tokens.front();
        if (!first && !word.is("elif") && !word.is("else")) break;
        const std::size_t at = i;
        i = end_of_block(i, end);
        if (done) continue;
        const Decided own = decided(line(at), certain);
        certain = own.certain;
        if (own.truth == Truth::no) continue;
        const Flow inner = body_of(at, end, certain);
        done = own.truth == Truth::yes;
        if (done && !may_go_on) flow = inner;
        may_go_on = may_go_on || inner == Flow::goes_on;
        certain = certain && !own.usual;
    }
    m_run.by_cuda = outer.by_cuda || m_run.left;
    m_run.by_value = outer.by_value;
    m_run.asked = outer.asked;
    return flow;
}

PythonFollower::Flow PythonFollower::for_loop(std::size_t i, std::size_t end, bool certain) {
    const PythonLine& head = line(i);
    std::vector<std::string> names;
    std::size_t in = 1;
    for (; in < head.tokens.size() && !head.tokens[in].is("in"); ++in)
        if (head.tokens[in].is_name()) names.push_back(head.tokens[in].text);
    PythonValue over = evaluated(head, in + 1, sign_in(head, ":"));
    if (over.kind == PythonValue::Kind::file) over = lines_of_file(over);
    if (!over.is_list()) {
        for (const std::string& name : names) set(name, {});
        body_of(i, end, false);
        return Flow::goes_on;
    }
    std::size_t round = 0;
    for (const PythonValue& item : over.items) {
        if (m_shell->problems.exceeds(k_python_rounds, ++round, item.text)) break;
        for (std::size_t k = 0; k < names.size(); ++k) {
            const PythonValue* part = unpacked(item, k, names.size());
            set(names[k], part ? *part : PythonValue{});
        }
        const PythonRun before = m_run;
        const Flow flow = body_of(i, end, certain);
        m_run = before;  // of the next round
        if (flow == Flow::ends) break;
    }
    return Flow::goes_on;
}

void PythonFollower::note_function(std::size_t i, std::size_t end) {
    const PythonLine& head = line(i);
    const std::size_t name = head.tokens.front().is("async") ? 2 : 1;
    if (name < head.tokens.size()) m_functions[head.tokens[name].text] = {i, end, std::move(m_decorators)};
    m_decorators.clear();
}

// if cuda == "11.8": the values of the first chain of comparisons that is open.
void PythonFollower::note_choice(const PythonLine& line, std::size_t begin, std::size_t end) {
    std::string path;
    std::size_t i = begin;
    for (; i < end && (line.tokens[i].is_name() || line.tokens[i].is(".")); ++i) {
        if (line.tokens[i].is("in")) break;
        path += line.tokens[i].text;
    }
    if (path.empty() || i + 1 >= end || (!m_choice.path.empty() && m_choice.path != path)) return;
    if (!line.tokens[i].is("==") && !line.tokens[i].is("in")) return;
    const PythonValue right = evaluated(line, i + 1, end);
    const std::vector<PythonValue> all = right.is_list() ? right.items : std::vector<PythonValue>{right};
    for (const PythonValue& one : all)
        if (one.is_text() && one.is_known()) {
            m_choice.path = path;
            m_choice.values.push_back(one);
        }
}

namespace {

bool is_any(const PythonToken& token, std::initializer_list<std::string_view> words) {
    return any_of(words, [&](std::string_view word) { return token.is(word); });
}

}  // namespace

PythonFollower::Flow PythonFollower::statement(const PythonLine& line, std::size_t begin, bool certain) {
    const bool before = std::exchange(m_certain, certain && m_run.certain);
    const PythonLine* const outer = std::exchange(m_line, &line);
    const PythonToken& first = line.tokens[begin];
    Flow flow = Flow::goes_on;
    if (first.is("return")) {
        PythonValue result = evaluated(line, begin + 1, line.tokens.size());
        if (!m_results.empty()) m_results.back().push_back(certain ? result : opened(std::move(result)));
        flow = Flow::ends;
        may_leave(certain);
    } else if (is_any(first, {"raise", "break", "continue"})) {
        flow = first.is("continue") ? Flow::next_round : Flow::ends;
        if (!first.is("raise")) may_leave(certain);
        if (m_observer && first.is("raise")) m_observer->fails(first.at.line);
    } else if (is_any(first, {"import", "from"})) {
        note_import(line, begin);
    } else if (!is_any(first, {"pass", "global"}) && !changes(line, begin)) {
        evaluated(line, begin, line.tokens.size());
    }
    m_certain = before;
    m_line = outer;
    return m_exited ? Flow::ends : flow;
}

// from os import environ as env
void PythonFollower::note_import(const PythonLine& line, std::size_t begin) {
    const std::vector<PythonToken>& tokens = line.tokens;
    if (tokens.size() < begin + 6 || !tokens[begin].is("from") || !tokens[begin + 1].is("os")) return;
    for (std::size_t i = begin + 3; i + 2 < tokens.size(); ++i)
        if (tokens[i].is("environ") && tokens[i + 1].is("as"))
            set(tokens[i + 2].text, {PythonValue::Kind::environment, {}});
}

// NAME = VALUE, NAME: TYPE = VALUE, NAME += VALUE, NAME.append(VALUE)
bool PythonFollower::changes(const PythonLine& line, std::size_t begin) {
    for (const bool adds : {false, true}) {
        const std::size_t equals = sign_in(line, adds ? "+=" : "=");
        if (equals < line.tokens.size() && equals > begin) return assign(line, begin, equals, adds), true;
    }
    const std::size_t open = sign_in(line, "(");
    if (open < begin + 3 || open >= line.tokens.size() || !line.tokens[open - 2].is(".")) return false;
    const std::string& method = line.tokens[open - 1].text;
    const bool takes_away = m_observer && is_one_of(method, {"remove", "pop", "clear", "discard"});
    if (!takes_away && !is_one_of(method, {"append", "extend", "update", "insert", "add"})) return false;
    std::string path;
    for (std::size_t i = begin; i + 2 < open; ++i) path += line.tokens[i].text;
    if (takes_away) return tell(path, {}, false), set(path, {}), true;
    add_to(path, method, evaluated(line, open + 1, line.tokens.size() - 1));
    return true;
}

// NAME.append(VALUE), os.environ.update({NAME: VALUE})
void PythonFollower::add_to(const std::string& path, const std::string& method, PythonValue more) {
    tell(path, more, true);
    if (m_observer && !m_certain) more = unknown(std::move(more));
    auto& scope = m_locals.empty() || !m_locals.back().count(path) ? m_globals : m_locals.back();
    const auto own = scope.find(path);
    if ((method == "append" || method == "add") && own != scope.end() && own->second.is_list())
        return own->second.add(m_certain ? std::move(more) : opened(std::move(more)));
    const PythonValue all = variable(path);
    if (path == "os.environ" || all.kind == PythonValue::Kind::environment) return set_all(more);
    const bool known = all.is_list() && more.is_list() && !is_one_of(method, {"update", "insert", "add"});
    set(path, known ? sum_of(all, more) : PythonValue{});
}

void PythonFollower::set_all(const PythonValue& table) {
    if (table.kind != PythonValue::Kind::table) return;
    for (std::size_t i = 0; i + 1 < table.items.size(); i += 2)
        set_environment(table.items[i], table.items[i + 1]);
}

void PythonFollower::assign(const PythonLine& line, std::size_t begin, std::size_t equals, bool adds) {
    PythonValue value = evaluated(line, equals + 1, line.tokens.size());
    const std::size_t colon = std::min(sign_in(line, ":"), equals);
    const std::size_t end = colon > begin ? colon : equals;
    const std::size_t comma = std::min(sign_in(line, ","), end);
    if (adds) {
        std::string path;
        for (std::size_t i = begin; i < end; ++i) path += line.tokens[i].text;
        tell(path, value, true);
        return set(path, sum_of(variable(path), value));
    }
    if (comma == end) return set_target(line, {begin, end}, std::move(value));
    std::size_t number = 0;
    for (std::size_t i = begin; i < end; ++i) {
        if (!line.tokens[i].is_name()) continue;
        const bool known = value.is_list() && number < value.items.size();
        tell(line.tokens[i].text, known ? value.items[number] : PythonValue{}, false);
        set(line.tokens[i].text, known ? value.items[number] : PythonValue{});
        ++number;
    }
}

// NAME, self.NAME, os.environ["NAME"], TABLE["KEY"]
void PythonFollower::set_target(const PythonLine& line, Range target, PythonValue value) {
    std::string path;
    std::size_t i = target.begin;
    for (; i < target.end && !line.tokens[i].is("["); ++i) path += line.tokens[i].text;
    if (i == target.end) {
        tell(path, value, false);
        return set(path, std::move(value));
    }
    const PythonValue key = evaluated(line, i + 1, target.end - 1);
    PythonValue table = variable(path);
    if (path == "os.environ" || path == "environ" || table.kind == PythonValue::Kind::environment)
        return set_environment(key, value);
    tell(path, value, true);
    if (table.kind != PythonValue::Kind::table || !key.is_known()) return set(path, {});
    std::vector<PythonValue> items = {key, std::move(value)};  // the first entry counts
    append(items, table.items);
    set(path, PythonValue::of_items(table.kind, table.text, std::move(items)));
}

}  // namespace ptxguard::recipes
