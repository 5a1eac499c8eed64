// Which CUDA and which PyPI package contain a library file of a given name.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "facts/tables.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// File names on Windows are case-insensitive.
bool is_same(const std::string& a, const std::string& b, System system) {
    return system == System::windows ? lower(a) == lower(b) : a == b;
}

void add_wheels(const Json& table, const std::string& name, System system,
                std::vector<LibrarySource>& sources) {
    for (const Json& library : table["libraries"].items())
        for (const Json& file : library[to_string(system)].items())
            if (is_same(file["name"].as_string(), name, system)) {
                sources.push_back({std::to_string(table["cuda_major"].as_int()),
                                   library["package"].as_string(),
                                   file["folder_in_site_packages"].as_string()});
                break;
            }
}

void add_older(const Json& table, const std::string& name, System system,
               std::vector<LibrarySource>& sources) {
    for (const Json& library : table["libraries"].items())
        if (library[to_string(system)].is_string() &&
            is_same(library[to_string(system)].as_string(), name, system))
            sources.push_back({library["cuda"].as_string(), "", ""});
}

}  // namespace

std::string nvidia_component(std::string_view requirement) {
    constexpr std::string_view k_start = "nvidia-", k_toolkit = "cuda-toolkit";
    std::string name(requirement.substr(0, requirement.find_first_of("<>=!~[ ;")));
    if (name == k_toolkit) return name;
    if (!starts_with(name, k_start)) return {};
    name.erase(0, k_start.size());
    const std::size_t cuda = name.rfind("-cu");
    const bool numbered = cuda != std::string::npos && cuda + 3 < name.size() &&
                          name.find_first_not_of("0123456789", cuda + 3) == std::string::npos;
    if (numbered) name.resize(cuda);
    return ends_with(name, "-jit") ? name.substr(0, name.size() - 4)
                                   : name;  // the same libraries, fewer kernels
}

std::vector<LibrarySource> library_sources(const Facts& facts, const std::string& file_name, System system) {
    std::vector<LibrarySource> wheels, sources;
    for (const std::string& path : facts.files()) {
        if (!starts_with(path, "sonames/")) continue;
        const auto text = facts.text(path);
        const auto table = text ? parse_json(*text, path) : Result<Json>(Json());
        if (!table) continue;
        if (table->has("cuda_major"))
            add_wheels(*table, file_name, system, wheels);
        else if (path == "sonames/older.json")
            add_older(*table, file_name, system, sources);
    }
    sources.insert(sources.end(), wheels.begin(), wheels.end());
    return sources;
}

}  // namespace ptxguard
