// This nvcc or ptxas does not support a requested architecture: dropped, or newer than the toolkit.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "judge/build_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/fixes.hpp"
#include "judge/list_spelling.hpp"
#include "judge/log_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/rules/CC203_arch_unknown_to_tool/parts.hpp"
#include "judge/severity.hpp"

namespace ptxguard {
namespace {

struct Refused {
    Arch arch;
    Origin origin;  // which tool refused it
};

struct Asked {
    std::vector<Refused> refused;
    std::vector<Target> rest;  // supported targets, or those that could not be tested
    std::vector<std::string> unknown;
    bool measured = false;
};

Asked look_at(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit,
              const std::vector<Target>& targets) {
    Asked request;
    for (const Target& target : targets) {
        const auto [answer, origin] = ask_compiler(scenario, facts, toolkit, target.arch);
        if (answer == ArchAnswer::refused) {
            request.measured = request.measured || origin.certainty == Certainty::measured;
            request.refused.push_back({target.arch, origin});
            continue;
        }
        request.rest.push_back(target);
        if (answer == ArchAnswer::not_known) request.unknown.push_back(target.arch.sm());
    }
    return request;
}

// When this architecture was added or dropped, measured at this toolkit.
std::string history(const Facts& facts, const Toolkit& toolkit, Arch arch) {
    const std::vector<Version> releases = facts.cuda_releases_with(arch);
    if (releases.empty())
        return facts.cuda_releases().empty()
                   ? "in no CUDA release up to now"
                   : SAY("in no CUDA release up to {}", facts.cuda_releases().back().release());
    const Known<Version> version = release_of(toolkit);
    const Version here = version ? *version : Version{{0}, "", ""};
    const bool too_new = compare(here, releases.front()) < 0 && !same_release(here, releases.front());
    return too_new ? SAY("needs CUDA {}", releases.front().release())
                   : SAY("dropped, last supported by CUDA {}", releases.back().release());
}

// "sm_50 and sm_60 (dropped, last supported by CUDA 12.9) and sm_95 (in no CUDA release up to 13.5)"
std::string with_history(const Facts& facts, const Toolkit& toolkit, const std::vector<Refused>& refused) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const Refused& one : refused) {
        const std::string why = history(facts, toolkit, one.arch);
        auto group =
            std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == why; });
        if (group == groups.end()) group = groups.insert(groups.end(), {why, {}});
        group->second.push_back(one.arch.sm());
    }
    std::vector<std::string> words;
    for (const auto& [why, names] : groups) words.push_back(SAY("{} ({})", names, why));
    return list(words);
}

// If nvcc failed for another reason, other rules report that.
bool was_asked(const Scenario& scenario, const Toolkit& toolkit) {
    std::vector<const ProbeResult*> probes = probes_of(scenario, ProbeKind::ptx, toolkit.id);
    return any_of(probes, [](const ProbeResult* probe) {
        return probe->basis == Certainty::measured && probe->outcome != Outcome::unknown;
    });
}

void say_unknown(const Scenario& scenario, const Toolkit& toolkit, const Asked& request, Findings& findings) {
    add(findings, "CC203", Level::unknown, SAY("toolkit {}", toolkit.root),
        SAY("{} may or may not support {}", name_of(toolkit), request.unknown))
        .about(scenario, toolkit)
        .because("it was not run, and no table lists its release")
        .required(scenario.project.archs_text.value.has_value())
        .decide("--probe auto with a toolkit that runs here");
}

// Releases that support all requested architectures, ascending.
std::vector<Version> releases_with_all(const Facts& facts, const Asked& request) {
    std::vector<Arch> wanted;
    for (const Refused& refused : request.refused) wanted.push_back(refused.arch);
    append(wanted, archs_of(request.rest));
    std::vector<Version> common = facts.cuda_releases_with(wanted.front());
    for (Arch arch : wanted) {
        const std::vector<Version> with = facts.cuda_releases_with(arch);
        const auto lacks = [&](const Version& v) { return !contains(with, v); };
        erase_if(common, lacks);
    }
    return common;
}

