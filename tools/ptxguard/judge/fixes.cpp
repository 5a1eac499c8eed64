// Builds the fix lines of fixes.hpp from the scenario and the tables only.
// SPDX-License-Identifier: Apache-2.0
#include "judge/fixes.hpp"

#include <algorithm>

#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

const Version* release_wanted(const Toolkit& toolkit) {
    for (PartKind kind : {PartKind::nvcc, PartKind::ptxas}) {
        const Part* part = toolkit.part(kind);
        if (part && part->version) return &*part->version;
    }
    return nullptr;
}

}  // namespace

Fix pip_fix(const std::string& words) { return {FixKind::command, k_pip_install + words}; }

Fix pip_again_fix(const std::string& words) { return {FixKind::command, k_pip_install_again + words}; }

bool parts_agree(const Toolkit& toolkit) {
    const Version* wanted = release_wanted(toolkit);
    if (!wanted) return false;
    return all_of(toolkit.parts, [&](const Part& part) {
        bool compiles = is_program(part.kind) || part.kind == PartKind::crt_headers;
        return !compiles || (part.trouble.empty() && (!part.version || same_release(*part.version, *wanted)));
    });
}

namespace {

template <typename Fits>
const Toolkit* first_usable(const Scenario& scenario, Fits fits) {
    for (const Toolkit& toolkit : scenario.toolkits) {
        const Part* nvcc = toolkit.part(PartKind::nvcc);
        if (nvcc && nvcc->version && fits(*nvcc->version) && parts_agree(toolkit)) return &toolkit;
    }
    return nullptr;
}

}  // namespace

// PyPI's wheels. Since CUDA 13 the compiler is three packages pinned by one meta-package; before, one wheel
// contains ptxas, libNVVM and the crt headers.
std::string pip_line(const Version& wanted, const Facts& facts) {
    const CudaRelease* release = facts.cuda(wanted);
    if (wanted.major() < 13) {
        std::string suffix = SAY("-cu{}=={}.*\"", wanted.major(), wanted.release());
        return SAY("pip install \"nvidia-cuda-nvcc{} \"nvidia-cuda-runtime{}", suffix, suffix);
    }
    if (release && release->announced_update)
        return SAY("pip install \"cuda-toolkit[nvcc,nvvm,crt,cudart]=={}\"", release->announced_update->text);
    // No update of the meta-package is listed for such a new release: name the packages that it would pin.
    std::string same = SAY("=={}\"", wanted.text);
    return SAY(
        "pip install \"nvidia-cuda-nvcc{} \"nvidia-nvvm{} \"nvidia-cuda-crt{} \"nvidia-cuda-runtime=={}.*\"",
        same, same, same, wanted.release());
}

Fix first_on_path(const std::string& folder_word, System system) {
    if (system == System::windows)
        return {FixKind::setting, SAY("$env:PATH = {} + ';' + $env:PATH", folder_word)};
    return {FixKind::setting, SAY("export PATH={}:\"$PATH\"", folder_word)};
}

namespace {

Fix with(Step step, Fix fix) {
    fix.step = std::move(step);
    return fix;
}

Step toolkit_step(const Version& release) {
    Step step{StepKind::toolkit};
    step.version = release;
    return step;
}

std::string torch_spelling(const std::vector<Target>& targets) {
    std::string text;
    for (const Target& target : targets) {
        std::string suffix = target.arch.suffix ? std::string(1, target.arch.suffix) : "";
        text += SAY("{}{}{}{}", text.empty() ? "" : ";", target.arch.cc(), suffix, target.ptx ? "+PTX" : "");
    }
    return text;
}

}  // namespace

namespace {

// "-gencode arch=compute_80,code=sm_80"
std::string nvcc_spelling(const std::vector<Target>& targets) {
    std::string text;
    const auto add = [&](Arch arch, const std::string& code) {
        text += text.empty() ? SAY("-gencode arch={},code={}", arch.compute(), code)
                             : SAY(" -gencode arch={},code={}", arch.compute(), code);
    };
    for (const Target& target : targets) {
        if (target.real) add(target.arch, target.arch.sm());
        if (target.ptx) add(target.arch, target.arch.compute());
    }
    return text;
}

bool is_flags(const std::string& list) {
    return list.find('-') != std::string::npos && guess_dialect(list) == ArchDialect::nvcc;
}

// What reads the list of architectures, where no variable or file has it yet.
enum class Lists { cmake, torch, nvcc };
Lists reader_of_list(const Scenario& scenario) {
    const Project& project = scenario.project;
    if (project.torch_builds) return Lists::torch;
    if (is_named_by_cmake(scenario) || project.archs_text.origin.variable == "CMAKE_CUDA_ARCHITECTURES")
        return Lists::cmake;
    if (project.built_by)
        return starts_with(file_of(project.built_by.origin.path), "CMake") ? Lists::cmake : Lists::nvcc;
    if (!project.archs_text || is_flags(*project.archs_text)) return Lists::nvcc;
    return guess_dialect(*project.archs_text) == ArchDialect::torch ? Lists::torch : Lists::cmake;
}

}  // namespace

