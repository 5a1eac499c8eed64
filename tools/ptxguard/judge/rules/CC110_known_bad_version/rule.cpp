// CC110 known_bad_version: a version of which it is published that it gives wrong results, or that one
// consumer passes over. Each row of facts/known_bad.json names the consumer and the architectures that it
// concerns; others hear nothing. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/cudnn_questions.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_questions.hpp"
#include "judge/rule.hpp"
#include "judge/search_questions.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// One copy of the component, as a consumer would meet it.
struct Copy {
    std::string path;
    Known<Version> version;
};

std::vector<std::string> packages_of(const std::string& consumer) {
    if (consumer == "XLA")
        return {
            "tensorflow",     "jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin", "jax-cuda12-pjrt",
            "jax-cuda13-pjrt"};
    if (consumer == "JAX") return {"jax", "jaxlib", "jax-cuda12-plugin", "jax-cuda13-plugin"};
    if (consumer == "PyTorch") return {"torch"};
    if (consumer == "TensorFlow") return {"tensorflow"};
    if (consumer == "Triton") return {"triton"};
    return {consumer};
}

// A row may concern consumers from one CUDA on; one whose CUDA is not known hears nothing.
bool new_enough(const Expectation& expectation, const KnownBad& row) {
    if (!row.consumer_cuda_from) return true;
    return expectation.cuda && *expectation.cuda >= *row.consumer_cuda_from;
}

bool is_consumer(const Expectation& expectation, const KnownBad& row) {
    const bool named =
        expectation.framework == row.consumer || concerns(expectation, packages_of(row.consumer));
    return named && may_use_cuda(expectation) && new_enough(expectation, row);
}

const Expectation* consumer_of(const Scenario& scenario, const KnownBad& row) {
    for (const Expectation& expectation : scenario.expectations)
        if (is_consumer(expectation, row)) return &expectation;
    return nullptr;
}

std::optional<Arch> first_in_range(const KnownBad& row, const std::vector<Arch>& archs) {
    for (Arch arch : archs)
        if ((!row.min_arch || arch.number >= row.min_arch->number) &&
            (!row.max_arch || arch.number <= row.max_arch->number))
            return arch;
    return std::nullopt;
}

bool is_bad(const KnownBad& row, const Version& version) {
    if (std::find(row.exactly.begin(), row.exactly.end(), version) != row.exactly.end()) return true;
    if (!row.from && !row.below) return false;
    return (!row.from || version >= *row.from) && (!row.below || version < *row.below);
}

// A search that the consumer does itself; it decides, whatever else lies here.
std::vector<const Pick*> searches_of(const Scenario& scenario, const KnownBad& row) {
    std::vector<const Pick*> searches;
    const std::vector<std::string> packages = packages_of(row.consumer);
    for (const Pick& pick : scenario.picks) {
        if (pick.package.empty() || pick.tool != row.component || !is_used(scenario, pick)) continue;
        if (std::find(packages.begin(), packages.end(), pick.package) != packages.end())
            searches.push_back(&pick);
    }
    return searches;
}

bool in_releases(const KnownBad& row, const Known<Version>& release) {
    if (!row.consumer_from && !row.consumer_below) return true;
    return release && (!row.consumer_from || *release >= *row.consumer_from) &&
           (!row.consumer_below || *release < *row.consumer_below);
}

// Triton that is only named: it would take the ptxas in its own package, whatever toolkit lies here.
bool brings_its_own(const Expectation& consumer, const std::string& component) {
    return consumer.framework == "Triton" &&
           std::any_of(consumer.tools.begin(), consumer.tools.end(),
                       [&](const BundledTool& tool) { return tool.tool == component; });
}

// The copies that the consumer takes: its pick where one is known, else the wheels beside it, else the
// build's toolkit.
std::vector<Copy> copies(const Scenario& scenario, const std::string& component,
                         const std::string& consumer) {
    std::vector<Copy> found;
    for (const Pick& pick : scenario.picks)
        if (!consumer.empty() && pick.tool == component && pick.consumer.find(consumer) != std::string::npos)
            found.push_back({pick.path, pick.version});
    const std::optional<PartKind> kind = part_kind_from(component == "crt" ? "crt headers" : component);
    if (!found.empty() || !kind) return found;
    for (const Toolkit& toolkit : scenario.toolkits)
        if (const Part* part = toolkit.part(*kind);
            part && toolkit.layout == Layout::wheel && !consumer.empty())
            found.push_back({part->path, part->version});
    if (!found.empty()) return found;
    const Toolkit* toolkit = scenario.build_toolkit();
    if (const Part* part = toolkit ? toolkit->part(*kind) : nullptr)
        found.push_back({part->path, part->version});
    return found;
}

// What a process loads by itself: never a copy that merely lies here.
bool is_library(const std::string& component) { return component == "cublas" || component == "cudnn"; }

