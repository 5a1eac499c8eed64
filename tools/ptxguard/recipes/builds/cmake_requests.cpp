// The architectures that a CMake file requests for a release of CUDA.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <initializer_list>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/release_words.hpp"
#include "recipes/builds/arch_gates.hpp"
#include "recipes/builds/arch_requests.hpp"
#include "recipes/builds/cmake_condition.hpp"
#include "recipes/builds/cmake_effects.hpp"
#include "recipes/builds/cmake_execution.hpp"

namespace ptxguard::recipes {
namespace {

class ArchExecution : public CMakeExecution {
public:
    ArchExecution(const Version& release, Budget& budget)
        : CMakeExecution({{}, false, release}, {}), m_budget(budget) {
        m_result.release = release;
        assume_toolkit();
    }

    ReleaseRequests requests(const GatedScript& script) {
        execute(script.file, script.commands);
        execute_uncalled(Truth::yes);
        return std::move(m_result);
    }

private:
    bool goes_on(const std::string& file, const CMakeCommand& command) override {
        return m_budget.spend_at(Budget::Place{file, command.line, command.column}, 1);
    }
    void decides(int line, Truth value) override { m_result.conditions[line].push_back(value); }

    void ran(const std::string&, const CMakeCommand& command, Truth runs) override {
        const std::string& name = command.name;
        const std::vector<std::string>& words = command.arguments;
        for (const std::string& changed : variables().changed()) has_changed(changed, command, runs);
        if (name == "find_package" && runs == Truth::yes) find_package(words);
        if (name == "message" && !words.empty() && is_one_of(words[0], {"FATAL_ERROR", "SEND_ERROR"}))
            m_result.failures.insert(command.line);
        if (name == "set_property" || name == "set_target_properties") properties(command);
        if (takes_flags(name)) add(name, command, 0, words.size());
        if (name == "cuda_select_nvcc_arch_flags") add("ARCH of " + name, command, 1, words.size());
    }

    // A variable has another value, or may have.
    void has_changed(const std::string& name, const CMakeCommand& command, Truth runs) {
        const std::string* value = variables().find(name);
        m_budget.spend(value ? value->size() / 16 : 0);
        const std::vector<Arch> archs = archs_in(name, value ? variables().expanded_partly(*value) : "");
        std::map<ArchRequest, ArchUse> before;
        if (runs == Truth::yes) before = taken(name);
        for (const Arch arch : archs) {
            if (is_for_no_board(arch)) continue;
            const ArchRequest request{name, arch};
            const Place literal = place_of(name, arch, command, 1, command.arguments.size());
            const auto old = runs == Truth::yes ? before.find(request) : m_result.uses.find(request);
            const bool had = runs == Truth::yes ? old != before.end() : old != m_result.uses.end();
            const Place first = {command.line, command.column};
            m_result.uses[request] = {literal.line ? literal
                                      : had        ? old->second.place
                                                   : first,
                                      is_passed(name)};
        }
    }

    std::map<ArchRequest, ArchUse> taken(const std::string& name) {
        std::map<ArchRequest, ArchUse> all;
        auto at = m_result.uses.lower_bound({name, Arch{}});
        while (at != m_result.uses.end() && at->first.name == name) {
            all.insert(*at);
            at = m_result.uses.erase(at);
        }
        return all;
    }

    // Of the argument that has it as a text; no line: none has.
    static Place place_of(const std::string& name, Arch arch, const CMakeCommand& command, std::size_t first,
                          std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (const Arch one : archs_in(name, command.arguments[i]))
                if (one == arch) return {command.lines[i], command.columns[i]};
        return {};
    }

    // To nvcc, unless a condition on an architecture or a GPU may decide otherwise.
    bool is_passed(const std::string& name) const {
        const bool is_read = name == "CMAKE_CUDA_ARCHITECTURES" || name == "CUDA_ARCHITECTURES" ||
                             is_flags_variable(name) || takes_flags(name);
        return is_read && all_of(blocks(), [](const Block& block) {
                   return block.now == Truth::yes || is_switch(block.condition);
               });
    }

