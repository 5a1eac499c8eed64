// loading.json -> what NVIDIA's libraries open, what packages load, which libraries belong together; and the
// queries on it.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

void read_names(FactReader& reader, const Json& row, LoadingTable& table) {
    NamedLibrary library;
    FactRow in(reader, row);
    PTXGUARD_ALWAYS(in, library.library);
    PTXGUARD_FIELDS(in, library.driver, library.number_is_cuda, library.capability, library.no_runtime);
    for (const auto& stem : reader.words(row, "linux")) table.linux_stems.emplace_back(stem, library);
    for (const auto& stem : reader.words(row, "windows"))
        table.windows_stems.emplace_back(lower(stem), library);
    if (row["linux"].is_null() && row["windows"].is_null())
        reader.complain("library", library.library, "has no names");
}

void read_shared_name(FactReader& reader, const Json& row, LoadingTable& table) {
    auto& majors = table.shared_names[reader.needed_word(row, "name")];
    for (const auto& major : row["cuda_majors"].items()) majors.push_back(static_cast<int>(major.as_int()));
    if (majors.empty()) reader.complain("cuda_majors", "", "is missing");
}

std::vector<std::string> file_names(FactReader& reader, const Json& row) {
    std::vector<std::string> names;
    for (const auto& name : reader.words(row, "opener_files")) names.push_back(lower(name));
    return names;
}

void read_opens(FactRow& in, OpensRow& opens) {
    opens.opener_files = file_names(in.reader(), in.json());
    opens.opener = opens.opener_files.empty() ? in.reader().needed_word(in.json(), "opener")
                                              : opens.opener_files.front();
    PTXGUARD_ALWAYS(in, opens.when);
    PTXGUARD_FIELDS(in, opens.opener_in, opens.if_present, opens.as_opener, opens.from, opens.below,
                    opens.opens, opens.tried_first, opens.optional, opens.without);
    in.fields("linux, windows", opens.linux_name, opens.windows_name);
    opens.origin = in.origin("opens, " + opens.opener);
    if (opens.opens.empty()) in.reader().complain("opener", opens.opener, "opens nothing");
}

void read_composed(FactRow& in, ComposedRow& composed) {
    composed.opener_files = file_names(in.reader(), in.json());
    ComposedNames& names = composed.names;
    PTXGUARD_ALWAYS(in, composed.system, names.package, names.pattern, names.when);
    PTXGUARD_FIELDS(in, names.headers, names.always, names.asks_by);
    const Json& defines = in.json()["defines"];
    for (const auto& define : defines.members())
        names.defines.emplace_back(define.first, in.reader().words(defines, define.first.c_str()));
    names.origin = in.origin("composed, " + names.package);
}

// "12": ["libnvrtc.so.12"]
std::vector<std::pair<int, std::vector<std::string>>> read_opened(FactReader& reader, const Json& row,
                                                                  const char* key) {
    std::vector<std::pair<int, std::vector<std::string>>> opened;
    for (const auto& [major, names] : row[key].members()) {
        const auto version = parse_version(major);
        if (!version || !names.is_array())
            reader.complain(key, major, "is not a CUDA major with its names");
        else
            opened.emplace_back(version->major(), reader.words(row[key], major.c_str()));
    }
    return opened;
}

void read_framework_files(FactRow& in, FrameworkFilesRow& framework) {
    PTXGUARD_ALWAYS(in, framework.package, framework.system);
    PTXGUARD_FIELDS(in, framework.files, framework.kernels, framework.from, framework.loading.together,
                    framework.loading.opens_by_python);
    in.fields("optional_files", framework.loading.optional);
    framework.loading.opens = read_opened(in.reader(), in.json(), "opens_by_cuda");
    framework.loading.opens_optional = read_opened(in.reader(), in.json(), "opens_optional_by_cuda");
    if (framework.files.empty() && framework.kernels.empty())
        in.reader().complain("package", framework.package, "has no files");
}

}  // namespace

const char* to_string(LibrarySet::Rule rule) {
    constexpr const char* k_words[] = {"same_version", "same_cuda_release", "other_not_older", ""};
    return k_words[std::min<std::size_t>(static_cast<std::size_t>(rule), 3)];
}