// Suggest a toolkit only if it supports the whole list; otherwise the next architecture would be refused.
std::vector<Fix> toolkit_that_supports_all(const Scenario& scenario, const Facts& facts,
                                           const Toolkit& toolkit, const Asked& request) {
    const std::vector<Version> releases = releases_with_all(facts, request);
    if (releases.empty()) return {};
    const bool too_new = *release_of(toolkit) < releases.front();
    const bool alone = request.refused.size() == 1;
    const std::string why =
        alone ? SAY("{} that supports {})", too_new ? "or newer (the first" : "(the newest",
                    request.refused.front().arch.sm())
              : SAY("{} that supports all of them)", too_new ? "or newer (the first" : "(the newest");
    return {get_toolkit_fix(scenario, too_new ? releases.front() : releases.back(), facts, why)};
}

// The supported architecture that is nearest to the refused ones; none = no table lists this release.
std::optional<Arch> nearest_supported(const Facts& facts, const Toolkit& toolkit, const Asked& request) {
    const Known<Version> version = release_of(toolkit);
    const CudaRelease* release = version ? facts.cuda(*version) : nullptr;
    if (!release) return {};
    const int refused = request.refused.front().arch.number;
    std::optional<Arch> nearest;
    for (Arch arch : release->ptxas_archs)
        if (!arch.suffix &&
            (!nearest || std::abs(arch.number - refused) < std::abs(nearest->number - refused)))
            nearest = arch;
    return nearest;
}

// A list of which nothing is left names the GPUs that run the program, if they are known.
Fix replace_at_place(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit,
                     const Asked& request, const std::vector<std::string>& names) {
    std::vector<Target> targets;
    for (const Gpu* gpu : gpus_judged(scenario)) {
        const Target target{{gpu->arch->number, 0}, true, false};
        const bool named = any_of(targets, [&](const Target& one) { return one.arch == target.arch; });
        if (!named && ask_compiler(scenario, facts, toolkit, target.arch).answer == ArchAnswer::known)
            targets.push_back(target);
    }
    std::string why = ", for the GPUs that run it";
    if (targets.empty()) {
        why = SAY(", the nearest that {} supports", name_of(toolkit));
        if (const std::optional<Arch> nearest = nearest_supported(facts, toolkit, request))
            targets.push_back({*nearest, true, true});
    }
    const Known<std::string>& asked = scenario.project.archs_text;
    const std::string& place = asked.origin.variable;
    if (targets.empty())
        return by_hand(SAY("replace {} in {} with one that {} supports", names, place, name_of(toolkit)));
    if (asked->find('_') == std::string::npos)  // a list of CMake
        return by_hand(SAY("set {} to \"{}\"{}", place, cmake_spelling(targets), why));
    std::vector<std::string> others;
    for (const Target& target : targets) others.push_back(target.arch.sm());
    return by_hand(SAY("replace {} in {} with {}{}", names, place, others, why));
}

void report(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, const Asked& request,
            Findings& findings) {
    std::vector<std::string> names;
    for (const Refused& refused : request.refused) names.push_back(refused.arch.sm());
    Certainty basis = request.measured ? Certainty::measured : Certainty::predicted;
    const Known<std::string>& asked = scenario.project.archs_text;
    const bool at_place = is_at_place(scenario);
    std::string rest = cmake_spelling(request.rest);
    Composed finding =
        add(findings, "CC203", level_by(basis, scenario),
            at_place ? asked.origin.variable : SAY("toolkit {}", toolkit.root),
            SAY("{} does not support {}", name_of(toolkit), with_history(facts, toolkit, request.refused)));
    for (const Refused& refused : request.refused) finding.about(id_of(refused.arch));
    finding.about(scenario, toolkit)
        .found("architectures", asked ? *asked : list(names), asked.origin)
        .expected("architectures", rest.empty() ? SAY("supported by {}", name_of(toolkit)) : rest,
                  request.refused.front().origin)
        .because(SAY("{} fails at the first architecture that it does not support, even if the others in the "
                     "list are fine",
                     toolkit.part(PartKind::nvcc) ? "nvcc" : "ptxas"));
    if (at_place && !request.rest.empty() && asked.origin.variable.rfind("TORCH_CUDA_ARCH_LIST", 0) == 0) {
        Scenario torch = scenario;  // its CMake files write the flags, and the variable decides them
        torch.project.archs_text.origin.variable = "TORCH_CUDA_ARCH_LIST";
        finding.fix(arch_list_fix(torch, request.rest));
        locate_at_place(scenario, finding);
    } else if (at_place) {
        finding.fix(request.rest.empty() ? replace_at_place(scenario, facts, toolkit, request, names)
                                         : by_hand(SAY("remove {} from {}", names, asked.origin.variable)));
        locate_at_place(scenario, finding);
    } else if (!request.rest.empty()) {
        finding.fix(arch_list_fix(scenario, request.rest));
    }
    finding.fix(toolkit_that_supports_all(scenario, facts, toolkit, request));
    if (finding->fix.empty()) finding.by_hand(SAY("name an architecture that exists instead of {}", names));
}

