// One search for all frameworks: candidates are tried in order until one is accepted, and each skipped one
// has its reason.
// SPDX-License-Identifier: Apache-2.0
#include "expect/tool_search.hpp"

#include "ask/questions.hpp"
#include "ask/version.hpp"
#include "formats/elf.hpp"
#include "formats/pe.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// "x86_64"; empty if the file is not a program or library of a known machine type.
std::string machine_of(const Host& host, const std::string& path) {
    const auto source = host.open(path);
    if (!source) return "";
    if (is_pe(*source)) {
        const auto file = read_pe(*source);
        return file ? "Windows " + pe_machine(file->machine) : "";
    }
    const auto head = host.read_range(path, 0, 64);
    return head ? elf_machine(*head) : "";
}

// If nothing may be run, read the version from the file.
SaidVersion read_tool(const Host& host, const std::string& path, const std::string& machine) {
    const std::string own = machine_of(host, path);
    if (own.empty()) return {{}, "is not a program", PartFault::not_started};
    const bool windows = host.system() == System::windows;
    if (windows != starts_with(own, "Windows "))
        return {{}, "is a program for another system", PartFault::not_started};
    if (!machine.empty() && own != machine)
        return {{}, "is for another machine (" + own + ")", PartFault::not_started};
    return {scanned_version(host.open(path), path), "", PartFault::none};
}

Skipped skipped_of(PartFault fault) {
    if (fault == PartFault::no_answer) return Skipped::no_answer;
    return fault == PartFault::not_executable ? Skipped::not_executable : Skipped::not_run;
}

std::string passed_over(const Facts& facts, const ToolSearch& search, const Version& version) {
    for (const KnownBad& row : facts.known_bad()) {
        if (!contains(search.passes_over, row.id)) continue;
        if (contains(row.exactly, version)) return version.text + ": " + row.effect;
        if (!row.below || version >= *row.below || (row.from && version < *row.from)) continue;
        return row.from ? version.text + ": " + row.effect
                        : version.text + " is older than " + row.below->text;
    }
    return "";
}

bool ends(const Host& host, const ToolSearch& search, const std::string& path, Skipped why) {
    const FileType type = host.status(path).type;
    if (search.stops_at == StopsAt::file || search.stops_at == StopsAt::variable)
        return type == FileType::regular;
    if (search.stops_at == StopsAt::folder) return host.status(parent_path(path)).type == FileType::directory;
    if (!search.stops_at || type == FileType::missing || type == FileType::dangling_link) return false;
    if (search.stops_at == StopsAt::program && (type != FileType::regular || why == Skipped::not_executable))
        return false;
    return why != Skipped::no_answer;  // one that runs but prints no valid version is skipped
}

bool same_file(const Host& host, const std::string& a, const std::string& b) {
    const auto real_a = host.real_path(a), real_b = host.real_path(b);
    return a == b || (real_a && real_b && *real_a == *real_b);
}

std::string consumer_name(const ToolSearch& search, const SearchingPackage& package) {
    std::string name = search.program + " " + package.release->text;
    if (search.min_arch) name += " from " + search.min_arch->sm() + " on";
    if (search.max_arch) name += " up to " + search.max_arch->sm();
    return name;
}

bool knows(const ToolSearch& search, const SearchingPackage& package, const Host& host) {
    const auto has = [](const auto& list, const auto& value) {
        return list.empty() || contains(list, value);
    };
    if (search.package != package.package || !has(search.systems, host.system()) ||
        !has(search.how, std::string(to_string(package.how))))
        return false;
    return search.is_for(*package.release) &&
           (search.unless.empty() || paths_matching(host, join_path(package.site, search.unless)).empty());
}

// A package that requires it always, other than the one that mostly works without it.
bool is_required_by_another(const ToolSearch& search, const SearchingPackage& package, const Host& host,
                            const PythonEnvironment& python) {
    for (const SitePlace& place : python.places) {
        if (place.folder != package.site) continue;
        for (const InstalledWheel& wheel : installed_wheels(host, place.folder, place.records)) {
            const std::string name = canonical_package(wheel.metadata.name);
            if (name == search.companion_of || contains(search.optional_for, name)) continue;
            if (any_of(search.records, [&](const std::string& record) {
                    return wheel.requires_always(record, host.system());
                }))
                return true;
        }
    }
    return false;
}

