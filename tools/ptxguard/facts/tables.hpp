// What Facts has read so far. Each file is read at most once; pointers stay valid for the life of the object.
// The functions without a lock are for members of Facts, which hold it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/cudnn.hpp"
#include "facts/facts.hpp"
#include "facts/forward_compat.hpp"
#include "facts/framework_traits.hpp"
#include "facts/loading_table.hpp"
#include "facts/pypi.hpp"
#include "facts/reader.hpp"
#include "facts/tool_search.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

// The fact files as text: the embedded ones, and those of --facts DIR, which override them. Handles paths,
// not contents.
class FactStore {
public:
    FactStore() = default;
    explicit FactStore(Facts::Files overrides);

    // Texts to try for a path, best first: the override, then the embedded file.
    struct Candidate {
        std::string_view text;
        bool embedded = false;
    };
    std::vector<Candidate> candidates(const std::string& path) const;
    // Paths below `folder` ("cuda/"; "" = all), sorted, each once.
    std::vector<std::string> paths(std::string_view folder) const;
    // Overrides with a path that no query reads.
    std::vector<Trouble> misplaced() const;

private:
    Facts::Files m_overrides;
};

// Whether a query reads this path, or it has data for people ("cuda/13.0.json").
bool is_fact_path(std::string_view path);

struct DriverTable {
    std::vector<DriverBranch> branches;  // ascending
    int newest_number = 0;               // highest first number of a driver in the table (617 on Windows)
    struct Minimum {
        int cuda_major = 0;
        std::optional<Version> linux_, windows;
        Origin origin;
    };
    std::vector<Minimum> minimums;
};

struct Product {
    std::string name;
    Arch arch;
};

struct ArchTable {
    std::vector<ArchFacts> archs;
    std::map<Arch, std::vector<int>> families;  // "sm_100f" -> 100, 103, 107
    std::vector<Product> products;
    Origin origin;  // of the product list
};

using PciTable = std::map<std::string, PciGpu>;  // by device id, "2204"

struct FrameworkTable {
    std::string framework, part;             // "jax", "plugin": packages of one part are equivalent
    std::vector<FrameworkRelease> releases;  // ascending
    std::optional<ReleaseList> list;
};

struct CudnnRelease {
    Version version;
    std::vector<std::string> parts;               // "cudnn_graph" ...
    std::vector<std::pair<int, CudnnCode>> code;  // CUDA major -> measured code
};

CompatTable read_forward_compat(FactReader& reader, const Json& root);
PypiPackage read_pypi(FactReader& reader, const Json& root);
std::vector<CudnnRelease> read_cudnn(FactReader& reader, const Json& root);
CudaRelease read_cuda(FactReader& reader, const Json& root);
DriverTable read_drivers(FactReader& reader, const Json& root);
ArchTable read_architectures(FactReader& reader, const Json& root);
PciTable read_pci_ids(FactReader& reader, const Json& root);
FrameworkTable read_framework(FactReader& reader, const Json& root);
std::vector<KnownBad> read_known_bad(FactReader& reader, const Json& root);
std::vector<ToolSearch> read_tool_searches(FactReader& reader, const Json& root);
std::vector<FrameworkTraits> read_framework_traits(FactReader& reader, const Json& root);

// "NVIDIA GeForce RTX 3090 Ti", "H100 80GB HBM3", "sm_86": see gpu_names.cpp.
Known<Arch> find_gpu(const ArchTable& table, const std::string& name);
// A board that only the list of PCI devices has ("A100X"), by its whole name; else `unknown`.
Known<Arch> find_board(const PciTable& table, const std::string& name, const Known<Arch>& unknown);

struct Facts::Tables {
    FactStore store;
    std::mutex mutex;
    std::vector<Trouble> troubles;

