// facts/cuda/M.m.json -> CudaRelease, and the releases in order of their numbers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/tables.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_folder = "cuda/";

std::string path_of(const Version& version) { return k_folder + version.release() + ".json"; }

HostCompilerLimits read_host_compilers(FactReader& reader, const Json& row) {
    HostCompilerLimits limits;
    FactRow in(reader, row);
    PTXGUARD_FIELDS(in, limits.gcc_max, limits.clang_max, limits.msvc_ver_min, limits.msvc_ver_below);
    FactRow unchecked(reader, row["unchecked"]);
    unchecked.fields("msvc_ver_below", limits.unchecked_msvc_ver_below);
    const auto builds = row["measured_with"].items();
    limits.origin = reader.origin(
        "host compilers", builds.empty() ? reader.source_words(row)
                                         : "read in crt/host_config.h of nvcc " + builds.back().as_string());
    return limits;
}

void read_update(FactReader& reader, const Json& row, CudaRelease& release) {
    const auto version = reader.needed_version(row, "release");
    if (version) release.updates.push_back(*version);
    const auto driver_linux = reader.version(row, "driver_linux");
    const auto driver_windows = reader.version(row, "driver_windows");
    if (version && (driver_linux || driver_windows)) release.announced_update = version;
    // The first update's driver is the lowest for the release.
    if (!release.driver_of_release_linux) release.driver_of_release_linux = driver_linux;
    if (!release.driver_of_release_windows) release.driver_of_release_windows = driver_windows;
    for (const auto& [name, value] : row["components"].members())
        if (const auto component = reader.version(row["components"], name.c_str()))
            release.newest_components[name] = *component;
}

// The value after "key" and a colon, as a string: 12.8 for `"key" : "12.8"`.
std::string_view text_behind(std::string_view text) {
    for (const char mark : {':', '"'}) {
        const auto at = text.find_first_not_of(" \t\r\n");
        if (at == std::string_view::npos || text[at] != mark) return {};
        text.remove_prefix(at + 1);
    }
    return text.substr(0, text.find('"'));
}

// The files are searched, not parsed: each component needs a look into 30 of them.
std::vector<Version> versions_in(std::string_view text, const std::string& component) {
    std::vector<Version> found;
    const std::string key = '"' + component + '"';
    const std::boyer_moore_horspool_searcher searcher(key.begin(), key.end());
    for (auto at = text.begin(); (at = std::search(at, text.end(), searcher)) != text.end();) {
        at += static_cast<std::ptrdiff_t>(key.size());
        const auto behind = text_behind(text.substr(static_cast<std::size_t>(at - text.begin())));
        if (const auto version = parse_version(behind)) found.push_back(*version);
    }
    return found;
}

}  // namespace

CudaRelease read_cuda(FactReader& reader, const Json& root) {
    CudaRelease release;
    if (const auto version = reader.needed_version(root, "release")) {
        release.release = *version;
        if (path_of(*version) != reader.path())
            reader.complain("release", version->text, "does not agree with the file's name");
    }
    const Json& ptx = root["ptx"];
    if (ptx["max"].is_null()) reader.complain("max", "", "is missing in ptx");
    release.ptx_max = reader.ptx(ptx, "max");
    release.ptxas_archs = reader.archs(root["ptxas_archs"], "values");
    if (release.ptxas_archs.empty()) reader.complain("values", "", "are missing in ptxas_archs");
    release.default_arch = reader.arch(root["ptxas_archs"], "default");
    for (const auto& update : root["updates"].items()) read_update(reader, update, release);
    release.host_compilers = read_host_compilers(reader, root["host_compilers"]);
    const auto builds = ptx["measured_with"].items();
    release.origin = reader.origin(
        "", builds.empty() ? reader.source_words(ptx) : "measured with ptxas " + builds.back().as_string());
    return release;
}

const CudaRelease* Facts::Tables::cuda(const Version& version) {
    const auto path = path_of(version);
    auto found = cuda_by_path.find(path);
    if (found == cuda_by_path.end()) found = cuda_by_path.emplace(path, load(path, read_cuda)).first;
    return found->second ? &*found->second : nullptr;
}

const Facts::ComponentVersions& Facts::Tables::components(const std::string& component) {
    const auto known = components_read.find(component);
    if (known != components_read.end()) return known->second;
    auto& all = components_read[component];
    for (const Version& release : releases()) {
        const auto candidates = store.candidates(path_of(release));
        if (candidates.empty()) continue;
        for (Version& version : versions_in(candidates.front().text, component))
            all.emplace_back(release, std::move(version));
    }
    return all;
}

const std::vector<Version>& Facts::Tables::releases() {
    if (releases_read) return *releases_read;
    std::vector<Version> all;
    for (const auto& path : store.paths(k_folder)) {
        const auto from = std::string(k_folder).size();
        if (const auto version = parse_version(path.substr(from, path.rfind('.') - from)))
            all.push_back(*version);
    }
    std::sort(all.begin(), all.end());
    return releases_read.emplace(std::move(all));
}

// facts/known_bad.json -> versions that give wrong results or that a consumer refuses.

namespace {

void read_row(FactRow& in, KnownBad& bad) {
    PTXGUARD_ALWAYS(in, bad.id, bad.component, bad.level, bad.effect, bad.fix);
    PTXGUARD_FIELDS(in, bad.from, bad.below, bad.exactly, bad.consumer, bad.consumer_from, bad.consumer_below,
                    bad.min_arch, bad.max_arch, bad.systems, bad.gpus_from, bad.with_component, bad.with_from,
                    bad.with_below, bad.unless, bad.only_refused, bad.not_if_built_with_it);
    FactReader& reader = in.reader();
    if (!bad.from && !bad.below && bad.exactly.empty()) reader.complain("id", bad.id, "names no versions");
    if (bad.from && bad.below && *bad.from >= *bad.below)
        reader.complain("below", bad.below->text, "is not above from");
    if (bad.level < Level::warning)
        reader.complain("level", to_string(bad.level), "is neither error nor warning");
    bad.origin = in.origin(bad.id);
}

}  // namespace

std::vector<KnownBad> read_known_bad(FactReader& reader, const Json& root) {
    std::vector<KnownBad> rows;
    read_rows(reader, root["rows"], rows, read_row);
    return rows;
}

}  // namespace ptxguard
