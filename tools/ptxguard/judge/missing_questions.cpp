// SPDX-License-Identifier: Apache-2.0
#include "judge/missing_questions.hpp"

#include <algorithm>

#include "judge/framework_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

std::string cuda_name(int major) { return "CUDA " + std::to_string(major); }

// The newest release whose Linux build is for that CUDA.
std::optional<Version> release_for(const Facts& facts, const std::string& package, int cuda_major) {
    std::optional<Version> newest;
    for (const Version& version : facts.framework_releases(package)) {
        const FrameworkRelease* release = facts.framework_release(package, version);
        const bool fits = release && release->cuda && release->cuda->major() == cuda_major;
        if (fits && !version.is_prerelease()) newest = version;
    }
    return newest;
}

}  // namespace

Elsewhere elsewhere_of(const std::vector<const LoadedFile*>& missing, const Facts& facts) {
    Elsewhere elsewhere;
    std::size_t lying = 0;
    for (const LoadedFile* library : missing) {
        if (const LoadLoser* lost = loser_of(*library, LoadLost::not_searched)) {
            ++lying;
            const std::string folder = folder_of(lost->path);
            if (std::find(elsewhere.folders.begin(), elsewhere.folders.end(), folder) ==
                elsewhere.folders.end())
                elsewhere.folders.push_back(folder);
        }
        const LoadLoser* other = loser_of(*library, LoadLost::other_name);
        if (elsewhere.other || !other) continue;
        elsewhere.wanted = library;
        elsewhere.other = other;
        const auto name = library_by_file_name(facts, file_of(other->path));
        elsewhere.other_major = name ? name->cuda_major : 0;
    }
    elsewhere.count = missing.size();
    elsewhere.all = !missing.empty() && lying == missing.size();
    if (elsewhere.all) elsewhere.other = nullptr;
    if (elsewhere.other) elsewhere.folders.clear();
    return elsewhere;
}

std::string words_of(const Elsewhere& elsewhere) {
    if (elsewhere.other)
        return "; " + file_of(elsewhere.other->path) + " of " + cuda_name(elsewhere.other_major) + " is";
    if (elsewhere.folders.empty()) return {};
    const char* lie = !elsewhere.all ? ": some lie" : elsewhere.count == 1 ? ": it lies" : ": they lie";
    return lie + std::string(" where the loader does not look");
}

std::vector<Evidence> evidence_of(const Elsewhere& elsewhere) {
    std::vector<Evidence> found;
    for (const std::string& folder : elsewhere.folders)
        found.push_back({"not searched", folder, Origin::from_file(folder)});
    if (elsewhere.other) {
        Origin where = Origin::from_file(elsewhere.other->path);
        where.text =
            elsewhere.other->path + (elsewhere.other->rule.empty() ? "" : ", by " + elsewhere.other->rule);
        found.push_back({file_of(elsewhere.other->path), cuda_name(elsewhere.other_major), where});
    }
    return found;
}

std::string reason_of(const Elsewhere& elsewhere) {
    if (elsewhere.other)
        return "the number in the name is part of it: " + file_of(elsewhere.other->path) + " belongs to " +
               cuda_name(elsewhere.other_major) + ", " + file_of(elsewhere.wanted->name) + " to " +
               cuda_name(elsewhere.wanted->cuda_major) + "; a link under the other name has other functions";
    return "the loader looks where the file that opens them leads it, and that is not there";
}

std::vector<Fix> fixes_for(const Elsewhere& elsewhere, const Expectation* framework, const Facts& facts) {
    if (!elsewhere.folders.empty()) {
        std::string folders;
        for (const std::string& folder : elsewhere.folders) folders += (folders.empty() ? "" : ":") + folder;
        return {{FixKind::command,
                 "export LD_LIBRARY_PATH=\"" + folders + "${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}\""}};
    }
    if (!elsewhere.other || !framework) return {};
    std::vector<Fix> fixes;
    const std::string& package =
        framework->build_package.empty() ? framework->package : framework->build_package;
    if (const auto release = release_for(facts, package, elsewhere.other_major))
        fixes.push_back(
            {FixKind::command, "python3 -m pip install '" + package + "==" + release->text + "'"});
    else if (facts.framework_releases(package).empty())
        fixes.push_back({FixKind::manual, "a release of " + framework->framework + " for " +
                                              cuda_name(elsewhere.other_major)});
    const bool exact = framework->cuda && framework->cuda->numbers.size() > 1;
    const std::string built =
        exact ? "CUDA " + framework->cuda->release() : cuda_name(elsewhere.wanted->cuda_major);
    fixes.push_back({FixKind::manual, "the libraries of " + built + ", with which " + name_of(*framework) +
                                          " is built, with their folder in LD_LIBRARY_PATH"});
    return fixes;
}

}  // namespace ptxguard
