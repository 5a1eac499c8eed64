// SPDX-License-Identifier: Apache-2.0
#include "judge/list_spelling.hpp"

#include "model/arch.hpp"
#include "model/say.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A word that no list contains.
constexpr const char* k_misspelt = "(misspelt)";

bool is_special(const std::string& entry) {
    return entry == "all" || entry == "all-major" || entry == "native";
}

bool drop(std::string& text, const std::string& end) {
    if (!ends_with(text, end)) return false;
    text.resize(text.size() - end.size());
    return true;
}

// Digits, perhaps "a" or "f", perhaps "-real" or "-virtual".
bool is_read(std::string entry) {
    if (!drop(entry, "-real")) drop(entry, "-virtual");
    return !entry.empty() && is_digit(entry.front()) && entry.find('.') == std::string::npos &&
           parse_arch(entry);
}

// What was meant by one word: 8.0, sm_80, 80+PTX.
std::string meant_by(std::string word) {
    std::string end;
    if (drop(word, "-real"))
        end = "-real";
    else if (drop(word, "-virtual") || starts_with(word, "compute_"))
        end = "-virtual";
    for (const char* ptx : {"+PTX", "-PTX", "+ptx", "-ptx"}) drop(word, ptx);
    const auto arch = parse_arch(lower(word));
    return arch ? arch->name() + end : "";
}

}  // namespace

std::optional<Misspelt> misspelt_in(const std::string& list) {
    Misspelt wrong;
    const std::vector<std::string> entries = split(list, ";");
    if (entries.size() == 1 && is_special(entries.front())) return std::nullopt;
    std::vector<std::string> right;
    bool known = true;
    for (const std::string& entry : entries) {
        if (!is_read(entry)) wrong.entries.push_back(entry);
        if (is_special(entry)) right = {entry};
        for (const std::string& word : split(entry, " ,\t\n")) {
            if (right.size() == 1 && is_special(right.front())) break;
            right.push_back(is_read(word) ? word : meant_by(word));
            known = known && !right.back().empty();
        }
    }
    if (wrong.entries.empty()) return std::nullopt;
    for (const std::string& word : right) wrong.right += wrong.right.empty() ? word : SAY(";{}", word);
    if (!known) wrong.right.clear();
    return wrong;
}

void mark_misspelt(Scenario& scenario) { scenario.project.archs.words = {k_misspelt}; }

bool is_misspelt(const Scenario& scenario) {
    return scenario.project.archs.words == std::vector<std::string>{k_misspelt};
}

}  // namespace ptxguard
