// Functions that Python code calls: its own, conversions, and those that run commands.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/python/python_commands.hpp"
#include "recipes/python/python_follower.hpp"
#include "recipes/python/python_output.hpp"
#include "recipes/shell/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

using Kind = PythonValue::Kind;

// "--cuda-version" -> "cuda_version"
std::string attribute_of(const std::string& option) {
    std::string name = option.substr(std::min(option.find_first_not_of('-'), option.size()));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

// dict(NAME=VALUE, ...)
PythonValue table_of(const PythonCall& call) {
    std::vector<PythonValue> items;
    for (const auto& [key, value] : call.named) {
        Written at = call.at;
        at.text = key;
        items.push_back(PythonValue::of_text(at));
        items.push_back(value);
    }
    return PythonValue::of_items(Kind::table, call.at, std::move(items));
}

// os.path.join(A, B)
PythonValue joined_path(const PythonCall& call) {
    std::string all;
    for (const PythonValue& part : call.given) all = join_path(all, text_in(part));
    Written at = call.at;
    at.text = std::move(all);
    return PythonValue::of_text(std::move(at));
}

// shlex.split(TEXT)
PythonValue shlex_words(const PythonValue& text) {
    std::vector<PythonValue> words;
    for (std::string& word : split(text.text.text, " \t\n")) {
        erase_if(word, [](char c) { return c == '"' || c == '\''; });
        Written at = text.text;
        at.text = std::move(word);
        words.push_back(PythonValue::of_text(std::move(at)));
    }
    return PythonValue::of_items(Kind::list, text.text, std::move(words));
}

// str(A), Path(A), Version(A), list(A): the value is the same to us.
bool keeps_its_argument(const std::string& function) {
    return is_one_of(function, {"str", "Path", "PurePath", "Version", "parse", "LooseVersion",
                                "StrictVersion", "parse_version", "set", "frozenset", "quote", "list",
                                "tuple", "sorted", "fspath", "cast", "repr"});
}

// check_output(["nvcc", "--version"]), os.popen("nvcc -V").read()
PythonValue printed_by_nvcc(const PythonCall& call, const Version& release) {
    if (!is_one_of(last_name(call.path), {"check_output", "getoutput", "popen"}) || call.given.empty())
        return {};
    std::string command;
    for (const PythonValue& word : call.given[0].items) command += " " + word.text.text;
    if (call.given[0].is_text()) command = " " + call.given[0].text.text;
    const bool asks =
        command.find("nvcc") != npos && (ends_with(command, " --version") || ends_with(command, " -V"));
    Written text = call.at;
    text.text = "Cuda compilation tools, release " + release.release() + ", V" + release.release() + ".0";
    return asks ? PythonValue::of_text(std::move(text)) : PythonValue{};
}

// max(A, B), min(A, B)
PythonValue extreme_of(const PythonCall& call) {
    PythonValue best = call.given.front();
    for (const PythonValue& one : call.given) {
        const PythonValue better = compared(one, call.path == "max" ? ">" : "<", best);
        if (!better.is_known()) return PythonValue{};
        if (truth_of(better) == Truth::yes) best = one;
    }
    return all_of(call.given, is_fixed) ? best : opened(std::move(best));
}

}  // namespace

PythonValue PythonFollower::evaluated(const PythonLine& line, std::size_t begin, std::size_t end) {
    if (begin >= end) return {};
    return PythonExpression(line.tokens, begin, end, m_scope).value();
}

PythonValue PythonFollower::variable(const std::string& path) const { return or_release(path, stored(path)); }

PythonValue PythonFollower::stored(const std::string& path) const {
    if (const auto chosen = m_chosen.find(path); chosen != m_chosen.end()) return chosen->second;
    if (!m_locals.empty())
        if (const auto local = m_locals.back().find(path); local != m_locals.back().end())
            return local->second;
    if (const auto global = m_globals.find(path); global != m_globals.end()) return global->second;
    if (path == "os.environ" || path == "environ") return {Kind::environment, {}};
    // args.cuda_version
    const auto option = path.find('.') == npos ? m_options.end() : m_options.find(last_name(path));
    if (option == m_options.end()) return {};
    const auto given = m_chosen.find("--" + option->first);
    return given != m_chosen.end() ? given->second : opened(option->second);
}

