// What many programs say alike counts as much as its line does: "No GPU found, using the CPU" is no fault,
// and "It requires CUDA 12.8 or newer" is documentation where no error says it.
// SPDX-License-Identifier: Apache-2.0
#include "diagnose/question.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

enum class Tone { failure, plain, quiet, calm };
using Words = std::initializer_list<std::string_view>;

// The end of the word in `line` from `from` on that ends with `word` ("RuntimeError"), or npos.
std::size_t end_of_word(const std::string& line, std::string_view word, std::size_t from) {
    for (std::size_t at = line.find(word, from); at != npos; at = line.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if (end == line.size() || !is_letter_or_digit(line[end])) return end;
    }
    return npos;
}

bool has_any(const std::string& line, Words words) {
    return any_of(words, [&](std::string_view word) { return line.find(word) != npos; });
}

bool has_word(const std::string& line, Words words) {
    return any_of(words, [&](std::string_view word) {
        for (std::size_t end = end_of_word(line, word, 0); end != npos; end = end_of_word(line, word, end))
            if (end == word.size() || !is_letter_or_digit(line[end - word.size() - 1])) return true;
        return false;
    });
}

// "RuntimeError: ", "[ERROR] ", "fatal error: ", "Error - "; not "prints an error if".
bool is_marked_as_failure(const std::string& text, const std::string& line) {
    for (const std::string_view word : {"error", "fatal", "exception", "critical", "abort", "panic"})
        for (std::size_t end = end_of_word(line, word, 0); end != npos; end = end_of_word(line, word, end)) {
            const std::size_t next = line.find_first_not_of(' ', end);
            if (next == npos || std::string_view(":])!|-").find(line[next]) != npos) return true;
            const bool is_upper = text[end - 1] >= 'A' && text[end - 1] <= 'Z';
            if (is_upper || end == word.size()) return true;
        }
    return has_any(line, {"panicked at", "terminate called", "what():", "failed: "});
}

Tone tone_of(const FoundMessage& message) {
    const std::string& text = message.text;
    const std::string line = lower(text);
    // Words about another maker's GPU.
    const bool of_others =
        has_word(line, {"amd", "intel", "rocm", "hip", "metal", "mps", "opencl", "vulkan", "sycl", "xpu"});
    if (of_others && !has_any(line, {"nvidia", "cuda"})) return Tone::calm;
    if (starts_with(line, "message(")) return Tone::calm;  // CMake's source
    const bool goes_on =
        has_any(line, {"falling back", "fall back", "fallback", "using cpu", "using the cpu", "use cpu",
                       "use the cpu", "on cpu", "on the cpu", "skip", "ignor", "optional", "building without",
                       "continuing", "disabling", "will be disabled", "will not be", "won't be"});
    if (is_marked_as_failure(text, line)) return goes_on ? Tone::plain : Tone::failure;
    if (goes_on || starts_with(line, "-- ") || has_word(line, {"info", "debug", "note", "verbose", "trace"}))
        return Tone::calm;
    // What a text about the program says, not the program.
    if (has_word(line, {"if", "when", "unless", "whether", "fix", "fixed", "fixes", "see"}))
        return Tone::calm;
    // "Message=CUDA non available": an exception in .NET.
    if (line.find("message=") != npos) return Tone::plain;
    // "1. CUDA driver not installed" is one of several reasons.
    if (line.find_first_of("0123456789") == 0 && line.find_first_of(".)") < 3) return Tone::calm;
    return message.begins_line || has_word(line, {"warning", "warn"}) ? Tone::plain : Tone::quiet;
}

// "CMake Error at ..." stands before what it is about.
bool is_after_echo(const LogQuestion& q) {
    constexpr std::int64_t k_near = 4;
    return any_of(q.all.messages, [&](const FoundMessage& one) {
        return one.message->role == Role::echo && one.line < q.message.line &&
               one.line + k_near >= q.message.line;
    });
}

