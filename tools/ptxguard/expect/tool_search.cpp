// One search for all frameworks: candidates are tried in order until one is accepted, and each skipped one
// has its reason.
// SPDX-License-Identifier: Apache-2.0
#include "expect/tool_search.hpp"

#include <algorithm>

#include "ask/questions.hpp"
#include "ask/version.hpp"
#include "formats/elf.hpp"
#include "formats/pe.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard {
namespace {

using Said = SaidVersion;

// Why a candidate is rejected: as shown, and as a type. No text = accepted.
struct Rejection {
    std::string words;
    Skipped skipped = Skipped::other;
};

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

Skipped skipped_of(PartFault fault) {
    if (fault == PartFault::no_answer) return Skipped::no_answer;
    return fault == PartFault::not_executable ? Skipped::not_executable : Skipped::not_run;
}

class Searcher {
public:
    Searcher(const Asker& ask, const Facts& facts, const Scenario& scenario)
        : m_ask(ask), m_host(ask.host()), m_facts(facts), m_scenario(scenario) {
        for (const Toolkit& toolkit : scenario.toolkits)
            for (const PartKind kind : {PartKind::ptxas, PartKind::nvcc})
                if (const Part* part = toolkit.part(kind))
                    m_answers[part->real_path.empty() ? part->path : part->real_path] = {
                        part->version, part->trouble, part->fault};
    }

    Pick pick(const ToolSearch& search, const SearchingPackage& package);

private:
    Rejection rejection_of(const ToolSearch& search, const std::string& path, const std::string& machine,
                           Known<Version>& version);
    Said ask(const std::string& path, const std::string& machine);
    Said read(const std::string& path, const std::string& machine);
    std::string passed_over(const ToolSearch& search, const Version& version) const;
    bool ends(const ToolSearch& search, const std::string& path, Skipped why) const;
    void place(Pick& pick) const;
    bool same_file(const std::string& a, const std::string& b) const;