void PythonFollower::set(const std::string& path, PythonValue value) {
    auto& into = m_locals.empty() ? m_globals : m_locals.back();
    const auto before = into.find(path);
    if (m_observer && before != into.end() && (!m_certain || m_run.asked))
        value = either(before->second, std::move(value));
    else if (!m_certain)
        value = opened(std::move(value));
    into[path] = std::move(value);
}

void PythonFollower::set_environment(const PythonValue& name, const PythonValue& value) {
    if (!name.is_known()) return;
    tell(name.text.text, value, false);
    if (!value.is_known()) return m_shell->variables.erase(name.text.text);
    Variable variable{value.text};
    variable.value.fixed = is_fixed(value) && m_certain;
    variable.value.known = variable.value.known && !m_run.by_cuda;
    variable.exported = variable.assigned_here = true;
    m_steps.push_back(SetVariable{name.text.text, variable.value});
    m_shell->variables.set(name.text.text, std::move(variable));
}

PythonValue PythonFollower::environment(const PythonValue& name, const PythonValue* otherwise) const {
    const Written* found = name.is_known() ? m_shell->variables.exported_value(name.text.text) : nullptr;
    if (!found && m_environment && name.is_known()) found = m_environment(name.text.text);
    if (found && found->known) return PythonValue::of_text(*found);
    if (otherwise) return opened(*otherwise);
    const bool is_unset = m_environment && name.is_known() && !found;
    return is_unset ? opened(PythonValue::of_number(name.text, "None")) : PythonValue{};
}

std::optional<PythonValue> PythonFollower::of_environment(const PythonCall& call) {
    const PythonValue* first = call.given.empty() ? nullptr : &call.given.front();
    if (is_one_of(call.path, {"os.getenv", "getenv", "os.environ.get", "environ.get"}) && first)
        return environment(*first, call.given.size() > 1 ? &call.given[1] : nullptr);
    if (call.path == "os.environ.setdefault" && call.given.size() == 2) {
        if (!m_shell->variables.exported_value(call.given[0].text.text))
            set_environment(call.given[0], opened(call.given[1]));
        return PythonValue{};
    }
    const bool copied = first && first->kind == Kind::environment && last_name(call.path) == "dict";
    if (copied || is_one_of(call.path, {"os.environ.copy", "environ.copy"}))
        return PythonValue{Kind::environment, {}};
    return std::nullopt;
}

namespace {

PythonValue converted_number(const std::string& type, const PythonValue& value) {
    const std::string number = trim(text_in(value));
    return PythonValue::of_number(value.text, type == "int" ? number.substr(0, number.find('.')) : number);
}

PythonValue kept(const std::string& type, const PythonValue& value) {
    return type == "str" && value.kind == Kind::number ? PythonValue::of_text(value.text) : value;
}

// "cuda" of add_argument("-c", "--cuda"); empty = not known.
std::string name_of_option(const PythonCall& call) {
    std::string name;
    for (const PythonValue& one : call.given)
        if (one.is_text() && one.is_known() && (name.empty() || starts_with(one.text.text, "--")))
            name = attribute_of(one.text.text);
    if (const PythonValue* own = call.argument("dest"); own && own->is_known()) name = own->text.text;
    return name;
}

}  // namespace

std::optional<PythonValue> PythonFollower::conversion(const PythonCall& call) {
    if (auto value = of_environment(call)) return value;
    const std::string name = last_name(call.path);
    if (name == "dict" && call.given.empty()) return table_of(call);
    if (call.path == "os.path.join") return joined_path(call);
    if (call.given.empty()) return std::nullopt;
    const PythonValue& first = call.given.front();
    if (is_one_of(call.path, {"json.dumps", "dumps"})) return json_of(first);
    if (is_one_of(call.path, {"os.path.abspath", "os.path.realpath"})) return first;
    if (call.path == "os.path.dirname" && first.is_text() && first.is_known()) return parent_of(first);
    if (call.path == "shlex.split" && first.is_text()) return shlex_words(first);
    if (call.given.size() == 1 && keeps_its_argument(name)) return kept(name, first);
    if (is_one_of(name, {"int", "float"}) && first.is_known()) return converted_number(name, first);
    if (is_one_of(call.path, {"max", "min"})) return extreme_of(call);
    return std::nullopt;
}

