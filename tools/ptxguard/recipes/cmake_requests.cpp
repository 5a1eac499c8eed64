// SPDX-License-Identifier: Apache-2.0
#include "recipes/arch_requests.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arch_gates.hpp"
#include "recipes/branches.hpp"
#include "recipes/cmake_condition.hpp"
#include "recipes/cmake_effects.hpp"
#include "recipes/release_words.hpp"

namespace ptxguard::recipes {
namespace {

constexpr std::size_t k_items_of_a_loop = 100;  // longer lists are no lists of architectures

class Follower {
public:
    Follower(const GatedScript& script, const Version& release, Budget& budget)
        : m_file(script.file), m_commands(script.commands), m_budget(budget) {
        m_result.release = release;
    }

    ReleaseRequests follow() {
        run(0, m_commands.size());
        collect({});
        return std::move(m_result);
    }

private:
    using Values = std::map<std::string, CMakeWord>;

    // What the variables request at the end of a scope, without those that it has from `outside`.
    void collect(const Values& outside) {
        for (const auto& [name, value] : m_values) {
            const auto before = outside.find(name);
            if (before != outside.end() && before->second.text == value.text) continue;
            for (const Arch arch : archs_in(name, value.text)) {
                const auto place = m_places.find({name, arch});
                if (place != m_places.end()) m_result.places.insert(*place);
            }
        }
    }

    void run(std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
            const CMakeCommand& command = m_commands[i];
            if (!m_budget.spend_at(Budget::Place{m_file, command.line, command.column}, 1)) return;
            const std::string& name = command.name;
            if (name == "if" || name == "elseif" || name == "else" || name == "endif") {
                branch(command);
            } else if (active(m_branches) == Truth::no) {
                continue;
            } else if (name == "foreach") {
                const std::size_t end = end_of_block(m_commands, i, last);
                loop(command, i + 1, end);
                i = end;
            } else if (name == "function") {
                m_budget.spend(m_values.size() / 4);
                m_scopes.push_back(m_values);
            } else if (name == "endfunction" && !m_scopes.empty()) {
                collect(m_scopes.back());
                m_values = std::move(m_scopes.back());
                m_scopes.pop_back();
            } else if (name == "return" && active(m_branches) == Truth::yes) {
                while (i + 1 < last && m_commands[i + 1].name != "endfunction") leave(m_commands[++i]);
            } else {
                one(command);
            }
        }
    }

    // Skipped after return().
    void leave(const CMakeCommand& command) {
        if (command.name == "if") m_branches.push_back({Truth::no, Truth::yes, false});
        if (command.name == "endif" && !m_branches.empty()) m_branches.pop_back();
    }

    void branch(const CMakeCommand& command) {
        if (command.name == "endif") {
            if (!m_branches.empty()) m_branches.pop_back();
            return;
        }
        if (command.name == "if") m_branches.push_back(begun_in(m_branches));
        if (m_branches.empty()) return;
        Branch& here = m_branches.back();
        if (here.next()) here.run_if(command.name == "else" ? Truth::yes : condition(command, here));
    }

    Truth condition(const CMakeCommand& command, Branch& here) {
        std::vector<CMakeWord> words;
        for (const std::string& argument : command.arguments) words.push_back(expanded(argument));
        const CMakeTruth truth =
            cmake_condition(words, [&](const std::string& name) { return value_of(name); });
        here.of_release = here.of_release || truth.of_release;
        if (truth.of_release) m_result.conditions[command.line] = truth.value;
        return truth.value;
    }

    std::optional<CMakeWord> value_of(const std::string& name) const {
        const auto found = m_values.find(name);
        if (found != m_values.end() && found->second.known) return found->second;
        if (auto release = release_in(name, m_result.release)) return CMakeWord{*release, true, true};
        return std::nullopt;
    }

    // "${A}/${B}"; what is not known is empty.
    CMakeWord expanded(const std::string& text) const {
        CMakeWord word{text};
        for (int steps = 0; steps < 50; ++steps) {
            const std::size_t close = word.text.find('}');
            const std::size_t open = close == npos ? npos : word.text.rfind("${", close);
            if (open == npos) break;
            const std::string name = word.text.substr(open + 2, close - open - 2);
            const auto value = value_of(name);
            const auto partly = m_values.find(name);  // the part of a list that is known
            word.known = word.known && value;
            word.of_release = word.of_release || (value && value->of_release);
            word.text.replace(open, close + 1 - open,
                              value                      ? value->text
                              : partly != m_values.end() ? partly->second.text
                                                         : "");
            m_budget.spend_bytes(word.text.size());
        }
        return word;
    }

