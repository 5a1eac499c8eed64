// pip installs the newest release in all indexes and find-links pages; of one release the one with the
// highest local version (2.0.1+cu118 before 2.0.1). uv uses the first index that has the package, and extra
// indexes come before the default one.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/pins.hpp"

#include <algorithm>
#include <map>

#include "formats/wheel_metadata.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/images.hpp"
#include "recipes/requirements.hpp"

namespace ptxguard::recipes {
namespace {

bool is_build(std::string_view text) {
    if (text == "cpu" || text == "xpu") return true;
    const std::size_t head = starts_with(text, "cu") ? 2 : starts_with(text, "rocm") ? 4 : 0;
    return head > 0 && text.size() > head && is_digit(text[head]) &&
           text.find_first_not_of("0123456789.", head) == std::string_view::npos;
}

bool takes(std::string_view& rest, std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
        if (rest.substr(0, word.size()) != word) continue;
        rest.remove_prefix(word.size());
        return true;
    }
    return false;
}
void skip_digits(std::string_view& rest) {
    rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
}
// ".dev", "-dev0", "_dev.1": a word of PEP 440 with its separators; its number may be missing.
bool takes_segment(std::string_view& rest, std::initializer_list<std::string_view> words) {
    std::string_view at = rest;
    takes(at, {".", "-", "_"});
    if (!takes(at, words)) return false;
    std::string_view number = at;
    takes(number, {".", "-", "_"});
    if (!number.empty() && is_digit(number[0])) skip_digits(at = number);
    rest = at;
    return true;
}

// PEP 440, as read by pip and uv: 1!2.0, v1.0, 2.0.0a, 2.8.0.dev, 1.0-1, 1.0.post1+cu118.
bool is_python_version(std::string_view text) {
    const std::string plain = lower(text);
    std::string_view rest = plain;
    takes(rest, {"v"});
    if (std::string_view epoch = rest; !epoch.empty() && is_digit(epoch[0])) {
        skip_digits(epoch);
        if (takes(epoch, {"!"})) rest = epoch;
    }
    do {
        if (rest.empty() || !is_digit(rest[0])) return false;
        skip_digits(rest);
    } while (rest.size() > 1 && rest[0] == '.' && is_digit(rest[1]) && takes(rest, {"."}));
    takes_segment(rest, {"alpha", "a", "beta", "b", "preview", "pre", "rc", "c"});
    if (rest.size() > 1 && rest[0] == '-' && is_digit(rest[1]))
        rest.remove_prefix(1), skip_digits(rest);
    else
        takes_segment(rest, {"post", "rev", "r"});
    takes_segment(rest, {"dev"});
    if (!takes(rest, {"+"})) return rest.empty();
    const std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
    return !rest.empty() && letters.find(rest.front()) != rest.npos &&
           letters.find(rest.back()) != rest.npos && std::all_of(rest.begin(), rest.end(), [&](char c) {
               return letters.find(c) != letters.npos || c == '.' || c == '-' || c == '_';
           });
}

// "darwin" for "sys_platform == 'darwin'", "!darwin" for "!="; empty if it contains no system, or joins
// alternatives.
std::string system_of(const std::string& marker) {
    const std::string plain = lower(marker);
    if (plain.find(" or ") != std::string::npos) return "";
    for (const std::string system : {"darwin", "win32", "linux", "windows"}) {
        const std::size_t at = std::min(plain.find("'" + system + "'"), plain.find('"' + system + '"'));
        if (at == std::string::npos) continue;
        const std::size_t sign = plain.find_last_not_of(' ', at - 1);
        if (sign == std::string::npos || sign == 0 || plain[sign] != '=') continue;
        const std::string name = system == "windows" ? "win32" : system;
        return plain[sign - 1] == '!' ? "!" + name : name;
    }
    return "";
}

RecipePin pin_of(const Requirement& requirement, const std::string& tool, int group) {
    RecipePin pin;
    pin.package = requirement.name;
    pin.by = tool;
    pin.specifier = requirement.specifier;
    pin.extras = requirement.extras;
    pin.only_on = system_of(requirement.marker);
    pin.group = group;
    pin.origin = origin_of(requirement.whole);
    if (!requirement.whole.known) return pin;
    // pip does not read the version in a file's name; poetry has its own grammar, in which ranges may have
    // local versions.
    const std::string op = requirement.specifier.substr(0, 1);
    if (tool != "poetry" && requirement.whole.text.find(op) != std::string::npos)
        pin.unreadable = trouble_of(requirement.specifier);
    if (requirement.marker.find(" --") != std::string::npos)
        pin.unreadable = "an option such as --index-url has to stand in a line of its own";
    if (const auto version = exact_version(requirement.specifier)) pin.version = {*version, pin.origin};
    return pin;
}

// "torch==2.0.1 torchvision==0.15.2 --extra-index-url URL" on one line: pip rejects it, but some scripts pass
// such lines to `pip install` one by one.
std::vector<RecipePin> pins_of_line(const Requirement& requirement, int group) {
    std::vector<RecipePin> pins;
    const std::string& text = requirement.whole.text;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
        Written word = requirement.whole;
        word.text = text.substr(at, end - at);
        word.column += static_cast<int>(at);
        at = std::min(text.find_first_not_of(" \t", end), text.size());
        if (word.text[0] == '-') break;
        const Requirement one = read_requirement(word);
        if (one.name.empty() || !trouble_of(one.specifier).empty() || one.specifier.empty()) return {};
        pins.push_back(pin_of(one, "line", group));
    }
    return pins;
}

