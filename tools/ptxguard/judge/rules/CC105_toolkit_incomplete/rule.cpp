// CC105 toolkit_incomplete: a component that every compile needs is missing. An error for the build's
// toolkit. A folder without nvcc that nothing compiles with (run-time libraries, the ptxas of a CUDA 12
// wheel) is not a toolkit.
// SPDX-License-Identifier: Apache-2.0

#include "judge/rule.hpp"
#include "judge/fixes.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

std::string names_of(const std::vector<PartKind>& kinds) {
    std::vector<std::string> names;
    for (PartKind kind : kinds) names.push_back(to_string(kind));
    return list(names);
}

// CUDA 13 and newer; the wheels of CUDA 11 and 12 contain ptxas, libNVVM and headers, but no compiler.
Fix wheel_fix(const Version& version, const std::vector<PartKind>& missing) {
    if (version.major() < 13)
        return by_hand(
            SAY("PyPI has no nvcc for CUDA {}: take the toolkit from NVIDIA's installer or from conda-forge "
                "(cuda-nvcc)",
                version.release()));
    // pip restores lost files only with --force-reinstall; each package is named, so that no others are
    // changed.
    std::string line = "pip install --force-reinstall --no-deps";
    const std::string same = SAY("=={}\"", version.text), release = SAY("=={}.*\"", version.release());
    if (contains(missing, PartKind::ptxas) || contains(missing, PartKind::cudafe) ||
        contains(missing, PartKind::nvcc) || contains(missing, PartKind::fatbinary))
        line += SAY(" \"nvidia-cuda-nvcc{}", same);
    if (contains(missing, PartKind::cicc) || contains(missing, PartKind::libdevice))
        line += SAY(" \"nvidia-nvvm{}", same);
    if (contains(missing, PartKind::crt_headers)) line += SAY(" \"nvidia-cuda-crt{}", same);
    if (contains(missing, PartKind::runtime_headers)) line += SAY(" \"nvidia-cuda-runtime{}", release);
    return {FixKind::command, line};
}

Fix fix_for(const Toolkit& toolkit, const std::vector<PartKind>& missing, System system) {
    const Version* version = toolkit.version();
    if (toolkit.layout == Layout::debian) return debian_fix();
    if (!version) return by_hand(SAY("install the whole toolkit at {}", toolkit.root));
    if (toolkit.layout == Layout::wheel) return wheel_fix(*version, missing);
    if (toolkit.layout == Layout::conda) return conda_fix(*version);
    if (system == System::windows)
        return by_hand(
            SAY("run the installer of CUDA {} again and select all of Development > Compiler and Development "
                "> Libraries",
                version->release()));
    std::string dashed = SAY("{}-{}", version->major(), version->minor());
    return by_hand(
        SAY("install the rest of CUDA {} (NVIDIA's packages cuda-compiler-{} and cuda-cudart-dev-{})",
            version->release(), dashed, dashed));
}

// A variable selects the run-time libraries that installed frameworks load (an image without compilers), and
// nothing indicates that anything is compiled.
bool serves_running(const Scenario& scenario, const Toolkit& toolkit) {
    for (PartKind kind : {PartKind::nvcc, PartKind::cicc, PartKind::ptxas, PartKind::cudafe})
        if (toolkit.part(kind)) return false;
    if (scenario.requires_("toolkit") || scenario.project.archs_text) return false;
    const bool by_variable = any_of(scenario.selectors, [](const Selector& selector) {
        return selector.decides && (selector.name == "CUDA_HOME" || selector.name == "CUDA_PATH");
    });
    const bool any_framework =
        any_of(scenario.expectations, [](const Expectation& framework) { return !framework.path.empty(); });
    // Numba takes libNVVM and libdevice from there.
    const bool any_package =
        any_of(scenario.picks, [&](const Pick& pick) { return pick.search && pick.toolkit == toolkit.id; });
    return by_variable && (any_framework || any_package);
}

void say_runtime_only(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    Origin where;
    where.text = SAY("named by {}", scenario.project.toolkit_because);
    add(findings, "CC105", Level::note, toolkit.root, SAY("{} holds no compiler", name_and_root(toolkit)))
        .found("nvcc, cicc and ptxas", "missing", where)
        .because("runtime libraries are enough for what is installed; a build that uses this toolkit fails")
        .fix(fix_for(toolkit, missing_parts(toolkit), scenario.system));
}