namespace {

void read_set(FactRow& in, LibrarySet& set) {
    PTXGUARD_ALWAYS(in, set.id, set.rule);
    PTXGUARD_FIELDS(in, set.libraries);
    if (set.libraries.size() < 2) in.reader().complain("id", set.id, "holds fewer than two libraries");
    set.origin = in.origin("sets, " + set.id);
}

void read_companion(FactRow& in, Companion& companion) {
    FactReader& reader = in.reader();
    const Json& row = in.json();
    PTXGUARD_ALWAYS(in, companion.package, companion.of, companion.effect, companion.harm);
    PTXGUARD_FIELDS(in, companion.libraries, companion.index, companion.builds,
                    companion.compares_minor_before, companion.cpu_build_works, companion.stable_from,
                    companion.stable_of);
    for (const auto& [release, of] : row["releases"].members()) {
        const auto version = parse_version(of.as_string());
        if (version)
            companion.releases.emplace(release, *version);
        else
            reader.complain("releases", of.as_string(), "is not a version");
    }
    for (const auto& [release, of] : row["wheels"].members()) {
        const std::string text = of.as_string();
        const std::size_t blank = std::min(text.find(' '), text.size());
        const auto version = parse_version(release), framework = parse_version(text.substr(0, blank));
        if (version && framework)
            companion.wheels.push_back({*version, *framework, std::atoi(text.c_str() + blank)});
        else
            reader.complain("wheels", release + ": " + text, "is not a version and what it is for");
    }
    for (const auto& [release, all] : row["works_with"].members())
        for (const Json& of : all.items())
            if (const auto version = parse_version(of.as_string()))
                companion.works_with[release].push_back(*version);
            else
                reader.complain("works_with", of.as_string(), "is not a version");
    companion.origin = in.origin("companions, " + companion.package);
}

void read_sonames_of(FactReader& reader, const Json& row, const char* key, SonameTable& table) {
    const Json& listed = row[key];
    const bool windows = std::string_view(key) == "windows";
    if (listed.is_string())
        table.names.push_back({listed.as_string(), reader.needed_word(row, "library"), windows});
    for (const auto& file : listed.items())
        table.names.push_back(
            {reader.needed_word(file, "name"), reader.needed_word(row, "library"), windows});
}

// "libnvrtc.so.%major" forms: {library}, {number}, {major}, {minor}, {patch} of the opener's version, {cuda}.
struct Filling {
    std::string library, number, major, minor, patch, cuda;
};

// Nothing if the pattern needs a value that is not known.
std::optional<std::string> filled(std::string pattern, const Filling& with) {
    const std::pair<const char*, const std::string&> values[] = {
        {"{library}", with.library}, {"{number}", with.number}, {"{major}", with.major},
        {"{minor}", with.minor},     {"{patch}", with.patch},   {"{cuda}", with.cuda}};
    for (const auto& [key, value] : values) {
        for (auto at = pattern.find(key); at != std::string::npos; at = pattern.find(key)) {
            if (value.empty()) return std::nullopt;
            pattern.replace(at, std::string_view(key).size(), value);
        }
    }
    return pattern.empty() ? std::nullopt : std::optional<std::string>(pattern);
}

Filling filling_for(const LibraryName& opener, const std::optional<Version>& version) {
    Filling with;
    if (opener.number) with.number = std::to_string(opener.number->major());
    if (opener.cuda_major) with.cuda = std::to_string(opener.cuda_major);
    if (version && version->numbers.size() >= 2) {
        with.major = std::to_string(version->major());
        with.minor = std::to_string(version->minor());
        if (version->numbers.size() >= 3) with.patch = std::to_string(version->at(2));
    }
    return with;
}

bool holds_for(const OpensRow& row, const std::string& file, const LibraryName& opener,
               const std::optional<Version>& version) {
    if (!row.opener_files.empty()) return contains(row.opener_files, lower(file));
    if (row.opener != opener.library) return false;
    const auto& known = version ? version : opener.number;
    if (row.from && (!known || *known < *row.from)) return false;
    return !row.below || (known && *known < *row.below);
}

}  // namespace

