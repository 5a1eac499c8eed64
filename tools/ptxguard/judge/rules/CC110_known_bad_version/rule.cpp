// CC110 known_bad_version: a version with published wrong results, or that one consumer refuses. Each row of
// facts/known_bad.json lists the consumer and the architectures that it applies to.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/framework_traits.hpp"
#include "facts/tool_search.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/driver_questions.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_faults.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/rule.hpp"
#include "judge/search_questions.hpp"

namespace ptxguard {
namespace {

// One copy of the component, as one consumer would use it.
struct Copy {
    std::string path;
    Known<Version> version;
    Entity of = {};  // its toolkit, or the process that loads it
};

bool is_bad(const KnownBad& row, const Version& version) {
    if (contains(row.exactly, version)) return true;
    if (!row.from && !row.below) return false;
    return is_within(version, row.from, row.below);
}

bool is_consumer(const Expectation& expectation, const KnownBad& row, const Facts& facts) {
    const auto named = consumers_named(facts, row.consumer);
    const bool is_named = any_of(named, [&](const FrameworkTraits* traits) {
        return traits->framework == expectation.framework || concerns(expectation, traits->packages);
    });
    if (!is_named || !expectation.trouble.empty() || !expectation.may_use_cuda() ||
        never_released(expectation))
        return false;
    const bool spared = row.not_if_built_with_it && expectation.cudnn && is_bad(row, *expectation.cudnn);
    // A consumer that is built with an older CUDA is content with the tools of it.
    const bool content = row.only_refused && (!expectation.cuda || is_bad(row, *expectation.cuda));
    return !spared && !content;
}

const Expectation* consumer_of(const Scenario& scenario, const KnownBad& row, const Facts& facts) {
    return first_where(scenario.expectations,
                       [&](const Expectation& expectation) { return is_consumer(expectation, row, facts); });
}

std::optional<Arch> first_in_range(const KnownBad& row, const std::vector<Arch>& archs) {
    for (Arch arch : archs)
        if ((!row.min_arch || arch.number >= row.min_arch->number) &&
            (!row.max_arch || arch.number <= row.max_arch->number))
            return arch;
    return std::nullopt;
}

bool in_releases(const KnownBad& row, const Known<Version>& release) {
    if (!row.consumer_from && !row.consumer_below) return true;
    return release && is_within(*release, row.consumer_from, row.consumer_below);
}

// Searches of the consumer that were run on this machine. They decide, regardless of other copies.
std::vector<const Pick*> searches_of(const Scenario& scenario, const KnownBad& row, const Facts& facts) {
    std::vector<const Pick*> searches;
    for (const Pick& pick : scenario.picks) {
        if (!pick.search || pick.tool != row.component || !is_used(scenario, pick)) continue;
        for (const FrameworkTraits* traits : consumers_named(facts, row.consumer))
            if (contains(traits->packages, pick.search->package)) searches.push_back(&pick);
    }
    return searches;
}

// What the tables list about a consumer whose own search was not run here.
struct TableSearch {
    bool any = false;               // the tables have a search for it
    bool reaches_toolkits = false;  // it includes PATH, so a toolkit's copy may be used
    bool passes_over = false;       // this release's search skips the row's versions
};

TableSearch table_search(const Facts& facts, const KnownBad& row, const Expectation& consumer) {
    TableSearch found;
    const auto& packages = framework_traits(facts, consumer.framework).packages;
    for (const ToolSearch& search : facts.tool_searches()) {
        if (search.tool != row.component) continue;
        if (!contains(packages, search.package)) continue;
        found.any = true;
        for (const SearchStep& step : search.steps)
            if (step.list) found.reaches_toolkits = true;
        const bool this_release = consumer.version && search.is_for(*consumer.version);
        if (this_release && contains(search.passes_over, row.id)) found.passes_over = true;
    }
    return found;
}

// Copies in toolkits: those of the consumer's wheels, otherwise those of the build's toolkit.
std::vector<Copy> copies(const Scenario& scenario, const KnownBad& row) {
    std::vector<Copy> found;
    const std::optional<PartKind> kind =
        from_word<PartKind>(row.component == "crt" ? "crt headers" : row.component);
    if (!kind) return found;
    for (const Toolkit& toolkit : scenario.toolkits)
        if (const Part* part = toolkit.part(*kind);
            part && toolkit.layout == Layout::wheel && !row.consumer.empty())
            found.push_back({part->path, part->version, id_of(scenario, toolkit)});
    if (!found.empty()) return found;
    const Toolkit* toolkit = scenario.build_toolkit();
    if (const Part* part = toolkit ? toolkit->part(*kind) : nullptr)
        found.push_back({part->path, part->version, id_of(scenario, *toolkit)});
    return found;
}

// Loaded by a process; other copies on the machine do not count.
bool is_library(const std::string& component) { return component == "cublas" || component == "cudnn"; }

Copy loaded_copy(const Scenario& scenario, const LoadTrace& trace, const std::string& component) {
    if (component == "cudnn") {
        for (const CudnnInUse& cudnn : cudnns_in_use(scenario))
            if (cudnn.trace == &trace && is_taken(*cudnn.asked))
                return {(cudnn.version_library ? cudnn.version_library : cudnn.asked)->taken.value_or(""),
                        cudnn.version};
        return {};
    }
    // cuBLAS contains no version of its own; without package metadata, cuBLASLt's is used.
    for (const char* name : {"cublas", "cublasLt"}) {
        const LoadedFile* library = trace.library(name);
        if (library && is_taken(*library) && library->version) return {*library->taken, library->version};
    }
    return {};
}

// A newer copy of the tool in a wheel, for which the consumer prepares its input.
bool newer_wheel_is_there(const Scenario& scenario, const KnownBad& row) {
    const std::optional<PartKind> kind = from_word<PartKind>(row.with_component);
    return kind && any_of(scenario.toolkits, [&](const Toolkit& toolkit) {
               const Part* part = toolkit.layout == Layout::wheel ? toolkit.part(*kind) : nullptr;
               return part && part->version && row.with_from && *part->version >= *row.with_from;
           });
}

bool companion_is_there(const Scenario& scenario, const KnownBad& row, const LoadTrace* trace) {
    if (row.with_component.empty()) return true;
    if (!trace || !is_library(row.with_component)) return false;
    const Copy copy = loaded_copy(scenario, *trace, row.with_component);
    return copy.version && (!row.with_from || *copy.version >= *row.with_from);
}

// Number of GPUs found; 0 = not known. Declared GPUs are models, not a number of devices.
int gpus_here(const Scenario& scenario) {
    return static_cast<int>(std::count_if(scenario.gpus.begin(), scenario.gpus.end(),
                                          [](const Gpu& gpu) { return !gpu.declared; }));
}

std::string good_versions(const KnownBad& row) {
    if (row.below) return SAY("{} or newer", row.below->text);
    std::vector<std::string> bad;
    for (const Version& version : row.exactly) bad.push_back(version.text);
    return SAY("not {}", bad);
}

// The user of the copy, for the evidence and the reason.
struct User {
    std::string name, framework;
    Origin origin;
};

Composed say(const KnownBad& row, const Copy& copy, const User* user, const std::optional<Arch>& arch,
             Findings& findings) {
    const std::string at = copy.path.empty() ? "" : SAY(" at {}", copy.path);
    Composed finding = add(findings, "CC110", row.level, row.id + at,
                           SAY("{} {}{}: {}", row.component, copy.version->text, at, row.effect));
    finding.about(copy.of)
        .found(row.component, copy.version)
        .expected(row.component, good_versions(row), row.origin)
        .because(row.consumer.empty() ? "a published defect of this version"
                 : user->framework == row.consumer
                     ? SAY("it concerns {}", row.consumer)
                     : SAY("it concerns {}, which is part of {}", row.consumer, user->framework))
        .by_hand(row.fix);
    if (user) finding.found("used by", user->name, user->origin);
    if (arch) finding.found("architecture", arch->sm(), {});
    return finding;
}

User user_of(const Expectation& consumer) {
    return {name_of(consumer), consumer.framework, consumer.version.origin};
}

// Judges what the consumer's own search finds.
void judge_searches(const Scenario& scenario, const KnownBad& row, const std::vector<const Pick*>& searches,
                    const std::optional<Arch>& arch, Findings& findings) {
    for (const Pick* pick : searches) {
        if (!pick->version || !is_bad(row, *pick->version) || !in_releases(row, pick->search->release))
            continue;
        const bool itself = pick->consumer.rfind(row.consumer + " ", 0) == 0 && row.consumer != "XLA";
        const User user{pick->consumer, itself ? row.consumer : pick->consumer, pick->search->release.origin};
        say(row, {pick->path, pick->version, id_of(scenario, *pick)}, &user, arch, findings);
    }
}

// A copy that the consumer may or may not use: only the consumer's files would decide it.
void say_undecided(const KnownBad& row, const Copy& copy, const Expectation& consumer,
                   const std::optional<Arch>& arch, Findings& findings) {
    const User user = user_of(consumer);
    const std::string its = SAY("{} {} at {}", row.component, copy.version->text, copy.path);
    Composed finding = say(row, copy, &user, arch, findings);
    finding->level = Level::unknown;
    // Its search skips these versions.
    finding->message =
        row.only_refused
            ? SAY("whether {} finds another than {} is not known; {}", name_of(consumer), its, row.effect)
            : SAY("whether {} uses {} is not known; if it does: {}", name_of(consumer), its, row.effect);
    finding.decide(consumer.path.empty()
                       ? SAY("the installed {}: --python DIR", consumer.framework)
                       : SAY("a release of {} whose search is in facts/tool_search/", consumer.framework));
}

// Each consumer with the library that it loads.
void judge_loaded(const Scenario& scenario, const Facts& facts, const KnownBad& row,
                  const std::optional<Arch>& arch, Findings& findings) {
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* consumer = scenario.framework_of(trace);
        const bool concerned = row.consumer.empty() || (consumer && is_consumer(*consumer, row, facts) &&
                                                        in_releases(row, consumer->version));
        if (!concerned || !companion_is_there(scenario, row, &trace)) continue;
        Copy copy = loaded_copy(scenario, trace, row.component);
        copy.of = id_of(scenario, trace);
        if (!copy.version || !is_bad(row, *copy.version)) continue;
        User user;
        if (consumer) user = user_of(*consumer);
        Composed finding = say(row, copy, consumer ? &user : nullptr, arch, findings);
        if (!row.gpus_from || gpus_here(scenario) >= row.gpus_from) continue;
        finding->level = Level::unknown;
        finding.decide(
            SAY("how many GPUs one process uses: with {} or more, it affects {}", row.gpus_from, user.name));
    }
}

// Whether the search, as its table has it, may end at such a version in a toolkit.
bool may_take(const TableSearch& search, const KnownBad& row) {
    return !search.any || (search.reaches_toolkits && (!row.only_refused || search.passes_over));
}

// The toolkits' copies, of which the consumer may use one.
void judge_copies(const Scenario& scenario, const KnownBad& row, const Expectation* consumer,
                  const TableSearch& search, const std::optional<Arch>& arch, Findings& findings) {
    User user;
    if (consumer) user = user_of(*consumer);
    for (const Copy& copy : copies(scenario, row)) {
        if (!copy.version || !is_bad(row, *copy.version)) continue;
        if (search.any)
            say_undecided(row, copy, *consumer, arch, findings);
        else
            say(row, copy, consumer ? &user : nullptr, arch, findings);
    }
}

// The tool that the consumer's search finds; if it has no search, that of the build.
void judge_tool(const Scenario& scenario, const Facts& facts, const KnownBad& row,
                const std::optional<Arch>& arch, Findings& findings) {
    if (const auto searches = searches_of(scenario, row, facts); !searches.empty()) {
        // A search that skips these versions uses another one; if none is left, CC109 reports it.
        const bool holds = row.with_component.empty() || newer_wheel_is_there(scenario, row);
        if (!row.only_refused && holds) judge_searches(scenario, row, searches, arch, findings);
        return;
    }
    const Expectation* consumer = row.consumer.empty() ? nullptr : consumer_of(scenario, row, facts);
    if (!row.consumer.empty() && (!consumer || !in_releases(row, consumer->version))) return;
    const TableSearch search = consumer ? table_search(facts, row, *consumer) : TableSearch{};
    if (may_take(search, row)) judge_copies(scenario, row, consumer, search, arch, findings);
}

// A driver that releases of a package do not work with. One that another package requires may never use its
// CUDA.
void judge_drivers(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const PackageOnDriver& met : packages_on_drivers(scenario, facts)) {
        if (met.works) continue;
        const KnownBad& row = *met.row;
        const DriverBoundPackage& own = *met.package;
        const User user{with_release(own.package, own.version), row.consumer, own.version.origin};
        const Copy copy{"", version_of(*met.driver), id_of(scenario, *met.driver)};
        Composed finding = say(row, copy, &user, std::nullopt, findings);
        finding.about(scenario, own);
        finding->subject = SAY("{}, {}", row.id, name_of(*met.driver));
        finding.of_package(met.with ? met.with->package : own.package);
        if (met.with)
            finding.found("beside", with_release(met.with->package, met.with->version),
                          met.with->version.origin);
        // Without a release of the package that works with it, another driver does.
        const std::optional<Version>& good = met.with ? row.with_below : row.consumer_below;
        const std::string what = !good ? row.component : met.with ? row.with_component : row.consumer;
        const std::optional<Version>& newest = good ? good : row.below;
        finding->expected = {{what, newest ? SAY("{} or newer", newest->text) : "another one", row.origin}};
        if (own.required_by.empty()) continue;
        finding->level = Level::note;
        finding.because(SAY("{} requires it; this matters only if something uses its CUDA", own.required_by));
    }
}

}  // namespace

PTXGUARD_RULE(CC110) {
    judge_drivers(scenario, facts, findings);
    const std::vector<Arch> archs = archs_concerned(scenario);
    for (const KnownBad& row : facts.known_bad()) {
        if (!row.systems.empty() && !contains(row.systems, scenario.system)) continue;
        const bool ranged = row.min_arch || row.max_arch;
        std::optional<Arch> arch = first_in_range(row, archs);
        if (ranged && !arch) continue;
        if (!ranged) arch.reset();
        if (row.gpus_from && gpus_here(scenario) && gpus_here(scenario) < row.gpus_from) continue;
        if (row.component == "driver") continue;
        if (is_library(row.component))
            judge_loaded(scenario, facts, row, arch, findings);
        else
            judge_tool(scenario, facts, row, arch, findings);
    }
}

}  // namespace ptxguard
