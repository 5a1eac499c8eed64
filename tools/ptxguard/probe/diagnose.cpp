// The table of failure messages, most specific first, and how the failing component is read from a line.
// SPDX-License-Identifier: Apache-2.0
#include "probe/diagnose.hpp"

#include <array>
#include <vector>

#include "host/paths.hpp"

namespace ptxguard {

namespace {

// The component that a line blames: a fixed one, or the one in the line.
enum class Blame { fixed, in_line, shell, include };

struct Pattern {
    const char* first;  // both strings are in one line
    const char* second;
    Outcome outcome;
    Blame blame;
    Culprit culprit;  // of Blame::fixed, and if the line contains none
    Failure failure = Failure::other;
};

constexpr Outcome k_refused = Outcome::refused;
constexpr Outcome k_broken = Outcome::broken;
constexpr Outcome k_unknown = Outcome::unknown;

const std::vector<Pattern>& patterns() {
    static const std::vector<Pattern> k_patterns = {
        // Our own error, not one of the toolchain.
        {"No space left on device", "", k_unknown, Blame::fixed, Culprit::temporary_folder},
        {"not allowed when compiling for multiple GPU", "", k_unknown, Blame::fixed, Culprit::nvcc},
        {"nvcc fatal", "Could not open output file", k_unknown, Blame::fixed, Culprit::temporary_folder},
        // The loader.
        {"error while loading shared libraries", "", k_broken, Blame::in_line, Culprit::unknown},
        {"version `", "' not found", k_broken, Blame::in_line, Culprit::unknown},
        {"cannot open shared object file", "", k_broken, Blame::in_line, Culprit::unknown},
        // The host linkers, of CUDA's runtime (GNU ld and gold, lld, mold, Microsoft's) and of other files.
        {"cannot find -lcud", "", k_refused, Blame::fixed, Culprit::unknown, Failure::library},
        {"unable to find library -lcud", "", k_refused, Blame::fixed, Culprit::unknown, Failure::library},
        {"library not found: cud", "", k_refused, Blame::fixed, Culprit::unknown, Failure::library},
        {"fatal error LNK11", "file 'cud", k_refused, Blame::fixed, Culprit::unknown, Failure::library},
        {"ld: cannot find ", "", k_refused, Blame::fixed, Culprit::host_compiler},
        // The shell that starts nvcc's programs, and cmd.exe.
        {"sh: ", "not found", k_broken, Blame::shell, Culprit::unknown},
        {"sh: ", "No such file or directory", k_broken, Blame::shell, Culprit::unknown},
        {"sh: ", "Exec format error", k_broken, Blame::shell, Culprit::unknown},
        {"sh: ", "cannot execute", k_broken, Blame::shell, Culprit::unknown},
        {"sh: ", "Permission denied", k_broken, Blame::shell, Culprit::unknown},
        {"is not recognized as an internal or external command", "", k_broken, Blame::shell,
         Culprit::unknown},
        {"died due to signal", "", k_broken, Blame::shell, Culprit::unknown},
        {"died with status", "", k_broken, Blame::shell, Culprit::unknown},
        // PTX and architectures.
        {"Unsupported .version", "", k_refused, Blame::fixed, Culprit::ptxas, Failure::ptx_version},
        {"Unsupported gpu architecture", "", k_refused, Blame::fixed, Culprit::nvcc, Failure::architecture},
        {"specified with --nv_arch flag", "", k_refused, Blame::fixed, Culprit::cicc, Failure::architecture},
        {"is not defined for option 'gpu-name'", "", k_refused, Blame::in_line, Culprit::ptxas,
         Failure::architecture},
        {"is not defined for option 'gpu-", "", k_refused, Blame::in_line, Culprit::ptxas},
        {"Unsupported .target", "", k_refused, Blame::fixed, Culprit::ptxas, Failure::architecture},
        {"for the --gpu-name option", "Cannot find option named", k_refused, Blame::fixed, Culprit::unknown,
         Failure::architecture},
        {"Missing .version directive", "", k_refused, Blame::fixed, Culprit::ptxas},
        {"Unresolved extern", "", k_unknown, Blame::fixed, Culprit::ptxas, Failure::unlinked},
        // One program left no input for the next.
        {"ptxas", ".ptx' could not be opened", k_broken, Blame::fixed, Culprit::cicc},
        {"fatbinary", "Could not open input file", k_broken, Blame::fixed, Culprit::ptxas},
        {"cannot open module id file", "", k_broken, Blame::fixed, Culprit::cudafe},
        {".fatbin.c", "No such file or directory", k_broken, Blame::fixed, Culprit::fatbinary},
        {".cudafe1.stub.c", "No such file or directory", k_broken, Blame::fixed, Culprit::cudafe},
        {".cudafe1.cpp", "No such file or directory", k_broken, Blame::fixed, Culprit::cudafe},
        // The host compiler.
        {"unsupported GNU version", "", k_refused, Blame::fixed, Culprit::host_compiler,
         Failure::host_compiler},
        {"unsupported clang version", "", k_refused, Blame::fixed, Culprit::host_compiler,
         Failure::host_compiler},
        {"unsupported Microsoft Visual Studio version", "", k_refused, Blame::fixed, Culprit::host_compiler,
         Failure::host_compiler},
        {"unsupported ICC configuration", "", k_refused, Blame::fixed, Culprit::host_compiler,
         Failure::host_compiler},
        {"Host compiler targets unsupported OS", "", k_refused, Blame::fixed, Culprit::host_compiler},
        {"Cannot find compiler '", "", k_broken, Blame::fixed, Culprit::host_compiler},
        {"cannot execute", "cc1plus", k_broken, Blame::fixed, Culprit::host_compiler},
        {"trying to exec", "cc1plus", k_broken, Blame::fixed, Culprit::host_compiler},
        {"gcc: No such file or directory", "", k_broken, Blame::fixed, Culprit::host_compiler},
        {"++: No such file or directory", "", k_broken, Blame::fixed, Culprit::host_compiler},
        {"Failed to preprocess host compiler properties", "", k_broken, Blame::fixed, Culprit::host_compiler},
        // Headers.
        {"exception specification is incompatible with that of previous function", "crt/math_functions.h",
         k_refused, Blame::fixed, Culprit::crt_headers, Failure::c_library},
        {"__cudaLaunch", "", k_refused, Blame::fixed, Culprit::crt_headers},
        {"fatal error:", "No such file or directory", k_refused, Blame::include, Culprit::unknown},
        {"fatal error:", "file not found", k_refused, Blame::include, Culprit::unknown},
        {"Cannot open include file", "", k_refused, Blame::include, Culprit::unknown},
        {"could not open source file", "", k_refused, Blame::include, Culprit::unknown},
        {"libdevice", "", k_refused, Blame::fixed, Culprit::libdevice},
    };
    return k_patterns;
}

constexpr std::array<Culprit, 6> k_parts = {Culprit::cudafe, Culprit::fatbinary, Culprit::nvlink,
                                            Culprit::ptxas,  Culprit::cicc,      Culprit::nvcc};

Culprit known_part(const std::string& name) {
    for (const Culprit part : k_parts)
        if (name == to_string(part) || name == std::string(to_string(part)) + ".exe") return part;
    for (const char* compiler : {"gcc", "g++", "cc1plus", "clang", "clang++", "cl.exe", "cl", "as"})
        if (name == compiler) return Culprit::host_compiler;
    return Culprit::unknown;
}

// The first word of the line that is a component or the path of one: "ptxas fatal", "/opt/bin/cicc: IO
// error", "nvcc error : 'cicc' died" (the quoted one, with `shell`).
Culprit named_part(const std::string& line, bool shell) {
    if (shell)
        for (const Culprit part :
             {Culprit::cicc, Culprit::cudafe, Culprit::ptxas, Culprit::fatbinary, Culprit::nvlink})
            if (line.find("'" + std::string(to_string(part)) + "'") != std::string::npos) return part;
    for (const std::string& word : split(line, " \t:,;\"'"))
        if (const Culprit part = known_part(file_name(word)); part != Culprit::unknown) return part;
    return Culprit::unknown;
}

// Which component's header cannot be opened: "<command-line>: fatal error: cuda_runtime.h: No such file or
// directory".
Culprit missing_header_owner(const std::string& line) {
    if (line.find("crt/") != std::string::npos || line.find("host_config.h") != std::string::npos)
        return Culprit::crt_headers;
    if (line.find("cuda_runtime") != std::string::npos) return Culprit::runtime_headers;
    return Culprit::headers;
}

Culprit culprit_of(const Pattern& pattern, const std::string& line) {
    switch (pattern.blame) {
        case Blame::fixed: return pattern.culprit;
        case Blame::include: return missing_header_owner(line);
        case Blame::shell: return named_part(line, true);
        case Blame::in_line: break;
    }
    const Culprit named = named_part(line, false);
    return named == Culprit::unknown ? pattern.culprit : named;
}

bool matches(const Pattern& pattern, const std::string& line) {
    return line.find(pattern.first) != std::string::npos &&
           (*pattern.second == '\0' || line.find(pattern.second) != std::string::npos);
}

bool says_error(const std::string& line) {
    std::string small = lower(line);
    return small.find("error") != std::string::npos || small.find("fatal") != std::string::npos;
}

// No pattern matches: the line starts with a component ("ptxas fatal   : ..."), or has the format of a known
// compiler.
Culprit component_reporting(const std::string& line, ProbeKind kind) {
    for (const Culprit part : k_parts)
        if (starts_with(line, to_string(part))) return part;
    if (line.find("/crt/") != std::string::npos) return Culprit::crt_headers;
    if (line.find(": error:") != std::string::npos || line.find(": fatal error:") != std::string::npos)
        return Culprit::host_compiler;  // gcc and clang: file:line:column: error:
    // The front end of cicc and cudafe++: "file(line): error", "Command-line error: invalid option:
    // --simt-only".
    for (const char* form : {"): error", "): catastrophic error", "Command-line error"}) {
        if (line.find(form) != std::string::npos)
            return kind == ProbeKind::ptx ? Culprit::cicc : Culprit::cudafe;
    }
    return named_part(line, false);
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    for (const std::string& line : split(text, "\r\n")) {
        std::string trimmed = trim(line);
        if (!trimmed.empty()) lines.push_back(trimmed);
    }
    return lines;
}

std::string capped(const std::string& line) {
    constexpr std::size_t k_longest = 400;  // cudafe++'s generated lines run to thousands of characters
    if (line.size() <= k_longest) return line;
    std::size_t end = k_longest;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    return line.substr(0, end) + " ...";
}

std::optional<PtxVersion> version_after(std::string_view text, std::string_view marker) {
    const std::size_t at = text.find(marker);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + marker.size());
    return parse_ptx_version(text.substr(0, text.find_first_not_of("0123456789.")));
}

}  // namespace

