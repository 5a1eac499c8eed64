// What an observer of Python code sees: all of its functions, values, conditions and errors.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/ranges.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/python/python_follower.hpp"

namespace ptxguard::recipes {

bool PythonFollower::has_name(const std::function<bool(const std::string& name)>& wanted) const {
    for (const PythonLine& one : *m_lines) {
        std::string path;  // "torch.version.cuda"
        for (const PythonToken& token : one.tokens) {
            if (token.is_name())
                path = ends_with(path, ".") ? path + token.text : token.text;
            else
                path += token.is(".") ? "." : " ";
            if (token.is_name() && wanted(path)) return true;
        }
    }
    return false;
}

std::vector<Step> PythonFollower::show(PythonObserver& observer, const std::optional<Version>& cuda,
                                       Shell& shell) {
    m_observer = &observer;
    m_cuda = cuda;
    if (cuda && m_environment) m_globals["CUDA_HOME"] = PythonValue::of_word("/usr/local/cuda");
    begin(shell);
    m_scope.only_certain = true;
    walk(0, m_lines->size(), true);
    const std::set<std::string> called = called_in(0, m_lines->size());
    for (const bool by_others : {false, true}) {
        std::vector<std::pair<std::size_t, std::string>> open;
        for (const auto& [name, function] : m_functions)
            if (called.count(name) == by_others) open.emplace_back(function.line, name);
        std::sort(open.begin(), open.end());
        for (const auto& [line, name] : open)
            if (m_entered.count(name) == 0)
                m_exited = false, m_certain = true, call_function(name, {}, false);
    }
    return std::move(m_steps);
}

// Whether what stands behind a condition that is not known runs.
bool PythonFollower::is_certain(const PythonLine& line, std::size_t end, bool certain) {
    if (!m_observer) return false;
    bool about_cuda = false, compares = false, of_environment = false, of_value = false;
    for (std::size_t i = 1; i < end; ++i) {
        const PythonToken& token = line.tokens[i];
        const bool is_word = token.kind != PythonToken::Kind::sign;
        about_cuda = about_cuda || (is_word && is_about_cuda(token.text));
        compares = compares || (is_word && is_about_some_archs(token.text));
        compares = compares || is_one_of(token.text, {"<", ">", "<=", ">=", "==", "!=", "in", "not", "["});
        of_environment = of_environment || is_one_of(token.text, {"environ", "getenv"});
        of_value = of_value || is_one_of(token.text, {"<", ">", "<=", ">=", "==", "!=", "in", "["});
    }
    m_run.by_value = m_run.by_value || of_value;
    m_run.asked = m_run.asked || (about_cuda && !compares);
    m_run.by_cuda = m_run.by_cuda || (compares && about_cuda && !of_environment);
    return certain && about_cuda && !compares;
}

// What follows may not run.
void PythonFollower::may_leave(bool certain) {
    if (!m_observer || certain || m_run.asked) return;
    m_run.certain = false;
    m_run.left = m_run.left || m_run.by_cuda;
}

PythonValue PythonFollower::either(const PythonValue& before, PythonValue now) const {
    const bool is_open = now.kind == PythonValue::Kind::open;
    if (m_certain) return is_open ? opened(before) : now;  // behind a question for CUDA
    if (!before.is_list()) {
        if (before.kind == PythonValue::Kind::open) return opened(std::move(now));
        const bool same = truth_of(compared(before, "==", now)) == Truth::yes;
        return same ? before : unknown(opened(std::move(now)));
    }
    const std::size_t size = before.items.size();
    const bool adds =
        now.is_list() && now.items.size() >= size &&
        std::equal(before.items.begin(), before.items.end(), now.items.begin(),
                   [](auto& a, auto& b) { return truth_of(compared(a, "==", b)) == Truth::yes; });
    PythonValue all = adds ? before : opened(before);
    if (!adds && m_run.by_cuda && m_run.by_value) all = unknown(std::move(all));
    for (std::size_t i = adds ? size : 0; now.is_list() && i < now.items.size(); ++i)
        all.add(unknown(opened(std::move(now.items[i]))));
    return all;
}

void PythonFollower::tell(const std::string& name, const PythonValue& value, bool more) {
    if (!m_observer) return;
    PythonRun run = m_run;
    run.certain = m_certain;
    m_observer->gets(name, value, more, run);
}

PythonValue PythonFollower::or_release(const std::string& path, PythonValue value) const {
    const bool is_whole =
        value.is_known() ||
        (value.is_list() && all_of(value.items, [](const PythonValue& one) { return one.is_known(); }));
    if (!m_cuda || (is_fixed(value) && is_whole)) return value;
    const auto release = release_in_python(path, *m_cuda);
    if (!release) return value;
    const Written text;
    if (ends_with(path, ".release"))
        return PythonValue::of_items(PythonValue::Kind::list, text,
                                     {PythonValue::of_number(text, std::to_string(m_cuda->major())),
                                      PythonValue::of_number(text, std::to_string(m_cuda->minor()))});
    return release->find('.') == npos ? PythonValue::of_number(text, *release)
                                      : PythonValue::of_word(*release);
}

}  // namespace ptxguard::recipes
