// SPDX-License-Identifier: Apache-2.0
#include "load/opened_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/header_defines.hpp"
#include "formats/library_text.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/elsewhere.hpp"
#include "load/load.hpp"
#include "load/module_symbols.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {

bool is_needed_to_compute(const std::string& library) {
    static const std::set<std::string> k_libraries = {"cudart",      "cublas",   "cublasLt",   "cufft",
                                                      "curand",      "cusolver", "cusparse",   "cudnn",
                                                      "cudnn_graph", "nvrtc",    "cusparseLt", "nvJitLink"};
    return k_libraries.count(library) != 0;
}

namespace {

// Of cuDNN, what is computed without it is not done at all: its parts for training are not needed.
bool is_needed_part(const std::string& library) {
    return is_needed_to_compute(library) || library == "cudnn_ops" || library == "cudnn_cnn" ||
           library == "cudnn_ops_infer" || library == "cudnn_cnn_infer";
}

}  // namespace

bool has_other_release(const LoadTrace& trace, const LoadedFile& library) {
    return any_of(trace.libraries, [&](const LoadedFile& other) {
        return other.library == library.library && other.name != library.name &&
               (other.taken || other.undecided);
    });
}

bool is_opened_by_a_library(const LoadedFile& file, const Facts& facts) {
    if (file.how != LoadHow::dlopen || file.optional || !is_needed_part(file.library)) return false;
    return is_toolkit_library(file.needed_by, facts);
}

bool is_toolkit_library(const std::string& path, const Facts& facts) {
    const auto library = library_by_file_name(facts, file_name(path));
    return library && !library->driver;
}

namespace {

const char* const k_bare_driver = "libcuda.so";

// By library: the names in its constants, if it calls dlopen.
std::map<std::string, std::vector<std::string>> names_in(const Host& host, const Facts& facts,
                                                         const std::string& path) {
    std::map<std::string, std::vector<std::string>> names;
    const auto source = host.open(path);
    const auto file = source ? read_elf(*source) : Result<ElfFile>(Trouble{});
    const auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
    if (!symbols ||
        none_of(symbols->undefined, [](const ElfSymbol& symbol) { return symbol.name == "dlopen"; }))
        return names;
    for (const std::string& name : library_names_in_text(*source, *file))
        if (const auto library = library_by_file_name(facts, name);
            library && library->number && is_needed_to_compute(library->library))
            names[library->library].push_back(name);
    return names;
}

// The package's own code may open the copy of the environment.
bool is_in_environment(const Host& host, const Facts& facts, const std::string& site,
                       const std::vector<std::string>& all_sites, LoadTrace& trace) {
    find_elsewhere(host, facts, site, trace, all_sites);
    return any_of(trace.libraries, [](const LoadedFile& file) {
        return any_of(file.losers,
                      [](const LoadLoser& loser) { return loser.lost == LoadLost::not_searched; });
    });
}

bool links_an_opener(const Host& host, const Facts& facts, const std::string& path) {
    const ModuleHead head = module_head(host, path);
    return any_of(head.needed, [&](const std::string& name) {
        return library_by_file_name(facts, name) &&
               !opens_later(facts, name, System::linux_, std::nullopt).empty();
    });
}

// The newest CUDA major in the names that a file opens; 0 = none.
int cuda_of_names(const std::map<std::string, std::vector<std::string>>& opened, const Facts& facts) {
    int newest = 0;
    for (const auto& [library, names] : opened)
        for (const std::string& name : names)
            newest = std::max(newest, library_by_file_name(facts, name)->cuda_major);
    return newest;
}

using OpenedNames = std::map<std::string, std::vector<std::string>>;

// What files other than the toolkit's own need or open, by the names that they use.
std::set<std::string> names_asked(const Host& host, const Facts& facts, const std::vector<OpeningFile>& files,
                                  const std::vector<OpenedNames>& names) {
    std::set<std::string> asked;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (is_toolkit_library(files[i].path, facts)) continue;
        for (const std::string& needed : module_head(host, files[i].path).needed) asked.insert(needed);
        for (const auto& [library, opened] : names[i]) asked.insert(opened.begin(), opened.end());
    }
    return asked;
}

// What a package's files show together.
struct OpeningPackage {
    bool has_opener = false;  // a file links one: what it opens in a module's process counts
    int cuda = 0;             // the names of cuDNN's files do not contain it, others that it opens do
};

