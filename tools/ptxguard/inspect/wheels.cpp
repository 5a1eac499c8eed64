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
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "python/requirement.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_metadata{4u << 20, "bytes of METADATA", "what the wheel requires"};

class WheelReader {
public:
    WheelReader(const Host& host, FileReading& reading, const Place& place, const Source& source)
        : m_host(host), m_reading(reading), m_place(place), m_source(source) {}

    void read(const ZipMember& member, const Visit& visit) {
        unpack(member, [&](const Source& bytes) {
            read_unpacked(m_host, m_reading, m_place, member.name, bytes, bytes, 0, visit, &m_links);
        });
    }

    // What the wheel requires and which NVIDIA libraries it contains.
    void describe(const std::vector<ZipMember>& members) {
        BinaryFile& file = m_reading.file;
        const auto metadata = std::find_if(members.begin(), members.end(),
                                           [](const ZipMember& member) { return is_metadata(member.name); });
        for (const ZipMember& member : members) {
            const auto library = library_by_file_name(m_reading.facts, file_name(member.name));
            if (library && !library->driver) add_once(file.bundled, library->library);
        }
        const auto too_long = [&](const Limit& reached) {
            add_trouble(m_reading, "its member " + metadata->name + " " + reached.why());
        };
        if (metadata == members.end() ||
            k_most_metadata.is_exceeded(static_cast<std::size_t>(metadata->size), too_long))
            return;
        unpack(*metadata, [&](const Source& bytes) {
            const auto found =
                read_wheel_metadata(read_bytes(bytes, 0, static_cast<std::size_t>(metadata->size)));
            if (found)
                for (const WheelRequirement& one : found->requirements) require(one.name);
        });
    }

    // A framework whose libraries the members need is required, even if the metadata does not list it.
    void add_frameworks() {
        for (const PackageHabit& habit : package_habits(m_reading.facts, System::linux_))
            for (const std::string& library : habit.lends)
                if (m_links.count(library) > 0) require(habit.package);
    }

private:
    // Of the wheel itself: packages contain those of packages that they bring.
    static bool is_metadata(const std::string& name) {
        return ends_with(name, ".dist-info/METADATA") && name.find('/') == name.rfind('/');
    }

    void require(const std::string& package) {
        if (!package.empty() && m_required.insert(package).second)
            m_reading.file.requires_dist.push_back(package);
    }

    // Calls `use` with the member's bytes, or reports why there are none.
    void unpack(const ZipMember& member, const std::function<void(const Source&)>& use) {
        const std::string name = "its member " + member.name + " ";
        const Result<Source> packed = packed_bytes(m_source, member);
        if (!packed) return add_trouble(m_reading, packed.trouble().what);
        const bool stored = member.method == 0;
        if (!stored && member.method != 8)
            return add_trouble(m_reading, name + "is compressed in an unknown way");
        const bool small = member.size <= m_reading.budget.memory;  // also: the sum does not overflow
        const std::uint64_t cost = packed->size + (stored || !small ? 0 : member.size);
        const Held memory(m_reading.budget, stored ? 0 : cost);
        if (!small || !memory || !m_reading.budget.take_bytes(cost))
            return add_trouble(m_reading, name + "is larger than is unpacked");
        if (stored) return use(*packed);
        const Result<std::string> bytes = inflate(*packed, member.size);
        if (!bytes) return add_trouble(m_reading, name + bytes.trouble().what);
        use(source_of(*bytes));
    }

    std::set<std::string> m_links, m_required;  // the libraries that members need; packages
    const Host& m_host;
    FileReading& m_reading;
    const Place& m_place;
    const Source& m_source;
};

// A name without an extension, which is not that of a text such as LICENSE.
bool may_be_program(const std::string& path) {
    const std::string name = file_name(path);
    const bool small_letters = any_of(name, [](char c) { return c >= 'a' && c <= 'z'; });
    return small_letters && name.find('.') == std::string::npos && path.find("-info/") == std::string::npos;
}

}  // namespace

bool may_hold_code(const std::string& path) {
    const std::string name = lower(file_name(path));
    for (const char* end : {".pyd",   ".dll",    ".exe",    ".a",   ".lib",     ".o",      ".obj",
                            ".cubin", ".fatbin", ".ptx",    ".whl", ".egg",     ".conda",  ".jar",
                            ".zip",   ".tar",    ".tar.gz", ".tgz", ".tar.zst", ".tar.xz", ".tar.bz2"})
        if (ends_with(name, end)) return true;
    return is_shared_library(name) || may_be_program(path);
}

void read_unpacked(const Host& host, FileReading& reading, const Place& place, const std::string& member,
                   const Source& bytes, const Source& whole, std::uint64_t base, const Visit& visit,
                   std::set<std::string>* links) {
    FileReading inner = reading.of_member();
    inner.links = links;
    inner.packaged = true;
    // A copy of the driver is an error in the package, with or without device code.
    const auto library = library_by_file_name(reading.facts, file_name(member));
    inner.kept = library && library->driver;
    const Place inside{place.path + "(" + member + ")", "", whole, base, place.depth + 1, place.path, member};
    read_at(host, inner, inside, bytes, visit);
}

void read_wheel(const Host& host, FileReading& reading, const Place& place, const Source& source,
                const Visit& visit) {
    std::vector<ZipMember> all;
    if (place.depth >= k_most_nested)
        add_trouble(reading, "is an archive within archives, deeper than is read");
    else if (Result<std::vector<ZipMember>> found = read_zip(source, reading.budget.memory / 4))
        all = std::move(*found);
    else
        add_trouble(reading, found.trouble().what);
    std::uint64_t size = all.size() * sizeof(ZipMember);
    for (const ZipMember& member : all) size += member.name.size();
    const Held names(reading.budget, size);
    const std::string name = lower(place.path);
    reading.file.archive = ends_with(name, ".whl")     ? ArchiveKind::wheel
                           : ends_with(name, ".conda") ? ArchiveKind::conda
                                                       : ArchiveKind::other;
    WheelReader wheel(host, reading, place, source);
    if (reading.file.archive == ArchiveKind::wheel) wheel.describe(all);
    const auto holds_code = [](const ZipMember& member) { return may_hold_code(member.name); };
    const auto with_code = static_cast<std::size_t>(std::count_if(all.begin(), all.end(), holds_code));
    std::size_t seen = 0, done = 0;
    const auto next = [&] {
        while (seen < all.size() && !may_hold_code(all[seen].name)) ++seen;
        if (seen == all.size()) wheel.add_frameworks();
        return seen++ < all.size();
    };
    read_each(reading, place,
              {next,
               [&](const Visit& visit_member) {
                   const ZipMember& member = all[seen - 1];
                   if (reading.counted) reading.counted(++done, with_code, file_name(member.name));
                   wheel.read(member, visit_member);
               }},
              visit);
}

}  // namespace ptxguard
