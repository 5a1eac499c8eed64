// Combines the content of a library file, its real name and its package, in this order.
// SPDX-License-Identifier: Apache-2.0
#include "load/library_facts.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/pe.hpp"
#include "formats/returned_constants.hpp"
#include "formats/sections.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/text.hpp"
#include "model/version.hpp"

namespace ptxguard {
namespace {

// The number in the real file's name if it is a whole version: libcublas.so.12.8.4.1. NVRTC's builtins have
// only the release.
Known<Version> version_by_name(const LibraryName& real, const std::string& path) {
    const std::size_t enough = real.library == "nvrtc-builtins" ? 2 : 3;
    // cupti64_2025.2.1.dll is numbered by year, not by CUDA release.
    constexpr int k_a_year = 2000;
    if (!real.number || real.number->numbers.size() < enough || real.number->major() >= k_a_year) return {};
    return {*real.number, Origin::from_file(path).shown_as("file name " + path)};
}

// cuDNN's components come in its package, cuBLASLt in cuBLAS': their names all contain the library's first
// word.
std::vector<std::string> package_words(const LibraryName& name) {
    const std::string word = lower(name.library).substr(0, name.library.find_first_of("_-"));
    for (const char* family : {"cublas", "cusolver", "cufft"})
        if (starts_with(word, family)) return {family};
    return {word};
}

bool begins_with(const Version& longer, const Version& shorter) {
    if (longer.numbers.size() <= shorter.numbers.size()) return false;
    for (std::size_t i = 0; i < shorter.numbers.size(); ++i)
        if (longer.at(i) != shorter.at(i)) return false;
    return true;
}

}  // namespace

const LibraryFacts::Identity* LibraryFacts::identity_of(const std::string& asked_name,
                                                        const std::string& path) {
    const std::string real_path = real_or_same(m_host, path);
    const auto real_name = library_by_file_name(m_facts, file_name(real_path));
    auto name = library_by_file_name(m_facts, file_name(asked_name));
    if (!name) name = real_name ? real_name : library_by_file_name(m_facts, file_name(path));
    if (!name) return nullptr;
    auto& known = m_identities[{real_path, file_name(asked_name)}];
    if (known) return &*known;
    known.emplace();
    known->name = *name;
    if (const auto source = m_host.open(real_path)) known->words = own_words(*source, *name, path);
    const auto by_name = real_name ? version_by_name(*real_name, real_path) : Known<Version>{};
    known->version = known->words.version;
    // The name may have more digits: 12.8.4.1 where the file has 12.8.4.
    if (!known->version || (by_name && begins_with(*by_name, *known->version)))
        known->version = by_name ? by_name : known->version;
    if (!known->version && !known->words.stub && !name->driver) {
        const PackageOwner owner = m_owners.owner(path, package_words(*name));
        known->version = owner.version;
        if (owner.version) known->package = owner.package;
    }
    return &*known;
}

void LibraryFacts::identify(LoadedFile& library) {
    if (!library.taken) {
        if (const auto name = library_by_file_name(m_facts, file_name(library.name))) {
            library.library = name->library;
            library.cuda_major = name->cuda_major;
        }
        return;
    }
    const Identity* found = identity_of(library.name, *library.taken);
    if (!found) return;
    library.library = found->name.library;
    library.cuda_major = found->name.cuda_major;
    library.stub = found->words.stub;
    library.version = found->version;
    library.package = found->package;
    library.cuda =
        found->words.cuda ? found->words.cuda : cuda_of_library(m_facts, library.library, library.version);
    if (library.machine.empty()) library.machine = found->words.machine;
}

Known<Version> LibraryFacts::version(const std::string& path) {
    const Identity* found = identity_of(path, path);
    return found ? found->version : Known<Version>{};
}

PackageOwner LibraryFacts::owner(const std::string& path) {
    const auto name = library_by_file_name(m_facts, file_name(real_or_same(m_host, path)));
    return name ? m_owners.owner(path, package_words(*name)) : PackageOwner{};
}

// Measured on the wheels of CUDA 11 to 13: the cuDNN libraries export their version as a constant;
// cuBLASLt, cuFFT, cuRAND, cuSOLVER, cuSPARSE and NCCL return theirs from a function of a few instructions,
// as do NVRTC and nvJitLink; cuBLAS calls cuBLASLt and contains none of its own. Windows files have a
// version resource.

namespace {

enum class Encoding {
    bytes,      // exported constant: patch, minor, major, 0
    thousands,  // 11303 = 11.3.3
    wide,       // 120405 = 12.4.5; below 10000 as thousands
    release,    // 12080 = 12.8
    pair,       // two numbers stored one after the other: 12, 8
};
struct VersionSymbol {
    const char* library;
    const char* symbol;
    Encoding encoding;
};
constexpr VersionSymbol k_version_symbols[] = {
    {"cudnn_graph", "cudnn_graph_version", Encoding::bytes},
    {"cudnn_ops", "cudnn_ops_infer_version", Encoding::bytes},
    {"cudnn_adv", "cudnn_adv_infer_version", Encoding::bytes},
    {"cudnn_cnn", "cudnnCnnVersionCheck", Encoding::wide},
    {"cudnn_ops_infer", "cudnn_ops_infer_version", Encoding::bytes},
    {"cudnn_ops_train", "cudnn_ops_train_version", Encoding::bytes},
    {"cudnn_cnn_infer", "cudnn_cnn_infer_version", Encoding::bytes},
    {"cudnn_cnn_train", "cudnnCnnTrainVersionCheck", Encoding::wide},
    {"cudnn_adv_infer", "cudnn_adv_infer_version", Encoding::bytes},
    {"cudnn_adv_train", "cudnnAdvTrainVersionCheck", Encoding::wide},
    {"cublasLt", "cublasLtGetVersion", Encoding::wide},
    {"cufft", "cufftGetVersion", Encoding::thousands},
    {"curand", "curandGetVersion", Encoding::thousands},
    {"cusolver", "cusolverGetVersion", Encoding::thousands},
    {"cusparse", "cusparseGetVersion", Encoding::thousands},
    {"nccl", "ncclGetVersion", Encoding::wide},
    {"nvrtc", "nvrtcVersion", Encoding::pair},
    {"nvJitLink", "nvJitLinkVersion", Encoding::pair},
};
constexpr VersionSymbol k_made_with[] = {
    {"cudnn_graph", "cudnnGetCudartVersion", Encoding::release},
    {"cudnn_ops_infer", "cudnnGetCudartVersion", Encoding::release},
};
constexpr std::size_t k_runtime_code = 9;  // bytes of cudart's version function
constexpr std::size_t k_code_read = 2048;  // bytes of a function; the longest of them has 1,068

Version version_of(std::vector<int> numbers) {
    Version version;
    for (const int number : numbers)
        version.text += (version.text.empty() ? "" : ".") + std::to_string(number);
    version.numbers = std::move(numbers);
    return version;
}

Version decoded(std::uint32_t value, Encoding encoding) {
    const int number = static_cast<int>(value);
    if (encoding == Encoding::release) return version_of({number / 1000, number % 1000 / 10});
    if (encoding == Encoding::wide && number >= 10000)
        return version_of({number / 10000, number / 100 % 100, number % 100});
    return version_of({number / 1000, number / 100 % 10, number % 100});
}

// Whether this can be a version of this library. Its major must be the one in its name, if the name has one.
bool plausible(const Version& version, const LibraryName& name) {
    constexpr int k_newest_major = 99;
    const int major = version.major();
    if (name.number && name.number->major() != major) return false;
    return major > 0 && major <= k_newest_major;
}

template <class Values>
std::optional<Version> version_in_code(const Values& values, const VersionSymbol& row,
                                       const LibraryName& name) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (row.encoding == Encoding::pair) {
            if (i + 1 == values.size() || values[i] > 99 || values[i + 1] > 99) continue;
            const auto version = version_of({static_cast<int>(values[i]), static_cast<int>(values[i + 1])});
            if (plausible(version, name)) return version;
        } else if (values[i] >= 1000 && values[i] < 1000000) {
            const auto version = decoded(values[i], row.encoding);
            // The CUDA that a library was built with is a release: 9.0 or newer, and the last digit is zero.
            const bool fits = row.encoding == Encoding::release
                                  ? version.major() >= 9 && version.major() < 50 && values[i] % 10 == 0
                                  : plausible(version, name);
            if (fits) return version;
        }
    }
    return std::nullopt;
}

