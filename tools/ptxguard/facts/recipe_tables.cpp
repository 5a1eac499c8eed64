// SPDX-License-Identifier: Apache-2.0
#include "facts/recipe_tables.hpp"

#include "facts/loading_table.hpp"
#include "facts/tables.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

template <typename Row, typename Read>
void read_rows(FactReader& reader, const Json& rows, std::vector<Row>& into, const Read& read) {
    for (const Json& row : rows.items()) {
        FactRow in(reader, row);
        read(in, row, into.emplace_back());
    }
}

void read_first_releases(FactReader& reader, const Json& rows, std::vector<FirstRelease>& into) {
    read_rows(reader, rows, into, [&](FactRow& in, const Json& json, FirstRelease& row) {
        PTXGUARD_ALWAYS(in, row.package, row.from);
        row.origin = reader.origin(row.package, reader.source_words(json));
    });
}

// What installers of Python's packages take.
void read_package_tables(FactReader& reader, const Json& root, RecipeTables& tables) {
    const auto origin = [&](const std::string& what, const Json& row) {
        return reader.origin(what, reader.source_words(row));
    };
    for (const Json& row : root["conda_cuda_in_name"].items())
        tables.conda_cuda_in_name.push_back(reader.needed_word(row, "start"));
    for (const Json& row : root["jetson_images"].items())
        tables.jetson_images.push_back(reader.needed_word(row, "image"));
    read_rows(reader, root["cuda_suites"], tables.cuda_suites,
              [&](FactRow& in, const Json& json, CudaSuite& row) {
                  PTXGUARD_ALWAYS(in, row.name, row.packages);
                  row.origin = origin(row.name, json);
              });
    read_rows(reader, root["cuda_extras"], tables.cuda_extras, [](FactRow& in, const Json&, CudaExtra& row) {
        PTXGUARD_ALWAYS(in, row.package, row.start, row.instead);
        PTXGUARD_FIELDS(in, row.for_cpus);
    });
    read_rows(
        reader, root["cpu_packages"], tables.cpu_packages,
        [](FactRow& in, const Json&, CpuPackage& row) { PTXGUARD_ALWAYS(in, row.package, row.instead); });
    read_rows(reader, root["pytorch_index"], tables.pytorch_index,
              [&](FactRow& in, const Json& json, PytorchIndex& row) {
                  PTXGUARD_ALWAYS(in, row.packages, row.families, row.builds);
                  row.origin = origin("download.pytorch.org", json);
              });
    read_first_releases(reader, root["built_with_numpy2"], tables.built_with_numpy2);
    read_rows(reader, root["nvidia_index"], tables.nvidia_index,
              [](FactRow& in, const Json&, NvidiaIndex& row) {
                  PTXGUARD_ALWAYS(in, row.hosts, row.lacks, row.packages);
              });
    read_rows(reader, root["torch_pages"], tables.torch_pages,
              [&](FactRow& in, const Json& json, TorchPages& row) {
                  PTXGUARD_ALWAYS(in, row.start, row.package, row.torch, row.cuda, row.effect, row.instead);
                  PTXGUARD_FIELDS(in, row.fails);
                  row.origin = origin(row.package, json);
              });
    read_rows(reader, root["kept_extensions"], tables.kept_extensions,
              [&](FactRow& in, const Json& json, KeptExtensions& row) {
                  PTXGUARD_ALWAYS(in, row.built_for, row.torch);
                  row.origin = origin("torch", json);
              });
    read_rows(reader, root["library_per_cuda"], tables.library_per_cuda,
              [&](FactRow& in, const Json& json, LibraryPerCuda& row) {
                  PTXGUARD_ALWAYS(in, row.package, row.from, row.to, row.cudas);
                  row.origin = origin(row.package, json);
              });
}

}  // namespace

