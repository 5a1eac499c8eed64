// SPDX-License-Identifier: Apache-2.0
#include "load/site_copies.hpp"

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/conda.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_packages{20000, "packages of one folder", "libraries of later ones"};

// Each package keeps libraries in its folder or in one of these below it; auditwheel's folder is beside it.
// NVIDIA's wheels are not among them: what lacks those is reported.
std::vector<std::string> folders_of_packages(const Host& host, const std::string& site) {
    std::vector<std::string> folders;
    const auto entries = host.list(site);
    std::size_t count = 0;
    for (const DirectoryEntry& entry : entries ? *entries : Entries()) {
        if (entry.type != FileType::directory || entry.name == "nvidia") continue;
        if (host.exceeds(k_most_packages, ++count, site)) break;
        const std::string package = join_path(site, entry.name);
        folders.push_back(package);
        for (const char* below : {"lib", "lib64", "libs", ".libs"})
            folders.push_back(join_path(package, below));
    }
    return folders;
}

std::string file_in(const Host& host, const std::vector<std::string>& folders, const std::string& name) {
    for (const std::string& folder : folders)
        if (is_file(host, join_path(folder, name))) return join_path(folder, name);
    return {};
}

bool is_missing(const LoadedFile& library) {
    return !library.taken && !library.optional && !library.undecided && library.how == LoadHow::needed;
}

}  // namespace

void find_copies_of_site(const Host& host, LoadTrace& trace) {
    if (trace.is_program || none_of(trace.libraries, is_missing)) return;
    const std::string site = site_above(host, real_or_same(host, trace.path));
    if (site.empty()) return;
    const std::vector<std::string> packages = folders_of_packages(host, site);
    const std::string prefix = prefix_of_site(site);
    const std::vector<std::string> interpreter{join_path(prefix, "lib")};
    for (LoadedFile& library : trace.libraries) {
        if (!is_missing(library)) continue;
        const std::string name = file_name(library.name);
        std::string copy = prefix.empty() ? std::string() : file_in(host, interpreter, name);
        library.optional = !copy.empty() && starts_with(name, "libpython");
        if (copy.empty()) copy = file_in(host, packages, name);
        if (copy.empty() || library.optional) continue;
        LoadLoser loser;
        loser.path = copy;
        loser.lost = LoadLost::not_searched;
        loser.why = "in a folder that is not searched";
        library.losers.push_back(std::move(loser));
    }
}

}  // namespace ptxguard
