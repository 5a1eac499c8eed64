// SPDX-License-Identifier: Apache-2.0
#include "recipes/builds/arch_gates.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "model/ranges.hpp"
#include "recipes/builds/arch_requests.hpp"

namespace ptxguard::recipes {
namespace {

bool has(const ReleaseRequests& requests, const ArchRequest& request) {
    return requests.uses.count(request) != 0;
}

// The condition that differs between two releases: of several, the last one above the request.
int deciding_line(const ReleaseRequests& with, const ReleaseRequests& without, int line) {
    int found = 0;
    for (const auto& [at, value] : with.conditions) {
        const auto other = without.conditions.find(at);
        const bool same = other != without.conditions.end() && other->second == value;
        if (!same && (at <= line || found == 0)) found = std::max(found, at);
    }
    return found ? found : line;
}

// Those for which the file does not end with an error: with one that it does not reach for every release.
std::vector<ReleaseRequests> accepted(std::vector<ReleaseRequests> all) {
    std::map<int, std::size_t> counts;
    for (const ReleaseRequests& one : all)
        for (const int line : one.failures) ++counts[line];
    const std::size_t size = all.size();
    erase_if(all, [&](const ReleaseRequests& one) {
        return one.refused || any_of(one.failures, [&](int line) { return counts[line] < size; });
    });
    return all;
}

bool same_bound(const Known<Version>& a, const Known<Version>& b) { return a && b ? *a == *b : !a && !b; }

// A list is copied into other variables: the first place counts.
void add_gate(ArchGate gate, std::vector<ArchGate>& gates) {
    for (ArchGate& other : gates) {
        if (other.arch != gate.arch || !same_bound(other.from, gate.from) || !same_bound(other.to, gate.to))
            continue;
        if (gate.origin.line < other.origin.line) other = std::move(gate);
        return;
    }
    gates.push_back(std::move(gate));
}

}  // namespace

std::vector<ArchGate> arch_gates(const GatedScript& script, const std::vector<Version>& releases,
                                 Budget& budget) {
    std::vector<ReleaseRequests> all;
    for (const Version& release : releases) {
        ReleaseRequests one = requests_for(script, release, budget);
        if (budget.is_over()) return {};
        all.push_back(std::move(one));
    }
    all = accepted(std::move(all));
    std::set<ArchRequest> requested;
    for (const ReleaseRequests& one : all)
        for (const auto& [request, use] : one.uses) requested.insert(request);
    std::vector<ArchGate> gates, always;
    const auto at = [&](const Version& version, int line) {
        return Known<Version>{version, Origin::from_file(script.file, line)};
    };
    for (const ArchRequest& request : requested)
        for (std::size_t first = 0; first < all.size(); ++first) {
            if (!has(all[first], request)) continue;
            std::size_t last = first;
            while (last + 1 < all.size() && has(all[last + 1], request)) ++last;
            const auto& [place, is_passed] = all[first].uses.at(request);
            ArchGate gate;
            gate.arch = request.arch;
            gate.origin = Origin::from_file(script.file, place.line);
            gate.origin.column = place.column;
            gate.origin.variable = request.name;
            if (first > 0)
                gate.from = at(all[first].release, deciding_line(all[first], all[first - 1], place.line));
            if (last + 1 < all.size())
                gate.to = at(all[last].release, deciding_line(all[last], all[last + 1], place.line));
            std::vector<ArchGate>& into = gate.from || gate.to ? gates : always;
            if (&into == &gates || is_passed) add_gate(std::move(gate), into);
            first = last;
        }
    if (!gates.empty())
        for (ArchGate& gate : always) add_gate(std::move(gate), gates);
    return gates;
}

}  // namespace ptxguard::recipes
