// Follows the statements of Python code. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/version.hpp"
#include "recipes/python/python_expressions.hpp"
#include "recipes/shell/shell.hpp"

namespace ptxguard::recipes {

// A value that is not known and that the code itself compares with others.
struct PythonChoice {
    std::string path;  // "cuda", "args.cuda"
    std::vector<PythonValue> values;
};

// How sure a statement is to run. "if torch.cuda.is_available()" asks for CUDA: without it no device code is
// built.
struct PythonRun {
    bool certain = true;
    bool by_cuda = false;   // not certain, by a condition that may be about a release, an architecture, a GPU
    bool by_value = false;  // so, by a comparison with a value, and not with None
    bool asked = false;     // behind a question for CUDA
    bool left = false;      // so may have been left what surrounds it, by such a condition
    bool chosen = false;    // in a line with "X if CONDITION else Y"
};
// Takes part in what code does with values. Commands are not run for it.
class PythonObserver {
public:
    virtual ~PythonObserver() = default;
    // A variable gets that value, or more; empty = the argument of a call.
    virtual void gets(const std::string& name, const PythonValue& value, bool more, const PythonRun& run) = 0;
    virtual void calls(const PythonCall&, const PythonRun&) {}
    virtual void decides(int /*line*/, Truth) {}
    virtual void fails(int /*line*/) {}
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
    bool has_name(const std::function<bool(const std::string& name)>& wanted) const;
    // All its statements and functions; with that release of CUDA, if it is known. The variables that it
    // sets.
    std::vector<Step> show(PythonObserver& observer, const std::optional<Version>& cuda, Shell& shell);
    // The environment of the command that runs the code: what it does not set has its default.
    void build_in(std::function<const Written*(std::string_view name)> environment) {
        m_environment = std::move(environment);
    }
    const PythonChoice& choice() const { return m_choice; }
    // What the followed statements print; nothing if that is not known.
    const std::optional<Written>& printed() const { return m_printed; }
    void choose(const std::string& path, const PythonValue& value) { m_chosen[path] = opened(value); }
    void give(const std::vector<Written>& words);
    // __file__, as the code may open it.
    void set_path(const std::string& path);
    Written at() const { return {"", m_file, 1, 1}; }

private:
    enum class Flow { goes_on, next_round, ends };
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
    static int nesting_of(const PythonToken& token);  // 1: it opens a bracket, -1: it closes one

    std::set<std::string> called_in(std::size_t begin, std::size_t end) const;
    Flow walk(std::size_t begin, std::size_t end, bool certain);
    Flow walk_lines(std::size_t begin, std::size_t end, bool certain);
    Flow body_of(std::size_t i, std::size_t end, bool certain);
    Flow compound(std::size_t& i, std::size_t end, bool certain);
    Flow branches(std::size_t& i, std::size_t end, bool certain);
    struct Decided {
        Truth truth;
        bool certain, usual;  // `usual`: it runs by default, others may choose otherwise
    };
    Decided decided(const PythonLine& line, bool certain);
    Flow for_loop(std::size_t i, std::size_t end, bool certain);
    void note_function(std::size_t i, std::size_t end);
    bool is_certain(const PythonLine& line, std::size_t end, bool certain);
    void note_choice(const PythonLine& line, std::size_t begin, std::size_t end);

    Flow statement(const PythonLine& line, std::size_t begin, bool certain);
    bool changes(const PythonLine& line, std::size_t begin);
    void add_to(const std::string& path, const std::string& method, PythonValue more);
    void set_all(const PythonValue& table);  // variables of the environment
    void assign(const PythonLine& line, std::size_t begin, std::size_t equals, bool adds);
    void set_target(const PythonLine& line, Range target, PythonValue value);
    void set(const std::string& path, PythonValue value);
    // A variable behind a branch that may have run.
    PythonValue either(const PythonValue& before, PythonValue now) const;
    void may_leave(bool certain);
    void tell(const std::string& name, const PythonValue& value, bool more);
    // The release of CUDA, where the code computes it.
    PythonValue or_release(const std::string& path, PythonValue value) const;
    void set_environment(const PythonValue& name, const PythonValue& value);

    PythonValue evaluated(const PythonLine& line, std::size_t begin, std::size_t end);
    PythonValue variable(const std::string& path) const;
    PythonValue stored(const std::string& path) const;
    PythonValue called(const PythonCall& call);
    void tell_call(const PythonCall& call);
    bool is_noted(const std::string& name, const PythonCall& call);  // an option, a folder, a text
    std::optional<PythonValue> conversion(const PythonCall& call);
    std::optional<PythonValue> of_environment(const PythonCall& call);
    PythonValue environment(const PythonValue& name, const PythonValue* otherwise) const;
    PythonValue call_function(const std::string& name, const PythonCall& call, bool drops_self);
    void note_option(const PythonCall& call);
    void note_import(const PythonLine& line, std::size_t begin);
    void print(const PythonCall& call);
    // open(PATH, "a"), FILE.write(TEXT), json.load(FILE)
    std::optional<PythonValue> of_files(const PythonCall& call);
    std::optional<PythonValue> opened_file(const PythonCall& call, const PythonValue& path,
                                           std::size_t mode_at);
    std::optional<PythonValue> read_of_file(const PythonCall& call);
    std::optional<FileText> text_of_file(const PythonValue& file) const;
    PythonValue lines_of_file(const PythonValue& file) const;
    void write(const PythonValue& file, const PythonValue& text);
    void enter(const PythonLine& line);  // with VALUE as NAME
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

    PythonObserver* m_observer = nullptr;
    std::optional<Version> m_cuda;
    std::function<const Written*(std::string_view)> m_environment;  // null: no command is known
    std::set<std::string> m_entered;                                // functions
    PythonRun m_run;
    const PythonLine* m_line = nullptr;  // whose statement runs

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