RecipeIndex index_of(const Written& url, IndexUse use, int group) {
    RecipeIndex index;
    index.url = url.text;
    index.use = use;
    index.build = use == IndexUse::links ? build_of_links(url.text) : build_of_index(url.text);
    index.group = group;
    index.origin = origin_of(url);
    return index;
}

void add_index(const Written& url, IndexUse use, int group, RecipeFacts& recipe) {
    if (url) recipe.indexes.push_back(index_of(url, use, group));
}

// uv's and poetry's sources: the group of the packages that come only from this index.
int group_of_index(const Written& url, std::map<std::string, int>& own, RecipeFacts& recipe) {
    // After all groups of steps, in the order of the indexes.
    const int next = 1000000 + static_cast<int>(recipe.indexes.size());
    const auto [found, is_new] = own.emplace(url.text, next);
    if (!is_new) return found->second;
    add_index(url, IndexUse::only, next, recipe);
    // A marker decides which of several is used.
    if (!url.fixed) recipe.indexes.back().build.clear();
    return next;
}

std::string after_last_slash(std::string_view path) {
    return std::string(path.substr(path.find_last_of('/') + 1));
}

}  // namespace

std::string build_of_index(std::string_view url) {
    std::string_view rest = url;
    while (!rest.empty()) {
        const std::size_t slash = std::min(rest.find('/'), rest.size());
        if (is_build(rest.substr(0, slash))) return std::string(rest.substr(0, slash));
        rest.remove_prefix(std::min(slash + 1, rest.size()));
    }
    return "";
}

std::string build_of_links(std::string_view url) {
    const std::string page = after_last_slash(url);
    const std::size_t plus = page.find('+');
    if (plus != std::string::npos) {
        std::string build = page.substr(plus + 1);
        if (ends_with(build, ".html")) build.resize(build.size() - 5);
        if (is_build(build)) return build;
    }
    return build_of_index(url);
}

std::string trouble_of(const std::string& specifier) {
    for (const Clause& clause : clauses_of(specifier)) {
        static const char* const k_operators[] = {"==", "===", "!=", ">=", "<=", ">", "<", "~="};
        const bool known = std::any_of(std::begin(k_operators), std::end(k_operators),
                                       [&](const char* op) { return clause.op == op; });
        const auto text = [&] { return std::string(clause.op) + std::string(clause.version); };
        if (!known) return "'" + text() + "' is not a version specifier of pip";
        if (clause.op == "===") continue;
        const bool equality = clause.op == "==" || clause.op == "!=";
        const bool star = equality && ends_with(clause.version, ".*");
        if (!is_python_version(clause.version.substr(0, clause.version.size() - (star ? 2 : 0))))
            return "'" + std::string(clause.version) + "' in '" + text() + "' is not a version";
        if (!equality && clause.version.find('+') != std::string::npos)
            return "'" + text() + "': a local version ('+') is allowed behind '==' and '!=' only";
    }
    return "";
}

