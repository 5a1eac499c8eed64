// Which ptxas and which libdevice each installed framework would use, by the search of its release
// (facts/tool_search/). Nothing is imported; candidates are run for their versions if that is allowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ask/version.hpp"
#include "facts/facts.hpp"
#include "facts/tool_search.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// An installed package with its own search.
struct SearchingPackage {
    std::string package;
    Known<Version> release;
    std::string folder, site;  // its own, and site-packages
    Installation how = Installation::wheel;
    std::string gpu_because;
};
std::vector<SearchingPackage> searching_packages(const Host& host, const std::vector<ToolSearch>& searches,
                                                 const Request& request, const Scenario& scenario);

// A candidate of a search.
struct ToolCandidate {
    std::string path;
    std::string by;          // as shown: "PATH (entry 3)"
    std::string not_looked;  // why it is not tried; empty = it is
    bool last = false;       // a variable that ends the search, whatever its value
};
std::vector<ToolCandidate> tool_candidates(const Host& host, const ToolSearch& search,
                                           const SearchingPackage& package);

// Of an unpacked tree whose PATH is not known: whether a folder that PATH or another list may name has the
// file. A tree without a shell is a part of a system, whose C compiler may be in the rest.
bool may_be_on_a_list(const Host& host, const ToolSearch& search, const SearchingPackage& package);

// All searches of the packages on a machine. A release that is not in the table gets no row.
class ToolSearches {
public:
    // Finds the candidates. Needs the toolkits and expectations of the scenario.
    ToolSearches(const Host& host, const Facts& facts, const Request& request, Scenario& scenario);

    // Adds a question for each candidate that a search may reach and that is in no toolkit.
    void ask(Questions& questions);
    // Adds the rows to scenario.picks, after all questions have run.
    void resolve();

private:
    struct Search {
        const ToolSearch& row;
        SearchingPackage package;
        std::string machine;  // of the program, if known
        std::vector<ToolCandidate> candidates;
    };
    struct Tried {
        std::string why;  // it is rejected, as shown; empty = accepted
        Skipped skipped = Skipped::other;
        Known<Version> version;
        bool unanswered = false;  // it depends on a question that has not run
        bool over = false;        // the search ends with this candidate
    };

    void take_toolkits();
    static Tried by_type(const Host& host, const std::string& path, const FileStatus& status);
    Tried answered(const Search& search, const std::string& path);
    Tried tried(const Search& search, const ToolCandidate& candidate);
    void ask_candidate(const Search& search, const std::string& path, Questions& questions);
    Pick pick(const Search& search);
    void place(Pick& pick) const;

    const Host& m_host;
    const Facts& m_facts;
    Scenario& m_scenario;
    std::vector<Search> m_searches;
    std::map<std::string, SaidVersion> m_said;  // by real path; neither version nor trouble: not answered yet
};

}  // namespace ptxguard
