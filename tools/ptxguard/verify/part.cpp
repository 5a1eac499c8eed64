// Finds tools and libraries by their names, and the function that measures each.
// SPDX-License-Identifier: Apache-2.0
#include "verify/part.hpp"

#include <set>
#include <utility>

#include "formats/tool_file.hpp"
#include "host/paths.hpp"

namespace ptxguard {

namespace {

struct Kind {
    FactPart part;
    const char* name;
    void (*measure)(const Host&, const Facts&, MeasuredPart&);
};

const Kind k_kinds[] = {
    {FactPart::ptxas, "ptxas", measure_ptxas},
    {FactPart::nvrtc, "NVRTC", measure_nvrtc},
    {FactPart::nvvm, "libNVVM", measure_nvvm},
    {FactPart::nvjitlink, "nvJitLink", measure_nvjitlink},
    {FactPart::host_config, "host_config.h", measure_host_config},
    {FactPart::driver_jit, "driver JIT", measure_driver_jit},
};

const Kind& kind_of(FactPart part) {
    for (const Kind& kind : k_kinds)
        if (kind.part == part) return kind;
    return k_kinds[0];
}

constexpr int k_deepest = 12;
constexpr std::size_t k_most_files = 1000000;

struct Search {
    const Host& host;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    std::vector<FoundPart> found;
    std::size_t files = 0;

    void add(const std::string& path, FactPart kind) {
        const FileStatus status = host.status(path);
        if (status.type == FileType::regular && seen.insert({status.device, status.inode}).second)
            found.push_back({path, kind});
    }

    // Links to folders are not followed: their targets are elsewhere in the tree, or outside it.
    void look(const std::string& folder, int depth) {
        const auto entries = host.list(folder);
        if (!entries || depth > k_deepest) return;
        for (const DirectoryEntry& entry : *entries) {
            if (++files > k_most_files) return;
            const std::string path = join_path(folder, entry.name);
            if (entry.type == FileType::directory) {
                if (entry.name != "stubs" && !host.status(path).is_link) look(path, depth + 1);
            } else if (auto kind = fact_part(entry.name)) {
                // The one next to crt only warns and includes it.
                if (*kind != FactPart::host_config || file_name(folder) == "crt") add(path, *kind);
            }
        }
    }
};

}  // namespace

const char* to_string(FactPart part) { return kind_of(part).name; }

std::optional<FactPart> fact_part(const std::string& file_name) {
    const std::string name = lower(file_name);
    if (name == "host_config.h") return FactPart::host_config;
    if (name.find(".alt.") != std::string::npos) return std::nullopt;  // a copy for another way of loading
    switch (tool_file(name)) {
        case ToolFile::ptxas:
            // Not ptxas.1 and the like.
            if (name == "ptxas" || name == "ptxas.exe" || starts_with(name, "ptxas-")) return FactPart::ptxas;
            return std::nullopt;
        case ToolFile::nvrtc:
            return FactPart::nvrtc;
        case ToolFile::libnvvm:
            return FactPart::nvvm;
        case ToolFile::nvjitlink:
            return FactPart::nvjitlink;
        case ToolFile::driver_jit:
            return FactPart::driver_jit;
        default:
            return std::nullopt;
    }
}

Result<std::vector<FoundPart>> parts_at(const Host& host, const std::string& path) {
    Search search{host, {}, {}, 0};
    const FileStatus status = host.status(path);
    if (status.type == FileType::directory) {
        search.look(path, 0);
        if (search.found.empty()) return Trouble{path, "contains no part that the tables list", ""};
        return std::move(search.found);
    }
    if (status.type != FileType::regular) return Trouble{path, "is neither a file nor a folder", ""};
    const auto kind = fact_part(file_name(path));
    if (!kind)
        return Trouble{path, "is not a part that the tables list",
                       "ptxas, libnvrtc, libnvvm, libnvJitLink, crt/host_config.h, libnvidia-ptxjitcompiler"};
    search.add(path, *kind);
    return std::move(search.found);
}

MeasuredPart measure_part(const Host& host, const Facts& facts, const FoundPart& part) {
    MeasuredPart measured;
    measured.part = part;
    kind_of(part.kind).measure(host, facts, measured);
    if (!measured.trouble.empty()) measured.values = Json::object();
    return measured;
}

}  // namespace ptxguard
