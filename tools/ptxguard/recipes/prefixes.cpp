// One table of programs that run the command behind their options.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/prefixes.hpp"

#include <algorithm>
#include <cctype>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/arguments.hpp"

namespace ptxguard::recipes {
namespace {

struct Prefix {
    const char* program;
    const char* verb;    // "run" of `conda run`; "" = none
    const char* valued;  // options that take a value, between blanks
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
    {"gosu", "", "", 1},
    {"chroot", "", "", 1},
    {"conda", "run", " -n --name -p --prefix --cwd "},
    {"mamba", "run", " -n --name -p --prefix --cwd "},
    {"micromamba", "run", " -n --name -p --prefix --cwd -r --root-prefix "},
    {"poetry", "run", " -C --directory -P --project "},
    {"pdm", "run", " -p --project "},
    {"pipenv", "run", ""},
    {"hatch", "run", ""},
    {"pixi", "run", " -e --environment --manifest-path "},
    {"srun", "", " -n -N -c -p -t -J -A -w -o -e "},
};

bool is_assignment(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || std::isdigit(static_cast<unsigned char>(word[0])))
        return false;
    return std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                       [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// Index of the command behind the prefix; 0 if the words do not start with it.
std::size_t behind(const Prefix& prefix, const std::vector<Written>& words, std::string& environment) {
    std::size_t at = 0;
    if (lower(file_name(words[at++].text)) != prefix.program) return 0;
    const auto skip_options = [&] {
        while (at < words.size() && starts_with(words[at].text, "-") && words[at].text.size() > 1) {
            const std::string option = words[at++].text;
            if (option == "--") return;
            if (std::string_view(prefix.valued).find(" " + option + " ") == std::string_view::npos) continue;
            if (at < words.size() &&
                (option == "-n" || option == "--name" || option == "-p" || option == "--prefix") &&
                prefix.verb[0])
                environment = words[at].text;
            ++at;
        }
    };
    skip_options();
    if (prefix.verb[0]) {
        if (at >= words.size() || words[at].text != prefix.verb) return 0;
        ++at;
        skip_options();
    }
    at += static_cast<std::size_t>(prefix.operands);
    return at < words.size() ? at : 0;
}

}  // namespace

Command without_prefixes(const Command& command, std::string& environment) {
    Command inner = command;
    for (bool again = true; again && !inner.words.empty();) {
        again = false;
        for (const Prefix& prefix : k_prefixes) {
            std::string named;
            std::size_t at = behind(prefix, inner.words, named);
            if (at == 0) continue;
            if (!named.empty()) environment = named;
            const bool assigns =
                std::string_view(prefix.program) == "env" || std::string_view(prefix.program) == "sudo";
            for (; assigns && at < inner.words.size() && is_assignment(inner.words[at].text); ++at) {
                const Written& word = inner.words[at];
                const std::size_t equals = word.text.find('=');
                inner.variables.push_back({word.text.substr(0, equals), part_of(word, equals + 1), false});
            }
            if (at >= inner.words.size()) return inner;  // `env X=1` alone runs nothing
            inner.words.erase(inner.words.begin(), inner.words.begin() + static_cast<std::ptrdiff_t>(at));
            again = true;
            break;
        }
    }
    return inner;
}

}  // namespace ptxguard::recipes