Copy loaded_copy(const Scenario& scenario, const LoadTrace& trace, const std::string& component) {
    if (component == "cudnn") {
        for (const CudnnInUse& cudnn : cudnns_in_use(scenario))
            if (cudnn.trace == &trace && is_taken(*cudnn.asked))
                return {(cudnn.speaker ? cudnn.speaker : cudnn.asked)->taken.value_or(""), cudnn.version};
        return {};
    }
    // cuBLAS says nothing of itself where no package tells; its other half does.
    for (const char* name : {"cublas", "cublasLt"}) {
        const LoadedFile* library = trace.library(name);
        if (library && is_taken(*library) && library->version) return {*library->taken, library->version};
    }
    return {};
}

bool companion_is_there(const Scenario& scenario, const KnownBad& row, const LoadTrace* trace) {
    if (row.with_component.empty()) return true;
    std::vector<Copy> found;
    if (is_library(row.with_component)) {
        if (trace) found.push_back(loaded_copy(scenario, *trace, row.with_component));
    } else {
        found = copies(scenario, row.with_component, row.consumer);
    }
    return std::any_of(found.begin(), found.end(), [&](const Copy& copy) {
        return copy.version && (!row.with_from || *copy.version >= *row.with_from);
    });
}

std::string good_versions(const KnownBad& row) {
    if (row.below) return row.below->text + " or newer";
    std::vector<std::string> bad;
    for (const Version& version : row.exactly) bad.push_back(version.text);
    return "not " + list(bad);
}

// Who takes the copy, for the evidence and for the reason.
struct User {
    std::string name, framework;
    Origin origin;
};

void say(const KnownBad& row, const Copy& copy, const User* user, const std::optional<Arch>& arch,
         Findings& findings) {
    const std::string at = copy.path.empty() ? "" : " at " + copy.path;
    Finding& finding = add(findings, "CC110", level_from(row.level).value_or(Level::warning), row.id + at,
                           row.component + " " + copy.version->text + at + ": " + row.effect);
    finding.found = {{row.component, copy.version->text, copy.version.origin}};
    if (user) finding.found.push_back({"used by", user->name, user->origin});
    if (arch) finding.found.push_back({"architecture", arch->sm(), {}});
    finding.expected = {{row.component, good_versions(row), row.origin}};
    finding.because = row.consumer.empty() ? "a published defect of this version"
                      : user->framework == row.consumer
                          ? "it concerns " + row.consumer
                          : "it concerns " + row.consumer + ", which is part of " + user->framework;
    finding.fix = {{FixKind::manual, row.fix}};
}

// What the consumer's own search takes.
void judge_searches(const KnownBad& row, const std::vector<const Pick*>& searches,
                    const std::optional<Arch>& arch, Findings& findings) {
    for (const Pick* search : searches) {
        if (!search->version || !is_bad(row, *search->version) || !in_releases(row, search->release))
            continue;
        const bool itself = search->consumer.rfind(row.consumer + " ", 0) == 0 && row.consumer != "XLA";
        const User user{search->consumer, itself ? row.consumer : search->consumer, search->release.origin};
        say(row, {search->path, search->version}, &user, arch, findings);
    }
}

// Each consumer with the library that the loader gives it.
void judge_loaded(const Scenario& scenario, const KnownBad& row, const std::optional<Arch>& arch,
                  Findings& findings) {
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* consumer = framework_of(scenario, trace);
        const bool concerned = row.consumer.empty() || (consumer && is_consumer(*consumer, row) &&
                                                        in_releases(row, consumer->version));
        if (!concerned || !companion_is_there(scenario, row, &trace)) continue;
        const Copy copy = loaded_copy(scenario, trace, row.component);
        if (!copy.version || !is_bad(row, *copy.version)) continue;
        User user;
        if (consumer) user = {name_of(*consumer), consumer->framework, consumer->version.origin};
        say(row, copy, consumer ? &user : nullptr, arch, findings);
    }
}

}  // namespace

PTXGUARD_RULE(CC110) {
    const std::vector<Arch> archs = archs_concerned(scenario);
    for (const KnownBad& row : facts.known_bad()) {
        const bool ranged = row.min_arch || row.max_arch;
        std::optional<Arch> arch = first_in_range(row, archs);
        if (ranged && !arch) continue;
        if (!ranged) arch.reset();
        if (is_library(row.component)) {
            judge_loaded(scenario, row, arch, findings);
            continue;
        }
        if (!companion_is_there(scenario, row, nullptr)) continue;
        if (const auto searches = searches_of(scenario, row); !searches.empty()) {
            judge_searches(row, searches, arch, findings);
            continue;
        }
        const Expectation* consumer = row.consumer.empty() ? nullptr : consumer_of(scenario, row);
        if (!row.consumer.empty() && (!consumer || !in_releases(row, consumer->version))) continue;
        if (consumer && brings_its_own(*consumer, row.component)) continue;
        User user;
        if (consumer) user = {name_of(*consumer), consumer->framework, consumer->version.origin};
        for (const Copy& copy : copies(scenario, row.component, row.consumer))
            if (copy.version && is_bad(row, *copy.version))
                say(row, copy, consumer ? &user : nullptr, arch, findings);
    }
}

}  // namespace ptxguard
