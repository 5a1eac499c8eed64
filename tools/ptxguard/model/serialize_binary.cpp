// Binaries and load traces as Json. Empty members are left out, with two exceptions that readers rely on:
// `taken` is null where the loader finds no file, and a summary that is empty is an empty list.
// SPDX-License-Identifier: Apache-2.0
#include "model/json_members.hpp"

namespace ptxguard {
namespace {

std::string section_name(const BinaryFile& file, const DeviceEntry& entry) {
    return entry.section < file.sections.size() ? file.sections[entry.section] : "";
}

std::string sm_or_nothing(Arch arch) { return arch.number == 0 ? "" : arch.sm(); }

// A bare cubin or PTX text lies in no section.
std::vector<std::string> named_sections(const BinaryFile& file) {
    std::vector<std::string> names;
    for (const std::string& name : file.sections)
        if (!name.empty()) names.push_back(name);
    return names;
}

Json entries_json(const BinaryFile& file) {
    Json array = Json::array();
    for (const DeviceEntry& entry : file.entries) array.push(entry_json(entry, section_name(file, entry)));
    return array;
}

}  // namespace

Json entry_json(const DeviceEntry& entry, const std::string& section) {
    Members members;
    members.text("kind", to_string(entry.kind))
        .text("arch", sm_or_nothing(entry.arch))
        .optional("ptx", entry.ptx)
        .number("fatbin", entry.fatbin)
        .text("section", section)
        .number("raw_kind", entry.raw_kind)
        .flag("relocatable", entry.relocatable);
    if (!entry.registered) members.json("registered", false);
    return members.flag("compressed", entry.compressed)
        .flag("debug", entry.debug)
        .flag("obfuscated", entry.obfuscated)
        .number("offset", static_cast<std::int64_t>(entry.offset))
        .number("size", static_cast<std::int64_t>(entry.size))
        .number("uncompressed", static_cast<std::int64_t>(entry.uncompressed))
        .number("flags", static_cast<std::int64_t>(entry.flags))
        .number("abi", entry.abi)
        .optional("toolkit", entry.toolkit)
        .text("looks_like", entry.looks_like)
        .take();
}

Json to_json(const EntryGroup& group) {
    return Members()
        .text("kind", to_string(group.kind))
        .text("arch", sm_or_nothing(group.arch))
        .optional("ptx", group.ptx)
        .json("count", group.count)
        .json("fatbins", group.fatbins)
        .take();
}

Json to_json(const RunsOn& answer) {
    return Members()
        .text("gpu", answer.gpu)
        .text("arch", sm_or_nothing(answer.arch))
        .text("verdict", to_string(answer.verdict))
        .text("why", answer.why)
        .text("decide", answer.decide)
        .number("fatbins_fit", static_cast<std::int64_t>(answer.fatbins_fit))
        .number("fatbins", static_cast<std::int64_t>(answer.fatbins))
        .take();
}

Json binary_json(const BinaryFile& file, bool with_entries) {
    Members members;
    members.text("path", file.path)
        .text("format", to_string(file.format))
        .text("looks_like", file.looks_like)
        .text("machine", file.machine)
        .json("needed", value_json(file.needed))
        .values("sections", named_sections(file))
        .flag("by_scan", file.by_scan)
        .flag("deep", file.deep)
        .json("fatbins", file.fatbins)
        .json("summary", whole_array(file.summary));
    if (with_entries) members.json("entries", entries_json(file));
    return members.values("toolkits", file.toolkits)
        .values("remarks", file.remarks)
        .text("trouble", file.trouble)
        .structs("runs_on", file.runs_on)
        .json("origin", to_json(file.origin))
        .take();
}

Json to_json(const BinaryFile& file) { return binary_json(file, true); }

Json to_json(const LoadLoser& loser) {
    return Members()
        .text("path", loser.path)
        .text("rule", loser.rule)
        .text("lost", to_string(loser.lost))
        .text("why", loser.why)
        .known("version", loser.version)
        .take();
}

Json to_json(const LoadedFile& library) {
    Members members;
    members.text("name", library.name)
        .text("needed_by", library.needed_by)
        .text("how", to_string(library.how))
        .flag("optional", library.optional)
        .null_or("taken", library.taken)
        .text("real_path", library.real_path)
        .text("rule", library.rule)
        .text("rule_detail", library.rule_detail)
        .text("because", library.because)
        .flag("undecided", library.undecided)
        .structs("losers", library.losers)
        .text("library", library.library)
        .number("cuda_major", library.cuda_major)
        .known("version", library.version)
        .known("cuda", library.cuda)
        .flag("stub", library.stub)
        .text("machine", library.machine)
        .flag("pinned", library.pinned);
    if (library.undefined) members.json("undefined", *library.undefined);
    return members.values("undefined_names", library.undefined_names)
        .values("missing_versions", library.missing_versions)
        .take();
}

Json to_json(const LoadTrace& trace) {
    Members members;
    members.text("path", trace.path)
        .flag("is_program", trace.is_program)
        .text("machine", trace.machine)
        .json("libraries", whole_array(trace.libraries))
        .values("searched", trace.searched);
    if (!trace.itself.library.empty())
        members.json("itself", whole_array(std::vector<LoadedFile>{trace.itself}));
    if (trace.undefined) members.json("undefined", *trace.undefined);
    return members.values("undefined_names", trace.undefined_names)
        .values("missing_versions", trace.missing_versions)
        .text("missing_package", trace.missing_package)
        .values("remarks", trace.remarks)
        .text("trouble", trace.trouble)
        .text("framework", trace.framework)
        .values("absent_packages", trace.absent_packages)
        .values("half_removed", trace.half_removed)
        .flag("all_packages_absent", trace.all_packages_absent)
        .flag("packages_of_others", trace.packages_of_others)
        .json("origin", to_json(trace.origin))
        .take();
}

}  // namespace ptxguard