std::string library_of_function(const Facts& facts, const std::string& name) {
    std::string library;
    std::size_t longest = 0;
    for (const auto& [beginning, of] : library_table(facts).loading.functions) {
        const std::size_t length = beginning.size();
        const bool is_word =
            name.size() > length && (name[length] == '_' || (name[length] >= 'A' && name[length] <= 'Z'));
        if (!is_word || length < longest || name.compare(0, length, beginning) != 0) continue;
        library = of;
        longest = length;
    }
    return library;
}

LoadingTable read_loading(FactReader& reader, const Json& root) {
    LoadingTable table;
    for (const auto& row : root["names"].items()) read_names(reader, row, table);
    for (const auto& row : root["shared_names"].items()) read_shared_name(reader, row, table);
    for (const auto& [beginning, library] : root["functions"].members())
        table.functions.emplace_back(beginning, library.as_string());
    read_rows(reader, root["opens"], table.opens, read_opens);
    read_rows(reader, root["finders"], table.finders, read_finder);
    read_rows(reader, root["packages"], table.habits,
              [&](FactRow& in, HabitRow& row) { read_habit(in, table.finders, row); });
    read_rows(reader, root["composed"], table.composed, read_composed);
    read_rows(reader, root["variants"], table.variants, read_variants);
    read_rows(reader, root["frameworks"], table.frameworks, read_framework_files);
    read_rows(reader, root["sets"], table.sets, read_set);
    read_rows(reader, root["companions"], table.companions, read_companion);
    return table;
}

SonameTable read_sonames(FactReader& reader, const Json& root) {
    SonameTable table;
    table.cuda_major = reader.number(root, "cuda_major").value_or(0);
    for (const auto& row : root["libraries"].items())
        for (const char* key : {"linux", "windows"}) read_sonames_of(reader, row, key, table);
    return table;
}

std::vector<OpensLater> opens_later(const Facts& facts, const std::string& opener_file_name, System system,
                                    const std::optional<Version>& opener_version,
                                    const std::string& opener_folder, int cuda_major) {
    std::vector<OpensLater> found;
    const auto named = library_by_file_name(facts, opener_file_name);
    const auto opener = named.value_or(LibraryName{});
    auto with = filling_for(opener, opener_version);
    if (with.cuda.empty() && cuda_major) with.cuda = std::to_string(cuda_major);
    for (const auto& row : library_table(facts).loading.opens) {
        if (!holds_for(row, opener_file_name, opener, opener_version)) continue;
        if (!row.opener_in.empty() && row.opener_in != opener_folder) continue;
        for (const auto& library : row.opens) {
            with.library = library;
            const auto name = filled(system == System::windows ? row.windows_name : row.linux_name, with);
            if (!name) continue;
            OpensLater later;
            later.name = *name;
            later.optional = row.optional;
            later.if_present = row.if_present;
            later.as_opener = row.as_opener;
            later.by_file = !row.opener_files.empty();
            later.when = row.when;
            later.without = row.without;
            later.origin = row.origin;
            if (system == System::linux_)
                for (const auto& pattern : row.tried_first)
                    if (const auto exact = filled(pattern, with)) later.tried_first.push_back(*exact);
            found.push_back(std::move(later));
        }
    }
    return found;
}

std::vector<PackageHabit> package_habits(const Facts& facts, System system) {
    std::vector<PackageHabit> habits;
    for (const auto& row : library_table(facts).loading.habits)
        if (row.system == system) habits.push_back(row.habit);
    return habits;
}

std::vector<ComposedNames> composed_names(const Facts& facts, const std::string& opener_file_name,
                                          System system) {
    std::vector<ComposedNames> found;
    for (const auto& row : library_table(facts).loading.composed)
        if (row.system == system && contains(row.opener_files, lower(opener_file_name)))
            found.push_back(row.names);
    return found;
}

