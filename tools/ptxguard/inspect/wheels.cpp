// Wheels and other zip files. A library is unpacked in memory, read and dropped before the next one.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/libraries.hpp"
#include "formats/inflate.hpp"
#include "formats/zip.hpp"
#include "host/paths.hpp"
#include "inspect/reading.hpp"

namespace ptxguard {
namespace {

constexpr std::uint64_t k_most_of_one = std::uint64_t{4} << 30, k_most_of_all = std::uint64_t{32} << 30;

bool may_hold_code(const std::string& path) {
    const std::string name = lower(file_name(path));
    for (const char* end : {".pyd", ".dll", ".exe", ".a", ".cubin", ".fatbin", ".ptx"})
        if (ends_with(name, end)) return true;
    return is_shared_library(name);
}

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
        if (member.size > k_most_of_one || member.size > m_left)
            return add_trouble(m_reading, "its member " + member.name + " is larger than is unpacked");
        m_left -= member.size;
        const Result<std::string> bytes = inflate(*packed, member.size);
        if (!bytes) return add_trouble(m_reading, "its member " + member.name + " " + bytes.trouble().what);
        read_bytes_of(member, source_of(*bytes), visit);
    }

private:
    void read_bytes_of(const ZipMember& member, const Source& bytes, const Visit& visit) {
        Reading inner{m_reading.facts, m_reading.deep, m_reading.budget, {}};
        // A copy of the driver is a fault of the wheel, with or without device code.
        const auto library = library_by_file_name(m_reading.facts, file_name(member.name));
        inner.kept = library && library->driver;
        const Place inside{m_place.path + "(" + member.name + ")", "", bytes, 0, m_place.depth + 1};
        read_at(m_host, inner, inside, bytes, visit);
    }

    const Host& m_host;
    Reading& m_reading;
    const Place& m_place;
    const Source& m_source;
    std::uint64_t m_left = k_most_of_all;
};

}  // namespace

void read_wheel(const Host& host, Reading& reading, const Place& place, const Source& source,
                const Visit& visit) {
    std::vector<ZipMember> members;
    if (const Result<std::vector<ZipMember>> found = read_zip(source))
        std::copy_if(found->begin(), found->end(), std::back_inserter(members),
                     [](const ZipMember& member) { return may_hold_code(member.name); });
    else
        add_trouble(reading, found.trouble().what);
    WheelReader wheel(host, reading, place, source);
    const auto read = [&](std::size_t i, const Visit& visit_member) { wheel.read(members[i], visit_member); };
    read_each(reading, place, {members.size(), read}, visit);
}

}  // namespace ptxguard
