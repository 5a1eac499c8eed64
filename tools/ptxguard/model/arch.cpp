// One architecture: its spellings, and the GPUs that run its code.
// SPDX-License-Identifier: Apache-2.0
#include "model/arch.hpp"

#include <algorithm>
#include <map>

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

// Architecture lists as CMake, torch and nvcc write them, turned into real and virtual targets.

namespace {

bool drop_end(std::string& text, std::string_view end) {
    if (text.size() <= end.size() || text.compare(text.size() - end.size(), end.size(), end) != 0)
        return false;
    text.resize(text.size() - end.size());
    return true;
}

bool is_word(const std::string& text) { return text == "all" || text == "all-major" || text == "native"; }

void merge(ArchList& list, const Target& target) {
    for (Target& known : list.targets)
        if (known.arch == target.arch) {
            known.real = known.real || target.real;
            known.ptx = known.ptx || target.ptx;
            return;
        }
    list.targets.push_back(target);
}

Trouble unknown(std::string_view list, const std::string& word) {
    return {"architecture '" + word + "'", "is unknown", "in the list '" + std::string(list) + "'"};
}

Result<ArchList> parse_cmake(std::string_view text) {
    ArchList list;
    for (std::string piece : split(text, ";, \t\n")) {
        std::string whole = piece;
        bool only_real = drop_end(piece, "-real");
        bool only_virtual = !only_real && drop_end(piece, "-virtual");
        if (is_word(piece)) {
            list.words.push_back(whole);
            continue;
        }
        auto arch = parse_arch(piece);
        if (!arch) return unknown(text, whole);
        merge(list, {*arch, !only_virtual, !only_real});
    }
    return list;
}

// The names that torch's TORCH_CUDA_ARCH_LIST accepts besides numbers.
const std::map<std::string, std::string>& torch_names() {
    static const std::map<std::string, std::string> names = {
        {"Kepler+Tesla", "3.7"},     {"Kepler", "3.5+PTX"},
        {"Maxwell+Tegra", "5.3"},    {"Maxwell", "5.0;5.2+PTX"},
        {"Pascal", "6.0;6.1+PTX"},   {"Volta+Tegra", "7.2"},
        {"Volta", "7.0+PTX"},        {"Turing", "7.5+PTX"},
        {"Ampere+Tegra", "8.7"},     {"Ampere", "8.0;8.6+PTX"},
        {"Ada", "8.9+PTX"},          {"Hopper", "9.0+PTX"},
        {"Blackwell+Tegra", "11.0"}, {"Blackwell", "10.0;10.3;12.0;12.1+PTX"}};
    return names;
}

Result<ArchList> parse_torch(std::string_view text) {
    ArchList list;
    std::string expanded;
    for (const std::string& piece : split(text, ";, \t\n")) {
        auto name = torch_names().find(piece);
        expanded += (name == torch_names().end() ? piece : name->second) + ";";
    }
    for (std::string piece : split(expanded, ";")) {
        std::string whole = piece;
        bool ptx = drop_end(piece, "+PTX");
        auto arch = parse_arch(piece);
        if (!arch) return unknown(text, whole);
        merge(list, {*arch, true, ptx});
    }
    return list;
}

// code=sm_80 -> real, code=compute_80 -> PTX, a bare -arch=sm_80 -> both.
bool add_code(ArchList& list, const std::string& code, bool bare = false) {
    auto arch = parse_arch(code);
    if (!arch) return false;
    bool is_virtual = starts_with(code, "compute_");
    merge(list, {*arch, !is_virtual, is_virtual || bare});
    return true;
}

// One word after -arch or in a plain list.
bool add_plain(ArchList& list, const std::string& word) {
    if (!is_word(word)) return add_code(list, word, true);
    list.words.push_back(word);
    return true;
}

bool add_gencode(ArchList& list, const std::string& value) {
    auto code_at = value.rfind(",code=");
    if (code_at == std::string::npos) return false;
    for (const std::string& code : split(value.substr(code_at + 6), ",[]\"'"))
        if (!add_code(list, code)) return false;
    return true;
}

enum class NvccOption { none, gencode, arch, code };
NvccOption nvcc_option(const std::string& word) {
    return word == "-gencode" || word == "--generate-code"   ? NvccOption::gencode
           : word == "-arch" || word == "--gpu-architecture" ? NvccOption::arch
           : word == "-code" || word == "--gpu-code"         ? NvccOption::code
                                                             : NvccOption::none;
}

// The first one that `add` refuses.
template <class Add>
std::string refused_of(ArchList& list, const std::vector<std::string>& words, const Add& add) {
    for (const std::string& one : words)
        if (!add(list, one)) return one;
    return "";
}

Result<ArchList> parse_nvcc(std::string_view text) {
    ArchList list;
    std::string architecture;  // of a separate -arch, kept for a -code that follows
    bool codes = false;
    std::vector<std::string> words = split(text, "; \t\n");
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string word = words[i];
        if (nvcc_option(word) != NvccOption::none && i + 1 < words.size()) word += "=" + words[++i];
        const std::size_t equals = word.find('=');
        const std::string key = word.substr(0, equals == npos ? 0 : equals), value = word.substr(equals + 1);
        const NvccOption option = nvcc_option(key);
        const bool is_code = option == NvccOption::code;
        codes |= is_code;
        std::string refused;
        if (option == NvccOption::gencode || key == "arch")
            refused = add_gencode(list, word) ? "" : word;
        else if (option == NvccOption::arch)
            architecture = value;
        else
            refused =
                is_code
                    ? refused_of(list, split(value, ",[]\"'"),
                                 [](ArchList& all, const std::string& code) { return add_code(all, code); })
                    : refused_of(list, split(value, ","), add_plain);
        if (!refused.empty()) return unknown(text, refused);
    }
    if (!architecture.empty() && !codes && !add_plain(list, architecture)) return unknown(text, architecture);
    return list;
}

