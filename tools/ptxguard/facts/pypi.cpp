// SPDX-License-Identifier: Apache-2.0
#include "facts/pypi.hpp"

#include <map>

#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/marker.hpp"
#include "python/specifier.hpp"

namespace ptxguard {

namespace {

// No project skips so many releases: 2.7 after 0.29, 2.51 after 2.15.
bool is_far_ahead(const PythonRelease& release, const PythonRelease& newest) {
    constexpr int k_minors = 20;
    const int majors = release.at(0) - newest.at(0);
    return majors > 1 || (majors == 1 && release.at(1) > 2) ||
           (majors == 0 && release.at(1) - newest.at(1) > k_minors);
}

void read_systems(const std::vector<std::string>& systems, PypiRow& row) {
    const auto has = [&](const char* system) {
        return any_of(systems, [&](const std::string& one) { return one == "any" || one == system; });
    };
    row.linux_wheel = has("linux-x86_64");
    row.aarch64_wheel = has("linux-aarch64");
    row.musl_wheel = has("musl-x86_64");
    row.musl_aarch64_wheel = has("musl-aarch64");
    row.windows_wheel = has("windows");
    row.macos_arm_wheel = has("macos-arm64");
    row.macos_intel_wheel = has("macos-x86_64");
}

// Of the two machines of a system.
Truth of_machine(const std::string& machine, bool intel, bool arm) {
    const bool is_arm = machine == "aarch64" || machine == "arm64";
    if (is_arm || machine == "x86_64") return (is_arm ? arm : intel) ? Truth::yes : Truth::no;
    return intel != arm || !machine.empty() ? Truth::unknown : intel ? Truth::yes : Truth::no;
}

// The requirements of one row after another. A row has all of its own, or those that it adds to and drops
// from the ones of the row before.
class RequirementsOfRows {
public:
    explicit RequirementsOfRows(FactReader& reader) : m_reader(reader) {}

    void read(const Json& json, PypiRow& row) {
        const bool changes = json.has("adds") || json.has("drops");
        if (changes && !m_known) m_reader.complain("adds", "", "follows no row with requirements");
        m_known = changes || json.has("requires");
        if (!changes) m_all.clear();
        for (const std::string& text : m_reader.words(json, "drops"))
            if (m_all.erase(text) == 0) m_reader.complain("drops", text, "is not in the row before");
        for (const char* key : {"requires", "adds"})
            for (const std::string& text : m_reader.words(json, key))
                m_all.emplace(text, parse_requirement(text));
        row.described = m_known;
        for (const auto& [text, requirement] : m_all) row.required.push_back(requirement);
    }

private:
    FactReader& m_reader;
    std::map<std::string, Requirement> m_all;  // by their text
    bool m_known = false;
};

}  // namespace

PypiPackage read_pypi(FactReader& reader, const Json& root) {
    PypiPackage package;
    package.package = reader.needed_word(root, "package");
    package.read = reader.needed_word(root, "read");
    if ("pypi/" + package.package + ".json" != reader.path())
        reader.complain("package", package.package, "does not agree with the file's name");
    RequirementsOfRows requirements(reader);
    for (const Json& json : root["rows"].items()) {
        PypiRow row;
        FactRow in(reader, json);
        PTXGUARD_FIELDS(in, row.python, row.sdist, row.yanked, row.glibc);
        row.python_from = reader.version(json["pythons"], "from");
        row.python_to = reader.version(json["pythons"], "to");
        read_systems(reader.words(json, "wheels"), row);
        requirements.read(json, row);
        row.origin = reader.origin(package.package, reader.source_words(json));
        for (const std::string& version : reader.words(json, "releases")) {
            const auto number = parse_python_release(version);
            if (!number) reader.complain("releases", version, "is not a release");
            package.releases.push_back({version, number.value_or(PythonRelease{}), package.rows.size()});
        }
        package.rows.push_back(std::move(row));
    }
    return package;
}

const PypiRelease* PypiPackage::find(std::string_view version) const {
    const auto wanted = parse_python_release(version);
    if (!wanted) return nullptr;
    return first_where(
        releases, [&](const PypiRelease& release) { return compare_public(release.number, *wanted) == 0; });
}

bool PypiPackage::never_released(std::string_view version) const {
    const auto wanted = parse_python_release(version);
    if (!wanted || wanted->is_prerelease() || releases.empty() || find(version)) return false;
    return is_older_release(version, releases.back().version) ||
           is_far_ahead(*wanted, releases.back().number);
}

const PypiPackage* pypi_package(const Facts& facts, const std::string& package) {
    return facts.pypi(package);
}

const PypiRow* pypi_row(const Facts& facts, const std::string& package, const Version& version) {
    const PypiPackage* table = pypi_package(facts, package);
    const PypiRelease* release = table ? table->find(version.without_local()) : nullptr;
    return release ? &table->row(*release) : nullptr;
}

const Requirement* requirement_on(const Facts& facts, const std::string& package, const Version& version,
                                  const std::string& on, const std::vector<std::string>& extras) {
    const PypiRow* row = pypi_row(facts, package, version);
    if (!row) return nullptr;
    MarkerEnvironment place = usual({});
    place.extras = extras;
    return first_where(row->required, [&](const Requirement& required) {
        return required.name == on && holds(required.marker, place) != Truth::no;
    });
}

bool allows_python(const std::string& range, const std::string& python) {
    return range.empty() || python.empty() || accepts(range, python) || accepts(range, python + ".99");
}

bool fits_python(const PypiRow& row, const std::string& python) {
    const auto version = python.empty() ? std::nullopt : parse_version(python);
    if (!version) return true;
    if (!allows_python(row.python, python)) return false;
    if (!row.linux_wheel || row.sdist) return row.linux_wheel || row.sdist;
    return (!row.python_from || *row.python_from <= *version) &&
           (!row.python_to || *version <= *row.python_to);
}

bool needs_newer_glibc(const PypiRow& row, const MarkerEnvironment& place) {
    const auto here = row.glibc && !place.musl ? parse_version(place.glibc) : std::nullopt;
    return here && *here < *row.glibc;
}

Truth has_file_for(const PypiRow& row, const MarkerEnvironment& place) {
    if (row.sdist) return Truth::yes;
    // The tables do not list wheels for Windows on ARM.
    if (place.system == "win32")
        return row.windows_wheel ? Truth::yes : place.machine == "arm64" ? Truth::unknown : Truth::no;
    if (place.system == "darwin")
        return of_machine(place.machine, row.macos_intel_wheel, row.macos_arm_wheel);
    if (place.system != "linux") return Truth::unknown;
    if (needs_newer_glibc(row, place)) return Truth::no;
    return place.musl ? of_machine(place.machine, row.musl_wheel, row.musl_aarch64_wheel)
                      : of_machine(place.machine, row.linux_wheel, row.aarch64_wheel);
}

const PypiPackage* Facts::Tables::pypi(const std::string& package) {
    const auto path = "pypi/" + package + ".json";
    const auto found = pypi_read.find(path);
    if (found == pypi_read.end()) return &(pypi_read[path] = load(path, read_pypi).value_or(PypiPackage{}));
    return &found->second;
}

bool has_extra(const PypiRow& row, const std::string& extra) {
    return any_of(row.required, [&](const Requirement& required) {
        MarkerEnvironment with = usual({});
        with.extras = {extra};
        return holds(required.marker, with) != holds(required.marker, usual({}));
    });
}

}  // namespace ptxguard
