// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"

#include <algorithm>

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// A text of each row.
void read_words(FactReader& reader, const Json& rows, const char* key, std::vector<std::string>& into) {
    for (const Json& row : rows.items()) into.push_back(reader.needed_word(row, key));
}

// What installers of Python's packages take.
void read_package_tables(FactReader& reader, const Json& root, RecipeTables& tables) {
    read_words(reader, root["conda_cuda_in_name"], "start", tables.conda_cuda_in_name);
    read_words(reader, root["compiled_at_use"], "package", tables.compiled_at_use);
    read_words(reader, root["brings_own_cuda"], "start", tables.brings_own_cuda);
    read_words(reader, root["cuda_in_version"], "package", tables.cuda_in_version);
    PTXGUARD_ROWS(same_files, PTXGUARD_ALWAYS(in, row.module, row.packages), PTXGUARD_FIELDS(in, row.reports),
                  row.origin = in.origin(row.module));
    PTXGUARD_ROWS(cuda_suites, PTXGUARD_ALWAYS(in, row.name, row.packages), row.origin = in.origin(row.name));
    PTXGUARD_ROWS(cuda_extras, PTXGUARD_ALWAYS(in, row.package, row.start, row.instead),
                  PTXGUARD_FIELDS(in, row.for_cpus));
    PTXGUARD_ROWS(cpu_packages, PTXGUARD_ALWAYS(in, row.package, row.instead));
    PTXGUARD_ROWS(aarch64_instead, PTXGUARD_ALWAYS(in, row.package, row.instead));
    PTXGUARD_ROWS(windows_instead, PTXGUARD_ALWAYS(in, row.package, row.instead));
    PTXGUARD_ROWS(cuda_packages, PTXGUARD_ALWAYS(in, row.family, row.package, row.cuda));
    PTXGUARD_ROWS(pytorch_index, PTXGUARD_ALWAYS(in, row.packages, row.families, row.builds),
                  row.origin = in.origin("download.pytorch.org"));
    PTXGUARD_ROWS(nvidia_index, PTXGUARD_ALWAYS(in, row.hosts, row.lacks, row.packages));
    PTXGUARD_ROWS(torch_pages,
                  PTXGUARD_ALWAYS(in, row.start, row.package, row.torch, row.cuda, row.effect, row.instead),
                  PTXGUARD_FIELDS(in, row.fails), row.origin = in.origin(row.package));
    PTXGUARD_ROWS(kept_extensions, PTXGUARD_ALWAYS(in, row.built_for, row.torch),
                  row.origin = in.origin("torch"));
    PTXGUARD_ROWS(library_per_cuda, PTXGUARD_ALWAYS(in, row.package, row.from, row.to, row.cudas),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(module_per_torch,
                  PTXGUARD_ALWAYS(in, row.package, row.from, row.to, row.module, row.torches),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(sibling_libraries, PTXGUARD_ALWAYS(in, row.start, row.end, row.libraries));
    PTXGUARD_ROWS(package_code, PTXGUARD_ALWAYS(in, row.packages, row.oldest),
                  PTXGUARD_FIELDS(in, row.from, row.to, row.cudas, row.python_to, row.index),
                  row.origin = in.origin(row.packages.front()));
    PTXGUARD_ROWS(built_with_numpy2, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(moved_from_pypi, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(labelled_from, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(compares_cuda_from, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(compares_plugin_from, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(aarch64_wheels, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(aarch64_builds, PTXGUARD_ALWAYS(in, row.package, row.from, row.cuda),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(nvcc_pins, PTXGUARD_ALWAYS(in, row.from), row.origin = in.origin("cuda-toolkit"));
    PTXGUARD_ROWS(jaxlib_builds, PTXGUARD_ALWAYS(in, row.form), PTXGUARD_FIELDS(in, row.from, row.to),
                  row.origin = in.origin("jaxlib"));
    PTXGUARD_ROWS(jax_extras, PTXGUARD_ALWAYS(in, row.extra, row.from, row.to, row.build),
                  row.origin = in.origin("jax"));
    PTXGUARD_ROWS(wheel_glibcs, PTXGUARD_ALWAYS(in, row.package, row.from, row.glibc),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(ctranslate2, PTXGUARD_ALWAYS(in, row.last, row.cuda), PTXGUARD_FIELDS(in, row.cudnn));
}

// Images, systems and what they contain.
void read_system_tables(FactReader& reader, const Json& root, RecipeTables& tables) {
    read_words(reader, root["jetson_images"], "image", tables.jetson_images);
    read_words(reader, root["plain_images"], "image", tables.plain_images);
    PTXGUARD_ROWS(ngc_images, PTXGUARD_ALWAYS(in, row.month, row.cuda, row.cudnn));
    PTXGUARD_ROWS(ngc_torch, PTXGUARD_ALWAYS(in, row.month, row.torch),
                  row.origin = in.origin("nvidia/pytorch"));
    PTXGUARD_ROWS(ubuntu_images, PTXGUARD_ALWAYS(in, row.system, row.cuda_from),
                  PTXGUARD_FIELDS(in, row.cuda_to, row.withdrawn), row.origin = in.origin(row.system));
    PTXGUARD_ROWS(cudnn_images, PTXGUARD_ALWAYS(in, row.tag),
                  PTXGUARD_FIELDS(in, row.cuda_from, row.cuda_to, row.lacks),
                  row.origin = in.origin(row.tag));
    PTXGUARD_ROWS(cudnn_of_images, PTXGUARD_ALWAYS(in, row.tag, row.cuda, row.cudnn),
                  row.origin = in.origin(row.tag));
    PTXGUARD_ROWS(cuda_images, PTXGUARD_ALWAYS(in, row.release), PTXGUARD_FIELDS(in, row.updates),
                  row.origin = in.origin(row.release->text));
    PTXGUARD_ROWS(image_demands, PTXGUARD_ALWAYS(in, row.release, row.branches),
                  PTXGUARD_FIELDS(in, row.geforce), row.origin = in.origin(row.release->text));
    PTXGUARD_ROWS(image_tags, PTXGUARD_ALWAYS(in, row.image),
                  PTXGUARD_FIELDS(in, row.prefix, row.releases_of, row.lacks, row.months, row.needs, row.word,
                                  row.from, row.to),
                  row.origin = in.origin(row.image));
    PTXGUARD_ROWS(image_pythons, PTXGUARD_ALWAYS(in, row.image, row.from), PTXGUARD_FIELDS(in, row.python));
    PTXGUARD_ROWS(nvidia_repositories, PTXGUARD_ALWAYS(in, row.repository, row.system, row.cuda_from),
                  PTXGUARD_FIELDS(in, row.cuda_to, row.runners, row.keyring, row.cudnn_from,
                                  row.tensorrt_from, row.tinfo5_from, row.tinfo5_to, row.lacks_tinfo5),
                  row.origin = in.origin(row.repository));
    PTXGUARD_ROWS(held_packages, PTXGUARD_ALWAYS(in, row.package, row.headers),
                  PTXGUARD_FIELDS(in, row.of_cudnn, row.cuda_to), row.origin = in.origin(row.package));
    PTXGUARD_ROWS(apt_components, row.origin = in.origin(row.component), PTXGUARD_ALWAYS(in, row.component),
                  PTXGUARD_FIELDS(in, row.from, row.to));
    PTXGUARD_ROWS(windows_components, row.origin = in.origin(row.component),
                  PTXGUARD_ALWAYS(in, row.component), PTXGUARD_FIELDS(in, row.from, row.to));
    PTXGUARD_ROWS(torch_archs, PTXGUARD_ALWAYS(in, row.from, row.to, row.archs),
                  row.origin = in.origin(row.from->text));
    PTXGUARD_ROWS(toolkit_actions, PTXGUARD_ALWAYS(in, row.action, row.from, row.updates),
                  row.origin = in.origin(row.action));
    PTXGUARD_ROWS(cuda_installers, PTXGUARD_ALWAYS(in, row.cuda, row.files),
                  row.origin = in.origin(row.cuda->text));
    PTXGUARD_ROWS(distribution_toolkits, PTXGUARD_ALWAYS(in, row.system, row.codename, row.cuda),
                  PTXGUARD_FIELDS(in, row.python, row.pythons, row.pattern_pythons, row.left_by_deadsnakes,
                                  row.needs_contrib),
                  row.origin = in.origin(row.system));
    PTXGUARD_ROWS(system_compilers, PTXGUARD_ALWAYS(in, row.system, row.family, row.version),
                  PTXGUARD_FIELDS(in, row.studio), row.origin = in.origin(row.system));
    PTXGUARD_ROWS(system_cmakes, PTXGUARD_ALWAYS(in, row.system, row.version),
                  row.origin = in.origin(row.system));
    PTXGUARD_ROWS(system_glibcs, PTXGUARD_ALWAYS(in, row.system, row.version),
                  row.origin = in.origin(row.system));
    PTXGUARD_ROWS(misnamed_packages, PTXGUARD_ALWAYS(in, row.package, row.instead),
                  row.origin = in.origin(row.package));
}

}  // namespace

RecipeTables read_recipe_tables(FactReader& reader, const Json& root) {
    RecipeTables tables;
    read_package_tables(reader, root, tables);
    read_system_tables(reader, root, tables);
    PTXGUARD_ROWS(device_sources, PTXGUARD_ALWAYS(in, row.package),
                  PTXGUARD_FIELDS(in, row.by_name, row.by_cmake_args, row.variables, row.own_archs,
                                  row.imports_torch, row.links_torch, row.repositories, row.by_option,
                                  row.pins_torch, row.target_variable, row.skipped_by, row.needs_cuda,
                                  row.needs_nvcc, row.builds_with_torch_from, row.isolated_from));
    PTXGUARD_ROWS(conda_packages, PTXGUARD_ALWAYS(in, row.package),
                  PTXGUARD_FIELDS(in, row.releases, row.last, row.instead, row.channel, row.requires_channel,
                                  row.lacking, row.lacked_by),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(build_features, PTXGUARD_ALWAYS(in, row.feature),
                  PTXGUARD_FIELDS(in, row.cmake, row.cmake_to, row.cuda, row.cuda_to, row.cudnn_to,
                                  row.instead, row.effect),
                  row.origin = in.origin(row.feature));
    PTXGUARD_ROWS(source_parts,
                  PTXGUARD_ALWAYS(in, row.program, row.repository, row.to, row.part, row.options),
                  PTXGUARD_FIELDS(in, row.from));
    PTXGUARD_ROWS(findcuda_archs, PTXGUARD_ALWAYS(in, row.name, row.archs),
                  PTXGUARD_FIELDS(in, row.from, row.without_gpu), row.origin = in.origin(row.name));
    PTXGUARD_ROWS(ended_channels, PTXGUARD_ALWAYS(in, row.channel, row.package, row.last));
    PTXGUARD_ROWS(conda_installers, PTXGUARD_ALWAYS(in, row.installer, row.python),
                  PTXGUARD_FIELDS(in, row.glibc), row.origin = in.origin(row.installer));
    PTXGUARD_ROWS(build_options, PTXGUARD_ALWAYS(in, row.program, row.option, row.instead),
                  PTXGUARD_FIELDS(in, row.repositories, row.package, row.tool, row.stops, row.unread_to,
                                  row.unread_from),
                  row.origin = in.origin(row.program));
    PTXGUARD_ROWS(script_pythons, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    PTXGUARD_ROWS(conda_needs_driver, PTXGUARD_ALWAYS(in, row.package, row.from),
                  row.origin = in.origin(row.package));
    return tables;
}

bool JaxlibBuilds::covers(const std::string& local, const Version& version) const {
    const std::size_t size = form.size();
    if (local.size() < size || (from && version < *from) || (to && *to < version)) return false;
    for (std::size_t i = 0; i < local.size(); ++i) {
        const char wanted = i < size ? form[i] : form.back();
        if (wanted == 'N' ? !is_digit(local[i]) : local[i] != wanted) return false;
    }
    return true;
}

const DeviceSources* RecipeTables::device_source(const std::string& package) const {
    return first_where(device_sources, [&](const DeviceSources& row) { return row.package == package; });
}

const DeviceSources* RecipeTables::source_named(const std::string& name) const {
    if (const DeviceSources* row = device_source(name)) return row;
    return first_where(device_sources,
                       [&](const DeviceSources& row) { return contains(row.repositories, name); });
}

const BuildFeature* RecipeTables::build_feature(const std::string& name) const {
    return first_where(build_features, [&](const BuildFeature& row) { return row.feature == name; });
}

bool RemovedNames::covers(const std::string& name) const {
    if (start.empty()) return std::binary_search(names.begin(), names.end(), name);
    // nppiAdd_8u_C1R: with the type of its data
    return starts_with(name, start) && !ends_with(name, kept_end) && name.find('_') != npos &&
           is_digit(name[name.find('_') + 1]) && name.find('/') == npos &&
           !std::binary_search(kept.begin(), kept.end(), name);
}

const RemovedNames* RecipeTables::removed_name(const std::string& name) const {
    return first_where(removed_names, [&](const RemovedNames& row) { return row.covers(name); });
}

std::vector<RemovedNames> read_removed_names(FactReader& reader, const Json& root) {
    std::vector<RemovedNames> all;
    read_rows(reader, root["rows"], all, [](FactRow& in, RemovedNames& row) {
        PTXGUARD_ALWAYS(in, row.library, row.instead);
        PTXGUARD_FIELDS(in, row.names, row.start, row.kept_end, row.kept, row.cuda_to, row.cudnn_to);
        row.origin = in.origin(row.library);
        std::sort(row.names.begin(), row.names.end());
        std::sort(row.kept.begin(), row.kept.end());
    });
    return all;
}

std::optional<Version> RecipeTables::last_in_channel(const std::string& channel,
                                                     const std::string& package) const {
    for (const EndedChannel& row : ended_channels)
        if (row.channel == channel && row.package == package) return row.last;
    return std::nullopt;
}

bool RecipeTables::is_built_by_pytorch(const std::string& package) const {
    return any_of(pytorch_index, [&](const PytorchIndex& row) { return contains(row.builds, package); });
}

bool RecipeTables::may_have(const std::string& url, const std::string& package) const {
    for (const NvidiaIndex& row : nvidia_index) {
        const auto is_host = [&](const std::string& host) { return url.find(host) != std::string::npos; };
        const auto begins = [&](const std::string& start) { return starts_with(package, start); };
        if (none_of(row.hosts, is_host)) continue;
        return contains(row.packages, package) || none_of(row.lacks, begins);
    }
    return true;
}

bool RecipeTables::is_plain(std::string image) const {
    for (const std::string registry : {"public.ecr.aws/docker/", "mirror.gcr.io/", "library/"})
        if (starts_with(image, registry)) image.erase(0, registry.size());
    return contains(plain_images, image);
}

const PytorchIndex* RecipeTables::pytorch_index_without(const std::string& package) const {
    for (const PytorchIndex& row : pytorch_index) {
        const bool has =
            contains(row.packages, package) ||
            any_of(row.families, [&](const std::string& start) { return starts_with(package, start); });
        return has ? nullptr : &row;
    }
    return nullptr;
}

bool RecipeTables::loads_extensions(const Version& torch, const Version& built_for) const {
    return same_release(torch, built_for) || any_of(kept_extensions, [&](const KeptExtensions& row) {
               return same_release(*row.built_for, built_for) && same_release(*row.torch, torch);
           });
}

bool SameFiles::has(const std::string& package) const {
    return any_of(packages, [&](const std::string& one) {
        const std::string_view name = one;
        return name.back() == '*' ? starts_with(package, name.substr(0, name.size() - 1)) : package == name;
    });
}

bool PackageCode::is_for_cuda(int major) const {
    return cudas.empty() || any_of(cudas, [&](const Version& one) { return one.major() == major; });
}

const PackageCode* RecipeTables::code_for(const std::string& package, int gpu, bool& listed) const {
    const std::size_t at = package.rfind("-cu");
    const std::string base = package.substr(0, at);
    const auto named = named_cuda(package);
    const int major = named ? static_cast<int>(named->major()) : 0;
    const PackageCode* best = nullptr;
    const auto rank = [&](const PackageCode& row) { return std::pair(row.is_for_cuda(major), !row.to); };
    for (const PackageCode& row : package_code) {  // ascending
        if (!contains(row.packages, package) && !contains(row.packages, base)) continue;
        listed = true;
        if (row.oldest <= gpu && (!best || rank(*best) <= rank(row))) best = &row;
    }
    return best;
}

const LibraryPerCuda* RecipeTables::library_without(const std::string& package, const Version& version,
                                                    const Version& cuda) const {
    for (const LibraryPerCuda& row : library_per_cuda) {
        if (row.package != package || version < *row.from || *row.to < version) continue;
        const bool has = any_of(row.cudas, [&](const Version& one) { return same_release(one, cuda); });
        return has ? nullptr : &row;
    }
    return nullptr;
}

const Version* RecipeTables::first_with_library(const std::string& package, const Version& after,
                                                const Version& cuda) const {
    for (const LibraryPerCuda& row : library_per_cuda)  // ascending
        if (row.package == package && after < *row.from &&
            any_of(row.cudas, [&](const Version& one) { return same_release(one, cuda); }))
            return &*row.from;
    return nullptr;
}

std::string RecipeTables::package_for_cuda(const std::string& package, int cuda_major) const {
    for (const CudaPackage& own : cuda_packages)
        for (const CudaPackage& other : cuda_packages)
            if (own.package == package && other.package != package && other.family == own.family &&
                other.cuda && other.cuda->major() == cuda_major)
                return other.package;
    return {};
}

const ModulePerTorch* RecipeTables::release_for_torch(const std::string& package,
                                                      const Version& torch) const {
    const ModulePerTorch* newest = nullptr;
    for (const ModulePerTorch& row : module_per_torch)  // ascending
        if (row.package == package &&
            any_of(row.torches, [&](const Version& one) { return same_release(one, torch); }))
            newest = &row;
    return newest;
}

ModulePerTorch RecipeTables::module_of_torches(const std::string& package) const {
    ModulePerTorch all;
    for (const ModulePerTorch& row : module_per_torch) {
        if (row.package != package) continue;
        all.module = row.module;
        for (const Version& torch : row.torches)
            if (none_of(all.torches, [&](const Version& one) { return one == torch; }))
                all.torches.push_back(torch);
    }
    std::sort(all.torches.begin(), all.torches.end());
    return all;
}

std::string RecipeTables::libraries_beside(const std::string& package) const {
    for (const SiblingLibraries& row : sibling_libraries)
        if (starts_with(package, row.start) && ends_with(package, row.end))
            return package.substr(0, package.size() - row.end.size()) + row.libraries;
    return {};
}

const RecipeTables& Facts::recipes() const {
    const std::lock_guard<std::mutex> lock(m_tables->mutex);
    return m_tables->recipes();
}

const RecipeTables& recipe_tables(const Facts& facts) { return facts.recipes(); }

}  // namespace ptxguard