bool has_exact_row(const LogQuestion& q) {
    return any_of(q.all.messages, [&](const FoundMessage& one) {
        const bool is_row = one.message->role == Role::fault || one.message->role == Role::harmless;
        return is_row && one.line == q.message.line && !is_statement(*one.message);
    });
}

// "Cannot find CUDA devices": not "Cannot find CUDA device names".
bool is_of_something_else(const FoundMessage& message) {
    if (std::string_view(message.message->mark) != k_statement_of_thing) return false;
    const std::string after = lower(message.after);
    if (!after.empty() && (is_letter_or_digit(after[0]) || after[0] == '-' || after[0] == '_')) return true;
    if (after.size() < 2 || after[0] != ' ' || !is_letter_or_digit(after[1])) return false;
    const std::string word = after.substr(1, after.find_first_of(" .,;:!()", 1) - 1);
    for (const char* one :
         {"in",  "on",    "at",   "for", "to", "and",      "or",      "with",  "please",    "from", "under",
          "but", "which", "that", "via", "by", "anywhere", "because", "while", "installed", "here"})
        if (word == one) return false;
    return true;
}

// What only says what is needed says no more than a page of documentation does.
bool only_states_need(const FoundMessage& message) {
    return any_of(message.captured, [](const auto& one) {
        return starts_with(one.first, "need") || one.first == "cudnn_built";
    });
}

// "cuDNN library not found"
Suspects thing_absent(LogQuestion& q) { return suspects_of_absent(q.value("thing")); }

// "requires CUDA 12.8 or newer"
Suspects statement_of_cuda(LogQuestion& q) {
    const auto need = parse_version(q.value("need")), nvcc = parse_version(q.value("nvcc"));
    if (need && nvcc && !(*nvcc < *need)) return {{"toolkit_release_old", possible}};
    const std::string found = q.value("found_cuda");
    if (nvcc || !found.empty()) q.set("toolkit", found.empty() ? nvcc->release() : found);
    return {{"toolkit_release_old", q.confidence}};
}

// "No matching wheel for SageAttention 2.2 (Torch 2.8.0, CUDA cu129)": not of any package, nor where the
// program goes on and compiles it.
Suspects build_said_absent(LogQuestion& q) {
    const std::string line = lower(q.message.text);
    if (has_any(line, {"from source", "from the source", "compiling", "building"})) return {};
    if (!has_any(line, {"cuda", "torch", "cudnn", "nvidia", "tensorrt", "+cu1"})) return {};
    return {{"no_build_for_platform", q.confidence}, {"framework_build_missing", possible}};
}

}  // namespace

// HIP has CUDA's error texts.
Suspects weighed_by_line(const FoundMessage& message, Suspects suspects) {
    const std::string line = lower(message.text);
    const bool of_hip = has_any(line, {"hip error", "hiperror"}) || has_word(line, {"rocm", "amdgpu"});
    if (of_hip && !has_any(line, {"nvidia", "cuda"})) return {};
    if (message.of_source)
        for (Suspect& one : suspects) one.confidence = at_most(one.confidence, possible);
    return suspects;
}

Suspects weighed_statement(const LogQuestion& q, const Suspects& suspects) {
    if (has_exact_row(q) || is_of_something_else(q.message)) return {};
    const Tone tone = tone_of(q.message);
    if (tone == Tone::calm) return {};
    if (tone == Tone::failure || is_after_echo(q)) return suspects;
    Suspects weighed;
    if (tone == Tone::quiet || only_states_need(q.message)) return weighed;
    for (const Suspect& one : suspects)
        if (one.confidence > possible) weighed.push_back({one.cause, possible});
    return weighed;
}

std::vector<Refinement> refinements_of_statements() {
    return {{"statement_of_cuda", statement_of_cuda},
            {"thing_absent", thing_absent},
            {"build_said_absent", build_said_absent}};
}

}  // namespace ptxguard
