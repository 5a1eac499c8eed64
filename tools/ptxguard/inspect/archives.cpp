// Archives: each member is a separate file. Archives within archives are read a few levels deep.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "formats/archive.hpp"
#include "formats/zip.hpp"
#include "host/paths.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
namespace {

// The groups of all members together, in the order of a report.
class Summary {
public:
    void add(const std::vector<EntryGroup>& groups) {
        for (const EntryGroup& group : groups) {
            EntryGroup& all =
                m_groups.emplace(key(group), EntryGroup{group.kind, group.arch, group.ptx, group.ir})
                    .first->second;
            all.count += group.count;
            all.fatbins += group.fatbins;
        }
    }

    std::vector<EntryGroup> groups() const {
        std::vector<EntryGroup> all;
        for (const auto& [key, group] : m_groups) all.push_back(group);
        return all;
    }

private:
    using Key = std::tuple<EntryKind, int, char, int, int, bool>;

    static Key key(const EntryGroup& group) {
        const PtxVersion ptx = group.ptx ? *group.ptx : group.ir.value_or(PtxVersion{});
        return {group.kind, group.arch.number, group.arch.suffix,
                ptx.major,  ptx.minor,         group.ptx.has_value()};
    }

    std::map<Key, EntryGroup> m_groups;
};

// Nothing if the file cannot be opened, which is reported.
std::optional<Source> open_outside(const Host& host, FileReading& reading, const std::string& folder,
                                   const std::string& name) {
    const Result<Source> source = host.open(join_path(folder, name));
    if (source) return *source;
    add_trouble(reading, "its member " + name + " " + source.trouble().what + ": " + source.trouble().cause);
    return std::nullopt;
}

void read_member(const Host& host, FileReading& reading, const Place& place, const Source& source,
                 const ArchiveMember& member, const Visit& visit) {
    FileReading inner = reading.of_member();
    const std::string path = place.path + "(" + member.name + ")";
    if (!member.outside) {
        const Place inside{path,       place.folder, place.whole, place.base + member.offset, place.depth + 1,
                           place.path, member.name};
        return read_at(host, inner, inside, part_of(source, member.offset, member.size), visit);
    }
    const auto outside = open_outside(host, reading, place.folder, member.name);
    if (!outside) return;
    // ar adds the members of an archive to a thin one, so an archive here could only be a cycle.
    const Place beside{path, place.folder, *outside, member.offset, k_most_nested, place.path, member.name};
    const std::uint64_t size = member.offset == 0 ? outside->size : member.size;
    read_at(host, inner, beside, part_of(*outside, member.offset, size), visit);
}

std::uint16_t section_of(BinaryFile& file, const std::string& name) {
    auto found = std::find(file.sections.begin(), file.sections.end(), name);
    if (found == file.sections.end()) found = file.sections.insert(found, name);
    return static_cast<std::uint16_t>(found - file.sections.begin());
}

// The archive has the entries of all its members, because which GPUs run it depends on all of them.
void add_entries(BinaryFile& whole, const BinaryFile& member) {
    const bool package = whole.archive != ArchiveKind::library;
    // A package itself loads cubins and PTX that are separate files.
    const bool alone = member.format == FileFormat::cubin || member.format == FileFormat::ptx ||
                       member.format == FileFormat::fatbin;
    for (DeviceEntry entry : member.entries) {
        if (package && alone) entry.registered = false;
        entry.fatbin += static_cast<std::uint32_t>(whole.fatbins);
        entry.section =
            section_of(whole, entry.section < member.sections.size() ? member.sections[entry.section] : "");
        whole.entries.push_back(std::move(entry));
    }
    whole.fatbins += member.fatbins;
}

}  // namespace

void read_at(const Host& host, FileReading& reading, const Place& place, const Source& source,
             const Visit& visit) {
    reading.file.path = place.path;
    reading.file.origin = Origin::from_file(place.path);
    reading.file.container = place.container;
    reading.file.member = place.member;
    const std::string head = read_bytes(source, 0, 8);
    if (is_archive(head)) return read_members(host, reading, place, source, visit);
    if (is_zip(head)) return read_wheel(host, reading, place, source, visit);
    if (read_tar_file(host, reading, place, source, visit)) return;
    read_file(reading, source);
    for (DeviceEntry& entry : reading.file.entries) entry.offset += place.base;
    // In an archive, keep only members with device code, of packages also those that need NVIDIA's libraries,
    // and damaged ones.
    const bool kept = place.depth == 0 || reading.kept || !reading.file.entries.empty() ||
                      (reading.packaged && !reading.file.needed.empty()) ||
                      (!reading.file.trouble.empty() && reading.file.format != FileFormat::unknown);
    if (!kept) return;
    // As long as the report needs it, with its entries in that of the archive.
    const std::uint64_t memory =
        sizeof(BinaryFile) + 4 * place.path.size() + 2 * sizeof(DeviceEntry) * reading.file.entries.size();
    reading.budget.memory -= std::min(reading.budget.memory, memory);
    visit(std::move(reading.file), place.whole);
}

void read_each(FileReading& reading, const Place& place, const MemberList& members, const Visit& visit) {
    BinaryFile& file = reading.file;
    file.format = FileFormat::archive;
    file.deep = reading.deep;
    std::size_t count = 0, with_code = 0;
    Summary summary;
    const Visit visit_member = [&](BinaryFile&& member, const Source& whole) {
        for (const std::string& name : member.needed) add_once(file.needed, name);
        if (member.format != FileFormat::archive && !member.entries.empty()) {
            summary.add(member.summary);
            add_entries(file, member);
            if (!member.summary.empty()) ++with_code;
        }
        visit(std::move(member), whole);
    };
    for (; members.next(); ++count) {
        const Budget& budget = reading.budget;
        if (budget.members == 0 || budget.entries == 0 || budget.memory == 0) {
            add_trouble(reading, "has more members or entries than are kept; the rest was not read");
            break;
        }
        --reading.budget.members;
        members.read(visit_member);
    }
    file.summary = summary.groups();
    file.remarks.push_back(std::to_string(count) + (count == 1 ? " member, " : " members, ") +
                           std::to_string(with_code) + " with device code");
    visit(std::move(file), place.whole);
}

void read_members(const Host& host, FileReading& reading, const Place& place, const Source& source,
                  const Visit& visit) {
    Archive archive;
    if (place.depth >= k_most_nested)
        add_trouble(reading, "is an archive within archives, deeper than is read");
    else if (const Result<Archive> found = read_archive(source))
        archive = *found;
    if (!archive.trouble.empty()) add_trouble(reading, archive.trouble);
    reading.file.archive = ArchiveKind::library;
    std::size_t seen = 0;
    read_each(reading, place,
              {[&] { return seen++ < archive.members.size(); },
               [&](const Visit& visit_member) {
                   read_member(host, reading, place, source, archive.members[seen - 1], visit_member);
               }},
              visit);
}

}  // namespace ptxguard
