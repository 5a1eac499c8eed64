// A copy is built from the file names of a folder. Its version comes from the libraries, the header and the
// package, the CUDA that it was built for from the symbols, the package and the installer's folder.
// SPDX-License-Identifier: Apache-2.0
#include "load/cudnn_copies.hpp"

#include <map>
#include <set>

#include "facts/cudnn.hpp"
#include "formats/header_defines.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/library_facts.hpp"
#include "model/ranges.hpp"
#include "packages/conda.hpp"
#include "packages/library_places.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// lib64, lib and targets/x86_64-linux/lib of a toolkit are one folder: each counts by its first name.
struct Places {
    const Host& host;
    std::vector<CudnnPlace> found;
    std::set<std::string> real = {};

    void add(const std::string& folder, const std::string& source) {
        const std::string path = normal_path(folder, host.system());
        if (!is_absolute(path, host.system()) || !is_folder(host, path)) return;
        if (real.insert(real_or_same(host, path)).second) found.push_back({path, source});
    }
    void add(const std::vector<LibraryPlace>& places) {
        for (const LibraryPlace& place : places) add(place.folder, place.source);
    }
};

void add_site(Places& places, const std::string& site) { places.add(libraries_of_site(places.host, site)); }

void add_frameworks(Places& places, const Scenario& scenario) {
    for (const Expectation& expectation : scenario.expectations) {
        if (expectation.path.empty()) continue;
        if (!expectation.site.empty()) add_site(places, expectation.site);
        places.add(join_path(expectation.path, "lib"), "framework");  // torch contains its own on Windows
    }
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (library.taken && starts_with(library.library, "cudnn"))
                places.add(parent_path(*library.taken), "search path");
}

void add_toolkits(Places& places, const Scenario& scenario) {
    for (const Toolkit& toolkit : scenario.toolkits) {
        if (toolkit.layout == Layout::wheel) {
            add_site(places, parent_path(parent_path(toolkit.root)));  // site-packages/nvidia/cu13
            continue;
        }
        const char* source = toolkit.layout == Layout::conda    ? "conda"
                             : toolkit.layout == Layout::debian ? "system"
                                                                : "toolkit";
        for (const std::string& folder : library_folders_of_toolkit(places.host, toolkit.root))
            places.add(folder, source);
    }
}

void add_machine(Places& places) {
    const Host& host = places.host;
    const bool windows = host.system() == System::windows;
    const std::string conda = host.env("CONDA_PREFIX").value_or("");
    if (!conda.empty()) places.add(join_path(conda, windows ? "Library/bin" : "lib"), "conda");
    if (!windows) {
        for (const auto& folder : split_list(host.env("LD_LIBRARY_PATH").value_or(""), System::linux_))
            places.add(folder, "search path");
        for (const std::string& folder : system_library_folders()) places.add(folder, "system");
        places.add("/usr/local/lib", "system");
    }
    places.add(installed_libraries(host));
    for (const PathFolder& entry : path_folders(host))
        if (windows) places.add(entry.folder, "search path");
}

}  // namespace

std::vector<CudnnPlace> cudnn_places(const Host& host, const Scenario& scenario) {
    Places places{host, {}};
    add_toolkits(places, scenario);
    for (const Expectation& expectation : scenario.expectations)
        if (!expectation.site.empty()) add_site(places, expectation.site);
    for (const SitePlace& place : scenario.python.places) add_site(places, place.folder);
    add_machine(places);
    add_frameworks(places, scenario);
    return std::move(places.found);
}

std::vector<std::string> cudnn_headers(const Host& host, const CudnnPlace& place) {
    std::vector<std::string> folders;
    const std::string name = file_name(place.folder), above = parent_path(place.folder);
    folders.push_back(join_path(above, "include"));
    // .../lib/x86_64-linux-gnu and .../include/x86_64-linux-gnu; .../bin/12.6 and .../include/12.6; deeper
    // bin/x64
    folders.push_back(join_path(parent_path(above), "include/" + name));
    folders.push_back(join_path(parent_path(above), "include"));
    folders.push_back(join_path(parent_path(parent_path(above)), "include/" + std::string(file_name(above))));
    std::vector<std::string> headers;
    for (const auto& folder : folders)
        for (const char* file : {"cudnn_version.h", "cudnn_version_v9.h", "cudnn_version_v8.h", "cudnn.h"}) {
            const std::string path = normal_path(join_path(folder, file), host.system());
            if (!contains(headers, path)) headers.push_back(path);
        }
    return headers;
}

