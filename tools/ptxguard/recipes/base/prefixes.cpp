// A table of programs that run the command after their options.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/prefixes.hpp"

#include <algorithm>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

struct Prefix {
    const char* program;
    const char* verb;    // "run" of `conda run`; "" = none
    const char* valued;  // options with a value, separated by blanks
    int operands = 0;    // before the command: the duration of `timeout`
};
constexpr Prefix k_prefixes[] = {
    {"sudo", "", " -u --user -g --group -h --host -p --prompt -C -D --chdir -R -T -r -t "},
    {"doas", "", " -u -C "},
    {"env", "", " -u --unset -C --chdir -S --split-string "},
    {"time", "", " -f --format -o --output "},
    {"nohup", "", ""},
    {"exec", "", " -a "},
    {"command", "", ""},
    {"eatmydata", "", ""},
    {"nice", "", " -n --adjustment "},
    {"ionice", "", " -c --class -n --classdata "},
    {"stdbuf", "", " -i -o -e --input --output --error "},
    {"timeout", "", " -k --kill-after -s --signal ", 1},
    {"setarch", "", "", 1},
    {"chrt", "", "", 1},
    {"xvfb-run", "", " -e -n -s -f -p "},
    {"gosu", "", "", 1},
    {"chroot", "", "", 1},
    {"srun", "", " -n -N -c -p -t -J -A -w -o -e "},
    {"conda", "run", " -n --name -p --prefix --cwd "},
    {"mamba", "run", " -n --name -p --prefix --cwd "},
    {"micromamba", "run", " -n --name -p --prefix --cwd -r --root-prefix "},
    {"poetry", "run", " -C --directory -P --project "},
    {"pdm", "run", " -p --project "},
    {"pipenv", "run", ""},
    {"hatch", "run", ""},
    {"pixi", "run", " -e --environment --manifest-path "},
};

bool names_environment(const std::string& option) {
    return option == "-n" || option == "--name" || option == "-p" || option == "--prefix";
}

// Index of the word after the options at `at`.
std::size_t behind_options(const Prefix& prefix, const std::vector<Written>& words, std::size_t at,
                           std::string& environment) {
    while (at < words.size() && starts_with(words[at].text, "-") && words[at].text.size() > 1) {
        const std::string& option = words[at++].text;
        if (option == "--") break;
        if (std::string_view(prefix.valued).find(" " + option + " ") == std::string_view::npos) continue;
        if (at < words.size() && prefix.verb[0] && names_environment(option)) environment = words[at].text;
        ++at;
    }
    return std::min(at, words.size());
}

// Index of the word after the prefix at `at`; `at` itself if there is none.
std::size_t behind(const Prefix& prefix, const std::vector<Written>& words, std::size_t at,
                   std::string& environment) {
    std::string named;
    std::size_t i = behind_options(prefix, words, at + 1, named);
    if (prefix.verb[0]) {
        if (i >= words.size() || words[i].text != prefix.verb) return at;
        i = behind_options(prefix, words, i + 1, named);
    }
    if (!named.empty()) environment = named;
    return std::min(i + static_cast<std::size_t>(prefix.operands), words.size());
}

bool is_assignment(const std::string& word) {
    const std::size_t length = length_of_name(word);
    return length > 0 && length < word.size() && word[length] == '=';
}

}  // namespace

std::string program_name(std::string_view word) {
    std::string name = lower(word.substr(word.find_last_of("/\\") + 1));  // venv\Scripts\pip.exe too
    if (ends_with(name, ".exe")) name.resize(name.size() - 4);
    return name;
}

Prefixed behind_prefixes(const std::vector<Written>& words, bool environments) {
    Prefixed inner;
    std::size_t& at = inner.begin;
    while (at < words.size()) {
        const std::string name = program_name(words[at].text);
        const auto* prefix = first_where(k_prefixes, [&](const Prefix& one) { return name == one.program; });
        if (!prefix || (prefix->verb[0] && !environments)) break;
        const std::size_t next = behind(*prefix, words, at, inner.environment);
        if (next == at) break;
        at = next;
        const bool assigns = name == "env" || name == "sudo" || name == "doas";
        for (; assigns && at < words.size() && is_assignment(words[at].text); ++at) {
            const std::size_t equals = words[at].text.find('=');
            inner.variables.push_back(
                {words[at].text.substr(0, equals), part_of(words[at], equals + 1), false});
        }
    }
    return inner;
}

}  // namespace ptxguard::recipes
