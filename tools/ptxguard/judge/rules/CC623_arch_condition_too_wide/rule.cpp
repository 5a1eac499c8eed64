// CC623 arch_condition_too_wide: a condition on the release of CUDA admits one whose nvcc does not support an
// architecture behind it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/recipe_questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A release at the edge of a branch, and the architectures that it does not support.
struct Edge {
    Known<Version> release;
    bool early = false;  // it is older than the first that supports them
    Version bound;       // the first, else the last
    std::vector<std::string> archs;
    Origin origin;       // of the first of them
    bool always = true;  // no release of the branch supports them
};

bool supports(const std::vector<Version>& releases, const Version& release) {
    return any_of(releases, [&](const Version& one) { return same_release(one, release); });
}

void add_edge(std::vector<Edge>& edges, const ArchGate& gate, const Known<Version>& release,
              const std::vector<Version>& known_by) {
    const bool early = *release < known_by.front();
    const Version& bound = early ? known_by.front() : known_by.back();
    const bool always =
        (gate.to && *gate.to < known_by.front()) || (gate.from && *gate.from > known_by.back());
    auto edge = std::find_if(edges.begin(), edges.end(), [&](const Edge& one) {
        return one.release->text == release->text && one.release.origin.line == release.origin.line &&
               one.bound == bound;
    });
    if (edge == edges.end()) edge = edges.insert(edges.end(), {release, early, bound, {}, gate.origin});
    add_once(edge->archs, gate.arch.sm());
    edge->always = edge->always && always;
}

// The condition of a file that knows newer releases than those with this architecture.
bool is_newer_edge(const ArchGate& gate, const Version& bound, const std::vector<Version>& known_by,
                   const Facts& facts) {
    // A condition on the minor alone also begins at releases that the file does not know.
    const std::vector<Version> others = facts.cuda_releases_with(gate.arch);
    return bound > known_by.back() && !others.empty() && others.front().major() >= bound.major();
}

// The nearest release at which a condition on another architecture begins or ends, and that lacks this one:
// the file is for that release, too. Nothing: there is none.
Known<Version> release_without(const ArchGate& always, const RecipeFacts& recipe,
                               const std::vector<Version>& known_by, const Facts& facts) {
    Known<Version> older, newer;
    for (const ArchGate& gate : recipe.arch_gates)
        for (const Known<Version>& bound : {gate.from, gate.to}) {
            if (!bound || gate.arch == always.arch || supports(known_by, *bound)) continue;
            if (*bound < known_by.front() && (!older || *older < *bound)) older = bound;
            if (is_newer_edge(gate, *bound, known_by, facts) && (!newer || *bound < *newer)) newer = bound;
        }
    return older ? older : newer;
}

std::vector<Edge> edges_of(const RecipeFacts& recipe, const Facts& facts) {
    std::vector<Edge> edges;
    for (const ArchGate& gate : recipe.arch_gates) {
        const std::vector<Version> known_by = facts.cuda_releases_with(gate.arch);
        if (known_by.empty()) continue;
        const bool always = !gate.from && !gate.to;
        const Known<Version> without =
            always ? release_without(gate, recipe, known_by, facts) : Known<Version>();
        if (without) add_edge(edges, gate, without, known_by);
        // A list without an upper bound is written before an architecture is dropped.
        if (gate.from && !supports(known_by, *gate.from))
            add_edge(edges, gate, gate.from, known_by);
        else if (gate.to && !supports(known_by, *gate.to))
            add_edge(edges, gate, gate.to, known_by);
    }
    return edges;
}

}  // namespace

PTXGUARD_RULE(CC623) {
    if (!is_recipe(scenario)) return;
    for (const Edge& edge : edges_of(scenario.recipe, facts)) {
        const std::string cuda = SAY("CUDA {}", edge.release->release());
        const std::string archs = list(edge.archs), bound = edge.bound.release();
        const std::string are = edge.archs.size() == 1 ? "is" : "are";
        const CudaRelease* row = facts.cuda(*edge.release);
        add(findings, "CC623", edge.always ? Level::error : Level::warning,
            SAY("{} {}", edge.origin.path, archs),
            edge.early ? SAY("{} (needs CUDA {}) {} requested for {} too", archs, bound, are, cuda)
                       : SAY("{} (dropped, last supported by CUDA {}) {} requested for {} too", archs, bound,
                             are, cuda))
            .found("architectures", archs, edge.origin)
            .found("condition that admits", cuda, edge.release.origin)
            .expected("architectures", SAY("those that nvcc {} supports", edge.release->release()),
                      row ? row->origin : Origin())
            .because("nvcc ends with an error at the first architecture that it does not support")
            .by_hand(edge.early ? SAY("request {} from CUDA {} only", archs, bound)
                                : SAY("leave out {} for {}", archs, cuda));
    }
}

}  // namespace ptxguard
