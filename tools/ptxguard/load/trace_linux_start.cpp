// What is in a process before the checked file is opened: the program, and what the package of the file loads
// when it is imported.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_linux_start.hpp"

#include <algorithm>
#include <optional>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "packages/conda.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// What a package loads by path when it is imported.
void bring(const std::vector<PackagePreload>& preloads, LinuxProcess& process) {
    for (const PackagePreload& file : preloads) {
        const bool found =
            any_of(file.unless_found, [&](const std::string& name) { return process.would_find(name, 0); });
        const LoadStep step = file.is_find   ? LoadStep::finder
                              : file.by_call ? LoadStep::call
                                             : LoadStep::import;
        const std::size_t first = process.files.size();
        if (!found) process.preload_file(file.path, {step, file.package}, file.pattern);
        for (std::size_t i = first; file.only_later && i < process.files.size(); ++i)
            process.done_without.insert(i);
    }
}

// More modules of the same package.
void open_together(const LoadOptions& options, LinuxProcess& process) {
    for (const std::string& path : options.together) process.open_needed(process.open_file(path));
    const std::size_t first = process.files.size();
    for (const std::string& path : options.optional) process.open_needed(process.open_file(path));
    for (std::size_t i = first; i < process.files.size(); ++i) process.files[i].optional = true;
}

// The program that opens a library, if --host-exe names it.
std::string host_program(const Host& host, const std::string& place) {
    if (place.empty() || is_file(host, place)) return place;
    for (const char* name : {"python3", "python"}) {
        const std::string path = join_path(place, name);
        if (is_file(host, path)) return path;
    }
    return {};
}

LinuxProcess start(const Host& host, const LinuxSystem& system, const LoadOptions& options,
                   const LoadTrace& trace, const std::vector<PackagePreload>& preloads, std::size_t& object) {
    const std::string program = trace.is_program ? trace.path : host_program(host, options.host_folder);
    LinuxProcess process(host, system, program);
    const std::string prefix = parent_path(options.program_folder);
    if (program.empty() && is_conda_prefix(host, prefix))
        process.assume_rpath(join_path(prefix, "lib"), "conda's interpreter");
    process.preload();
    process.open_needed(0);
    process.start();
    bring(preloads, process);
    object = trace.is_program ? 0 : process.open_file(trace.path);
    process.open_needed(object);
    open_together(options, process);
    return process;
}

std::vector<std::string> missing_names(const LinuxProcess& process) {
    std::vector<std::string> names;
    for (const LoadedFile& file : process.files)
        if (!file.taken && !file.optional) names.push_back(file.name);
    return names;
}

LinuxProcess start_as_extension(const Host& host, const LinuxSystem& system, const LoadOptions& options,
                                LoadTrace& trace, const PackageProvider& provider, std::size_t& object) {
    if (provider.preloads.empty()) trace.missing_package = provider.package;
    LinuxProcess process = start(host, system, options, trace, without_fallbacks(provider.preloads), object);
    if (!needs_fallbacks(provider.preloads, process)) return process;
    return start(host, system, options, trace, fallbacks_first(provider.preloads), object);
}

// What the file opens itself.
std::vector<std::string> names_opened(const Facts& facts, const LoadOptions& options,
                                      const std::string& path) {
    std::vector<std::string> names = options.opens;
    append(names, options.opens_optional);
    if (!names.empty()) return names;
    for (const OpensLater& later :
         opens_later(facts, file_name(path), System::linux_, std::nullopt, file_name(parent_path(path))))
        names.push_back(later.name);
    return names;
}

// All names that the libraries of the process, and those that they open, open later.
std::vector<std::string> names_opened_by(const Facts& facts, const LinuxProcess& process) {
    std::vector<std::string> names, openers;
    int cuda = 0;  // of those whose names contain it
    for (const LoadedFile& file : process.files) {
        if (file.taken) openers.push_back(*file.taken);
        const auto known = library_by_file_name(facts, file.name);
        if (known) cuda = std::max(cuda, known->cuda_major);
    }
    for (std::size_t i = 0; i < openers.size(); ++i) {
        const std::string opener = openers[i];
        for (const OpensLater& later : opens_later(facts, file_name(opener), System::linux_, std::nullopt,
                                                   file_name(parent_path(opener)), cuda)) {
            if (contains(names, later.name)) continue;
            names.push_back(later.name);
            openers.push_back(later.name);
        }
    }
    return names;
}

