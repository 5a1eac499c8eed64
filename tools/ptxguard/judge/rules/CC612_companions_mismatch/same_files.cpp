// Packages of which each writes the files of the other: pip installs both, and the last one wins.
// SPDX-License-Identifier: Apache-2.0

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/recipe_questions.hpp"
#include "judge/replaced_questions.hpp"
#include "judge/rules/CC612_companions_mismatch/parts.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// One project in packages for several CUDA releases or for CPUs.
struct SameFiles {
    const char* start;
    std::vector<const char*> ends;  // "" = the start is a name, "-cuda*" = any name that begins so
};
const std::vector<SameFiles>& families() {
    static const std::vector<SameFiles> table = {
        {"cupy", {"", "-cuda*", "-rocm-*"}},
        {"onnxruntime", {"", "-gpu", "-directml", "-openvino", "-rocm", "-training"}},
        {"tensorflow", {"", "-gpu", "-cpu", "-rocm"}},
        {"paddlepaddle", {"", "-gpu", "-rocm", "-xpu"}},
        {"mxnet", {"", "-cu*"}},
        {"dgl", {"", "-cu*"}},
        {"faiss", {"-cpu", "-gpu", "-gpu-cu*"}},
    };
    return table;
}

const SameFiles* family_of(const std::string& package) {
    for (const SameFiles& family : families())
        for (const std::string end : family.ends) {
            const std::string name = family.start + end;
            if (package == name ||
                (ends_with(name, "*") && starts_with(package, name.substr(0, name.size() - 1))))
                return &family;
        }
    return nullptr;
}

bool is_removed(const RecipeFacts& recipe, const RecipePin& first, const RecipePin& second) {
    return any_of(recipe.removed, [&](const RecipePin& one) {
        return one.package == first.package && one.group > first.group && one.group <= second.group;
    });
}

// The last pin of each package of a family, in the order of the commands.
std::vector<const RecipePin*> members_here(const RecipeFacts& recipe, const SameFiles& family) {
    std::vector<const RecipePin*> members;
    for (const RecipePin& pin : recipe.pins) {
        if (!pin.is_from_pypi() || pin.origin.overridable || !pin.unreadable.empty() ||
            family_of(pin.package) != &family)
            continue;
        erase_if(members, [&](const RecipePin* one) { return one->package == pin.package; });
        members.push_back(&pin);
    }
    return members;
}

void judge_family(const RecipeFacts& recipe, const SameFiles& family, Findings& findings) {
    const auto members = members_here(recipe, family);
    if (members.size() < 2) return;
    const RecipePin &first = *members[members.size() - 2], &last = *members.back();
    if (is_removed(recipe, first, last)) return;
    add(findings, "CC612", Level::warning, last,
        SAY("{} writes the same files as {}", text_of(last), text_of(first)))
        .found(evidence_of(first))
        .expected(family.start, "one of them", {})
        .because(SAY("both packages have the module {}: the one that is installed last overwrites the other, "
                     "and pip does not report it",
                     family.start))
        .of_package(last.package)
        .by_hand(SAY("remove {} or {}", first.package, last.package));
}

// One library of two CUDA majors, in one folder of site-packages.
bool share_a_folder(const std::string& one, const std::string& other) {
    if (one == other || nvidia_component(one) != nvidia_component(other)) return false;
    const auto is_numbered = [](const std::string& name) { return name.find("-cu1") != npos; };
    static const char* const k_own_folder[] = {"nccl", "cudnn", "nvshmem", "cusparselt"};
    return is_numbered(one) && is_numbered(other) && contains(k_own_folder, nvidia_component(one));
}

// "xgboost 3.2.0 brings nvidia-nccl-cu12 2.31.2"
std::string brought(const Installed& one) {
    const std::string named = SAY("{} {}", one.package, one.version->text);
    return one.required_by.empty() ? SAY("the recipe installs {}", named)
                                   : SAY("{} brings {}", one.required_by, named);
}