std::optional<PtxVersion> current_version_in(std::string_view text) {
    return version_after(text, "current version is '");
}

bool is_unknown_gpu_name(std::string_view text) {
    return text.find("is not defined for option 'gpu-name'") != std::string_view::npos;
}

Diagnosis diagnose_text(std::string_view text, ProbeKind kind) {
    Diagnosis diagnosis;
    diagnosis.refused = version_after(text, "Unsupported .version ");
    diagnosis.accepts_up_to = current_version_in(text);
    const std::vector<std::string> lines = lines_of(text);
    for (const Pattern& pattern : patterns()) {
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const std::string& line = lines[i];
            if (!matches(pattern, line)) continue;
            diagnosis.outcome = pattern.outcome;
            bool use_previous = line.find("Failed to preprocess") != std::string::npos && i > 0;
            diagnosis.first_error = capped(use_previous ? lines[i - 1] : line);
            diagnosis.failure = pattern.failure;
            diagnosis.culprit = culprit_of(pattern, line);
            return diagnosis;
        }
    }
    for (const std::string& line : lines) {
        if (!says_error(line) || line.find("warning") != std::string::npos) continue;
        diagnosis.outcome = Outcome::refused;
        diagnosis.first_error = capped(line);
        diagnosis.culprit = component_reporting(line, kind);
        return diagnosis;
    }
    diagnosis.outcome = Outcome::broken;  // it failed without a reason
    if (!lines.empty()) diagnosis.first_error = capped(lines.front());
    return diagnosis;
}

