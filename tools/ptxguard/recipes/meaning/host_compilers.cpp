// SPDX-License-Identifier: Apache-2.0
#include "recipes/meaning/host_compilers.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "host/paths.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "recipes/base/arguments.hpp"
#include "recipes/base/modules.hpp"
#include "recipes/base/prefixes.hpp"
#include "recipes/containers/images.hpp"
#include "recipes/resolution/pins.hpp"

namespace ptxguard::recipes {
namespace {

constexpr int k_chosen = 1000000;  // above every priority of an alternative

const char* const k_switch = "allow-unsupported-compiler";

// Names of packages and programs that bring another compiler.
bool is_compiler(const std::string& name) {
    for (const char* one : {"g++-", "gcc-", "clang", "llvm", "gcc_", "gxx", "cxx-compiler", "compilers",
                            "devtoolset", "visualstudio20", "vs2015", "vs2017", "vs2019", "vs2022", "vs2026"})
        if (starts_with(name, one)) return true;
    return false;
}

// "13" of /opt/rh/gcc-toolset-13/enable, /opt/rh/devtoolset-11/root/usr/bin
std::string toolset_in(const std::string& path) {
    for (const std::string mark : {"/gcc-toolset-", "/devtoolset-"}) {
        const std::size_t at = path.find(mark);
        if (at == npos) continue;
        const std::size_t begin = at + mark.size();
        const std::string number = path.substr(begin, path.find('/', begin) - begin);
        if (all_digits(number)) return number;
    }
    return "";
}

// The words of update-alternatives behind `option` up to the next option: LINK NAME PATH PRIORITY.
std::vector<Written> words_behind(const Command& command, const std::string& option) {
    std::vector<Written> words;
    bool inside = false;
    for (const Written& word : command.words) {
        if (starts_with(word.text, "--")) inside = word.text == option;
        if (inside && word.text != option) words.push_back(word);
    }
    return words;
}

bool names_compiler(const Command& command) {
    return std::any_of(command.words.begin() + 1, command.words.end(), [](const Written& word) {
        const std::string name = file_name(word.text);
        for (const char* one : {"gcc", "g++", "cc", "c++", "clang"})
            if (name == one || starts_with(name, std::string(one) + "-") ||
                starts_with(name, std::string(one) + "++"))
                return true;
        return !word.known;
    });
}

// cargo build --features cuda, tauri build --features=llama-cuda: crates compile it with nvcc.
bool asks_for_feature(const Command& command) {
    for (std::size_t i = 1; i < command.words.size(); ++i) {
        const std::string& word = command.words[i].text;
        if (word != "-F" && !starts_with(word, "--features")) continue;
        const bool apart = word.find('=') == npos && i + 1 < command.words.size();
        if ((apart ? command.words[i + 1].text : word).find("cuda") != npos) return true;
    }
    return false;
}

// What `gcc` becomes, with its priority. Nothing: the command does not say. `of_cxx`: that of g++ only, with
// which nvcc only links.
std::optional<std::pair<Written, int>> new_default(const Command& command, bool& of_cxx) {
    if (program_name(command.words[0].text) == "ln") {
        std::vector<Written> paths;
        for (std::size_t i = 1; i < command.words.size(); ++i)
            if (!starts_with(command.words[i].text, "-")) paths.push_back(command.words[i]);
        if (paths.size() != 2 || file_name(paths[1].text) != "gcc") return std::nullopt;
        return std::pair(paths[0], k_chosen);
    }
    const std::vector<Written> install = words_behind(command, "--install"),
                               chosen = words_behind(command, "--set");
    const std::string installed = install.size() > 3 ? install[1].text : "";
    const std::string set = chosen.size() > 1 ? chosen[0].text : "";
    if (installed == "gcc" && all_digits(install[3].text))
        return std::pair(install[2], std::atoi(install[3].text.substr(0, 6).c_str()));
    if (set == "gcc") return std::pair(chosen[1], k_chosen);
    of_cxx = is_one_of(installed, {"g++", "c++", "cc"}) || is_one_of(set, {"g++", "c++", "cc"});
    return std::nullopt;
}

}  // namespace

// update-alternatives --install /usr/bin/gcc gcc /usr/bin/gcc-13 100, --set gcc /usr/bin/gcc-13;
// ln -sf /usr/bin/gcc-13 /usr/bin/gcc: nvcc runs `gcc`.
void HostCompilers::follow_default(const Command& command) {
    const std::string program = program_name(command.words[0].text);
    bool of_cxx = false;
    const auto target = new_default(command, of_cxx);
    if (!target) {
        m_open = m_open || (!of_cxx && program != "ln" && names_compiler(command));
        return;
    }
    if (target->second < m_priority) return;
    m_priority = target->second;
    const auto compiler = compiler_of(target->first.text, target->first, program);
    m_default = compiler.value_or(HostCompiler{});
    m_open = m_open || !compiler;
}

// "g++-12", "/usr/bin/clang++-15", "/opt/rh/gcc-toolset-13/root/usr/bin/g++"
std::optional<HostCompiler> HostCompilers::compiler_of(const std::string& program, const Written& at,
                                                       const std::string& by) {
    std::string base = file_name(program);
    const std::string toolset = toolset_in(program);
    if (!toolset.empty()) base = "gcc-" + toolset;
    const std::string target = "-linux-gnu-";  // x86_64-linux-gnu-g++-12
    if (const std::size_t at_target = base.find(target); at_target != npos)
        base.erase(0, at_target + target.size());
    const std::size_t dash = base.rfind('-');
    const auto version = dash == npos || !at.known ? std::nullopt : parse_version(base.substr(dash + 1));
    const bool gcc = starts_with(base, "g++-") || starts_with(base, "gcc-");
    const bool clang = starts_with(base, "clang-") || starts_with(base, "clang++-");
    if (!version || !(gcc || clang)) return std::nullopt;
    HostCompiler compiler;
    compiler.path = program;
    compiler.family = gcc ? "gcc" : "clang";
    compiler.version = {*version, origin_of(at)};
    compiler.chosen_by = origin_of(at);
    compiler.chosen_by.variable = by;
    return compiler;
}

void HostCompilers::name(const std::string& program, const Written& at, const std::string& by) {
    m_open = true;
    m_named = compiler_of(program, at, by).value_or(HostCompiler{});
}

void HostCompilers::name_cxx(const std::string& program, const Written& at, const std::string& by) {
    if (program_name(program) == "cl") return;  // that of Visual Studio
    const auto compiler = compiler_of(program, at, by);
    m_open = m_open || !compiler;
    if (compiler) m_of_cxx = *compiler;
    if (by == "CC") m_of_cc = compiler.value_or(HostCompiler{});
}

void HostCompilers::note_switch(const std::string& text, const Written& at) {
    if (!m_switch && text.find(k_switch) != npos) m_switch = at;
    // The STL does not compare either.
    m_without = m_without || text.find("_ALLOW_COMPILER_AND_STL_VERSION_MISMATCH") != npos;
}

// "-ccbin g++-12", "-ccbin=g++-12"
void HostCompilers::read_flags(const Written& flags, const std::string& by) {
    const std::vector<std::string> words = split(flags.text, " \t");
    for (std::size_t i = 0; i < words.size(); ++i) {
        note_switch(words[i], flags);
        for (const std::string option : {"-ccbin", "--compiler-bindir"}) {
            if (words[i] == option && i + 1 < words.size()) name(words[i + 1], flags, by);
            if (starts_with(words[i], option + "=")) name(words[i].substr(option.size() + 1), flags, by);
        }
    }
}

bool HostCompilers::is_named_by(const std::string& variable) {
    return variable == "CC" || variable == "CXX" || variable == "CUDACXX" || variable == "CUDAHOSTCXX" ||
           variable == "NVCC_CCBIN" || variable == "CANDLE_NVCC_CCBIN" ||
           variable == "CMAKE_CUDA_HOST_COMPILER" || variable == "CMAKE_GENERATOR" ||
           variable == "CMAKE_GENERATOR_TOOLSET";
}

// source /opt/rh/gcc-toolset-13/enable, scl enable gcc-toolset-13 bash, PATH=/opt/rh/...
void HostCompilers::enable_toolset(const Written& value) {
    const std::string toolset = toolset_in("/" + value.text);
    if (toolset.empty()) return;
    m_priority = k_chosen;
    Written at = value;
    at.known = true;  // whatever $PATH is
    m_default = compiler_of("gcc-" + toolset, at, "PATH").value_or(HostCompiler{});
}

// module load gcc/13.2.0
void HostCompilers::load_module(const Written& word) {
    const auto [name, release] = named_module(word.text);
    if (name != "gcc") return;
    m_priority = k_chosen;
    m_default = release ? compiler_of("gcc-" + release->text, word, "module").value_or(HostCompiler{})
                        : HostCompiler{};
    m_default.path = word.text;
    m_open = m_open || !m_default.version;
}

void HostCompilers::take(const SetVariable& variable) {
    const std::string& by = variable.name;
    if (by == "PATH") enable_toolset(variable.value);
    m_prompt = m_prompt || (lower(by) == "path" && variable.value.text.find("MSVC") != npos);
    note_switch(variable.value.text, variable.value);
    if (by == "CMAKE_GENERATOR") name_studio(variable.value);
    if (by == "CMAKE_GENERATOR" || by == "CMAKE_GENERATOR_TOOLSET")
        read_studio(variable.value);
    else if (by == "CUDACXX")  // CMake compiles with clang then, and not with nvcc
        m_without = m_without || starts_with(program_name(variable.value.text), "clang");
    else if (is_named_by(by) && by != "CC" && by != "CXX")
        name(variable.value.text, variable.value, by);
    else if (by == "CC" || by == "CXX")
        name_cxx(variable.value.text, variable.value, by);
    else if (by == "CMAKE_ARGS")  // what builds a wheel passes it to CMake
        read_definitions(variable.value);
    else if (by.find("FLAGS") != npos)
        read_flags(variable.value, by);
}

void HostCompilers::take(const AptInstall& step) {
    // NVIDIA's installer ends with an error if gcc is newer than its nvcc accepts.
    m_checked = m_checked || (starts_with(step.action, "jimver/") && !step.packaged);
    for (const AptPackage& package : step.packages) {
        const bool beside = starts_with_any(package.name, {"g++-", "gcc-"});
        if (package.name == "gcc-c++") continue;  // Red Hat's name of the default one
        m_installs = m_installs || beside;
        const bool clang = starts_with_any(package.name, {"clang", "llvm"});
        m_clang = m_clang || clang;
        m_open = m_open || (is_compiler(package.name) && !beside && !clang);
        m_adds_studio = m_adds_studio || starts_with_any(package.name, {"visualstudio20", "vs20"});
    }
}

void HostCompilers::take(const CondaInstall& step) {
    for (const CondaSpec& spec : step.specs) {
        const auto version = spec.whole.known ? conda_version(spec.version) : std::nullopt;
        const bool gcc = is_one_of(spec.name, {"gxx", "gcc", "gxx_linux-64", "gcc_linux-64"});
        m_open = m_open || (is_compiler(spec.name) && !(gcc && version));
        if (!gcc || !version) continue;
        // Its activation names it to the nvcc of the same environment.
        m_of_conda.family = "gcc";
        m_of_conda.version = {*version, origin_of(spec.whole)};
        m_of_conda.chosen_by = origin_of(spec.whole);
    }
}

namespace {

bool starts_build(const Command& command, const std::string& program) {
    // python -m build: of a wheel
    const bool wheel = starts_with(program, "python") && command.words.size() > 2 &&
                       command.words[1].text == "-m" && command.words[2].text == "build";
    return wheel || asks_for_feature(command) ||
           is_one_of(program, {"cmake", "make", "ninja", "msbuild", "cibuildwheel"});
}

bool starts_bazel(const Command& command, const std::string& program) {
    return is_one_of(program, {"bazel", "bazelisk"}) && command.words.size() > 1 &&
           is_one_of(command.words[1].text, {"build", "test", "run"});
}

}  // namespace

void HostCompilers::take(const Command& command) {
    if (command.words.empty()) return;
    const std::string program = program_name(command.words[0].text);
    m_builds = m_builds || starts_build(command, program);
    m_bazel = m_bazel || starts_bazel(command, program);
    m_open = m_open || finds_another_studio(command, program);
    read_prompt(command, program);
    read_generator(command, program);
    if (is_one_of(program, {"update-alternatives", "ln"})) follow_default(command);
    for (const Written& word : modules_loaded_by(command)) load_module(word);
    if (is_one_of(program, {"source", ".", "scl"}))
        for (const Written& word : command.words) enable_toolset(word);
    for (const SetVariable& variable : command.variables) take(variable);
    for (const char* one : {"CC", "CXX", "CUDACXX", "CUDAHOSTCXX", "NVCC_CCBIN", "NVCC_PREPEND_FLAGS",
                            "NVCC_APPEND_FLAGS", "CMAKE_GENERATOR", "CMAKE_GENERATOR_TOOLSET", "CMAKE_ARGS"})
        if (const Written* value = command.exports.find(one)) take(SetVariable{one, *value});
    for (const Written& word : command.words) {
        note_switch(word.text, word);
        read_studio(word);
        read_definition(word);
    }
    if (program != "nvcc") return;
    read_flags(whole_of(command), "-ccbin");
    m_by_nvcc = m_by_nvcc || any_of(command.words, [](const Written& word) {
                    return starts_with_any(word.text, {"-ccbin", "--compiler-bindir"});
                });
}

void HostCompilers::read_definitions(const Written& words) {
    for (std::string& one : split(words.text, " \t")) {
        Written word = words;
        word.text = std::move(one);
        read_definition(word);
    }
}

void HostCompilers::read_definition(const Written& word) {
    const std::size_t equals = word.text.find('=');
    if (!starts_with(word.text, "-D")) return;
    const std::string name_of_it = word.text.substr(2, equals == npos ? npos : equals - 2);
    // -DCMAKE_CXX_COMPILER:PATH=...
    m_open = m_open || starts_with_any(name_of_it, {"CMAKE_C_COMPILER:", "CMAKE_CXX_COMPILER:"});
    if (equals == npos) return;
    Written value = word;
    value.text.erase(0, equals + 1);
    if (is_one_of(name_of_it, {"CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER"}))
        name_cxx(value.text, word, name_of_it);
    else if (is_one_of(name_of_it, {"CMAKE_CUDA_FLAGS", "CUDA_NVCC_FLAGS"}))
        read_flags(value, "-ccbin");
    else if (name_of_it == "CMAKE_CUDA_HOST_COMPILER")
        name(value.text, word, name_of_it);
}

// What the recipe itself gives nvcc; null if it gives nothing.
const HostCompiler* HostCompilers::given(const Toolkit& toolkit, const Scenario& scenario) const {
    if (m_named.version) return &m_named;
    if (toolkit.layout == Layout::conda && m_of_conda.version && !m_open) return &m_of_conda;
    // torch passes CC to nvcc as -ccbin.
    const auto& compiles = scenario.recipe.compiles;
    const bool torch =
        !compiles.empty() && all_of(compiles, [](const CompileStep& one) { return one.by_torch; });
    if (torch && m_of_cc.version) return &m_of_cc;
    const bool by_default = !m_open && !m_clang && !m_of_cxx.version && scenario.project.wanted;
    return m_default.version && by_default ? &m_default : nullptr;
}

// Whether the build runs nvcc with the system's compiler.
bool HostCompilers::takes(const SystemCompiler& one, const Toolkit& toolkit, const Scenario& scenario) const {
    const bool msvc = one.family == "msvc";
    // nvcc for Windows takes cl.exe only.
    if (m_open || (m_clang && !msvc) || (m_installs && !m_of_cxx.version)) return false;
    const bool own = is_installed(toolkit, msvc);
    const bool may_build = builds(scenario) || (msvc && m_bazel) || (m_checked && one.family == "gcc");
    return own && may_build && fits_generator(one);
}

bool HostCompilers::builds(const Scenario& scenario) const {
    // A job, on its runner or in a container, builds with the toolkit that it installs.
    const RecipeFacts& recipe = scenario.recipe;
    const bool installed =
        recipe.kind == to_string(RecipeKind::workflow) && recipe.image.flavour == ImageFlavour::unknown;
    return scenario.project.wanted || !recipe.compiles.empty() ||
           (m_builds && (installed || recipe.image.name.empty()));
}

// Beside a framework it may be a project that has nothing to do with it.
bool HostCompilers::compiles_alone(const Scenario& scenario) const {
    return (!scenario.recipe.compiles.empty() || m_by_nvcc) && scenario.expectations.empty();
}

void HostCompilers::fill(const SystemCompiler* defaults, const Written& system, Scenario& scenario) const {
    const Toolkit* toolkit = scenario.build_toolkit();
    if (!toolkit || toolkit->layout == Layout::debian) return;
    if (m_needs_folder && defaults && is_missing_studio(*defaults, *toolkit))
        return take_missing_studio(*defaults, scenario.project);
    if (is_unchecked(defaults)) return;
    if (m_switch) scenario.project.nvcc_flags = {std::string("-") + k_switch, origin_of(m_switch)};
    if (const HostCompiler* own = given(*toolkit, scenario)) {
        scenario.project.host_compiler = *own;
        scenario.project.wanted = scenario.project.wanted || (own == &m_named && compiles_alone(scenario));
        return;
    }
    if (!defaults) return;
    if (is_missing_studio(*defaults, *toolkit)) return take_missing_studio(*defaults, scenario.project);
    if (!m_default.version && takes(*defaults, *toolkit, scenario)) take_default(*defaults, system, scenario);
}

void HostCompilers::take_default(const SystemCompiler& defaults, const Written& system,
                                 Scenario& scenario) const {
    HostCompiler& chosen = scenario.project.host_compiler;
    const bool with_nvcc = scenario.project.wanted || !scenario.recipe.compiles.empty();
    const bool msvc = defaults.family == "msvc";
    // A job of Windows that brings a toolkit and builds, builds with it; so does a project with device code.
    scenario.project.wanted =
        scenario.project.wanted || (msvc && (m_builds || m_bazel)) || (m_builds && compiles_alone(scenario));
    // nvcc takes the default one, unless the build passes it that of CC or CXX: the older of the two is the
    // better case.
    if (m_of_cxx.version && m_of_cxx.family != defaults.family) return;
    if (m_of_cxx.version && *m_of_cxx.version < *defaults.version) {
        chosen = m_of_cxx;
        return;
    }
    chosen.family = defaults.family;
    chosen.version = {*defaults.version, defaults.origin};
    chosen.version.origin.certainty = Certainty::predicted;
    chosen.chosen_by = origin_of(system);
    if (!msvc || !with_nvcc || !m_bare || !m_bare.known) return;
    chosen.trouble = "was not found";
    chosen.path = "cl.exe";
    chosen.chosen_by = origin_of(m_bare);
    chosen.chosen_by.variable = "PATH";
}

}  // namespace ptxguard::recipes
