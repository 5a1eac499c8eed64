// Member headers of ar archives. GNU, BSD and Microsoft writers differ in where they store long names and in
// the names of tables, which are not members.
// SPDX-License-Identifier: Apache-2.0
#include "formats/archive.hpp"

#include <algorithm>
#include <optional>

#include "formats/text_lines.hpp"
#include "formats/window.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_header = 60;
constexpr std::size_t k_max_members = 1u << 17, k_max_names = 16u << 20, k_max_name = 4096,
                      k_max_all_names = 64u << 20;

std::string_view without_blanks(std::string_view text) {
    const std::size_t last = text.find_last_not_of(' ');
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
}

// Symbol tables, and the second linker member and the tables of Microsoft's lib.
bool is_table(std::string_view name) {
    return name == "/" || name == "/SYM64/" || name == "/<ECSYMBOLS>/" || name == "/<XFGHASHMAP>/" ||
           name.substr(0, 9) == "__.SYMDEF";
}

class Reader {
public:
    explicit Reader(const Source& source) : m_source(source), m_window(source) {}

    Archive archive;

    void read() {
        for (std::uint64_t at = 8; at < m_source.size;) {
            // Members start at even offsets; at the end the padding may be missing.
            const char* head = m_source.size - at < k_header ? nullptr : m_window.at(at, k_header);
            if (!head) return stop(at, "the header of a member is cut off");
            const std::string_view text(head, k_header);
            const auto size = decimal(without_blanks(text.substr(48, 10)));
            if (!size || text.substr(58) != "`\n") return stop(at, "no header of a member found");
            const std::optional<std::uint64_t> stored = member(text.substr(0, 16), at + k_header, *size);
            if (!stored) return;
            at += k_header + *stored;
            at += at % 2;
        }
    }

private:
    void stop(std::uint64_t at, const std::string& what) {
        if (archive.trouble.empty()) archive.trouble = "at byte " + std::to_string(at) + ": " + what;
    }

    // Returns the size of the content after the header; nothing if reading ends.
    std::optional<std::uint64_t> member(std::string_view field, std::uint64_t offset, std::uint64_t size) {
        ArchiveMember found{std::string(without_blanks(field)), offset, size, false};
        const bool names = found.name == "//", table = is_table(found.name);
        const bool inside = names || table || !archive.thin;
        if (inside && size > m_source.size - offset) {
            stop(offset,
                 "the " + std::to_string(size) + " bytes of '" + found.name + "' go beyond the file's end");
            if (names || table) return std::nullopt;
        }
        const std::uint64_t stored = inside ? std::min(size, m_source.size - offset) : 0;
        if (names) return read_names(offset, size) ? std::optional<std::uint64_t>(size) : std::nullopt;
        if (table) return stored;
        found.outside = !inside;
        found.size = inside ? stored : size;
        return add(std::move(found)) ? std::optional(stored) : std::nullopt;
    }

    bool add(ArchiveMember found) {
        const std::uint64_t offset = found.offset;
        if (archive.members.size() >= k_max_members) {
            stop(offset, "there are more than " + std::to_string(k_max_members) + " members");
            return false;
        }
        if (found.outside) found.offset = 0;
        if (!set_name(found)) return false;
        m_all_names += found.name.size();  // members may share a place in the table
        if (m_all_names > k_max_all_names) {
            stop(offset, "the names of the members are longer than is read");
            return false;
        }
        if (!is_table(found.name)) archive.members.push_back(std::move(found));
        return true;
    }

    bool read_names(std::uint64_t offset, std::uint64_t size) {
        if (size > k_max_names) {
            stop(offset, "the table of names has " + std::to_string(size) + " bytes");
            return false;
        }
        m_names = read_bytes(m_source, offset, static_cast<std::size_t>(size));
        return true;
    }

    // The name itself, or its location: "/123" in the name table, "#1/20" in the first 20 bytes of the
    // content.
    bool set_name(ArchiveMember& found) {
        std::string& name = found.name;
        if (name.substr(0, 3) == "#1/") return set_bsd_name(found);
        if (name.size() > 1 && name[0] == '/' && name[1] >= '0' && name[1] <= '9')
            return set_long_name(found);
        if (!name.empty() && name.back() == '/') name.pop_back();
        return true;
    }

    bool set_bsd_name(ArchiveMember& found) {
        const auto length = decimal(std::string_view(found.name).substr(3));
        if (!length || *length > found.size || *length > k_max_name) {
            stop(found.offset, "the length of a name is wrong: '" + found.name + "'");
            return false;
        }
        found.name = read_bytes(m_source, found.offset, static_cast<std::size_t>(*length));
        found.name.resize(std::min(found.name.find('\0'), found.name.size()));
        found.offset += *length;
        found.size -= *length;
        return true;
    }

    // "/123:4096" of a thin archive: the member whose header is at byte 4096 of the archive of that name.
    bool set_long_name(ArchiveMember& found) {
        const std::string_view digits = std::string_view(found.name).substr(1);
        const std::size_t colon = std::min(digits.find(':'), digits.size());
        const auto at = decimal(digits.substr(0, colon));
        if (!at || *at >= m_names.size()) {
            stop(found.offset, "a name is not in the table of names: '" + found.name + "'");
            return false;
        }
        if (colon < digits.size()) {
            const auto header = decimal(digits.substr(colon + 1));
            if (!header) {
                stop(found.offset, "the place of a member is wrong: '" + found.name + "'");
                return false;
            }
            found.offset = *header + k_header;
        }
        const auto begin = static_cast<std::size_t>(*at);
        std::string_view name = std::string_view(m_names).substr(begin, k_max_name);
        name = name.substr(0, name.find_first_of(std::string_view("\n\0", 2)));
        if (!name.empty() && name.back() == '/') name.remove_suffix(1);
        found.name = name;
        return true;
    }

    const Source& m_source;
    Window m_window;
    std::string m_names;
    std::size_t m_all_names = 0;  // bytes
};

}  // namespace

bool is_archive(std::string_view head) {
    return head.substr(0, 8) == "!<arch>\n" || head.substr(0, 8) == "!<thin>\n";
}

Result<Archive> read_archive(const Source& source) {
    const std::string head = read_bytes(source, 0, 8);
    if (!is_archive(head)) return Trouble{"the file", "is not an archive", ""};
    Reader reader(source);
    reader.archive.thin = head[2] == 't';
    reader.read();
    return std::move(reader.archive);
}

}  // namespace ptxguard
