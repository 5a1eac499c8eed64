// Follows the statements of Python code. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipes/python_expressions.hpp"
#include "recipes/shell.hpp"

namespace ptxguard::recipes {

// A value that is not known and that the code itself compares with others.
struct PythonChoice {
    std::string path;  // "cuda", "args.cuda"
    std::vector<PythonValue> values;
};

class PythonFollower {
public:
    using Arguments = std::map<std::string, PythonValue>;

    PythonFollower(std::string file, std::string_view text, int lines_before = 0);

    // The module's statements, in `shell`.
    std::vector<Step> follow(Shell& shell);
    // A function's, after follow().
    std::vector<Step> follow_function(const std::string& name, const Arguments& given, Shell& shell);
    // Functions that run commands and that no other one calls.
    std::vector<std::string> uncalled() const;
    // The arguments of each run that @nox.parametrize("cuda", [...]) requests; at least one.
    std::vector<Arguments> parametrized(const std::string& name) const;
    const PythonChoice& choice() const { return m_choice; }
    // What the followed statements print; nothing if that is not known.
    const std::optional<Written>& printed() const { return m_printed; }
    void choose(const std::string& path, const PythonValue& value) { m_chosen[path] = opened(value); }
    Written at() const { return {"", m_file, 1, 1}; }

private:
    enum class Flow { goes_on, ends };
    struct Function {
        std::size_t line = 0, end = 0;  // of the def; behind its body
        std::vector<std::size_t> decorators;
    };
    struct Range {
        std::size_t begin, end;
    };

    void begin(Shell& shell);
    const PythonLine& line(std::size_t i) const { return (*m_lines)[i]; }
    std::size_t end_of_block(std::size_t i, std::size_t end) const;
    static std::size_t sign_in(const PythonLine& line, std::string_view sign);

    std::set<std::string> called_in(std::size_t begin, std::size_t end) const;
    Flow walk(std::size_t begin, std::size_t end, bool certain);
    Flow walk_lines(std::size_t begin, std::size_t end, bool certain);
    Flow body_of(std::size_t i, std::size_t end, bool certain);
    Flow compound(std::size_t& i, std::size_t end, bool certain);
    Flow branches(std::size_t& i, std::size_t end, bool certain);
    Flow for_loop(std::size_t i, std::size_t end, bool certain);
    void note_function(std::size_t i, std::size_t end);
    void note_choice(const PythonLine& line, std::size_t begin, std::size_t end);

    Flow statement(const PythonLine& line, std::size_t begin, bool certain);
    bool changes(const PythonLine& line, std::size_t begin);
    void assign(const PythonLine& line, std::size_t begin, std::size_t equals, bool adds);
    void set_target(const PythonLine& line, Range target, PythonValue value);
    void set(const std::string& path, PythonValue value);
    void set_environment(const PythonValue& name, const PythonValue& value);

    PythonValue evaluated(const PythonLine& line, std::size_t begin, std::size_t end);
    PythonValue variable(const std::string& path) const;
    PythonValue called(const PythonCall& call);
    std::optional<PythonValue> conversion(const PythonCall& call);
    PythonValue environment(const PythonValue& name, const PythonValue* otherwise) const;
    PythonValue call_function(const std::string& name, const PythonCall& call, bool drops_self);
    void note_option(const PythonCall& call);
    void note_import(const PythonLine& line, std::size_t begin);
    void print(const PythonCall& call);
    std::vector<std::string> parameters(const Function& function, Arguments& defaults);
    Arguments bound(const Function& function, const PythonCall& call, bool drops_self);

    std::string m_file;
    std::shared_ptr<const std::vector<PythonLine>> m_lines;
    std::map<std::string, PythonValue> m_globals;
    std::vector<Arguments> m_locals;
    std::map<std::string, Function> m_functions;
    std::vector<std::size_t> m_decorators;  // above the next def
    std::map<std::string, PythonValue> m_options, m_chosen;
    PythonChoice m_choice;

    // Of the run.
    Shell* m_shell = nullptr;
    PythonScope m_scope;
    bool m_certain = true, m_exited = false;
    std::size_t m_blocks = 0;                         // in each other
    std::vector<std::vector<PythonValue>> m_results;  // of the functions that are being called
    std::set<std::string> m_active;                   // their names: none is followed in itself
    std::vector<Step> m_steps;
    std::optional<Written> m_printed = {};
};

}  // namespace ptxguard::recipes
