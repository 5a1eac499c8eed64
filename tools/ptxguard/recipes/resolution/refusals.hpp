// Why a command of pip or uv ends with an error: a name, a release or a build that no index has, a file for
// another Python or system, or two pins of which one excludes the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "facts/pypi.hpp"
#include "model/recipe.hpp"
#include "python/marker.hpp"
#include "recipes/base/recipe.hpp"
#include "recipes/resolution/candidates.hpp"

namespace ptxguard::recipes {

// Of one command.
using Pins = std::vector<const RecipePin*>;
using InstalledPackages = std::map<std::string, Installed>;  // by name

RefusedPin refused(const RecipePin& pin, Refusal why);
// Whether the indexes decide what the request installs: it names no file and no repository.
inline bool asks_indexes(const RecipePin& pin) {
    return pin.unreadable.empty() && !pin.open && !pin.source && pin.wheel.empty();
}

// "3.11", "3.12 and newer"
std::string python_named(const MarkerEnvironment& markers);
// Of its wheels: "3.8 to 3.11".
std::string pythons_of(const PypiRow& row);

// A project that the command installs and that requires another Python than this one.
void refuse_projects(const PipInstall& install, int group, const std::string& python, const Origin& origin,
                     const Facts& facts, RecipeFacts& recipe);

class Refusals {
public:
    // `is_open`: the image may have any of the packages.
    Refusals(const Facts& facts, const MarkerEnvironment& markers, bool is_open, RecipeFacts& recipe);

    // Those of one command, to the recipe's. `here`: before it; `chosen`: what it has chosen.
    void add(const Pins& pins, const InstalledPackages& here, const InstalledPackages& chosen);
    // Of conda, with a version and without.
    void add(const RecipePin& pin);
    // Of a package that the pins of the command bring in one release only: `pin` is its request.
    void add_brought(const RecipePin& pin, const Installed& brought, const InstalledPackages& chosen);

private:
    void refuse_name(const RecipePin& pin, const InstalledPackages& here);
    std::optional<RefusedPin> absent_from_index(const RecipePin& pin, const InstalledPackages& here) const;
    void refuse_index(const Pins& pins, const InstalledPackages& here);
    void refuse_twice(const Pins& pins);
    const Requirement* excluded_by(const RecipePin& constraint, const RecipePin& pin, const PypiRow& row,
                                   const std::string& build) const;
    void refuse_constraint(const RecipePin& pin);
    void refuse_wheel(const RecipePin& pin);
    void refuse_release(const RecipePin& pin);
    void refuse_release_of_page(const RecipePin& pin, const Feeds& feeds);
    bool refuse_never_released(const RecipePin& pin, const Feeds& feeds, const PypiPackage& table);
    bool refuse_build(const RecipePin& pin, const std::string& build, const Origin& named_by);
    void refuse_prerelease(const RecipePin& pin);
    void refuse_nightly(const RecipePin& pin);
    void refuse_jaxlib(const RecipePin& pin);
    void refuse_local(const RecipePin& pin);
    void refuse_unlisted(const RecipePin& pin);
    bool refuse_range_of_index(const RecipePin& pin, const Feeds& feeds);
    void refuse_range(const RecipePin& pin);
    bool excludes_python(const std::string& package, const PypiRow& row) const;
    void refuse_in_base(const RecipePin& pin);
    void refuse_python(const RecipePin& pin, const PypiRow& row, bool certain = true);
    void refuse_set(const RecipePin& pin, const InstalledPackages& chosen);
    const PypiRow* without_file(const PypiPackage& table, const std::string& range) const;
    RefusedPin& refuse_platform(const RecipePin& pin, const std::string& builds);
    void refuse_platform(const RecipePin& pin, const InstalledPackages& chosen);
    void refuse_required_platform(const RecipePin& pin, const Installed& taken);
    void refuse_build_for_platform(const RecipePin& pin);
    const PypiRow* row_for_linux(const RecipePin& pin) const;
    void refuse_linux(const RecipePin& pin);
    void refuse_old_glibc(const RecipePin& pin);

    const Facts& m_facts;
    const MarkerEnvironment& m_markers;
    MarkerEnvironment m_usual;
    RecipeFacts& m_recipe;
    bool m_is_open;
    bool m_adds_index;  // nvidia-pyindex adds NVIDIA's to the configuration of pip
};

}  // namespace ptxguard::recipes
