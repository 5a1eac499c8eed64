// SPDX-License-Identifier: Apache-2.0
#include "recipes/base/release_words.hpp"

#include <algorithm>
#include <cctype>

#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard::recipes {
namespace {

bool has_any(const std::string& text, std::initializer_list<const char*> words) {
    return any_of(words, [&](const char* word) { return text.find(word) != npos; });
}

bool names_archs(const std::string& variable) {
    const std::string name = upper(variable);
    return has_any(name, {"ARCH", "GENCODE", "COMPUTE_CAP", "_CC", "SM_", "_SM", "CAPABILIT"}) &&
           !has_any(name, {"MIN", "MAX", "LIMIT"});
}

void add_arch(std::string_view word, std::vector<Arch>& archs) {
    constexpr int k_first = 20, k_last = 200;  // numbers of architectures, past and to come
    const auto arch = parse_arch(word);
    if (arch && arch->number >= k_first && arch->number < k_last) archs.push_back(*arch);
}

}  // namespace

std::optional<std::string> release_in(const std::string& variable, const Version& release) {
    const std::string name = upper(variable);
    const std::string stem = name.substr(0, name.find("VERSION"));
    if (!has_any(stem, {"CUDA", "NVCC"}) || has_any(stem, {"MIN", "MAX", "REQUIRED", "DRIVER", "CUB", "PTX"}))
        return std::nullopt;
    if (ends_with(name, "VERSION_MAJOR")) return std::to_string(release.major());
    if (ends_with(name, "VERSION_MINOR")) return std::to_string(release.minor());
    if (!ends_with(name, "VERSION") && !ends_with(name, "VERSION_STRING")) return std::nullopt;
    const bool whole = has_any(name, {"TOOLKIT", "COMPILER", "NVCC"});
    return release.release() + (whole ? ".50" : "");
}

std::optional<std::string> release_in_python(std::string_view path, const Version& release) {
    const std::string name = lower(path);
    if (!has_any(name, {"cuda", "nvcc", "bare_metal"}) || name.find("min") < name.find("minor") ||
        has_any(name, {"max", "arch", "driver"}) || ends_with(name, "s"))
        return std::nullopt;
    if (ends_with(name, "major")) return std::to_string(release.major());
    if (ends_with(name, "minor")) return std::to_string(release.minor());
    return name.find("ver") != npos ? std::optional(release.release()) : std::nullopt;
}

bool is_about_cuda(std::string_view word) {
    return has_any(lower(word),
                   {"cuda", "nvcc", "bare_metal", "ver", "arch", "sm_", "compute", "capab", "cc", "gpu",
                    "device", "toolkit", "blackwell", "hopper", "major", "minor", "release"});
}

bool is_about_some_archs(std::string_view word) {
    return has_any(lower(word), {"arch", "sm_", "sm1", "sm9", "compute", "capab", "blackwell", "hopper"});
}

bool is_arch_flag(std::string_view text) {
    for (const char* start : {"-gencode", "--generate-code", "-arch=", "--gpu-architecture", "arch=compute_"})
        if (starts_with(text, start)) return true;
    return false;
}

std::vector<Arch> archs_in(const std::string& name, const std::string& text) {
    std::vector<Arch> archs;
    for (const char* start : {"compute_", "sm_"})
        for (std::size_t at = text.find(start); at != npos; at = text.find(start, at + 1)) {
            const std::size_t begin = at + std::string_view(start).size();
            const std::size_t end = std::min(text.find_first_not_of("0123456789af", begin), text.size());
            add_arch(std::string_view(text).substr(begin, end - begin), archs);
        }
    if (!names_archs(name)) return archs;
    for (std::string word : split(text, " ;,\t\n\"'[]()=")) {
        for (const char* end : {"-real", "-virtual", "+PTX"})
            if (ends_with(word, end)) word.resize(word.size() - std::string_view(end).size());
        add_arch(word, archs);
    }
    return archs;
}

std::optional<Written> cuda_version_variable(const Written& image) {
    const std::size_t slash = image.text.rfind('/'), colon = image.text.rfind(':');
    if (!image.known || colon == npos || slash == npos || colon < slash ||
        !ends_with(image.text.substr(0, colon), "nvidia/cuda"))
        return std::nullopt;
    Written release = image;
    release.text = image.text.substr(colon + 1, image.text.find('-', colon) - colon - 1);
    return whole_release(release.text) ? std::optional<Written>(release) : std::nullopt;
}

std::optional<Version> whole_release(const std::string& word) {
    const bool number = !word.empty() && is_digit(word[0]) && word.find_first_not_of("0123456789.") == npos;
    const auto version = number ? parse_version(word) : std::nullopt;
    return version && version->numbers.size() == 3 ? version : std::nullopt;
}

bool chooses_packages(const std::string& shell_text) {
    const std::string text = lower(shell_text);
    for (const char* word : {"cuda", "cu1", "gpu", "cpu", "torch", "rocm", "arch", "sm_", "tensorflow", "jax",
                             "nvidia", "nvcc", "install"})
        if (text.find(word) != npos) return true;
    return false;
}

}  // namespace ptxguard::recipes