// A script in an unpacked image: only the machine that runs it shows which toolkit it calls.
void say_open(const Toolkit& toolkit, const Part& nvcc, bool builds, Findings& findings) {
    if (!builds) return;
    add(findings, "CC105", Level::unknown, toolkit.root,
        SAY("which toolkit {} calls is not known here", nvcc.path))
        .found(evidence_of(nvcc))
        .because("the file contains no version, and nothing in an unpacked tree is run")
        .decide("the toolkit that it calls: --toolkit DIR");
}

// A form of the CUDA runtime that nvcc links.
struct Runtime {
    const char* name;
    const char* files;  // that the linker wants
    bool shared;
};
constexpr Runtime k_runtimes[] = {{"static runtime", "libcudart_static.a and libcudadevrt.a", false},
                                  {"shared runtime", "libcudart.so and libcudadevrt.a", true}};

const ProbeResult* missed_by_linker(const Scenario& scenario, const Toolkit& toolkit,
                                    const Runtime& runtime) {
    for (const ProbeResult* probe : probes_of(scenario, ProbeKind::link, toolkit.id))
        if (probe->shared_runtime == runtime.shared && probe->failure == Failure::library) return probe;
    return nullptr;
}

// PyPI's libraries are in lib, where nvcc before 13.2 does not search, and have no name without a number.
std::vector<Fix> wheel_link_fixes(const Scenario& scenario, const Toolkit& toolkit, bool static_fails,
                                  bool shared_fails) {
    const Part* cudart = toolkit.part(PartKind::cudart);
    if (!cudart || scenario.system == System::windows)
        return {wheel_fix(*toolkit.version(), {PartKind::runtime_headers})};
    const std::string folder = folder_of(cudart->path), file = file_of(cudart->path);
    std::vector<std::string> links;
    const auto link = [&](const std::string& target, const std::string& name) {
        links.push_back(
            SAY("ln -s {} {}", shell_word(target, scenario.system), shell_word(name, scenario.system)));
    };
    if (static_fails && folder == toolkit.root + "/lib") link("lib", toolkit.root + "/lib64");
    if (shared_fails && file != "libcudart.so") link(file, folder + "/libcudart.so");
    if (links.empty()) return {wheel_fix(*toolkit.version(), {PartKind::runtime_headers})};
    return {{FixKind::command, links.size() == 1 ? links[0] : SAY("{} && {}", links[0], links[1])}};
}

std::vector<Fix> link_fixes(const Scenario& scenario, const Toolkit& toolkit, bool static_fails,
                            bool shared_fails) {
    const Version* version = toolkit.version();
    if (toolkit.layout == Layout::wheel && version)
        return wheel_link_fixes(scenario, toolkit, static_fails, shared_fails);
    // conda-forge has no such packages before CUDA 12.
    if (toolkit.layout == Layout::conda && version && version->major() < 12) return {conda_fix(*version)};
    if (toolkit.layout == Layout::conda && version)
        return {{FixKind::command,
                 SAY("conda install -c conda-forge \"cuda-version={}\" cuda-cudart-dev cuda-cudart-static",
                     version->release())}};
    return {fix_for(toolkit, {PartKind::cudart}, scenario.system)};
}

// Everything compiles, and the linker does not find the CUDA runtime: the build ends at its last step.
void judge_links(const Scenario& scenario, const Toolkit& toolkit, Findings& findings) {
    const ProbeResult* missed[] = {missed_by_linker(scenario, toolkit, k_runtimes[0]),
                                   missed_by_linker(scenario, toolkit, k_runtimes[1])};
    if (!missed[0] && !missed[1]) return;
    const bool wants_shared = links_shared_runtime(scenario.project),
               breaks = missed[wants_shared] != nullptr;
    const bool both = missed[0] && missed[1];
    const Runtime& one = k_runtimes[missed[0] ? 0 : 1];
    Composed finding =
        add(findings, "CC105", breaks ? Level::error : Level::note, toolkit.root,
            both ? SAY("{} links no program: its linker finds no CUDA runtime", name_and_root(toolkit))
                 : SAY("{} links no program with the {}", name_and_root(toolkit), one.name));
    for (const Runtime& runtime : k_runtimes) {
        const ProbeResult* probe = missed[runtime.shared];
        if (!probe) continue;
        finding.found(runtime.name, probe->first_error, probe->origin())
            .expected(runtime.name, SAY("{} in folders that its linker searches", runtime.files), {});
    }
    finding.because(
        breaks && wants_shared ? "this build links the shared runtime into every program and library"
        : breaks ? "nvcc and CMake link the static runtime into every program and library by default"
        : wants_shared
            ? "this build links the shared runtime, which is found"
            : "only builds with -cudart shared, and PyTorch's extension builder, link libcudart.so");
    finding.fix(link_fixes(scenario, toolkit, missed[0] != nullptr, missed[1] != nullptr));
}

