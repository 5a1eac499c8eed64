// CC302 cudnn_older_than_build: a framework loads a cuDNN of an older minor than the one that it was built
// with.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "facts/variants.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/log_questions.hpp"
#include "judge/recipe_questions.hpp"

namespace ptxguard {
namespace {

bool has_minor_of(const Version& version, const Known<Version>& major) {
    return version.numbers.size() > 1 && (!major || version.major() == major->major());
}

// The release that it was built with. If its files contain only the major, the oldest that its metadata
// allows ("nvidia-cudnn-cu12<10.0,>=9.3.0.75"), which is that of the build; else that of its table row.
Known<Version> oldest_wanted(const Expectation& framework, const Facts& facts) {
    const Known<Version>& built = framework.cudnn;
    if (built && built->numbers.size() > 1) return built;
    for (const std::string& package : framework.asks_for) {
        const auto version =
            nvidia_component(package) == "cudnn" ? find_version(package, ">=") : std::nullopt;
        if (!version || !has_minor_of(*version, built)) continue;
        Origin origin = built.origin;
        origin.text = SAY("its metadata requires {}", package);
        return {*version, origin};
    }
    const FrameworkRelease* release =
        framework.version ? facts.framework_release(framework.package, *framework.version) : nullptr;
    if (!release || !framework.cuda || !built) return {};
    const auto listed = cudnn_of_build(*release, System::linux_, *framework.cuda);
    return listed && has_minor_of(*listed, built) ? Known<Version>{*listed, release->origin}
                                                  : Known<Version>{};
}

// A framework of a recipe that opens the cuDNN of the image.
void judge_image_of_older_cudnn(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const Expectation& one : scenario.expectations) {
        if (!loads_libraries_here(scenario, one) || !one.cudnn || never_released(one)) continue;
        const LibrariesHere here = libraries_for(scenario, facts, one);
        const Known<Version> built = oldest_wanted(one, facts);
        if (!here.cudnn || !built || here.cudnn->major() != built->major()) continue;
        if (here.cudnn->numbers.size() < 2 || built->numbers.size() < 2) continue;
        if (here.cudnn->minor() >= built->minor()) continue;
        // PaddlePaddle warns, and goes on.
        const bool refuses = one.cudnn->numbers.size() > 1 && one.framework != "PaddlePaddle";
        add(findings, "CC302", here.complete && refuses ? Level::error : Level::warning,
            SAY("{}, cuDNN", name_of(one)),
            SAY("{} was built with cuDNN {}, {} has the older {}", name_of(one), built->release(), here.of,
                here.cudnn->text))
            .about(scenario, one)
            .found("cuDNN", here.cudnn)
            .found(one.package, name_of(one), one.version.origin)
            .expected("cuDNN", ">= " + built->release(), built.origin)
            .because("within a major, cuDNN runs programs built with an older minor, not with a newer one")
            .by_hand(SAY("use an image with a newer CUDA and cuDNN, or an older release of {}", one.package));
    }
}

void judge_minors_of_log(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const LogMessage* message : messages_with(scenario, {"cudnn_versions"})) {
        const auto &loaded = message->loaded, &built = message->built;
        if (!loaded || !built || loaded->major() != built->major()) continue;
        if (built->numbers.size() < 2 || loaded->minor() >= built->minor()) continue;
        add(findings, "CC302", Level::error, "cuDNN",
            SAY("{} was built with cuDNN {} but loads the older {}", program_of_log(scenario), built->text,
                loaded->text))
            .found(evidence_of(*message))
            .expected("cuDNN", ">= " + built->release(), message->origin)
            .because(
                "within a major, cuDNN runs programs built with an older minor, not with a newer one; "
                "frameworks compare the two at start and refuse to run")
            .fix(get_cudnn_fix(framework_of_log(scenario), *built, facts))
            .fix(leave_out_fix(scenario, "cuDNN", *loaded));
        return;
    }
}

}  // namespace

PTXGUARD_RULE(CC302) {
    if (scenario.source == SourceKind::log) return judge_minors_of_log(scenario, facts, findings);
    judge_image_of_older_cudnn(scenario, facts, findings);
    for (const CudnnInUse& cudnn : cudnns_in_use(scenario)) {
        if (!cudnn.framework || !cudnn.version_library || cudnn.mixed) continue;
        const Known<Version> built = oldest_wanted(*cudnn.framework, facts);
        if (!built || built->numbers.size() < 2 || cudnn.version->numbers.size() < 2) continue;
        if (built->major() != cudnn.version->major() || cudnn.version->minor() >= built->minor()) continue;
        const bool predicted = built.origin.certainty == Certainty::predicted;
        const std::string name = process_name(*cudnn.trace, cudnn.framework);
        add(findings, "CC302", predicted ? Level::warning : Level::error,
            SAY("{}, {}", name, cudnn.version_library->name),
            SAY("{} was built with cuDNN {} but loads the older {}", name, built->text, cudnn.version->text))
            .about(scenario, *cudnn.trace)
            .found(evidence_of(*cudnn.version_library))
            .expected("cuDNN", ">= " + built->release(), built.origin)
            .because(SAY("within a major, cuDNN runs programs built with an older minor, not with a newer "
                         "one; frameworks compare the two at start and refuse to run{}",
                         predicted ? " (the cuDNN of the build is from a table)" : ""))
            .of_entry(entry_of(*cudnn.version_library))
            .of_package(cudnn.framework->package)
            .fix(variable_fix(*cudnn.version_library, scenario.system))
            .fix(get_cudnn_fix(cudnn.framework, *built, facts));
    }
}

}  // namespace ptxguard
