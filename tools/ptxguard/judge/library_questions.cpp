// SPDX-License-Identifier: Apache-2.0
#include "judge/library_questions.hpp"
#include "model/file_names.hpp"
#include "model/text.hpp"

#include <algorithm>

namespace ptxguard {
namespace {

std::string folder_of_path(const std::string& path) {
    const auto end = path.find_last_of("/\\");
    return end == std::string::npos ? std::string(".") : path.substr(0, end);
}

// 12.4.5 and 12.4.5.8 are the same version: compare only the numbers that both have.
int compare_known(const Version& a, const Version& b, std::size_t numbers) {
    numbers = std::min({numbers, a.numbers.size(), b.numbers.size()});
    for (std::size_t i = 0; i < numbers; ++i)
        if (a.at(i) != b.at(i)) return a.at(i) - b.at(i);
    return 0;
}

// How `other` compares with `library`: below 0 = older release; nothing = not known.
std::optional<int> difference(const LoadedFile& library, const LoadedFile& other, const LibrarySet& set) {
    constexpr std::size_t k_patch = 3, k_release = 2;
    if (set.id == "cudnn") {
        if (!library.version || !other.version) return std::nullopt;
        return compare_known(*other.version, *library.version, k_patch);
    }
    if (library.cuda && other.cuda) return compare_known(*other.cuda, *library.cuda, k_release);
    if (set.rule == LibrarySet::Rule::same_version && library.version && other.version)
        return compare_known(*other.version, *library.version, k_release);
    return std::nullopt;
}

void compare_pair(const LoadedFile& library, const LoadedFile& other, const LibrarySet& set,
                  std::vector<MixedPair>& pairs) {
    const bool proven = !names_asked_of(library.undefined_names, other).empty();
    const auto stands = difference(library, other, set);
    if (!proven && (stands.value_or(0) == 0 || (library.pinned && other.pinned))) return;
    if (!proven && set.rule == LibrarySet::Rule::other_not_older) {
        // Its symbol names carry the release that added them, so counting the undefined ones is proof.
        if (*stands > 0 || library.undefined) return;
    }
    pairs.push_back({library, other, set, proven, proven || *stands < 0});
}

// The libraries of the process, including the checked file.
std::vector<LoadedFile> members_of(const LoadTrace& trace) {
    std::vector<LoadedFile> members;
    for (const LoadedFile& library : trace.libraries)
        if (is_taken(library) && !library.library.empty()) members.push_back(library);
    if (trace.itself.library.empty()) return members;
    LoadedFile itself = trace.itself;
    itself.name = file_of(itself.name);
    itself.undefined = trace.undefined;
    itself.undefined_names = trace.undefined_names;
    members.push_back(itself);
    return members;
}

const LoadedFile* taken_of(const std::vector<LoadedFile>& members, const std::string& name) {
    for (const LoadedFile& library : members)
        if (library.library == name) return &library;
    return nullptr;
}

// cuDNN has its own version numbers: one release is built for several CUDAs.
std::string release_name(const LoadedFile& library) {
    const bool cudnn = starts_with(library.library, "cudnn");
    if (cudnn && library.version) return "cuDNN " + library.version->text;
    if (library.cuda && !cudnn) return "CUDA " + library.cuda->text;
    return library.version ? library.version->text : "";
}

}  // namespace

std::vector<Fix> reinstall_fix(const LoadTrace& trace, const std::string& component) {
    std::string packages;
    for (const std::string& package : trace.half_removed)
        if (component.empty() || nvidia_component(package) == component) packages += " '" + package + "'";
    if (packages.empty()) return {};
    return {{FixKind::command, "python3 -m pip install --force-reinstall --no-deps" + packages}};
}

const LoadLoser* loser_of(const LoadedFile& library, LoadLost lost) {
    for (const LoadLoser& loser : library.losers)
        if (loser.lost == lost) return &loser;
    return nullptr;
}

bool is_taken(const LoadedFile& library) { return library.taken && !library.stub; }

bool is_needed_to_start(const LoadedFile& library) {
    return library.how == LoadHow::needed && !library.optional;
}

bool is_of_driver(const LoadedFile& library, const Facts& facts) {
    const auto name = library_by_file_name(facts, file_of(library.name));
    return name && name->driver;
}

std::string deciding_variable(const LoadedFile& library) {
    for (const char* variable : {"LD_LIBRARY_PATH", "LD_PRELOAD"})
        if (starts_with(library.rule, variable)) return variable;
    return {};
}

std::vector<std::string> names_asked_of(const std::vector<std::string>& undefined_names,
                                        const LoadedFile& other) {
    std::vector<std::string> names;
    for (const std::string& name : undefined_names) {
        const auto at = name.rfind('@');
        if (at == std::string::npos) continue;
        const std::string file = name.substr(at + 1);
        if (file == other.name || (other.taken && file == file_of(*other.taken)))
            names.push_back(name.substr(0, at));
    }
    return names;
}

// The first library of a set is the one that the others depend on (nvJitLink), or that depends on them
// (cuBLAS).
std::vector<MixedPair> mixed_pairs(const LoadTrace& trace, const Facts& facts) {
    std::vector<MixedPair> pairs;
    const std::vector<LoadedFile> members = members_of(trace);
    for (const LibrarySet& set : library_sets(facts)) {
        const bool first_serves = set.rule == LibrarySet::Rule::other_not_older;
        const LoadedFile* first = taken_of(members, set.libraries.front());
        for (std::size_t i = 1; i < set.libraries.size(); ++i) {
            const LoadedFile* next = taken_of(members, set.libraries[i]);
            if (!next) continue;
            if (!first) {
                first = first_serves ? nullptr : next;
                continue;
            }
            compare_pair(first_serves ? *next : *first, first_serves ? *first : *next, set, pairs);
        }
    }
    return pairs;
}

std::string folder_of_library(const LoadedFile& library) {
    return folder_of_path(library.taken.value_or(""));
}

std::string titles_of(const std::vector<LoadedFile>& libraries) {
    constexpr std::size_t k_shown = 3;
    if (libraries.size() == 1) return title_of(libraries.front());
    std::vector<std::string> names;
    for (const LoadedFile& library : libraries) names.push_back(library.name);
    if (names.size() > k_shown + 1) {
        names.resize(k_shown);
        names.push_back(std::to_string(libraries.size() - k_shown) + " more");
    }
    const Known<Version>& version = libraries.front().version;
    return list(names) + (version ? (names.size() > k_shown ? " of " : " ") + version->text : "");
}

std::string title_of(const LoadedFile& library) {
    return library.name + (library.version ? " " + library.version->text : std::string());
}

std::string subject_of(const LoadTrace& trace, const LoadedFile& library) {
    return library.name + " of " + trace.path;
}

Evidence evidence_of(const LoadedFile& library) {
    Origin origin = library.version.origin;
    const std::string path = library.taken.value_or(library.name);
    if (origin.kind == OriginKind::none) origin = Origin::from_file(path);
    origin.text = path + (library.rule.empty() ? "" : ", by " + library.rule);
    return {library.name, library.version ? library.version->text : "of an unknown release", origin};
}

std::vector<Fix> same_release_fix(const LoadedFile& wrong, const LoadedFile& right, const Facts&) {
    std::vector<Fix> fixes;
    const std::string folder = folder_of_path(wrong.taken.value_or(""));
    const std::string variable = deciding_variable(wrong);
    if (!variable.empty()) fixes.push_back({FixKind::setting, "take " + folder + " out of " + variable});
    // "package nvidia-cudnn-cu13 9.19.0.56 (...)": the file is among those of this wheel, but not its own.
    const std::string package = "package nvidia-", &text = right.version.origin.text;
    if (right.version && starts_with(text, package) && folder == folder_of_path(right.taken.value_or(""))) {
        const std::string name = text.substr(8, text.find(' ', 8) - 8);
        fixes.push_back({FixKind::command, "python3 -m pip install --force-reinstall --no-deps " + name +
                                               "==" + right.version->text});
    }
    const std::string release = release_name(right);
    if (!release.empty())
        fixes.push_back({FixKind::manual,
                         "put " + wrong.name + " of " + release + " where " + *wrong.taken + " is found"});
    return fixes;
}

}  // namespace ptxguard
