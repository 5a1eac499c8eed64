// CC107 tool_does_not_run: a program of the toolchain exists but cannot be run, hangs or crashes. A tool that
// runs but rejects its input is reported only if it rejects the smallest file and no other rule explains it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "facts/recipe_tables.hpp"
#include "judge/fixes.hpp"
#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

bool is_needed(PartKind kind) {
    const std::vector<PartKind>& needed = parts_to_compile();
    return is_program(kind) || contains(needed, kind);
}

// CUDACXX="ccache nvcc": CMake and we take the first word as the compiler. Empty = another program.
std::string launcher_of(const std::string& path) {
    const std::string name = path.substr(path.find_last_of('/') + 1);
    for (const char* launcher : {"ccache", "sccache", "distcc", "icecc", "buildcache"})
        if (name == launcher || name == std::string(launcher) + ".exe") return launcher;
    return "";
}

Fix fix_for(const Scenario& scenario, const Toolkit& toolkit, const std::string& path, PartFault fault) {
    if (const std::string launcher = launcher_of(path); !launcher.empty())
        return by_hand(
            SAY("name nvcc only as the compiler, and set CMAKE_CUDA_COMPILER_LAUNCHER to {} (in the "
                "environment too)",
                launcher));
    const System system = scenario.system;
    if (fault == PartFault::not_executable)
        return {FixKind::command, SAY("chmod +x {}", shell_word(path, system))};
    // The link points to a working nvcc: put its folder first on PATH.
    if (fault == PartFault::called_through_link)
        return prepend_list_entry("PATH", toolkit.root + "/bin", system);
    if (toolkit.layout == Layout::debian) return debian_fix();
    return by_hand(
        is_named_by_cmake(scenario)
            ? SAY("reinstall the toolkit at {} for this machine, or set CMAKE_CUDA_COMPILER to another nvcc",
                  toolkit.root)
            : SAY("reinstall the toolkit at {} for this machine, or choose another one", toolkit.root));
}

Fix fix_for_host_compiler(const Scenario& scenario) {
    if (const std::string flags = flags_that_choose_host_compiler(scenario); !flags.empty())
        return by_hand(SAY("install the host compiler, or name an installed one in {}", flags));
    return by_hand(is_named_by_cmake(scenario)
                       ? "install the host compiler, or select an installed one: CMAKE_CUDA_HOST_COMPILER"
                       : "install the host compiler, or select an installed one: nvcc -ccbin");
}

void say_outside_prompt(const Scenario& scenario, const Origin& origin, Findings& findings) {
    const HostCompiler& host = scenario.project.host_compiler;
    const std::vector<std::string>& installed = host.fitting.empty() ? host.unfit : host.fitting;
    Composed finding = add(
        findings, "CC107", needs_developer_prompt(scenario) ? Level::error : Level::note, "cl.exe",
        installed.empty() ? "nvcc cannot compile here: no cl.exe is on PATH, and no Visual Studio was found"
                          : "nvcc cannot compile in this prompt: no cl.exe is on PATH");
    finding.found("host compiler", "no cl.exe on PATH", origin)
        .expected("host compiler", "cl.exe on PATH, or named by -ccbin", {})
        .because("nvcc calls cl.exe for every file, and only the prompts of Visual Studio put it on PATH")
        .fix(msvc_fixes(scenario));
    for (const std::string& one : host.fitting) finding.found("installed", one, {});
    for (const std::string& one : host.unfit)
        finding.found("installed, but not supported by this nvcc", one, {});
}

Composed say(Findings& findings, Level level, const std::string& tool, const std::string& path,
             const std::string& trouble, const Origin& origin) {
    const bool bare = path.find('/') == std::string::npos;  // a bare name that was searched for, not a path
    return add(findings, "CC107", level, path.empty() ? tool : path,
               path.empty() || path == tool ? SAY("{} {}", tool, trouble)
               : bare                       ? SAY("{} {} {}", tool, path, trouble)
                                            : SAY("{} at {} {}", tool, path, trouble))
        .found(tool, trouble, origin)
        .expected(tool, "runs", {});
}

// Without nvcc first, the message would name what nvcc only starts.
std::vector<const Part*> nvcc_first(const Toolkit& toolkit) {
    std::vector<const Part*> parts;
    for (const Part& part : toolkit.parts) parts.push_back(&part);
    std::stable_partition(parts.begin(), parts.end(),
                          [](const Part* part) { return part->kind == PartKind::nvcc; });
    return parts;
}