    const Asker& m_ask;
    const Host& m_host;
    const Facts& m_facts;
    const Scenario& m_scenario;
    std::map<std::string, Said> m_answers;  // by real path
};

// If nothing may be run, read the version from the file.
Said Searcher::read(const std::string& path, const std::string& machine) {
    const std::string own = machine_of(m_host, path);
    if (own.empty()) return {{}, "is not a program", PartFault::not_started};
    const bool windows = m_host.system() == System::windows;
    if (windows != starts_with(own, "Windows "))
        return {{}, "is a program for another system", PartFault::not_started};
    if (!machine.empty() && own != machine)
        return {{}, "is for another machine (" + own + ")", PartFault::not_started};
    return {scanned_version(m_host.open(path), path), "", PartFault::none};
}

Said Searcher::ask(const std::string& path, const std::string& machine) {
    Said said;
    Questions questions(m_ask);
    ask_version(m_host, path, k_cuda_marker, questions, [&](const SaidVersion& one) { said = one; });
    questions.run();
    if (said.fault == PartFault::not_started)
        if (const std::string own = machine_of(m_host, path);
            !machine.empty() && !own.empty() && own != machine)
            said.trouble = "is for another machine (" + own + ")";
    return said;
}

std::string Searcher::passed_over(const ToolSearch& search, const Version& version) const {
    for (const KnownBad& row : m_facts.known_bad()) {
        if (std::find(search.passes_over.begin(), search.passes_over.end(), row.id) ==
            search.passes_over.end())
            continue;
        if (std::find(row.exactly.begin(), row.exactly.end(), version) != row.exactly.end())
            return version.text + ": " + row.effect;
        if (!row.below || version >= *row.below || (row.from && version < *row.from)) continue;
        return row.from ? version.text + ": " + row.effect
                        : version.text + " is older than " + row.below->text;
    }
    return "";
}

Rejection by_type(const Host& host, const std::string& path, const FileStatus& status) {
    switch (status.type) {
        case FileType::regular:
            return {};
        case FileType::missing:
            return {host.status(parent_path(path)).type == FileType::missing ? "its folder does not exist"
                                                                             : "does not exist",
                    Skipped::absent};
        case FileType::directory:
            return {"is a folder"};
        case FileType::dangling_link:
            return {"is a dangling symlink"};
        case FileType::link_loop:
            return {"is a symlink loop"};
        default:
            return {"cannot be read"};
    }
}

// No text = accepted.
Rejection Searcher::rejection_of(const ToolSearch& search, const std::string& path,
                                 const std::string& machine, Known<Version>& version) {
    const FileStatus status = m_host.status(path);
    if (const Rejection why = by_type(m_host, path, status); !why.words.empty()) return why;
    if (search.tool == "libdevice" || search.tool == k_libnvvm) return {};
    if (search.tool == k_cuda_headers) {
        version = runtime_header_version(m_host.read_range(path, 0, k_header_head), path);
        return {};
    }
    if (!status.executable) return {"is not executable", Skipped::not_executable};
    const auto real = m_host.real_path(path);
    const std::string key = real ? *real : path;
    auto found = m_answers.find(key);
    if (found == m_answers.end())
        found = m_answers.emplace(key, m_host.foreign() ? read(path, machine) : ask(path, machine)).first;
    version = found->second.version;
    // It is used unchecked; what it lacks shows when it compiles.
    if (search.tool == "nvcc" && version) return {};
    if (!found->second.trouble.empty()) return {found->second.trouble, skipped_of(found->second.fault)};
    if (!version) return {"its version cannot be read", Skipped::not_run};
    return {passed_over(search, *version), Skipped::unfit};
}

bool Searcher::ends(const ToolSearch& search, const std::string& path, Skipped why) const {
    const FileType type = m_host.status(path).type;
    if (search.stops_at == StopsAt::file || search.stops_at == StopsAt::variable)
        return type == FileType::regular;
    if (search.stops_at == StopsAt::folder)
        return m_host.status(parent_path(path)).type == FileType::directory;
    if (!search.stops_at || type == FileType::missing || type == FileType::dangling_link) return false;
    if (search.stops_at == StopsAt::program && (type != FileType::regular || why == Skipped::not_executable))
        return false;
    return why != Skipped::no_answer;  // one that runs but prints no valid version is skipped
}

bool Searcher::same_file(const std::string& a, const std::string& b) const {
    const auto real_a = m_host.real_path(a), real_b = m_host.real_path(b);
    return a == b || (real_a && real_b && *real_a == *real_b);
}

// The toolkit of the resolved file, and its version if the file has none itself (libdevice, libNVVM).
void Searcher::place(Pick& pick) const {
    for (const Toolkit& toolkit : m_scenario.toolkits)
        for (const Part& part : toolkit.parts) {
            // A toolkit names its library libnvvm.so, a package requests libnvvm.so.4.
            if (!starts_with(file_name(pick.path), file_name(part.path)) || !same_file(part.path, pick.path))
                continue;
            pick.toolkit = toolkit.id;
            if (!pick.version) pick.version = part.version;
            return;
        }
}

std::string consumer_name(const ToolSearch& search, const SearchingPackage& package) {
    std::string name = search.program + " " + package.release->text;
    if (search.min_arch) name += " from " + search.min_arch->sm() + " on";
    if (search.max_arch) name += " up to " + search.max_arch->sm();
    return name;
}

Pick Searcher::pick(const ToolSearch& search, const SearchingPackage& package) {
    Pick pick;
    pick.consumer = consumer_name(search, package);
    pick.tool = search.tool;
    PackageSearch& made = pick.search.emplace();
    made.package = search.package;
    made.release = package.release;
    pick.because = "finds none";
    made.setting = search.setting;
    made.when_none = search.when_none;
    made.effect = search.effect;
    made.wants = search.wants;
    made.get = search.get;
    made.gpu_because = package.gpu_because;
    made.follows_path = std::any_of(search.steps.begin(), search.steps.end(),
                                    [](const SearchStep& step) { return step.list; });
    made.min_arch = search.min_arch;
    made.max_arch = search.max_arch;
    made.table = search.origin;
    const std::string machine =
        search.library.empty() ? "" : machine_of(m_host, join_path(package.folder, search.library));
    bool over = false;
    for (const ToolCandidate& candidate : tool_candidates(m_host, search, package)) {
        Pick::Loser loser{candidate.path, candidate.not_looked, candidate.by, Skipped::other};
        if (over) {
            loser.reason = "comes after " + pick.because;
            loser.skipped = Skipped::later;
            if (candidate.not_looked.empty() && m_host.status(candidate.path).type == FileType::regular &&
                !same_file(candidate.path, pick.path))
                pick.losers.push_back(std::move(loser));
            continue;
        }
        Known<Version> version;
        if (loser.reason.empty()) {
            const Rejection rejection = rejection_of(search, candidate.path, machine, version);
            loser.reason = rejection.words;
            if (!loser.reason.empty()) loser.skipped = rejection.skipped;
            over = loser.reason.empty() || candidate.last || ends(search, candidate.path, loser.skipped);
        }
        if (!loser.reason.empty()) {
            if (over) pick.because = candidate.by + ", and the search ends there";
            pick.losers.push_back(std::move(loser));
            continue;
        }
        pick.path = candidate.path;
        pick.because = candidate.by;
        pick.version = version;
        place(pick);
    }
    return pick;
}

bool knows(const ToolSearch& search, const SearchingPackage& package, const Host& host) {
    const auto has = [](const auto& list, const auto& value) {
        return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
    };
    if (search.package != package.package || !has(search.systems, host.system()) ||
        !has(search.how, std::string(to_string(package.how))))
        return false;
    return search.is_for(*package.release) &&
           (search.unless.empty() || !is_folder(host, join_path(package.site, search.unless)));
}

}  // namespace

void search_tools(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario) {
    const Host& host = ask.host();
    const std::vector<ToolSearch>& searches = facts.tool_searches();
    const auto packages = searching_packages(host, searches, request, scenario);
    if (packages.empty()) return;
    Searcher searcher(ask, facts, scenario);
    std::vector<Pick> picks;
    for (const SearchingPackage& package : packages)
        for (const ToolSearch& search : searches)
            if (knows(search, package, host)) {
                Pick pick = searcher.pick(search, package);
                // torch without Triton: nothing is installed, and nothing needs it.
                if (!pick.path.empty() || pick.search->when_none) picks.push_back(std::move(pick));
            }
    scenario.picks.insert(scenario.picks.end(), picks.begin(), picks.end());
}

}  // namespace ptxguard