// What requires it is still there, in PyPI's own build: those of other indexes require other packages.
bool is_required_here(const RecipeFacts& recipe, const Installed& one) {
    return one.required_by.empty() || any_of(recipe.installed, [&](const Installed& by) {
               return one.required_by == SAY("{} {}", by.package, by.version->text) && by.build.empty();
           });
}

// xgboost requires nvidia-nccl-cu12, and the newest torch nvidia-nccl-cu13.
void judge_brought_owners(const RecipeFacts& recipe, Findings& findings) {
    if (recipe.kind == "workflow" && !recipe.gpu) return;
    std::vector<const Installed*> all;
    for (const Installed& one : recipe.installed)
        if (!nvidia_component(one.package).empty()) all.push_back(&one);
    for (std::size_t i = 0; i < all.size(); ++i)
        for (std::size_t k = i + 1; k < all.size(); ++k) {
            const Installed &one = *all[i], &other = *all[k];
            if (!share_a_folder(one.package, other.package) ||
                one.version->major() != other.version->major() || !is_required_here(recipe, one) ||
                !is_required_here(recipe, other) || is_said(findings, one.asked) ||
                is_said(findings, other.asked))
                continue;
            add(findings, "CC612", Level::warning, one.package,
                SAY("{}, and {}, which writes the same files", brought(one), brought(other)))
                .of_package(one.package)
                .found("pip", one.package, one.asked)
                .found("pip", other.package, other.asked)
                .expected("packages", "for one CUDA", {})
                .because(k_one_folder)
                .by_hand("pin releases of both that are for the same CUDA");
        }
}

// torch+cu130 requires nvidia-nccl-cu13.
void judge_build_owners(const RecipeFacts& recipe, const Facts& facts, const Expectation& torch,
                        Findings& findings) {
    const std::string build = torch.version ? torch.version->local() : "";
    if (torch.framework != "PyTorch" || !torch.cuda || build.empty() || holds_libraries(facts, torch)) return;
    const std::string own = SAY("-cu{}", torch.cuda->major());
    for (const RecipePin& pin : recipe.pins) {
        const std::size_t at = pin.package.rfind("-cu1");
        if (!pin.is_from_pypi() || at == npos) continue;
        const std::string required = pin.package.substr(0, at) + own;
        const bool of_cudnn = nvidia_component(required) == "cudnn" && torch.cudnn;
        const std::string range = of_cudnn ? SAY("=={}", torch.cudnn->text) : "";
        if (!writes_the_same_files(pin, required, range) || torch.cuda->major() < 12) continue;
        if (is_said(findings, pin.origin)) continue;
        add(findings, "CC612", Level::error, pin,
            SAY("{} writes the same files as {}, which torch {} requires", text_of(pin), required,
                torch.version->text))
            .found("torch", torch.version->text, torch.version.origin)
            .expected("package", required, {})
            .because(k_one_folder)
            .by_hand(SAY("remove {}", pin.package));
    }
}

}  // namespace

bool writes_the_same_files(const RecipePin& pin, const std::string& other, const std::string& range) {
    const auto of_pin = pin.version ? pin.version.value : lower_bound(pin.specifier);
    const auto of_other = lower_bound(range);
    if (of_pin && of_other && of_pin->major() != of_other->major()) return false;  // libcudnn.so.8, .so.9
    return share_a_folder(pin.package, other);
}

bool holds_libraries(const Facts& facts, const Expectation& build) {
    const auto& from = framework_traits(facts, build.framework).requires_libraries_from;
    return from && build.version && !build.version->local().empty() && *build.version < *from;
}

void judge_same_files(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const SameFiles& family : families()) judge_family(scenario.recipe, family, findings);
    for (const Expectation& one : scenario.expectations)
        judge_build_owners(scenario.recipe, facts, one, findings);
    judge_brought_owners(scenario.recipe, findings);
}

}  // namespace ptxguard