namespace {

constexpr std::size_t k_header_limit = 1u << 20;

bool may_be_cudnn(const std::string& name) {
    return starts_with(name, "libcudnn") || starts_with(lower(name), "cudnn");
}

std::string short_name(const std::string& library, int major, System system) {
    const std::string number = std::to_string(major);
    return system == System::windows ? library + "64_" + number + ".dll" : "lib" + library + ".so." + number;
}

// The libraries of a folder by major, without linker symlinks (libcudnn.so) and longer names of one file.
std::map<int, std::vector<CudnnLibrary>> libraries_in(const Host& host, const Facts& facts,
                                                      const std::string& folder) {
    std::map<int, std::vector<CudnnLibrary>> found;
    const auto names = host.names(folder);
    for (const std::string& file : names ? *names : std::vector<std::string>()) {
        const auto name = may_be_cudnn(file) ? library_by_file_name(facts, file) : std::nullopt;
        if (!name || !name->number || !starts_with(name->library, "cudnn")) continue;
        if (!is_file(host, join_path(folder, file))) continue;
        const int major = name->number->major();
        const std::string usual = short_name(name->library, major, host.system());
        auto& libraries = found[major];
        auto* same = first_where(libraries, [&](const CudnnLibrary& one) { return one.name == usual; });
        CudnnLibrary library{usual, join_path(folder, file), {}};
        if (!same)
            libraries.push_back(library);
        else if (file == usual)
            *same = library;
    }
    return found;
}

// The release in a header, if it is of that major.
Known<Version> header_version(const Host& host, const CudnnPlace& place, int major) {
    for (const std::string& path : cudnn_headers(host, place)) {
        const auto text =
            is_file(host, path) ? host.read(path, k_header_limit) : Result<std::string>(Trouble{});
        if (!text) continue;
        std::map<std::string, std::string> numbers;
        for (const HeaderDefine& define : read_header_defines(*text)) numbers[define.name] = define.value;
        const auto version = parse_version(numbers["CUDNN_MAJOR"] + "." + numbers["CUDNN_MINOR"] + "." +
                                           numbers["CUDNN_PATCHLEVEL"]);
        if (!version || version->major() != major) continue;
        return {*version,
                Origin::from_file(path).shown_as("CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL in " + path)};
    }
    return {};
}

// "nvidia-cudnn-cu12" -> 12, "libcudnn9-cuda-12" -> 12
Known<Version> cuda_of_package(const PackageOwner& package) {
    for (const char* marker : {"-cu", "-cuda-"}) {
        const auto at = package.package.rfind(marker);
        if (at == std::string::npos) continue;
        const auto version = parse_version(package.package.substr(at + std::string(marker).size()));
        if (version) return {*version, package.version.origin};
    }
    return {};
}

// CUDNN/v9.5/bin/12.6[/x64]: the installer has a folder for each CUDA.
Known<Version> cuda_of_folder(const CudnnPlace& place) {
    if (place.source != "installer") return {};
    for (const std::string& folder : {place.folder, parent_path(place.folder)}) {
        const auto version = parse_version(file_name(folder));
        if (!version || version->numbers.size() < 2) continue;
        return {*version, Origin::from_file(folder).shown_as("folder of the installer, " + folder)};
    }
    return {};
}

const CudnnLibrary* library_of(const CudnnCopy& copy, const std::string& library, System system) {
    const std::string name = short_name(library, copy.major, system);
    return first_where(copy.libraries, [&](const CudnnLibrary& one) { return one.name == name; });
}

// cudnnGetVersion is in the graph library for cuDNN 9, in the first library that is opened for cuDNN 8.
constexpr const char* k_version_libraries[] = {"cudnn_graph", "cudnn_ops_infer", "cudnn_ops", "cudnn"};

struct Reader {
    const Host& host;
    const Facts& facts;
    LibraryFacts libraries;

