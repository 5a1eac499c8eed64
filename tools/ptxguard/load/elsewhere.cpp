// SPDX-License-Identifier: Apache-2.0
#include "load/elsewhere.hpp"

#include <algorithm>
#include <set>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/library_places.hpp"

namespace ptxguard {
namespace {

struct Place {
    std::string folder;
    LoadRule rule;
    std::vector<std::string> names;
};

// Each folder once, the most likely one first.
class UnsearchedPlaces {
public:
    explicit UnsearchedPlaces(const Host& host) : m_host(host) {}

    void add(const std::string& folder, const LoadRule& rule) {
        const auto names = m_host.names(folder);
        if (!names) return;
        if (!m_seen.insert(real_or_same(m_host, folder)).second) return;
        Place place{folder, rule, {}};
        for (const std::string& name : *names)
            if (starts_with(name, "lib") && name.find(".so.") != std::string::npos)
                place.names.push_back(name);
        places.push_back(std::move(place));
    }

    std::vector<Place> places;

private:
    const Host& m_host;
    std::set<std::string> m_seen;
};

std::vector<Place> places_of(const Host& host, const std::string& site,
                             const std::vector<std::string>& other_sites) {
    UnsearchedPlaces places(host);
    for (const std::string& folder : split(host.env("LD_LIBRARY_PATH").value_or(""), ":"))
        places.add(folder, LoadStep::ld_library_path);
    std::vector<LibraryPlace> known;
    const auto add_site = [&](const std::string& folder) {
        const auto own = folder.empty() ? std::vector<LibraryPlace>() : libraries_of_site(host, folder);
        append(known, own);
    };
    add_site(site);
    for (const std::string& other : other_sites) add_site(other);
    const std::vector<LibraryPlace> of_machine = installed_libraries(host);
    append(known, of_machine);
    for (const LibraryPlace& place : known) places.add(place.folder, {});
    return places.places;
}

void add_loser(const Place& place, const std::string& name, LoadLost lost, LoadedFile& library) {
    const std::string why =
        lost == LoadLost::other_name ? "has another name: " + name : "in a folder that is not searched";
    library.losers.push_back({join_path(place.folder, name), place.rule, lost, why, {}});
}

bool add_same_name(const std::vector<Place>& places, const std::string& name, LoadedFile& library) {
    for (const Place& place : places) {
        if (!std::binary_search(place.names.begin(), place.names.end(), name)) continue;
        if (place.rule.empty()) add_loser(place, name, LoadLost::not_searched, library);
        return true;  // the trace reports what the search reaches and skips
    }
    return false;
}

// libcublas.so.12 rather than libcublas.so.12.8.4.1: the name that a loader is given.
void add_other_name(const Facts& facts, const std::vector<Place>& places, const std::string& name,
                    LoadedFile& library) {
    const auto wanted = library_by_file_name(facts, name);
    if (!wanted || !wanted->cuda_major) return;
    for (const Place& place : places) {
        const std::string* best = nullptr;
        for (const std::string& other : place.names) {
            const auto known = library_by_file_name(facts, other);
            const bool serves = known && known->library == wanted->library && known->cuda_major &&
                                known->cuda_major != wanted->cuda_major;
            if (serves && (!best || other.size() < best->size())) best = &other;
        }
        if (best) return add_loser(place, *best, LoadLost::other_name, library);
    }
}

}  // namespace

void find_in_sites(const Host& host, const Facts& facts, const std::vector<std::string>& sites,
                   LoadTrace& trace) {
    UnsearchedPlaces places(host);
    for (const std::string& site : sites)
        if (starts_with(trace.path, site + "/"))
            for (const LibraryPlace& place : libraries_of_site(host, site)) places.add(place.folder, {});
    for (LoadedFile& library : trace.libraries) {
        if (library.taken || library.undecided || !library.losers.empty()) continue;
        const std::string name = file_name(library.name);
        const bool same = !library.without.empty() && add_same_name(places.places, name, library);
        if (!same && library.how == LoadHow::needed) add_other_name(facts, places.places, name, library);
    }
}

void find_elsewhere(const Host& host, const Facts& facts, const std::string& site, LoadTrace& trace,
                    const std::vector<std::string>& other_sites) {
    const auto is_missing = [](const LoadedFile& library) {
        return !library.taken && !library.undecided && library.how != LoadHow::text &&
               !library.library.empty();
    };
    if (none_of(trace.libraries, is_missing)) return;
    const std::vector<Place> places = places_of(host, site, other_sites);
    for (LoadedFile& library : trace.libraries) {
        const std::string name = file_name(library.name);
        if (is_missing(library) && !add_same_name(places, name, library))
            add_other_name(facts, places, name, library);
    }
}

void find_other_dlls(const Host& host, const Facts& facts, const std::vector<std::string>& sites,
                     LoadTrace& trace) {
    const auto has_other_name = [](const LoadLoser& loser) { return loser.lost == LoadLost::other_name; };
    for (LoadedFile& library : trace.libraries) {
        const auto wanted = library_by_file_name(facts, library.name);
        if (library.taken || library.undecided || !wanted || !wanted->number ||
            !starts_with(wanted->library, "cudnn"))
            continue;
        for (const std::string& site : sites) {
            const std::string folder = join_path(site, "torch/lib");
            const auto names = host.names(folder);
            for (const std::string& name : names ? *names : std::vector<std::string>()) {
                const auto other = library_by_file_name(facts, name);
                if (other && other->library == wanted->library && other->number &&
                    other->number->major() != wanted->number->major() &&
                    none_of(library.losers, has_other_name))
                    library.losers.push_back(
                        {join_path(folder, name), {}, LoadLost::other_name, "has another name: " + name, {}});
            }
        }
    }
}

}  // namespace ptxguard
