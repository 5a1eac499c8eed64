// Wheels, conda packages and other zip files. A library is unpacked in memory, read and dropped before the
// next one.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "facts/libraries.hpp"
#include "formats/device_code.hpp"
#include "formats/wheel_metadata.hpp"
#include "formats/zip.hpp"
#include "host/paths.hpp"
#include "inspect/inspect.hpp"
#include "inspect/reading.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

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
    std::set<std::string> libraries;  // "torchcodec.libs/libnvjpeg-ae5a5fd1.so.13" is not needed from outside
    for (const ZipMember& member : all)
        if (holds_code(member)) libraries.insert(lower(file_name(member.name)));
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
               },
               [&](const std::string& library) { return libraries.count(lower(library)) != 0; }},
              visit);
}

// Writes payloads to files, each with its own name.

namespace {

// What to extract: everything, or one architecture as cubin ("sm_90a"), as PTX ("compute_90") or both
// ("90a").
struct Wanted {
    bool all = false, cubins = true, ptx = true;
    Arch arch;

    bool covers(const DeviceEntry& entry) const {
        if (all) return true;
        if (entry.arch != arch) return false;
        return entry.kind == EntryKind::cubin ? cubins : entry.kind == EntryKind::ptx ? ptx : cubins && ptx;
    }
};

std::optional<Wanted> parse_wanted(const std::string& word) {
    Wanted wanted;
    wanted.all = word == "all";
    if (wanted.all) return wanted;
    const std::optional<Arch> arch = parse_arch(word);
    if (!arch) return std::nullopt;
    wanted.arch = *arch;
    wanted.cubins = !starts_with(word, "compute_");
    wanted.ptx = !starts_with(word, "sm_");
    return wanted;
}

// "libx.a(sub/m.o)" -> "libx.a.m.o".
std::string stem_of(const std::string& path) {
    std::string stem;
    const std::vector<std::string> archive_and_members = split(path, "(");
    for (std::string piece : archive_and_members) {
        while (!piece.empty() && piece.back() == ')') piece.pop_back();
        stem += (stem.empty() ? "" : ".") + file_name(piece);
    }
    for (char& c : stem)
        if (static_cast<unsigned char>(c) < 0x20 ||
            std::string_view("/\\:*?\"<>|").find(c) != std::string_view::npos)
            c = '_';
    return stem;
}

std::string name_of(const BinaryFile& file, std::size_t index, const std::string& number) {
    const DeviceEntry& entry = file.entries[index];
    const char* const ending = entry.kind == EntryKind::other ? "bin" : to_string(entry.kind);
    const std::string arch = entry.kind == EntryKind::ptx ? entry.arch.compute() : entry.arch.sm();
    return stem_of(file.path) + number + "." + std::to_string(index) + "." + arch + "." + ending;
}

class Extraction {
public:
    Extraction(Wanted wanted, std::string folder, Extracted& so_far)
        : m_wanted(wanted), m_folder(std::move(folder)), m_so_far(so_far) {}

    std::vector<std::string> written;
    std::size_t failed = 0;
    std::string first_failure;
    bool too_much = false;

    void take(const BinaryFile& file, const Source& source) {
        if (file.format == FileFormat::archive) return;  // its members are separate files
        for (std::size_t i = 0; i < file.entries.size(); ++i)
            if (m_wanted.covers(file.entries[i])) write(file, i, source);
    }

private:
    void write(const BinaryFile& file, std::size_t index, const Source& source) {
        if (too_much) return;
        Result<std::string> bytes = read_payload(source, file.entries[index]);
        if (!bytes) return fail(bytes.trouble());
        // A PTX text is followed by a zero byte and padding.
        const bool text = file.entries[index].kind == EntryKind::ptx;
        if (text) bytes->resize(bytes->find_last_not_of('\0') + 1);
        too_much = bytes->size() > m_so_far.most_bytes - m_so_far.bytes;
        if (too_much) return;
        m_so_far.bytes += bytes->size();
        const std::string path = join_path(m_folder, new_name(file, index));
        if (const auto trouble = own::write_file(path, *bytes)) return fail(*trouble);
        written.push_back(path);
    }
    // Members of an archive, and files of several folders, may have one name.
    std::string new_name(const BinaryFile& file, std::size_t index) {
        const std::string plain = name_of(file, index, "");
        for (int& number = m_so_far.numbers[lower(plain)];;) {
            const std::string name =
                ++number == 1 ? plain : name_of(file, index, "-" + std::to_string(number));
            if (m_so_far.names.insert(lower(name)).second) return name;
        }
    }
    void fail(const Trouble& trouble) {
        if (failed++ == 0) first_failure = trouble.text();
    }

    Wanted m_wanted;
    std::string m_folder;
    Extracted& m_so_far;
};

}  // namespace

Result<std::vector<std::string>> extract(const Host& host, const std::string& path, const std::string& sm,
                                         const std::string& folder, Extracted& so_far) {
    const std::optional<Wanted> wanted = parse_wanted(sm);
    if (!wanted) return Trouble{"'" + sm + "'", "is not an architecture", "sm_90a, compute_90, 90a or all"};
    const Result<Source> source = host.open(path);
    if (!source) return source.trouble();
    Extraction extraction(*wanted, folder, so_far);
    std::string trouble;
    read_binary(host, Facts::embedded(), path, *source, InspectOptions{true},
                [&](BinaryFile&& file, const Source& whole) {
                    if (trouble.empty()) trouble = file.trouble;
                    extraction.take(file, whole);
                });
    if (extraction.too_much) {
        return Trouble{path,
                       "holds more than --extract writes in one run (" +
                           std::to_string(so_far.most_bytes >> 20) + " MiB)",
                       "name one architecture, or fewer files"};
    }
    if (extraction.failed != 0) {
        return Trouble{path,
                       std::to_string(extraction.failed) + " of " +
                           std::to_string(extraction.failed + extraction.written.size()) +
                           " entries could not be written",
                       extraction.first_failure};
    }
    if (extraction.written.empty())
        return Trouble{path, sm == "all" ? "contains no device code" : "contains nothing for " + sm, trouble};
    return std::move(extraction.written);
}

}  // namespace ptxguard
