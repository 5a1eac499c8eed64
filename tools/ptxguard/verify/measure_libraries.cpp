// Libraries that compile, each called in a child process, and the header with the limits of host compilers.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ask/questions.hpp"
#include "ask/version.hpp"
#include "formats/elf.hpp"
#include "formats/header_defines.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/owner.hpp"
#include "probe/compile.hpp"
#include "probe/compiler_libraries.hpp"
#include "probe/diagnose.hpp"
#include "probe/ptx_source.hpp"
#include "probe/reading.hpp"
#include "probe/task.hpp"
#include "verify/part.hpp"

namespace ptxguard {
namespace {

constexpr std::chrono::milliseconds k_library_limit{60000};

std::string trouble_of(const EngineResult& result) {
    if (!result.trouble.empty()) return result.trouble;
    for (const EngineAnswer& answer : result.answers)
        if (answer.outcome == Outcome::broken) return answer.first_error;
    return {};
}

Result<ElfDynamic> dynamic_of(const Host& host, const std::string& path) {
    const auto source = host.open(path);
    return source ? read_elf_dynamic(*source) : Result<ElfDynamic>(source.trouble());
}

std::string soname_of(const Host& host, const std::string& path) {
    const auto dynamic = dynamic_of(host, path);
    if (!dynamic) return {};
    // auditwheel renames: "libnvrtc-5e8a26c9.so.10.1".
    const auto so = dynamic->soname.find(".so");
    return so == std::string::npos ? dynamic->soname
                                   : without_hash(dynamic->soname.substr(0, so)) + dynamic->soname.substr(so);
}

// Its builtins under the shortest complete name: "libnvrtc-builtins.so.12.9", not .so.12.9.86 of Debian's
// packages.
std::string builtins_name(const Host& host, const std::string& path) {
    std::string longest;
    for (const std::string& file : builtins_beside(host, path)) {
        const std::string name = file_name(file);
        const bool numbered = std::count(name.begin(), name.end(), '.') <= 3;
        if (numbered && name.size() > longest.size() && name.find(".alt") == std::string::npos)
            longest = name;
    }
    return longest;
}

// "Based on NVVM 20.0.0", of old releases "Based on LLVM 3.4svn"
std::string nvvm_line(const std::string& ptx) {
    const std::size_t at = ptx.find("Based on ");
    return at == std::string::npos ? "" : trim(ptx.substr(at, ptx.find_first_of("\r\n", at) - at));
}

// The last: of the newest architecture.
const EngineAnswer* accepted(const EngineResult& result) {
    const EngineAnswer* last = nullptr;
    for (const EngineAnswer& answer : result.answers)
        if (answer.outcome == Outcome::accepted) last = &answer;
    return last;
}

// The exact build if its banner contains it, because the library itself reports only the release.
std::optional<Version> build_of(const Host& host, const std::string& path,
                                const std::optional<Version>& release) {
    const auto source = host.open(path);
    const auto banner = source ? banner_version(*source) : std::nullopt;
    return banner && (!release || same_release(*banner, *release)) ? banner : release;
}

// For a toolkit, the package that installed it, otherwise its ptxas.
std::optional<Version> release_of_header(const Host& host, const std::string& path) {
    const auto packaged = PackageOwners(host).owner(path, {"cuda-crt", "cuda-nvcc"}).version;
    if (packaged) return *packaged;
    const std::string root =
        parent_path(parent_path(parent_path(real_or_same(host, path))));  // of include/crt/
    for (const char* name : {"bin/ptxas", "bin/ptxas.exe"}) {
        const auto source = host.open(join_path(root, name));
        if (source) return banner_version(*source);
    }
    return std::nullopt;
}

}  // namespace

void measure_nvrtc(const Host& host, const Facts& facts, MeasuredPart& measured) {
    const std::string path = host.native_path(measured.part.path);
    NvrtcSample sample;
    EngineResult result = nvrtc_result(path, sample, host.run(nvrtc_command(path, sample, k_library_limit)));
    measured.trouble = trouble_of(result);
    if (!measured.trouble.empty()) return;
    // The oldest and the newest of its own list: a release contains two compilers, one for each end.
    sample.archs = facts.archs();
    if (result.lists_archs && !result.archs.empty())
        sample.archs = {result.archs.front(), result.archs.back()};
    result = nvrtc_result(path, sample, host.run(nvrtc_command(path, sample, k_library_limit)));
    measured.trouble = trouble_of(result);
    measured.version = result.version;
    Json names = Json::array();
    for (Arch arch : result.archs) names.push(arch.compute());
    if (!result.lists_archs)
        for (const EngineAnswer& answer : result.answers)
            if (answer.outcome == Outcome::accepted) names.push(answer.arch->compute());
    Json nvrtc = Json::object().set("archs", std::move(names));
    if (const EngineAnswer* answer = accepted(result)) {
        if (const auto build = read_ptx_head(answer->ptx).compiler) measured.version = build;
        nvrtc.set("ptx_isa_emitted", answer->ptx_version->text());
        nvrtc.set("nvvm_line", nvvm_line(answer->ptx));
    }
    const std::string soname = soname_of(host, measured.part.path),
                      builtins = builtins_name(host, measured.part.path);
    if (!soname.empty()) nvrtc.set("soname", soname);
    if (!builtins.empty() && host.system() == System::linux_) nvrtc.set("builtins", builtins);
    measured.values.set("nvrtc", std::move(nvrtc));
}

void measure_nvvm(const Host& host, const Facts&, MeasuredPart& measured) {
    const std::string path = host.native_path(measured.part.path);
    const NvvmSample sample{"", {{80, 0}}};
    const EngineResult result =
        nvvm_result(path, sample, host.run(nvvm_command(path, sample, k_library_limit)));
    measured.trouble = trouble_of(result);
    measured.version = result.version;
    if (const EngineAnswer* answer = accepted(result))
        measured.values.set("ptx", Json::object().set("max", answer->ptx_version->text()));
    else if (measured.trouble.empty())
        measured.trouble = "makes no PTX for sm_80";
}

void measure_nvjitlink(const Host& host, const Facts&, MeasuredPart& measured) {
    const std::string path = host.native_path(measured.part.path);
    NvJitLinkSample sample;
    sample.limit = true;
    const EngineResult result =
        nvjitlink_result(path, sample, host.run(nvjitlink_command(path, sample, k_library_limit)));
    measured.trouble = trouble_of(result);
    measured.version = build_of(host, measured.part.path, result.version);
    if (result.accepts_up_to)
        measured.values.set("ptx", Json::object().set("max", result.accepts_up_to->text()));
    else if (measured.trouble.empty())
        measured.trouble = "did not say which .version it reads";
}

void measure_driver_jit(const Host& host, const Facts&, MeasuredPart& measured) {
    JitLibrary library;
    library.path = host.native_path(measured.part.path);
    measured.version = find_version(file_name(real_or_same(host, measured.part.path)), ".so.");
    if (measured.version && measured.version->numbers.size() < 2) measured.version.reset();  // ".so.1"
    const PtxSample sample;
    const auto results =
        jit_results({}, library, sample, ask_now(host, jit_question(library, sample, k_library_limit)));
    if (results.empty() || !results.front().accepts_up_to)
        measured.trouble = results.empty() || results.front().first_error.empty()
                               ? "did not say which .version it reads"
                               : results.front().first_error;
    else
        measured.values.set("ptx_max", results.front().accepts_up_to->text());
}

void measure_host_config(const Host& host, const Facts&, MeasuredPart& measured) {
    const auto text = host.read(measured.part.path);
    if (!text) {
        measured.trouble = text.trouble().text();
        return;
    }
    const HostConfig limits = read_host_config(*text);
    if (limits.empty()) {
        measured.trouble = "sets no limit to any host compiler (the file of the folder crt does)";
        return;
    }
    measured.version = release_of_header(host, measured.part.path);
    Json json = Json::object();
    const auto set = [&](const char* name, const std::optional<int>& value) {
        if (value) json.set(name, *value);
    };
    set("gcc_max", limits.gcc_max);
    set("clang_max", limits.clang_max);
    set("msvc_ver_min", limits.msvc_ver_min);
    set("msvc_ver_below", limits.msvc_ver_below);
    measured.values.set("host_compilers", std::move(json));
}

// Measures everything that a table lists about a ptxas: version, newest PTX, architectures, its message
// about newer PTX.

namespace {

constexpr const char* k_input = "next.ptx";
constexpr std::chrono::milliseconds k_ptxas_limit{30000};

struct Ptxas {
    Asker ask;
    std::string program;

