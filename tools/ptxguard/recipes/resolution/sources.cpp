// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/sources.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/release.hpp"

namespace ptxguard::recipes {
namespace {

// "https://github.com/a/b@v1#subdirectory=c" without "git+", "#..." and "@...".
struct Parts {
    std::string path, ref, below;
};
Parts parts_of(const std::string& url) {
    Parts parts;
    const std::size_t sharp = std::min(url.find('#'), url.size());
    parts.path = url.substr(0, sharp);
    if (const std::size_t at = url.find("subdirectory=", sharp); at != npos)
        parts.below = url.substr(at + 13, url.find('&', at) - at - 13);
    const std::size_t host = parts.path.find("://");
    const std::size_t from = host == npos ? 0 : parts.path.find('/', host + 3);
    if (const std::size_t at = parts.path.find('@', from); at != npos) {
        parts.ref = parts.path.substr(at + 1);
        parts.path.resize(at);
    }
    while (ends_with(parts.path, "/")) parts.path.pop_back();
    if (ends_with(parts.path, ".git")) parts.path.resize(parts.path.size() - 4);
    return parts;
}

// "0.6.3" of "v0.6.3", "tags/v0.6.3"; empty if the name is no release.
std::string release_of_ref(const std::string& ref) {
    std::string name = file_name(ref);
    if (starts_with(name, "v")) name.erase(0, 1);
    return name.find('.') != npos && is_digit(name[0]) && parse_python_release(name) ? name : "";
}

// Its release, as the specifier that its wheel would satisfy.
void name_source(WrittenRequirement& requirement, const PipInstall& step, const Facts& facts) {
    const std::string& url = requirement.url.text;
    if (url.empty() || ends_with(url, ".whl")) return;
    const DeviceSources* row = source_of(url, facts);
    if (!row || !row->pins_torch) return;
    for (const SetVariable& one : step.variables)
        if (one.name == row->target_variable && one.value.text != "cuda") return;
    const std::string ref = ref_of(url), release = release_of_ref(ref);
    requirement.name = row->package;
    requirement.source = !release.empty() || is_default_branch(ref);
    requirement.specifier = release.empty() ? "" : "==" + release;
}

}  // namespace

std::string repository_of(const std::string& url) { return canonical_package(file_name(parts_of(url).path)); }

const DeviceSources* source_of(const std::string& url, const Facts& facts) {
    const RecipeTables& tables = recipe_tables(facts);
    const Parts parts = parts_of(url);
    const std::string name = file_name(parts.path), owner = file_name(parent_path(parts.path));
    for (const std::string& one : {canonical_package(file_name(parts.below)), canonical_package(name),
                                   lower(owner) + "/" + lower(name)})
        if (const DeviceSources* row = one.empty() ? nullptr : tables.source_named(one)) return row;
    return nullptr;
}

std::string ref_of(const std::string& url) { return parts_of(url).ref; }

bool is_default_branch(const std::string& ref) {
    return ref.empty() || ref == "main" || ref == "master" || ref == "HEAD";
}

PipInstall with_sources(PipInstall step, const Facts& facts) {
    for (WrittenRequirement& checkout : step.checkouts) {
        if (!source_of(checkout.url.text, facts)) continue;
        const Written& place = checkout.whole;
        erase_if(step.projects,
                 [&](const Written& one) { return one.line == place.line && one.column == place.column; });
        step.requirements.push_back(checkout);
    }
    for (WrittenRequirement& requirement : step.requirements) name_source(requirement, step, facts);
    return step;
}

}  // namespace ptxguard::recipes
