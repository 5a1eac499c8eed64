// The table of failure messages, most specific first, and how the failing component is read from a line.
// SPDX-License-Identifier: Apache-2.0
#include "probe/diagnose.hpp"

#include <array>
#include <vector>

#include "host/paths.hpp"

namespace ptxguard {

namespace {

// Which component a line blames: a fixed one, or the one in the line.
enum class Blame { fixed, speaker, shell, include };

struct Pattern {
    const char* first;  // both strings are in one line
    const char* second;
    Outcome outcome;
    Blame blame;
    const char* culprit;  // of Blame::fixed
    Failure failure = Failure::other;
};

constexpr Outcome k_refused = Outcome::refused;
constexpr Outcome k_broken = Outcome::broken;
constexpr Outcome k_unknown = Outcome::unknown;

const std::vector<Pattern>& patterns() {
    static const std::vector<Pattern> k_patterns = {
        // Our own error, not one of the toolchain.
        {"No space left on device", "", k_unknown, Blame::fixed, "temporary folder"},
        {"not allowed when compiling for multiple GPU", "", k_unknown, Blame::fixed, "nvcc"},
        {"nvcc fatal", "Could not open output file", k_unknown, Blame::fixed, "temporary folder"},
        // The loader.
        {"error while loading shared libraries", "", k_broken, Blame::speaker, ""},
        {"version `", "' not found", k_broken, Blame::speaker, ""},
        {"cannot open shared object file", "", k_broken, Blame::speaker, ""},
        // The shell that starts nvcc's programs, and cmd.exe.
        {"sh: ", "not found", k_broken, Blame::shell, ""},
        {"sh: ", "No such file or directory", k_broken, Blame::shell, ""},
        {"sh: ", "Exec format error", k_broken, Blame::shell, ""},
        {"sh: ", "cannot execute", k_broken, Blame::shell, ""},
        {"sh: ", "Permission denied", k_broken, Blame::shell, ""},
        {"is not recognized as an internal or external command", "", k_broken, Blame::shell, ""},
        {"died due to signal", "", k_broken, Blame::shell, ""},
        {"died with status", "", k_broken, Blame::shell, ""},
        // PTX and architectures.
        {"Unsupported .version", "", k_refused, Blame::fixed, "ptxas", Failure::ptx_version},
        {"Unsupported gpu architecture", "", k_refused, Blame::fixed, "nvcc", Failure::architecture},
        {"is not defined for option 'gpu-name'", "", k_refused, Blame::speaker, "ptxas",
         Failure::architecture},
        {"is not defined for option 'gpu-", "", k_refused, Blame::speaker, "ptxas"},
        {"Unsupported .target", "", k_refused, Blame::fixed, "ptxas", Failure::architecture},
        {"Missing .version directive", "", k_refused, Blame::fixed, "ptxas"},
        // One program left no input for the next.
        {"ptxas", ".ptx' could not be opened", k_broken, Blame::fixed, "cicc"},
        {"fatbinary", "Could not open input file", k_broken, Blame::fixed, "ptxas"},
        {"cannot open module id file", "", k_broken, Blame::fixed, "cudafe++"},
        {".fatbin.c", "No such file or directory", k_broken, Blame::fixed, "fatbinary"},
        {".cudafe1.stub.c", "No such file or directory", k_broken, Blame::fixed, "cudafe++"},
        {".cudafe1.cpp", "No such file or directory", k_broken, Blame::fixed, "cudafe++"},
        // The host compiler.
        {"unsupported GNU version", "", k_refused, Blame::fixed, "host compiler", Failure::host_compiler},
        {"unsupported clang version", "", k_refused, Blame::fixed, "host compiler", Failure::host_compiler},
        {"unsupported Microsoft Visual Studio version", "", k_refused, Blame::fixed, "host compiler",
         Failure::host_compiler},
        {"unsupported ICC configuration", "", k_refused, Blame::fixed, "host compiler",
         Failure::host_compiler},
        {"Host compiler targets unsupported OS", "", k_refused, Blame::fixed, "host compiler"},
        {"Cannot find compiler '", "", k_broken, Blame::fixed, "host compiler"},
        {"cannot execute", "cc1plus", k_broken, Blame::fixed, "host compiler"},
        {"trying to exec", "cc1plus", k_broken, Blame::fixed, "host compiler"},
        {"gcc: No such file or directory", "", k_broken, Blame::fixed, "host compiler"},
        {"++: No such file or directory", "", k_broken, Blame::fixed, "host compiler"},
        {"Failed to preprocess host compiler properties", "", k_broken, Blame::fixed, "host compiler"},
        // Headers.
        {"__cudaLaunch", "", k_refused, Blame::fixed, "crt headers"},
        {"fatal error:", "No such file or directory", k_refused, Blame::include, ""},
        {"fatal error:", "file not found", k_refused, Blame::include, ""},
        {"Cannot open include file", "", k_refused, Blame::include, ""},
        {"could not open source file", "", k_refused, Blame::include, ""},
        {"libdevice", "", k_refused, Blame::fixed, "libdevice"},
    };
    return k_patterns;
}

const std::array<const char*, 6> k_parts = {"cudafe++", "fatbinary", "nvlink", "ptxas", "cicc", "nvcc"};

std::string known_part(const std::string& name) {
    for (const char* part : k_parts) {
        if (name == part || name == std::string(part) + ".exe") return part;
    }
    static const std::array<const char*, 8> k_compilers = {"gcc",     "g++",    "cc1plus", "clang",
                                                           "clang++", "cl.exe", "cl",      "as"};
    for (const char* compiler : k_compilers) {
        if (name == compiler) return "host compiler";
    }
    return {};
}

// The first word of the line that is a component or the path of one: "ptxas fatal", "/opt/bin/cicc: IO
// error", "nvcc error : 'cicc' died" (the quoted one, with `shell`).
std::string named_part(const std::string& line, bool shell) {
    if (shell) {
        for (const std::string& quoted :
             {std::string("'cicc'"), std::string("'cudafe++'"), std::string("'ptxas'"),
              std::string("'fatbinary'"), std::string("'nvlink'")}) {
            if (line.find(quoted) != std::string::npos) return quoted.substr(1, quoted.size() - 2);
        }
    }
    for (const std::string& word : split(line, " \t:,;\"'")) {
        std::string part = known_part(file_name(word));
        if (!part.empty()) return part;
    }
    return {};
}

// Which component's header cannot be opened: "<command-line>: fatal error: cuda_runtime.h: No such file or
// directory".
std::string missing_header_owner(const std::string& line) {
    if (line.find("crt/") != std::string::npos || line.find("host_config.h") != std::string::npos)
        return "crt headers";
    if (line.find("cuda_runtime") != std::string::npos) return "runtime headers";
    return "headers";
}

std::string culprit_of(const Pattern& pattern, const std::string& line) {
    switch (pattern.blame) {
        case Blame::fixed:
            return pattern.culprit;
        case Blame::include:
            return missing_header_owner(line);
        case Blame::shell:
            return named_part(line, true);
        case Blame::speaker:
            break;
    }
    std::string named = named_part(line, false);
    return named.empty() ? pattern.culprit : named;
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
std::string speaker_of(const std::string& line, ProbeKind kind) {
    for (const char* part : k_parts) {
        if (starts_with(line, part)) return part;
    }
    if (line.find("/crt/") != std::string::npos) return "crt headers";
    if (line.find(": error:") != std::string::npos || line.find(": fatal error:") != std::string::npos)
        return "host compiler";  // gcc and clang: file:line:column: error:
    // The front end of cicc and cudafe++: "file(line): error", "Command-line error: invalid option:
    // --simt-only".
    for (const char* form : {"): error", "): catastrophic error", "Command-line error"}) {
        if (line.find(form) != std::string::npos) return kind == ProbeKind::ptx ? "cicc" : "cudafe++";
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
            bool earlier_tells = line.find("Failed to preprocess") != std::string::npos && i > 0;
            diagnosis.first_error = capped(earlier_tells ? lines[i - 1] : line);
            diagnosis.failure = pattern.failure;
            diagnosis.culprit = culprit_of(pattern, line);
            return diagnosis;
        }
    }
    for (const std::string& line : lines) {
        if (!says_error(line) || line.find("warning") != std::string::npos) continue;
        diagnosis.outcome = Outcome::refused;
        diagnosis.first_error = capped(line);
        diagnosis.culprit = speaker_of(line, kind);
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

Diagnosis broken(std::string words, std::string culprit, Failure failure = Failure::other) {
    Diagnosis diagnosis;
    diagnosis.failure = failure;
    diagnosis.outcome = Outcome::broken;
    diagnosis.first_error = std::move(words);
    diagnosis.culprit = std::move(culprit);
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

}  // namespace

Diagnosis diagnose(const Answer& run, ProbeKind kind, const std::string& program, bool made) {
    if (run.no_folder) {
        Diagnosis diagnosis = broken("no folder to compile in: " + run.trouble, "temporary folder");
        diagnosis.outcome = Outcome::unknown;
        return diagnosis;
    }
    const std::string text = run.err + "\n" + run.out;
    switch (run.state) {
        case ProcessResult::State::not_started:
            return broken("could not be started: " + run.trouble, program, Failure::not_started);
        case ProcessResult::State::timed_out:
            return broken("did not end within " + seconds(run.milliseconds), program);
        case ProcessResult::State::crashed:
            // ptxas 12.0 prints why it refuses the PTX, and crashes with SIGSEGV during cleanup.
            if (kind == ProbeKind::assemble && says_refusal(text)) return diagnose_text(text, kind);
            return broken("crashed (signal or exception " + std::to_string(run.exit_code) + ")", program);
        case ProcessResult::State::exited:
            break;
    }
    if (run.exit_code == 0 && made) return {};
    Diagnosis diagnosis = diagnose_text(text, kind);
    if (run.exit_code == 0) {
        // It reported success but wrote nothing. A warning is not the cause; a message of the loader or shell
        // is.
        if (diagnosis.outcome != Outcome::unknown) diagnosis.outcome = Outcome::broken;
        if (diagnosis.culprit.empty()) diagnosis.culprit = program;
        std::string said = diagnosis.first_error.empty() ? "" : ", said: " + diagnosis.first_error;
        diagnosis.first_error = "ended with exit code 0 but made nothing" + said;
        return diagnosis;
    }
    bool told = !diagnosis.culprit.empty();
    if (!told && part_crashed(run, text)) {
        return broken("a program that " + program + " started crashed (exit code " +
                          std::to_string(run.exit_code) + ")",
                      "");
    }
    if (diagnosis.first_error.empty())
        diagnosis.first_error = "ended with exit code " + std::to_string(run.exit_code) + " without output";
    if (!told) diagnosis.culprit = program;
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