RecipeTables read_recipe_tables(FactReader& reader, const Json& root) {
    RecipeTables tables;
    const auto origin = [&](const std::string& what, const Json& row) {
        return reader.origin(what, reader.source_words(row));
    };
    read_rows(reader, root["device_sources"], tables.device_sources,
              [](FactRow& in, const Json&, DeviceSources& row) {
                  PTXGUARD_ALWAYS(in, row.package);
                  PTXGUARD_FIELDS(in, row.by_name, row.by_cmake_args, row.variables, row.own_archs,
                                  row.imports_torch, row.repositories, row.by_option, row.pins_torch,
                                  row.target_variable, row.skipped_by, row.needs_cuda, row.needs_nvcc,
                                  row.builds_with_torch_from, row.isolated_from);
              });
    for (const Json& row : root["compiled_at_use"].items())
        tables.compiled_at_use.push_back(reader.needed_word(row, "package"));
    for (const Json& row : root["brings_own_cuda"].items())
        tables.brings_own_cuda.push_back(reader.needed_word(row, "start"));
    read_rows(reader, root["apt_components"], tables.apt_components,
              [&](FactRow& in, const Json& json, AptComponent& row) {
                  row.origin = origin(row.component, json);
                  PTXGUARD_ALWAYS(in, row.component);
                  PTXGUARD_FIELDS(in, row.from, row.to);
              });
    for (const Json& row : root["cuda_in_version"].items())
        tables.cuda_in_version.push_back(reader.needed_word(row, "package"));
    read_rows(reader, root["ngc_images"], tables.ngc_images, [](FactRow& in, const Json&, NgcImages& row) {
        PTXGUARD_ALWAYS(in, row.month, row.cuda, row.cudnn);
    });
    read_rows(reader, root["ngc_torch"], tables.ngc_torch, [&](FactRow& in, const Json& json, NgcTorch& row) {
        PTXGUARD_ALWAYS(in, row.month, row.torch);
        row.origin = origin("nvidia/pytorch", json);
    });
    read_rows(reader, root["ubuntu_images"], tables.ubuntu_images,
              [&](FactRow& in, const Json& json, UbuntuImages& row) {
                  PTXGUARD_ALWAYS(in, row.system, row.cuda_from);
                  PTXGUARD_FIELDS(in, row.cuda_to);
                  row.origin = origin(row.system, json);
              });
    read_rows(reader, root["cudnn_images"], tables.cudnn_images,
              [&](FactRow& in, const Json& json, CudnnImages& row) {
                  PTXGUARD_ALWAYS(in, row.tag);
                  PTXGUARD_FIELDS(in, row.cuda_from, row.cuda_to);
                  row.origin = origin(row.tag, json);
              });
    read_rows(reader, root["cuda_images"], tables.cuda_images,
              [&](FactRow& in, const Json& json, CudaImages& row) {
                  PTXGUARD_ALWAYS(in, row.release);
                  PTXGUARD_FIELDS(in, row.updates);
                  row.origin = origin(row.release->text, json);
              });
    read_rows(reader, root["nvidia_repositories"], tables.nvidia_repositories,
              [&](FactRow& in, const Json& json, NvidiaRepository& row) {
                  PTXGUARD_ALWAYS(in, row.repository, row.system, row.cuda_from);
                  PTXGUARD_FIELDS(in, row.cuda_to, row.runners);
                  row.origin = origin(row.repository, json);
              });
    read_rows(reader, root["toolkit_actions"], tables.toolkit_actions,
              [&](FactRow& in, const Json& json, ToolkitAction& row) {
                  PTXGUARD_ALWAYS(in, row.action, row.from, row.updates);
                  row.origin = origin(row.action, json);
              });
    read_rows(reader, root["cuda_installers"], tables.cuda_installers,
              [&](FactRow& in, const Json& json, CudaInstallers& row) {
                  PTXGUARD_ALWAYS(in, row.cuda, row.files);
                  row.origin = origin(row.cuda->text, json);
              });
    read_rows(reader, root["distribution_toolkits"], tables.distribution_toolkits,
              [&](FactRow& in, const Json& json, DistributionToolkit& row) {
                  PTXGUARD_ALWAYS(in, row.system, row.codename, row.cuda);
                  PTXGUARD_FIELDS(in, row.python, row.needs_contrib);
                  row.origin = origin(row.system, json);
              });
    read_rows(reader, root["conda_packages"], tables.conda_packages,
              [&](FactRow& in, const Json& json, CondaReleases& row) {
                  PTXGUARD_ALWAYS(in, row.package);
                  PTXGUARD_FIELDS(in, row.releases, row.last, row.instead, row.channel, row.requires_channel);
                  row.origin = origin(row.package, json);
              });
    read_rows(reader, root["jaxlib_builds"], tables.jaxlib_builds,
              [&](FactRow& in, const Json& json, JaxlibBuilds& row) {
                  PTXGUARD_ALWAYS(in, row.form);
                  PTXGUARD_FIELDS(in, row.from, row.to);
                  row.origin = origin("jaxlib", json);
              });
    read_rows(reader, root["ctranslate2"], tables.ctranslate2,
              [](FactRow& in, const Json&, Ctranslate2Build& row) {
                  PTXGUARD_ALWAYS(in, row.last, row.cuda);
                  PTXGUARD_FIELDS(in, row.cudnn);
              });
    read_rows(reader, root["nvcc_pins"], tables.nvcc_pins,
              [&](FactRow& in, const Json& json, FirstRelease& row) {
                  PTXGUARD_ALWAYS(in, row.from);
                  row.origin = origin("cuda-toolkit", json);
              });
    read_first_releases(reader, root["aarch64_wheels"], tables.aarch64_wheels);
    read_rows(reader, root["aarch64_builds"], tables.aarch64_builds,
              [&](FactRow& in, const Json& json, FirstRelease& row) {
                  PTXGUARD_ALWAYS(in, row.package, row.from, row.cuda);
                  row.origin = origin(row.package, json);
              });
    read_rows(reader, root["system_compilers"], tables.system_compilers,
              [&](FactRow& in, const Json& json, SystemCompiler& row) {
                  PTXGUARD_ALWAYS(in, row.system, row.family, row.version);
                  row.origin = origin(row.system, json);
              });
    read_rows(reader, root["system_cmakes"], tables.system_cmakes,
              [&](FactRow& in, const Json& json, SystemCMake& row) {
                  PTXGUARD_ALWAYS(in, row.system, row.version);
                  row.origin = origin(row.system, json);
              });
    read_rows(reader, root["build_features"], tables.build_features,
              [&](FactRow& in, const Json& json, BuildFeature& row) {
                  PTXGUARD_ALWAYS(in, row.feature, row.cmake);
                  PTXGUARD_FIELDS(in, row.cuda);
                  row.origin = origin(row.feature, json);
              });
    for (const Json& row : root["plain_images"].items())
        tables.plain_images.push_back(reader.needed_word(row, "image"));
    read_first_releases(reader, root["moved_from_pypi"], tables.moved_from_pypi);
    read_first_releases(reader, root["labelled_from"], tables.labelled_from);
    read_first_releases(reader, root["compares_cuda_from"], tables.compares_cuda_from);
    read_first_releases(reader, root["conda_needs_driver"], tables.conda_needs_driver);
    read_rows(reader, root["ended_channels"], tables.ended_channels,
              [](FactRow& in, const Json&, EndedChannel& row) {
                  PTXGUARD_ALWAYS(in, row.channel, row.package, row.last);
              });
    read_rows(reader, root["image_pythons"], tables.image_pythons,
              [](FactRow& in, const Json&, ImagePython& row) {
                  PTXGUARD_ALWAYS(in, row.image, row.from);
                  PTXGUARD_FIELDS(in, row.python);
              });
    read_rows(reader, root["conda_installers"], tables.conda_installers,
              [](FactRow& in, const Json&, CondaInstaller& row) {
                  PTXGUARD_ALWAYS(in, row.installer, row.python);
              });
    read_rows(reader, root["build_options"], tables.build_options,
              [&](FactRow& in, const Json& json, BuildOption& row) {
                  PTXGUARD_ALWAYS(in, row.program, row.option, row.instead);
                  PTXGUARD_FIELDS(in, row.repositories, row.package, row.tool, row.stops, row.unread_to,
                                  row.unread_from);
                  row.origin = origin(row.program, json);
              });
    read_package_tables(reader, root, tables);
    return tables;
}

