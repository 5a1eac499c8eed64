// Which ptxas and which libdevice each installed framework would take, by the search that its release does
// (facts/tool_search/). Nothing is imported; a candidate is asked for its version where it may be run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "facts/tool_search.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Adds rows to scenario.picks; toolkits and expectations are there already. A release that the table does not
// know gets no row.
void search_tools(const Host& host, const Facts& facts, const Request& request, Scenario& scenario);

// A package with a search of its own, as it lies here.
struct SearchingPackage {
    std::string package;
    Known<Version> release;
    std::string folder, site;  // its own, and site-packages
    std::string how;           // wheel, conda, editable
    std::string gpu_because;
};
std::vector<SearchingPackage> searching_packages(const Host& host, const std::vector<ToolSearch>& searches,
                                                 const Request& request, const Scenario& scenario);

// A file that a search leads to.
struct ToolCandidate {
    std::string path;
    std::string by;          // for people: "PATH (entry 3)"
    std::string not_looked;  // why it is not looked at; empty = it is
};
std::vector<ToolCandidate> tool_candidates(const Host& host, const ToolSearch& search,
                                           const SearchingPackage& package);

}  // namespace ptxguard
