// pip installs the newest release in all indexes and find-links pages; of one release the one with the
// highest local version (2.0.1+cu118 before 2.0.1). uv uses the first index that has the package, and extra
// indexes come before the default one.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/pins.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <set>

#include "host/paths.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/marker.hpp"
#include "python/requirement.hpp"
#include "python/specifier.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/installers/pip_options.hpp"
#include "recipes/python/marker_choice.hpp"
#include "recipes/python/requirements.hpp"
#include "recipes/resolution/candidates.hpp"
#include "recipes/resolution/marker_slips.hpp"

namespace ptxguard::recipes {
namespace {

bool is_build(std::string_view text) {
    if (text == "cpu" || text == "xpu") return true;
    const std::size_t head = starts_with(text, "cu") ? 2 : starts_with(text, "rocm") ? 4 : 0;
    return head > 0 && text.size() > head && is_digit(text[head]) &&
           text.find_first_not_of("0123456789.", head) == std::string_view::npos;
}

// A name between two delimiters: the rest of a version may be around those that no version contains.
bool has_name_between(std::string_view text, std::string_view open, std::string_view close) {
    for (std::size_t at = text.find(open); at != npos; at = text.find(open, at + 1)) {
        std::size_t end = at + open.size();
        if (end >= text.size() || is_digit(text[end])) continue;
        while (end < text.size() &&
               (std::isalnum(static_cast<unsigned char>(text[end])) || std::strchr("_.-", text[end])))
            ++end;
        if (end > at + open.size() && text.substr(end, close.size()) == close) return true;
    }
    return false;
}

// torch=={{version}}, =={version}, ==<version>, ==@VERSION@, ==%(version)s, ==__VERSION__: another program
// fills it in. So it does where a default says that a value is missing: ARG VERSION=?.
bool is_template(const Written& whole) {
    const std::string_view text = whole.text;
    if (text.find("{{") != npos || text.find("<%") != npos) return true;
    const std::size_t sign = text.find("==");
    const std::string_view version = sign == npos ? "" : trimmed(text.substr(sign + 2));
    for (const auto& [open, close] : {std::pair{"{", "}"}, std::pair{"[[", "]]"}, std::pair{"%(", ")s"}})
        if (has_name_between(version, open, close)) return true;
    for (const auto& [open, close] : {std::pair{"<", ">"}, std::pair{"@", "@"}, std::pair{"%", "%"},
                                      std::pair{"$", "$"}, std::pair{"__", "__"}})
        if (starts_with(version, open) && version.size() > 2 && ends_with(version, close)) return true;
    const bool none = version.find_first_not_of("?!-") == npos;
    return !whole.fixed && !version.empty() &&
           (none || is_one_of(lower(std::string(version)),
                              {"none", "null", "unset", "undefined", "required", "todo", "tbd", "changeme"}));
}

RecipePin pin_of(const WrittenRequirement& requirement, const std::string& tool, int group) {
    RecipePin pin;
    pin.package = requirement.name;
    pin.by = tool;
    pin.specifier = requirement.specifier;
    pin.extras = requirement.extras;
    pin.marker = requirement.marker;
    pin.group = group;
    pin.origin = origin_of(requirement.whole);
    if (ends_with(requirement.direct, ".whl")) pin.wheel = file_name(requirement.direct);
    if (!requirement.whole.known || is_template(requirement.whole)) return pin;
    // pip does not read the version in a file's name; poetry has its own grammar, in which ranges may have
    // local versions.
    const std::string op = requirement.specifier.substr(0, 1);
    if (tool != "poetry" && !requirement.source && requirement.whole.text.find(op) != std::string::npos)
        pin.unreadable = trouble_of(requirement.specifier);
    pin.ignored = requirement.behind_option;
    if (pin.ignored) pin.unreadable = "nothing behind an option on its line is read";
    if (starts_with(pin.package, "--"))
        pin.unreadable = "no such option; did you mean " + meant_option(pin.package) + "?";
    if (requirement.marker.find(" --") != std::string::npos)
        pin.unreadable = "an option such as --index-url has to stand in a line of its own";
    if (const auto version = exact_version(requirement.specifier)) pin.version = {*version, pin.origin};
    return pin;
}

// "torch==2.0.1 torchvision==0.15.2 --extra-index-url URL" on one line: pip rejects it, but some scripts pass
// such lines to `pip install` one by one.
std::vector<RecipePin> pins_of_line(const WrittenRequirement& requirement, int group) {
    std::vector<RecipePin> pins;
    const std::string& text = requirement.whole.text;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find_first_of(" \t", at), text.size());
        Written word = requirement.whole;
        word.text = text.substr(at, end - at);
        word.column += static_cast<int>(at);
        at = std::min(text.find_first_not_of(" \t", end), text.size());
        if (word.text[0] == '-') break;
        const WrittenRequirement one = read_requirement(word);
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

// `passed_by_script`: a script passes the options behind requirements to pip.
void add_indexes(const PipInstall& step, int group, bool passed_by_script, RecipeFacts& recipe) {
    // pip prefers none of its indexes: PyPI beside another one is what it searches without any.
    const bool adds_pypi = step.tool == "pip" && any_of(step.extra_indexes, [](const Written& one) {
                               return has_only_pypi(one.text);
                           });
    add_index(step.index, adds_pypi ? IndexUse::extra : IndexUse::only, group, recipe);
    for (const Written& one : step.extra_indexes) add_index(one, IndexUse::extra, group, recipe);
    for (const Written& one : step.find_links) add_index(one, IndexUse::links, group, recipe);
    for (const Written& one : step.ignored_indexes)
        (passed_by_script ? recipe.indexes : recipe.ignored_indexes)
            .push_back(index_of(one, IndexUse::extra, group));
    for (const IgnoredSource& one : step.ignored_sources) {
        Written index = one.source;
        index.text = one.index;
        recipe.ignored_indexes.push_back(index_of(index, IndexUse::only, group));
        recipe.ignored_indexes.back().package = one.package;
    }
    if (step.torch_backend && step.torch_backend.text != "auto") {
        RecipeIndex index;
        index.url = "https://download.pytorch.org/whl/" + step.torch_backend.text;
        index.build = step.torch_backend.text;
        index.use = IndexUse::extra;  // of PyTorch's packages only, which come from there
        index.group = group;
        index.origin = origin_of(step.torch_backend);
        recipe.indexes.push_back(std::move(index));
    }
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

void add_removed(const std::string& package, const std::string& by, int group, RecipeFacts& recipe) {
    recipe.removed.emplace_back();
    recipe.removed.back().package = package;
    recipe.removed.back().group = group;
    recipe.removed.back().by = by;
}

// `uv sync --extra cpu`, and later `uv sync --extra gpu`: the second one removes what only the first
// requests.
void remove_others(const PipInstall& step, int group, RecipeFacts& recipe) {
    if (!step.exact || step.requirements.empty() || step.unread) return;
    std::set<std::string> kept;
    for (const WrittenRequirement& requirement : step.requirements) kept.insert(requirement.name);
    std::set<std::string> others;
    for (const RecipePin& pin : recipe.pins)
        if (pin.is_from_pypi() && kept.count(pin.package) == 0) others.insert(pin.package);
    for (const std::string& package : others) add_removed(package, step.tool, group, recipe);
}

void add_constraints(const PipInstall& step, int group, const MarkerEnvironment& usual, RecipeFacts& recipe) {
    for (const WrittenRequirement& constraint : step.constraints)
        if (!constraint.name.empty() && holds(constraint.marker, usual) != Truth::no)
            recipe.constraints.push_back(pin_of(constraint, step.tool, group));
}

// What an empty variable has left in a package of NVIDIA's repository: "libnccl2=2.26.2-1+cuda.",
// "libcudnn8=", "cuda-nvcc--". apt takes a "-" at the end as a request to remove the package.
bool has_hole(const AptPackage& package) {
    const std::string& name = package.name;
    if (!starts_with_any(name, {"cuda-", "libcu", "libnccl", "libnv"}) || !package.whole.known) return false;
    const std::string& version = package.version;
    const std::size_t cuda = version.find("+cuda");
    const bool ends_open = ends_with(version, ".") || ends_with(version, "+cuda");
    const bool starts_open = !version.empty() && (version[0] == '-' || version[0] == '+');
    const bool no_major = cuda != npos && cuda + 5 < version.size() && version[cuda + 5] == '.';
    return ends_open || starts_open || no_major || ends_with(package.whole.text, "=") ||
           (ends_with(name, "-") && name.size() > 1 && !is_digit(name[name.size() - 2]));
}

}  // namespace

Written index_here(const WrittenRequirement& requirement, const MarkerEnvironment& environment) {
    if (!requirement.sources) return requirement.index;
    bool of_source = false;
    for (const auto& [marker, index] : *requirement.sources) {
        if (holds(marker, environment) != Truth::no) return requirement.index;
        of_source = of_source || index.text == requirement.index.text;
    }
    return of_source ? Written{} : requirement.index;
}

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
    const std::string page = file_of(std::string(url));
    const std::size_t plus = page.find('+');
    if (plus != std::string::npos) {
        std::string build = page.substr(plus + 1);
        if (ends_with(build, ".html")) build.resize(build.size() - 5);
        if (is_build(build)) return build;
    }
    for (const std::string& part : split(url, "/_")) {  // py310_cu121_pyt210, torch-2.4.0_cu121.html
        const std::string build = part.substr(0, part.find(".html"));
        if (is_build(build)) return build;
    }
    return "";
}

std::optional<Version> conda_version(const std::string& version) {
    std::string text = trim(version);
    while (!text.empty() && text[0] == '=') text.erase(0, 1);
    if (text.empty() || text.find_first_of("<>!|,") != std::string::npos) return std::nullopt;
    while (!text.empty() && (text.back() == '*' || text.back() == '.')) text.pop_back();
    return parse_version(text);
}

namespace {

// Whether the line has several, which a script passes to pip one by one.
bool add_line(const WrittenRequirement& requirement, RecipePin pin, RecipeFacts& recipe) {
    const auto several = pin.unreadable.empty() || !requirement.marker.empty()
                             ? std::vector<RecipePin>{}
                             : pins_of_line(requirement, pin.group);
    if (several.size() > 1)
        append(recipe.pins, several);
    else
        recipe.pins.push_back(std::move(pin));
    return several.size() > 1;
}

RecipePin pin_of_command(const WrittenRequirement& requirement, const PipInstall& step, int group) {
    RecipePin pin = pin_of(requirement, step.tool, group);
    pin.no_deps = step.no_deps || requirement.locked;
    pin.pre = step.pre;
    pin.upgrade = step.upgrade;
    pin.source = requirement.source;
    // "cupy-cuda${CUDA}": another package.
    const std::string& text = requirement.whole.text;
    const bool other_package = text.find('$') < text.find_first_of("=<>!~;@");
    // A file or repository may be of another release.
    pin.open = step.unread || (requirement.url && !requirement.source) || other_package;
    pin.first_index = step.tool == "uv" && step.index_strategy != "unsafe-best-match";
    return pin;
}

}  // namespace

void add_pins(const PipInstall& step, int group, const MarkerEnvironment& environment,
              const std::string& python, RecipeFacts& recipe) {
    std::map<std::string, int> own;  // indexes of single packages: their pins are separate groups
    // Several requirements in one line: a script passes the lines to pip, with their options.
    bool passed_by_script = false;
    if (recipe.pins.empty()) recipe.pins.reserve(step.requirements.size());
    remove_others(step, group, recipe);
    const std::size_t first = recipe.pins.size();
    MarkerEnvironment macos = environment;
    macos.system = "darwin";
    macos.machine.clear();
    for (const WrittenRequirement& requirement : step.requirements) {
        if (requirement.name.empty()) continue;
        const Truth here = holds(requirement.marker, environment);
        const Written index = index_here(requirement, environment);
        const int of = index ? group_of_index(index, own, recipe) : group;
        RecipePin pin = pin_of_command(requirement, step, of);
        if (of != group) pin.command = group;
        if (here == Truth::no && holds(requirement.marker, macos) == Truth::yes)
            recipe.pins_for_macos.push_back(std::move(pin));
        if (here == Truth::no) continue;
        // A Python or a system that this recipe does not name decides; the machine is the usual one.
        pin.origin.overridable =
            pin.origin.overridable ||
            (here == Truth::unknown && holds(requirement.marker, usual(environment)) != Truth::yes);
        passed_by_script = add_line(requirement, std::move(pin), recipe) || passed_by_script;
    }
    choose_by_markers(environment, python, recipe.pins, first);
    for (MarkerSlip& slip : marker_slips(step)) recipe.marker_slips.push_back(std::move(slip));
    for (const std::string& package : step.removed) add_removed(package, step.tool, group, recipe);
    add_constraints(step, group, usual(environment), recipe);
    add_indexes(step, group, passed_by_script, recipe);
}

void add_pins(const CondaInstall& step, int group, RecipeFacts& recipe) {
    for (const CondaSpec& spec : step.specs) {
        RecipePin pin;
        pin.package = spec.name;
        pin.by = "conda";
        pin.specifier = spec.version;
        pin.build = spec.build;
        pin.channel = spec.channel;
        pin.group = group;
        pin.origin = origin_of(spec.whole);
        const auto version = spec.whole.known ? conda_version(spec.version) : std::nullopt;
        if (version) pin.version = {*version, pin.origin};
        // cudatoolkit101, cudatoolkit${CUDA}: no package has the release in its name.
        if (starts_with(spec.whole.text, "cudatoolkit") && spec.whole.text.size() > 11 &&
            (is_digit(spec.whole.text[11]) || spec.whole.text[11] == '$'))
            pin.unreadable = "there is no such package; the version needs '=' before it";
        if (spec.name == "torch") pin.unreadable = "there is no such package; conda's name is pytorch";
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
        if (has_hole(package)) pin.unreadable = "a variable in it is empty";
        recipe.pins.push_back(std::move(pin));
    }
}

}  // namespace ptxguard::recipes