std::optional<Version> version_by_symbol(const Source& source, const ElfFile& file, const VersionSymbol& row,
                                         const LibraryName& name) {
    const auto place = find_elf_symbol(source, file, row.symbol);
    if (!place) return std::nullopt;
    const auto bytes = read_bytes(source, place->offset, std::min<std::size_t>(place->size, k_code_read));
    if (row.encoding == Encoding::bytes) {
        if (bytes.size() < 4) return std::nullopt;
        auto version = version_of(
            {bytes[2], static_cast<unsigned char>(bytes[1]), static_cast<unsigned char>(bytes[0])});
        return plausible(version, name) ? std::optional<Version>(version) : std::nullopt;
    }
    return version_in_code(constants_in_code(bytes, file.machine), row, name);
}

Origin from_symbol(const std::string& path, const char* symbol) {
    return Origin::from_file(path).shown_as(std::string(symbol) + " in " + path);
}

template <std::size_t N>
Known<Version> ask(const VersionSymbol (&rows)[N], const Source& source, const ElfFile& file,
                   const LibraryName& name, const std::string& path) {
    for (const auto& row : rows)
        if (name.library == row.library)
            if (const auto version = version_by_symbol(source, file, row, name))
                return {*version, from_symbol(path, row.symbol)};
    return {};
}

