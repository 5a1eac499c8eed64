// Tar archives, also compressed as a whole: then unpacked in memory before any member is read.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/tar.hpp"
#include "host/paths.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_tar_header = 512;

void read_members_of(const Host& host, Reading& reading, const Place& place, const Source& tar,
                     const Source& whole, std::uint64_t base, const Visit& visit) {
    Tar found;
    if (place.depth >= k_most_nested)
        add_trouble(reading, "is an archive within archives, deeper than is read");
    else
        found = read_tar(tar);
    if (!found.trouble.empty()) add_trouble(reading, found.trouble);
    std::vector<TarMember> members;
    std::copy_if(found.members.begin(), found.members.end(), std::back_inserter(members),
                 [](const TarMember& member) { return may_hold_code(member.name); });
    reading.file.archive = ArchiveKind::other;
    const auto read = [&](std::size_t i, const Visit& visit_member) {
        const TarMember& member = members[i];
        read_unpacked(host, reading, place, member.name, part_of(tar, member.offset, member.size), whole,
                      base + member.offset, visit_member);
    };
    read_each(reading, place, {members.size(), read}, visit);
}

// An archive that cannot be read, with the reason.
void read_none(Reading& reading, const Place& place, const std::string& why, const Visit& visit) {
    add_trouble(reading, why);
    reading.file.archive = ArchiveKind::other;
    read_each(reading, place, {}, visit);
}

}  // namespace

bool read_tar_file(const Host& host, Reading& reading, const Place& place, const Source& source,
                   const Visit& visit) {
    const std::string head = read_bytes(source, 0, k_tar_header), name = lower(place.path);
    if (is_tar(head)) {
        read_members_of(host, reading, place, source, place.whole, place.base, visit);
        return true;
    }
    const auto named = [&](const char* end) {
        return ends_with(name, end) || ends_with(name, end + std::string(")"));
    };
    if (named(".tar.xz") || named(".txz") || named(".tar.bz2") || named(".tbz2")) {
        read_none(reading, place, "is compressed with xz or bzip2, which is not read: unpack it first",
                  visit);
        return true;
    }
    if (!is_gzip(head) && !is_zstd(head)) return false;
    const std::uint64_t most = std::min(k_most_of_one, reading.budget.unpacked);
    const Result<std::string> bytes = is_gzip(head) ? gunzip(source, most) : unzstd(source, most);
    if (!bytes) {
        read_none(reading, place, bytes.trouble().what, visit);
        return true;
    }
    reading.budget.unpacked -= bytes->size();
    const Source tar = source_of(*bytes);
    if (!is_tar(read_bytes(tar, 0, k_tar_header))) return false;
    const Place inside{place.path, "", tar, 0, place.depth, place.container, place.member};
    read_members_of(host, reading, inside, tar, tar, 0, visit);
    return true;
}

}  // namespace ptxguard
