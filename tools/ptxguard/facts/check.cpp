// Checks over all fact files: sources, and the agreement of rows with each other. The readers check that
// values are well formed.
// SPDX-License-Identifier: Apache-2.0
#include "facts/check.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "facts/framework_traits.hpp"
#include "facts/reader.hpp"
#include "facts/tool_search.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

using Troubles = std::vector<Trouble>;

const char* const k_kinds[] = {"measured", "documented", "third-party", "derived", "unverified"};

// Ids that the file's `sources` lists; each with a kind and a description.
std::set<std::string> listed_sources(FactReader& reader, const Json& root) {
    std::set<std::string> ids;
    for (const auto& source : root["sources"].items()) {
        const auto id = reader.needed_word(source, "id");
        const auto kind = reader.needed_word(source, "kind");
        if (!contains(k_kinds, kind)) reader.complain("kind", kind, "is not a kind of source");
        if (reader.needed_word(source, "what").empty()) reader.complain("id", id, "does not say what it is");
        if (!ids.insert(id).second) reader.complain("id", id, "is listed twice");
    }
    return ids;
}

void check_sources(FactReader& reader, const Json& json, const std::set<std::string>& ids,
                   std::set<std::string>& used) {
    if (json.is_object() && json.has("source")) {
        const auto named = source_ids(json);
        if (named.empty()) reader.complain("source", "", "is empty");
        for (const auto& id : named) {
            used.insert(id);
            if (!ids.count(id)) reader.complain("source", id, "is not in the file's sources");
        }
    }
    for (const auto& [name, value] : json.members()) check_sources(reader, value, ids, used);
    for (const auto& value : json.items()) check_sources(reader, value, ids, used);
}

// Objects that must have a source: the rows of the tables, and the blocks of a CUDA release.
void check_rows_are_sourced(FactReader& reader, const Json& root) {
    for (const auto& [name, value] : root.members()) {
        if (name == "sources") continue;
        for (const auto& row : value.items())
            if (row.is_object() && !row.has("source"))
                reader.complain(name.c_str(),
                                row.members().empty() ? "" : row.members().front().second.as_string(),
                                "is a row without a source");
        static const std::set<std::string> k_blocks = {"ptx", "ptxas_archs", "host_compilers"};
        if (k_blocks.count(name) && value.is_object() && !value.has("source"))
            reader.complain(name.c_str(), "", "names no source");
    }
}

void check_file(const Facts& facts, const std::string& path, Troubles& troubles) {
    const auto text = facts.text(path);
    const auto json = parse_json(text.value_or(""), "facts/" + path);
    if (!json) {
        troubles.push_back(json.trouble());
        return;
    }
    FactReader reader(path, *text, *json);
    const auto ids = listed_sources(reader, *json);
    std::set<std::string> used;
    check_sources(reader, *json, ids, used);
    check_rows_are_sourced(reader, *json);
    for (const auto& id : ids)
        if (!used.count(id)) reader.complain("id", id, "is a source that nothing names");
    append(troubles, reader.troubles());
}

void say(Troubles& troubles, const CudaRelease& release, const std::string& what) {
    troubles.push_back({"facts/cuda/" + release.release.release() + ".json", what, ""});
}

std::set<Arch> minus(const std::vector<Arch>& a, const std::vector<Arch>& b) {
    std::set<Arch> rest(a.begin(), a.end());
    for (const auto arch : b) rest.erase(arch);
    return rest;
}

void check_change(const Facts& facts, const CudaRelease& before, const CudaRelease& release,
                  Troubles& troubles) {
    if (before.ptx_max && release.ptx_max && *release.ptx_max < *before.ptx_max)
        say(troubles, release, "has an older PTX version than the release before");
    const auto path = "cuda/" + release.release.release() + ".json";
    const auto text = facts.text(path);
    const auto json = parse_json(text.value_or(""), path);
    if (!json) return;
    FactReader reader(path, *text, *json);
    const Json& row = (*json)["ptxas_archs"];
    const auto added = reader.archs(row, "added"), removed = reader.archs(row, "removed");
    if (std::set<Arch>(added.begin(), added.end()) != minus(release.ptxas_archs, before.ptxas_archs))
        say(troubles, release, "names other added architectures than the release before shows");
    if (std::set<Arch>(removed.begin(), removed.end()) != minus(before.ptxas_archs, release.ptxas_archs))
        say(troubles, release, "names other removed architectures than the release before shows");
}

