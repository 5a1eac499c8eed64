// The commands that install another toolkit, by what installs packages on this machine.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "judge/fixes.hpp"
#include "judge/rule.hpp"
#include "model/file_names.hpp"
#include "model/text.hpp"

namespace ptxguard {
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
    return command + (scenario.system == System::windows ? "; " : " && ") +
           (cmake ? "cmake --fresh " + select + " ." : select);
}

// "cuda/12.8.1" for CUDA 12.8; the newest update.
std::string module_of(const Installer& modules, const Version& release) {
    std::string newest;
    std::optional<Version> version;
    for (const std::string& name : modules.releases) {
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
    const std::string code = "import " + package + " as m; print(list(m.__path__)[0])";
    const bool windows = scenario.system == System::windows;
    const std::string root = windows ? "(python3 -c '" + code + "')" : "\"$(python3 -c '" + code + "')\"";
    return then_select("python3 -m " + pip_line(release, facts), root, scenario);
}

std::string by_conda(const Scenario& scenario, const Installer& conda, const Version& release) {
    if (conda.active) {
        const bool windows = scenario.system == System::windows;
        const std::string root = windows ? "\"$env:CONDA_PREFIX/Library\"" : "\"$CONDA_PREFIX\"";
        return then_select(conda.tool + " install -y " + conda_words(release), root, scenario);
    }
    const std::string folder = "\"$HOME/cuda-" + release.release() + "\"";
    return then_select(conda.tool + " create -y -p " + folder + " " + conda_words(release), folder, scenario);
}

std::string by_system_packages(const Scenario& scenario, const Installer& packages, const Version& release) {
    const std::string dashed = std::to_string(release.major()) + "-" + std::to_string(release.minor());
    return then_select(packages.tool + " install -y cuda-toolkit-" + dashed,
                       "/usr/local/cuda-" + release.release(), scenario);
}

}  // namespace

std::optional<std::string> install_command(const Scenario& scenario, const Version& release,
                                           const Facts& facts) {
    if (scenario.witness != Witness::machine) return std::nullopt;
    const Installer* modules = installer(scenario, {"module"});
    if (const std::string name = modules ? module_of(*modules, release) : ""; !name.empty())
        return "module load " + name;
    const Installer* conda = installer(scenario, {"conda", "mamba", "micromamba"});
    const bool on_conda = release.major() > 11 || (release.major() == 11 && release.minor() >= 3);
    if (conda && conda->active && on_conda) return by_conda(scenario, *conda, release);
    const Installer* pip = release.major() >= 13 ? installer(scenario, {"pip"}) : nullptr;
    if (pip && pip->active) return by_pip(scenario, release, facts);
    if (const Installer* packages = installer(scenario, {"apt-get", "dnf"}))
        return by_system_packages(scenario, *packages, release);
    if (conda && on_conda && scenario.system == System::linux_) return by_conda(scenario, *conda, release);
    if (pip) return by_pip(scenario, release, facts);
    return std::nullopt;
}

}  // namespace ptxguard
