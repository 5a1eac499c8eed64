// Measures everything that a table lists about a ptxas: version, newest PTX, architectures, its message about
// newer PTX.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "ask/questions.hpp"
#include "ask/version.hpp"
#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/limit.hpp"
#include "probe/ptx_source.hpp"
#include "verify/part.hpp"

namespace ptxguard {

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
    const auto source = host.open(path);
    const auto dynamic = source ? read_elf_dynamic(*source) : Result<ElfDynamic>(source.trouble());
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