std::optional<Version> runtime_version_in(std::string_view code, const LibraryName& name) {
    for (auto at = code.find("\xc7\x07"); at != std::string_view::npos; at = code.find("\xc7\x07", at + 1)) {
        if (at + k_runtime_code > code.size() || code.substr(at + 6, 3) != "\x31\xc0\xc3") continue;
        const auto value = load_u32(&code[at + 2]);
        if (value < 1000 || value > 99990 || value % 10 != 0) continue;
        const auto version = decoded(value, Encoding::release);
        if (plausible(version, name)) return version;
    }
    return std::nullopt;
}

// cudart's version function is behind a dispatcher and not exported: "*version = 12080; return 0", 9 bytes.
std::optional<Version> runtime_version(const Source& source, const ElfFile& file, const LibraryName& name) {
    constexpr std::size_t k_text_limit = 4u << 20, k_piece = 64u << 10;
    const auto* text = file.section(".text");
    if (!text || text->size > k_text_limit) return std::nullopt;
    std::optional<Version> version;
    visit_pieces(source, {text->offset, text->offset + text->size}, k_piece, k_runtime_code,
                 [&](std::string_view code) { return !(version = runtime_version_in(code, name)); });
    return version;
}

// nvJitLink before 12.4 has no version function, but exports its functions once per supported release:
// __nvJitLinkCreate_12_0, and __nvJitLinkCreate_12_1 in 12.1.
Known<Version> newest_names(const Source& source, const ElfFile& file, const LibraryName& name,
                            const std::string& path) {
    constexpr int k_last_minor = 9;
    if (name.library != "nvJitLink" || !name.number) return {};
    const int major = name.number->major();
    for (int minor = k_last_minor; minor >= 0; --minor) {
        const std::string symbol = "__nvJitLinkCreate_" + std::to_string(major) + "_" + std::to_string(minor);
        if (find_elf_symbol(source, file, symbol))
            return {version_of({major, minor}), from_symbol(path, symbol.c_str())};
    }
    return {};
}

