// facts/frameworks/PACKAGE.json -> releases of a framework package: the default builds, the published
// variants, and what they were built with. Values have the form of the framework's own files ("64_112",
// "12.x") and are parsed here.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/requirement.hpp"

namespace ptxguard {
namespace {

// TensorFlow on Windows writes "64_112" for CUDA 11.2 and "64_8" for cuDNN 8 (the DLL's name); CuPy writes
// "12.x".
std::string as_version(std::string text) {
    const std::string dll = "64_";
    if (text.compare(0, dll.size(), dll) == 0) {
        text.erase(0, dll.size());
        return text.size() < 3 ? text : text.substr(0, text.size() - 1) + "." + text.substr(text.size() - 1);
    }
    if (text.size() > 2 && text.compare(text.size() - 2, 2, ".x") == 0) text.erase(text.size() - 2);
    return text;
}

std::optional<Version> read_version(FactReader& reader, const Json& build, const char* key) {
    const auto text = reader.word(build, key);
    if (text.empty()) return std::nullopt;
    auto version = parse_version(as_version(text));
    if (!version) reader.complain(key, text, "is not a version");
    return version;
}

// Rows are sorted by release; the last one that is not too new applies.
std::string requirement_of(FactReader& reader, const Json& root, const Version& version) {
    std::string requirement;
    for (const Json& row : root["pip"].items())
        if (const auto from = reader.needed_version(row, "from"); from && *from <= version)
            requirement = reader.needed_word(row, "requirement");
    return requirement;
}

// "sm_90" is a cubin; "compute_90" is PTX, or PTX and cubin if the table has `compute_is_both`.
std::vector<Target> read_archs(FactReader& reader, const Json& build, bool compute_is_both) {
    std::vector<Target> targets;
    for (const auto& name : reader.words(build, "archs")) {
        const auto arch = parse_arch(name);
        if (!arch) {
            reader.complain("archs", name, "is not an architecture");
            continue;
        }
        const bool compute = name.compare(0, 7, "compute") == 0;
        Target target{*arch, !compute || compute_is_both, compute};
        auto* same = first_where(targets, [&](const Target& t) { return t.arch == *arch; });
        if (!same) {
            targets.push_back(target);
        } else {
            same->real = same->real || target.real;
            same->ptx = same->ptx || target.ptx;
        }
    }
    return targets;
}

// Documented builds, and those that were only observed. Nothing if no list is known.
std::vector<std::string> read_published(FactReader& reader, const Json& row,
                                        std::vector<std::string>& only_pinned) {
    auto variants = reader.words(row["variants"], "values");
    for (auto& variant : reader.words(row["variants_seen"], "values"))
        if (!contains(variants, variant)) only_pinned.push_back(std::move(variant));
    append(variants, only_pinned);
    std::sort(variants.begin(), variants.end(), [](const std::string& a, const std::string& b) {
        return a.size() != b.size() ? a.size() < b.size() : a < b;  // cu92 before cu101
    });
    return variants;
}

void read_required(const Json& rows, const char* extra, FrameworkRelease& release) {
    for (const auto& [name, range] : rows.members())
        if (name != "source")
            release.required.push_back({name.substr(0, name.find('[')), range.as_string(), extra});
}

void read_tools(FactReader& reader, const Json& tools, FrameworkRelease& release) {
    for (const auto& [tool, version] : tools.members())
        if (const auto read = reader.version(tools, tool.c_str()))
            release.tools[ends_with(tool, ".exe") ? tool.substr(0, tool.size() - 4) : tool] = *read;
}

// "12.1" -> 9.1.0.70
std::map<std::string, Version> read_by_cuda(FactReader& reader, const Json& row) {
    std::map<std::string, Version> by_cuda;
    for (const auto& [cuda, version] : row.members())
        if (const auto read = cuda == "source" ? std::nullopt : reader.version(row, cuda.c_str()))
            by_cuda[cuda] = *read;
    return by_cuda;
}

FrameworkRelease read_release(FactReader& reader, const Json& row, const std::string& package,
                              bool compute_is_both) {
    FrameworkRelease release;
    release.package = package;
    if (const auto version = reader.needed_version(row, "version")) release.version = *version;
    release.variants = read_published(reader, row, release.only_pinned);
    const Json& build = row["builds"]["linux"];
    const Json& windows = row["builds"]["windows"];
    release.cuda = read_version(reader, build, "cuda");
    release.cudnn = read_version(reader, build, "cudnn");
    release.cuda_windows = read_version(reader, windows, "cuda");
    release.cudnn_windows = read_version(reader, windows, "cudnn");
    release.cpu_only = build["cpu_only"].as_bool();
    release.cpu_only_windows = windows["cpu_only"].as_bool();
    release.archs = read_archs(reader, build.has("archs") ? build : windows, compute_is_both);
    release.cxx_abi = reader.number(build, "cxx_abi");
    release.python_from = reader.version(row["pythons"], "from");
    release.python_to = reader.version(row["pythons"], "to");
    release.cxx_standard = reader.number(build, "cxx_standard");
    release.cudnn_by_cuda = read_by_cuda(reader, row["cudnn_by_cuda"]);
    release.nccl_by_cuda = read_by_cuda(reader, row["nccl_by_cuda"]);
    read_required(build["requires"], "", release);
    read_required(row["requires"], "", release);
    read_required(row["extra_and_cuda"], "and-cuda", release);
    for (const Json* one : {&windows, &build}) read_tools(reader, (*one)["tools"], release);
    auto detail = reader.source_words(build.is_null() ? row : build);
    if (!release.cuda && !release.cpu_only && row["documented"].has("cuda")) {
        release.cuda = read_version(reader, row["documented"], "cuda");
        detail = reader.source_words(row["documented"]);
    }
    if (!release.cxx_standard) release.cxx_standard = reader.number(row["cxx_standard_documented"], "value");
    release.origin = reader.origin(package + " " + release.version.text, detail);
    if (release.cuda)
        release.builds.push_back(
            {*release.cuda, System::linux_, release.archs, release.cxx_abi, release.origin});
    return release;
}

// Both ends inclusive, as major.minor: "1.8" to "1.10" includes 1.10.2.
bool in_lines(const Version& version, const Version& from, const Version& to) {
    const auto line = [](const Version& v) { return std::make_pair(v.major(), v.minor()); };
    return line(version) >= line(from) && line(version) <= line(to);
}

// One row can describe the builds of several releases.
void read_builds_by_cuda(FactReader& reader, const Json& root, FrameworkTable& table) {
    for (const Json& row : root["builds_by_cuda"].items()) {
        const auto from = reader.needed_version(row, "from"), to = reader.needed_version(row, "to");
        const auto cuda = reader.needed_version(row, "cuda");
        if (!from || !to || !cuda) continue;
        CudaBuild build;
        build.cuda = *cuda;
        build.system = reader.needed_word(row, "system") == "windows" ? System::windows : System::linux_;
        build.archs = read_archs(reader, row, false);
        build.cxx_abi = reader.number(row, "cxx_abi");
        for (FrameworkRelease& release : table.releases) {
            if (!in_lines(release.version, *from, *to)) continue;
            build.origin =
                reader.origin(release.package + " " + release.version.text + " for CUDA " + cuda->release(),
                              reader.source_words(row));
            release.builds.push_back(build);
        }
    }
}

bool ascending(const Version& a, const Version& b) { return a < b; }

// `complete`: the range; `also`: the releases in it without a row.
std::optional<ReleaseList> read_list(FactReader& reader, const Json& root,
                                     const std::vector<FrameworkRelease>& rows) {
    const Json& complete = root["complete"];
    if (complete.is_null()) return std::nullopt;
    const auto from = reader.needed_version(complete, "from"), to = reader.needed_version(complete, "to");
    if (!from || !to) return std::nullopt;
    ReleaseList list{*from, *to, reader.versions(complete, "also"), {}, {}, {}};
    list.doubtful = reader.versions(complete, "doubtful");
    list.successor = reader.word(complete, "successor");
    list.origin = reader.origin("complete", reader.source_words(complete));
    for (const FrameworkRelease& row : rows) list.releases.push_back(row.version);
    std::stable_sort(list.releases.begin(), list.releases.end(), ascending);
    return list;
}

}  // namespace

const CudaBuild* FrameworkRelease::build_for(System system, const Version& of_cuda) const {
    return first_where(
        builds, [&](const CudaBuild& b) { return b.system == system && same_release(b.cuda, of_cuda); });
}

bool FrameworkRelease::offers(const std::string& variant) const { return !contains(only_pinned, variant); }

namespace {

// Older minor releases get patches after newer minors (TensorFlow 2.18.1 came after 2.19.0): a patch above
// all listed ones of a recent minor may be newer than the list.
bool may_have_come_later(const std::vector<Version>& releases, const Version& version) {
    constexpr std::size_t k_lines_with_patches = 2;  // newer minor releases than its own
    std::set<std::pair<int, int>> newer_lines;
    bool is_patch = false;
    for (const Version& release : releases) {
        const bool same_line = release.major() == version.major() && release.minor() == version.minor();
        is_patch = is_patch || same_line;
        if (release <= version) continue;
        if (same_line) return false;
        newer_lines.emplace(release.major(), release.minor());
    }
    return is_patch && !newer_lines.empty() && newer_lines.size() <= k_lines_with_patches;
}

}  // namespace

bool ReleaseList::judges(const Version& version) const {
    const std::string addition = version.suffix.substr(0, version.suffix.find('+'));
    if (!addition.empty() || version < from || version > to || contains(doubtful, version)) return false;
    return holds(version) || !may_have_come_later(releases, version);
}

bool ReleaseList::holds(const Version& version) const { return contains(releases, version); }

FrameworkTable read_framework(FactReader& reader, const Json& root) {
    const auto package = reader.needed_word(root, "package");
    if ("frameworks/" + package + ".json" != reader.path())
        reader.complain("package", package, "does not agree with the file's name");
    FrameworkTable table;
    table.framework = reader.word(root, "framework");
    table.part = reader.word(root, "part");
    const bool compute_is_both = root["compute_is_both"].as_bool();
    const auto always = reader.words(root["published_for_every_release"], "values");
    for (const auto& row : root["releases"].items()) {
        table.releases.push_back(read_release(reader, row, package, compute_is_both));
        table.releases.back().pip = requirement_of(reader, root, table.releases.back().version);
        table.releases.back().index = reader.word(root["index_of_variants"], "value");
        auto& variants = table.releases.back().variants;
        if (!variants.empty()) append(variants, always);
    }
    std::stable_sort(
        table.releases.begin(), table.releases.end(),
        [](const FrameworkRelease& a, const FrameworkRelease& b) { return ascending(a.version, b.version); });
    read_builds_by_cuda(reader, root, table);
    table.list = read_list(reader, root, table.releases);
    return table;
}

const FrameworkTable& Facts::Tables::framework(const std::string& package) {
    const auto path = "frameworks/" + canonical_package(package) + ".json";
    const auto found = frameworks_read.find(path);
    if (found != frameworks_read.end()) return found->second;
    return frameworks_read[path] = load(path, read_framework).value_or(FrameworkTable{});
}

}  // namespace ptxguard
