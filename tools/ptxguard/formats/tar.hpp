// Tar archives: members with the long names and sizes of GNU tar and pax. Also gzip around one, and zstd
// frames.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "model/result.hpp"
#include "model/source.hpp"

namespace ptxguard {

struct TarMember {
    std::string name;
    std::uint64_t offset = 0, size = 0;  // of the content
};
bool is_tar(std::string_view head);  // 512 bytes

// Reads forwards only, and of a member's content nothing, so that a stream can be read while it is unpacked.
class TarReader {
public:
    explicit TarReader(Source source) : m_source(std::move(source)) {}

    std::optional<TarMember> next();                          // regular files
    const std::string& trouble() const { return m_trouble; }  // why it stopped early
    std::uint64_t needed() const { return m_needed; }         // bytes, by the headers so far

private:
    bool read_header(std::optional<TarMember>& member);
    void keep_for_next(char type, std::uint64_t begin, std::uint64_t size);
    bool stop(const char* why);

    Source m_source;
    std::uint64_t m_at = 0, m_needed = 0;  // of the next header; without padding
    std::size_t m_count = 0;
    std::string m_trouble;
    std::string m_long_name;  // for the next member
    std::optional<std::uint64_t> m_long_size;
};

bool is_gzip(std::string_view head);  // 2 bytes
// The size that it gives at its end; nothing if it is too short.
std::optional<std::uint64_t> gunzipped_size(const Source& source);
// An error if it is damaged, has another size, or more than one compressed part.
Result<std::string> gunzip(const Source& source, std::uint64_t size);

bool is_zstd(std::string_view head);  // 4 bytes
// The unpacked bytes of consecutive zstd frames, read forwards only.
class Unzstd {
public:
    static constexpr std::uint64_t k_memory = std::uint64_t{128}
                                              << 20;  // as level 22 of conda packages needs

    // `left`: how many bytes may be unpacked; less afterwards.
    Unzstd(Source packed, std::uint64_t& left);
    // Of unknown size. Reading before an earlier read gives nothing.
    const Source& source() const { return m_source; }
    std::string trouble() const;     // why it ended early
    std::uint64_t unpacked() const;  // bytes so far

private:
    struct State;
    std::shared_ptr<State> m_state;
    Source m_source;
};

}  // namespace ptxguard
