// Tar archives, also compressed as a whole. One in gzip is unpacked in memory; one in zstd is unpacked member
// by member.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/tar.hpp"
#include "host/paths.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
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
