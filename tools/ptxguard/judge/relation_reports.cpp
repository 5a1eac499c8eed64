// Which finding reports a pair, and what the user named without any.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "judge/driver_questions.hpp"
#include "judge/entry_fit.hpp"
#include "judge/framework_questions.hpp"
#include "judge/judge.hpp"
#include "judge/relation.hpp"

namespace ptxguard {
namespace {

bool reports(const Rule* rule, Meeting kind) {
    if (!rule) return false;
    return contains(rule->head.pairs, kind);
}

// A library that is only opened when it is used, a tool that a framework on a CPU lacks: a note is enough.
bool may_be_harmless(Meeting kind) { return kind == Meeting::library_set || kind == Meeting::framework_tool; }

const char* const k_file_with_code = "a file that contains device code";
const char* const k_file_of_place =
    "the files that use CUDA: --module FILE, --host-exe FILE, or ptxguard inspect FILE --gpu NAME";

// What the user named to be checked; empty = this machine as it is.
std::string place_named(const Scenario& scenario) {
    for (const NativeModule& module : scenario.modules)
        if (module.of_program) return module.path;
    if (scenario.python.named) return scenario.python.path;
    return scenario.foreign ? "the tree of --root" : "";
}

// CC208 compares it with the driver.
bool some_needs_runtime(const Scenario& scenario, const Facts& facts) {
    return any_of(scenario.binaries, [&](const BinaryFile& file) {
        return runtime_started_by(facts, file.needed).cuda_major != 0;
    });
}

// CC002 reports those that could not be read.
bool none_has_code(const Scenario& scenario, bool (*is_code)(const DeviceEntry&)) {
    const auto& files = scenario.binaries;
    const auto is_without = [&](const BinaryFile& file) {
        return none_of(file.entries, is_code) && file.trouble.empty();
    };
    return !files.empty() && all_of(files, is_without);
}

// Also if it was read and has nothing to run: then it works with every driver and GPU.
bool is_registered(const DeviceEntry& entry) { return entry.registered; }
// CC204 reports that a library loads it by itself.
bool is_any(const DeviceEntry&) { return true; }

}  // namespace

bool decided(const Obligation& pair) { return pair.outcome != Outcome::unknown; }

namespace {

// What a source's pairs decide nothing about.
struct Alone {
    const Scenario& scenario;
    const Facts& facts;
    const std::vector<Obligation>& pairs;
    std::vector<Unmet> found = {};

    template <typename Thing>
    void look(const Thing& thing, const char* what, const char* decide) {
        const Entity id = id_of(scenario, thing);
        const auto is_met = [&](const Obligation& pair) {
            return has(pair, id) && (decided(pair) || pair.named);
        };
        if (none_of(pairs, is_met)) found.push_back({{id, name_of(thing)}, what, decide});
    }

    void in_files() {
        if (none_has_code(scenario, is_registered) && !some_needs_runtime(scenario, facts))
            for (const Driver* driver : drivers_concerned(scenario))
                if (driver->declared) look(*driver, "driver", k_file_with_code);
        if (none_has_code(scenario, is_any))
            for (const Gpu* gpu : gpus_judged(scenario))
                if (gpu->declared) look(*gpu, "GPU", k_file_with_code);
    }

    // CC210 reports those that no table lists.
    void on_machine() {
        for (const Driver* driver : drivers_concerned(scenario))
            if (driver->declared && !is_beyond_the_table(facts, *driver))
                look(*driver, "driver", "--gpu NAME, --framework NAME or --build");
        for (const Gpu* gpu : gpus_judged(scenario))
            if (gpu->declared && facts.arch(Arch{gpu->arch->number, 0}))
                look(*gpu, "GPU", "--driver VERSION, --framework NAME or --build");
        for (const Expectation& one : scenario.expectations)
            if (one.required && runs_with_cuda(one))
                look(one, "framework", "--gpu NAME and --driver VERSION");
        in_place();
    }

    // A GPU and a driver say nothing about the program or the environment that were named with them.
    void in_place() {
        const std::string place = place_named(scenario);
        if (place.empty()) return;
        const auto is_of_software = [&](const Obligation& pair) {
            return pair.kind == Meeting::code_gpu || pair.kind == Meeting::code_driver;
        };
        if (any_of(pairs, is_of_software)) return;
        for (const Gpu* gpu : gpus_judged(scenario))
            if (gpu->declared)
                return found.push_back(
                    {{id_of(scenario, *gpu), name_of(*gpu)}, "GPU", k_file_of_place, place});
    }
};

}  // namespace

std::vector<Unmet> unmet(const Scenario& scenario, const Facts& facts, const std::vector<Obligation>& pairs) {
    Alone alone{scenario, facts, pairs};
    if (scenario.source == SourceKind::binary) alone.in_files();
    if (scenario.source == SourceKind::machine) alone.on_machine();
    return alone.found;
}

bool reports_pair(const Finding& finding, const Obligation& pair) {
    const bool explains =
        pair.rule.empty() ? reports(find_rule(finding.code), pair.kind) : pair.rule == finding.code;
    const bool open = finding.level == Level::unknown && finding.required;
    return explains && contains(finding.about, pair.left.id) && contains(finding.about, pair.right.id) &&
           (finding.level >= Level::warning || may_be_harmless(pair.kind) ||
            (open && pair.outcome == Outcome::unknown));
}

}  // namespace ptxguard