void check_release(const Facts& facts, const CudaRelease& release, Troubles& troubles) {
    const auto& limits = release.host_compilers;
    if (limits.msvc_ver_min && limits.msvc_ver_below && *limits.msvc_ver_min >= *limits.msvc_ver_below)
        say(troubles, release, "has an empty range of MSVC versions");
    for (std::size_t i = 0; i < release.updates.size(); ++i) {
        if (!same_release(release.updates[i], release.release))
            say(troubles, release, "lists the update " + release.updates[i].text + " of another release");
        if (i && release.updates[i] <= release.updates[i - 1])
            say(troubles, release, "lists its updates out of order");
    }
    for (const auto arch : release.ptxas_archs) {
        const auto* known = facts.arch(arch);
        if (!known) {
            say(troubles, release, "names " + arch.sm() + ", which architectures.json lacks");
        } else if ((known->first_toolkit && release.release < *known->first_toolkit) ||
                   (known->last_toolkit && release.release > *known->last_toolkit)) {
            say(troubles, release, "names " + arch.sm() + " outside its toolkits in architectures.json");
        }
    }
}

void check_cuda(const Facts& facts, Troubles& troubles) {
    const CudaRelease* before = nullptr;
    for (const auto& version : facts.cuda_releases()) {
        const auto* release = facts.cuda(version);
        if (!release) continue;
        check_release(facts, *release, troubles);
        if (before) check_change(facts, *before, *release, troubles);
        before = release;
    }
}

void check_drivers(const Facts& facts, Troubles& troubles) {
    std::optional<PtxVersion> before;
    for (const int number : facts.driver_branches()) {
        const auto* branch = facts.driver_branch(*parse_version(std::to_string(number)));
        if (!branch || !branch->ptx_max || !branch->cuda) {
            troubles.push_back(
                {"facts/drivers.json: branch " + std::to_string(number), "lacks cuda or ptx_max", ""});
            continue;
        }
        if (before && *branch->ptx_max < *before)
            troubles.push_back({branch->origin.text, "reads an older PTX than the branch before", ""});
        before = branch->ptx_max;
        const auto* release = facts.cuda(*branch->cuda);
        if (release && release->ptx_max && *release->ptx_max != *branch->ptx_max)
            troubles.push_back({branch->origin.text, "reads another PTX than its CUDA release makes", ""});
    }
}

bool names_package(const Facts& facts, const std::string& package) {
    return any_of(facts.framework_traits(),
                  [&](const FrameworkTraits& traits) { return contains(traits.packages, package); });
}

// What rows of one file refer to by name must be in the other.
void check_consumers(const Facts& facts, Troubles& troubles) {
    std::set<std::string> ids;
    for (const KnownBad& row : facts.known_bad()) {
        ids.insert(row.id);
        const bool is_package = row.component == "driver";
        if (!row.consumer.empty() && !is_package && consumers_named(facts, row.consumer).empty())
            troubles.push_back(
                {row.origin.text, "names a consumer that framework_traits.json lacks", row.consumer});
    }
    for (const ToolSearch& search : facts.tool_searches()) {
        const bool is_own = contains(search.records, search.package);
        if (!is_own && !names_package(facts, search.package))
            troubles.push_back(
                {search.origin.text, "is of a package that framework_traits.json lacks", search.package});
        for (const std::string& id : search.passes_over)
            if (!ids.count(id))
                troubles.push_back({search.origin.text, "passes over a row that known_bad.json lacks", id});
    }
}

}  // namespace

std::vector<Trouble> check_facts(const Facts& facts) {
    Troubles troubles;
    for (const auto& path : facts.files()) {
        check_file(facts, path, troubles);
        const std::size_t slash = path.find('/'), dot = path.rfind('.');
        const std::string package = slash == npos ? "" : path.substr(slash + 1, dot - slash - 1);
        if (starts_with(path, "frameworks/")) facts.framework_releases(package);
        if (starts_with(path, "pypi/")) facts.pypi(package);
    }
    check_cuda(facts, troubles);
    check_drivers(facts, troubles);
    facts.known_bad();
    facts.libraries();
    facts.recipes();
    facts.device_ir();
    facts.compared();
    facts.cpu_builds();
    facts.system_libraries();
    facts.package_names();
    facts.conda_forge();
    facts.runfiles();
    facts.index_builds();
    facts.tool_searches();
    check_consumers(facts, troubles);
    Troubles all = facts.troubles();
    const auto is_new = [&](const Trouble& one) {
        return none_of(all, [&](const Trouble& other) { return other.text() == one.text(); });
    };
    std::copy_if(troubles.begin(), troubles.end(), std::back_inserter(all), is_new);
    return all;
}

}  // namespace ptxguard