const Toolkit* toolkit_of_release(const Scenario& scenario, const Version& release) {
    return first_usable(scenario, [&](const Version& version) { return same_release(version, release); });
}

const Toolkit* toolkit_of_major(const Scenario& scenario, int major) {
    return first_usable(scenario, [&](const Version& version) { return version.major() == major; });
}

Fix driver_fix(const Version& driver, const std::string& why) {
    Step step{StepKind::driver};
    step.version = driver;
    return with(step, by_hand(SAY("install driver {} or newer{}", driver.text, why)));
}

void add_driver_for_ptx(const Scenario& scenario, const Facts& facts, PtxVersion ptx, Finding& finding) {
    if (const Known<Version> first = facts.first_driver_for_ptx(ptx, scenario.system))
        finding.fix.push_back(driver_fix(*first, SAY(", the first that reads PTX {}", ptx.text())));
}

Fix compile_for_fix(const std::string& arch) {
    return by_hand(SAY("compile it with -gencode arch=compute_{},code=sm_{}", arch, arch));
}

void put_easiest_first(std::vector<Fix>& fixes) {
    const auto rank = [](const Fix& fix) {
        return fix.step && fix.step->kind == StepKind::driver ? 2 : fix.kind == FixKind::manual ? 1 : 0;
    };
    std::stable_sort(fixes.begin(), fixes.end(),
                     [&](const Fix& a, const Fix& b) { return rank(a) < rank(b); });
}

Fix debian_fix() {
    return {FixKind::command, "apt-get install --reinstall nvidia-cuda-toolkit nvidia-cuda-dev"};
}

Fix conda_fix(const Version& release) {
    return {FixKind::command, SAY("conda install {}", conda_words(release))};
}

std::string conda_words(const Version& release) {
    if (release.major() < 12) return SAY("-c nvidia/label/cuda-{}.0 cuda-toolkit", release.release());
    return SAY("-c conda-forge \"cuda-version={}\" cuda-nvcc cuda-cudart-dev", release.release());
}

ToolkitWords toolkit_words(const std::string& root_word, System system) {
    const bool windows = system == System::windows;
    const std::string bin = windows ? SAY("({} + '/bin')", root_word) : root_word + "/bin";
    return {root_word, bin, windows ? SAY("({} + '/bin/nvcc.exe')", root_word) : bin + "/nvcc"};
}

Fix selecting_fix(const Scenario& scenario, const ToolkitWords& words) {
    const System system = scenario.system;
    const Selector* selector = deciding_selector(scenario);
    if (selector && selector->kind == SelectorKind::cmake)
        return {FixKind::setting, SAY("-D{}={}", selector->name, words.nvcc)};
    if (selector && selector->kind == SelectorKind::option)
        return {FixKind::setting, SAY("{} {}", selector->name, words.root)};
    if (selector && selector->kind == SelectorKind::variable && selector->name != "CONDA_PREFIX") {
        const std::string& value = selector->name == "CUDACXX" ? words.nvcc : words.root;
        return {FixKind::setting, system == System::windows ? SAY("$env:{} = {}", selector->name, value)
                                                            : SAY("export {}={}", selector->name, value)};
    }
    return first_on_path(words.bin, system);
}

namespace {

// As selecting_fix(), for plain paths.
std::string selecting_in_cmd(const Scenario& scenario, const ToolkitWords& paths) {
    const Selector* selector = deciding_selector(scenario);
    if (selector && selector->kind == SelectorKind::cmake)
        return SAY("-D{}=\"{}\"", selector->name, paths.nvcc);
    if (selector && selector->kind == SelectorKind::option)
        return SAY("{} \"{}\"", selector->name, paths.root);
    if (selector && selector->kind == SelectorKind::variable && selector->name != "CONDA_PREFIX")
        return set_in_cmd(selector->name, selector->name == "CUDACXX" ? paths.nvcc : paths.root);
    return first_on_path_in_cmd(paths.bin);
}

}  // namespace

