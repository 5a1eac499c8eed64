// CC406 symbol_version_missing: the resolved file lacks versions or symbols that are bound to it by file.
// Symbols that are not bound to a file may come from the program and are not checked; pairs that CC402 and
// CC303 report are left to them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/library_questions.hpp"

namespace ptxguard {
namespace {

const LoadedFile* provider(const LoadTrace& trace, const std::string& file) {
    for (const LoadedFile& library : trace.libraries)
        if (library.name == file) return &library;
    return nullptr;
}

bool told_elsewhere(const std::vector<MixedPair>& pairs, const std::string& asker, const LoadedFile* other) {
    return std::any_of(pairs.begin(), pairs.end(), [&](const MixedPair& pair) {
        return other && pair.other.name == other->name && pair.library.taken == asker;
    });
}

struct Asker {
    std::string path, name;
    bool starts_without = false;
    const std::vector<std::string>& names;
    const std::vector<std::string>& versions;
};

void judge_asker(const LoadTrace& trace, const Asker& asker, const std::vector<MixedPair>& pairs,
                 Findings& findings) {
    std::vector<std::string> lacking = asker.versions;
    std::vector<Evidence> found;
    for (const std::string& name : asker.names) {
        const auto at = name.rfind('@');
        const LoadedFile* other = at == std::string::npos ? nullptr : provider(trace, name.substr(at + 1));
        if (!other || !other->taken || other->stub || told_elsewhere(pairs, asker.path, other)) continue;
        lacking.push_back(name.substr(0, at) + " of " + other->name);
        const Evidence evidence = evidence_of(*other);
        if (std::none_of(found.begin(), found.end(),
                         [&](const Evidence& e) { return e.what == evidence.what; }))
            found.push_back(evidence);
    }
    if (lacking.empty()) return;
    constexpr std::size_t k_shown = 3;
    std::vector<std::string> shown(
        lacking.begin(), lacking.begin() + static_cast<std::ptrdiff_t>(std::min(lacking.size(), k_shown)));
    const std::string more = lacking.size() > k_shown
                                 ? " and " + std::to_string(lacking.size() - k_shown) + " more"
                                 : std::string();
    Finding& finding =
        add(findings, "CC406", asker.starts_without ? Level::warning : Level::error,
            asker.name + " of " + trace.path,
            asker.path + " asks for " +
                (more.empty() ? list(shown) : shown[0] + ", " + shown[1] + ", " + shown[2] + more) +
                ", which the loader does not find");
    finding.found = std::move(found);
    Origin origin = Origin::from_file(asker.path);
    finding.expected = {{asker.name, "libraries that define what it asks for", origin}};
    finding.because =
        asker.versions.empty()
            ? "the loader ends the process at the first use of such a name, or at the start with LD_BIND_NOW"
            : "the loader refuses a file whose versions are not there: \"version `...' not found\"";
    finding.fix = {
        {FixKind::manual,
         "give it the releases that it was linked with, or link it again with those that are here"}};
}

}  // namespace

PTXGUARD_RULE(CC406) {
    for (const LoadTrace& trace : scenario.traces) {
        const auto pairs = mixed_pairs(trace, facts);
        const std::string name = trace.path.substr(trace.path.find_last_of("/\\") + 1);
        judge_asker(trace, {trace.path, name, false, trace.undefined_names, trace.missing_versions}, pairs,
                    findings);
        for (const LoadedFile& library : trace.libraries)
            if (library.taken)
                judge_asker(trace,
                            {*library.taken, library.name, !is_needed_to_start(library),
                             library.undefined_names, library.missing_versions},
                            pairs, findings);
    }
}

}  // namespace ptxguard
