// loading.json -> how packages look for libraries, and what they load when they are imported.
// SPDX-License-Identifier: Apache-2.0

#include "facts/loading_table.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// Each step ("{site}", "$CUDA_PATH", "search") with each folder and each name of the library.
LibraryFind read_find(FactReader& reader, const std::string& finder, const Json& library,
                      const std::vector<std::string>& steps, const std::vector<std::string>& roots) {
    LibraryFind find;
    find.finder = finder;
    find.library = reader.needed_word(library, "library");
    const auto names = reader.words(library, "names"), site = reader.words(library, "site");
    find.beside = reader.words(library, "beside");
    if (names.empty()) reader.complain("library", find.library, "has no names");
    for (const std::string& step : steps) {
        if (step == "search") append(find.places, names);
        if (step == "search") continue;
        for (const std::string& folder : step == "{site}" ? site : roots)
            for (const std::string& name : names) find.places.push_back(step + "/" + folder + "/" + name);
    }
    return find;
}

// From the named finder, the libraries that the package requests, in the finder's order.
std::vector<LibraryFind> read_finds(FactReader& reader, const Json& row, System system,
                                    const std::vector<FinderRow>& finders) {
    std::vector<LibraryFind> finds;
    const auto named = reader.word(row, "finder");
    const auto wanted = reader.words(row, "finds");
    for (const FinderRow& finder : finders) {
        if (finder.finder != named || finder.system != system) continue;
        for (const LibraryFind& find : finder.finds)
            if (contains(wanted, find.library)) finds.push_back(find);
    }
    if (finds.size() != wanted.size()) reader.complain("finder", named, "does not know all of finds");
    return finds;
}

}  // namespace

void read_finder(FactRow& in, FinderRow& finder) {
    FactReader& reader = in.reader();
    const Json& row = in.json();
    PTXGUARD_ALWAYS(in, finder.finder, finder.system);
    const auto steps = reader.words(row, "steps"), roots = reader.words(row, "roots");
    for (const auto& library : row["libraries"].items())
        finder.finds.push_back(read_find(reader, finder.finder, library, steps, roots));
}

void read_habit(FactRow& in, const std::vector<FinderRow>& finders, HabitRow& read) {
    PackageHabit& habit = read.habit;
    PTXGUARD_ALWAYS(in, read.system, habit.package, habit.when);
    PTXGUARD_FIELDS(in, habit.distributions, habit.only_with, habit.only_with_from, habit.every_site,
                    habit.only_asked, habit.from, habit.below, habit.dll_folders, habit.preloads, habit.lends,
                    habit.scopes, habit.stable, habit.global, habit.retries_with_path,
                    habit.only_after_failure, habit.by_call);
    if (habit.distributions.empty()) habit.distributions = {habit.package};
    habit.finds = read_finds(in.reader(), in.json(), read.system, finders);
    habit.origin = in.origin("packages, " + habit.package);
}

void read_variants(FactRow& in, CudaVariants& variants) {
    PTXGUARD_ALWAYS(in, variants.package, variants.of, variants.file, variants.opener);
    PTXGUARD_FIELDS(in, variants.variable, variants.by_variable, variants.from, variants.below);
    variants.origin = in.origin("variants, " + variants.package);
}

std::vector<CudaVariants> cuda_variants(const Facts& facts) { return library_table(facts).loading.variants; }

}  // namespace ptxguard