    std::optional<std::vector<Version>> releases_read;
    std::map<std::string, std::optional<CudaRelease>> cuda_by_path;
    std::optional<DriverTable> drivers_read;
    std::optional<ArchTable> archs_read;
    std::optional<PciTable> pci_read;
    std::map<std::string, FrameworkTable> frameworks_read;
    std::map<std::string, PypiPackage> pypi_read;
    std::map<int, std::vector<CudnnRelease>> cudnn_read;
    std::optional<CompatTable> compat_read;
    std::optional<std::vector<KnownBad>> known_bad_read;
    std::shared_ptr<LibraryTable> libraries_read;
    std::map<std::string, ComponentVersions> components_read;
    std::optional<std::vector<ToolSearch>> tool_searches_read;
    std::optional<std::vector<FrameworkTraits>> framework_traits_read;
    std::optional<RecipeTables> recipes_read;
    std::optional<IrTable> device_ir_read;
    std::optional<std::vector<ComparedRow>> compared_read;
    std::optional<std::vector<CpuBuildRow>> cpu_builds_read;
    std::optional<std::vector<SystemLibrary>> system_libraries_read;
    std::optional<PackageNames> package_names_read;
    std::optional<CondaForge> conda_forge_read;
    std::optional<std::vector<Runfile>> runfiles_read;
    std::optional<std::vector<IndexBuilds>> index_builds_read;

    const CudaRelease* cuda(const Version& version);
    const std::vector<Version>& releases();  // ascending, from the file names
    const DriverTable& drivers() { return once(drivers_read, "drivers.json", read_drivers); }
    const ArchTable& architectures() { return once(archs_read, "architectures.json", read_architectures); }
    const PciTable& pci_ids() { return once(pci_read, "pci_ids.json", read_pci_ids); }
    const FrameworkTable& framework(const std::string& package);
    const std::vector<KnownBad>& known_bad() {
        return once(known_bad_read, "known_bad.json", read_known_bad);
    }
    const PypiPackage* pypi(const std::string& package);
    const std::vector<CudnnRelease>& cudnn(int major);
    const CompatTable& forward_compat() { return once(compat_read, "drivers.json", read_forward_compat); }
    const LibraryTable& libraries();
    const ComponentVersions& components(const std::string& component);
    const std::vector<ToolSearch>& tool_searches();
    const std::vector<FrameworkTraits>& framework_traits() {
        return once(framework_traits_read, "framework_traits.json", read_framework_traits);
    }
    const RecipeTables& recipes() {
        if (recipes_read) return *recipes_read;
        once(recipes_read, "recipes.json", read_recipe_tables);
        recipes_read->removed_names =
            load("removed_names.json", read_removed_names).value_or(std::vector<RemovedNames>{});
        return *recipes_read;
    }
    const IrTable& device_ir() { return once(device_ir_read, "lto_ir.json", read_lto_ir); }
    const std::vector<ComparedRow>& compared() { return once(compared_read, "compared.json", read_compared); }
    const std::vector<CpuBuildRow>& cpu_builds() {
        return once(cpu_builds_read, "cpu_builds.json", read_cpu_builds);
    }
    const std::vector<SystemLibrary>& system_libraries() {
        return once(system_libraries_read, "system_libraries.json", read_system_libraries);
    }
    const PackageNames& package_names() {
        return once(package_names_read, "pypi_names.json", read_package_names);
    }
    const CondaForge& conda_forge() { return once(conda_forge_read, "conda_forge.json", read_conda_forge); }
    const std::vector<Runfile>& runfiles() { return once(runfiles_read, "runfiles.json", read_runfiles); }
    const std::vector<IndexBuilds>& index_builds() {
        return once(index_builds_read, "index_builds.json", read_index_builds);
    }

    // The first candidate of `path` without errors; the errors of the others are kept.
    template <typename T>
    std::optional<T> load(const std::string& path, T (*read)(FactReader&, const Json&)) {
        for (const auto& candidate : store.candidates(path)) {
            const auto json = parse_json(candidate.text, "facts/" + path);
            if (!json) {
                troubles.push_back(json.trouble());
                continue;
            }
            FactReader reader(path, candidate.text, *json);
            T value = read(reader, *json);
            if (reader.troubles().empty()) return value;
            append(troubles, reader.troubles());
        }
        return std::nullopt;
    }

private:
    template <typename T>
    const T& once(std::optional<T>& table, const char* path, T (*read)(FactReader&, const Json&)) {
        if (!table) table = load(path, read).value_or(T{});
        return *table;
    }
};

}  // namespace ptxguard