    // An empty kernel of this version.
    Question assembly(PtxVersion version, Arch kernel, Arch arch) const {
        Question question;
        question.command.argv = {program, "-arch=" + arch.sm(), k_input, "-o", arch.sm() + ".cubin"};
        question.command.time_limit = k_ptxas_limit;
        question.reads = {{k_input, minimal_ptx(version, kernel)}};
        return question;
    }
};

// Only the text of the option gpu-name: other options' texts name architectures as examples.
std::string gpu_name_help(const std::string& help) {
    const std::size_t start = help.find("--gpu-name");
    if (start == std::string::npos) return {};
    const std::size_t end = help.find("\n--", start);
    return help.substr(start, end == std::string::npos ? end : end - start);
}

std::string allowed_values(const std::string& gpu_name) {
    const std::size_t at = gpu_name.find("Allowed values");
    return at == std::string::npos ? "" : gpu_name.substr(at);
}

// After "Default value:".
std::optional<Arch> default_arch(const std::string& gpu_name) {
    const std::size_t at = gpu_name.find("Default value:");
    const std::size_t start = at == std::string::npos ? at : gpu_name.find('\'', at);
    if (start == std::string::npos) return std::nullopt;
    const std::size_t end = gpu_name.find('\'', start + 1);
    return end == std::string::npos ? std::nullopt : parse_arch(gpu_name.substr(start + 1, end - start - 1));
}

// The supported candidates, tested with an empty kernel of the lowest one.
std::vector<Arch> known_archs(const Ptxas& ptxas, PtxVersion version, Arch lowest,
                              std::vector<Arch> candidates) {
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::vector<Arch> known;
    Questions questions(ptxas.ask);
    for (Arch arch : candidates)
        questions.add(ptxas.assembly(version, lowest, arch), [&known, arch](const Answer& answer) {
            const bool answered = answer.state == ProcessResult::State::exited;
            if (answered && !is_unknown_gpu_name(answer.err + answer.out)) known.push_back(arch);
            return false;
        });
    questions.run();
    return known;
}

Json names_of(const std::vector<Arch>& archs) {
    Json names = Json::array();
    for (Arch arch : archs) names.push(arch.sm());
    return names;
}

// Newest GLIBC symbol version that the program needs; empty for a static or Windows program.
std::string newest_glibc(const Host& host, const std::string& path) {
    const auto dynamic = dynamic_of(host, path);
    if (!dynamic) return {};
    std::optional<Version> newest;
    for (const ElfNeededVersion& needed : dynamic->needed_versions) {
        if (!starts_with(needed.version, "GLIBC_")) continue;
        const auto version = parse_version(needed.version.substr(6));
        if (version && (!newest || *newest < *version)) newest = version;
    }
    return newest ? newest->text : "";
}

Json refusal(const Ptxas& ptxas, Arch arch, PtxVersion newest) {
    const PtxVersion next{newest.major, newest.minor + 1};
    const Answer run = ask_now(ptxas.ask, ptxas.assembly(next, arch, arch));
    Json json = Json::object();
    json.set("tried", next.text());
    const std::string words = trim(run.err + run.out);
    // As a POSIX shell counts: 12.0 crashes with SIGSEGV here after its message, -11.
    const bool crashed = run.state == ProcessResult::State::crashed;
    if (ptxas.ask.host().system() == System::linux_) json.set("rc", crashed ? -run.exit_code : run.exit_code);
    return json.set("text", trim(words.substr(0, words.find_first_of("\r\n"))));
}

}  // namespace

void measure_ptxas(const Host& host, const Facts& facts, MeasuredPart& measured) {
    const auto real = host.real_path(measured.part.path);
    if (!real) {
        measured.trouble = real.trouble().text();
        return;
    }
    const Ptxas ptxas{Asker(host), *real};
    const Question version = version_question(host, *real);
    const Answer said = ask_now(ptxas.ask, version);
    measured.version = said_version(version, said, k_cuda_marker).version.value;
    if (!measured.version) {
        measured.trouble =
            "says no version: " + diagnose(said, ProbeKind::assemble, "ptxas", false).first_error;
        return;
    }
    const std::string help = gpu_name_help(ask_now(ptxas.ask, version_question(host, *real, {"--help"})).out);
    std::vector<Arch> candidates = listed_archs(allowed_values(help));
    if (candidates.empty()) candidates = {{80, 0}};
    const Arch lowest = *std::min_element(candidates.begin(), candidates.end());
    const auto newest = ptxas_limits(ptxas.ask, {*real}, k_ptxas_limit).front().accepts_up_to;
    if (!newest) {
        measured.trouble = "did not say which .version it reads";
        return;
    }
    for (Arch arch : facts.archs()) candidates.push_back(arch);
    Json archs = Json::object().set("values", names_of(known_archs(ptxas, *newest, lowest, candidates)));
    if (auto arch = default_arch(help)) archs.set("default", arch->sm());
    measured.values.set("ptx", Json::object().set("max", newest->text()));
    measured.values.set("ptxas_archs", std::move(archs));
    measured.values.set("refusal_of_newer_ptx", refusal(ptxas, lowest, *newest));
    const std::string glibc = newest_glibc(host, *real);
    if (!glibc.empty()) measured.values.set("ptxas_glibc", Json::object().set(measured.version->text, glibc));
}

}  // namespace ptxguard