    // if(USE_CUDA AND NOT APPLE)
    static bool is_switch(const std::vector<std::string>& condition) {
        return !condition.empty() && all_of(condition, [](const std::string& word) {
            return none_of(word, [](char c) { return is_digit(c) || c == '$'; }) &&
                   word.find("ARCH") == npos && word.find("VER") == npos && word.find("SM") == npos &&
                   word.find("LESS") == npos && word.find("GREATER") == npos && word.find("EQUAL") == npos &&
                   word != "MATCHES" && word != "IN_LIST";
        });
    }

    void properties(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        const auto archs = std::find(words.begin(), words.end(), "CUDA_ARCHITECTURES");
        if (archs == words.end()) return add("properties", command, 0, words.size());  // with flags
        const auto first = static_cast<std::size_t>(archs - words.begin()) + 1;
        const bool list = command.name == "set_property";
        add("CUDA_ARCHITECTURES", command, first, list ? words.size() : std::min(first + 1, words.size()));
    }

    void add(const std::string& name, const CMakeCommand& command, std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i)
            for (const Arch arch : archs_in(name, variables().expanded_partly(command.arguments[i])))
                if (!is_for_no_board(arch))
                    m_result.uses[{name, arch}] = {{command.lines[i], command.columns[i]}, is_passed(name)};
    }

    // In if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64"), an architecture of Jetson boards: JetPack 4 ends with
    // CUDA 10.2, JetPack 5 begins with 11.4.
    bool is_for_no_board(Arch arch) const {
        const Version last = *parse_version("10.2"), next = *parse_version("11.4");
        const bool of_jetson =
            arch.number == 53 || arch.number == 62 || arch.number == 72 || arch.number == 87;
        return of_jetson && last < m_result.release && m_result.release < next &&
               any_of(blocks(), [](const Block& block) { return names_arm(block.condition); });
    }
    static bool names_arm(const std::vector<std::string>& condition) {
        return !contains(condition, std::string("NOT")) && any_of(condition, [](const std::string& word) {
            const std::string name = lower(word);
            return any_of(std::initializer_list<const char*>{"aarch64", "arm64", "jetson", "tegra"},
                          [&](const char* part) { return name.find(part) != npos; });
        });
    }

    // A project that needs a newer CUDA does not run with this one.
    void find_package(const std::vector<std::string>& words) {
        if (words.size() < 2 || (words[0] != "CUDA" && words[0] != "CUDAToolkit")) return;
        const std::string wanted = variables().expanded(words[1]);
        const auto version = parse_version(wanted.substr(0, wanted.find("...")));
        if (!version) return;
        const bool same = same_release(m_result.release, *version);
        const bool exact = words.size() > 2 && words[2] == "EXACT";
        m_result.refused = m_result.refused || (!same && (exact || m_result.release < *version));
    }

    Budget& m_budget;
    ReleaseRequests m_result;
};

}  // namespace

std::shared_ptr<const GatedScript> gated_script(const std::string& file,
                                                const std::vector<CMakeCommand>& commands) {
    const Version any = *parse_version("12.0");
    const auto compares = [&](const CMakeCommand& command) {
        return (command.name == "if" || command.name == "elseif") &&
               any_of(command.arguments, [&](const std::string& word) {
                   const std::string name = dereferenced(word);
                   return release_in(name.empty() ? word : name, any).has_value();
               });
    };
    if (!any_of(commands, compares)) return nullptr;
    return std::make_shared<GatedScript>(GatedScript{file, commands, {}});
}

ReleaseRequests requests_for(const GatedScript& script, const Version& release, Budget& budget) {
    if (script.python) return python_requests_for(script, release, budget);
    return ArchExecution(release, budget).requests(script);
}

}  // namespace ptxguard::recipes