// The preloads whose soname some object requests, at once or, by the names in `later`, later; then it is in
// `only_later` from the next round on.
std::vector<PackagePreload> requested(const std::vector<PackagePreload>& preloads,
                                      const LinuxProcess& process, const std::vector<std::string>& opened,
                                      const std::vector<std::string>& later,
                                      std::vector<std::string>& only_later) {
    std::vector<PackagePreload> wanted;
    for (PackagePreload file : preloads) {
        const std::string name = file.with.empty() ? file_name(file.path) : file.with;
        const bool known = process.knows(name) && !contains(only_later, file.path);
        file.only_later = file.only_asked && !known && !contains(opened, name);
        if (file.only_later && !contains(later, name)) continue;
        if (file.only_later) only_later.push_back(file.path);
        wanted.push_back(std::move(file));
    }
    return wanted;
}

// `process` was built without the preloads. Keep a preload only if some object requests that soname, at once
// or later; a copy of another major is loaded but never used.
LinuxProcess start_with(const Host& host, const Facts& facts, const LinuxSystem& system,
                        const LoadOptions& options, LoadTrace& trace,
                        const std::vector<PackagePreload>& preloads, const std::vector<std::string>& opened,
                        LinuxProcess process, std::size_t& object) {
    constexpr int k_most_rounds = 4;  // what is found requests others in turn
    std::optional<LinuxProcess> current(std::move(process));
    std::size_t used = 0;
    std::vector<std::string> only_later, later;
    const bool asks = any_of(preloads, [](const PackagePreload& file) { return file.only_asked; });
    for (int round = 0; round < k_most_rounds; ++round) {
        if (asks) later = names_opened_by(facts, *current);
        const std::vector<PackagePreload> wanted = requested(preloads, *current, opened, later, only_later);
        const bool others = any_of(wanted, [&](const PackagePreload& file) {
            return !current->holds(file.path) && (file.only_asked || current->knows(file_name(file.path)));
        });
        if (!others && round == 0) bring(wanted, *current);
        if (!others || (round > 0 && wanted.size() == used)) break;
        used = wanted.size();
        current.emplace(start(host, system, options, trace, wanted, object));
    }
    return std::move(*current);
}

// The package of libraries that the loader finds, for example by a RUNPATH of the build. A file of that
// package itself is not an extension of it.
std::optional<PackageProvider> provider_found(const Host& host, const Facts& facts, const std::string& path,
                                              const LinuxProcess& process) {
    std::vector<std::string> found;
    for (const LoadedFile& file : process.files)
        if (file.taken) found.push_back(file.name);
    if (!package_provider(host, facts, found, {})) return std::nullopt;
    for (const LoadedFile& file : process.files) {
        if (!file.taken) continue;
        const std::string site = site_above(host, *file.taken);
        const auto provider = package_provider(host, facts, {file.name}, {site});
        if (!provider) continue;
        const auto folder = host.real_path(join_path(site, provider->package));
        const auto own = host.real_path(path);
        return folder && own && starts_with(*own, *folder + "/") ? std::nullopt : provider;
    }
    return std::nullopt;
}

}  // namespace

LinuxProcess start_as_imported(const Host& host, const Facts& facts, const LinuxSystem& system,
                               const LoadOptions& options, LoadTrace& trace, std::size_t& object) {
    LinuxProcess process = start(host, system, options, trace, {}, object);
    const std::vector<std::string> missing = missing_names(process);
    if (const auto provider = package_provider(host, facts, missing, options.site_packages))
        return start_as_extension(host, system, options, trace, *provider, object);
    if (!missing.empty() && !trace.is_program)
        if (const auto provider = provider_found(host, facts, trace.path, process);
            provider && !provider->preloads.empty())
            return start_as_extension(host, system, options, trace, *provider, object);
    std::vector<PackagePreload> preloads = package_preloads(host, facts, trace.path, options.site_packages);
    const std::vector<std::string> opened = names_opened(facts, options, trace.path);
    preloads = needs_fallbacks(preloads, process, opened, object) ? fallbacks_first(std::move(preloads))
                                                                  : without_fallbacks(std::move(preloads));
    return start_with(host, facts, system, options, trace, preloads, opened, std::move(process), object);
}

}  // namespace ptxguard