// Without a list, build systems use the GPU's own architecture: `native`, torch's extensions.
void judge_gpus(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, Findings& findings) {
    std::vector<Target> targets;
    bool named = false;
    for (const Gpu* gpu : gpus_judged(scenario)) {
        targets.push_back({{gpu->arch->number, 0}, true, false});
        named = named || gpu->declared;
    }
    const Asked request = look_at(scenario, facts, toolkit, targets);
    if (request.refused.empty() || (!named && !request.rest.empty())) return;
    const Level level = named ? level_by(request.refused.front().origin.certainty, scenario) : Level::warning;
    Composed finding =
        add(findings, "CC203", level, SAY("toolkit {}", toolkit.root),
            SAY("{} makes no code for {}", name_of(toolkit), with_history(facts, toolkit, request.refused)));
    for (const Refused& refused : request.refused) finding.about(id_of(refused.arch));
    finding.about(k_build)
        .about(scenario, toolkit)
        .about(ids_of(scenario, gpus_judged(scenario)))
        .expected("architectures", "a list for nvcc, or a release that supports the GPU",
                  request.refused.front().origin)
        .because(
            "no list of architectures is given, and a build for the GPU's own architecture fails with nvcc's "
            "error")
        .fix(toolkit_that_supports_all(scenario, facts, toolkit, request));
    for (const Gpu* gpu : gpus_judged(scenario)) finding.found(evidence_of(*gpu));
    if (finding->fix.empty()) finding.by_hand("use another GPU");
}

// A list that an image only sets for those that start from it.
void judge_unread_lists(const Scenario& recipe, const Facts& facts, Findings& findings) {
    const std::vector<RecipeArchs>& lists = recipe.recipe.unread_lists;
    if (lists.empty()) return;
    Scenario scenario = recipe;
    scenario.project.wanted = true;
    const Toolkit* toolkit = toolkit_of_build(scenario);
    if (!toolkit || !release_of(*toolkit)) return;
    for (const RecipeArchs& list : lists) {
        const Asked request = look_at(scenario, facts, *toolkit, list.archs.targets);
        if (request.refused.empty()) continue;
        scenario.project.archs = list.archs;
        scenario.project.archs_text = {list.archs.text, list.origin};
        report(scenario, facts, *toolkit, request, findings);
        findings.back().level = Level::note;
        findings.back().because =
            "nothing here reads the list; a build in an image that starts from this one does";
    }
}

