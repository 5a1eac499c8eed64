// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/uv_sources.hpp"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "model/ranges.hpp"
#include "python/marker.hpp"
#include "python/requirement.hpp"
#include "recipes/python/marker_places.hpp"
#include "recipes/python/requirements.hpp"

namespace ptxguard::recipes {

void NamedIndexes::add(const std::string& name, Written url, bool only_named) {
    m_urls[name] = std::move(url);
    if (only_named) m_only_named.insert(name);
}
const Written* NamedIndexes::find(const std::string& name) const {
    const auto found = m_urls.find(name);
    return found == m_urls.end() ? nullptr : &found->second;
}

// What all sources of a requirement say; a later one replaces an earlier one.
struct UvSources::Source {
    std::optional<Written> index;
    std::vector<Written> urls;
    bool is_open = false;     // other indexes are possible
    bool is_limited = false;  // to an extra or group that may not be requested
    using ByMarker = std::vector<std::pair<std::string, Written>>;
    std::shared_ptr<ByMarker> by_marker = std::make_shared<ByMarker>();
    void set(WrittenRequirement& requirement) const {
        if (!by_marker->empty()) requirement.sources = by_marker;
        if (index) requirement.index = *index;
        if (!urls.empty()) set_url(requirement);
        if (is_open) requirement.index.fixed = false;
    }

private:
    // Of several URLs, the release that all of them have.
    void set_url(WrittenRequirement& requirement) const {
        const WrittenRequirement own = requirement;
        take_from(urls.back(), requirement);
        const bool same = all_of(urls, [&](const Written& one) {
            WrittenRequirement other = own;
            take_from(one, other);
            return other.specifier == requirement.specifier;
        });
        if (is_open) requirement.direct = own.direct;
        if (is_limited || !same) requirement.specifier = own.specifier;
    }
};

UvSources::UvSources(const Tree& uv, std::string file, const NamedIndexes& indexes)
    : m_file(std::move(file)), m_indexes(indexes) {
    for (const auto& [name, sources] : uv["sources"].members)
        m_sources[canonical_package(name.text)] = &sources;
}

void UvSources::set(std::vector<WrittenRequirement>& requirements, const std::vector<std::string>& extras,
                    bool known) const {
    std::map<std::pair<std::string, std::string>, Source> sources;  // by name and marker
    for (WrittenRequirement& requirement : requirements) {
        if (m_sources.count(requirement.name) == 0) continue;
        const auto [source, fresh] = sources.try_emplace({requirement.name, requirement.marker});
        if (fresh) source->second = source_of(requirement, {extras, known});
        source->second.set(requirement);
    }
}

std::vector<IgnoredSource> UvSources::ignored(const std::set<std::string>& requested) const {
    std::vector<IgnoredSource> ignored;
    for (const auto& [package, sources] : m_sources)
        for (const Tree* source : sources->each()) {
            const Tree& index = (*source)["index"];
            if (requested.count(package) == 0 && m_indexes.is_only_named(index.text))
                ignored.push_back({package, written(index, m_file), m_indexes.find(index.text)->text});
        }
    return ignored;
}

// [tool.uv.sources] NAME = {index = "x", extra = "gpu", marker = "..."}, or a list of them: those that
// the extras allow.
std::vector<const Tree*> UvSources::allowed_sources(const WrittenRequirement& requirement,
                                                    const Extras& extras) const {
    std::vector<const Tree*> allowed;
    const auto named = m_sources.find(requirement.name);
    if (named == m_sources.end()) return allowed;
    for (const Tree* source : named->second->each()) {
        const std::string only = (*source)["extra"] ? (*source)["extra"].text : (*source)["group"].text;
        if (only.empty() || !extras.known || contains(extras.names, only)) allowed.push_back(source);
    }
    return allowed;
}
// Those whose marker holds where the requirement's own does; all, if none has one.
std::vector<const Tree*> UvSources::sources_of(const WrittenRequirement& requirement,
                                               const Extras& extras) const {
    std::vector<const Tree*> allowed = allowed_sources(requirement, extras), here;
    const MarkerEnvironment place = usual_place(requirement.marker);
    for (const Tree* source : allowed)
        if (holds((*source)["marker"].text, place) != Truth::no) here.push_back(source);
    return here.empty() ? allowed : here;
}

UvSources::Source UvSources::source_of(const WrittenRequirement& requirement, const Extras& extras) const {
    Source all;
    const MarkerEnvironment place = usual_place(requirement.marker);
    for (const Tree* source : sources_of(requirement, extras)) {
        if (const Written* found = m_indexes.find((*source)["index"].text)) {
            all.index = *found;
            all.is_open = false;
        }
        for (const char* key : {"url", "git", "path"})
            if ((*source)[key]) all.urls.push_back(written((*source)[key], m_file));
        // Of several with markers the system selects one, of several with extras one that is not known.
        const bool limited = !extras.known && ((*source)["extra"] || (*source)["group"]);
        all.is_limited = all.is_limited || limited;
        all.is_open = all.is_open || limited || holds((*source)["marker"].text, place) != Truth::yes;
    }
    for (const Tree* source : allowed_sources(requirement, extras)) {
        const Written* found = m_indexes.find((*source)["index"].text);
        if (!(*source)["marker"] || !found) continue;
        all.by_marker->emplace_back((*source)["marker"].text, written((*source)["marker"], m_file));
        all.by_marker->back().second.text = found->text;
    }
    return all;
}

}  // namespace ptxguard::recipes