void PythonFollower::tell_call(const PythonCall& call) {
    for (const PythonValue& one : call.given) tell("", one, true);
    for (const auto& [key, one] : call.named) tell("", one, true);
    PythonRun run = m_run;
    run.certain = m_certain;
    run.chosen = m_line && any_of(m_line->tokens, [&](const PythonToken& token) {
                     return token.at.line == call.last.line && token.is("if");
                 });
    m_observer->calls(call, run);
}

bool PythonFollower::is_noted(const std::string& name, const PythonCall& call) {
    if (name == "add_argument" || name == "option") {
        note_option(call);
    } else if (call.path == "os.chdir" && !call.given.empty()) {
        const PythonValue& to = call.given.front();
        m_shell->folder = folder_below(m_shell->folder, to.is_known() ? to.text.text : "?");
    } else if (call.path == "print") {
        print(call);
    } else {
        return false;
    }
    return true;
}

PythonValue PythonFollower::called(const PythonCall& call) {
    const std::string name = last_name(call.path);
    if (is_one_of(call.path, {"sys.exit", "exit", "quit", "os._exit"})) {
        m_exited = m_exited || m_certain;
        if (m_observer) m_observer->fails(call.at.line);
        return {};
    }
    const bool of_object = name.size() < call.path.size();
    const bool own = !of_object || starts_with(call.path, "self.") || starts_with(call.path, "cls.");
    if (m_observer) tell_call(call);
    if (own && m_functions.count(name)) return or_release(name, call_function(name, call, of_object));
    if (is_noted(name, call)) return {};
    if (auto value = conversion(call)) return std::move(*value);
    if (m_observer) return or_release(name, m_cuda ? printed_by_nvcc(call, *m_cuda) : PythonValue{});
    if (auto value = of_files(call)) return std::move(*value);
    if (auto steps = command_of_call(call, m_certain, *m_shell))
        for (Step& step : *steps) m_steps.push_back(std::move(step));
    return {};
}

// parser.add_argument("--cuda", default="12.1", choices=["11.8", "12.1"])
void PythonFollower::note_option(const PythonCall& call) {
    const std::string name = name_of_option(call);
    if (name.empty()) return;
    const PythonValue* otherwise = call.argument("default");
    m_options[name] = otherwise ? *otherwise : PythonValue{};
    const PythonValue* choices = call.argument("choices");
    if (!choices || !m_choice.path.empty() || m_chosen.count("--" + name) != 0) return;
    for (const PythonValue& one : choices->items)
        if (one.is_text() && one.is_known() && one.text.text != m_options[name].text.text)
            m_choice.values.push_back(one);
    if (!m_choice.values.empty()) m_choice.path = "--" + name;
}

// The options of `python FILE --cuda 12.4 --torch=2.5.1`.
void PythonFollower::give(const std::vector<Written>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i].text;
        if (!starts_with(word, "--") || !words[i].known) continue;
        const std::size_t equals = word.find('=');
        Written value = words[i];
        if (equals != npos)
            value.text.erase(0, equals + 1);
        else if (i + 1 < words.size() && words[i + 1].known && !starts_with(words[i + 1].text, "-"))
            value = words[i + 1];
        else
            continue;
        m_chosen["--" + attribute_of(word.substr(0, equals))] = PythonValue::of_text(std::move(value));
    }
}

