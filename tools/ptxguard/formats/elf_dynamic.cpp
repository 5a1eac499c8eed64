// What ld.so reads before it maps anything else. Strings are read one by one: the strings of a large library
// are 20 MB.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/elf.hpp"
#include "formats/elf_tables.hpp"
#include "formats/window.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_max_path = 4096;
constexpr std::size_t k_max_text = 1u << 16;
constexpr std::size_t k_max_all_texts = 4u << 20;  // of one file; many names may share one long string
constexpr std::uint64_t k_no_default_folders = 0x800;

class Texts {
public:
    Texts(const Source& source, DynamicStrings strings)
        : m_part(part_of(source, strings.offset, strings.size)), m_window(m_part) {}

    std::optional<std::string> at(std::uint64_t place) {
        auto text = m_window.text(place, k_max_text);
        if (!text || text->size() + 32 > m_left) return std::nullopt;
        m_left -= text->size() + 32;
        return text;
    }

private:
    const Source m_part;
    Window m_window;
    std::size_t m_left = k_max_all_texts;
};

bool add_entry(const DynamicEntry& entry, Texts& texts, ElfDynamic& dynamic) {
    if (entry.tag == k_dt_flags_1) dynamic.no_default_folders = (entry.value & k_no_default_folders) != 0;
    if (entry.tag != k_dt_needed && entry.tag != k_dt_soname && entry.tag != k_dt_rpath &&
        entry.tag != k_dt_runpath)
        return true;
    auto text = texts.at(entry.value);
    if (!text) return false;
    if (entry.tag == k_dt_needed) dynamic.needed.push_back(std::move(*text));
    if (entry.tag == k_dt_soname) dynamic.soname = std::move(*text);
    if (entry.tag == k_dt_rpath) dynamic.rpath = std::move(*text);
    if (entry.tag == k_dt_runpath) dynamic.runpath = std::move(*text);
    return true;
}

bool add_version(const VersionRow& row, Texts& texts, ElfDynamic& dynamic) {
    auto name = texts.at(row.name);
    if (!name) return false;
    if (!row.needed) {
        dynamic.defined_versions.push_back(std::move(*name));
        return true;
    }
    auto library = texts.at(row.file);
    if (!library) return false;
    dynamic.needed_versions.push_back({std::move(*library), std::move(*name), row.weak});
    return true;
}

// False: a string is outside the table.
bool read_texts(const Source& source, const ElfFile& file, const std::vector<DynamicEntry>& entries,
                const std::vector<VersionRow>& versions, ElfDynamic& dynamic) {
    Texts texts(source, dynamic_strings(source, file, entries).value_or(DynamicStrings{}));
    return all_of(entries, [&](const DynamicEntry& entry) { return add_entry(entry, texts, dynamic); }) &&
           all_of(versions, [&](const VersionRow& row) { return add_version(row, texts, dynamic); });
}

}  // namespace

Result<ElfDynamic> read_elf_dynamic(const Source& source, const ElfFile& file) {
    ElfDynamic dynamic;
    const auto is = [](std::uint32_t type) { return [type](const ElfSegment& s) { return s.type == type; }; };
    dynamic.is_dynamic = any_of(file.segments, is(k_pt_dynamic));
    const auto interpreter = std::find_if(file.segments.begin(), file.segments.end(), is(k_pt_interp));
    if (interpreter != file.segments.end()) {
        const Source part = part_of(source, interpreter->offset, interpreter->file_size);
        auto text = Window(part, 64).text(0, k_max_path);
        if (!text) return Trouble{{}, "names no interpreter where its headers say", {}};
        dynamic.interpreter = std::move(*text);
    }
    const auto entries = read_dynamic_entries(source, file);
    if (!entries) return entries.trouble();
    const auto versions = read_version_rows(source, file, *entries);
    if (!versions) return versions.trouble();
    if (!read_texts(source, file, *entries, *versions, dynamic))
        return Trouble{{}, "has names outside its table of names", {}};
    return dynamic;
}

Result<ElfDynamic> read_elf_dynamic(const Source& source) {
    const auto file = read_elf(source);
    return file ? read_elf_dynamic(source, *file) : Result<ElfDynamic>(file.trouble());
}

}  // namespace ptxguard
