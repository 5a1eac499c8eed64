// The demand that an image makes of the driver: NVIDIA_REQUIRE_CUDA.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rules/CC208_driver_older_than_runtime/parts.hpp"

#include <algorithm>

#include "facts/recipe_tables.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/log_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/recipe_questions.hpp"
#include "model/say.hpp"

namespace ptxguard {

std::optional<Version> lowest_cuda(std::string_view gate) {
    std::optional<Version> lowest;
    while (!gate.empty()) {
        const std::size_t end = std::min(gate.find(' '), gate.size());
        const std::string_view alternative = gate.substr(0, end);
        gate.remove_prefix(std::min(end + 1, gate.size()));
        const std::size_t at = alternative.find("cuda>=");
        if (at == std::string_view::npos) continue;
        const std::string_view number = alternative.substr(at + 6);
        const auto needed = parse_version(number.substr(0, number.find(',')));
        if (needed && (!lowest || *needed < *lowest)) lowest = needed;
    }
    return lowest;
}

namespace {

// One condition of NVIDIA_REQUIRE_CUDA: "cuda>=12.9", "driver<551", "brand=tesla". What cannot be decided
// holds.
bool may_hold(std::string_view condition, const Driver& driver, const Known<Version>& cuda, bool is_geforce) {
    const std::size_t at = condition.find_first_of("<>=");
    if (at == std::string_view::npos) return true;
    const std::string_view name = condition.substr(0, at);
    std::string_view value = condition.substr(at);
    const bool below = starts_with(value, "<") && !starts_with(value, "<=");
    value.remove_prefix(value.size() > 1 && value[1] == '=' ? 2 : 1);
    if (name == "brand") return !is_geforce || starts_with_any(value, {"geforce", "titan"});
    const Known<Version>& here = name == "cuda" ? cuda : version_of(driver);
    const auto wanted = parse_version(value);
    if (!wanted || !here || (name != "cuda" && name != "driver")) return true;
    return below ? *here < *wanted : starts_with(condition.substr(at), ">=") ? *here >= *wanted : true;
}

// Blanks separate alternatives, commas conditions that must all hold.
bool may_be_met(std::string_view demand, const Driver& driver, const Known<Version>& cuda, bool is_geforce) {
    return any_of(split(demand, " "), [&](const std::string& alternative) {
        return all_of(split(alternative, ","), [&](const std::string& condition) {
            return may_hold(condition, driver, cuda, is_geforce);
        });
    });
}

// NVML has brands of their own for GeForce and TITAN. "RTX 3090" is one, "RTX 4000" of a workstation is not.
bool has_consumer_brand(const std::string& name) {
    for (const char* word : {"geforce", "gtx ", "titan"})
        if (name.find(word) != npos) return true;
    const std::size_t rtx = name.find("rtx ");
    const std::string number = rtx == npos ? "" : name.substr(rtx + 4, 4);
    return number.size() == 4 && all_digits(number) && number[2] != '0';
}

void add_branches(const char* brand, const std::vector<Version>& branches, std::string& demand) {
    for (const Version& branch : branches)
        demand += SAY(" brand={},driver>={},driver<{}", brand, branch.text, branch.major() + 1);
}

// As the images of nvidia/cuda have it.
Known<std::string> demand_of_image(const RecipeImage& image, const Facts& facts) {
    if (image.name != "nvidia/cuda" || !image.cuda) return {};
    for (const ImageDemand& row : recipe_tables(facts).image_demands) {
        if (!same_release(*row.release, *image.cuda)) continue;
        std::string demand = "cuda>=" + row.release->text;
        add_branches("tesla", row.branches, demand);
        add_branches("geforce", row.geforce, demand);
        return {demand, image.origin};
    }
    return {};
}

Known<std::string> demand_on_driver(const Scenario& scenario, const Facts& facts) {
    if (scenario.cuda_demand) return scenario.cuda_demand;
    if (scenario.recipe.driver_gate || !scenario.recipe.is_started) return scenario.recipe.driver_gate;
    return demand_of_image(scenario.recipe.image, facts);
}

// What the driver reports, otherwise that of its branch.
Known<Version> cuda_of(const Driver& driver, const Version& version, const Facts& facts) {
    const DriverBranch* branch = facts.driver_branch(version);
    return driver.cuda || !branch || !branch->cuda ? driver.cuda
                                                   : Known<Version>{*branch->cuda, branch->origin};
}

// NVIDIA's images take an older driver beside a data-center GPU alone.
void add_brand_unknown(const Scenario& scenario, const Version& cuda, const Known<std::string>& demand,
                       const Driver& driver, Findings& findings) {
    add(findings, "CC208", Level::unknown, name_of(driver),
        SAY("cannot determine whether {} (CUDA {}) may start {}: it may with a data-center GPU, not with a "
            "GeForce",
            name_of(driver), cuda.release(), name_of(scenario.recipe.image)))
        .about(scenario, driver)
        .found("NVIDIA_REQUIRE_CUDA", *demand, demand.origin)
        .found("CUDA of the driver", cuda.release(), driver.version.origin)
        .because(
            "the container runtime compares NVIDIA_REQUIRE_CUDA with the driver and the brand of the GPU")
        .decide("--gpu NAME");
}

}  // namespace

void judge_demand(const Scenario& scenario, const Facts& facts, const Driver& driver, Findings& findings) {
    const Known<std::string> demand = demand_on_driver(scenario, facts);
    const Known<Version> version = version_of(driver);
    if (!demand || !scenario.foreign || !version) return;
    const Known<Version> cuda = cuda_of(driver, *version, facts);
    const auto gpus = gpus_judged(scenario);
    const bool is_geforce =
        !gpus.empty() && all_of(gpus, [](const Gpu* gpu) { return has_consumer_brand(lower(gpu->name)); });
    if (!cuda) return;
    if (may_be_met(*demand, driver, cuda, is_geforce)) {
        if (gpus.empty() && is_recipe(scenario) && !may_be_met(*demand, driver, cuda, true))
            add_brand_unknown(scenario, *cuda, demand, driver, findings);
        return;
    }
    // A recipe does not say which container toolkit starts its image.
    Composed finding =
        add(findings, "CC208", scenario.cuda_demand ? Level::error : Level::warning, name_of(driver),
            SAY("{} (CUDA {}) does not meet NVIDIA_REQUIRE_CUDA={}", name_of(driver), cuda->release(),
                scenario.cuda_demand || scenario.recipe.driver_gate
                    ? *demand
                    : SAY("{} of {}", demand->substr(0, demand->find(' ')), name_of(scenario.recipe.image))));
    finding.about(scenario, driver)
        .found("NVIDIA_REQUIRE_CUDA", *demand, demand.origin)
        .found("CUDA of the driver", cuda->release(), cuda.origin)
        .because(
            "the container runtime refuses to start the image: 'unsatisfied condition'; with CDI it does not "
            "compare")
        .by_hand(SAY("use an image for CUDA {} or older", cuda->release()));
    if (const auto lowest = lowest_cuda(*demand))
        finding.by_hand(SAY("install a driver that reports CUDA {} or newer", lowest->release()));
}

void judge_gate_of_log(const Scenario& scenario, Findings& findings) {
    for (const LogMessage* message : messages_with(scenario, {"driver_too_old"})) {
        if (!message->cuda || scenario.drivers.empty()) continue;
        const Driver& driver = scenario.drivers.front();
        if (!driver.cuda || *driver.cuda >= *message->cuda) continue;
        const std::string wanted = message->cuda->release(), here = driver.cuda->release();
        add(findings, "CC208", Level::error, name_of(driver),
            SAY("the image requires a driver for CUDA {}; {} is for CUDA {}", wanted, name_of(driver), here))
            .about(scenario, driver)
            .found(evidence_of(*message))
            .found("CUDA of the driver", here, driver.cuda.origin)
            .expected("CUDA of the driver", ">= " + wanted, message->origin)
            .because(
                "the container toolkit compares NVIDIA_REQUIRE_CUDA of the image with the driver before it "
                "starts the image")
            .by_hand(SAY("install a driver that reports CUDA {} or newer", wanted))
            .by_hand(SAY("use an image for CUDA {} or older", here));
        return;
    }
}

}  // namespace ptxguard