bool is_companion(const ToolSearch& search, const SearchingPackage& package, const Host& host,
                  const PythonEnvironment& python) {
    const auto is_here = [&](const std::string& folder) {
        return is_folder(host, join_path(package.site, folder));
    };
    return !search.companion_of.empty() && is_here(search.companion_of) && none_of(search.users, is_here) &&
           !is_required_by_another(search, package, host, python);
}

bool is_run(const ToolSearch& search) {
    return search.tool == "ptxas" || search.tool == "nvcc" || search.tool == k_tileiras;
}

}  // namespace

ToolSearches::ToolSearches(const Host& host, const Facts& facts, const Request& request, Scenario& scenario)
    : m_host(host), m_facts(facts), m_scenario(scenario) {
    if (request.only_named) return;
    const std::vector<ToolSearch>& rows = facts.tool_searches();
    for (const SearchingPackage& package : searching_packages(host, rows, request, scenario))
        for (const ToolSearch& row : rows)
            if (knows(row, package, host))
                m_searches.push_back(
                    {row, package,
                     row.library.empty() ? "" : machine_of(host, join_path(package.folder, row.library)),
                     tool_candidates(host, row, package)});
}

void ToolSearches::take_toolkits() {
    for (const Toolkit& toolkit : m_scenario.toolkits)
        for (const PartKind kind : {PartKind::ptxas, PartKind::nvcc})
            if (const Part* part = toolkit.part(kind))
                m_said[part->real_path.empty() ? part->path : part->real_path] = {part->version,
                                                                                  part->trouble, part->fault};
    // A script or link in front of an nvcc runs that one: Debian's /usr/bin/nvcc.
    for (const Toolkit& toolkit : m_scenario.toolkits)
        if (const Part* nvcc = toolkit.part(PartKind::nvcc))
            for (const std::string& wrapper : toolkit.wrappers)
                m_said.emplace(real_or_same(m_host, wrapper),
                               SaidVersion{nvcc->version, nvcc->trouble, nvcc->fault});
}

ToolSearches::Tried ToolSearches::by_type(const Host& host, const std::string& path,
                                          const FileStatus& status) {
    if (status.type == FileType::regular) return {};
    if (status.type != FileType::missing) return {why_no_file(status.type)};
    const bool alone = host.status(parent_path(path)).type != FileType::missing;
    return {alone ? "does not exist" : "its folder does not exist", Skipped::absent};
}

// Of a file that is run.
ToolSearches::Tried ToolSearches::answered(const Search& search, const std::string& path) {
    const std::string file = real_or_same(m_host, path);
    if (m_host.foreign() && m_said.count(file) == 0) m_said[file] = read_tool(m_host, path, search.machine);
    const auto found = m_said.find(file);
    const SaidVersion said = found == m_said.end() ? SaidVersion{} : found->second;
    if (!said.trouble.empty() && !(search.row.tool == "nvcc" && said.version))
        return {said.trouble, skipped_of(said.fault), said.version};
    if (!said.version)
        return {
            "its version cannot be read", m_host.foreign() ? Skipped::not_run : Skipped::no_answer, {}, true};
    // An nvcc is used unchecked; what it lacks shows when it compiles.
    if (search.row.tool == "nvcc") return {"", Skipped::other, said.version};
    return {passed_over(m_facts, search.row, *said.version), Skipped::unfit, said.version};
}

ToolSearches::Tried ToolSearches::tried(const Search& search, const ToolCandidate& candidate) {
    const std::string& path = candidate.path;
    const FileStatus status = m_host.status(path);
    Tried tried = by_type(m_host, path, status);
    if (tried.why.empty() && search.row.tool == k_cuda_headers)
        tried.version = runtime_header_version(m_host.read_range(path, 0, k_header_head), path);
    if (tried.why.empty() && is_run(search.row))
        tried =
            status.executable ? answered(search, path) : Tried{"is not executable", Skipped::not_executable};
    tried.over = tried.why.empty() || candidate.last || ends(m_host, search.row, path, tried.skipped);
    return tried;
}

void ToolSearches::ask(Questions& questions) {
    take_toolkits();
    if (m_host.foreign()) return;
    for (const Search& search : m_searches)
        for (const ToolCandidate& candidate : search.candidates) {
            if (!is_run(search.row) || !candidate.not_looked.empty()) continue;
            const Tried result = tried(search, candidate);
            if (result.unanswered) ask_candidate(search, candidate.path, questions);
            if (result.over) break;
        }
}

