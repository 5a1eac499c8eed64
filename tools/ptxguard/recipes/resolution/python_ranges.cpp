// SPDX-License-Identifier: Apache-2.0
#include "recipes/resolution/python_ranges.hpp"

#include <algorithm>
#include <vector>

#include "facts/pypi.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/specifier.hpp"
#include "recipes/containers/images.hpp"

namespace ptxguard::recipes {
namespace {

constexpr int k_first_minor = 5, k_last_minor = 20;  // of Python 3

std::string python3(int minor) { return "3." + std::to_string(minor); }

// Those of Python 3 that the range admits, ascending; none, if it has no lower bound.
std::vector<int> admitted_by(const std::string& range) {
    std::vector<int> minors;
    if (range.empty() || allows_python(range, python3(k_first_minor))) return minors;
    for (int minor = k_first_minor; minor <= k_last_minor; ++minor)
        if (allows_python(range, python3(minor))) minors.push_back(minor);
    return minors;
}

// The newest Python for which any package of the tables has a wheel.
int newest_python(const Facts& facts) {
    const PypiPackage* torch = pypi_package(facts, "torch");
    const PypiRow* last = torch && !torch->releases.empty() ? &torch->row(torch->releases.back()) : nullptr;
    return last && last->python_to ? last->python_to->at(1) : 0;
}

// The rows of the releases that the requirement accepts, ascending.
std::vector<const PypiRow*> rows_of(const Facts& facts, const WrittenRequirement& requirement) {
    std::vector<const PypiRow*> rows;
    const PypiPackage* table = pypi_package(facts, requirement.name);
    if (!table || requirement.specifier.empty() || requirement.url || requirement.locked ||
        requirement.source || !requirement.whole.known || requirement.marker.find("python") != npos)
        return rows;
    for (const PypiRelease& release : table->releases)
        if (!table->row(release).yanked && accepts(requirement.specifier, release.version))
            rows.push_back(&table->row(release));
    return rows;
}

class PythonRanges {
public:
    PythonRanges(const PipInstall& install, const Facts& facts)
        : m_install(install), m_facts(facts), m_admitted(admitted_by(install.admitted_pythons.text)) {}

    std::vector<RefusedPin> refused() const {
        std::vector<RefusedPin> all;
        if (m_admitted.empty()) return all;
        for (const WrittenRequirement& requirement : m_install.requirements) {
            const auto rows = rows_of(m_facts, requirement);
            if (rows.empty()) continue;
            if (const int python = excluded(rows))
                all.push_back(
                    refuse(requirement, Refusal::no_lock, python, rows.back()->python, *rows.back()));
            else if (const int newer = without_wheel(rows, requirement.name))
                all.push_back(refuse(requirement, Refusal::no_newest, newer, last_wheel(rows), *rows.back()));
        }
        return all;
    }

private:
    // Whether a release may be in the set: uv ignores upper bounds of Requires-Python.
    int excluded_by(const PypiRow& row) const {
        const bool lowest_only = m_install.tool == "uv";
        for (const int minor : m_admitted) {
            if (!allows_python(row.python, python3(minor))) return minor;
            if (lowest_only) break;
        }
        return 0;
    }
    // A Python that each of them excludes; 0 = a release is for all.
    int excluded(const std::vector<const PypiRow*>& rows) const {
        if (m_install.tool != "uv" && m_install.tool != "poetry") return 0;
        const bool fits = any_of(rows, [&](const PypiRow* row) { return excluded_by(*row) == 0; });
        return fits ? 0 : excluded_by(*rows.back());
    }

    static int last_minor(const std::vector<const PypiRow*>& rows) {
        int last = 0;
        for (const PypiRow* row : rows) {
            if (row->sdist || !row->linux_wheel || !row->python_to) return 0;
            last = std::max(last, row->python_to->at(1));
        }
        return last;
    }
    static std::string last_wheel(const std::vector<const PypiRow*>& rows) {
        return python3(last_minor(rows));
    }
    // The first Python behind the last wheel, if the project admits it and one with a wheel: where none has
    // one, the release is refused. A package that accepts the newest release gets what there is.
    int without_wheel(const std::vector<const PypiRow*>& rows, const std::string& package) const {
        const PypiPackage& table = *pypi_package(m_facts, package);
        if (rows.back() == &table.row(table.releases.back())) return 0;
        const int last = last_minor(rows), newest = newest_python(m_facts);
        const auto next = std::find(m_admitted.begin(), m_admitted.end(), last + 1);
        const bool some = next != m_admitted.end() && next != m_admitted.begin();
        return last != 0 && last < newest && some ? last + 1 : 0;
    }

    RefusedPin refuse(const WrittenRequirement& requirement, Refusal why, int python, std::string wanted,
                      const PypiRow& row) const {
        RefusedPin one;
        one.why = why;
        one.package = requirement.name;
        one.pinned = requirement.name + requirement.specifier;
        one.by = python3(python);
        one.by_origin = origin_of(m_install.admitted_pythons);
        one.wanted = std::move(wanted);
        one.wanted_origin = row.origin;
        one.required_by = m_install.tool;
        one.origin = origin_of(requirement.whole);
        return one;
    }

    const PipInstall& m_install;
    const Facts& m_facts;
    std::vector<int> m_admitted;
};

}  // namespace

void refuse_pythons(const PipInstall& install, int group, const Facts& facts, RecipeFacts& recipe) {
    for (RefusedPin& one : PythonRanges(install, facts).refused()) {
        one.group = group;
        recipe.refused.push_back(std::move(one));
    }
}

}  // namespace ptxguard::recipes
