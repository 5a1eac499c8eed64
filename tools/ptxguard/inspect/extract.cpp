// Writes payloads to files, each with its own name.
// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "formats/device_code.hpp"
#include "host/paths.hpp"
#include "inspect/inspect.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
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