std::optional<Version> exact_version(const std::string& specifier) {
    const auto clauses = clauses_of(specifier);
    if (clauses.size() != 1 || (clauses[0].op != "==" && clauses[0].op != "===")) return std::nullopt;
    if (ends_with(clauses[0].version, ".*")) return std::nullopt;
    return parse_version(clauses[0].version);
}

std::optional<Version> conda_version(const std::string& version) {
    std::string text = trim(version);
    while (!text.empty() && text[0] == '=') text.erase(0, 1);
    if (text.empty() || text.find_first_of("<>!|,") != std::string::npos) return std::nullopt;
    while (!text.empty() && (text.back() == '*' || text.back() == '.')) text.pop_back();
    return parse_version(text);
}

void add_pins(const PipInstall& step, int group, RecipeFacts& recipe) {
    std::map<std::string, int> own;  // indexes of single packages: their pins are separate groups
    // Several requirements in one line: a script passes the lines to pip, with their options.
    bool passed_by_script = false;
    if (recipe.pins.empty()) recipe.pins.reserve(step.requirements.size());
    for (const Requirement& requirement : step.requirements)
        if (!requirement.name.empty()) {
            const int of = requirement.index ? group_of_index(requirement.index, own, recipe) : group;
            RecipePin pin = pin_of(requirement, step.tool, of);
            pin.no_deps = step.no_deps;
            pin.pre = step.pre;
            pin.first_index = step.tool == "uv" && step.index_strategy != "unsafe-best-match";
            const auto several = pin.unreadable.empty() || !requirement.marker.empty()
                                     ? std::vector<RecipePin>{}
                                     : pins_of_line(requirement, of);
            passed_by_script = passed_by_script || several.size() > 1;
            if (several.size() > 1)
                recipe.pins.insert(recipe.pins.end(), several.begin(), several.end());
            else
                recipe.pins.push_back(std::move(pin));
        }
    add_index(step.index, IndexUse::only, group, recipe);
    for (const Written& one : step.extra_indexes) add_index(one, IndexUse::extra, group, recipe);
    for (const Written& one : step.find_links) add_index(one, IndexUse::links, group, recipe);
    for (const Written& one : step.ignored_indexes)
        (passed_by_script ? recipe.indexes : recipe.ignored_indexes)
            .push_back(index_of(one, IndexUse::extra, group));
    if (step.torch_backend && step.torch_backend.text != "auto") {
        RecipeIndex index;
        index.url = "https://download.pytorch.org/whl/" + step.torch_backend.text;
        index.build = step.torch_backend.text;
        index.group = group;
        index.origin = origin_of(step.torch_backend);
        recipe.indexes.push_back(std::move(index));
    }
}

void add_pins(const CondaInstall& step, int group, RecipeFacts& recipe) {
    for (const CondaSpec& spec : step.specs) {
        RecipePin pin;
        pin.package = spec.name;
        pin.by = "conda";
        pin.specifier = spec.version;
        pin.build = spec.build;
        pin.group = group;
        pin.origin = origin_of(spec.whole);
        const auto version = spec.whole.known ? conda_version(spec.version) : std::nullopt;
        if (version) pin.version = {*version, pin.origin};
        // cudatoolkit101, cudatoolkit${CUDA}: no package has the release in its name.
        if (starts_with(spec.whole.text, "cudatoolkit") && spec.whole.text.size() > 11 &&
            (is_digit(spec.whole.text[11]) || spec.whole.text[11] == '$'))
            pin.unreadable = "there is no such package; the version needs '=' before it";
        recipe.pins.push_back(std::move(pin));
        if (spec.channel.empty()) continue;
        Written channel = spec.whole;
        channel.text = spec.channel;
        add_index(channel, IndexUse::only, group, recipe);
    }
    for (const std::string& channel : step.channels) {
        Written written = step.whole;
        written.text = channel;
        add_index(written, IndexUse::only, group, recipe);
    }
}

void add_pins(const AptInstall& step, int group, RecipeFacts& recipe) {
    for (const AptPackage& package : step.packages) {
        RecipePin pin;
        pin.package = package.name;
        pin.by = "apt";
        pin.specifier = package.version;
        pin.group = group;
        pin.origin = origin_of(package.whole);
        const auto version = package.whole.known ? parse_version(package.version) : std::nullopt;
        if (version) pin.version = {*version, pin.origin};
        recipe.pins.push_back(std::move(pin));
    }
}

}  // namespace ptxguard::recipes
