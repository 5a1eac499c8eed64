// SPDX-License-Identifier: Apache-2.0
#include "recipes/host_compilers.hpp"

#include <algorithm>

#include "host/paths.hpp"
#include "model/text.hpp"
#include "recipes/images.hpp"
#include "recipes/prefixes.hpp"

namespace ptxguard::recipes {
namespace {

const char* const k_switch = "allow-unsupported-compiler";

// Names of packages and programs that bring another compiler.
bool is_compiler(const std::string& name) {
    for (const char* one :
         {"g++-", "gcc-", "clang", "llvm", "gcc_", "gxx", "cxx-compiler", "compilers", "devtoolset"})
        if (starts_with(name, one)) return true;
    return false;
}

}  // namespace

// "g++-12", "/usr/bin/clang++-15"
void HostCompilers::name(const std::string& program, const Written& at, const std::string& by) {
    const std::string base = file_name(program);
    m_open = true;
    m_named = {};
    const std::size_t dash = base.rfind('-');
    const auto version = dash == npos || !at.known ? std::nullopt : parse_version(base.substr(dash + 1));
    const bool gcc = starts_with(base, "g++-") || starts_with(base, "gcc-");
    const bool clang = starts_with(base, "clang-") || starts_with(base, "clang++-");
    if (!version || !(gcc || clang)) return;
    m_named.path = program;
    m_named.family = gcc ? "gcc" : "clang";
    m_named.version = {*version, origin_of(at)};
    m_named.chosen_by = origin_of(at);
    m_named.chosen_by.variable = by;
}

// "-ccbin g++-12", "-ccbin=g++-12"
void HostCompilers::read_flags(const Written& flags, const std::string& by) {
    const std::vector<std::string> words = split(flags.text, " \t");
    for (std::size_t i = 0; i < words.size(); ++i) {
        m_off = m_off || words[i].find(k_switch) != npos;
        for (const std::string option : {"-ccbin", "--compiler-bindir"}) {
            if (words[i] == option && i + 1 < words.size()) name(words[i + 1], flags, by);
            if (starts_with(words[i], option + "=")) name(words[i].substr(option.size() + 1), flags, by);
        }
    }
}

void HostCompilers::take(const SetVariable& variable) {
    const std::string& by = variable.name;
    if (by == "CUDAHOSTCXX" || by == "NVCC_CCBIN" || by == "CMAKE_CUDA_HOST_COMPILER")
        name(variable.value.text, variable.value, by);
    else if (by == "CC" || by == "CXX")
        m_open = true;
    else if (by.find("FLAGS") != npos)
        read_flags(variable.value, by);
}

void HostCompilers::take(const AptInstall& step) {
    for (const AptPackage& package : step.packages) m_open = m_open || is_compiler(package.name);
}

void HostCompilers::take(const CondaInstall& step) {
    for (const CondaSpec& spec : step.specs) m_open = m_open || is_compiler(spec.name);
}

void HostCompilers::take(const Command& command) {
    if (command.words.empty()) return;
    const std::string program = program_name(command.words[0].text);
    m_builds =
        m_builds || program == "cmake" || program == "make" || program == "ninja" || program == "msbuild";
    m_open = m_open || program == "update-alternatives" || program == "ln" || program.find("msvc") != npos;
    for (const SetVariable& variable : command.variables) take(variable);
    for (const char* one :
         {"CC", "CXX", "CUDAHOSTCXX", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"})
        if (const Written* value = command.exports.find(one)) take(SetVariable{one, *value});
    Written all = command.words[0];
    all.text.clear();
    for (const Written& word : command.words) {
        all.known = all.known && word.known;
        m_off = m_off || word.text.find(k_switch) != npos;
        // "-T v142" is a toolset of Visual Studio.
        m_open = m_open || word.text.find("vcvars") != npos || word.text.find("CXX_COMPILER") != npos ||
                 starts_with(word.text, "v14") || starts_with(word.text, "-Tv14");
        const std::string option = "-DCMAKE_CUDA_HOST_COMPILER=";
        if (starts_with(word.text, option))
            name(word.text.substr(option.size()), word, option.substr(2, option.size() - 3));
        all.text += (all.text.empty() ? "" : " ") + word.text;
    }
    if (program == "nvcc") read_flags(all, "-ccbin");
}

void HostCompilers::fill(const SystemCompiler* defaults, const Written& system, Scenario& scenario) const {
    const Toolkit* toolkit = scenario.build_toolkit();
    if (m_off || !toolkit || toolkit->layout == Layout::debian) return;
    HostCompiler& chosen = scenario.project.host_compiler;
    if (m_named.version) {
        chosen = m_named;
        return;
    }
    // What conda installs has compilers of its own.
    const bool builds = scenario.project.wanted || (m_builds && scenario.recipe.image.name.empty());
    if (m_open || !defaults || !builds || !starts_with(toolkit->root, "/usr/local/cuda")) return;
    chosen.family = defaults->family;
    chosen.version = {*defaults->version, defaults->origin};
    chosen.version.origin.certainty = Certainty::predicted;
    chosen.chosen_by = origin_of(system);
}

}  // namespace ptxguard::recipes