OpenedLibraries opened_by(const Host& host, const Facts& facts, const OpeningFile& file,
                          const std::map<std::string, std::vector<std::string>>& names,
                          const std::vector<std::string>& site_packages) {
    OpenedLibraries opened;
    LoadOptions options;
    options.site_packages = site_packages;
    const auto trace = trace_file(host, facts, file.path, options);
    if (!trace) return opened;
    opened.executable_stacks = trace->executable_stacks;
    const auto add = [&](LoadTrace& one) {
        if (is_in_environment(host, facts, file.site, site_packages, one))
            ++opened.found;
        else
            opened.missing.push_back(one.libraries.back());
    };
    for (const auto& [library, asked] : names) {
        const auto is_it = [&wanted = library](const LoadedFile& each) { return each.library == wanted; };
        const bool found = any_of(trace->libraries, [&](const LoadedFile& each) {
            return is_it(each) && (each.taken || each.undecided);
        });
        LoadTrace one;
        for (const LoadedFile& taken : trace->libraries)
            if (is_it(taken) && contains(asked, taken.name)) one.libraries.push_back(taken);
        for (LoadedFile& each : one.libraries) each.how = LoadHow::dlopen;  // the file calls it
        opened.found += found;
        if (!found && !one.libraries.empty()) add(one);
    }
    for (const LoadedFile& part : trace->libraries) {
        if (part.undecided || !is_opened_by_a_library(part, facts)) continue;
        LoadTrace one;
        one.libraries = {part};
        opened.found += part.taken ? 1 : 0;
        if (!part.taken) add(one);
    }
    return opened;
}

}  // namespace

std::vector<OpenedLibraries> opened_libraries(const Host& host, const Facts& facts,
                                              const std::vector<OpeningFile>& files,
                                              const std::vector<std::string>& site_packages) {
    std::vector<OpenedNames> names(files.size());
    std::vector<char> links(files.size());
    run_for_each(files.size(), [&](std::size_t i) {
        names[i] = names_in(host, facts, files[i].path);
        links[i] = links_an_opener(host, facts, files[i].path);
    });
    std::map<std::size_t, OpeningPackage> packages;
    for (std::size_t i = 0; i < files.size(); ++i) {
        OpeningPackage& package = packages[files[i].package];
        package.has_opener = package.has_opener || links[i];
        package.cuda = std::max(package.cuda, cuda_of_names(names[i], facts));
    }
    const std::set<std::string> asked = names_asked(host, facts, files, names);
    std::vector<OpenedLibraries> opened(files.size());
    run_for_each(files.size(), [&](std::size_t i) {
        const std::string& path = files[i].path;
        if (is_toolkit_library(path, facts) && asked.count(std::string(file_name(path))) == 0) return;
        const OpeningPackage& package = packages.at(files[i].package);
        if (names[i].empty() && !package.has_opener) return;
        opened[i] = opened_by(host, facts, files[i], names[i], site_packages);
        for (LoadedFile& library : opened[i].missing)
            if (package.cuda)
                library.cuda = {*parse_version(std::to_string(package.cuda)),
                                Origin::from_file(files[i].path)};
    });
    return opened;
}

namespace {

bool is_of_driver(const Facts& facts, const std::string& name) {
    const auto library = library_by_file_name(facts, name);
    return library && library->driver && !library->capability.empty();
}

bool calls_dlopen(const Source& source, const ElfFile& file) {
    const auto symbols = read_elf_symbols(source, file);
    return symbols &&
           any_of(symbols->undefined, [](const ElfSymbol& symbol) { return symbol.name == "dlopen"; });
}

// What it opens and cannot do without: management of GPUs is only asked for more. NVIDIA's own libraries open
// others as an option (nvJPEG that for video), and go on without them.
std::vector<std::string> driver_names_opened(const Facts& facts, const std::string& path,
                                             const Source& source, const ElfFile& file) {
    std::vector<std::string> names;
    if (library_by_file_name(facts, file_name(path))) return names;
    for (const std::string& name : library_names_in_text(source, file)) {
        const auto library = library_by_file_name(facts, name);
        if (library && library->number && is_of_driver(facts, name) && library->capability != "utility")
            names.push_back(name);
    }
    return names;
}

}  // namespace

std::vector<LoadedFile> missing_of_driver(const Host& host, const Facts& facts, const std::string& path) {
    std::vector<LoadedFile> missing;
    const auto source = host.open(path);
    const auto file = source ? read_elf(*source) : Result<ElfFile>(Trouble{});
    const auto dynamic = file ? read_elf_dynamic(*source, *file) : Result<ElfDynamic>(Trouble{});
    if (!dynamic) return missing;
    LoadOptions options;
    if (holds_device_code(host, path) && calls_dlopen(*source, *file))
        options.opens = driver_names_opened(facts, path, *source, *file);
    const bool needs =
        any_of(dynamic->needed, [&](const std::string& name) { return is_of_driver(facts, name); });
    if (!needs && options.opens.empty()) return missing;
    auto trace = trace_file(host, facts, path, options);
    if (!trace) return missing;
    for (LoadedFile& library : trace->libraries)
        if (!library.taken && library.needed_by == path && is_of_driver(facts, library.name))
            missing.push_back(std::move(library));
    return missing;
}