// "...; ptxas, nvlink and 2 more fail too": what one fix mends is one finding.
void name_others(Finding& finding) {
    constexpr std::size_t k_named = 3;
    std::vector<std::string> others;
    for (std::size_t i = 1; i < finding.found.size(); ++i) others.push_back(finding.found[i].what);
    if (others.empty()) return;
    finding.message += others.size() == 1 ? SAY("; {} fails too", some_of(others, k_named))
                                          : SAY("; {} fail too", some_of(others, k_named));
}

// Another toolkit here, whose parts all answer.
std::vector<Fix> other_toolkit_fix(const Scenario& scenario, const Toolkit& toolkit) {
    for (const Toolkit& other : scenario.toolkits)
        if (other.id != toolkit.id && other.part(PartKind::nvcc) && other.version() && parts_agree(other))
            return {choose_toolkit_fix(scenario, other)};
    return {};
}

// Errors from running each component with --version. Returns the kinds that it reported.
std::set<std::string> judge_parts(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    std::set<std::string> said;
    std::map<std::string, std::size_t> by_fix;  // index of its finding
    const bool builds = toolkit.id == scenario.project.toolkit;
    const Level otherwise = is_named_by_cmake(scenario) ? Level::note : Level::warning;
    for (const Part* part : nvcc_first(toolkit)) {
        if (part->trouble.empty() || !is_needed(part->kind)) continue;
        // It took part in a successful compile, whatever its --version printed.
        if (part->kind != PartKind::nvlink && compiled(scenario, toolkit.id)) continue;
        const std::string tool = to_string(part->kind);
        const Fix fix = fix_for(scenario, toolkit, part->path, part->fault);
        said.insert(tool);
        const Origin origin = Origin::from_file(part->path);
        const auto [known, is_new] = by_fix.emplace(fix.text, findings.size());
        if (!is_new) {
            findings[known->second].found.push_back({tool, part->trouble, origin});
            continue;
        }
        Composed finding =
            say(findings, builds ? Level::error : otherwise, tool, part->path, part->trouble, origin);
        if (!is_program(part->kind)) finding->expected = {{tool, "exists", {}}};
        if (builds && fix.kind == FixKind::manual) finding.fix(other_toolkit_fix(scenario, toolkit));
        finding.of_toolkit(toolkit.root)
            .because(builds ? "no file compiles without it"
                            : SAY("a build that chooses the toolkit at {} fails; this build uses another",
                                  toolkit.root))
            .fix(fix);
    }
    for (const auto& [fix, at] : by_fix) name_others(findings[at]);
    return said;
}

bool part_is_missing(const Toolkit& toolkit, std::optional<PartKind> kind) {
    return kind && !toolkit.part(*kind);
}

std::string trouble_of(const ProbeResult& probe) {
    if (probe.timed_out && probe.first_error.empty()) return "did not end within its time limit";
    if (probe.crashed && probe.first_error.empty())
        return SAY("crashed (signal or exception {})", probe.exit_code);
    const std::string said = probe.first_error.empty() ? "without output" : probe.first_error;
    return probe.timed_out || probe.crashed ? said : SAY("does not run: {}", said);
}

// A component that gave no result in a test compile.
void say_broken(const Scenario& scenario, const Toolkit& toolkit, const ProbeResult& probe,
                const std::string& culprit, Findings& findings) {
    const bool is_host = probe.culprit == Culprit::host_compiler;
    if (is_host && is_outside_developer_prompt(scenario))
        return say_outside_prompt(scenario, probe.origin(), findings);
    const std::optional<PartKind> part = from_word<PartKind>(culprit);
    const std::string path = part      ? toolkit.part(*part)->path
                             : is_host ? scenario.project.host_compiler.path
                                       : probe.tool;
    const Composed finding = say(findings, probe.timed_out ? Level::unknown : Level::error, culprit, path,
                                 trouble_of(probe), probe.origin());
    finding.because(SAY("the test compile ({}) gave no result", to_string(probe.kind)));
    if (probe.timed_out)  // a machine that is busy, or a program that hangs
        finding.required().decide("the same check when the machine is less busy");
    else
        finding.fix(is_host ? fix_for_host_compiler(scenario)
                            : fix_for(scenario, toolkit, path, PartFault::other));
}

void judge_probes(const Scenario& scenario, const Toolkit& toolkit, std::set<std::string>& said,
                  Findings& findings) {
    for (ProbeKind kind :
         {ProbeKind::list_archs, ProbeKind::ptx, ProbeKind::assemble, ProbeKind::object, ProbeKind::link})
        for (const ProbeResult* probe : probes_of(scenario, kind, toolkit.id)) {
            if (probe->outcome != Outcome::broken || probe->basis != Certainty::measured) continue;
            const std::string culprit =
                to_string(probe->culprit == Culprit::unknown ? Culprit::nvcc : probe->culprit);
            // CC105 reports a missing component; an nvcc that could not start a broken component has been
            // reported already.
            if (part_is_missing(toolkit, from_word<PartKind>(culprit)) || said.count(culprit) ||
                said.count("nvcc"))
                continue;
            said.insert(culprit);
            say_broken(scenario, toolkit, *probe, culprit, findings);
        }
}