Fix choose_toolkit_fix(const Scenario& scenario, const Toolkit& toolkit) {
    Step step{StepKind::toolkit};
    step.subject = toolkit.id;
    const auto word = [&](const std::string& text) { return shell_word(text, scenario.system); };
    const Part* part = toolkit.part(PartKind::nvcc);
    const std::string nvcc = part ? part->path : toolkit.root;
    Fix fix = selecting_fix(scenario, {word(toolkit.root), word(folder_of(nvcc)), word(nvcc)});
    if (scenario.system == System::windows)
        fix.in_cmd = selecting_in_cmd(scenario, {toolkit.root, folder_of(nvcc), nvcc});
    return with(step, fix);
}

std::vector<Fix> same_release_fix(const Scenario& scenario, const Toolkit& toolkit, const Facts& facts,
                                  const Version* release) {
    const Version* wanted = release ? release : release_wanted(toolkit);
    if (!wanted) return {};
    const bool of_build = toolkit.id == scenario.project.toolkit;
    const auto whole = [&](Fix fix) { return of_build ? with(toolkit_step(*wanted), std::move(fix)) : fix; };
    if (toolkit.layout == Layout::wheel) {
        const std::string root = shell_word(toolkit.root, scenario.system);
        return {
            whole({FixKind::command, pip_line(*wanted, facts) + links_of_wheel(scenario, *wanted, root)})};
    }
    if (toolkit.layout == Layout::conda) return {whole(conda_fix(*wanted))};
    std::vector<Fix> fixes;
    if (const Toolkit* other = toolkit_of_release(scenario, *wanted))
        fixes.push_back(choose_toolkit_fix(scenario, *other));
    if (toolkit.layout == Layout::debian)
        fixes.push_back(whole(debian_fix()));
    else
        fixes.push_back(
            whole(by_hand(SAY("install CUDA {} whole in a folder of its own, so that nvcc, cicc, ptxas and "
                              "the crt headers come from one release, instead of {}",
                              wanted->release(), toolkit.root))));
    return fixes;
}

Fix arch_list_fix(const Scenario& scenario, const std::vector<Target>& targets) {
    const std::string& named = scenario.project.archs_text.origin.variable;
    Step step{StepKind::architectures};
    step.targets = targets;
    if (named == "TORCH_CUDA_ARCH_LIST")
        return with(step, set_variable(named, torch_spelling(targets), scenario.system));
    if (scenario.project.archs_text.origin.kind == OriginKind::file && scenario.source == SourceKind::machine)
        return with(step, {FixKind::edit, is_flags(*scenario.project.archs_text)
                                              ? SAY("set {} to {}", named, nvcc_spelling(targets))
                                              : SAY("set {} to \"{}\"", named, cmake_spelling(targets))});
    if (named == "CUDAARCHS")
        return with(step, set_variable(named, cmake_spelling(targets), scenario.system));
    const Lists reader = reader_of_list(scenario);
    if (reader == Lists::torch)
        return with(step, set_variable("TORCH_CUDA_ARCH_LIST", torch_spelling(targets), scenario.system));
    if (reader == Lists::nvcc) return with(step, {FixKind::edit, SAY("nvcc {}", nvcc_spelling(targets))});
    return with(step, {FixKind::edit, SAY("set(CMAKE_CUDA_ARCHITECTURES \"{}\")", cmake_spelling(targets))});
}

Fix get_toolkit_fix(const Scenario& scenario, const Version& release, const Facts& facts,
                    const std::string& why) {
    if (const Toolkit* here = toolkit_of_release(scenario, release))
        return choose_toolkit_fix(scenario, *here);
    const Step step = toolkit_step(release);
    const bool whole = release.numbers.size() > 1;
    if (auto command = whole ? install_command(scenario, release, facts) : std::nullopt)
        return with(step, {FixKind::command, *command});
    const std::string name = whole ? release.release() : std::to_string(release.major());
    return with(step, by_hand(why.empty() ? SAY("build with CUDA {}", name)
                                          : SAY("build with CUDA {} {}", name, why)));
}