PythonValue PythonFollower::call_function(const std::string& name, const PythonCall& call, bool drops_self) {
    const Function function = m_functions.at(name);
    if (m_scope.is_too_deep(call.at, 10) || !m_active.insert(name).second) return {};
    m_entered.insert(name);
    Arguments arguments = bound(function, call, drops_self);
    const PythonRun outer = m_run;
    m_locals.push_back(std::move(arguments));
    m_results.emplace_back();
    body_of(function.line, function.end, m_certain);
    std::vector<PythonValue> results = std::move(m_results.back());
    m_results.pop_back();
    m_locals.pop_back();
    m_active.erase(name);
    m_run = outer;
    // Of several that may be returned, none is known.
    return results.size() == 1 ? std::move(results.front()) : PythonValue{};
}

// The names, "*" in front of those that take the rest; defaults where there are some.
std::vector<std::string> PythonFollower::parameters(const Function& function, Arguments& defaults) {
    const PythonLine& head = line(function.line);
    const std::size_t open = sign_in(head, "(");
    std::vector<std::string> names;
    int depth = 0;
    std::size_t equals = 0;
    bool begins = true;
    std::string stars;
    for (std::size_t i = open + 1; i < head.tokens.size(); ++i) {
        const PythonToken& token = head.tokens[i];
        if (depth == 0 && (token.is(",") || token.is(")"))) {
            if (equals && !names.empty()) defaults[names.back()] = opened(evaluated(head, equals + 1, i));
            if (token.is(")")) break;
            begins = true;
            stars.clear();
            equals = 0;
        }
        depth += nesting_of(token);
        if (begins && (token.is("*") || token.is("**"))) stars = token.text;
        if (depth == 0 && token.is("=")) equals = i;
        if (!begins || token.kind != PythonToken::Kind::name) continue;
        names.push_back(stars + token.text);
        begins = false;
    }
    return names;
}

PythonFollower::Arguments PythonFollower::bound(const Function& function, const PythonCall& call,
                                                bool drops_self) {
    Arguments all;
    std::vector<std::string> names = parameters(function, all);
    if (drops_self && !names.empty() && (names.front() == "self" || names.front() == "cls"))
        names.erase(names.begin());
    std::size_t next = 0;
    for (const std::string& name : names) {
        if (starts_with(name, "*")) {
            if (starts_with(name, "**")) continue;
            const auto first = call.given.begin() + static_cast<long>(std::min(next, call.given.size()));
            all[name.substr(1)] = PythonValue::of_items(Kind::list, call.at, {first, call.given.end()});
            next = call.given.size();
        } else if (next < call.given.size()) {
            all[name] = call.given[next++];
        }
    }
    for (const auto& [name, value] : call.named) all[name] = value;
    for (const std::string& name : names) all.try_emplace(name.substr(name.find_first_not_of('*')));
    return all;
}

std::vector<PythonFollower::Arguments> PythonFollower::parametrized(const std::string& name) const {
    std::vector<Arguments> runs = {{}};
    constexpr std::size_t k_all_runs = 64;  // more are not read one by one
    for (const std::size_t at : m_functions.at(name).decorators) {
        const PythonLine& head = line(at);
        const std::size_t open = sign_in(head, "(");
        if (open == head.tokens.size() || !head.tokens[open - 1].is("parametrize")) continue;
        PythonScope scope = m_scope;
        const PythonValue given = PythonExpression(head.tokens, open, head.tokens.size(), scope).value();
        if (!given.is_list() || given.items.size() < 2 || !given.items[1].is_list()) continue;
        std::vector<std::string> names = split(given.items[0].text.text, ", ");
        if (given.items[0].is_list()) names.clear();
        for (const PythonValue& one : given.items[0].items) names.push_back(one.text.text);
        std::vector<Arguments> more;
        for (const Arguments& run : runs)
            for (const PythonValue& item : given.items[1].items) {
                Arguments one = run;
                for (std::size_t i = 0; i < names.size(); ++i)
                    if (const PythonValue* own = unpacked(item, i, names.size())) one[names[i]] = *own;
                more.push_back(std::move(one));
            }
        if (!more.empty() && more.size() <= k_all_runs) runs = std::move(more);
    }
    return runs;
}

}  // namespace ptxguard::recipes
