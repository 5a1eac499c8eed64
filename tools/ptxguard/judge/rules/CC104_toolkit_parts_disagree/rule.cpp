// CC104 toolkit_parts_disagree: the programs and headers of one nvcc come from different releases. Most
// checks only use nvcc's own version, but cicc determines which PTX is written and the crt headers which code
// is generated.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "facts/recipe_tables.hpp"
#include "judge/fixes.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// A failure that another rule explains is not evidence about the components.
bool may_come_from_the_mix(const ProbeResult& probe) {
    return probe.failure != Failure::host_compiler && probe.failure != Failure::architecture &&
           !(probe.culprit == Culprit::host_compiler && probe.outcome == Outcome::broken);
}

const ProbeResult* failure_of_the_mix(const Scenario& scenario, const Toolkit& toolkit) {
    for (ProbeKind kind : {ProbeKind::ptx, ProbeKind::assemble, ProbeKind::object})
        for (const ProbeResult* probe : probes_of(scenario, kind, toolkit.id))
            if (failed(probe) && may_come_from_the_mix(*probe)) return probe;
    return nullptr;
}

std::string names_of(const std::vector<const Part*>& parts) {
    std::vector<std::string> names;
    for (const Part* part : parts) names.push_back(with_release(to_string(part->kind), part->version));
    return list(names);
}

std::string reason(const ProbeResult* failure, bool works) {
    if (failure) return SAY("the test compile with these parts fails: {}", failure->first_error);
    if (works) return "the test compile succeeded; other code may fail where the releases differ";
    return "predicted: nvcc passes the output of one part to the next and assumes that all are from its own "
           "release";
}

// A package with a CCCL of its own that compiles with this nvcc.
const Pick* with_own_cccl(const Scenario& scenario, const Toolkit& toolkit) {
    for (const Pick& pick : scenario.picks)
        if (pick.search && pick.search->compares_headers && pick.tool == "nvcc" && pick.toolkit == toolkit.id)
            return &pick;
    return nullptr;
}

// CCCL compares nvcc's release with CUDART_VERSION of the headers that it includes, by major and minor.
void judge_headers(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, const Part& nvcc,
                   Findings& findings) {
    const Part *headers = toolkit.part(PartKind::runtime_headers), *cccl = toolkit.part(PartKind::cccl);
    const Pick* package = cccl ? nullptr : with_own_cccl(scenario, toolkit);
    if (!headers || !headers->version || same_release(*headers->version, *nvcc.version)) return;
    if (!cccl && !package) return;
    Composed finding = add(
        findings, "CC104", Level::warning, toolkit.root,
        package ? SAY("toolkit at {} is mixed: nvcc {} with runtime headers {}, which the CCCL of {} refuses",
                      toolkit.root, nvcc.version->text, headers->version->text, package->consumer)
                : SAY("toolkit at {} is mixed: nvcc {} with runtime headers {}, which CCCL refuses",
                      toolkit.root, nvcc.version->text, headers->version->text));
    finding.about(scenario, toolkit, nvcc, *headers)
        .of_toolkit(toolkit.root)
        .found(evidence_of(*headers))
        .found(evidence_of(nvcc));
    if (cccl) finding.found(evidence_of(*cccl));
    Origin like;
    like.text = "the release of nvcc";
    finding.expected(to_string(PartKind::runtime_headers), nvcc.version->release(), like);
    finding.because(
        "every file that includes Thrust, CUB or cuda/std ends with '#error \"CUDA compiler and CUDA toolkit "
        "headers are incompatible\"'; other code compiles");
    // A framework's wheel pins the runtime, nothing pins nvcc.

    const bool pinned = toolkit.layout == Layout::wheel && !scenario.expectations.empty();
    finding.fix(same_release_fix(scenario, toolkit, facts, pinned ? &*headers->version : nullptr));
}

// The toolkit of which it takes all parts that differ, because PATH has that one first: Debian's nvcc beside
// one in /usr/local/cuda. Null = they are not of one toolkit, or it is the one that compiles.
const Toolkit* lender_by_path(const Scenario& scenario, const Toolkit& toolkit,
                              const std::vector<const Part*>& parts) {
    if (toolkit.id == scenario.project.toolkit) return nullptr;
    return first_where(scenario.toolkits, [&](const Toolkit& other) {
        return other.id != toolkit.id && other.part(PartKind::nvcc) && all_of(parts, [&](const Part* part) {
                   return starts_with(part->path, SAY("{}/", other.root));
               });
    });
}

// A toolkit that nothing of this build uses is a note where the build's own is named outright, or where only
// its place on PATH mixes it.
Level level_without_failure(const Scenario& scenario, const Toolkit& toolkit, bool lent) {
    const bool unused = is_named_by_cmake(scenario) && toolkit.id != scenario.project.toolkit;
    return unused || lent ? Level::note : Level::warning;
}