// A recipe may contain several lists; each reaches nvcc. Values that a file appends are in those before too.
void judge_lists(Scenario scenario, const Facts& facts, Findings& findings) {
    const Toolkit& toolkit =
        *toolkit_of_build(scenario);  // of this copy: findings name things by their place
    std::vector<std::pair<const RecipeArchs*, std::vector<Arch>>> reported;
    const auto is_reported = [&](const RecipeArchs& list, const std::vector<Arch>& refused) {
        return any_of(reported, [&](const auto& one) {
            return one.first->name == list.name && one.first->origin.path == list.origin.path &&
                   all_of(refused, [&](Arch arch) {
                       return std::count(one.second.begin(), one.second.end(), arch) > 0;
                   });
        });
    };
    const std::vector<RecipeArchs> lists = scenario.recipe.arch_lists;
    for (const RecipeArchs& list : lists) {
        const Asked request = look_at(scenario, facts, toolkit, list.archs.targets);
        std::vector<Arch> refused;
        for (const Refused& one : request.refused) refused.push_back(one.arch);
        if (refused.empty() || is_reported(list, refused)) continue;
        reported.emplace_back(&list, refused);
        scenario.project.archs = list.archs;
        scenario.project.archs_text = {list.archs.text, list.origin};
        report(scenario, facts, toolkit, request, findings);
    }
}

// A log in which nvcc refuses an architecture, and that names the nvcc.
void report_arch_of_log(const Scenario& scenario, const Facts& facts, Findings& findings) {
    const Toolkit* toolkit = scenario.toolkits.empty() ? nullptr : &scenario.toolkits.front();
    const Part* nvcc = nvcc_of_log(scenario);
    const CudaRelease* release = nvcc ? facts.cuda(*nvcc->version) : nullptr;
    if (!release) return;
    for (const LogMessage* message : messages_with(scenario, {"arch_unknown_to_nvcc"})) {
        const auto& known = release->ptxas_archs;
        if (!message->arch || std::count(known.begin(), known.end(), *message->arch)) continue;
        const std::string arch = with_history(facts, *toolkit, {{*message->arch, {}}});
        const std::vector<Version> releases = facts.cuda_releases_with(*message->arch);
        Composed finding = add(findings, "CC203", Level::error, "nvcc",
                               SAY("nvcc {} does not support {}", nvcc->version->text, arch));
        finding.found(evidence_of(*message))
            .found("nvcc", nvcc->version)
            .expected("nvcc", SAY("one that supports {}", message->arch->sm()), release->origin)
            .because("every nvcc supports the architectures of its release only");
        if (!releases.empty()) {
            const bool newer = compare(*nvcc->version, releases.front()) < 0;
            const Version& has_it = newer ? releases.front() : releases.back();
            finding.by_hand(SAY("build with CUDA {}", has_it.release()));
        }
        finding.by_hand(
            SAY("remove {} from the architectures (CMAKE_CUDA_ARCHITECTURES, TORCH_CUDA_ARCH_LIST, -gencode)",
                message->arch->name()));
        return;
    }
}

// The architectures that nvcc gets, here or in a project's settings.
void judge_build(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit, Findings& findings) {
    const Asked request = look_at(scenario, facts, toolkit, scenario.project.archs.targets);
    if (!request.refused.empty()) return report(scenario, facts, toolkit, request, findings);
    if (!request.unknown.empty() && !was_asked(scenario, toolkit))
        say_unknown(scenario, toolkit, request, findings);
    judge_flags(scenario, toolkit, findings);
    if (code_of_build(scenario, facts) && !asks_for_architectures(scenario))
        judge_gpus(scenario, facts, toolkit, findings);
}

}  // namespace

PTXGUARD_RULE(CC203) {
    if (scenario.source == SourceKind::log) return report_arch_of_log(scenario, facts, findings);
    judge_run_time_tools(scenario, facts, findings);
    judge_torch_spelling(scenario.recipe, findings);
    judge_cmake_spelling(scenario.recipe, findings);
    const Toolkit* toolkit = toolkit_of_build(scenario);
    const bool has_release = toolkit && release_of(*toolkit);
    if (has_release && is_misspelt(scenario)) return report_spelling(scenario, *toolkit, findings);
    judge_unread_lists(scenario, facts, findings);
    if (!has_release)
        judge_lists_alone(scenario, facts, findings);
    else if (is_recipe(scenario))
        judge_lists(scenario, facts, findings);
    else
        judge_build(scenario, facts, *toolkit, findings);
    if (findings.empty()) judge_torch_archs(scenario, facts, findings);
}

}  // namespace ptxguard
