// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/package_managers.hpp"

#include <string_view>
#include <utility>

#include "facts/recipe_tables.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/containers/images.hpp"

namespace ptxguard::recipes {
namespace {

struct Family {
    const char* systems;   // the starts of their names, separated by blanks
    const char* managers;  // that a system of them may have
};
constexpr Family k_families[] = {
    {"ubuntu debian", " apt apt-get aptitude apt-fast nala "},
    {"centos rockylinux almalinux fedora ubi rhel amazonlinux oraclelinux", " dnf dnf5 yum microdnf tdnf "},
    {"opensuse leap tumbleweed", " zypper "},
    {"alpine", " apk "},
};

const Family* family_of_system(const std::string& system) {
    return first_where(k_families, [&](const Family& one) {
        return any_of(split(one.systems, " "),
                      [&](const std::string& start) { return starts_with(system, start); });
    });
}

bool has_manager(const Family& family, const std::string& manager) {
    return std::string_view(family.managers).find(" " + manager + " ") != npos;
}

bool is_manager(const std::string& program) {
    return any_of(k_families, [&](const Family& one) { return has_manager(one, program); });
}

// That of an image whose system is certain: "ubuntu22.04" of nvidia/cuda, "debian".
std::string certain_system(const RecipeImage& image, const Facts& facts) {
    if (image.name == "nvidia/cuda") return image.system;
    if (!is_plain(image, facts)) return "";
    const std::string base = file_name(image.name);
    // Those of languages are images of Debian, or of Alpine.
    const bool of_language = is_one_of(base, {"python", "pypy", "gcc", "rust", "golang", "node"});
    return image.tag.find("alpine") != npos ? "alpine" : of_language ? "debian" : base;
}

}  // namespace

void PackageManagers::take(const AptInstall& step) {
    const bool certain = step.action.empty() && step.whole.known && step.whole.fixed;
    if (certain && m_installed.count(step.manager) == 0) m_called.emplace(step.manager, step.whole);
    const bool apt = step.action.empty() && has_manager(k_families[0], step.manager);
    for (const AptPackage& package : step.packages) {
        m_installed.insert(package.name);
        if (apt && package.whole.known) m_by_apt.emplace(package.name, package.whole);
    }
}

void PackageManagers::add_misnamed(const Facts& facts, RecipeFacts& recipe) const {
    for (const MisnamedPackage& row : recipe_tables(facts).misnamed_packages) {
        const auto found = m_by_apt.find(row.package);
        if (found == m_by_apt.end()) continue;
        ToolkitRequest request;
        request.by = "misnamed";
        request.wanted = row.package;
        request.origin = origin_of(found->second);
        recipe.toolkit_requests.push_back(std::move(request));
    }
}

void PackageManagers::fill(const RecipeImage& image, const Written& system, const Facts& facts,
                           RecipeFacts& recipe) const {
    const std::string here = certain_system(image, facts);
    const Family* family = family_of_system(here);
    if (!family) return;
    for (const auto& [manager, call] : m_called) {
        if (!is_manager(manager) || has_manager(*family, manager)) continue;
        ToolkitRequest request;
        request.by = "manager";
        request.wanted = manager;
        request.repository = here;
        request.origin = origin_of(call);
        request.system = origin_of(system);
        recipe.toolkit_requests.push_back(std::move(request));
    }
}

}  // namespace ptxguard::recipes
