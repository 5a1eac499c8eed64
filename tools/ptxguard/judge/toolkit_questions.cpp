// SPDX-License-Identifier: Apache-2.0
#include "judge/toolkit_questions.hpp"

#include "facts/runfiles.hpp"
#include "judge/fixes.hpp"
#include "judge/rule.hpp"
#include "model/file_names.hpp"

namespace ptxguard {

const std::vector<PartKind>& parts_to_compile() {
    static const std::vector<PartKind> k_parts = {
        PartKind::nvcc,      PartKind::cicc,        PartKind::ptxas,           PartKind::cudafe,
        PartKind::fatbinary, PartKind::crt_headers, PartKind::runtime_headers, PartKind::libdevice};
    return k_parts;
}

const ProbeResult* failed_compile(const Scenario& scenario, const std::string& toolkit) {
    for (ProbeKind kind : {ProbeKind::ptx, ProbeKind::assemble, ProbeKind::object})
        if (const ProbeResult* probe = find_probe(scenario, kind, toolkit); failed(probe)) return probe;
    return nullptr;
}

bool compiled(const Scenario& scenario, const std::string& toolkit) {
    const ProbeResult* probe = find_probe(scenario, ProbeKind::object, toolkit);
    return probe && probe->outcome == Outcome::accepted && probe->basis == Certainty::measured;
}

std::vector<PartKind> missing_parts(const Toolkit& toolkit) {
    std::vector<PartKind> missing;
    for (PartKind kind : parts_to_compile())
        if (!toolkit.part(kind)) missing.push_back(kind);
    return missing;
}

namespace {

// Components that exchange intermediate files and generated code with nvcc must be from one release. The
// runtime's headers and library may be from another minor release (measured: nvcc 13.0 with runtime 13.5
// compiles and links).
bool goes_with_nvcc(PartKind kind) {
    return (is_program(kind) && kind != PartKind::nvcc) || kind == PartKind::crt_headers;
}
bool is_runtime(PartKind kind) { return kind == PartKind::runtime_headers || kind == PartKind::cudart; }

}  // namespace

std::vector<const Part*> parts_that_differ(const Toolkit& toolkit, const Version& nvcc,
                                           bool with_runtime_minor) {
    std::vector<const Part*> parts;
    for (const Part& part : toolkit.parts) {
        if (!part.version || same_release(*part.version, nvcc)) continue;
        const bool other_major = part.version->major() != nvcc.major();
        if (goes_with_nvcc(part.kind) || (is_runtime(part.kind) && (other_major || with_runtime_minor)))
            parts.push_back(&part);
    }
    return parts;
}

std::vector<HeadersAndLibrary> headers_and_libraries(const Toolkit& toolkit) {
    struct Row {
        const char *name, *file, *required;  // `file`: the linker accepts no other name
        PartKind headers, library;
    };
    static constexpr Row k_rows[] = {
        {"cuDNN", "libcudnn.so", "cudnn", PartKind::cudnn_headers, PartKind::cudnn},
        {"NCCL", "libnccl.so", "nccl", PartKind::nccl_headers, PartKind::nccl},
    };
    std::vector<HeadersAndLibrary> all;
    for (const Row& row : k_rows) {
        const Part *headers = toolkit.part(row.headers), *library = toolkit.part(row.library);
        if (!headers || !library || !headers->version || !library->version) continue;
        if (file_of(library->path) != row.file) continue;
        const Version &declared = *headers->version, &linked = *library->version;
        const bool fit = declared.major() == linked.major() && declared.minor() <= linked.minor();
        all.push_back({row.name, row.required, headers, library, fit});
    }
    return all;
}

namespace {

// cl.exe 19.44 defines _MSC_VER 1944.
int msc_ver(const Version& version) { return version.major() * 100 + version.minor(); }

// Nothing: the limits do not concern this compiler, or its version is not known.
std::optional<bool> is_within(const HostCompilerLimits& limits, const HostCompiler& compiler) {
    if (!compiler.version) return std::nullopt;
    const Version& version = *compiler.version;
    if (compiler.family == "gcc" && limits.gcc_max) return version.major() <= *limits.gcc_max;
    if (compiler.family == "clang" && limits.clang_max) return version.major() <= *limits.clang_max;
    if (compiler.family == "msvc" && (limits.msvc_ver_min || limits.msvc_ver_below))
        return msc_ver(version) >= limits.msvc_ver_min.value_or(0) &&
               (!limits.msvc_ver_below || msc_ver(version) < *limits.msvc_ver_below);
    return std::nullopt;
}

bool fails_unchecked(const HostCompilerLimits& limits, const HostCompiler& compiler) {
    return compiler.family == "msvc" && limits.unchecked_msvc_ver_below &&
           msc_ver(*compiler.version) >= *limits.unchecked_msvc_ver_below;
}

void predict_host_compiler(const Project& project, HostCompilerAnswer& answer) {
    const HostCompiler& host = project.host_compiler;
    const std::optional<bool> within = is_within(*answer.limits, host);
    if (!within) return;
    const Known<std::string>& flags = project.nvcc_flags;
    const bool is_unchecked = flags && flags->find("-allow-unsupported-compiler") != std::string::npos;
    answer.fails_unchecked = !*within && fails_unchecked(*answer.limits, host);
    answer.is_unchecked = !*within && is_unchecked;
    const bool goes_on = answer.is_unchecked && !answer.fails_unchecked;
    answer.outcome = *within || goes_on ? Outcome::accepted : Outcome::refused;
}

}  // namespace

HostCompilerAnswer ask_host_compiler(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit) {
    HostCompilerAnswer answer;
    if (!toolkit.part(PartKind::nvcc)) return answer;
    const CudaRelease* release = toolkit.version() ? facts.cuda(*toolkit.version()) : nullptr;
    if (release) answer.limits = &release->host_compilers;
    if (compiled(scenario, toolkit.id)) {
        answer.outcome = Outcome::accepted;
        answer.basis = Certainty::measured;
        return answer;
    }
    const ProbeResult* failure = failed_compile(scenario, toolkit.id);
    if (failure && failure->failure == Failure::host_compiler) {
        answer.outcome = Outcome::refused;
        answer.basis = Certainty::measured;
        answer.refusal = failure;
    }
    if (failure) return answer;  // it failed for another reason
    if (release) predict_host_compiler(scenario.project, answer);
    return answer;
}

bool links_shared_runtime(const Project& project) {
    if (project.torch_builds) return true;
    if (!project.nvcc_flags) return false;
    for (const char* flag : {"-cudart shared", "-cudart=shared"})
        if (project.nvcc_flags->find(flag) != std::string::npos) return true;
    return false;
}

bool names_its_cause(const ProbeResult& probe) {
    return probe.failure == Failure::host_compiler || probe.failure == Failure::architecture ||
           probe.failure == Failure::ptx_version || probe.failure == Failure::c_library ||
           probe.failure == Failure::library;
}

bool has_a_rule_of_its_own(const Toolkit& toolkit, const ProbeResult& probe) {
    if (names_its_cause(probe)) return true;
    if (!missing_parts(toolkit).empty()) return true;
    const Part* nvcc = toolkit.part(PartKind::nvcc);
    const bool header = probe.culprit == Culprit::runtime_headers || probe.culprit == Culprit::crt_headers;
    return nvcc && nvcc->version && !parts_that_differ(toolkit, *nvcc->version, header).empty();
}

std::string name_and_root(const Toolkit& toolkit) {
    const Version* version = toolkit.version();
    return version ? SAY("CUDA {} at {}", version->text, toolkit.root) : SAY("toolkit at {}", toolkit.root);
}

std::string nvcc_below(const std::string& root, System system) {
    const std::string name = system == System::windows ? "nvcc.exe" : "nvcc";
    if (root.size() >= name.size() && root.compare(root.size() - name.size(), name.size(), name) == 0)
        return root;
    return SAY("{}/bin/{}", root, name);
}

bool is_set(const Selector& selector) { return selector.problem != PathProblem::empty; }

std::string problem_words(PathProblem problem) {
    switch (problem) {
        case PathProblem::missing: return "does not exist";
        case PathProblem::file: return "is a file, not a folder";
        case PathProblem::unreadable: return "cannot be read";
        case PathProblem::loop: return "is a symlink loop";
        case PathProblem::dangling: return "is a dangling symlink";
        case PathProblem::relative: return "is a relative path";
        case PathProblem::no_toolkit: return "contains no toolkit";
        case PathProblem::blanks: return "has blanks at its ends, which belong to the folder's name";
        case PathProblem::unexpanded: return "contains a variable that was not replaced by its value";
        default: return "does not point to a toolkit";
    }
}

bool can_be_mended(PathProblem problem) {
    return problem == PathProblem::missing || problem == PathProblem::file ||
           problem == PathProblem::blanks || problem == PathProblem::unexpanded;
}

namespace {

// For the pattern of sed's s#...#...#, and for its replacement.
std::string escaped(const std::string& text, const std::string& special) {
    std::string result;
    for (char c : text) {
        if (special.find(c) != std::string::npos) result += '\\';
        result += c;
    }
    return result;
}

std::string change_in_powershell(const std::string& from, const std::string& to) {
    const std::string word = shell_word(from, System::windows);
    if (to.empty()) return SAY("Where-Object { $_ -ne {} }", word);
    return SAY("ForEach-Object { if ($_ -eq {}) { {} } else { $_ } }", word, shell_word(to, System::windows));
}

// cmd.exe replaces text wherever it is, also in longer entries. The right folder before the wrong one does.
std::string change_in_cmd(const std::string& variable, const std::string& from, const std::string& to) {
    if (variable == "PATH" && !to.empty()) return first_on_path_in_cmd(to);
    return to.empty() ? SAY("in \"Edit environment variables for your account\" of the Start menu, remove "
                            "the entry '{}' from {}",
                            from, variable)
                      : SAY("in \"Edit environment variables for your account\" of the Start menu, replace "
                            "the entry '{}' of {} by '{}'",
                            from, variable, to);
}

std::string change_in_lines(const std::string& from, const std::string& to) {
    if (to.empty()) return SAY("grep -vxF {}", shell_word(from, System::linux_));
    const std::string program = SAY("s#^{}$#{}#", escaped(from, "\\.*[]^$#"), escaped(to, "\\&#"));
    return SAY("sed {}", shell_word(program, System::linux_));
}

}  // namespace

Fix replace_list_entry(const std::string& variable, const std::string& from, const std::string& to,
                       System system) {
    Step step{StepKind::search_path};
    step.subject = variable;
    step.from = from;
    step.to = to;
    if (system == System::windows)
        return {FixKind::setting,
                SAY("$env:{} = ($env:{} -split ';' | {}) -join ';'", variable, variable,
                    change_in_powershell(from, to)),
                step, change_in_cmd(variable, from, to)};
    // The loader also separates the names in LD_PRELOAD at blanks.
    const std::string lines = variable == "LD_PRELOAD" ? "tr ': ' '\\n\\n'" : "tr : '\\n'";
    return {FixKind::setting,
            SAY("export {}=\"$(printf %s \"${}\" | {} | {} | paste -sd: -)\"", variable, variable, lines,
                change_in_lines(from, to)),
            step};
}

Fix misspelt_entry_fix(const EnvironmentEntry& entry, System system) {
    return replace_list_entry(entry.variable, entry.value, entry.nearest, system);
}

Fix prepend_list_entry(const std::string& variable, const std::string& entry, System system) {
    if (system == System::windows)
        return {FixKind::setting,
                SAY("$env:{} = {} + $env:{}", variable, shell_word(entry + ";", system), variable),
                {},
                variable == "PATH" ? first_on_path_in_cmd(entry)
                                   : set_in_cmd(variable, SAY("{};%{}%", entry, variable))};
    return {FixKind::setting, SAY("export {}={}:\"${}\"", variable, shell_word(entry, system), variable)};
}

std::optional<Fix> later_path_fix(const Scenario& scenario, const std::string& folder) {
    const auto is_it = [&](const std::string& other) { return lower(other) == lower(folder); };
    if (none_of(scenario.later_path, is_it)) return std::nullopt;
    return by_hand(
        SAY("open a new prompt, and restart editors and services: {} has been added to PATH since this one "
            "was opened",
            folder));
}

bool is_named_by_cmake(const Scenario& scenario) {
    const Selector* decider = deciding_selector(scenario);
    return decider && decider->kind == SelectorKind::cmake && scenario.toolkit(decider->toolkit);
}

// The commands that install another toolkit, by what installs packages on this machine.

namespace {

const Installer* installer(const Scenario& scenario, std::initializer_list<const char*> tools) {
    for (const Installer& one : scenario.installers)
        for (const char* tool : tools)
            if (one.tool == tool) return &one;
    return nullptr;
}

// ... and the build uses it. An option of ptxguard selects nothing for other programs.
std::string then_select(const std::string& command, const std::string& root_word, const Scenario& scenario) {
    const ToolkitWords words = toolkit_words(root_word, scenario.system);
    const Selector* selector = deciding_selector(scenario);
    const bool option = selector && selector->kind == SelectorKind::option;
    const bool cmake = selector && selector->kind == SelectorKind::cmake;
    const std::string select =
        (option ? first_on_path(words.bin, scenario.system) : selecting_fix(scenario, words)).text;
    return SAY("{}{}{}", command, scenario.system == System::windows ? "; " : " && ",
               cmake ? SAY("cmake --fresh {} .", select) : select);
}

// "cuda/12.8.1" for CUDA 12.8; the newest update.
std::string module_of(const Scenario& scenario, const Version& release) {
    const Installer* modules = installer(scenario, {"module"});
    if (!modules) return "";
    std::string newest;
    std::optional<Version> version;
    for (const std::string& name : modules->releases) {
        const auto one = parse_version(file_of(name));
        if (!one || !same_release(*one, release) || (version && !(*version < *one))) continue;
        version = one;
        newest = name;
    }
    return newest;
}

// From CUDA 13 the wheels contain nvcc, in site-packages/nvidia/cu13.
std::string by_pip(const Scenario& scenario, const Version& release, const Facts& facts) {
    const std::string package = "nvidia.cu" + std::to_string(release.major());
    const std::string code = SAY("import {} as m; print(list(m.__path__)[0])", package);
    const bool windows = scenario.system == System::windows;
    const std::string command = SAY("python3 -m {}", pip_line(release, facts));
    if (windows) return then_select(command, SAY("(python3 -c '{}')", code), scenario);
    const std::string name = "CU" + std::to_string(release.major()), root = SAY("\"${}\"", name);
    return then_select(SAY("{} && {}=\"$(python3 -c '{}')\"{}", command, name, code,
                           links_of_wheel(scenario, release, root)),
                       root, scenario);
}

std::string by_conda(const Scenario& scenario, const Installer& conda, const Version& release) {
    if (conda.active) {
        const bool windows = scenario.system == System::windows;
        const std::string root = windows ? "\"$env:CONDA_PREFIX/Library\"" : "\"$CONDA_PREFIX\"";
        return then_select(SAY("{} install -y {}", conda.tool, conda_words(release)), root, scenario);
    }
    const std::string folder = SAY("\"$HOME/cuda-{}\"", release.release());
    return then_select(SAY("{} create -y -p {} {}", conda.tool, folder, conda_words(release)), folder,
                       scenario);
}

std::string by_system_packages(const Scenario& scenario, const Installer& packages, const Version& release) {
    const std::string dashed = SAY("{}-{}", release.major(), release.minor());
    return then_select(SAY("{} install -y cuda-toolkit-{}", packages.tool, dashed),
                       "/usr/local/cuda-" + release.release(), scenario);
}

// Below the user's own folder, without root.
std::string by_runfile(const Scenario& scenario, const Installer& download, const Runfile& runfile) {
    const std::string &machine = download.releases.front(), file = runfile.name(machine);
    const std::string folder = SAY("\"$HOME/cuda-{}\"", runfile.release->release());
    return then_select(download.tool == "curl"
                           ? SAY("curl -fLO {} && sh {} --silent --override --toolkit --installpath={}",
                                 runfile.address(machine), file, folder)
                           : SAY("wget {} && sh {} --silent --override --toolkit --installpath={}",
                                 runfile.address(machine), file, folder),
                       folder, scenario);
}

bool is_on_conda(const Version& cuda) {
    return cuda.major() > 11 || (cuda.major() == 11 && cuda.minor() >= 3);
}

}  // namespace

std::string links_of_wheel(const Scenario& scenario, const Version& release, const std::string& root_word) {
    if (scenario.system == System::windows || release.major() < 13) return "";
    std::string links;
    if (release.major() == 13 && release.minor() < 2) links += SAY(" && ln -sfn lib {}/lib64", root_word);
    if (links_shared_runtime(scenario.project))
        links += SAY(" && ln -sf libcudart.so.{} {}/lib/libcudart.so", release.major(), root_word);
    return links;
}

std::optional<std::string> install_command(const Scenario& scenario, const Version& release,
                                           const Facts& facts) {
    if (scenario.source != SourceKind::machine) return std::nullopt;
    if (const std::string name = module_of(scenario, release); !name.empty())
        return SAY("module load {}", name);
    const Installer* conda =
        is_on_conda(release) ? installer(scenario, {"conda", "mamba", "micromamba"}) : nullptr;
    if (conda && conda->active) return by_conda(scenario, *conda, release);
    const Installer* pip = release.major() >= 13 ? installer(scenario, {"pip"}) : nullptr;
    if (pip && pip->active) return by_pip(scenario, release, facts);
    if (const Installer* packages = installer(scenario, {"apt-get", "dnf"}))
        return by_system_packages(scenario, *packages, release);
    if (conda && scenario.system == System::linux_) return by_conda(scenario, *conda, release);
    if (pip) return by_pip(scenario, release, facts);
    const Installer* download = installer(scenario, {"wget", "curl"});
    if (const Runfile* runfile = runfile_of(facts, release); runfile && download)
        return by_runfile(scenario, *download, *runfile);
    return std::nullopt;
}

}  // namespace ptxguard
