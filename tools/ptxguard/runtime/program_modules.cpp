// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_modules.hpp"

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/load.hpp"
#include "load/opened_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "runtime/module_kinds.hpp"
#include "runtime/module_needs.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_files_beside{2000, "files beside a program", "later ones"};

bool is_library_file(const std::string& name, System system) {
    if (system == System::windows) return ends_with(lower(name), ".dll");
    return ends_with(name, ".so") || name.find(".so.") != std::string::npos;
}

// Its own folder, and those of .NET for this system: "runtimes/win-x64/native".
std::vector<std::string> folders_of(const Host& host, const std::string& program) {
    const std::string folder = is_file(host, program) ? parent_path(program) : program;
    std::vector<std::string> folders = {folder};
    const std::string runtimes = join_path(folder, "runtimes");
    const char* system = host.system() == System::windows ? "win" : "linux";
    for (const DirectoryEntry& one : entries_in(host, runtimes))
        if (starts_with(one.name, system))
            folders.push_back(join_path(runtimes, join_path(one.name, "native")));
    return folders;
}

void add_libraries(const LoadTrace& trace, NativeModule& module) {
    for (const LoadedFile& library : trace.libraries) {
        if (!is_needed_to_compute(library.library) || library.how == LoadHow::text) continue;
        if (library.taken) ++module.found;
        const auto is_it = [&](const LoadedFile& other) { return lower(other.name) == lower(library.name); };
        if (library.taken || library.undecided || library.optional || has_other_release(trace, library) ||
            any_of(module.missing, is_it))
            continue;
        module.missing.push_back(library);
    }
}

// Names in the constants of a file that calls dlopen.
void add_opened(const Host& host, const Facts& facts, NativeModule& module) {
    if (host.system() != System::linux_ || !module.missing.empty()) return;
    const auto opened = opened_libraries(host, facts, {{module.path, parent_path(module.path), 0}}, {});
    module.found += opened.front().found;
    module.missing = opened.front().missing;
}

void add_runtime(const Facts& facts, const LoadTrace& trace, NativeModule& module) {
    std::vector<std::string> needed;
    for (const LoadedFile& library : trace.libraries)
        if (library.how == LoadHow::needed && library.needed_by == module.path)
            needed.push_back(file_name(library.name));
    module.cuda = runtime_needed(facts, module.path, {needed});
}

}  // namespace

NativeModule named_library(const Host& host, const Facts& facts, const std::string& path,
                           const std::string& program, const Scenario& scenario) {
    NativeModule module;
    module.path = path;
    module.named = true;
    module.essential = true;
    LoadOptions options;
    options.host_folder = program;
    options.site_packages = scenario.python.sites();
    const auto trace = trace_file(host, facts, path, options);
    if (!trace) return module;
    add_libraries(*trace, module);
    add_opened(host, facts, module);
    if (!scenario.drivers.empty()) add_runtime(facts, *trace, module);
    if (!scenario.gpus.empty() && holds_device_code(host, path)) set_code(host, facts, {path}, module);
    return module;
}

std::vector<NativeModule> modules_of_program(const Host& host, const Facts& facts, const std::string& program,
                                             const Scenario& scenario) {
    std::vector<NativeModule> found;
    std::size_t files = 0;
    for (const std::string& folder : folders_of(host, program))
        for (const DirectoryEntry& one : entries_in(host, folder)) {
            if (!is_library_file(one.name, host.system()) || library_by_file_name(facts, one.name) ||
                one.name.find("tensorrt") != std::string::npos)
                continue;
            if (host.exceeds(k_most_files_beside, ++files, folder)) return found;
            NativeModule module = named_library(host, facts, join_path(folder, one.name), program, scenario);
            module.of_program = true;
            if (module.found > 0 || !module.missing.empty() || module.archs)
                found.push_back(std::move(module));
        }
    return found;
}

}  // namespace ptxguard
