// Finds tools and libraries by their names, and the function that measures each.
// SPDX-License-Identifier: Apache-2.0
#include "verify/part.hpp"

#include <set>
#include <utility>

#include "formats/version_text.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"

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
        case ToolFile::nvrtc: return FactPart::nvrtc;
        case ToolFile::libnvvm: return FactPart::nvvm;
        case ToolFile::nvjitlink: return FactPart::nvjitlink;
        case ToolFile::driver_jit: return FactPart::driver_jit;
        default: return std::nullopt;
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

// Compares measured values with those of the table.

namespace {

std::string text_of(const Json& value) { return value.is_string() ? value.as_string() : to_text(value, -1); }

std::string source_of(const Json& source) {
    if (source.is_string()) return source.as_string();
    std::string text;
    for (const Json& id : source.items()) text += (text.empty() ? "" : ", ") + id.as_string();
    return text;
}

bool holds(const Json& array, const Json& value) {
    return any_of(array.items(), [&](const Json& item) { return text_of(item) == text_of(value); });
}

struct Walk {
    VerifiedPart& result;

    void add(const std::string& what, const std::string& measured, const std::string& table, std::string text,
             const std::string& source) {
        result.differences.push_back({what, measured, table, std::move(text), source});
    }

    void compare_lists(const std::string& what, const Json& measured, const Json& table,
                       const std::string& source) {
        for (const Json& value : measured.items())
            if (!holds(table, value))
                add(what, text_of(value), "", "it has " + text_of(value) + ", which the table lacks", source);
        for (const Json& value : table.items())
            if (!holds(measured, value))
                add(what, "", text_of(value),
                    "it does not know " + text_of(value) + ", which the table lists", source);
    }

    void compare(const std::string& what, const Json& measured, const Json& table, std::string source) {
        if (!table["source"].is_null()) source = source_of(table["source"]);
        if (table.is_null()) {
            const std::string value = to_text(measured, -1);
            result.unlisted.push_back({what, value, "", "the table says nothing of it: add " + value, ""});
        } else if (measured.is_object() && table.is_object()) {
            for (const auto& [name, value] : measured.members())
                compare(what.empty() ? name : what + "." + name, value, table[name], source);
        } else if (measured.is_array() && table.is_array()) {
            compare_lists(what, measured, table, source);
        } else if (text_of(measured) != text_of(table)) {
            add(what, text_of(measured), text_of(table),
                "measured " + text_of(measured) + ", the table says " + text_of(table), source);
        }
    }
};

std::string add_release(const Version& version) {
    return "add facts/cuda/" + version.release() + ".json: python3 tools/dev/add_release.py " +
           version.release();
}

// The row for this component; null if there is none.
Json row_of(const Facts& facts, VerifiedPart& result) {
    const std::optional<Version>& version = result.measured.version;
    if (!version) {
        result.add =
            "its version is not known, neither from the file nor from its name or the files beside it";
        return {};
    }
    if (result.measured.part.kind != FactPart::driver_jit) {
        const std::string path = "cuda/" + version->release() + ".json";
        const auto text = facts.text(path);
        result.add = text ? "" : "no table has CUDA " + version->release() + "; " + add_release(*version);
        if (!text) return {};
        result.table = path;
        const auto json = parse_json(*text, path);
        return json ? *json : Json();
    }
    const auto text = facts.text("drivers.json");
    const auto json = text ? parse_json(*text, "drivers.json") : Result<Json>(Json());
    for (const Json& row : json ? (*json)["branches"].items() : std::vector<Json>()) {
        if (row["branch"].as_int() != version->major()) continue;
        result.table = "drivers.json, branch " + std::to_string(version->major());
        return row;
    }
    result.add =
        "no table has driver branch " + std::to_string(version->major()) + "; add it to facts/drivers.json";
    return {};
}

}  // namespace

const char* to_string(VerifiedPart::State state) {
    switch (state) {
        case VerifiedPart::State::agrees: return "agrees";
        case VerifiedPart::State::differs: return "differs";
        case VerifiedPart::State::broken: return "broken";
        case VerifiedPart::State::unknown: break;
    }
    return "unknown";
}

VerifiedPart compare_with_tables(const Facts& facts, MeasuredPart measured) {
    VerifiedPart result;
    result.measured = std::move(measured);
    if (!result.measured.trouble.empty()) {
        result.state = VerifiedPart::State::broken;
        return result;
    }
    const Json row = row_of(facts, result);
    if (row.is_null()) return result;
    Walk{result}.compare("", result.measured.values, row, "");
    result.state = !result.differences.empty() ? VerifiedPart::State::differs
                   : !result.unlisted.empty()  ? VerifiedPart::State::unknown
                                               : VerifiedPart::State::agrees;
    return result;
}

}  // namespace ptxguard
