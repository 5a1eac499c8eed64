// SPDX-License-Identifier: Apache-2.0
#include "load/missing_versions.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/library_facts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/conda.hpp"
#include "packages/python.hpp"

namespace ptxguard {
namespace {

// Whether the search that found an object is certain.
bool is_certain(const LinuxProcess& process, const LinuxObject& provider, SearchKnown known,
                const std::string& version) {
    if (known == SearchKnown::all || starts_with(version, "GLIBC_")) return true;
    if (known == SearchKnown::c_library || !provider.entry) return false;
    const LoadRule& rule = process.files[*provider.entry].rule;
    if (known == SearchKnown::variables) return !deciding_variable(rule).empty();
    return rule.step == LoadStep::rpath || rule.step == LoadStep::runpath;
}

void add_version(const LinuxObject& provider, const ElfNeededVersion& needed, const std::string& other,
                 std::vector<LackingLibrary>& lacking) {
    auto* same = first_where(lacking, [&](const LackingLibrary& one) {
        return one.name == needed.file && one.other == other && one.functions.empty();
    });
    if (!same) {
        LackingLibrary one;
        one.name = needed.file;
        one.path = provider.path;
        one.other = other;
        same = &lacking.emplace_back(std::move(one));
    }
    if (!contains(same->versions, needed.version)) same->versions.push_back(needed.version);
}

bool defines_all(const Host& host, const std::string& path, const std::vector<std::string>& versions) {
    const auto source = host.open(path);
    const auto dynamic = source ? read_elf_dynamic(*source) : Result<ElfDynamic>(Trouble{});
    return dynamic && all_of(versions, [&](const std::string& version) {
               return contains(dynamic->defined_versions, version);
           });
}

// Where a variable gives the file, what the search takes without it.
void find_later(const Host& host, LinuxProcess& process, LackingLibrary& lacking) {
    const auto at = process.named(lacking.path);
    const auto entry = at ? process.objects[*at].entry : std::nullopt;
    if (!entry) return;
    lacking.variable = deciding_variable(process.files[*entry].rule);
    if (lacking.variable.empty()) return;
    const LoadedFile& file = process.files[*entry];
    lacking.entry = file.rule.step == LoadStep::ld_preload ? file.name : file.rule_detail;
    process.find_losers(*entry);
    for (const LoadLoser& loser : process.files[*entry].losers) {
        if (loser.lost != LoadLost::later) continue;
        if (defines_all(host, loser.path, lacking.versions)) lacking.later = loser.path;
        return;
    }
}

bool has_own_runtime(const Host& host, const std::string& prefix) {
    return is_file(host, join_path(prefix, "lib/libstdc++.so.6"));
}

SearchKnown known_of_conda(const Host& host, const std::string& prefix) {
    return has_own_runtime(host, prefix) ? SearchKnown::brings_own : SearchKnown::all;
}

// Of one Python's prefix: the system's has no DT_RPATH to libraries of its own.
SearchKnown known_of_prefix(const Host& host, const std::string& prefix, bool is_virtual) {
    const bool brings_own = has_own_runtime(host, prefix);
    if (prefix == "/usr" || (prefix == "/usr/local" && !brings_own)) return SearchKnown::all;
    if (brings_own || (is_virtual && host.status(prefix).type != FileType::directory))
        return SearchKnown::c_library;
    return SearchKnown::variables;
}

}  // namespace

ImportingPython importing_python(const Host& host, const std::string& program,
                                 const std::vector<std::string>& site_packages) {
    ImportingPython python{program, {}, SearchKnown::all};
    if (!program.empty()) {
        const std::string prefix = parent_path(parent_path(real_or_same(host, program)));
        if (is_conda_prefix(host, prefix)) python.known = known_of_conda(host, prefix);
        return python;
    }
    python.known = SearchKnown::c_library;
    for (const std::string& site : site_packages) {
        const bool is_debians = file_name(site) == "dist-packages";
        std::string prefix = is_debians ? "/usr" : prefix_of_site(site);
        if (prefix.empty()) continue;
        const auto layout = layout_of_prefix(host, prefix);
        const bool is_virtual = layout && layout->is_virtual;
        if (is_virtual) prefix = layout->base;
        if (is_conda_prefix(host, prefix)) {
            python.conda_folder = join_path(prefix, "lib");
            python.known = known_of_conda(host, prefix);
        } else {
            python.known = known_of_prefix(host, prefix, is_virtual);
        }
        break;
    }
    return python;
}

void add_missing_versions(const Host& host, LinuxProcess& process, std::size_t module, std::size_t first,
                          SearchKnown known, std::vector<LackingLibrary>& lacking) {
    std::vector<std::size_t> loaded;
    add_closure(process, module, loaded);
    for (const std::size_t user : loaded) {
        if (user != module && user < first) continue;
        const LinuxObject& object = process.objects[user];
        const std::string other = user == module ? std::string() : object.path;
        for (const ElfNeededVersion& needed : object.dynamic.needed_versions) {
            const auto at = process.named(needed.file);
            if (needed.weak || !at) continue;
            const LinuxObject& provider = process.objects[*at];
            const auto& defined = provider.dynamic.defined_versions;
            if (!contains(defined, needed.version) && is_newer_version(needed.version, defined) &&
                is_certain(process, provider, known, needed.version))
                add_version(provider, needed, other, lacking);
        }
    }
    for (LackingLibrary& one : lacking) find_later(host, process, one);
}

void add_closure(const LinuxProcess& process, std::size_t start, std::vector<std::size_t>& reached) {
    std::vector<std::size_t> next{start};
    while (!next.empty()) {
        const std::size_t at = next.back();
        next.pop_back();
        if (contains(reached, at)) continue;
        reached.push_back(at);
        for (const std::string& needed : process.objects[at].dynamic.needed)
            if (const auto found = process.named(needed)) next.push_back(*found);
    }
}

}  // namespace ptxguard
