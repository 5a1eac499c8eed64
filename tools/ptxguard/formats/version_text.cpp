// First searches where string constants are, then the whole file.
// SPDX-License-Identifier: Apache-2.0
#include "formats/version_text.hpp"

#include <algorithm>

#include "formats/header_defines.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_text_head = 1u << 16, k_text_chunk = 1u << 18;
constexpr std::uint64_t k_most_searched = 256u << 20;  // no tool is as large; a sparse file has any size
constexpr std::string_view k_banner = "Cuda compilation tools, release ";
constexpr std::string_view k_profiles = "nvidia-application-profiles-";

// The first match that starts in the range. Bytes after its end belong to a match that starts inside, or to
// its tail.
std::optional<std::string> numbered_between(const Source& source, ByteRange range, std::string_view needle,
                                            std::size_t tail) {
    const std::boyer_moore_horspool_searcher<std::string_view::const_iterator> search(needle.begin(),
                                                                                      needle.end());
    const std::string bytes = read_bytes(
        source, range.begin, static_cast<std::size_t>(range.end - range.begin) + needle.size() + tail);
    for (auto hit = bytes.cbegin(); (hit = std::search(hit, bytes.cend(), search)) != bytes.cend(); ++hit) {
        const std::size_t at = static_cast<std::size_t>(hit - bytes.cbegin());
        const std::size_t after = at + needle.size();
        if (after < bytes.size() && bytes[after] >= '0' && bytes[after] <= '9')
            return bytes.substr(at, needle.size() + tail);
    }
    return std::nullopt;
}

// In the read-only data, otherwise anywhere; truncated at the end of the string.
std::optional<std::string> numbered_text(const Source& source, std::string_view needle) {
    constexpr std::size_t k_tail = 48;
    std::optional<std::string> text;
    if (const auto range = read_only_data(source)) text = find_numbered(source, *range, needle, k_tail);
    if (!text) text = find_numbered(source, ByteRange{0, source.size}, needle, k_tail);
    if (text) text->resize(std::min(text->size(), text->find('\0')));
    return text;
}

}  // namespace

std::optional<std::string> find_numbered(const Source& source, ByteRange range, std::string_view needle,
                                         std::size_t tail) {
    const std::uint64_t head_end = std::min(range.end, range.begin + k_text_head);
    if (auto text = numbered_between(source, {range.begin, head_end}, needle, tail)) return text;
    const std::uint64_t last =
        range.end - head_end > k_most_searched ? range.end - k_most_searched : head_end;
    for (std::uint64_t end = range.end; end > last;) {
        const std::uint64_t begin = end - last > k_text_chunk ? end - k_text_chunk : last;
        if (auto text = numbered_between(source, {begin, end}, needle, tail)) return text;
        end = begin;
    }
    return std::nullopt;
}

std::optional<Version> banner_version(const Source& source) {
    const auto text = numbered_text(source, k_banner);
    if (!text) return std::nullopt;
    if (auto exact = find_version(*text, ", V")) return exact;
    return find_version(*text, "release ");
}

Known<Version> scanned_version(const Result<Source>& file, const std::string& path) {
    const auto version = file ? banner_version(*file) : std::nullopt;
    const bool cut = !version && file && file->size > k_most_searched;
    if (!version && !cut) return {};
    Known<Version> found;
    found.value = version;
    found.origin = Origin::from_file(path);
    found.origin.text = cut ? path + " has no version in the " + std::to_string(k_most_searched >> 20) +
                                  " MB of it that were searched"
                            : "version text inside " + path;
    return found;
}

Known<Version> runtime_header_version(const Result<std::string>& head, const std::string& path) {
    const auto number = head ? defined_number(*head, "CUDART_VERSION") : std::nullopt;
    if (!number || *number < 1000) return {};
    return {*parse_version(std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10)),
            Origin::from_file(path).shown_as("CUDART_VERSION " + std::to_string(*number) + " in " + path)};
}

std::optional<Version> libcuda_version(const Source& source) {
    const auto text = numbered_text(source, k_profiles);
    return text ? find_version(*text, k_profiles) : std::nullopt;
}

namespace {

struct Library {
    ToolFile file;
    const char *linux_stem, *windows_start;
};
const Library k_libraries[] = {{ToolFile::nvrtc, "libnvrtc", "nvrtc64_"},
                               {ToolFile::nvjitlink, "libnvjitlink", "nvjitlink_"},
                               {ToolFile::libnvvm, "libnvvm", "nvvm64_"},
                               {ToolFile::driver_jit, "libnvidia-ptxjitcompiler", "nvptxjitcompiler64"}};

}  // namespace

ToolFile tool_file(const std::string& path) {
    const std::string name = lower(file_of(path));
    const std::size_t so = name.find(".so");
    const bool is_shared = so != npos && name.substr(so + 3, 1).find_first_not_of('.') == npos;
    const std::string shared = is_shared ? without_hash(name.substr(0, so)) : "";
    for (const Library& library : k_libraries)
        if (shared == library.linux_stem ||
            (ends_with(name, ".dll") && starts_with(name, library.windows_start)))
            return library.file;
    const std::string stem = ends_with(name, ".exe") ? name.substr(0, name.size() - 4) : name;
    if (stem == "nvcc") return ToolFile::nvcc;
    if (stem == "tileiras") return ToolFile::tileiras;
    if (stem == "clang" || stem == "clang++" || starts_with(stem, "clang-")) return ToolFile::clang;
    static constexpr std::string_view k_outputs[] = {".ptx", ".cubin", ".fatbin", ".o",  ".obj",
                                                     ".a",   ".so",    ".dll",    ".lib"};
    const bool is_output =
        any_of(k_outputs, [&](std::string_view ending) { return ends_with(stem, ending); });
    return !is_output && stem.find("ptxas") != npos ? ToolFile::ptxas : ToolFile::none;
}

}  // namespace ptxguard
