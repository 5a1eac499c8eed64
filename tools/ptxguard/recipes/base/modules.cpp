// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/modules.hpp"

#include <algorithm>

#include "model/text.hpp"
#include "recipes/base/arguments.hpp"

namespace ptxguard::recipes {
namespace {

const std::vector<std::string> k_toolkits = {"cudatoolkit", "cuda-toolkit", "cuda"};

bool starts_with_number(const std::string& text) { return !text.empty() && is_digit(text[0]); }

std::optional<Version> release_of(const std::string& number) {
    return parse_version(number.substr(0, number.find_first_of("-+")));
}

// "11.2" of cuda-11.2, cuda_11.2, cuda11.2
std::optional<Version> release_in_name(const std::string& part) {
    for (const std::string& name : k_toolkits) {
        if (!starts_with(part, name)) continue;
        const std::size_t at = part.find_first_not_of("-_", name.size());
        const std::string number = at == npos ? "" : part.substr(at);
        if (starts_with_number(number) && number.find('.') != npos) return release_of(number);
    }
    return std::nullopt;
}

}  // namespace

std::vector<Written> modules_loaded_by(const Command& command) {
    const std::vector<Written>& words = command.words;
    if (words.size() < 2 || !is_one_of(words[0].text, {"module", "ml"})) return {};
    const std::string& verb = words[1].text;
    const bool loads = is_one_of(verb, {"load", "add", "try-load", "swap", "switch"});
    const bool is_short = words[0].text == "ml" && (verb.find('/') != npos || starts_with(verb, "-"));
    if (!loads && !is_short) return {};
    std::vector<Written> modules;
    for (std::size_t i = loads ? 2 : 1; i < words.size(); ++i)
        if (words[i].known && !starts_with(words[i].text, "-") && words[i].text.find('=') == npos)
            modules.push_back(words[i]);
    // The last one takes the place of the other.
    if (is_one_of(verb, {"swap", "switch"}) && modules.size() > 1)
        modules.erase(modules.begin(), modules.end() - 1);
    return modules;
}

NamedModule named_module(const std::string& word) {
    const std::vector<std::string> parts = split_fields(lower(word), '/');
    const std::string& last = parts.back();
    NamedModule module{parts.size() > 1 ? parts[parts.size() - 2] : last, {}};
    if (parts.size() > 1 && starts_with_number(last)) {
        // Cray's own release is in front of that of CUDA.
        const std::size_t behind = module.name == "cudatoolkit" ? last.find('_') : npos;
        module.release = release_of(behind == npos ? last : last.substr(behind + 1));
    }
    for (const std::string& part : parts)
        if (const auto release = release_in_name(part)) return {"cuda", release};
    return module;
}

}  // namespace ptxguard::recipes
