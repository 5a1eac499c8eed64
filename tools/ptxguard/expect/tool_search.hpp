// Which ptxas and which libdevice each installed framework would use, by the search of its release
// (facts/tool_search/). Nothing is imported; a candidate is run for its version if that is allowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ask/asker.hpp"
#include "facts/facts.hpp"
#include "facts/tool_search.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Adds rows to scenario.picks from its toolkits and expectations. A release that is not in the table gets no
// row.
void search_tools(const Asker& ask, const Facts& facts, const Request& request, Scenario& scenario);

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

}  // namespace ptxguard
