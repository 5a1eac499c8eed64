// GPU architectures (sm_90a), compute capabilities (9.0) and the architecture lists of CMake, nvcc and torch.
// Pure text and numbers; facts/ lists which toolkit supports which architecture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/fields.hpp"
#include "model/result.hpp"

namespace ptxguard {

struct Arch {
    int number = 0;   // 10 * major + minor of the compute capability: 90 for 9.0, 120 for 12.0
    char suffix = 0;  // 0 base, 'a' exactly this GPU, 'f' family

    int major() const { return number / 10; }
    int minor() const { return number % 10; }
    std::string name() const {
        return std::to_string(number) + (suffix ? std::string(1, suffix) : "");
    }  // "90a"
    std::string sm() const { return "sm_" + name(); }
    std::string compute() const { return "compute_" + name(); }
    std::string cc() const { return std::to_string(major()) + "." + std::to_string(minor()); }  // "9.0"
};
inline bool operator==(Arch a, Arch b) { return a.number == b.number && a.suffix == b.suffix; }
inline bool operator!=(Arch a, Arch b) { return !(a == b); }
inline bool operator<(Arch a, Arch b) {
    return a.number != b.number ? a.number < b.number : a.suffix < b.suffix;
}

// "sm_90a", "compute_90", "90a", "9.0", "9.0a", "12.1". Nothing for anything else ("9", "sm_", "90b").
std::optional<Arch> parse_arch(std::string_view text);

// May a GPU of capability `gpu` load a cubin for `code` (same major and no newer minor; `a` exact; `f` same
// family number or newer within the major)? `gpu.suffix` is ignored.
bool cubin_runs_on(Arch code, Arch gpu);
// May PTX with `.target ptx` be compiled for `gpu` (target no newer; `a` exact; `f` within the family)? Does
// not consider `.version`.
bool ptx_compiles_for(Arch ptx, Arch gpu);

// One output of the build.
struct Target {
    Arch arch;
    bool real = true;  // a cubin is put into the binary
    bool ptx = false;  // PTX is put into the binary

    PTXGUARD_MEMBERS_ALWAYS(arch, real, ptx)
};
inline bool operator==(const Target& a, const Target& b) {
    return a.arch == b.arch && a.real == b.real && a.ptx == b.ptx;
}

std::vector<Arch> archs_of(const std::vector<Target>& targets);

enum class ArchDialect { cmake, torch, nvcc };

// The meaning of a list before nvcc is run. `all`, `all-major` and `native` are kept as words: resolve_words
// resolves them with the list of the available nvcc.
struct ArchList {
    std::vector<Target> targets;     // in the order written, merged by arch
    std::vector<std::string> words;  // "all", "all-major", "native", with "-real"/"-virtual" kept
    std::string text;                // as written

    PTXGUARD_MEMBERS_SET(targets, words, text)
};

// CMake: "80;90a-real;120-virtual"; torch: "8.0 9.0a;12.0+PTX", names such as "Hopper"; nvcc: "-gencode ..."
// flags or "sm_80,compute_90". Separators ; , and blanks in all of them. An unknown word is an error that
// names it.
Result<ArchList> parse_arch_list(std::string_view text, ArchDialect dialect);
// OFF, NO, 0 ... in CMake: no architecture is passed to nvcc.
bool is_cmake_off(std::string_view text);
// Guesses the notation of a --arch value: a dot means torch's, "arch=" or "_" nvcc's, otherwise CMake's.
ArchDialect guess_dialect(std::string_view text);
// all -> every base arch in `known` as real, newest also PTX; all-major -> the lowest of each major; native
// -> `gpus`. A word that cannot be resolved (native without GPU) is left in `words`.
void resolve_words(ArchList& list, const std::vector<Arch>& known, const std::vector<Arch>& gpus);

// "80-real;90a;120-virtual": the CMake spelling of targets, for fix lines.
std::string cmake_spelling(const std::vector<Target>& targets);
// "cubins for sm_75, sm_80 and PTX for sm_90", for messages.
std::string words_of(const std::vector<Target>& targets);

}  // namespace ptxguard