namespace {

std::string seconds(double milliseconds) {
    long long tenths = static_cast<long long>(milliseconds / 100);
    return std::to_string(tenths / 10) + (tenths % 10 ? "." + std::to_string(tenths % 10) : "") + " s";
}

Diagnosis broken(std::string words, Culprit culprit, Failure failure = Failure::other) {
    Diagnosis diagnosis;
    diagnosis.failure = failure;
    diagnosis.outcome = Outcome::broken;
    diagnosis.first_error = std::move(words);
    diagnosis.culprit = culprit;
    return diagnosis;
}

bool says_refusal(const std::string& text) {
    for (const char* words : {"Unsupported .version", "Unsupported .target", "Missing .version directive",
                              "Missing .target directive", "is not defined for option 'gpu-"})
        if (text.find(words) != std::string::npos) return true;
    return false;
}

// nvcc's shell adds 128 to the signal that ended a component.
bool part_crashed(const ProcessResult& run, const std::string& text) {
    return (run.exit_code > 128 && run.exit_code < 160) ||
           text.find("Segmentation fault") != std::string::npos;
}

// It reported success but wrote nothing. A warning is not the cause; a message of the loader or shell is.
Diagnosis made_nothing(Diagnosis diagnosis, Culprit started) {
    if (diagnosis.outcome != Outcome::unknown) diagnosis.outcome = Outcome::broken;
    if (diagnosis.culprit == Culprit::unknown) diagnosis.culprit = started;
    const std::string said = diagnosis.first_error.empty() ? "" : ", said: " + diagnosis.first_error;
    diagnosis.first_error = "ended with exit code 0 but made nothing" + said;
    return diagnosis;
}

}  // namespace

