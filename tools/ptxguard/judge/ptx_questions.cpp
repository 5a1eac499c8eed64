// First from probes, then from tables. What neither covers is unknown.
// SPDX-License-Identifier: Apache-2.0
#include "judge/ptx_questions.hpp"

#include "facts/tool_search.hpp"

namespace ptxguard {
namespace {

const Part* first_versioned(const Toolkit& toolkit, std::initializer_list<PartKind> kinds) {
    for (PartKind kind : kinds) {
        const Part* part = toolkit.part(kind);
        if (part && part->version) return part;
    }
    return nullptr;
}

// The table row of a CUDA release, as an answer about `part`.
Known<PtxVersion> by_table(const Facts& facts, const Part* part) {
    if (!part) return {};
    const CudaRelease* release = facts.cuda(*part->version);
    if (!release || !release->ptx_max) return {};
    Origin origin = release->origin;
    origin.certainty = Certainty::predicted;
    const std::string name = with_release(to_string(part->kind), part->version);
    origin.text =
        origin.text.empty() ? SAY("predicted for {}", name) : SAY("predicted for {}, {}", name, origin.text);
    return {*release->ptx_max, origin};
}

Known<PtxVersion> limit_of(const DriverBranch& branch, const std::string& name) {
    if (!branch.ptx_max) return {};
    Origin origin = branch.origin;
    origin.certainty = Certainty::predicted;
    origin.text =
        origin.text.empty() ? SAY("predicted for {}", name) : SAY("predicted for {}, {}", name, origin.text);
    return {*branch.ptx_max, origin};
}

// The JIT compiler's refusal of a PTX version, with its message.
DriverAnswer refusal(const ProbeResult& probe) {
    DriverAnswer answer;
    answer.reads = false;
    answer.words = probe.first_error.empty() ? probe.words : probe.first_error;
    answer.newest.value = probe.accepts_up_to;
    answer.newest.origin = probe.origin();
    answer.newest.origin.text = answer.words.empty() ? SAY("measured with {}", probe.tool)
                                                     : SAY("measured with {}: {}", probe.tool, answer.words);
    return answer;
}

// What one measurement shows about `ptx`; nothing if it was for another version.
std::optional<bool> reads(const ProbeResult& probe, PtxVersion ptx) {
    if (probe.outcome == Outcome::accepted && probe.ptx && *probe.ptx >= ptx) return true;
    if (probe.accepts_up_to) return *probe.accepts_up_to >= ptx;
    const bool refused = probe.outcome == Outcome::refused && probe.failure == Failure::ptx_version;
    if (refused && probe.ptx && *probe.ptx <= ptx) return false;
    return std::nullopt;
}

// Measured: one JIT library that accepts it is enough (a compat folder besides the driver's own files). Of
// several refusals, keep one with a message.
std::optional<DriverAnswer> by_jit(const Scenario& scenario, const Driver& driver, PtxVersion ptx) {
    std::optional<DriverAnswer> answer;
    bool explained = false;
    for (const ProbeResult& probe : scenario.probes) {
        if (probe.kind != ProbeKind::driver_jit || probe.driver != driver.id ||
            probe.basis != Certainty::measured)
            continue;
        std::optional<bool> said = reads(probe, ptx);
        if (!said) continue;
        if (*said) {
            DriverAnswer good;
            good.reads = true;
            return good;
        }
        const bool explains = probe.failure == Failure::ptx_version;
        if (!answer || (explains && !explained)) answer = refusal(probe);
        explained = explained || explains;
    }
    return answer;
}

DriverAnswer compare_with(Known<PtxVersion> limit, PtxVersion ptx) {
    DriverAnswer answer;
    answer.reads = ptx <= *limit;
    answer.newest = std::move(limit);
    return answer;
}

// A driver newer than all listed ones accepts at least what the newest listed one accepts.
DriverAnswer newer_than_the_table(const Facts& facts, const Driver& driver, const Version& version,
                                  PtxVersion ptx) {
    DriverAnswer answer;
    answer.why_unknown = SAY("{} is newer than the table of drivers", name_of(driver));
    std::vector<int> branches = facts.driver_branches();
    if (branches.empty() || version.major() < branches.back()) {
        answer.why_unknown = SAY("the table of drivers has no row for {}", name_of(driver));
        return answer;
    }
    Version newest;
    newest.numbers = {branches.back()};
    const DriverBranch* branch = facts.driver_branch(newest);
    if (branch && branch->ptx_max && ptx <= *branch->ptx_max) answer.reads = true;
    return answer;
}

bool fits_some_cubin(const std::vector<Target>& targets, Arch gpu) {
    return any_of(targets,
                  [&](const Target& target) { return target.real && cubin_runs_on(target.arch, gpu); });
}

}  // namespace

const Toolkit* toolkit_at_hand(const Scenario& scenario) {
    if (const Toolkit* toolkit = scenario.build_toolkit()) return toolkit;
    bool only_one = scenario.project.toolkit.empty() && scenario.toolkits.size() == 1;
    return only_one ? &scenario.toolkits.front() : nullptr;
}

const Toolkit* toolkit_of_build(const Scenario& scenario) {
    return scenario.project.wanted ? toolkit_at_hand(scenario) : nullptr;
}

const Toolkit* toolkit_that_compiles(const Scenario& scenario) {
    const Toolkit* toolkit = toolkit_at_hand(scenario);
    if (!toolkit || toolkit->id == scenario.project.toolkit) return toolkit;
    // Wheels are installed for the framework that requires them: nothing is compiled with them.
    if (toolkit->layout == Layout::wheel && !toolkit->part(PartKind::nvcc)) return nullptr;
    for (PartKind kind : {PartKind::nvcc, PartKind::runtime_headers, PartKind::cudart})
        if (toolkit->part(kind)) return toolkit;
    return nullptr;
}

Known<Version> release_of(const Toolkit& toolkit) {
    const Part* part = first_versioned(toolkit, {PartKind::nvcc, PartKind::ptxas, PartKind::runtime_headers});
    return part ? part->version : Known<Version>{};
}

std::string name_of(const Toolkit& toolkit) {
    const Part* part = first_versioned(toolkit, {PartKind::nvcc, PartKind::ptxas, PartKind::runtime_headers});
    return part ? with_release(to_string(part->kind), part->version) : SAY("the toolkit at {}", toolkit.root);
}

namespace {

// Of the test compiles that wrote PTX: a measured one before predicted ones, then the newest.
const ProbeResult* newest_ptx(const Scenario& scenario, const Toolkit& toolkit) {
    const ProbeResult* best = nullptr;
    for (const ProbeResult* probe : probes_of(scenario, ProbeKind::ptx, toolkit.id)) {
        if (probe->outcome != Outcome::accepted || !probe->ptx) continue;
        const bool better = !best ||
                            (probe->basis == Certainty::measured && best->basis != Certainty::measured) ||
                            (probe->basis == best->basis && *probe->ptx > *best->ptx);
        if (better) best = probe;
    }
    return best;
}

}  // namespace

Known<PtxVersion> ptx_made(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit) {
    const ProbeResult* best = newest_ptx(scenario, toolkit);
    if (best) {
        Origin origin = best->origin();
        origin.text = SAY("{}: .version that {} wrote", to_string(best->basis), name_of(toolkit));
        if (best->basis == Certainty::measured) return {*best->ptx, origin};
    }
    if (!toolkit.part(PartKind::nvcc)) return {};
    // An nvcc may run the cicc of another release: one that is there and cannot be read decides nothing.
    const Part* cicc = toolkit.part(PartKind::cicc);
    const Known<PtxVersion> predicted =
        cicc && !cicc->version ? Known<PtxVersion>{}
                               : by_table(facts, first_versioned(toolkit, {PartKind::cicc, PartKind::nvcc}));
    if (!predicted && best) return {*best->ptx, best->origin()};
    return predicted;
}

Known<PtxVersion> ptx_needed_by(const Facts& facts, Arch target) {
    const ArchFacts* row = facts.arch({target.number, 0});
    return row && row->first_ptx ? Known<PtxVersion>(*row->first_ptx, row->origin) : Known<PtxVersion>{};
}

Known<PtxVersion> ptx_read_by_ptxas(const Facts& facts, const Toolkit& toolkit) {
    return by_table(facts, first_versioned(toolkit, {PartKind::ptxas}));
}

// A stub does not describe a driver, but a JIT library next to it does.
bool has_level(const Driver& driver) {
    if (!driver.jit.empty()) return true;
    return !driver.stub && (driver.version || driver.cuda);
}

std::vector<const Driver*> drivers_concerned(const Scenario& scenario) {
    std::vector<const Driver*> declared, found;
    for (const Driver& driver : scenario.drivers)
        if (has_level(driver)) (driver.declared ? declared : found).push_back(&driver);
    return declared.empty() ? found : declared;
}

Known<Version> version_of(const Driver& driver) {
    if (driver.version) return driver.version;
    for (const JitLibrary& library : driver.jit)
        if (library.driver_version) return library.driver_version;
    return {};
}

const DriverBranch* branch_of_cuda(const Facts& facts, const Version& cuda) {
    const DriverBranch* found = nullptr;
    for (int number : facts.driver_branches()) {
        Version version;
        version.numbers = {number};
        const DriverBranch* branch = facts.driver_branch(version);
        if (branch && branch->cuda && same_release(*branch->cuda, cuda)) found = branch;
    }
    return found;
}

std::string name_of(const Driver& driver) {
    if (Known<Version> version = version_of(driver)) return SAY("driver {}", version->text);
    if (driver.cuda) return SAY("driver for CUDA {}", driver.cuda->text);
    if (!driver.jit.empty()) return SAY("driver of {}", driver.jit.front().path);
    return SAY("driver {}", driver.id);
}

std::vector<const Gpu*> gpus_concerned(const Scenario& scenario, const Driver& driver) {
    std::vector<const Gpu*> declared, found;
    for (const Gpu& gpu : scenario.gpus)
        if (gpu.arch) (gpu.declared ? declared : found).push_back(&gpu);
    if (!declared.empty() || driver.declared) return declared;
    return found;
}

std::string name_of(const Gpu& gpu) {
    if (!gpu.arch || gpu.name == gpu.arch->sm()) return gpu.name;
    return gpu.name.empty() ? gpu.arch->sm() : SAY("{} ({})", gpu.name, gpu.arch->sm());
}

Evidence evidence_of(const Gpu& gpu) { return {"GPU", name_of(gpu), gpu.origin}; }

Evidence needed_code(Arch gpu, const Origin& named) {
    return {"device code", SAY("a cubin or PTX for {}", gpu.sm()), named};
}

DriverAnswer ask_driver(const Scenario& scenario, const Facts& facts, const Driver& driver, PtxVersion ptx) {
    if (auto measured = by_jit(scenario, driver, ptx)) return *measured;
    Known<Version> version = version_of(driver);
    if (version) {
        const DriverBranch* branch = facts.driver_branch(*version);
        if (branch)
            if (Known<PtxVersion> limit = limit_of(*branch, name_of(driver))) return compare_with(limit, ptx);
    }
    if (driver.cuda) {
        const DriverBranch* branch = branch_of_cuda(facts, *driver.cuda);
        if (branch)
            if (Known<PtxVersion> limit = limit_of(*branch, SAY("CUDA {}", driver.cuda->text)))
                return compare_with(limit, ptx);
    }
    if (version) return newer_than_the_table(facts, driver, *version, ptx);
    DriverAnswer answer;
    answer.why_unknown = SAY("{} has no known version", name_of(driver));
    return answer;
}

// CC218 reports the whole library of WSL as another driver's.
bool lacks_ptx_compiler(const Driver& driver) {
    return contains(driver.lacks, "libnvidia-ptxjitcompiler.so.1") && !driver.stub &&
           driver.wsl_libcuda.empty();
}

const Driver* driver_without_ptx_compiler(const Scenario& scenario) {
    const Driver* without = nullptr;
    for (const Driver* driver : drivers_concerned(scenario))
        if (lacks_ptx_compiler(*driver)) without = driver;
    return without;
}

const Driver* driver_that_refuses(const Scenario& scenario, const Facts& facts, PtxVersion ptx) {
    const Driver* refusing = nullptr;
    for (const Driver* driver : drivers_concerned(scenario)) {
        const auto reads = ask_driver(scenario, facts, *driver, ptx).reads;
        if (reads && !*reads) refusing = driver;
    }
    return refusing;
}

namespace {

// The PTX that compilers of that release write.
std::optional<PtxVersion> newest_ptx_of(const Facts& facts, const Known<Version>& version) {
    const CudaRelease* release = version ? facts.cuda(*version) : nullptr;
    return release ? release->ptx_max : std::nullopt;
}

}  // namespace

std::optional<PtxVersion> ptx_of(const Expectation& framework, const Facts& facts) {
    return newest_ptx_of(facts, framework.cuda);
}

std::vector<RunTimePtx> run_time_ptx(const Scenario& scenario, const Facts& facts) {
    std::vector<RunTimePtx> made;
    for (const Pick& pick : scenario.picks) {
        if (!pick.search || pick.tool != k_libnvvm) continue;
        if (const auto ptx = newest_ptx_of(facts, pick.version))
            made.push_back({pick.consumer, pick.search->package, pick.tool, pick.path, pick.because,
                            pick.search->setting, pick.version, *ptx, pick.search->links,
                            id_of(scenario, pick)});
    }
    for (const NativeModule& module : scenario.modules)
        for (const LoadedFile& compiler : module.compilers) {
            const auto ptx = newest_ptx_of(facts, compiler.version);
            if (!ptx || !compiler.taken) continue;
            const std::string name = module.package.empty() ? module.path : module.package;
            const bool again = any_of(made, [&](const RunTimePtx& one) {
                return one.consumer == name && one.path == *compiler.taken;
            });
            if (!again)
                made.push_back({name, module.package, "NVRTC", *compiler.taken, compiler.rule.text, "",
                                compiler.version, *ptx, false, id_of(scenario, module)});
        }
    return made;
}

std::vector<Target> targets_with_ptx_only(const std::vector<Target>& targets) {
    std::vector<Target> only;
    for (const Target& target : targets)
        if (target.ptx && !fits_some_cubin(targets, target.arch)) only.push_back(target);
    return only;
}

bool depends_on_ptx(const std::vector<Target>& targets, Arch gpu) {
    if (fits_some_cubin(targets, gpu)) return false;
    return any_of(targets,
                  [&](const Target& target) { return target.ptx && ptx_compiles_for(target.arch, gpu); });
}

// PTX of a suffixed target is not compiled for anything newer: `a` only for that GPU, `f` for its family,
// which cubins of the family or of the plain target cover as well.
bool serves_more_than_cubins(const std::vector<Target>& targets, Arch ptx) {
    if (ptx.suffix == 0) return true;
    return none_of(targets, [&](const Target& target) {
        bool covers = ptx.suffix == 'a' || target.arch.suffix != 'a';
        return target.real && covers && cubin_runs_on(target.arch, ptx);
    });
}

bool any_ptx(const std::vector<Target>& targets) {
    return any_of(targets, [&](const Target& target) {
        return target.ptx && serves_more_than_cubins(targets, target.arch);
    });
}

}  // namespace ptxguard