void ToolSearches::ask_candidate(const Search& search, const std::string& path, Questions& questions) {
    const auto [said, is_new] = m_said.try_emplace(real_or_same(m_host, path));
    if (!is_new) return;
    ask_version(m_host, path, k_cuda_marker, questions,
                [this, path, machine = search.machine, &answer = said->second](const SaidVersion& one) {
                    answer = one;
                    const std::string own =
                        one.fault == PartFault::not_started ? machine_of(m_host, path) : "";
                    if (!machine.empty() && !own.empty() && own != machine)
                        answer.trouble = "is for another machine (" + own + ")";
                });
}

void ToolSearches::resolve() {
    take_toolkits();
    for (const Search& search : m_searches) {
        Pick found = pick(search);
        // torch without Triton: nothing is installed, and nothing needs it.
        if (!found.path.empty() || found.search->when_none || search.row.needed_from)
            m_scenario.picks.push_back(std::move(found));
    }
}

// The toolkit of the resolved file, and its version if the file has none itself (libdevice, libNVVM).
void ToolSearches::place(Pick& pick) const {
    for (const Toolkit& toolkit : m_scenario.toolkits) {
        if (any_of(toolkit.wrappers,
                   [&](const std::string& wrapper) { return same_file(m_host, wrapper, pick.path); })) {
            pick.toolkit = toolkit.id;
            return;
        }
        for (const Part& part : toolkit.parts) {
            // A toolkit names its library libnvvm.so, a package requests libnvvm.so.4.
            if (!starts_with(file_name(pick.path), file_name(part.path)) ||
                !same_file(m_host, part.path, pick.path))
                continue;
            pick.toolkit = toolkit.id;
            if (!pick.version) pick.version = part.version;
            return;
        }
    }
}

Pick ToolSearches::pick(const Search& one) {
    const ToolSearch& search = one.row;
    Pick pick;
    pick.consumer = consumer_name(search, one.package);
    pick.tool = search.tool;
    PackageSearch& made = pick.search.emplace();
    made.package = search.package;
    made.release = one.package.release;
    pick.because = "finds none";
    made.setting = search.setting;
    made.when_none = search.when_none;
    made.effect = search.effect;
    made.wants = search.wants;
    made.get = search.get;
    made.gpu_because = one.package.gpu_because;
    const bool has_list = any_of(search.steps, [](const SearchStep& step) { return step.list; });
    made.follows_path = has_list && (!m_host.foreign() || may_be_on_a_list(m_host, search, one.package));
    if (has_list && !made.follows_path && !m_host.env("PATH"))
        pick.losers.push_back({"PATH", "is not known, and no folder of this tree that may be on it has one",
                               "", Skipped::other});
    made.min_arch = search.min_arch;
    made.max_arch = search.max_arch;
    made.specific_from = search.specific_from;
    if (is_companion(search, one.package, m_host, m_scenario.python)) made.companion_of = search.companion_of;
    made.compiles_against = search.compiles_against;
    made.links = search.links;
    made.compares_headers = search.cccl_from && *one.package.release >= *search.cccl_from;
    made.table = search.origin;
    bool over = false;
    for (const ToolCandidate& candidate : one.candidates) {
        Pick::Loser loser{candidate.path, candidate.not_looked, candidate.by, Skipped::other};
        if (over) {
            loser.reason = "comes after " + pick.because;
            loser.skipped = Skipped::later;
            if (candidate.not_looked.empty() && m_host.status(candidate.path).type == FileType::regular &&
                !same_file(m_host, candidate.path, pick.path))
                pick.losers.push_back(std::move(loser));
            continue;
        }
        Tried result;
        if (loser.reason.empty()) {
            result = tried(one, candidate);
            loser.reason = result.why;
            if (!loser.reason.empty()) loser.skipped = result.skipped;
            over = result.over;
        }
        if (!loser.reason.empty()) {
            if (over) pick.because = candidate.by + ", and the search ends there";
            pick.losers.push_back(std::move(loser));
            continue;
        }
        pick.path = candidate.path;
        pick.because = candidate.by;
        pick.version = result.version;
        place(pick);
        if (!pick.version && search.tool == k_libnvvm)
            pick.version = scanned_version(m_host.open(pick.path), pick.path);
    }
    return pick;
}

}  // namespace ptxguard
