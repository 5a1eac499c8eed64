// Lines of a .pth file that start with `import` are code and are not run. Of those only setuptools' editable
// finders are supported, whose MAPPING is in a module next to the .pth file.
// SPDX-License-Identifier: Apache-2.0
#include "model/text.hpp"
#include "packages/python.hpp"

#include "formats/python_assignments.hpp"
#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/json.hpp"
#include "model/ranges.hpp"
#include "packages/reading.hpp"
#include "python/percent.hpp"
#include "python/requirement.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_places{64, "folders that Python imports from", "later ones"};
constexpr std::size_t k_pth_limit = 64u << 10;

// pip's records are next to the files that it installed (pip install --target); a source tree has none.
bool is_installed_into(const Host& host, const std::string& folder) {
    const auto entries = host.list(folder);
    return entries && any_of(*entries, [&](const DirectoryEntry& entry) {
               return ends_with(entry.name, ".dist-info") &&
                      is_file(host, join_path(join_path(folder, entry.name), "RECORD"));
           });
}

void add(const Host& host, std::vector<SitePlace>& places, const std::string& folder) {
    const std::string path = normal_path(folder, host.system());
    const bool known = any_of(places, [&](const SitePlace& place) { return place.folder == path; });
    if (known || !is_folder(host, path) || host.exceeds(k_most_places, places.size() + 1, path)) return;
    places.push_back({path, !is_installed_into(host, path)});
}

// __editable___torch_2_8_0_finder.py: MAPPING = {'torch': '/src/pytorch/torch'}
void add_finder(const Host& host, std::vector<SitePlace>& places, const std::string& module) {
    const auto text = read_text(host, module, k_text_limit);
    if (!text) return;
    for (const PythonAssignment& assignment : read_python_assignments(*text)) {
        if (assignment.name != "MAPPING") continue;
        for (const auto& [name, value] : assignment.pairs)
            if (value.is_text() && file_name(value.text) == name) add(host, places, parent_path(value.text));
    }
}

void add_path_file(const Host& host, std::vector<SitePlace>& places, const std::string& site,
                   const std::string& name) {
    const auto text = read_text(host, join_path(site, name), k_pth_limit);
    if (!text) return;
    for (const std::string_view raw : lines_of(*text)) {
        const std::string line(trimmed(raw));
        if (line.empty() || line[0] == '#') continue;
        if (starts_with(line, "import ") || starts_with(line, "import\t")) {
            const auto words = split(line, " \t;,.");
            if (words.size() > 1 && starts_with(words[1], "__editable__"))
                add_finder(host, places, join_path(site, words[1] + ".py"));
        } else {
            add(host, places, join_path(site, line));
        }
    }
}

void add_egg_link(const Host& host, std::vector<SitePlace>& places, const std::string& site,
                  const std::string& name) {
    const auto text = read_text(host, join_path(site, name), k_pth_limit);
    if (!text) return;
    const auto lines = lines_of(*text);
    if (!lines.empty() && !trimmed(lines.front()).empty())
        add(host, places, join_path(site, std::string(trimmed(lines.front()))));
}

// {"url": "file:///src/pytorch", "dir_info": {"editable": true}}
void add_direct_url(const Host& host, std::vector<SitePlace>& places, const std::string& file) {
    const auto text = read_text(host, file, k_pth_limit);
    if (!text) return;
    const auto json = parse_json(*text, file);
    if (!json || !(*json)["dir_info"]["editable"].as_bool()) return;
    std::string url = (*json)["url"].as_string();
    if (!starts_with(url, "file://")) return;
    url = percent_decoded(std::string_view(url).substr(7));
    if (host.system() == System::windows && starts_with(url, "/")) url.erase(0, 1);  // file:///C:/src
    add(host, places, url);
    add(host, places, join_path(url, "src"));
}

void add_of_site(const Host& host, std::vector<SitePlace>& places, const std::string& site) {
    const auto entries = host.list(site);
    if (!entries) return;
    auto* own = first_where(places, [&](const SitePlace& place) { return place.folder == site; });
    for (const DirectoryEntry& entry : *entries)
        if (own && ends_with(entry.name, ".dist-info"))
            own->records.push_back(canonical_package(entry.name.substr(0, entry.name.find('-'))));
    for (const DirectoryEntry& entry : *entries) {
        if (ends_with(entry.name, ".pth")) add_path_file(host, places, site, entry.name);
        if (ends_with(entry.name, ".egg-link")) add_egg_link(host, places, site, entry.name);
    }
    for (const DirectoryEntry& entry : *entries) {
        const std::string file = join_path(join_path(site, entry.name), "direct_url.json");
        if (ends_with(entry.name, ".dist-info") && is_file(host, file)) add_direct_url(host, places, file);
    }
}

}  // namespace

std::vector<SitePlace> with_added_paths(const Host& host, const std::vector<std::string>& folders) {
    std::vector<SitePlace> places;
    for (const std::string& folder : folders) {
        const std::string path = normal_path(folder, host.system());
        const bool known = any_of(places, [&](const SitePlace& place) { return place.folder == path; });
        if (!known) places.push_back({path, false});
        add_of_site(host, places, path);
    }
    return places;
}

}  // namespace ptxguard
