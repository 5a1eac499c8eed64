// The NVIDIA library of a file name, from the names in sonames/ and loading.json and from the pattern of such
// names, so that an unlisted number is recognised too. loading.cpp has what is opened, preloaded or belongs
// together.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

// The parts of a file name: "libcublas-3965bdd0.so.12" -> libcublas, 12.
struct NameParts {
    std::string stem;
    std::optional<Version> number;
    bool windows = false;
};

void drop_alternative(std::string& stem) {
    if (ends_with(stem, ".alt")) stem.erase(stem.size() - 4);
}

std::optional<NameParts> take_apart_linux(std::string_view name) {
    const auto so = name.find(".so");
    if (so == std::string_view::npos) return std::nullopt;
    NameParts parts;
    parts.stem = std::string(name.substr(0, so));
    const auto tail = name.substr(so + 3);
    if (!tail.empty()) {
        if (tail.front() != '.') return std::nullopt;
        parts.number = parse_version(tail.substr(1));
        if (!parts.number || !parts.number->suffix.empty()) return std::nullopt;
    }
    drop_alternative(parts.stem);
    parts.stem = without_hash(parts.stem);
    return parts;
}

// "110" -> 11.0, "92" -> 9.2, "12" -> 12; "120_0" -> 12.0, as in NVRTC and nvJitLink; "2025.2.1" unchanged.
std::optional<Version> windows_number(std::string_view text) {
    const auto second = text.find('_');
    const auto first = text.substr(0, second);
    const auto read = parse_version(first);
    if (!read || !read->suffix.empty() || read->numbers.size() > 1 || !is_digit(first[0]))
        return read && read->suffix.empty() ? read : std::nullopt;
    const int number = read->major();
    constexpr int k_oldest_with_minor = 50;  // CUDA 5.0; 10 .. 49 are majors
    if (second == std::string_view::npos && (number < k_oldest_with_minor || number > 999)) return read;
    return parse_version(std::to_string(number / 10) + "." + std::to_string(number % 10));
}

std::optional<NameParts> take_apart_windows(std::string_view name) {
    NameParts parts;
    parts.windows = true;
    parts.stem = lower(name.substr(0, name.size() - 4));
    parts.stem = without_hash(parts.stem);
    drop_alternative(parts.stem);
    // The number starts after the first '_' that is followed only by digits, dots and '_'.
    for (auto at = parts.stem.find('_'); at != std::string::npos; at = parts.stem.find('_', at + 1)) {
        if (parts.stem.find_first_not_of("0123456789._", at) != std::string::npos ||
            at + 1 == parts.stem.size())
            continue;
        parts.number = windows_number(std::string_view(parts.stem).substr(at + 1));
        parts.stem.erase(at);
        break;
    }
    if (ends_with(parts.stem, "64") || ends_with(parts.stem, "32")) parts.stem.erase(parts.stem.size() - 2);
    return parts;
}

std::optional<NameParts> take_apart(const std::string& file_name) {
    if (ends_with(lower(file_name), ".dll")) return take_apart_windows(file_name);
    return take_apart_linux(file_name);
}

// The majors whose files have this name; longer numbers match the shorter name too (a link's target).
std::vector<int> listed_majors(const LibraryTable& table, const std::string& file_name,
                               const NameParts& parts) {
    if (parts.windows) {
        const auto at = table.majors_by_name.find(lower(file_name));
        return at == table.majors_by_name.end() ? std::vector<int>{} : at->second;
    }
    std::string name = parts.stem + ".so";
    std::vector<int> found;
    if (!parts.number) return found;
    for (const int number : parts.number->numbers) {
        name += "." + std::to_string(number);
        const auto at = table.majors_by_name.find(name);
        if (at != table.majors_by_name.end()) found = at->second;
    }
    return found;
}

}  // namespace

namespace {

bool equal_as_far_as_known(const Version& listed, const Version& version) {
    for (std::size_t i = 0; i < version.numbers.size(); ++i)
        if (listed.at(i) != version.at(i)) return false;
    return true;
}

}  // namespace

Known<Version> cuda_release_of(const Facts& facts, const std::string& component, const Version& version) {
    std::optional<Version> before;  // newest of the releases so far
    for (const auto& [release, listed] : facts.component_versions(component)) {
        const bool same = equal_as_far_as_known(listed, version);
        const bool between =
            before && *before < version && version < listed && before->major() == listed.major();
        if (same || between) {
            Origin origin = Origin::from_table("facts/cuda/" + release.release() + ".json, " + component +
                                               " " + listed.text);
            return {release, origin};
        }
        if (!before || *before < listed) before = listed;
    }
    return {};
}

std::string library_stem(const std::string& file_name) {
    const auto parts = take_apart(file_name);
    return parts ? parts->stem : std::string();
}

std::optional<LibraryName> library_by_file_name(const Facts& facts, const std::string& file_name) {
    const auto parts = take_apart(file_name);
    if (!parts) return std::nullopt;
    const auto& table = library_table(facts);
    const auto* named = table.by_stem(parts->stem, parts->windows);
    if (!named) return std::nullopt;
    LibraryName name;
    name.library = named->library;
    if (ends_with(name.library, "*")) name.library = parts->stem.substr(parts->windows ? 0 : 3);
    name.number = parts->number;
    name.driver = named->driver;
    name.capability = named->capability;
    name.no_runtime = named->no_runtime;
    const auto majors = listed_majors(table, file_name, *parts);
    if (majors.size() == 1)
        name.cuda_major = majors.front();
    else if (majors.empty() && named->number_is_cuda && name.number)
        name.cuda_major = name.number->major();
    return name;
}

