// Two resources of a PE file: its version and its manifest. Strings are UTF-16 there and UTF-8 here.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/pe.hpp"
#include "model/visible.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_resources = 2;  // number of the directory
constexpr std::uint32_t k_rt_version = 16, k_rt_manifest = 24, k_is_folder = 0x80000000;
constexpr std::size_t k_folder_head = 16, k_folder_row = 8, k_max_rows = 4096;
constexpr std::size_t k_max_version = 1u << 16, k_max_manifest = 1u << 20;
constexpr std::uint32_t k_fixed_signature = 0xfeef04bd;
constexpr std::size_t k_fixed_size = 52;

// Target of the first row (or the one of `type`) of a resource folder; both are offsets within the resources.
std::optional<std::uint32_t> row_of(const Source& part, std::uint32_t folder,
                                    std::optional<std::uint32_t> type) {
    const std::string head = read_bytes(part, folder, k_folder_head);
    if (head.size() < k_folder_head) return std::nullopt;
    const std::size_t count =
        std::min<std::size_t>(load_u16(&head[12]) + std::size_t{load_u16(&head[14])}, k_max_rows);
    const std::string rows = read_bytes(part, std::uint64_t{folder} + k_folder_head, count * k_folder_row);
    for (std::size_t at = 0; at + k_folder_row <= rows.size(); at += k_folder_row)
        if (!type || load_u32(&rows[at]) == *type) return load_u32(&rows[at + 4]);
    return std::nullopt;
}

// The first resource of a type in its first language: type, name, language, then the bytes.
std::optional<std::string> read_resource(const Source& source, const PeFile& file, std::uint32_t type,
                                         std::size_t limit) {
    if (k_resources >= file.directories.size() || file.directories[k_resources].first == 0)
        return std::nullopt;
    const auto begin = file.offset_of(file.directories[k_resources].first);
    if (!begin) return std::nullopt;
    const Source part = part_of(source, *begin, file.directories[k_resources].second);
    auto row = row_of(part, 0, type);
    for (int level = 0; level < 2; ++level) {
        if (!row || (*row & k_is_folder) == 0) return std::nullopt;
        row = row_of(part, *row & ~k_is_folder, std::nullopt);
    }
    if (!row || (*row & k_is_folder) != 0) return std::nullopt;
    const std::string leaf = read_bytes(part, *row, 16);
    const auto offset = leaf.size() == 16 ? file.offset_of(load_u32(&leaf[0])) : std::nullopt;
    if (!offset || load_u32(&leaf[4]) > limit) return std::nullopt;
    std::string bytes(load_u32(&leaf[4]), '\0');
    if (bytes.empty() || !read_exactly(source, *offset, &bytes[0], bytes.size())) return std::nullopt;
    return bytes;
}

// Up to a zero or the end; half a surrogate pair becomes U+FFFD.
std::string utf8_from(std::string_view utf16) {
    std::string text;
    for (std::size_t at = 0; at + 2 <= utf16.size(); at += 2) {
        std::uint32_t code = load_u16(&utf16[at]);
        if (code == 0) break;
        if (code >= 0xd800 && code < 0xdc00 && at + 4 <= utf16.size()) {
            const std::uint32_t low = load_u16(&utf16[at + 2]);
            if (low >= 0xdc00 && low < 0xe000) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
                at += 2;
            }
        }
        add_utf8(text, code >= 0xd800 && code < 0xe000 ? 0xfffd : code);
    }
    return text;
}

// One node of a version resource: length, length of the value, its kind, a name, the value, then its
// children.
struct Node {
    std::string name;
    std::string_view value, children;
    std::size_t size = 0;  // of the complete node, without alignment of the next
};

std::size_t aligned(std::size_t at) { return (at + 3) & ~std::size_t{3}; }

// `bytes` starts at a multiple of 4 in the resource.
std::optional<Node> node_from(std::string_view bytes) {
    if (bytes.size() < 6) return std::nullopt;
    Node node;
    node.size = std::min<std::size_t>(load_u16(bytes.data()), bytes.size());
    if (node.size < 6) return std::nullopt;
    bytes = bytes.substr(0, node.size);
    const bool is_text = load_u16(&bytes[4]) == 1;
    std::size_t at = 6;
    while (at + 2 <= bytes.size() && load_u16(&bytes[at]) != 0) at += 2;
    if (at + 2 > bytes.size()) return std::nullopt;
    node.name = utf8_from(bytes.substr(6, at - 6));
    at = std::min(aligned(at + 2), bytes.size());
    const std::size_t length = load_u16(&bytes[2]) * std::size_t{is_text ? 2u : 1u};
    node.value = bytes.substr(at, length);
    node.children = bytes.substr(std::min(aligned(at + node.value.size()), bytes.size()));
    return node;
}

template <typename Use>
void each_node(std::string_view bytes, Use use) {
    while (const auto node = node_from(bytes)) {
        use(*node);
        bytes.remove_prefix(std::min(aligned(node->size), bytes.size()));
    }
}

Version version_from(std::uint32_t high, std::uint32_t low) {
    Version version;
    for (const std::uint32_t number : {high >> 16, high & 0xffff, low >> 16, low & 0xffff})
        version.numbers.push_back(static_cast<int>(number));
    for (const int number : version.numbers)
        version.text += (version.text.empty() ? "" : ".") + std::to_string(number);
    return version;
}

void take_text(const Node& node, PeVersionInfo& info) {
    std::string value = utf8_from(node.value);
    if (node.name == "CompanyName")
        info.company = std::move(value);
    else if (node.name == "FileDescription")
        info.description = std::move(value);
}

}  // namespace

std::optional<PeVersionInfo> read_pe_version(const Source& source, const PeFile& file) {
    const auto bytes = read_resource(source, file, k_rt_version, k_max_version);
    const auto root = bytes ? node_from(*bytes) : std::nullopt;
    if (!root || root->name != "VS_VERSION_INFO") return std::nullopt;
    PeVersionInfo info;
    const char* fixed = root->value.data();
    if (root->value.size() >= k_fixed_size && load_u32(fixed) == k_fixed_signature)
        info.file_version = version_from(load_u32(fixed + 8), load_u32(fixed + 12));
    each_node(root->children, [&](const Node& part) {
        if (part.name != "StringFileInfo") return;
        each_node(part.children, [&](const Node& language) {
            each_node(language.children, [&](const Node& text) { take_text(text, info); });
        });
    });
    return info;
}

std::optional<std::string> read_pe_manifest(const Source& source, const PeFile& file) {
    auto bytes = read_resource(source, file, k_rt_manifest, k_max_manifest);
    if (!bytes) return std::nullopt;
    const std::string_view head = std::string_view(*bytes).substr(0, 3);
    if (head.substr(0, 2) == "\xff\xfe") return utf8_from(std::string_view(*bytes).substr(2));
    if (head == "\xef\xbb\xbf") bytes->erase(0, 3);
    return bytes;
}

}  // namespace ptxguard