    void loop(const CMakeCommand& command, std::size_t first, std::size_t last) {
        const std::vector<std::string>& words = command.arguments;
        if (words.empty()) return;
        std::vector<std::string> items;
        for (const ForeachItem& one : foreach_items(command).value_or(std::vector<ForeachItem>())) {
            const std::string& word = words[one.argument];
            const CMakeWord value = expanded(one.list ? "${" + word + "}" : word);
            for (std::string& item : split(value.text, ";")) items.push_back(std::move(item));
        }
        const std::size_t depth = m_branches.size();
        if (items.empty() || items.size() > k_items_of_a_loop) {
            m_values[words[0]] = {"", false};
            run(first, last);
        } else {
            for (const std::string& item : items) {
                m_values[words[0]] = {item};
                run(first, last);
                m_branches.resize(std::min(m_branches.size(), depth));
            }
        }
        m_branches.resize(std::min(m_branches.size(), depth));
    }

    void one(const CMakeCommand& command) {
        const std::string& name = command.name;
        const std::vector<std::string>& words = command.arguments;
        if (name == "set") return set(command);
        if (name == "list") return list(command);
        if (name == "string") return string(command);
        if (name == "math" && words.size() > 1) m_values[words[1]] = {"", false};
        if (name == "find_package") return find_package(words);
        if (name == "message" && !words.empty() && (words[0] == "FATAL_ERROR" || words[0] == "SEND_ERROR")) {
            m_result.refused = m_result.refused || any_of_release(m_branches);
            return;
        }
        if (name == "set_property" || name == "set_target_properties") return properties(command);
        if (takes_flags(name)) return add(name, command, 0, words.size());
        if (name == "cuda_select_nvcc_arch_flags") add("ARCH of " + name, command, 1, words.size());
    }

    void properties(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        const auto archs = std::find(words.begin(), words.end(), "CUDA_ARCHITECTURES");
        if (archs == words.end()) return add("properties", command, 0, words.size());  // with flags
        const auto first = static_cast<std::size_t>(archs - words.begin()) + 1;
        const bool list = command.name == "set_property";
        add("CUDA_ARCHITECTURES", command, first, list ? words.size() : std::min(first + 1, words.size()));
    }

    // The arguments [first, last), appended to the variable's list.
    void add(const std::string& variable, const CMakeCommand& command, std::size_t first, std::size_t last,
             const char* between = ";") {
        CMakeWord& value = m_values[variable];
        for (std::size_t i = first; i < last; ++i) {
            const CMakeWord more = expanded(command.arguments[i]);
            for (const Arch arch : archs_in(variable, more.text))
                m_places[{variable, arch}] = {command.lines[i], command.columns[i]};
            if (!value.text.empty()) value.text += between;
            value.text += more.text;
            value.known = value.known && more.known;
            value.of_release = value.of_release || more.of_release;
        }
        m_budget.spend_bytes(value.text.size());
    }

    void set(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        if (words.empty()) return;
        const std::string name = expanded(words[0]).text;
        if (name.empty()) return;  // one of the caller's
        const auto end = std::find_if(words.begin() + 1, words.end(), [](const std::string& word) {
            return word == "CACHE" || word == "PARENT_SCOPE";
        });
        const bool is_default = end != words.end() && *end == "CACHE" && words.back() != "FORCE";
        if (is_default && m_values.count(name)) return;
        // `set(X ${X} more)` reads the old value.
        CMakeWord before = m_values[name];
        const auto last = static_cast<std::size_t>(end - words.begin());
        CMakeWord now;
        for (std::size_t i = 1; i < last; ++i) {
            const CMakeWord more = expanded(words[i]);
            for (const Arch arch : archs_in(name, more.text))
                if (archs_in(name, words[i]).size() || !m_places.count({name, arch}))
                    m_places[{name, arch}] = {command.lines[i], command.columns[i]};
            now.text += (now.text.empty() ? "" : ";") + more.text;
            now.known = now.known && more.known;
            now.of_release = now.of_release || more.of_release;
        }
        if (active(m_branches) == Truth::unknown) {
            now.known = false;
            // Both values: `set(X ${X} more)` has the old one in it.
            if (now.text.find(before.text) == npos) now.text = before.text + ";" + now.text;
        }
        m_budget.spend_bytes(now.text.size());
        if (words.back() == "PARENT_SCOPE" && !m_scopes.empty()) m_scopes.back()[name] = now;
        m_values[name] = std::move(now);
    }