// Flags for a complete build may only break `nvcc -ptx`.
bool may_be_our_doing(const Scenario& scenario, const ProbeResult& probe) {
    return probe.kind == ProbeKind::ptx && scenario.project.nvcc_flags && compiled(scenario, probe.toolkit);
}

Fix fix_for_refusal(const Scenario& scenario, const Toolkit& toolkit, const ProbeResult& refusal) {
    const Known<std::string>& flags = scenario.project.nvcc_flags;
    if (flags && !flags.origin.variable.empty() && refusal.culprit == Culprit::nvcc)
        return unset_variable(flags.origin.variable, scenario.system);
    return fix_for(scenario, toolkit, refusal.tool, PartFault::other);
}

// The host compiler targets aarch64, and nvcc lacks headers that the toolkit has for its own machine.
bool lacks_cross_headers(const Scenario& scenario, const ProbeResult& probe) {
    const std::string& path = scenario.project.host_compiler.path;
    const std::string name = path.substr(path.find_last_of('/') + 1);
    return name.rfind("aarch64-", 0) == 0 &&
           (probe.culprit == Culprit::runtime_headers || probe.culprit == Culprit::crt_headers);
}

void say_cross_headers(const Scenario& scenario, const Toolkit& toolkit, const Composed& finding) {
    const std::string folder = toolkit.root + "/targets/sbsa-linux";
    const Version* version = toolkit.version();
    std::string package = "cuda-cross-sbsa";
    if (version) package += SAY("-{}-{}", version->major(), version->minor());
    finding
        .because(SAY("the host compiler {} is for aarch64: nvcc takes headers and libraries from {} then "
                     "(Jetson: targets/aarch64-linux)",
                     scenario.project.host_compiler.path, folder))
        .by_hand(SAY("install headers and libraries for aarch64 into {} (NVIDIA's package {}), or set "
                     "another host compiler",
                     folder, package));
}

// The smallest file is refused, and no mixed components, host compiler or target explain it.
void judge_refusal(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    for (ProbeKind kind : {ProbeKind::ptx, ProbeKind::assemble, ProbeKind::object})
        for (const ProbeResult* probe : probes_of(scenario, kind, toolkit.id)) {
            if (probe->outcome != Outcome::refused || probe->basis != Certainty::measured) continue;
            if (has_a_rule_of_its_own(toolkit, *probe) || may_be_our_doing(scenario, *probe)) continue;
            const std::string tool = kind == ProbeKind::assemble ? "ptxas" : "nvcc";
            const Known<std::string>& flags = scenario.project.nvcc_flags;
            const Composed finding =
                say(findings, Level::error, tool, probe->tool,
                    SAY("does not compile a test file: {}", probe->first_error), probe->origin());
            finding->expected = {{tool, "compiles it", {}}};
            if (lacks_cross_headers(scenario, *probe)) return say_cross_headers(scenario, toolkit, finding);
            finding.because("the file holds one small kernel; its parts are of one release")
                .fix(fix_for_refusal(scenario, toolkit, *probe));
            if (flags) finding->because += SAY("; nvcc also got {}", flags.origin.for_people());
            return;
        }
}

// The linker ends for a reason that is not a missing CUDA runtime: libraries of this machine, the linker
// itself, a runtime for another C library. Whether it ends so in the user's build is not known.
void judge_other_link(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    for (const ProbeResult* probe : probes_of(scenario, ProbeKind::link, toolkit.id)) {
        if (probe->outcome != Outcome::refused || probe->failure == Failure::library ||
            probe->shared_runtime != links_shared_runtime(scenario.project))
            continue;
        say(findings, Level::unknown, "nvcc", probe->tool,
            SAY("does not link a test file: {}", probe->first_error), probe->origin())
            .because("the toolkit compiles, and its runtime is not what the linker misses")
            .required()
            .decide(SAY("the same check where this links: {}", probe->command));
        return;
    }
}

// A requested test could not be run, which is not a passed test.
void judge_untried(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    for (const ProbeResult& probe : scenario.probes) {
        if (probe.toolkit != toolkit.id || probe.outcome != Outcome::unknown) continue;
        if (probe.culprit != Culprit::temporary_folder) continue;
        Composed finding = say(findings, Level::unknown, "nvcc", probe.tool,
                               SAY("could not be tried: {}", probe.first_error), probe.origin());
        finding.because("nvcc also writes its intermediate files there")
            .required()
            .decide("TMPDIR set to a folder that can be written and has room");
        finding->found = {{"temporary folder", probe.first_error, probe.origin()}};
        finding->expected = {{"temporary folder", "takes a few MiB", {}}};
        return;
    }
}

