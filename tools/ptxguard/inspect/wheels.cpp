// Wheels, conda packages and other zip files. A library is unpacked in memory, read and dropped before the
// next one.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "formats/inflate.hpp"
#include "formats/wheel_metadata.hpp"
#include "formats/zip.hpp"
#include "host/paths.hpp"
#include "inspect/reading.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

class WheelReader {
public:
    WheelReader(const Host& host, Reading& reading, const Place& place, const Source& source)
        : m_host(host), m_reading(reading), m_place(place), m_source(source) {}

    void read(const ZipMember& member, const Visit& visit) {
        const Result<Source> packed = packed_bytes(m_source, member);
        if (!packed) return add_trouble(m_reading, packed.trouble().what);
        if (member.method == 0) return read_bytes_of(member, *packed, visit);
        if (member.method != 8)
            return add_trouble(m_reading, "its member " + member.name + " is compressed in an unknown way");
        if (member.size > k_most_of_one || member.size > m_reading.budget.unpacked)
            return add_trouble(m_reading, "its member " + member.name + " is larger than is unpacked");
        m_reading.budget.unpacked -= member.size;
        const Result<std::string> bytes = inflate(*packed, member.size);
        if (!bytes) return add_trouble(m_reading, "its member " + member.name + " " + bytes.trouble().what);
        read_bytes_of(member, source_of(*bytes), visit);
    }

    // What the wheel requires and which NVIDIA libraries it contains.
    void describe(const std::vector<ZipMember>& members) {
        constexpr std::uint64_t k_most_metadata = 4u << 20;
        BinaryFile& file = m_reading.file;
        for (const ZipMember& member : members) {
            const auto library = library_by_file_name(m_reading.facts, file_name(member.name));
            if (library && !library->driver) add_once(file.bundled, library->library);
            if (!ends_with(member.name, ".dist-info/METADATA") || member.size > k_most_metadata) continue;
            const Result<Source> packed = packed_bytes(m_source, member);
            if (!packed) continue;
            const Result<std::string> text =
                member.method == 8
                    ? inflate(*packed, member.size)
                    : Result<std::string>(read_bytes(*packed, 0, static_cast<std::size_t>(member.size)));
            const auto metadata = text ? read_wheel_metadata(*text) : std::nullopt;
            if (!metadata) continue;
            for (const Requirement& one : metadata->requirements) add_once(file.requires_dist, one.package);
        }
    }

    // A framework whose libraries the members need is required, even if the metadata does not list it.
    void add_frameworks() {
        for (const PackageHabit& habit : package_habits(m_reading.facts, System::linux_))
            for (const std::string& library : habit.lends)
                if (std::find(m_links.begin(), m_links.end(), library) != m_links.end())
                    add_once(m_reading.file.requires_dist, habit.package);
    }

private:
    void read_bytes_of(const ZipMember& member, const Source& bytes, const Visit& visit) {
        read_unpacked(m_host, m_reading, m_place, member.name, bytes, bytes, 0, visit, &m_links);
    }

    std::vector<std::string> m_links;  // of all members
    const Host& m_host;
    Reading& m_reading;
    const Place& m_place;
    const Source& m_source;
};

}  // namespace

bool may_hold_code(const std::string& path) {
    const std::string name = lower(file_name(path));
    for (const char* end : {".pyd", ".dll", ".exe", ".a", ".cubin", ".fatbin", ".ptx", ".whl", ".conda",
                            ".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.xz", ".tar.bz2"})
        if (ends_with(name, end)) return true;
    return is_shared_library(name);
}

void read_unpacked(const Host& host, Reading& reading, const Place& place, const std::string& member,
                   const Source& bytes, const Source& whole, std::uint64_t base, const Visit& visit,
                   std::vector<std::string>* links) {
    Reading inner{reading.facts, reading.deep, reading.budget, {}};
    inner.links = links;
    // A copy of the driver is an error in the package, with or without device code.
    const auto library = library_by_file_name(reading.facts, file_name(member));
    inner.kept = library && library->driver;
    const Place inside{place.path + "(" + member + ")", "", whole, base, place.depth + 1, place.path, member};
    read_at(host, inner, inside, bytes, visit);
}

void read_wheel(const Host& host, Reading& reading, const Place& place, const Source& source,
                const Visit& visit) {
    std::vector<ZipMember> all, members;
    if (place.depth >= k_most_nested)
        add_trouble(reading, "is an archive within archives, deeper than is read");
    else if (Result<std::vector<ZipMember>> found = read_zip(source))
        all = std::move(*found);
    else
        add_trouble(reading, found.trouble().what);
    std::copy_if(all.begin(), all.end(), std::back_inserter(members),
                 [](const ZipMember& member) { return may_hold_code(member.name); });
    const std::string name = lower(place.path);
    reading.file.archive = ends_with(name, ".whl")     ? ArchiveKind::wheel
                           : ends_with(name, ".conda") ? ArchiveKind::conda
                                                       : ArchiveKind::other;
    WheelReader wheel(host, reading, place, source);
    if (reading.file.archive == ArchiveKind::wheel) wheel.describe(all);
    const auto read = [&](std::size_t i, const Visit& visit_member) {
        wheel.read(members[i], visit_member);
        if (i + 1 == members.size()) wheel.add_frameworks();
    };
    read_each(reading, place, {members.size(), read}, visit);
}

}  // namespace ptxguard
