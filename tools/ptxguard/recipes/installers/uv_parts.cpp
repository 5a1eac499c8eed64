// SPDX-License-Identifier: Apache-2.0
#include "recipes/installers/uv_parts.hpp"

#include <algorithm>
#include <set>

#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/tree_places.hpp"

namespace ptxguard::recipes {
namespace {

class UvParts {
public:
    UvParts(const Tree& root, const ChosenParts& chosen) : m_root(root), m_chosen(chosen) {
        for (const std::string& extra : chosen.extras) m_extras.insert(extra);
        if (chosen.all_extras)
            for (const auto& [name, list] : root["project"]["optional-dependencies"].members)
                m_extras.insert(canonical_package(name.text));
        for (const std::string& extra : chosen.without_extras) m_extras.erase(extra);
        add_defaults();
        if (chosen.all_groups) add_all_groups(m_groups);
        for (const std::string& group : chosen.without_groups) m_groups.erase(group);
        for (const std::string& group : chosen.groups) m_groups.insert(group), m_defaults.erase(group);
    }

    const std::set<std::string>& extras() const { return m_extras; }
    const std::set<std::string>& groups() const { return m_groups; }

    // An entry of a list of conflicts: {extra = "cpu"}, {group = "dev"}; of another package of the workspace
    // with its name.
    bool has(const Tree& entry) const {
        const Tree& package = entry["package"];
        if (package && canonical_package(package.text) != canonical_package(m_root["project"]["name"].text))
            return false;
        return m_extras.count(canonical_package(entry["extra"].text)) != 0 ||
               m_groups.count(canonical_package(entry["group"].text)) != 0;
    }
    bool is_default(const Tree& entry) const {
        return m_defaults.count(canonical_package(entry["group"].text)) != 0;
    }

private:
    void add_all_groups(std::set<std::string>& groups) const {
        for (const auto& [name, list] : m_root["dependency-groups"].members)
            groups.insert(canonical_package(name.text));
    }
    void add_defaults() {
        if (m_chosen.no_default_groups || m_chosen.only_groups) return;
        const Tree& defaults = m_root["tool"]["uv"]["default-groups"];
        if (defaults.text == "all")
            add_all_groups(m_defaults);
        else if (!defaults)
            m_defaults.insert("dev");
        for (const Tree& group : defaults.items) m_defaults.insert(canonical_package(group.text));
        m_groups = m_defaults;
    }

    const Tree& m_root;
    const ChosenParts& m_chosen;
    std::set<std::string> m_extras, m_groups, m_defaults;
};

std::string named(const Tree& entry) {
    return entry["extra"] ? "the extra " + entry["extra"].text : "the group " + entry["group"].text;
}

}  // namespace

bool excludes_others(const Tree& root, const std::string& part) {
    const std::string name = canonical_package(part);
    const auto is_part = [&](const Tree& entry) {
        return canonical_package(entry["extra"].text) == name ||
               canonical_package(entry["group"].text) == name;
    };
    const auto& conflicts = root["tool"]["uv"]["conflicts"].items;
    return any_of(conflicts, [&](const Tree& conflict) { return any_of(conflict.items, is_part); });
}

void choose_uv_parts(const Tree& root, const std::string& file, PipInstall& install,
                     std::vector<std::string>& names) {
    const UvParts parts(root, install.parts);
    for (const auto* list : {&parts.extras(), &parts.groups()})
        for (const std::string& name : *list) add_once(names, name);
    if (!install.parts.known) return;
    for (const Tree& conflict : root["tool"]["uv"]["conflicts"].items) {
        std::vector<const Tree*> here;
        for (const Tree& entry : conflict.items)
            if (parts.has(entry)) here.push_back(&entry);
        if (here.size() < 2) continue;
        std::stable_partition(here.begin(), here.end(),
                              [&](const Tree* one) { return parts.is_default(*one); });
        const Tree& place = (*here[0])["extra"] ? (*here[0])["extra"] : (*here[0])["group"];
        install.excluded.push_back(
            {named(*here[0]), named(*here[1]), parts.is_default(*here[0]), written(place, file)});
    }
}

}  // namespace ptxguard::recipes
