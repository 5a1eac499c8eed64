// Measures everything that a table lists about a ptxas: version, newest PTX, architectures, its message about
// newer PTX.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/elf.hpp"
#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "probe/compile.hpp"
#include "probe/diagnose.hpp"
#include "probe/ptx_source.hpp"
#include "probe/work_folder.hpp"
#include "verify/part.hpp"

namespace ptxguard {

namespace {

constexpr const char* k_input = "next.ptx";
constexpr std::chrono::milliseconds k_limit{30000};

struct Ptxas {
    std::string program, folder;

    Command ask(const std::string& option) const {
        Command command;
        command.argv = {program, option};
        command.directory = folder;
        command.time_limit = k_limit;
        return command;
    }
    Command assemble(const std::string& input, Arch arch) const {
        Command command = ask("-arch=" + arch.sm());
        command.argv.insert(command.argv.end(), {input, "-o", input + "." + arch.sm() + ".cubin"});
        return command;
    }
};

std::string said(const ProcessResult& run) { return trim(run.err + run.out); }

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
std::vector<Arch> known_archs(const Host& host, const Ptxas& ptxas, std::vector<Arch> candidates) {
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    std::vector<Command> commands;
    for (Arch arch : candidates) commands.push_back(ptxas.assemble("arch.ptx", arch));
    const std::vector<ProcessResult> runs = host.run_all(commands);
    std::vector<Arch> known;
    for (std::size_t i = 0; i < runs.size() && i < candidates.size(); ++i) {
        const bool answered = runs[i].state == ProcessResult::State::exited;
        if (answered && !is_unknown_gpu_name(runs[i].err + runs[i].out)) known.push_back(candidates[i]);
    }
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

// Writes the two inputs and finds the newest version that it accepts.
std::optional<PtxVersion> newest_ptx(const Host& host, const Ptxas& ptxas, Arch arch) {
    const std::string path = join_path(ptxas.folder, k_input);
    if (own::write_file(path, minimal_ptx(k_absurd_ptx_version, arch))) return std::nullopt;
    const auto newest = current_version_in(said(host.run(ptxas.assemble(k_input, arch))));
    if (!newest || own::write_file(path, minimal_ptx({newest->major, newest->minor + 1}, arch)))
        return std::nullopt;
    if (own::write_file(join_path(ptxas.folder, "arch.ptx"), minimal_ptx(*newest, arch))) return std::nullopt;
    return newest;
}

Json refusal(const Host& host, const Ptxas& ptxas, Arch arch, PtxVersion newest) {
    const ProcessResult run = host.run(ptxas.assemble(k_input, arch));
    Json json = Json::object();
    json.set("tried", PtxVersion{newest.major, newest.minor + 1}.text());
    const std::string words = said(run);
    // As a POSIX shell counts: 12.0 crashes with SIGSEGV here after its message, -11.
    const bool crashed = run.state == ProcessResult::State::crashed;
    if (host.system() == System::linux_) json.set("rc", crashed ? -run.exit_code : run.exit_code);
    return json.set("text", trim(words.substr(0, words.find_first_of("\r\n"))));
}

}  // namespace

void measure_ptxas(const Host& host, const Facts& facts, MeasuredPart& measured) {
    WorkFolder work;
    const auto folder = work.path();
    const auto real = host.real_path(measured.part.path);
    if (!folder || !real) {
        measured.trouble = !folder ? folder.trouble().text() : real.trouble().text();
        return;
    }
    const Ptxas ptxas{*real, *folder};
    const ProcessResult version = host.run(ptxas.ask("--version"));
    measured.version = find_version(version.out, ", V");
    if (!measured.version) {
        const Diagnosis diagnosis = diagnose(version, ProbeKind::assemble, "ptxas", false);
        measured.trouble = "says no version: " + diagnosis.first_error;
        return;
    }
    const std::string help = gpu_name_help(host.run(ptxas.ask("--help")).out);
    std::vector<Arch> candidates = listed_archs(allowed_values(help));
    if (candidates.empty()) candidates = {{80, 0}};
    const Arch lowest = *std::min_element(candidates.begin(), candidates.end());
    const auto newest = newest_ptx(host, ptxas, lowest);
    if (!newest) {
        measured.trouble = "did not say which .version it reads";
        return;
    }
    for (Arch arch : facts.archs()) candidates.push_back(arch);
    Json archs = Json::object().set("values", names_of(known_archs(host, ptxas, candidates)));
    if (auto arch = default_arch(help)) archs.set("default", arch->sm());
    measured.values.set("ptx", Json::object().set("max", newest->text()));
    measured.values.set("ptxas_archs", std::move(archs));
    measured.values.set("refusal_of_newer_ptx", refusal(host, ptxas, lowest, *newest));
    const std::string glibc = newest_glibc(host, *real);
    if (!glibc.empty()) measured.values.set("ptxas_glibc", Json::object().set(measured.version->text, glibc));
}

}  // namespace ptxguard
