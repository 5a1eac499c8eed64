// Archives: each member is a separate file. Archives within archives are read a few levels deep.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "formats/archive.hpp"
#include "formats/tar.hpp"
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
        for (const std::string& name : member.needed)
            if (!members.brings(name)) add_once(file.needed, name);
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

// Tar archives, also compressed as a whole. One in gzip is unpacked in memory; one in zstd is unpacked
// member by member.

namespace {

constexpr std::size_t k_tar_header = 512;
constexpr const char* k_too_large = "is larger than is unpacked";

// Where a tar archive's members are.
struct TarPlace {
    const Place& place;
    const Source& tar;
    const Source* whole = nullptr;  // contains the tar from `base` on; none: it can be read only once
    std::uint64_t base = 0;
};

class TarMembers {
public:
    TarMembers(const Host& host, FileReading& reading, const TarPlace& at)
        : m_host(host), m_reading(reading), m_at(at), m_tar(at.tar) {}

    // The next one that may contain device code.
    bool next() {
        do m_member = m_tar.next();
        while (m_member && !may_hold_code(m_member->name));
        return m_member.has_value();
    }

    void read(const Visit& visit) {
        const TarMember& member = *m_member;
        if (m_reading.counted) m_reading.counted(++m_done, 0, file_name(member.name));
        if (!m_at.whole) return read_once(member, visit);
        if (!m_reading.budget.take_bytes(member.size)) return add_large(member);
        read_unpacked(m_host, m_reading, m_at.place, member.name,
                      part_of(m_at.tar, member.offset, member.size), *m_at.whole, m_at.base + member.offset,
                      visit);
    }

    const TarReader& tar() const { return m_tar; }

private:
    void read_once(const TarMember& member, const Visit& visit) {
        const Held memory(m_reading.budget, member.size);
        // Its bytes are counted as they are unpacked; of more than are left nothing would be read.
        if (!memory || member.size > m_reading.budget.bytes) return add_large(member);
        const std::string bytes = read_bytes(m_at.tar, member.offset, static_cast<std::size_t>(member.size));
        if (bytes.size() < member.size) return;  // the stream reports it
        const Source source = source_of(bytes);
        read_unpacked(m_host, m_reading, m_at.place, member.name, source, source, 0, visit);
    }

    void add_large(const TarMember& member) {
        add_trouble(m_reading, "its member " + member.name + " " + k_too_large);
    }

    const Host& m_host;
    FileReading& m_reading;
    const TarPlace& m_at;
    TarReader m_tar;
    std::optional<TarMember> m_member;
    std::size_t m_done = 0;
};

// Why the bytes of a tar archive ended too early; "" if they did not. It explains what the tar lacks.
using Damage = std::function<std::string(const TarReader&)>;

void read_members_of(const Host& host, FileReading& reading, const TarPlace& at, const Damage& damage,
                     const Visit& visit) {
    reading.file.archive = ArchiveKind::other;
    TarMembers members(host, reading, at);
    MemberList list;
    if (at.place.depth >= k_most_nested) {
        add_trouble(reading, "is an archive within archives, deeper than is read");
    } else {
        list.next = [&] {
            if (members.next()) return true;
            const std::string why = damage(members.tar());
            if (!why.empty() || !members.tar().trouble().empty())
                add_trouble(reading, why.empty() ? members.tar().trouble() : why);
            return false;
        };
        list.read = [&](const Visit& visit_member) { members.read(visit_member); };
    }
    read_each(reading, at.place, list, visit);
}

std::string no_damage(const TarReader&) { return {}; }

// An archive that cannot be read, with the reason.
void read_none(FileReading& reading, const Place& place, const std::string& why, const Visit& visit) {
    add_trouble(reading, why);
    reading.file.archive = ArchiveKind::other;
    read_each(reading, place, {}, visit);
}

bool read_gzip(const Host& host, FileReading& reading, const Place& place, const Source& source,
               const Visit& visit) {
    const auto size = gunzipped_size(source);
    const std::uint64_t cost = size.value_or(0) + source.size;
    const Held memory(reading.budget, cost);
    const Result<std::string> bytes = memory && reading.budget.take_bytes(cost)
                                          ? gunzip(source, size.value_or(0))
                                          : Result<std::string>(Trouble{"gzip", k_too_large, ""});
    if (!bytes) {
        read_none(reading, place, bytes.trouble().what, visit);
        return true;
    }
    const Source tar = source_of(*bytes);
    if (!is_tar(read_bytes(tar, 0, k_tar_header))) return false;
    const Place inside{place.path, "", tar, 0, place.depth, place.container, place.member};
    read_members_of(host, reading, {inside, tar, &tar, 0}, no_damage, visit);
    return true;
}

bool read_zstd(const Host& host, FileReading& reading, const Place& place, const Source& source,
               const Visit& visit) {
    const Held memory(reading.budget, Unzstd::k_memory);
    if (!memory) return read_none(reading, place, k_too_large, visit), true;
    const Unzstd start(source, reading.budget.bytes);
    const std::string head = read_bytes(start.source(), 0, k_tar_header);
    if (!is_tar(head)) {
        if (start.trouble().empty()) return false;
        return read_none(reading, place, start.trouble(), visit), true;
    }
    const Unzstd stream(source, reading.budget.bytes);
    const Source none = source_of({});
    const Place inside{place.path, "", none, 0, place.depth, place.container, place.member};
    const auto damage = [&](const TarReader& tar) {
        const bool cut = stream.trouble().empty() && stream.unpacked() < tar.needed();
        return cut ? "a member is cut off" : stream.trouble();
    };
    read_members_of(host, reading, {inside, stream.source()}, damage, visit);
    return true;
}

}  // namespace

bool read_tar_file(const Host& host, FileReading& reading, const Place& place, const Source& source,
                   const Visit& visit) {
    const std::string head = read_bytes(source, 0, k_tar_header), name = lower(place.path);
    if (is_tar(head)) {
        read_members_of(host, reading, {place, source, &place.whole, place.base}, no_damage, visit);
        return true;
    }
    const auto named = [&](const char* end) {
        return ends_with(name, end) || ends_with(name, end + std::string(")"));
    };
    if (named(".tar.xz") || named(".txz") || named(".tar.bz2") || named(".tbz2")) {
        read_none(reading, place, "is compressed with xz or bzip2, which is not read", visit);
        return true;
    }
    if (is_gzip(head)) return read_gzip(host, reading, place, source, visit);
    return is_zstd(head) && read_zstd(host, reading, place, source, visit);
}

}  // namespace ptxguard
