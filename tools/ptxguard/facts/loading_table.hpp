// The content of sonames/, loading.json, recipes.json, lto_ir.json, compared.json, cpu_builds.json and
// system_libraries.json. Inner header of the room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "facts/compared.hpp"
#include "facts/conda_forge.hpp"
#include "facts/cpu_builds.hpp"
#include "facts/index_builds.hpp"
#include "facts/libraries.hpp"
#include "facts/lto_ir.hpp"
#include "facts/package_names.hpp"
#include "facts/reader.hpp"
#include "facts/recipe_tables.hpp"
#include "facts/runfiles.hpp"
#include "facts/system_libraries.hpp"

namespace ptxguard {

// Names of a library's files: "libcublas" and "cublas".
struct NamedLibrary {
    std::string library;
    bool driver = false;
    bool number_is_cuda = false;  // the number in the name is the CUDA major, or its release
    std::string capability;       // word of NVIDIA_DRIVER_CAPABILITIES that brings it; empty = not known
    bool no_runtime = false;      // it contains no CUDA runtime: compilers, tools
};

struct OpensRow {
    std::string opener;
    std::vector<std::string> opener_files;  // instead of `opener`: lower-case file names
    std::string opener_in;                  // and only in a folder with this name
    bool if_present = false, as_opener = false;
    std::optional<Version> from, below;  // of the opener's version, else of the number in its name
    std::vector<std::string> opens;
    std::string linux_name, windows_name;
    std::vector<std::string> tried_first;  // Linux
    bool optional = false;
    std::string when, without;
    Origin origin;
};

// How a package like cuda-pathfinder searches for a library.
struct FinderRow {
    std::string finder;
    System system = System::linux_;
    std::vector<LibraryFind> finds;
};

struct HabitRow {
    System system = System::linux_;
    PackageHabit habit;
};

struct ComposedRow {
    System system = System::linux_;
    std::vector<std::string> opener_files;  // lower case
    ComposedNames names;
};

struct FrameworkFilesRow {
    std::string package;
    System system = System::linux_;
    std::vector<std::string> files, kernels;
    std::optional<Version> from;  // releases that load this way; the files apply to all
    FrameworkLoading loading;
};

struct LoadingTable {
    std::vector<std::pair<std::string, NamedLibrary>> linux_stems,
        windows_stems;  // a '*' at the end = any ending
    std::map<std::string, std::vector<int>> shared_names;
    std::vector<std::pair<std::string, std::string>> functions;  // beginning of a function's name, library
    std::vector<OpensRow> opens;
    std::vector<FinderRow> finders;
    std::vector<HabitRow> habits;
    std::vector<ComposedRow> composed;
    std::vector<CudaVariants> variants;
    std::vector<FrameworkFilesRow> frameworks;
    std::vector<LibrarySet> sets;
    std::vector<Companion> companions;
};
LoadingTable read_loading(FactReader& reader, const Json& root);
// Its rows.
void read_finder(FactRow& in, FinderRow& finder);
void read_habit(FactRow& in, const std::vector<FinderRow>& finders, HabitRow& habit);
void read_variants(FactRow& in, CudaVariants& variants);

struct Soname {
    std::string name, library;
    bool windows = false;
};
struct SonameTable {
    int cuda_major = 0;  // 0 = older.json
    std::vector<Soname> names;
};
SonameTable read_sonames(FactReader& reader, const Json& root);
RecipeTables read_recipe_tables(FactReader& reader, const Json& root);
std::vector<RemovedNames> read_removed_names(FactReader& reader, const Json& root);
struct IrTable {
    std::vector<LtoIrRelease> lto;
    Known<Version> first_tile;
};
IrTable read_lto_ir(FactReader& reader, const Json& root);
std::vector<ComparedRow> read_compared(FactReader& reader, const Json& root);
std::vector<CpuBuildRow> read_cpu_builds(FactReader& reader, const Json& root);
std::vector<SystemLibrary> read_system_libraries(FactReader& reader, const Json& root);
PackageNames read_package_names(FactReader& reader, const Json& root);
CondaForge read_conda_forge(FactReader& reader, const Json& root);
std::vector<Runfile> read_runfiles(FactReader& reader, const Json& root);
std::vector<IndexBuilds> read_index_builds(FactReader& reader, const Json& root);

struct LibraryTable {
    std::map<std::string, NamedLibrary> linux_by_stem, windows_by_stem;  // Windows: lower case
    std::vector<std::pair<std::string, NamedLibrary>> linux_patterns;    // stems that start like this
    std::map<std::string, std::vector<int>> majors_by_name;              // Windows: lower case
    LoadingTable loading;

    const NamedLibrary* by_stem(const std::string& stem, bool windows) const;
};
const LibraryTable& library_table(const Facts& facts);

// "libcublas" of "libcublas-3965bdd0.so.12"; "cublas" of "cublas64_12.dll" (lower case).
std::string library_stem(const std::string& file_name);

}  // namespace ptxguard