// The lowest base architecture of each major.
std::vector<Arch> majors_of(const std::vector<Arch>& known) {
    std::vector<Arch> majors;
    for (Arch arch : known)
        if (majors.empty() || majors.back().major() != arch.major()) majors.push_back(arch);
    return majors;
}

}  // namespace

std::vector<Arch> archs_of(const std::vector<Target>& targets) {
    std::vector<Arch> archs;
    for (const Target& target : targets) archs.push_back(target.arch);
    return archs;
}

Result<ArchList> parse_arch_list(std::string_view text, ArchDialect dialect) {
    Result<ArchList> list = dialect == ArchDialect::cmake   ? parse_cmake(text)
                            : dialect == ArchDialect::torch ? parse_torch(text)
                                                            : parse_nvcc(text);
    if (list) list->text = text;
    return list;
}

bool is_cmake_off(std::string_view text) {
    const std::string word = lower(trim(std::string(text)));
    return word == "off" || word == "no" || word == "false" || word == "0" || word == "n" ||
           word == "notfound" || word == "ignore";
}

ArchDialect guess_dialect(std::string_view text) {
    if (text.find("sm_") != std::string_view::npos || text.find("compute_") != std::string_view::npos ||
        text.find("arch=") != std::string_view::npos)
        return ArchDialect::nvcc;
    if (text.find('.') != std::string_view::npos || text.find("+PTX") != std::string_view::npos)
        return ArchDialect::torch;
    for (const auto& name : torch_names())
        if (text.find(name.first) != std::string_view::npos) return ArchDialect::torch;
    return ArchDialect::cmake;
}

void resolve_words(ArchList& list, const std::vector<Arch>& known, const std::vector<Arch>& gpus) {
    std::vector<Arch> bases;
    for (Arch arch : known)
        if (arch.suffix == 0) bases.push_back(arch);
    std::sort(bases.begin(), bases.end());
    std::vector<std::string> left;
    for (const std::string& whole : list.words) {
        std::string word = whole;
        bool only_real = drop_end(word, "-real");
        bool only_virtual = !only_real && drop_end(word, "-virtual");
        std::vector<Arch> archs = word == "native" ? gpus : word == "all-major" ? majors_of(bases) : bases;
        if (archs.empty()) {
            left.push_back(whole);
            continue;
        }
        Arch newest = *std::max_element(archs.begin(), archs.end());
        for (Arch arch : archs) {
            Target target{arch, !only_virtual,
                          word != "native" && !only_real && (only_virtual || arch == newest)};
            if (target.real || target.ptx) merge(list, target);
        }
    }
    list.words = left;
}

std::string cmake_spelling(const std::vector<Target>& targets) {
    std::string text;
    for (const Target& target : targets) {
        if (!text.empty()) text += ";";
        text += target.arch.name();
        if (!target.ptx)
            text += "-real";
        else if (!target.real)
            text += "-virtual";
    }
    return text;
}

std::string words_of(const std::vector<Target>& targets) {
    std::vector<std::string> cubins, texts;
    for (const Target& target : targets) {
        if (target.real) cubins.push_back(target.arch.sm());
        if (target.ptx) texts.push_back(target.arch.sm());
    }
    std::string words;
    if (!cubins.empty()) words = "cubins for " + list(cubins);
    if (!texts.empty()) words += (words.empty() ? "PTX for " : " and PTX for ") + list(texts);
    return words.empty() ? "no device code" : words;
}

}  // namespace ptxguard