    void list(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        if (words.size() < 2) return;
        const std::string name = expanded(words[1]).text;
        if (words[0] == "APPEND" || words[0] == "PREPEND") return add(name, command, 2, words.size());
        if (words[0] == "LENGTH" || words[0] == "GET" || words[0] == "FIND" || words[0] == "JOIN") {
            m_values[words.back()] = {"", false};
        } else if (words[0] == "REMOVE_ITEM" && active(m_branches) == Truth::yes) {
            std::vector<std::string> gone;
            for (std::size_t i = 2; i < words.size(); ++i)
                for (std::string& item : split(expanded(words[i]).text, ";")) gone.push_back(std::move(item));
            std::string left;
            for (const std::string& item : split(m_values[name].text, ";"))
                if (std::find(gone.begin(), gone.end(), item) == gone.end())
                    left += (left.empty() ? "" : ";") + item;
            m_values[name].text = left;
        }
    }

    void string(const CMakeCommand& command) {
        const std::vector<std::string>& words = command.arguments;
        if (words.size() < 2) return;
        if (words[0] == "APPEND") return add(expanded(words[1]).text, command, 2, words.size(), "");
        const std::size_t out = words[0] == "REPLACE" ? 3
                                : words[0] == "REGEX" ? (words[1] == "REPLACE" ? 4 : 3)
                                : words[0] == "JOIN"  ? 2
                                                      : words.size();
        for (std::size_t i = 1; i < words.size(); ++i)
            if (i == out || out == words.size()) m_values[words[i]] = {"", false};
    }

    // A project that needs a newer CUDA does not run with this one.
    void find_package(const std::vector<std::string>& words) {
        if (words.size() < 2 || (words[0] != "CUDA" && words[0] != "CUDAToolkit")) return;
        const CMakeWord wanted = expanded(words[1]);
        const auto version = parse_version(wanted.text.substr(0, wanted.text.find("...")));
        if (!version || !wanted.known) return;
        const bool older = m_result.release < *version && !same_release(m_result.release, *version);
        const bool exact = words.size() > 2 && words[2] == "EXACT";
        m_result.refused = m_result.refused || older || (exact && !same_release(m_result.release, *version));
    }

    const std::string& m_file;
    const std::vector<CMakeCommand>& m_commands;
    Budget& m_budget;
    std::vector<Branch> m_branches;
    Values m_values;
    std::vector<Values> m_scopes;  // the variables around each function that is open
    std::map<ArchRequest, Place> m_places;
    ReleaseRequests m_result;
};

}  // namespace

std::shared_ptr<const GatedScript> gated_script(const std::string& file,
                                                const std::vector<CMakeCommand>& commands) {
    const Version any = *parse_version("12.0");
    const auto compares = [&](const CMakeCommand& command) {
        return (command.name == "if" || command.name == "elseif") &&
               std::any_of(command.arguments.begin(), command.arguments.end(), [&](const std::string& word) {
                   const std::string name = dereferenced(word);
                   return release_in(name.empty() ? word : name, any).has_value();
               });
    };
    if (!std::any_of(commands.begin(), commands.end(), compares)) return nullptr;
    return std::make_shared<GatedScript>(GatedScript{file, commands, {}});
}

std::shared_ptr<const GatedScript> gated_script(const std::string& file, std::string_view python) {
    GatedScript script{file, {}, statements_of(python)};
    return compares_release(script.python) ? std::make_shared<GatedScript>(std::move(script)) : nullptr;
}

ReleaseRequests requests_for(const GatedScript& script, const Version& release, Budget& budget) {
    if (!script.python.empty()) return python_requests_for(script, release, budget);
    return Follower(script, release, budget).follow();
}

}  // namespace ptxguard::recipes
