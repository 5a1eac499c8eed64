// One architecture: its spellings, and the GPUs that run its code.
// SPDX-License-Identifier: Apache-2.0
#include "model/arch.hpp"

#include "model/text.hpp"

namespace ptxguard {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
    if (text.substr(0, prefix.size()) != prefix) return false;
    text.remove_prefix(prefix.size());
    return true;
}

// 'f' code runs on the members of its family. Within a major the numbers define it: {100,103,107}, {120,121},
// and {110}, a major of its own since CUDA 13. Exception: sm_101f (12.9 only), as 101 is a family by itself.
// facts/architectures.json has the measured families.
bool same_family(int code, int gpu) {
    if (code == 101 || gpu == 101) return code == gpu;
    return code / 10 == gpu / 10 && gpu >= code;
}

}  // namespace

std::optional<Arch> parse_arch(std::string_view text) {
    bool prefixed = take_prefix(text, "sm_") || take_prefix(text, "compute_") || take_prefix(text, "lto_");
    Arch arch;
    if (!text.empty() && (text.back() == 'a' || text.back() == 'f')) {
        arch.suffix = text.back();
        text.remove_suffix(1);
    }
    auto dot = text.find('.');
    std::string digits(text.substr(0, dot));
    if (dot != std::string_view::npos) {
        if (prefixed || text.size() != dot + 2 || dot > 2) return std::nullopt;
        digits += text[dot + 1];
    }
    if (digits.size() < 2 || digits.size() > 3 || digits[0] == '0') return std::nullopt;
    for (char c : digits)
        if (!is_digit(c)) return std::nullopt;
    arch.number = std::stoi(digits);
    return arch;
}

bool cubin_runs_on(Arch code, Arch gpu) {
    if (code.suffix == 'a') return code.number == gpu.number;
    if (code.suffix == 'f') return same_family(code.number, gpu.number);
    return code.major() == gpu.major() && gpu.minor() >= code.minor();
}

bool ptx_compiles_for(Arch ptx, Arch gpu) {
    // CUDA 13 renamed 10.1 to 11.0; its ptxas accepts PTX of sm_101a and sm_101f for sm_110.
    if (ptx.suffix != 0 && ptx.number == 101 && gpu.number == 110) return true;
    if (ptx.suffix == 'a') return ptx.number == gpu.number;
    if (ptx.suffix == 'f') return same_family(ptx.number, gpu.number);
    return gpu.number >= ptx.number;
}

}  // namespace ptxguard
