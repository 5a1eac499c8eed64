// SPDX-License-Identifier: Apache-2.0
#include "load/later_names.hpp"

#include <algorithm>
#include <string_view>

#include "facts/libraries.hpp"
#include "formats/header_defines.hpp"
#include "formats/sections.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

namespace {

// "{library}{value}.dll"
std::string filled(std::string pattern, const std::string& library, const std::string& value) {
    return replace_all(replace_all(std::move(pattern), "{library}", library), "{value}", value);
}

std::vector<std::string> names_of(const ComposedNames& composed, const std::string& header) {
    std::vector<std::string> names;
    for (const HeaderDefine& define : read_header_defines(header))
        for (const auto& [name, libraries] : composed.defines)
            for (const std::string& library : libraries)
                if (name == define.name && !define.value.empty())
                    names.push_back(filled(composed.pattern, library, define.value));
    append(names, composed.always);
    return names;
}

// From CUDA 12 one name of a library is that of all releases of a major.
std::vector<std::string> names_of_build(const Facts& facts, const ComposedNames& composed,
                                        const LoadOptions& options, System system) {
    constexpr int k_first_with_one_name = 12;
    if (!options.built_with_cuda || options.built_with_cuda->major() < k_first_with_one_name) return {};
    auto files = library_files(facts, options.built_with_cuda->major(), system);
    if (options.built_with_cudnn && system == System::linux_)
        files["cudnn"] = "libcudnn.so." + std::to_string(options.built_with_cudnn->major());
    std::vector<std::string> names;
    for (const auto& [define, libraries] : composed.defines)
        for (const std::string& library : libraries)
            if (const auto file = files.find(library); file != files.end()) names.push_back(file->second);
    append(names, composed.always);
    return names;
}

}  // namespace

ComposedLibraries composed_libraries(const Host& host, const Facts& facts, const std::string& path,
                                     const LoadOptions& options) {
    constexpr std::size_t k_most_of_header = 1u << 20;
    const std::vector<ComposedNames> rows = composed_names(facts, file_name(path), host.system());
    for (const ComposedNames& composed : rows)
        for (const std::string& site : options.site_packages)
            for (const std::string& header : composed.headers)
                if (const auto text = host.read(join_path(site, header), k_most_of_header))
                    return {names_of(composed, *text), composed.asks_by};
    if (rows.empty()) return {};
    return {names_of_build(facts, rows.front(), options, host.system()), rows.front().asks_by};
}

namespace {

constexpr std::uint64_t k_most_bytes = 64u << 20;  // of .rodata
constexpr std::size_t k_searched_piece = 64u << 10;
constexpr std::size_t k_most_later_names = 256;
constexpr std::size_t k_longest = 128;
constexpr std::uint64_t k_most_of_dll = 32u << 20;
constexpr std::size_t k_longest_dll = 64;

bool is_name_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '.';
}
bool is_number_character(char c) { return (c >= '0' && c <= '9') || c == '.'; }

// The NUL-terminated string around the ".so" at `at`, if all of it is a library name; otherwise empty.
std::string_view name_around(std::string_view bytes, std::size_t at) {
    std::size_t start = at, end = at + 3;
    while (start > 0 && at - start < k_longest && is_name_character(bytes[start - 1])) --start;
    while (end < bytes.size() && end - at < k_longest && is_number_character(bytes[end])) ++end;
    const bool whole = end < bytes.size() && bytes[end] == '\0' && (start == 0 || bytes[start - 1] == '\0');
    const std::string_view name = bytes.substr(start, end - start);
    return whole && name.substr(0, 3) == "lib" && at > start + 3 ? name : std::string_view();
}

// A name that is assembled at run time ("libcublas.so.%d") is not found.
void add_names(std::string_view bytes, std::vector<std::string>& names) {
    for (std::size_t at = bytes.find(".so"); at != std::string_view::npos; at = bytes.find(".so", at + 1)) {
        const std::string name(name_around(bytes, at));
        if (name.empty() || names.size() >= k_most_later_names) continue;
        if (!contains(names, name)) names.push_back(name);
    }
}

// "cublas64_12.dll" before each ".dll" of the text; `step` 2 reads UTF-16.
void add_dll_names(std::string_view text, std::size_t step, std::set<std::string>& names) {
    const std::string mark = step == 1 ? ".dll" : std::string(".\0d\0l\0l", 7);
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
        std::string name;
        for (std::size_t i = at; i >= step && name.size() < k_longest_dll; i -= step) {
            if (!is_name_character(text[i - step]) || (step == 2 && text[i - 1] != '\0')) break;
            name += text[i - step];
        }
        std::reverse(name.begin(), name.end());
        if (!name.empty()) names.insert(name + ".dll");
    }
}

}  // namespace

std::vector<std::string> library_names_in_text(const Source& source, const ElfFile& file) {
    std::vector<std::string> names;
    const ElfSection* section = file.section(".rodata");
    if (!section || section->type == k_sht_nobits) return names;
    const std::uint64_t end = section->offset + std::min(section->size, k_most_bytes);
    // Pieces overlap by more than the length of a name.
    visit_pieces(source, {section->offset, end}, k_searched_piece, 4 * k_longest,
                 [&](std::string_view bytes) {
                     add_names(bytes, names);
                     return true;
                 });
    return names;
}

std::set<std::string> dll_names_in_text(const Source& source, const PeFile& pe) {
    std::set<std::string> names;
    std::uint64_t left = k_most_of_dll;
    for (const PeSection& section : pe.sections) {
        if (section.name != ".rdata" && section.name != ".data") continue;
        const std::uint64_t size = std::min<std::uint64_t>(section.size, left);
        left -= size;
        visit_pieces(source, {section.offset, section.offset + size}, k_searched_piece, 2 * k_longest_dll,
                     [&](std::string_view bytes) {
                         add_dll_names(bytes, 1, names);
                         add_dll_names(bytes, 2, names);
                         return true;
                     });
    }
    return names;
}

bool habit_applies(const Host& host, const std::string& site, const PackageHabit& habit, bool unknown) {
    if (!habit.only_with.empty() && !is_folder(host, join_path(site, habit.only_with))) return false;
    if (habit.only_with_from) {
        const auto other = installed_version(host, site, {habit.only_with});
        if (other ? *other < *habit.only_with_from : !unknown) return false;
    }
    if (!habit.from && !habit.below) return true;
    const auto version = installed_version(host, site, habit.distributions);
    if (!version) return unknown;
    return is_within(*version, habit.from, habit.below);
}

std::string place_of_find(const Host& host, const std::string& site, const std::string& place) {
    const std::size_t slash = std::min(place.find('/'), place.size());
    const std::string start = place.substr(0, slash);
    if (start == "{site}") return join_path(site, place.substr(slash + 1));
    const std::string root = host.env(start.substr(1)).value_or("");
    return root.empty() ? std::string() : join_path(root, place.substr(slash + 1));
}

}  // namespace ptxguard
