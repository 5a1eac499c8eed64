// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_commands.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/shell/shell_run.hpp"

namespace ptxguard::recipes {
namespace {

using Kind = PythonValue::Kind;

// Functions that run a command, of Python itself and of the usual helpers.
bool runs_commands(const std::string& name) {
    static const std::vector<std::string> names = split(
        "run call check_call check_output popen getoutput getstatusoutput system execute "
        "exec_command run_command run_cmd run_shell sh shell cmd local sudo run_always "
        "run_install check_run subprocess_run",
        " ");
    return contains(names, lower(name));
}

Written word_of(const PythonValue& value, const Written& at) {
    Written word = value.text.line > 0 ? value.text : at;
    word.text = text_in(value);
    word.known = word.text.find(k_open_part) == npos;
    word.fixed = is_fixed(value);
    return word;
}

std::vector<Written> words_of(const std::vector<PythonValue>& values, const Written& at) {
    std::vector<Written> words;
    for (const PythonValue& one : values)
        if (one.is_list())
            for (const PythonValue& inner : one.items) words.push_back(word_of(inner, at));
        else
            words.push_back(word_of(one, at));
    return words;
}

void add_words(std::initializer_list<const char*> first, const Written& at, std::vector<Written>& words) {
    std::vector<Written> all;
    for (const char* one : first) {
        all.push_back(at);
        all.back().text = one;
    }
    words.insert(words.begin(), all.begin(), all.end());
}

// The text that a shell reads behind `program`, line by line.
PlacedText placed(const std::string& program, const Written& text) {
    PlacedText all(text.file);
    int line = text.line, column = text.column;
    all.append(program, {line, column});
    for (std::size_t begin = 0; begin <= text.text.size();) {
        const std::size_t end = std::min(text.text.find('\n', begin), text.text.size());
        all.append(text.text.substr(begin, end - begin) + (end < text.text.size() ? "\n" : ""),
                   {line, column});
        begin = end + 1;
        ++line, column = 1;
    }
    return all;
}

// What the call names: words, or the text of a shell.
struct NamedCommand {
    std::vector<Written> words = {};
    std::string program = {};  // before the text
    Written text = {};
};

// session.install("torch==2.4.0", "--index-url", ...), pip.main([...]), run_pip("install torch"); of one's
// own setup.install("--upgrade torch==2.4.0", "torch 2.4.0"): arguments of pip, and words for the user.
std::optional<NamedCommand> command_of_installer(const PythonCall& call, const std::string& name,
                                                 const PythonValue& first) {
    NamedCommand command;
    const bool of_object = name.size() < call.path.size();
    const bool whole = of_object && name == "install" && first.text.text.find(' ') != npos;
    if (of_object && is_one_of(name, {"install", "conda_install"}) && first.is_text() && !whole) {
        command.words = words_of(call.given, call.at);
        add_words({name == "install" ? "pip" : "conda", "install"}, call.at, command.words);
        return command;
    }
    const bool of_pip = is_one_of(call.path, {"pip.main", "pipmain", "pip_main", "pip._internal.main",
                                              "pip_internal.main", "main.main"});
    if (of_pip && first.is_list()) {
        command.words = words_of(first.items, call.at);
        add_words({"pip"}, call.at, command.words);
        return command;
    }
    const bool arguments = whole || is_one_of(name, {"run_pip", "pip", "pip_command"});
    if (!arguments || !first.is_text()) return std::nullopt;
    command.text = word_of(first, call.at);
    command.program = whole ? "pip install " : "pip ";
    return command;
}

std::optional<NamedCommand> named_command(const PythonCall& call) {
    const std::string name = last_name(call.path);
    const bool of_object = name.size() < call.path.size();
    NamedCommand command;
    const PythonValue* first = call.given.empty() ? call.argument("args") : &call.given.front();
    if (!first) first = call.argument("command");
    if (!first) return std::nullopt;
    if (auto installer = command_of_installer(call, name, *first)) return installer;
    if (!runs_commands(name)) return std::nullopt;
    if (first->is_list()) {
        command.words = words_of(first->items, call.at);
        return command;
    }
    if (!first->is_text()) return std::nullopt;
    // session.run("pytest", "-x")
    const bool several =
        of_object && call.given.size() > 1 && call.given[1].is_text() && first->text.text.find(' ') == npos;
    if (several)
        command.words = words_of(call.given, call.at);
    else
        command.text = word_of(*first, call.at);
    return command;
}

void set_variables(const PythonValue* environment, Shell& shell) {
    if (!environment || environment->kind != Kind::table) return;
    for (std::size_t i = 0; i + 1 < environment->items.size(); i += 2) {
        const PythonValue &name = environment->items[i], &value = environment->items[i + 1];
        if (!name.is_known() || !value.is_known()) continue;
        Variable variable{value.text};
        variable.exported = variable.assigned_here = true;
        shell.variables.set(name.text.text, std::move(variable));
    }
}

// A file whose name the code computes is not missing.
void take_problems(Problems& inner, Problems& all) {
    for (Problem& problem : inner)
        if (!problem.missing || problem.at.text.find(k_open_part) == npos) all.push_back(std::move(problem));
}

}  // namespace

std::string last_name(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == npos ? path : path.substr(dot + 1);
}

bool may_run_command(const std::string& name) {
    return runs_commands(name) || is_one_of(name, {"install", "conda_install", "run_pip", "pip", "pip_main",
                                                   "pipmain", "main", "pip_command"});
}

std::optional<std::vector<Step>> command_of_call(const PythonCall& call, bool certain, Shell& shell) {
    auto command = named_command(call);
    if (!command) return std::nullopt;
    const std::string folder = shell.folder;
    const Variables before = shell.variables;
    if (const PythonValue* own = call.argument("cwd"))
        shell.folder = folder_below(folder, own->is_known() ? own->text.text : "?");
    set_variables(call.argument("env"), shell);
    Problems outer = std::exchange(shell.problems, {});
    std::vector<Step> steps;
    if (!command->words.empty()) {
        steps = read_command(std::move(command->words), shell);
    } else {
        for (Step& step : read_shell(placed(command->program, command->text), shell))
            steps.push_back(std::move(step));
        certain = certain && command->text.fixed;
    }
    std::swap(outer, shell.problems);
    take_problems(outer, shell.problems);
    shell.folder = folder;
    shell.variables = before;
    if (!certain)
        for (Step& step : steps) make_open(step);
    return steps;
}

}  // namespace ptxguard::recipes