// sub-packages: '["nvcc", "cudart"]' on Windows: since CUDA 13 the headers that nvcc includes first are a
// component of their own.
void judge_components(const RecipeFacts& recipe, Findings& findings) {
    if (recipe.compiles.empty() && !recipe.builds_others) return;
    for (const ToolkitRequest& request : recipe.toolkit_requests) {
        const auto& all = request.components;
        const auto has = [&](const char* name) { return contains(all, name); };
        const auto release = parse_version(request.wanted);
        if (!has("nvcc") || has("crt") || !release || release->major() < 13) continue;
        add(findings, "CC105", Level::error, SAY("CUDA {}", request.wanted),
            SAY("the components of CUDA {} lack crt, whose headers nvcc needs", request.wanted))
            .found("components", list(all), request.origin)
            .expected("components", SAY("{} with crt, nvvm and nvptxcompiler", all), {})
            .because(
                "since CUDA 13, nvcc's component of the installer for Windows has neither crt/host_config.h "
                "nor NVVM")
            .by_hand("add \"crt\", \"nvvm\" and \"nvptxcompiler\" to the components");
        return;
    }
}

std::string effect_of(const ProbeResult* failure, bool builds) {
    if (failure && !names_its_cause(*failure)) return SAY("the test compile fails: {}", failure->first_error);
    return builds
               ? "this build compiles with this toolkit, and nvcc calls or reads each of these for every file"
               : "a build that uses this toolkit fails; this build uses another";
}

void say_missing(const Scenario& scenario, const Toolkit& toolkit, const std::vector<PartKind>& missing,
                 Findings& findings) {
    const bool builds = toolkit.id == scenario.project.toolkit;
    Composed finding = add(findings, "CC105", builds ? Level::error : Level::warning, toolkit.root,
                           SAY("{} lacks {}", name_and_root(toolkit), names_of(missing)));
    if (const Part* nvcc = toolkit.part(PartKind::nvcc)) finding.found(evidence_of(*nvcc));
    Origin where;
    where.text = SAY("not where nvcc looks for it, root {}", toolkit.root);
    for (PartKind kind : missing)
        finding.found(to_string(kind), "missing", where)
            .expected(to_string(kind), toolkit.version() ? toolkit.version()->release() : "present", {});
    finding.because(effect_of(failed_compile(scenario, toolkit.id), builds))
        .fix(fix_for(toolkit, missing, scenario.system));
}

}  // namespace

PTXGUARD_RULE(CC105) {
    // Of others only the release of the toolkit is known.
    if (scenario.source == SourceKind::recipe) return judge_components(scenario.recipe, findings);
    for (const Toolkit& toolkit : scenario.toolkits) {
        const AllAbout about(findings, {id_of(scenario, toolkit)});
        const Part* nvcc = toolkit.part(PartKind::nvcc);
        const bool builds = toolkit.id == scenario.project.toolkit;
        if ((!nvcc && !builds) || (nvcc && !nvcc->trouble.empty()))
            continue;  // CC107 reports an nvcc that does not run
        if (compiled(scenario, toolkit.id)) {
            judge_links(scenario, toolkit, findings);
            continue;
        }
        const std::vector<PartKind> missing = missing_parts(toolkit);
        if (missing.empty()) continue;
        if (builds && serves_running(scenario, toolkit))
            say_runtime_only(scenario, toolkit, findings);
        else if (scenario.foreign && nvcc && !nvcc->version)
            say_open(toolkit, *nvcc, builds, findings);
        else
            say_missing(scenario, toolkit, missing, findings);
    }
}

}  // namespace ptxguard
