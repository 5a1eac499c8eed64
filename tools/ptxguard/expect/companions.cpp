// The framework that a companion was built for is in its record (torch==2.3.1), in its version.py
// (0.18.1+cu118) and in its modules (libcudart.so.11.0, symbols with the old std::string).
// SPDX-License-Identifier: Apache-2.0
#include "expect/companions.hpp"

#include <map>

#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// 2.1.2+pt21cu121 is built for torch 2.1; PyTorch Geometric numbers its builds this way.
std::optional<Version> release_in_tag(const std::string& local) {
    std::size_t end = 2;
    while (end < local.size() && local[end] >= '0' && local[end] <= '9') ++end;
    if (!starts_with(local, "pt") || end < 4) return std::nullopt;
    return parse_version(local.substr(2, 1) + "." + local.substr(3, end - 3));
}

Known<Version> built_for(const InstalledWheel& wheel, const std::string& framework, System system) {
    const Known<Version> own = wheel.version();
    if (const auto tagged = own ? release_in_tag(own->local()) : std::nullopt) return {*tagged, own.origin};
    for (const WheelRequirement& requirement : wheel.metadata.requirements) {
        if (requirement.name != framework || !requirement.applies(system)) continue;
        const auto pinned = requirement.pinned();
        if (pinned && pinned->numbers.size() > 1)
            return {*pinned, Origin::from_file(wheel.path, requirement.line)};
    }
    return {};
}

// "cu118" of 0.18.1+cu118, otherwise the runtime that a module needs.
void read_cuda(const Host& host, const std::string& site, const std::string& first_module,
               const std::vector<std::string>& modules, InstalledCompanion& companion) {
    const std::string path = join_path(site, first_module.substr(0, first_module.find('/')) + "/version.py");
    const auto text = is_file(host, path) ? read_text(host, path) : Result<std::string>(Trouble{});
    const Known<Version> version = text ? dunder_version(*text, path) : Known<Version>{};
    companion.without_cuda = version && version->local() == "cpu";
    const auto tag = version ? cuda_of_tag(version->local()) : std::nullopt;
    if (tag) companion.cuda = {*tag, version.origin};
    for (const std::string& one : modules)
        for (const std::string& needed : needed_by(host, one))
            if (const auto cuda = cuda_of_library(needed); cuda && !companion.cuda)
                companion.cuda = {*cuda, Origin::from_library(one, one + " needs " + needed)};
}

std::vector<RecordedFile> libraries_of(const Host& host, const InstalledWheel& wheel) {
    std::vector<RecordedFile> found;
    for (RecordedFile& file : recorded_files(host, wheel)) {
        const bool library = file.path.find(".so") != std::string::npos || ends_with(file.path, ".dll");
        if (library && !file.size.empty()) found.push_back(std::move(file));
    }
    return found;
}

// "nvidia-nccl-cu12" -> "nvidia-nccl-cu"; empty if the package name contains no CUDA version.
std::string family_of(const std::string& package) {
    const std::size_t at = package.rfind("-cu");
    const bool numbered = at != std::string::npos && at + 3 < package.size() &&
                          package.find_first_not_of("0123456789", at + 3) == std::string::npos;
    return numbered ? package.substr(0, at + 3) : std::string();
}

// The first library of `own` whose size is the one in the record of `other`.
void compare_records(const Host& host, const std::string& site, const InstalledWheel& own,
                     const InstalledWheel& other, Expectation& expectation) {
    const std::vector<RecordedFile> theirs = libraries_of(host, other);
    for (const RecordedFile& mine : libraries_of(host, own))
        for (const RecordedFile& their : theirs) {
            if (mine.path != their.path || mine.size == their.size) continue;
            if (std::to_string(host.status(join_path(site, mine.path)).size) != their.size) continue;
            expectation.shared_files.push_back(shared_file(mine.path, own, other, other.metadata.name));
            return;
        }
}

}  // namespace

SharedFile shared_file(const std::string& file, const InstalledWheel& own, const InstalledWheel& other,
                       const std::string& owner) {
    return {file, own.metadata.name, other.metadata.name, own.version(), other.version(), owner, false};
}

