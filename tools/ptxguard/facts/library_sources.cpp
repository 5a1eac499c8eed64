// Which CUDA and which package of PyPI bring a library file of a given name.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "facts/tables.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Windows does not tell small letters from others.
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
