// ECMA-335, partition II: the CLI header (25.3.3) leads to the metadata root (24.2.1), which lists its
// streams.
// SPDX-License-Identifier: Apache-2.0
#include "formats/cli.hpp"

#include <utility>

namespace ptxguard {
namespace {

constexpr std::size_t k_cli_directory = 14, k_cli_header = 72, k_root_head = 16, k_root_size = 4096;
constexpr std::uint32_t k_root_signature = 0x424a5342, k_il_only = 1, k_32_bit_required = 2;
constexpr Limit k_most_name_bytes{16u << 20, "bytes of names", "the names of native DLLs"};

// Where the bytes of a stream are, and how many.
std::pair<std::uint32_t, std::uint32_t> stream_of(const Source& metadata, const std::string& wanted) {
    const std::string root = read_bytes(metadata, 0, k_root_size);
    if (root.size() < k_root_head || load_u32(&root[0]) != k_root_signature) return {};
    std::size_t at = k_root_head + load_u32(&root[12]);  // behind the version
    if (at > root.size() || root.size() - at < 4) return {};
    const std::size_t count = load_u16(&root[at + 2]);
    at += 4;
    for (std::size_t i = 0; i < count && at + 8 < root.size(); ++i) {
        const std::uint32_t offset = load_u32(&root[at]), size = load_u32(&root[at + 4]);
        const std::string name = root.substr(at + 8, root.find('\0', at + 8) - at - 8);
        if (name == wanted) return {offset, size};
        at += 8 + (name.size() / 4 + 1) * 4;
    }
    return {};
}

}  // namespace

std::optional<CliFile> read_cli(const Source& source, const PeFile& file) {
    if (file.directories.size() <= k_cli_directory || file.directories[k_cli_directory].first == 0)
        return std::nullopt;
    const auto at = file.offset_of(file.directories[k_cli_directory].first);
    const std::string header = at ? read_bytes(source, *at, k_cli_header) : "";
    if (header.size() < k_cli_header) return std::nullopt;
    CliFile cli;
    const std::uint32_t flags = load_u32(&header[16]);
    cli.only_managed = (flags & k_il_only) != 0;
    cli.needs_32_bit = (flags & k_32_bit_required) != 0;
    const auto metadata = file.offset_of(load_u32(&header[8]));
    if (!metadata) return cli;
    const Source streams = part_of(source, *metadata, load_u32(&header[12]));
    const auto [offset, size] = stream_of(streams, "#Strings");
    if (k_most_name_bytes.is_exceeded(size, [&](const Limit& limit) { cli.beyond = limit; })) return cli;
    const std::string strings = read_bytes(streams, offset, size);
    for (std::size_t start = 0; start < strings.size();) {
        const std::size_t end = std::min(strings.find('\0', start), strings.size());
        if (end > start) cli.names.push_back(strings.substr(start, end - start));
        start = end + 1;
    }
    return cli;
}

}  // namespace ptxguard
