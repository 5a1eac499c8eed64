// `ptxguard explain CODE`: a rule's page; without a code the list of rules.
// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "commands/command.hpp"
#include "host/output.hpp"
#include "host/paths.hpp"
#include "judge/judge.hpp"
#include "model/spelling.hpp"

namespace ptxguard {
namespace {

// The page without its front matter.
std::string body(const std::string& page) {
    if (!starts_with(page, "---")) return page;
    auto end = page.find("\n---", 3);
    if (end == std::string::npos) return page;
    auto line = page.find('\n', end + 1);
    std::string text = line == std::string::npos ? "" : page.substr(line + 1);
    return text.substr(std::min(text.find_first_not_of('\n'), text.size()));
}

int list_rules() {
    for (const Rule& rule : rules()) own::print(std::string(rule.code) + "  " + rule.name + "\n");
    return exit_ok;
}

}  // namespace

int run_explain(const Settings& settings) {
    if (settings.arguments.empty()) return list_rules();
    std::string asked = settings.arguments.front();
    std::string code = asked;
    for (char& c : code) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const Rule* rule = find_rule(code);
    if (!rule) rule = find_rule(asked);
    if (!rule) {
        std::vector<std::string> known;
        for (const Rule& one : rules()) known.insert(known.end(), {one.code, one.name});
        own::complain("ptxguard: no rule '" + asked + "'" + did_you_mean(asked, known));
        return exit_usage;
    }
    own::print(std::string(rule->code) + " " + rule->name + "\n\n" + body(rule->page));
    return exit_ok;
}

}  // namespace ptxguard