StartedRuntime runtime_started_by(const Facts& facts, const std::vector<std::string>& needed) {
    StartedRuntime found;
    for (const std::string& name : needed) {
        const auto library = library_by_file_name(facts, name);
        if (!library || library->driver || library->no_runtime || library->cuda_major == 0) continue;
        const bool older = found.cuda_major == 0 || library->cuda_major < found.cuda_major;
        const bool itself = library->cuda_major == found.cuda_major && library->library == "cudart";
        if (older || itself) found = {library->cuda_major, name};
    }
    return found;
}

// Which CUDA and which PyPI package contain a library file of a given name.

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

std::string_view required_package(std::string_view requirement) {
    return requirement.substr(0, requirement.find_first_of("<>=!~[ ;"));
}

std::string nvidia_component(std::string_view requirement) {
    constexpr std::string_view k_start = "nvidia-", k_toolkit = "cuda-toolkit";
    std::string name(required_package(requirement));
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
    for (const std::string& path : facts.files("sonames/")) {
        const auto text = facts.text(path);
        const auto table = text ? parse_json(*text, path) : Result<Json>(Json());
        if (!table) continue;
        if (table->has("cuda_major"))
            add_wheels(*table, file_name, system, wheels);
        else if (path == "sonames/older.json")
            add_older(*table, file_name, system, sources);
    }
    append(sources, wheels);
    return sources;
}

std::string wheel_for_cuda(const Facts& facts, const std::string& package, int cuda_major) {
    const std::size_t at = package.rfind("-cu");
    const std::string family = package.substr(0, at),
                      path = "sonames/" + std::to_string(cuda_major) + ".json";
    const auto text = facts.text(path);
    const auto table = text ? parse_json(*text, path) : Result<Json>(Json());
    if (!table) return "";
    for (const std::string& name : {family + "-cu" + std::to_string(cuda_major), family})
        for (const Json& row : (*table)["libraries"].items())
            if (row["package"].as_string() == name && name != package) return name;
    return "";
}

std::vector<int> majors_with_packages(const Facts& facts) {
    std::vector<int> majors;
    for (const std::string& path : facts.files("sonames/"))
        if (const auto text = facts.text(path))
            if (const auto table = parse_json(*text, path); table && table->has("cuda_major"))
                majors.push_back(static_cast<int>((*table)["cuda_major"].as_int()));
    std::sort(majors.begin(), majors.end());
    return majors;
}

std::map<std::string, std::string> library_files(const Facts& facts, int cuda_major, System system) {
    const std::string path = "sonames/" + std::to_string(cuda_major) + ".json";
    const auto text = facts.text(path);
    const auto table = text ? parse_json(*text, path) : Result<Json>(Json());
    std::map<std::string, std::string> files;
    if (!table) return files;
    for (const Json& row : (*table)["libraries"].items()) {
        const Json& listed = row[to_string(system)];
        if (listed.size() != 1 || !row["library"].is_string()) continue;
        files[row["library"].as_string()] = listed.items().front()["name"].as_string();
    }
    return files;
}

namespace {

// Components of a CUDA release (facts/cuda/); for others the version itself starts with the release.
const char* component_of(const std::string& library) {
    static const std::map<std::string, const char*> components = {
        {"cublas", "cublas"},     {"cublasLt", "cublas"},     {"nvblas", "cublas"},
        {"cufft", "cufft"},       {"cufftw", "cufft"},        {"curand", "curand"},
        {"cusolver", "cusolver"}, {"cusolverMg", "cusolver"}, {"cusparse", "cusparse"},
        {"nvjpeg", "nvjpeg"}};
    const auto at = components.find(library);
    if (at != components.end()) return at->second;
    return starts_with(library, "npp") ? "npp" : nullptr;
}

bool numbered_as_cuda(const std::string& library) {
    for (const char* name : {"cudart", "nvrtc", "nvrtc-builtins", "nvJitLink", "nvfatbin", "cupti"})
        if (library == name) return true;
    return false;
}

}  // namespace

Known<Version> cuda_of_library(const Facts& facts, const std::string& library,
                               const Known<Version>& version) {
    if (!version) return {};
    if (numbered_as_cuda(library) && version->numbers.size() >= 2) {
        auto release = parse_version(version->release());
        return {*release, version.origin};
    }
    const char* component = component_of(library);
    return component ? cuda_release_of(facts, component, *version) : Known<Version>{};
}

const CompanionWheel* Companion::wheel(const Version& release) const {
    const auto same = [&](const CompanionWheel& one) {
        const std::size_t local = release.suffix.find('+');
        return one.version == release && one.version.suffix == release.suffix.substr(0, local);
    };
    return first_where(wheels, same);
}

bool Companion::compares_minor(const Known<Version>& release) const {
    return compares_minor_before && release && *release < *compares_minor_before;
}

std::optional<Version> Companion::framework_of(const Version& release) const {
    if (const CompanionWheel* found = wheel(release)) return found->of;
    if (const auto found = works_with.find(release.without_local()); found != works_with.end())
        return found->second.back();
    const auto listed = releases.find(release.release());
    if (listed != releases.end()) return listed->second;
    return stable_from && release >= *stable_from ? stable_of : std::nullopt;
}

std::optional<Version> Companion::needs_other(const Version& release, const Version& framework) const {
    const auto needed = framework_of(release);
    if (!needed) return std::nullopt;
    if (const auto found = works_with.find(release.without_local()); found != works_with.end()) {
        const bool has_it = any_of(found->second, [&](const Version& one) {
            return one.text == framework.without_local() || framework.numbers.size() < 3;
        });
        return has_it ? std::nullopt : needed;
    }
    if (same_release(*needed, framework)) return std::nullopt;
    const bool stable = stable_from && release >= *stable_from;
    return stable && *needed < framework ? std::nullopt : needed;
}

}  // namespace ptxguard
