// Measured with nvcc 13.0 --dryrun (11.8 and 12.4 ignore NVCC_CCBIN, otherwise they agree): the last of
// several -ccbin wins, so NVCC_APPEND_FLAGS overrides the command line (where CMake puts
// CMAKE_CUDA_HOST_COMPILER), which overrides NVCC_PREPEND_FLAGS, which overrides NVCC_CCBIN. Without any,
// nvcc calls `gcc` from PATH (cl.exe on Windows), where its nvcc.profile puts its own folder first (Debian's
// has a script of that name), and does not read CC or CXX. A folder means FOLDER/gcc.
// SPDX-License-Identifier: Apache-2.0
#include "discover/host_compiler.hpp"

#include <algorithm>
#include <set>

#include "discover/compilers_python.hpp"
#include "discover/profile.hpp"
#include "formats/header_defines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/json.hpp"

namespace ptxguard {

std::string ccbin_in(std::string flags) {
    std::replace(flags.begin(), flags.end(), ';', ' ');  // a list of CMake
    std::string last;
    for (const char* flag : {"-ccbin", "--compiler-bindir"})
        for (const auto& value : flag_values(flags, flag))
            last = starts_with(value, "=") ? value.substr(1) : value;
    return last;
}

namespace {

constexpr std::size_t k_host_config_size = 1u << 20;

struct Choice {
    std::string value;
    Origin origin;
};

Choice choice_of(const Host& host, const Request& request, bool reads_ccbin) {
    const auto variable = [&](const char* name) { return trim(host.env(name).value_or("")); };
    const auto from = [](const char* name, const std::string& value) {
        return Choice{value, Origin::from_variable(name, std::string(name) + "=" + value)};
    };
    if (const auto value = ccbin_in(variable("NVCC_APPEND_FLAGS")); !value.empty())
        return from("NVCC_APPEND_FLAGS", value);
    if (!request.cmake_host_compiler.empty()) {
        const auto flags = request.config_origin.find("cmake-host-compiler");
        const bool by_flags = flags != request.config_origin.end();
        return {request.cmake_host_compiler,
                Origin::from_option(by_flags ? flags->second : "CMAKE_CUDA_HOST_COMPILER")};
    }
    if (request.from_cmake && !variable("CUDAHOSTCXX").empty())
        return from("CUDAHOSTCXX", variable("CUDAHOSTCXX"));
    if (const auto value = ccbin_in(variable("NVCC_PREPEND_FLAGS")); !value.empty())
        return from("NVCC_PREPEND_FLAGS", value);
    if (const auto value = variable("NVCC_CCBIN"); reads_ccbin && !value.empty())
        return from("NVCC_CCBIN", value);
    const char* name = host.system() == System::windows ? "cl" : "gcc";
    return {name, Origin::from_variable("PATH", std::string("first ") + name + " on PATH")};
}

std::string family_of(const std::string& path) {
    const std::string name = lower(file_name(path));
    if (name == "cl" || name == "cl.exe" || name == "clang-cl" || name == "clang-cl.exe") return "msvc";
    if (name.find("clang") != std::string::npos) return "clang";
    if (name.find("gcc") != std::string::npos || name.find("g++") != std::string::npos) return "gcc";
    return {};
}

std::string trouble_of(const FileStatus& status) {
    if (status.type != FileType::regular) return "was not found";
    return status.executable ? "" : "is not executable";
}

}  // namespace

bool reads_nvcc_ccbin(const Host& host, const Part& nvcc) {
    if (nvcc.version && nvcc.version->major() >= 13) return true;
    if (nvcc.version && *nvcc.version < *parse_version("12.5")) return false;
    // Releases in between were not measured: an nvcc that reads the variable contains its name.
    const auto bytes = host.read(nvcc.real_path.empty() ? nvcc.path : nvcc.real_path, 128u << 20);
    return bytes && bytes->find("NVCC_CCBIN") != std::string::npos;
}

std::vector<std::string> fitting_compilers(const Host& host, const HostCompilerLimits& limits,
                                           const HostCompiler& compiler) {
    constexpr int k_majors_back = 6;
    std::vector<std::string> names;
    const auto add = [&](const char* stem, const std::optional<int>& newest) {
        for (int major = newest.value_or(0); major > std::max(0, newest.value_or(0) - k_majors_back);
             --major) {
            const std::string name = stem + std::to_string(major);
            if (!program_on_path(host, name).empty()) names.push_back(name);
        }
    };
    if (compiler.family != "clang") add("g++-", limits.gcc_max);
    add("clang++-", limits.clang_max);
    if (compiler.family == "clang") add("g++-", limits.gcc_max);
    return names;
}

void find_installed_msvc(const Host& host, const Toolkit& toolkit, const HostCompilerLimits* limits,
                         HostCompiler& compiler) {
    const Part* header = toolkit.part(PartKind::crt_headers);
    const auto text = header ? host.read(header->path, k_host_config_size) : Result<std::string>(Trouble{});
    HostConfig bounds = read_host_config(text ? *text : "");
    if (!bounds.msvc_ver_below && limits) {
        bounds.msvc_ver_min = limits->msvc_ver_min;
        bounds.msvc_ver_below = limits->msvc_ver_below;
    }
    for (const std::string& path : installed_msvc(host)) {
        const Known<Version> version = msvc_version(path);
        const int number = version->major() * 100 + version->minor();
        const bool fits = number >= bounds.msvc_ver_min.value_or(0) &&
                          (!bounds.msvc_ver_below || number < *bounds.msvc_ver_below);
        (fits ? compiler.fitting : compiler.unfit).push_back(path);
    }
}

void find_host_compiler(const Request& request, bool reads_ccbin, Questions& questions,
                        HostCompiler& compiler) {
    const Host& host = questions.ask().host();
    const Choice choice = choice_of(host, request, reads_ccbin);
    compiler.chosen_by = choice.origin;
    const bool bare = choice.value.find_first_of("/\\") == std::string::npos;
    compiler.path = bare ? program_on_path(host, choice.value) : normal_path(choice.value, host.system());
    if (host.status(compiler.path).type == FileType::directory)
        compiler.path = join_path(
            compiler.path, executable_name(host.system() == System::windows ? "cl" : "gcc", host.system()));
    if (compiler.path.empty()) compiler.path = choice.value;
    identify_host_compiler(questions, compiler);
}

std::string own_gcc(const Host& host, const Part& nvcc) {
    if (host.system() == System::windows) return {};
    const std::string path =
        join_path(parent_path(nvcc.real_path.empty() ? nvcc.path : nvcc.real_path), "gcc");
    const FileStatus status = host.status(path);
    return status.type == FileType::regular && status.executable ? path : std::string();
}

void identify_host_compiler(Questions& questions, HostCompiler& compiler) {
    const Host& host = questions.ask().host();
    const bool is_there = compiler.path.find_first_of("/\\") != std::string::npos;
    const FileStatus status = is_there ? host.status(compiler.path) : FileStatus{};
    compiler.family = family_of(compiler.path);
    compiler.trouble = trouble_of(status);
    if (status.type == FileType::regular && compiler.family == "msvc")
        compiler.version = msvc_version(compiler.path);
    if (!compiler.trouble.empty() || compiler.family == "msvc") return;
    if (host.foreign()) {
        compiler.version = version_in_files(host, compiler);
        return;
    }
    const bool clang = compiler.family == "clang";
    const Question question =
        version_question(host, compiler.path,
                         clang ? std::vector<std::string>{"--version"}
                               : std::vector<std::string>{"-dumpfullversion", "-dumpversion"});
    questions.add(question, [&compiler, question, clang](const Answer& answer) {
        const SaidVersion said = said_version(question, answer, clang ? "version " : "");
        compiler.version = said.version;
        if (!answer.ok()) compiler.trouble = said.trouble;  // others print any text
        return answer.ok();
    });
}

// Installations are found as vswhere finds them, by the state files of the installer, and in the default
// folders, which an unpacked tree also has.

namespace {

constexpr std::size_t k_state_size = 4u << 20;

std::vector<std::string> folders_in(const Host& host, const std::string& folder) {
    std::vector<std::string> found;
    for (const DirectoryEntry& entry : entries_in(host, folder))
        if (entry.type == FileType::directory) found.push_back(join_path(folder, entry.name));
    return found;
}

void add_by_state_files(const Host& host, std::vector<std::string>& installations) {
    const std::string data = host.env("ProgramData").value_or("C:/ProgramData");
    for (const std::string& instance :
         folders_in(host, join_path(data, "Microsoft/VisualStudio/Packages/_Instances"))) {
        const std::string file = join_path(instance, "state.json");
        auto text = host.read(file, k_state_size);
        if (!text) continue;
        if (starts_with(*text, "\xEF\xBB\xBF")) text->erase(0, 3);
        const auto state = parse_json(*text, file);
        const std::string path = state ? (*state)["installationPath"].as_string() : "";
        if (!path.empty()) installations.push_back(path);
    }
}

// Program Files/Microsoft Visual Studio/2022/BuildTools
void add_default_folders(const Host& host, std::vector<std::string>& installations) {
    std::set<std::string> programs = {"C:/Program Files", "C:/Program Files (x86)"};
    for (const char* name : {"ProgramFiles", "ProgramW6432", "ProgramFiles(x86)"})
        if (const auto folder = host.env(name)) programs.insert(normal_path(*folder, System::windows));
    for (const std::string& folder : programs)
        for (const std::string& release : folders_in(host, join_path(folder, "Microsoft Visual Studio")))
            for (const std::string& edition : folders_in(host, release)) installations.push_back(edition);
}

}  // namespace

Known<Version> msvc_version(const std::string& path) {
    const std::size_t at = lower(path).find("/msvc/");
    if (at == std::string::npos) return {};
    const auto toolset = parse_version(path.substr(at + 6, path.find('/', at + 6) - at - 6));
    if (!toolset || toolset->major() != 14) return {};
    Origin origin = Origin::from_file(path);
    origin.text = "toolset folder " + toolset->text;
    const std::string text = "19." + toolset->text.substr(3);
    if (const auto version = parse_version(text)) return {*version, origin};
    return {};
}

std::vector<std::string> installed_msvc(const Host& host) {
    std::vector<std::string> installations, compilers;
    if (host.system() != System::windows) return compilers;
    for (const char* name : {"VSINSTALLDIR", "VCINSTALLDIR"})
        if (const auto folder = host.env(name)) installations.push_back(*folder);
    add_by_state_files(host, installations);
    add_default_folders(host, installations);
    std::set<std::string> seen;
    for (const std::string& installation : installations)
        for (const char* below : {"VC/Tools/MSVC", "Tools/MSVC"}) {
            const std::string toolsets = join_path(normal_path(installation, System::windows), below);
            for (const std::string& toolset : folders_in(host, toolsets)) {
                const std::string compiler = join_path(toolset, "bin/Hostx64/x64/cl.exe");
                if (is_file(host, compiler) && msvc_version(compiler) && seen.insert(lower(compiler)).second)
                    compilers.push_back(compiler);
            }
        }
    std::stable_sort(compilers.begin(), compilers.end(), [](const std::string& a, const std::string& b) {
        return *msvc_version(b) < *msvc_version(a);
    });
    return compilers;
}

}  // namespace ptxguard