// A toolkit's stubs export everything and do nothing: about 16 bytes of code per symbol (measured on CUDA
// 12.4's 25 stubs: 13 to 34; the smallest real libraries: 138 for libnvtx3interop, 293 for libcudnn.so.9).
bool is_stub(const Source& source, const ElfFile& file) {
    constexpr std::uint64_t k_largest = 1u << 20, k_code_per_name = 64, k_fewest = 10, k_symbol_row = 24;
    const auto* text = file.section(".text");
    const auto* symbols = file.section(".dynsym");
    if (source.size > k_largest || !text || !symbols) return false;
    const auto count = symbols->size / k_symbol_row;
    return count >= k_fewest && text->size <= count * k_code_per_name;
}

// "NVIDIA CUDA BLAS Library, Version 12.8.4 "; cuDNN's resource has the version itself, the others 6.14.11.x.
std::optional<Version> resource_version(const PeVersionInfo& info, const LibraryName& name) {
    for (const char* marker : {"Version ", "version "})
        if (const auto version = find_version(info.description, marker)) return version;
    const auto& file = info.file_version;
    constexpr int k_display_driver_major = 6;
    if (!file) return std::nullopt;
    if (file->major() != k_display_driver_major || file->minor() != 14)
        return plausible(*file, name) ? file : std::nullopt;
    if (name.library == "cudart" && file->at(3) >= 1000) {
        const auto version = decoded(static_cast<std::uint32_t>(file->at(3)), Encoding::release);
        return plausible(version, name) ? std::optional<Version>(version) : std::nullopt;
    }
    return std::nullopt;
}

void read_pe_words(const Source& source, const LibraryName& name, const std::string& path, OwnWords& words) {
    const auto file = read_pe(source);
    if (!file) return;
    words.machine = pe_machine(file->machine);
    const auto info = read_pe_version(source, *file);
    const auto version = info ? resource_version(*info, name) : std::nullopt;
    if (version) {
        Origin origin = Origin::from_file(path);
        origin.text = "version resource of " + path;
        words.version = {*version, origin};
    }
}

void read_elf_words(const Source& source, const LibraryName& name, const std::string& path, OwnWords& words) {
    words.machine = elf_machine(read_bytes(source, 0, 64));
    const auto file = read_elf(source);
    if (!file) return;
    words.stub = is_stub(source, *file);
    if (words.stub) return;
    words.version = ask(k_version_symbols, source, *file, name, path);
    if (!words.version) words.version = newest_names(source, *file, name, path);
    words.cuda = ask(k_made_with, source, *file, name, path);
    if (name.library == "cudart" && file->machine == k_em_x86_64)
        if (const auto version = runtime_version(source, *file, name))
            words.version = {*version, from_symbol(path, "cudaRuntimeGetVersion")};
}

}  // namespace

OwnWords own_words(const Source& source, const LibraryName& name, const std::string& path) {
    OwnWords words;
    if (is_pe(source))
        read_pe_words(source, name, path, words);
    else
        read_elf_words(source, name, path, words);
    return words;
}

bool is_newer_version(const std::string& needed, const std::vector<std::string>& defined) {
    for (const std::string start : {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"}) {
        if (!starts_with(needed, start)) continue;
        const auto wanted = parse_version(needed.substr(start.size()));
        std::optional<Version> newest;
        for (const std::string& one : defined) {
            const auto version =
                starts_with(one, start) ? parse_version(one.substr(start.size())) : std::optional<Version>();
            if (version && (!newest || *newest < *version)) newest = version;
        }
        return wanted && newest && *newest < *wanted;
    }
    return false;
}

}  // namespace ptxguard