bool may_open_stubs(const Host& host) {
    const std::vector<std::string> folders = split(host.env("LD_LIBRARY_PATH").value_or(""), ":");
    return any_of(folders,
                  [&](const std::string& folder) { return is_file(host, join_path(folder, k_bare_driver)); });
}

std::optional<LoadedFile> opened_stub(const Host& host, const Facts& facts, const std::string& path) {
    const auto source = host.open(path);
    const auto file = source ? read_elf(*source) : Result<ElfFile>(Trouble{});
    if (!file) return std::nullopt;
    const std::vector<std::string> names = library_names_in_text(*source, *file);
    if (!contains(names, k_bare_driver)) return std::nullopt;
    LoadOptions options;
    options.opens = {k_bare_driver};
    auto trace = trace_file(host, facts, path, options);
    for (LoadedFile& library : trace ? trace->libraries : std::vector<LoadedFile>())
        if (library.name == k_bare_driver && library.stub) return std::move(library);
    return std::nullopt;
}

namespace {

// "{library}{value}.dll"
std::string filled(std::string pattern, const std::string& library, const std::string& value) {
    return replace_all(replace_all(std::move(pattern), "{library}", library), "{value}", value);
}

std::vector<std::string> names_of(const ComposedNames& composed, const std::string& header) {
    std::vector<std::string> names;
    for (const HeaderDefine& define : read_header_defines(header))
        for (const auto& [name, libraries] : composed.defines)
            for (const std::string& library : libraries)
                if (name == define.name && !define.value.empty())
                    names.push_back(filled(composed.pattern, library, define.value));
    append(names, composed.always);
    return names;
}

// From CUDA 12 one name of a library is that of all releases of a major.
std::vector<std::string> names_of_build(const Facts& facts, const ComposedNames& composed,
                                        const LoadOptions& options, System system) {
    constexpr int k_first_with_one_name = 12;
    if (!options.built_with_cuda || options.built_with_cuda->major() < k_first_with_one_name) return {};
    auto files = library_files(facts, options.built_with_cuda->major(), system);
    if (options.built_with_cudnn && system == System::linux_)
        files["cudnn"] = "libcudnn.so." + std::to_string(options.built_with_cudnn->major());
    std::vector<std::string> names;
    for (const auto& [define, libraries] : composed.defines)
        for (const std::string& library : libraries)
            if (const auto file = files.find(library); file != files.end()) names.push_back(file->second);
    append(names, composed.always);
    return names;
}

}  // namespace

ComposedLibraries composed_libraries(const Host& host, const Facts& facts, const std::string& path,
                                     const LoadOptions& options) {
    constexpr std::size_t k_most_of_header = 1u << 20;
    const std::vector<ComposedNames> rows = composed_names(facts, file_name(path), host.system());
    for (const ComposedNames& composed : rows)
        for (const std::string& site : options.site_packages)
            for (const std::string& header : composed.headers)
                if (const auto text = host.read(join_path(site, header), k_most_of_header))
                    return {names_of(composed, *text), composed.asks_by};
    if (rows.empty()) return {};
    return {names_of_build(facts, rows.front(), options, host.system()), rows.front().asks_by};
}

namespace {

bool has_companion(const Host& host, const PackageSites& sites, const PackageHabit& habit, bool unknown) {
    const auto* site = first_where(sites.all, [&](const std::string& folder) {
        return is_folder(host, join_path(folder, habit.only_with));
    });
    if (!site || !habit.only_with_from) return site != nullptr;
    const auto other = installed_version(host, *site, {habit.only_with});
    return other ? !(*other < *habit.only_with_from) : unknown;
}

}  // namespace

bool habit_applies(const Host& host, const PackageSites& sites, const PackageHabit& habit, bool unknown) {
    if (!habit.only_with.empty() && !has_companion(host, sites, habit, unknown)) return false;
    if (!habit.from && !habit.below) return true;
    const auto version = installed_version(host, sites.own, habit.distributions);
    if (!version) return unknown;
    return is_within(*version, habit.from, habit.below);
}

std::string place_of_find(const Host& host, const std::string& site, const std::string& place) {
    const std::size_t slash = std::min(place.find('/'), place.size());
    const std::string start = place.substr(0, slash);
    if (start == "{site}") return join_path(site, place.substr(slash + 1));
    const std::string root = host.env(start.substr(1)).value_or("");
    return root.empty() ? std::string() : join_path(root, place.substr(slash + 1));
}

}  // namespace ptxguard