void judge_toolkit(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, Findings& findings) {
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    if (!nvcc || !nvcc->version) return;
    const ProbeResult* failure = failure_of_the_mix(scenario, toolkit);
    std::vector<const Part*> parts = parts_that_differ(toolkit, *nvcc->version, false);
    if (parts.empty() && failure) {
        // Refused architectures and the like are excluded; a runtime of another minor is suspect only if its
        // own header is.
        const bool header =
            failure->culprit == Culprit::runtime_headers || failure->culprit == Culprit::crt_headers;
        if (header) parts = parts_that_differ(toolkit, *nvcc->version, true);
    }
    if (parts.empty()) return judge_headers(scenario, facts, toolkit, *nvcc, findings);

    const Toolkit* lender = lender_by_path(scenario, toolkit, parts);
    Composed finding = add(
        findings, "CC104",
        failure ? Level::error : level_without_failure(scenario, toolkit, lender != nullptr), toolkit.root,
        SAY("toolkit at {} is mixed: nvcc {} with {}", toolkit.root, nvcc->version->text, names_of(parts)));
    finding.about(scenario, toolkit, *nvcc)
        .about(ids_of(scenario, parts))
        .brief(SAY("mixed: nvcc {} with {} at {}", nvcc->version->text, names_of(parts), toolkit.root))
        .of_toolkit(toolkit.root);
    // What differs comes first: short reports show one line.

    for (const Part* part : parts) finding.found(evidence_of(*part));
    finding.found(evidence_of(*nvcc));
    if (failure)
        finding.found(SAY("test compile ({})", to_string(failure->kind)), failure->first_error,
                      failure->origin());
    Origin like;
    like.text = "the release of nvcc";
    for (const Part* part : parts) finding.expected(to_string(part->kind), nvcc->version->release(), like);
    finding.because(reason(failure, compiled(scenario, toolkit.id)));
    if (lender)
        finding.by_hand(SAY("before a build with {}, remove {} from PATH", nvcc->path,
                            folder_of(lender->part(PartKind::nvcc)->path)));
    else
        finding.fix(same_release_fix(scenario, toolkit, facts));
}

// The wheel nvidia-cuda-nvcc requires nvidia-nvvm, nvidia-cuda-crt and nvidia-cuda-runtime without a version.
// Newer updates of cuda-toolkit[nvcc] pin them too.
bool pins_all(const Facts& facts, const Version& toolkit) {
    const auto& rows = recipe_tables(facts).nvcc_pins;
    for (const FirstRelease& row : rows)
        if (same_release(*row.from, toolkit)) return toolkit >= *row.from;
    return toolkit.major() != 13 || rows.empty() || toolkit > *rows.back().from;
}

// "13.0" of "==13.0.88", "==13.0.*", "~=13.0.48", "<13.1".
std::optional<Version> release_within(const RecipePin& pin) {
    const std::string& text = pin.specifier;
    const std::size_t at = text.find_first_of("0123456789");
    const bool one = at != std::string::npos && text.find(',') == std::string::npos;
    if (!one || (text.compare(0, 2, "==") != 0 && text.compare(0, 2, "~=") != 0)) return std::nullopt;
    std::string number = text.substr(at);
    if (number.size() > 2 && number.compare(number.size() - 2, 2, ".*") == 0)
        number.resize(number.size() - 2);
    const auto version = parse_version(number);
    return version && version->numbers.size() > 1 ? version : std::nullopt;
}

bool has_extra(const RecipePin& pin, const char* name) { return contains(pin.extras, name); }

// The packages of nvcc's components that are not pinned to its release.
std::vector<std::string> floating_parts(const RecipeFacts& recipe) {
    std::vector<std::string> floating;
    for (const auto& [package, extra] : {std::pair{"nvidia-nvvm", "nvvm"}, {"nvidia-cuda-crt", "crt"}}) {
        const bool held = any_of(recipe.pins, [&, name = package, e = extra](const RecipePin& pin) {
            if (pin.package == name) return !pin.specifier.empty();
            return pin.package == "cuda-toolkit" && !pin.specifier.empty() &&
                   (has_extra(pin, e) || has_extra(pin, "all"));
        });
        if (!held) floating.push_back(package);
    }
    return floating;
}

// A package of nvcc 13 that leaves the releases of its components open.
std::optional<Version> release_of_floating_nvcc(const RecipePin& pin, const Facts& facts) {
    if (!pin.by_pip() || pin.no_deps) return std::nullopt;
    const bool meta = pin.package == "cuda-toolkit" && has_extra(pin, "nvcc") && pin.version &&
                      !pins_all(facts, *pin.version);
    if (pin.package != "nvidia-cuda-nvcc" && !meta) return std::nullopt;
    const auto release = release_within(pin);
    return release && release->major() == 13 ? release : std::nullopt;
}

void judge_pins(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const auto releases = facts.cuda_releases();
    const std::vector<std::string> floating = floating_parts(scenario.recipe);
    if (floating.empty() || releases.empty()) return;
    for (const RecipePin& pin : scenario.recipe.pins) {
        const auto release = release_of_floating_nvcc(pin, facts);
        if (!release || same_release(*release, releases.back())) continue;
        const std::string wanted = SAY("=={}.*", release->release());
        Composed finding = add(findings, "CC104", Level::warning, text_of(pin),
                               SAY("{} comes with {} of the newest CUDA release", text_of(pin), floating));
        finding.found(evidence_of(pin))
            .found("newest release", releases.back().text, facts.cuda(releases.back())->origin)
            .because(SAY("nvidia-cuda-nvcc requires them without a version; cicc is in nvidia-nvvm, and the "
                         "PTX of a newer one is refused by the ptxas of CUDA {}",
                         release->release()))
            .by_hand(SAY("pin them too: {}{}", joined(floating, wanted + " "), wanted));
        for (const std::string& part : floating) finding.expected(part, wanted, pin.origin);
    }
}

}  // namespace

PTXGUARD_RULE(CC104) {
    if (is_recipe(scenario)) return judge_pins(scenario, facts, findings);
    for (const Toolkit& toolkit : scenario.toolkits) judge_toolkit(scenario, facts, toolkit, findings);
}

}  // namespace ptxguard
