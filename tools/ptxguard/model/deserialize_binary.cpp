// Binaries and load traces from Json: the mirror of serialize_binary.cpp. What entries tell need not be
// written twice: sections, fatbins and summary that are not given are taken from the entries.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/json_reader.hpp"

namespace ptxguard {
namespace {

// An entry names its section; the struct holds the index.
struct NamedEntry {
    DeviceEntry entry;
    std::string section;
};

void fill(const JsonReader& in, NamedEntry& named) {
    DeviceEntry& entry = named.entry;
    std::optional<Arch> arch;
    in.word("kind", entry.kind, entry_kind_from);
    in.read("arch", arch);
    entry.arch = arch.value_or(Arch{});
    in.read("ptx", entry.ptx);
    in.number("fatbin", entry.fatbin);
    in.read("section", named.section);
    in.number("raw_kind", entry.raw_kind);
    in.read("relocatable", entry.relocatable);
    in.read("registered", entry.registered);
    in.read("compressed", entry.compressed);
    in.read("debug", entry.debug);
    in.read("obfuscated", entry.obfuscated);
    in.number("offset", entry.offset);
    in.number("size", entry.size);
    in.number("uncompressed", entry.uncompressed);
    in.number("flags", entry.flags);
    in.number("abi", entry.abi);
    in.read("toolkit", entry.toolkit);
    in.read("looks_like", entry.looks_like);
}

void fill(const JsonReader& in, EntryGroup& group) {
    std::optional<Arch> arch;
    in.word("kind", group.kind, entry_kind_from);
    in.read("arch", arch);
    group.arch = arch.value_or(Arch{});
    in.read("ptx", group.ptx);
    in.number("count", group.count);
    in.number("fatbins", group.fatbins);
}

void fill(const JsonReader& in, RunsOn& answer) {
    std::optional<Arch> arch;
    in.read("gpu", answer.gpu);
    in.read("arch", arch);
    answer.arch = arch.value_or(Arch{});
    in.word("verdict", answer.verdict, run_verdict_from);
    in.read("why", answer.why);
    in.read("decide", answer.decide);
    in.number("fatbins_fit", answer.fatbins_fit);
    in.number("fatbins", answer.fatbins);
}

void fill(const JsonReader& in, LoadLoser& loser) {
    in.read("path", loser.path);
    in.read("rule", loser.rule);
    in.word("lost", loser.lost, load_lost_from);
    in.read("why", loser.why);
    in.read("version", loser.version);
}

void fill(const JsonReader& in, LoadedFile& library) {
    in.read("name", library.name);
    in.read("needed_by", library.needed_by);
    in.word("how", library.how, load_how_from);
    in.read("optional", library.optional);
    in.read("taken", library.taken);
    in.read("real_path", library.real_path);
    in.read("rule", library.rule);
    in.read("rule_detail", library.rule_detail);
    in.read("because", library.because);
    in.read("undecided", library.undecided);
    in.structs<LoadLoser>("losers", library.losers, fill);
    in.read("library", library.library);
    in.read("cuda_major", library.cuda_major);
    in.read("version", library.version);
    in.read("cuda", library.cuda);
    in.read("stub", library.stub);
    in.read("machine", library.machine);
    in.read("pinned", library.pinned);
    in.number("undefined", library.undefined);
    in.read("undefined_names", library.undefined_names);
    in.read("missing_versions", library.missing_versions);
}

std::uint16_t section_index(BinaryFile& file, const std::string& name) {
    auto found = std::find(file.sections.begin(), file.sections.end(), name);
    if (found == file.sections.end()) found = file.sections.insert(found, name);
    return static_cast<std::uint16_t>(found - file.sections.begin());
}

void take_entries(std::vector<NamedEntry>& named, BinaryFile& file) {
    for (NamedEntry& one : named) {
        one.entry.section = section_index(file, one.section);
        file.fatbins = std::max<std::size_t>(file.fatbins, one.entry.fatbin + std::size_t{1});
        file.entries.push_back(std::move(one.entry));
    }
    if (file.summary.empty()) file.summary = summarize(file.entries);
}

}  // namespace

void fill_binary(const JsonReader& in, BinaryFile& file) {
    std::vector<NamedEntry> entries;
    in.read("path", file.path);
    in.word("format", file.format, file_format_from);
    in.read("looks_like", file.looks_like);
    in.read("machine", file.machine);
    in.read("needed", file.needed);
    in.read("sections", file.sections);
    in.read("by_scan", file.by_scan);
    in.read("deep", file.deep);
    in.number("fatbins", file.fatbins);
    in.structs<NamedEntry>("entries", entries, fill);
    in.structs<EntryGroup>("summary", file.summary, fill);
    in.read("toolkits", file.toolkits);
    in.read("remarks", file.remarks);
    in.read("trouble", file.trouble);
    in.structs<RunsOn>("runs_on", file.runs_on, fill);
    in.origin("origin", file.origin);
    take_entries(entries, file);
}

void fill_trace(const JsonReader& in, LoadTrace& trace) {
    in.read("path", trace.path);
    in.read("is_program", trace.is_program);
    in.read("machine", trace.machine);
    in.structs<LoadedFile>("libraries", trace.libraries, fill);
    in.read("searched", trace.searched);
    std::vector<LoadedFile> itself;
    in.structs<LoadedFile>("itself", itself, fill);
    if (!itself.empty()) trace.itself = itself.front();
    in.number("undefined", trace.undefined);
    in.read("undefined_names", trace.undefined_names);
    in.read("missing_versions", trace.missing_versions);
    in.read("missing_package", trace.missing_package);
    in.read("remarks", trace.remarks);
    in.read("trouble", trace.trouble);
    in.read("framework", trace.framework);
    in.read("absent_packages", trace.absent_packages);
    in.read("half_removed", trace.half_removed);
    in.read("all_packages_absent", trace.all_packages_absent);
    in.read("packages_of_others", trace.packages_of_others);
    in.origin("origin", trace.origin);
}

}  // namespace ptxguard