// A job of Windows that calls nvcc outside of Visual Studio's prompt.
void say_runner_without_prompt(const Origin& origin, Findings& findings) {
    add(findings, "CC107", Level::warning, "cl.exe",
        "nvcc finds no cl.exe: the runner has Visual Studio, and not on PATH")
        .found("host compiler", "no cl.exe on PATH", origin)
        .expected("host compiler", "cl.exe on PATH, or named by -ccbin", {})
        .because(
            "nvcc calls cl.exe for every file; an action such as ilammy/msvc-dev-cmd, or vcvars64.bat in the "
            "same step, puts it on PATH")
        .by_hand("add the step 'uses: ilammy/msvc-dev-cmd@v1' before this one");
}

// cmake -G "Visual Studio 17 2022" on a runner that has Visual Studio 2026 only.
void say_runner_without_studio(const HostCompiler& host, const Facts& facts, Findings& findings) {
    const std::string here = host.unfit.front();
    const SystemCompiler* other = first_where(
        recipe_tables(facts).system_compilers,
        [&](const SystemCompiler& one) { return !one.studio.empty() && ends_with(host.path, one.studio); });
    add(findings, "CC107", Level::warning, host.path, SAY("the runner has no {}, only {}", host.path, here))
        .found("host compiler", host.path, host.chosen_by)
        .expected("host compiler", here, {})
        .because(
            "CMake ends with 'could not find any instance of Visual Studio', and its scripts are not there")
        .by_hand(other ? SAY("runs-on: {}", other->system) : SAY("name {}", here));
}

void say_of_runner(const HostCompiler& host, const Facts& facts, Findings& findings) {
    if (host.unfit.empty()) return say_runner_without_prompt(host.chosen_by, findings);
    say_runner_without_studio(host, facts, findings);
}

// Without a test compile, the missing host compiler is only a prediction.
void judge_host_compiler(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit,
                         Findings& findings) {
    const HostCompiler& host = scenario.project.host_compiler;
    if (host.trouble.empty() || !toolkit.part(PartKind::nvcc) || compiled(scenario, toolkit.id)) return;
    const bool of_runner = scenario.source == SourceKind::recipe && scenario.system == System::windows;
    if (of_runner) return say_of_runner(host, facts, findings);
    // An unpacked image is often incomplete; only a compiler that was named must be in it. Whether a prompt
    // of Windows has cl.exe follows from PATH.
    const bool outside = is_outside_developer_prompt(scenario) && scenario.search_path_known;
    if (scenario.foreign && !outside && host.chosen_by.variable == "PATH") return;
    for (const Finding& finding : findings)
        if (finding.found.front().what == "host compiler") return;
    // Also behind an error that nvcc reports before it starts cl.exe: an architecture that it does not know.
    if (outside) return say_outside_prompt(scenario, host.chosen_by, findings);
    if (failed_compile(scenario, toolkit.id)) return;  // the compile reported its own error
    say(findings, Level::warning, "host compiler", host.path, host.trouble, host.chosen_by)
        .because("predicted: nvcc calls a host compiler for every file")
        .fix(fix_for_host_compiler(scenario));
}

}  // namespace

PTXGUARD_RULE(CC107) {
    for (const Toolkit& toolkit : scenario.toolkits) {
        const AllAbout about(findings, {id_of(scenario, toolkit)});
        std::set<std::string> said = judge_parts(scenario, toolkit, findings);
        judge_probes(scenario, toolkit, said, findings);
        if (said.empty() && toolkit.id == scenario.project.toolkit) {
            judge_refusal(scenario, toolkit, findings);
            judge_untried(scenario, toolkit, findings);
            judge_other_link(scenario, toolkit, findings);
        }
    }
    if (const Toolkit* toolkit = scenario.build_toolkit()) {
        const AllAbout about(findings, {id_of(scenario, *toolkit)});
        judge_host_compiler(scenario, facts, *toolkit, findings);
    }
    for (const ProbeResult& probe : scenario.probes) {
        if (probe.kind != ProbeKind::driver_jit || probe.outcome != Outcome::broken) continue;
        say(findings, Level::warning, "driver's PTX compiler", probe.tool, trouble_of(probe), probe.origin())
            .because("whether this driver accepts the build's PTX could not be measured")
            .by_hand(
                "reinstall the driver's libraries, or pass --driver VERSION to predict it from the tables");
    }
}

}  // namespace ptxguard