bool JaxlibBuilds::covers(const std::string& local, const Version& version) const {
    const std::size_t size = form.size();
    if (local.size() < size || (from && version < *from) || (to && *to < version)) return false;
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (std::size_t i = 0; i < local.size(); ++i) {
        const char wanted = i < size ? form[i] : form.back();
        if (wanted == 'N' ? !is_digit(local[i]) : local[i] != wanted) return false;
    }
    return true;
}

const DeviceSources* RecipeTables::device_source(const std::string& package) const {
    for (const DeviceSources& row : device_sources)
        if (row.package == package) return &row;
    return nullptr;
}

const DeviceSources* RecipeTables::source_named(const std::string& name) const {
    if (const DeviceSources* row = device_source(name)) return row;
    for (const DeviceSources& row : device_sources)
        if (contains(row.repositories, name)) return &row;
    return nullptr;
}

const BuildFeature* RecipeTables::build_feature(const std::string& name) const {
    for (const BuildFeature& row : build_features)
        if (row.feature == name) return &row;
    return nullptr;
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

const LibraryPerCuda* RecipeTables::library_without(const std::string& package, const Version& version,
                                                    const Version& cuda) const {
    for (const LibraryPerCuda& row : library_per_cuda) {
        if (row.package != package || version < *row.from || *row.to < version) continue;
        const bool has = any_of(row.cudas, [&](const Version& one) { return same_release(one, cuda); });
        return has ? nullptr : &row;
    }
    return nullptr;
}

const RecipeTables& recipe_tables(const Facts& facts) { return library_table(facts).recipes; }

}  // namespace ptxguard