// CUDA 13 reads NVCC_CCBIN, 12.4 and 11.8 ignore it; all of them read the flags, where the last -ccbin
// wins. On Windows nvcc keeps the quotes of a path with blanks in NVCC_PREPEND_FLAGS and then cannot run
// it. (Measured.)

namespace {

constexpr const char* k_msvc_below = "/VC/Tools/MSVC/";

// .../2022/BuildTools/VC/Tools/MSVC/14.38.33130/bin/Hostx64/x64/cl.exe: "14.38"
std::string toolset_of(const std::string& compiler) {
    const std::size_t at = compiler.find(k_msvc_below) + std::string(k_msvc_below).size();
    return compiler.substr(at, compiler.find('.', compiler.find('.', at) + 1) - at);
}

Fix prompt_fix(const std::string& compiler) {
    const std::string installation = compiler.substr(0, compiler.find(k_msvc_below));
    return by_hand(
        SAY("work in the developer prompt of Visual Studio: \"{}/VC/Auxiliary/Build/vcvars64.bat\" "
            "-vcvars_ver={} in cmd, or the x64 Native Tools prompt of the Start menu",
            installation, toolset_of(compiler)));
}

Fix install_fix(const Scenario& scenario) {
    const std::vector<std::string>& unfit = scenario.project.host_compiler.unfit;
    if (unfit.empty())
        return by_hand(
            "install the Build Tools of Visual Studio with \"Desktop development with C++\", and work in "
            "their x64 Native Tools prompt");
    return by_hand(
        SAY("add an older toolset (MSVC v143) in the Visual Studio Installer, or use a CUDA release that "
            "supports {}",
            unfit.front()));
}

}  // namespace

bool is_outside_developer_prompt(const Scenario& scenario) {
    const HostCompiler& host = scenario.project.host_compiler;
    return scenario.system == System::windows && !host.trouble.empty() && host.chosen_by.variable == "PATH";
}

// Those of CMake come behind CMAKE_CUDA_HOST_COMPILER.
std::string flags_that_choose_host_compiler(const Scenario& scenario) {
    const Origin& by = scenario.project.host_compiler.chosen_by;
    const bool flags = by.kind == OriginKind::option && by.variable != "CMAKE_CUDA_HOST_COMPILER";
    return flags ? by.variable : std::string();
}

Fix choose_host_compiler(const Scenario& scenario, const std::string& program) {
    const std::string& chooser = scenario.project.host_compiler.chosen_by.variable;
    if (const std::string flags = flags_that_choose_host_compiler(scenario); !flags.empty())
        return by_hand(SAY("name {} in {} instead", program, flags));
    if (is_named_by_cmake(scenario)) return {FixKind::setting, "-DCMAKE_CUDA_HOST_COMPILER=" + program};
    if (chooser == "CUDAHOSTCXX") return set_variable(chooser, program, scenario.system);
    if (scenario.system == System::windows && program.find(' ') != std::string::npos) {
        const Toolkit* toolkit = scenario.build_toolkit();
        const Version* version = toolkit ? toolkit->version() : nullptr;
        if (version && version->major() >= 13 && chooser == "PATH")
            return set_variable("NVCC_CCBIN", program, scenario.system);
        return by_hand(SAY("pass nvcc -ccbin \"{}\"", program));
    }
    const std::string value = SAY("-ccbin {}", program);
    if (const auto& flags = scenario.project.nvcc_flags)
        return extend_variable(flags.origin.variable, value, scenario.system);
    const bool last_word = chooser == "NVCC_APPEND_FLAGS";
    return set_variable(last_word ? chooser : "NVCC_PREPEND_FLAGS", value, scenario.system);
}

bool needs_developer_prompt(const Scenario& scenario) {
    const Project& project = scenario.project;
    return project.requested && !(project.torch_builds && !project.host_compiler.fitting.empty());
}

bool is_for_developer_prompt(const Scenario& scenario, const ProbeResult& probe) {
    return probe.culprit == Culprit::host_compiler && is_outside_developer_prompt(scenario) &&
           !needs_developer_prompt(scenario);
}

std::vector<Fix> msvc_fixes(const Scenario& scenario) {
    const std::vector<std::string>& fitting = scenario.project.host_compiler.fitting;
    if (fitting.empty()) return {install_fix(scenario)};
    return {choose_host_compiler(scenario, fitting.front()), prompt_fix(fitting.front())};
}

}  // namespace ptxguard