namespace {

const FrameworkFilesRow* row_of(const Facts& facts, const std::string& package, System system,
                                const std::optional<Version>& version) {
    for (const auto& row : library_table(facts).loading.frameworks) {
        const bool many = ends_with(row.package, "*");  // mxnet-cu*
        const bool fits = many ? starts_with(package, row.package.substr(0, row.package.size() - 1))
                               : row.package == package;
        const bool of_release = !row.from || (version && *version >= *row.from);
        if (fits && row.system == system && of_release) return &row;
    }
    return nullptr;
}

}  // namespace

std::vector<std::string> framework_files(const Facts& facts, const std::string& package, System system,
                                         FrameworkFile kind) {
    const FrameworkFilesRow* row = row_of(facts, package, system, std::nullopt);
    if (!row) return {};
    return kind == FrameworkFile::traced ? row->files : row->kernels;
}

FrameworkLoading framework_loading(const Facts& facts, const std::string& package, System system,
                                   const std::optional<Version>& version) {
    const FrameworkFilesRow* row = row_of(facts, package, system, version);
    return row ? row->loading : FrameworkLoading{};
}

std::vector<LibrarySet> library_sets(const Facts& facts) { return library_table(facts).loading.sets; }

std::vector<const Companion*> companions_of(const Facts& facts, const std::string& framework) {
    std::vector<const Companion*> found;
    for (const auto& companion : library_table(facts).loading.companions)
        if (companion.of == framework) found.push_back(&companion);
    return found;
}

const Companion* companion_of(const Facts& facts, const std::string& framework, const std::string& package) {
    for (const auto& companion : library_table(facts).loading.companions)
        if (companion.of == framework && companion.package == package) return &companion;
    return nullptr;
}

const NamedLibrary* LibraryTable::by_stem(const std::string& stem, bool windows) const {
    const auto& stems = windows ? windows_by_stem : linux_by_stem;
    const auto at = stems.find(stem);
    if (at != stems.end()) return &at->second;
    if (!windows)
        for (const auto& [start, library] : linux_patterns)
            if (stem.compare(0, start.size(), start) == 0) return &library;
    return nullptr;
}

namespace {

void add_stem(LibraryTable& table, const std::string& stem, bool windows, const NamedLibrary& library) {
    if (!windows && !stem.empty() && stem.back() == '*')
        table.linux_patterns.emplace_back(stem.substr(0, stem.size() - 1), library);
    else
        (windows ? table.windows_by_stem : table.linux_by_stem).emplace(stem, library);
}

void add_sonames(LibraryTable& table, const SonameTable& sonames) {
    for (const auto& soname : sonames.names) {
        const auto key = soname.windows ? lower(soname.name) : soname.name;
        if (sonames.cuda_major) {
            auto& majors = table.majors_by_name[key];
            if (!contains(majors, sonames.cuda_major)) majors.push_back(sonames.cuda_major);
        }
        // Components of a library have their own names: cudnn_graph is listed under cudnn.
        const auto stem = library_stem(soname.name);
        const auto bare = soname.windows || stem.size() < 3 ? stem : stem.substr(3);
        const bool is_part = bare.compare(0, soname.library.size() + 1, soname.library + "_") == 0;
        NamedLibrary library;
        library.library = is_part ? bare : soname.library;
        add_stem(table, stem, soname.windows, library);
    }
}

}  // namespace

const LibraryTable& Facts::Tables::libraries() {
    if (libraries_read) return *libraries_read;
    libraries_read = std::make_shared<LibraryTable>();
    auto& table = *libraries_read;
    table.loading = load("loading.json", read_loading).value_or(LoadingTable{});
    for (const auto& [stem, library] : table.loading.linux_stems) add_stem(table, stem, false, library);
    for (const auto& [stem, library] : table.loading.windows_stems) add_stem(table, stem, true, library);
    for (const auto& path : store.paths("sonames/"))
        add_sonames(table, load(path, read_sonames).value_or(SonameTable{}));
    for (const auto& [name, majors] : table.loading.shared_names) table.majors_by_name[name] = majors;
    return table;
}

const LibraryTable& Facts::libraries() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->libraries();
}

const LibraryTable& library_table(const Facts& facts) { return facts.libraries(); }

}  // namespace ptxguard
