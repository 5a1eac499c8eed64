// [tool.uv.sources]: from where uv takes what a project requires itself. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "recipes/base/recipe.hpp"
#include "recipes/base/tree_places.hpp"

namespace ptxguard::recipes {

// The indexes that a project declares by name.
class NamedIndexes {
public:
    // `only_named`: only a source takes packages from it.
    void add(const std::string& name, Written url, bool only_named);
    const Written* find(const std::string& name) const;  // null without one
    bool is_only_named(const std::string& name) const { return m_only_named.count(name) != 0; }

private:
    std::map<std::string, Written> m_urls;
    std::set<std::string> m_only_named;
};

class UvSources {
public:
    UvSources(const Tree& uv, std::string file, const NamedIndexes& indexes);

    // Their indexes and URLs, as the sources say for these extras; `known`: there are no others.
    void set(std::vector<WrittenRequirement>& requirements, const std::vector<std::string>& extras,
             bool known) const;
    // Those for packages that the project does not request, from indexes that uv searches for nothing else.
    std::vector<IgnoredSource> ignored(const std::set<std::string>& requested) const;

private:
    struct Source;
    struct Extras {
        const std::vector<std::string>& names;
        bool known;
    };

    std::vector<const Tree*> allowed_sources(const WrittenRequirement& requirement,
                                             const Extras& extras) const;
    std::vector<const Tree*> sources_of(const WrittenRequirement& requirement, const Extras& extras) const;
    Source source_of(const WrittenRequirement& requirement, const Extras& extras) const;

    std::string m_file;
    const NamedIndexes& m_indexes;
    std::map<std::string, const Tree*> m_sources;  // by canonical name
};

}  // namespace ptxguard::recipes