namespace {

// Of the libraries that both list in different sizes: the first one, and how many there have the size of
// each.
struct SharedLibraries {
    std::string first;
    std::size_t own = 0, other = 0;
};

SharedLibraries shared_libraries(const Host& host, const std::string& site, const InstalledWheel& own,
                                 const InstalledWheel& other) {
    std::map<std::string, std::string> theirs;
    for (const RecordedFile& file : libraries_of(host, other)) theirs[file.path] = file.size;
    SharedLibraries shared;
    for (const RecordedFile& mine : libraries_of(host, own)) {
        const auto their = theirs.find(mine.path);
        if (their == theirs.end() || their->second == mine.size) continue;
        if (shared.first.empty()) shared.first = mine.path;
        const std::string size = std::to_string(host.status(join_path(site, mine.path)).size);
        if (size == mine.size) ++shared.own;
        if (size == their->second) ++shared.other;
    }
    return shared;
}

// The package whose libraries have all been written last; null: those of several are there.
const InstalledWheel* owner_of_all(const Host& host, const std::string& site,
                                   const std::vector<InstalledWheel>& wheels) {
    return first_where(wheels, [&](const InstalledWheel& one) {
        return all_of(wheels, [&](const InstalledWheel& other) {
            if (other.metadata.name == one.metadata.name) return true;
            const SharedLibraries shared = shared_libraries(host, site, one, other);
            return shared.own > 0 && shared.other == 0;
        });
    });
}

}  // namespace

bool add_mixed_builds(const Host& host, const std::string& framework, const std::string& site,
                      PlainName plain, std::vector<InstalledWheel>& wheels, Expectation& expectation) {
    const std::string several = laid_over_one_another(wheels);
    if (several.empty()) return false;
    // cupy-cuda12x, mxnet-cu112, paddlepaddle-gpu
    const auto has_cuda = [&](const InstalledWheel& wheel) {
        return plain == PlainName::of_any_build || is_named_for_gpus(wheel.metadata.name);
    };
    const InstalledWheel* owner = owner_of_all(host, site, wheels);
    // The one with CUDA is compared with the one without.
    const auto* own = owner && has_cuda(*owner) ? owner : first_where(wheels, has_cuda);
    if (!own) own = &wheels.front();
    for (const InstalledWheel& other : wheels) {
        if (other.metadata.name == own->metadata.name) continue;
        const std::string first = shared_libraries(host, site, *own, other).first;
        expectation.shared_files.push_back(shared_file(first.empty() ? file_name(expectation.path) : first,
                                                       *own, other, owner ? owner->metadata.name : ""));
        expectation.shared_files.back().mixed = has_cuda(*own) && has_cuda(other);
    }
    if (owner) {
        wheels = {InstalledWheel(*owner)};
        return false;
    }
    distrust(expectation,
             "several " + framework + " packages are installed over one another in " + site + ": " + several);
    return true;
}

namespace {

std::vector<std::string> modules_of(const Host& host, const std::string& site, const Companion& row) {
    std::vector<std::string> modules;
    for (const std::string& pattern : row.libraries)
        append(modules, paths_matching(host, join_path(site, pattern)));
    return modules;
}

}  // namespace

void find_companions(const Host& host, const Facts& facts, Expectation& expectation) {
    if (expectation.site.empty() || !expectation.version || !expectation.trouble.empty()) return;
    const auto rows = companions_of(facts, expectation.package);
    std::vector<std::string> names;
    for (const Companion* row : rows) names.push_back(row->package);
    if (names.empty()) return;
    for (const InstalledWheel& wheel : installed_wheels(host, expectation.site, names)) {
        const Companion* row = companion_of(facts, expectation.package, wheel.metadata.name);
        if (!row) continue;
        const std::vector<std::string> modules = modules_of(host, expectation.site, *row);
        InstalledCompanion companion;
        companion.package = wheel.metadata.name;
        companion.version = wheel.version();
        companion.built_for = built_for(wheel, row->of, host.system());
        // Where PyPI's record pins no release (torchtext: torch>=2.3) or names none at all (torchcodec). A
        // record without the pin that PyPI's has is of a build by others.
        if (!companion.built_for && companion.version && !row->wheel(*companion.version))
            if (const auto listed = row->needs_other(*companion.version, *expectation.version))
                companion.built_for = {*listed, row->origin};
        if (!row->libraries.empty())
            read_cuda(host, expectation.site, row->libraries.front(), modules, companion);
        for (const std::string& module : modules)
            if (!companion.cxx_abi) companion.cxx_abi = abi_of_library(host, module, "3c10");
        expectation.companions.push_back(std::move(companion));
    }
}

void find_shared_files(const Host& host, Expectation& expectation) {
    if (expectation.site.empty()) return;
    const auto installed = installed_wheels(host, expectation.site, {"nvidia-*"});
    for (const std::string& asked : expectation.asks_for) {
        const std::string package = parse_requirement(asked).name;
        const std::string family = family_of(package);
        const auto* own = first_where(
            installed, [&](const InstalledWheel& wheel) { return wheel.metadata.name == package; });
        if (family.empty() || !own) continue;
        for (const InstalledWheel& other : installed)
            if (starts_with(other.metadata.name, family) && other.metadata.name != package)
                compare_records(host, expectation.site, *own, other, expectation);
    }
}

}  // namespace ptxguard