    void read(const CudnnPlace& place, CudnnCopy& copy);
    void read_package(CudnnCopy& copy);
    void complete(const std::string& package, CudnnCopy& copy) const;
};

void Reader::read_package(CudnnCopy& copy) {
    const CudnnLibrary& first = copy.libraries.front();
    PackageOwner package = libraries.owner(first.path);
    // A package of another major describes other files.
    if (package.version && package.version->major() != copy.major) package = {};
    copy.package = package.version;
    if (!copy.cuda) copy.cuda = cuda_of_package(package);
    complete(package.package, copy);
}

// nvidia-cudnn-jit-cu12 contains only a few of the libraries on purpose.
void Reader::complete(const std::string& package, CudnnCopy& copy) const {
    const Known<Version>& release = copy.version ? copy.version : copy.package;
    if (!release || release->major() != copy.major || package.find("cudnn-jit") != std::string::npos) return;
    for (const std::string& name : cudnn_files(facts, *release, host.system())) {
        const auto there = [&](const CudnnLibrary& library) { return library.name == name; };
        if (none_of(copy.libraries, there)) copy.missing.push_back(name);
    }
}

void Reader::read(const CudnnPlace& place, CudnnCopy& copy) {
    for (CudnnLibrary& library : copy.libraries) {
        LoadedFile file;
        file.name = library.name;
        file.taken = library.path;
        libraries.identify(file);
        library.version = file.version;
        if (file.cuda && !copy.cuda) copy.cuda = file.cuda;
    }
    for (const char* name : k_version_libraries) {
        const CudnnLibrary* library = library_of(copy, name, host.system());
        if (library && library->version && !copy.version) copy.version = library->version;
    }
    for (const CudnnLibrary& library : copy.libraries)
        if (!copy.version && library.version) copy.version = library.version;
    if (!copy.cuda) copy.cuda = cuda_of_folder(place);
    copy.header = header_version(host, place, copy.major);
    read_package(copy);
    if (!copy.version) copy.version = copy.package ? copy.package : copy.header;
}

// Copies the CUDA version of this folder to the traces that load from it: a trace knows its files only by the
// path that the loader used.
void add_cuda_to_traces(const Host& host, Scenario& scenario, CudnnCopy& copy) {
    const std::string folder = real_or_same(host, copy.folder);
    for (LoadTrace& trace : scenario.traces) {
        bool takes = false;
        for (LoadedFile& library : trace.libraries) {
            if (!library.taken || !starts_with(library.library, "cudnn")) continue;
            const auto real = host.real_path(parent_path(*library.taken));
            if (!real || *real != folder) continue;
            const auto same = [&](const CudnnLibrary& one) {
                return file_name(one.path) == file_name(*library.taken);
            };
            if (none_of(copy.libraries, same)) continue;
            takes = true;
            if (!library.cuda) library.cuda = copy.cuda;
        }
        if (takes && trace.traced_for) copy.loaded_by.push_back(trace.framework());
    }
}

}  // namespace

void find_cudnn_copies(const Host& host, const Facts& facts, Scenario& scenario) {
    Reader reader{host, facts, LibraryFacts(host, facts)};
    for (const CudnnPlace& place : cudnn_places(host, scenario))
        for (auto& [major, libraries] : libraries_in(host, facts, place.folder)) {
            CudnnCopy copy;
            copy.folder = place.folder;
            copy.source = place.source;
            copy.major = major;
            copy.libraries = std::move(libraries);
            reader.read(place, copy);
            add_cuda_to_traces(host, scenario, copy);
            scenario.cudnns.push_back(std::move(copy));
        }
}

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
        library.losers.push_back({copy, {}, LoadLost::not_searched, "in a folder that is not searched", {}});
    }
}

}  // namespace ptxguard
