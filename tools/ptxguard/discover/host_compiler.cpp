// Measured with nvcc 13.0 --dryrun (11.8 and 12.4 ignore NVCC_CCBIN, otherwise they agree): the last of
// several -ccbin wins, so NVCC_APPEND_FLAGS overrides the command line (where CMake puts
// CMAKE_CUDA_HOST_COMPILER), which overrides NVCC_PREPEND_FLAGS, which overrides NVCC_CCBIN. Without any,
// nvcc calls `gcc` from PATH (cl.exe on Windows) and does not read CC or CXX. A folder means FOLDER/gcc.
// SPDX-License-Identifier: Apache-2.0
#include "discover/host_compiler.hpp"

#include <algorithm>

#include "discover/compiler_files.hpp"
#include "discover/profile.hpp"
#include "discover/visual_studio.hpp"
#include "formats/host_config.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"

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
    const FileStatus status = compiler.path.empty() ? FileStatus{} : host.status(compiler.path);
    if (compiler.path.empty()) compiler.path = choice.value;
    compiler.family = family_of(compiler.path);
    if (status.type != FileType::regular)
        compiler.trouble = "was not found";
    else if (!status.executable)
        compiler.trouble = "is not executable";
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

}  // namespace ptxguard
