// First by measured releases, then by versions.
// SPDX-License-Identifier: Apache-2.0
#include "judge/driver_questions.hpp"

#include <algorithm>

#include "judge/entry_fit.hpp"
#include "judge/ptx_questions.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

bool older(const Version& driver_cuda, const Version& wanted) {
    if (wanted.major() >= 11) return driver_cuda.major() < wanted.major();
    return driver_cuda < wanted && !same_release(driver_cuda, wanted);
}

// "580" and "580.65" may be 580.65.06 or an older one.
bool is_shortened(const Version& driver, const Version& minimum) {
    return driver.numbers.size() < minimum.numbers.size() &&
           std::equal(driver.numbers.begin(), driver.numbers.end(), minimum.numbers.begin());
}

// The first driver of the branch is already new enough.
bool whole_branch_fits(const Scenario& scenario, const Facts& facts, const Version& driver,
                       const Version& minimum) {
    const DriverBranch* branch = facts.driver_branch(driver);
    if (!branch || branch->branch != driver.major()) return false;
    const std::optional<Version>& first =
        scenario.system == System::windows ? branch->first_windows : branch->first_linux;
    return first && *first >= minimum;
}

// A driver newer than all listed ones supports at least what the newest listed one supports.
std::optional<bool> newer_than_the_table(const Facts& facts, const Version& driver, const Version& cuda) {
    std::vector<int> branches = facts.driver_branches();
    if (branches.empty() || driver.major() < branches.back()) return std::nullopt;
    Version newest;
    newest.numbers = {branches.back()};
    const DriverBranch* branch = facts.driver_branch(newest);
    if (!branch || !branch->cuda || older(*branch->cuda, cuda)) return std::nullopt;
    return false;
}

// JetPack's drivers for Thor have numbers of their own: 580.00 is the first for CUDA 13.
bool of_thor(const Scenario& scenario) {
    constexpr int k_thor = 110;
    const std::vector<const Gpu*> gpus = gpus_judged(scenario);
    return !gpus.empty() &&
           all_of(gpus, [](const Gpu* gpu) { return gpu->arch && gpu->arch->number == k_thor; });
}

}  // namespace

Known<Version> minimum_for(const Scenario& scenario, const Facts& facts, const Version& cuda) {
    if (cuda.major() >= 11) return facts.minimum_driver(cuda.major(), scenario.system);
    const CudaRelease* release = facts.cuda(cuda);
    if (!release) return {};
    const std::optional<Version>& driver = scenario.system == System::windows
                                               ? release->driver_of_release_windows
                                               : release->driver_of_release_linux;
    return driver ? Known<Version>{*driver, release->origin} : Known<Version>{};
}

std::optional<bool> too_old(const Scenario& scenario, const Facts& facts, const Driver& driver,
                            const Version& cuda, const Known<Version>& minimum) {
    if (driver.cuda && (driver.cuda.origin.certainty == Certainty::measured || !driver.version))
        return older(*driver.cuda, cuda);
    Known<Version> version = version_of(driver);
    if (!version) return std::nullopt;
    if (minimum && !of_thor(scenario)) {
        if (is_shortened(*version, *minimum))
            return whole_branch_fits(scenario, facts, *version, *minimum) ? std::optional<bool>(false)
                                                                          : std::nullopt;
        return *version < *minimum;
    }
    const DriverBranch* branch = facts.driver_branch(*version);
    if (!branch) return newer_than_the_table(facts, *version, cuda);
    if (!branch->cuda) return std::nullopt;
    return older(*branch->cuda, cuda);
}

std::optional<bool> runtime_starts(const Scenario& scenario, const Facts& facts, const Driver& driver,
                                   const Version& cuda) {
    const auto old = too_old(scenario, facts, driver, cuda, minimum_for(scenario, facts, cuda));
    return old ? std::optional<bool>(!*old) : std::nullopt;
}

std::optional<bool> driver_knows(const Scenario& scenario, const Facts& facts, const Driver& driver,
                                 Arch gpu) {
    const ArchFacts* row = facts.arch(Arch{gpu.number, 0});
    if (dropped_after(facts, driver, gpu) || module_for_others(driver, gpu)) return false;
    if (!row || is_beyond_the_table(facts, driver)) return std::nullopt;
    if (!row->first_ptx) return true;  // older than every listed driver
    return ask_driver(scenario, facts, driver, *row->first_ptx).reads;
}

// Turing is the first with the firmware that the open modules need; from Blackwell there are only these.
std::optional<ModuleForOthers> module_for_others(const Driver& driver, Arch gpu) {
    constexpr int k_turing = 75, k_blackwell = 100;
    if (driver.open_module == true && gpu.number < k_turing)
        return ModuleForOthers{"open", "proprietary", "Turing (sm_75) and newer GPUs"};
    if (driver.open_module == false && gpu.number >= k_blackwell)
        return ModuleForOthers{"proprietary", "open", "GPUs before Blackwell (sm_100)"};
    return std::nullopt;
}

std::optional<int> dropped_after(const Facts& facts, const Driver& driver, Arch gpu) {
    const ArchFacts* row = facts.arch(Arch{gpu.number, 0});
    if (!row || !row->last_driver) return std::nullopt;
    const Known<Version> version = version_of(driver);
    const DriverBranch* branch = version       ? facts.driver_branch(*version)
                                 : driver.cuda ? branch_of_cuda(facts, *driver.cuda)
                                               : nullptr;
    // A number that no row lists is of its own branch, or newer than all.
    const int of = branch ? branch->branch : version ? version->major() : 0;
    return of > *row->last_driver ? row->last_driver : std::nullopt;
}

Known<Version> first_driver_for(const Scenario& scenario, const Facts& facts, Arch gpu) {
    const ArchFacts* row = facts.arch(Arch{gpu.number, 0});
    return row && row->first_ptx ? facts.first_driver_for_ptx(*row->first_ptx, scenario.system)
                                 : Known<Version>{};
}

bool is_beyond_the_table(const Facts& facts, const Driver& driver) {
    const Known<Version> version = version_of(driver);
    const std::vector<int> branches = facts.driver_branches();
    return driver.jit.empty() && version && !branches.empty() && version->major() >= branches.front() &&
           !facts.driver_branch(*version);
}

std::vector<PackageOnDriver> packages_on_drivers(const Scenario& scenario, const Facts& facts) {
    std::vector<PackageOnDriver> found;
    const auto installed = [&](const std::string& name) {
        return first_where(scenario.python.driver_bound, [&](const DriverBoundPackage& one) {
            return !name.empty() && one.package == name;
        });
    };
    for (const KnownBad& row : facts.known_bad()) {
        if (row.component != "driver" || (!row.systems.empty() && !contains(row.systems, scenario.system)))
            continue;
        const auto *package = installed(row.consumer), *with = installed(row.with_component);
        if (!package || installed(row.unless) || (!row.with_component.empty() && !with)) continue;
        const bool concerned = is_within(*package->version, row.consumer_from, row.consumer_below) &&
                               (!with || is_within(*with->version, row.with_from, row.with_below));
        for (const Driver* driver : drivers_concerned(scenario))
            if (const Known<Version> version = version_of(*driver))
                found.push_back(
                    {&row, package, with, driver, !concerned || !is_within(*version, row.from, row.below)});
    }
    return found;
}

bool is_refused(const std::vector<PackageOnDriver>& met, const std::string& package, const Driver& driver) {
    return any_of(met, [&](const PackageOnDriver& one) {
        return !one.works && one.driver == &driver && one.package->package == package;
    });
}

}  // namespace ptxguard