Diagnosis diagnose(const Answer& run, ProbeKind kind, const std::string& program, bool made) {
    const Culprit started = from_word<Culprit>(program).value_or(Culprit::unknown);
    if (run.no_folder) {
        Diagnosis diagnosis = broken("no folder to compile in: " + run.trouble, Culprit::temporary_folder);
        diagnosis.outcome = Outcome::unknown;
        return diagnosis;
    }
    const std::string text = run.err + "\n" + run.out;
    switch (run.state) {
        case ProcessResult::State::not_started:
            return broken("could not be started: " + run.trouble, started, Failure::not_started);
        case ProcessResult::State::timed_out:
            return broken("did not end within " + seconds(run.milliseconds), started);
        case ProcessResult::State::crashed:
            // ptxas 12.0 prints why it refuses the PTX, and crashes with SIGSEGV during cleanup.
            if (kind == ProbeKind::assemble && says_refusal(text)) return diagnose_text(text, kind);
            return broken("crashed (signal or exception " + std::to_string(run.exit_code) + ")", started);
        case ProcessResult::State::exited: break;
    }
    if (run.exit_code == 0 && made) return {};
    Diagnosis diagnosis = diagnose_text(text, kind);
    if (run.exit_code == 0) return made_nothing(std::move(diagnosis), started);
    const bool known = diagnosis.culprit != Culprit::unknown;
    if (!known && part_crashed(run, text)) {
        return broken("a program that " + program + " started crashed (exit code " +
                          std::to_string(run.exit_code) + ")",
                      Culprit::unknown);
    }
    if (diagnosis.first_error.empty())
        diagnosis.first_error = "ended with exit code " + std::to_string(run.exit_code) + " without output";
    if (!known) diagnosis.culprit = started;
    return diagnosis;
}

bool worth_keeping(const ProbeResult& result) {
    return result.outcome == Outcome::accepted || result.outcome == Outcome::refused;
}

void take_run(ProbeResult& result, const Answer& run, const Diagnosis& diagnosis) {
    result.cached = run.cached;
    result.exit_code = run.exit_code;
    result.timed_out = run.state == ProcessResult::State::timed_out;
    result.crashed = run.state == ProcessResult::State::crashed;
    result.milliseconds = run.milliseconds;
    result.words = run.no_folder ? run.trouble : trim(run.err + "\n" + run.out).substr(0, k_words_cap);
    result.outcome = diagnosis.outcome;
    result.first_error = diagnosis.first_error;
    result.failure = diagnosis.failure;
    if (!result.ptx) result.ptx = diagnosis.refused;
    result.culprit = diagnosis.culprit;
    result.accepts_up_to = diagnosis.accepts_up_to;
}

}  // namespace ptxguard
