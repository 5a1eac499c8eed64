// facts/loading.json lists which of a framework's files is traced.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/traces.hpp"

#include <algorithm>
#include <functional>

#include "expect/filling.hpp"
#include "expect/pins.hpp"
#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "facts/package_names.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/elsewhere.hpp"
#include "load/library_facts.hpp"
#include "load/load.hpp"
#include "load/module_symbols.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"
#include "runtime/code.hpp"

namespace ptxguard {
namespace {

// A file without any library in its list was not read: it is truncated, or only its beginning is here.
bool was_read(const LoadTrace& trace) {
    return trace.trouble.empty() && trace.missing_package.empty() && !trace.libraries.empty();
}

// If a framework has many small modules, all of them are loaded into one process.
void add_companions(const Host& host, const Facts& facts, const Expectation& framework,
                    const std::vector<std::string>& files, LoadOptions& options) {
    const auto& version = framework.build_package.empty() ? framework.version : framework.build_version;
    const FrameworkLoading loading =
        framework_loading(facts, part_with_cuda(framework), host.system(), version.value);
    const int major = framework.cuda ? framework.cuda->major() : 0;
    for (const auto& [of, names] : loading.opens)
        if (of == major) options.opens = names;
    for (const auto& [of, names] : loading.opens_optional)
        if (of == major) options.opens_optional = names;
    options.opens_by_python = loading.opens_by_python;
    if (!loading.together || files.empty()) return;
    options.together.assign(files.begin() + 1, files.end());
    options.optional = existing_files(host, framework, loading.optional);
}

// Which program loads it.
struct Loading {
    std::string host_folder;  // of a program that hosts Python, or that program
    std::string program_folder;
    std::vector<std::string> sites;  // folders that this Python imports from
};

std::optional<LoadTrace> first_readable(const Host& host, const Facts& facts, const Loading& loading,
                                        const Expectation& framework) {
    LoadOptions options;
    options.host_folder = loading.host_folder;
    options.program_folder = loading.program_folder;
    options.count_nvidias = true;
    if (contains(loading.sites, framework.site))
        options.site_packages = loading.sites;
    else if (!framework.site.empty())
        options.site_packages = {framework.site};
    options.built_with_cuda = framework.cuda.value;
    options.built_with_cudnn = framework.cudnn.value;
    // A file without dependencies is incomplete, so its search list is missing too. On Windows files contain
    // no search list.
    const auto in_part = [&](const std::string& path) {
        return host.system() == System::linux_ && needed_by(host, path).empty();
    };
    std::vector<std::string> files = files_with(facts, framework, FrameworkFile::traced, host);
    erase_if(files, in_part);
    add_companions(host, facts, framework, files, options);
    for (const std::string& path : files) {
        auto trace = trace_file(host, facts, path, options);
        if (trace && was_read(*trace)) return std::move(*trace);
    }
    return std::nullopt;
}

// The libraries do not contain the cuDNN major that a release opens, but its build determines it: the release
// cannot run without that major.
void settle_cudnn(const Facts& facts, const Expectation& framework, LoadTrace& trace) {
    if (!framework.cudnn || !framework_traits(facts, framework.framework).cudnn_of_build) return;
    const std::string wanted = ".so." + std::to_string(framework.cudnn->major());
    for (LoadedFile& library : trace.libraries)
        if (library.library == "cudnn" && !library.taken && ends_with(library.name, wanted))
            library.optional = false;
}

// One of the framework's own libraries that the loader refuses: a truncated download, a Git LFS pointer.
std::optional<LoadedFile> damaged_library(const Host& host, const Facts& facts,
                                          const Expectation& framework) {
    if (host.system() != System::linux_) return std::nullopt;
    std::vector<std::string> files = files_with(facts, framework, FrameworkFile::traced, host);
    for (std::size_t i = 0; i < files.size(); ++i) {
        const std::string path = files[i];
        const std::string why = why_not_loaded(host, path);
        if (why.empty()) {
            for (const std::string& name : needed_by(host, path)) {
                const std::string beside = join_path(parent_path(path), name);
                const bool known = contains(files, beside);
                if (!known && is_file(host, beside)) files.push_back(beside);
            }
            continue;
        }
        LoadedFile library;
        library.name = file_name(path);
        library.needed_by = framework.path;
        library.because = path + ": " + why;
        library.losers = {{path, {}, LoadLost::unreadable, why, {}}};
        return library;
    }
    return std::nullopt;
}

std::optional<LoadTrace> trace_of(const Host& host, const Facts& facts, const Loading& loading,
                                  const std::vector<PackageFiles>& files, const Expectation& framework) {
    if (!uses_cuda(framework)) return std::nullopt;
    auto trace = first_readable(host, facts, loading, framework);
    if (auto library = damaged_library(host, facts, framework)) {
        if (!trace) trace.emplace();
        if (trace->path.empty()) trace->path = library->losers.front().path;
        trace->libraries.insert(trace->libraries.begin(), std::move(*library));
    }
    if (!trace) return trace;
    trace->traced_for.emplace();
    trace->traced_for->framework = framework.framework;
    trace->traced_for->framework_folder = framework.path;
    settle_cudnn(facts, framework, *trace);
    std::vector<std::string> others = loading.sites;
    others.erase(std::remove(others.begin(), others.end(), framework.site), others.end());
    compare_with_packages(host, facts, framework, files, *trace, others);
    if (host.system() == System::linux_)
        find_elsewhere(host, facts, framework.site, *trace, others);
    else
        find_other_dlls(host, facts, loading.sites, *trace);
    return trace;
}

// On Linux the interpreter's own search list counts: conda's has a DT_RPATH, which applies to all that it
// loads.
std::string program_of(const Host& host, const std::string& named, const PythonEnvironment& python) {
    if (!named.empty() || host.system() != System::linux_) return named;
    const std::string program = interpreter_of(host, python);
    return module_head(host, program).read ? program : std::string();
}

}  // namespace

void read_frameworks(const Host& host, const Facts& facts, const std::string& host_folder,
                     const std::vector<PackageFiles>& files, Scenario& scenario) {
    std::vector<Expectation>& frameworks = scenario.expectations;
    std::vector<std::optional<LoadTrace>> traces(frameworks.size());
    Loading loading{program_of(host, host_folder, scenario.python),
                    folder_of_interpreter(host, scenario.python), scenario.python.sites()};
    std::vector<std::function<void()>> tasks;
    for (std::size_t i = 0; i < frameworks.size(); ++i)
        tasks.push_back([&, i] {
            read_code(host, facts, frameworks[i]);
            traces[i] = trace_of(host, facts, loading, files, frameworks[i]);
        });
    run_together(tasks);
    const auto loads_cuda = [](const std::optional<LoadTrace>& trace) {
        return trace && any_of(trace->libraries,
                               [](const LoadedFile& file) { return file.taken && file.cuda_major != 0; });
    };
    // NVIDIA's packages are another framework's only if there is one.
    for (std::size_t i = 0; i < traces.size(); ++i) {
        if (!traces[i] || !traces[i]->traced_for->packages_of_others) continue;
        bool any = false;
        for (std::size_t other = 0; other < traces.size(); ++other)
            any = any || (other != i && loads_cuda(traces[other]));
        traces[i]->traced_for->packages_of_others = any;
    }
    for (auto& trace : traces)
        if (trace) scenario.traces.push_back(std::move(*trace));
}

namespace {

bool is_nvidias(const WheelRequirement& requirement) { return !nvidia_component(requirement.name).empty(); }

// The packages that are always required; if a package only has them in extras (JAX's plugin, ONNX Runtime),
// those.
std::vector<WheelRequirement> wanted_packages(const InstalledWheel& wheel, System system) {
    for (const bool with_extras : {false, true}) {
        std::vector<WheelRequirement> wanted;
        for (const WheelRequirement& requirement : wheel.metadata.requirements) {
            bool applies = requirement.applies(system);
            for (const char* extra : {"with-cuda", "with_cuda", "and-cuda", "cuda", "cudnn"})
                applies = applies || (with_extras && requirement.applies(system, extra));
            if (is_nvidias(requirement) && applies) wanted.push_back(requirement);
        }
        if (!wanted.empty()) return wanted;
    }
    return {};
}

// Missing, or not of the recorded size: truncated, or overwritten.
bool is_gone(const Host& host, const std::string& path, const std::string& size) {
    const FileStatus status = host.status(path);
    return status.type != FileType::regular || (!size.empty() && size != std::to_string(status.size));
}

// A record of the environment has been read already, others are read here.
bool lists_what_is_gone(const Host& host, const std::string& site, const InstalledWheel& wheel,
                        const std::vector<std::string>& missing,
                        const std::vector<PackageFiles>& environment) {
    for (const PackageFiles& package : environment) {
        if (package.record != parent_path(wheel.path)) continue;
        for (std::size_t i = 0; i < package.modules.size(); ++i) {
            const std::string& path = package.modules[i];
            const std::string size = package.sizes[i] == 0 ? "" : std::to_string(package.sizes[i]);
            if (contains(missing, file_name(path)) && is_gone(host, path, size)) return true;
        }
        return false;
    }
    const std::vector<RecordedFile> files = recorded_files(host, wheel, missing);
    return any_of(files, [&](const RecordedFile& file) {
        return is_gone(host, join_path(site, file.path), file.size);
    });
}

// Packages that pip considers installed, so that installing them again changes nothing: NVIDIA's, and the
// framework's own.
void add_half_removed(const Host& host, const Expectation& framework, const std::vector<PackageFiles>& files,
                      LoadTrace& trace) {
    std::vector<std::string> missing;
    for (const LoadedFile& library : trace.libraries)
        if (!library.taken && !library.undecided && (!library.library.empty() || !library.losers.empty()))
            missing.push_back(file_name(library.name));
    if (missing.empty() || framework.site.empty()) return;
    for (const InstalledWheel& wheel :
         installed_wheels(host, framework.site, {"nvidia-*", part_with_cuda(framework)}))
        if (lists_what_is_gone(host, framework.site, wheel, missing, files))
            trace.traced_for->half_removed.push_back(canonical_package(wheel.metadata.name) +
                                                     "==" + wheel.metadata.version);
}

using Wheels = std::vector<InstalledWheel>;

const InstalledWheel* wheel_of(const Wheels& wheels, const std::string& package) {
    for (const InstalledWheel& wheel : wheels)
        if (canonical_package(wheel.metadata.name) == package) return &wheel;
    return nullptr;
}

bool meets_pin(const InstalledWheel& wheel, const WheelRequirement& requirement) {
    const auto version = parse_version(wheel.metadata.version);
    const auto pin = requirement.pinned();
    return !pin || (version && begins_as(*version, *pin));
}

// cuda-toolkit[cublas,cudart] has no files of its own: where it is installed, its extras are what is wanted.
void resolve_extras(const Host& host, const std::string& site, std::vector<WheelRequirement>& wanted) {
    std::vector<WheelRequirement> resolved;
    for (const WheelRequirement& requirement : wanted) {
        const auto installed =
            requirement.extras.empty() ? Wheels{} : installed_wheels(host, site, {requirement.name});
        const std::size_t before = resolved.size();
        if (!installed.empty())
            for (const std::string& extra : requirement.extras)
                add_pins(installed.front(), host.system(), extra, resolved);
        if (resolved.size() == before) resolved.push_back(requirement);
    }
    wanted = std::move(resolved);
}

// ONNX Runtime's extra names nvidia-cufft-cu13, of which PyPI has a placeholder: its files are in
// nvidia-cufft.
void name_what_has_files(const Facts& facts, std::vector<WheelRequirement>& wanted) {
    for (WheelRequirement& requirement : wanted) {
        const auto fault = name_fault(facts, requirement.name);
        const bool is_placeholder = fault && fault->fault == NameFault::placeholder && !fault->from;
        // "nvidia-cudnn-cu12 or nvidia-cudnn-cu13" is no name.
        if (is_placeholder && fault->instead.find(' ') == std::string::npos)
            requirement.name = fault->instead;
    }
}

void add_absent_packages(const Host& host, const Facts& facts, const Expectation& framework,
                         const std::vector<std::string>& other_sites, LoadTrace& trace) {
    if (framework.site.empty()) return;
    const auto wheels = installed_wheels(host, framework.site, {part_with_cuda(framework)});
    if (wheels.empty()) return;
    std::vector<WheelRequirement> wanted = wanted_packages(wheels.front(), host.system());
    resolve_extras(host, framework.site, wanted);
    name_what_has_files(facts, wanted);
    std::vector<std::string> names;
    for (const WheelRequirement& requirement : wanted) names.push_back(requirement.name);
    Wheels installed = installed_wheels(host, framework.site, names);
    for (const std::string& site : other_sites)
        for (InstalledWheel& wheel : installed_wheels(host, site, names))
            installed.push_back(std::move(wheel));
    std::size_t fitting = 0;
    for (const WheelRequirement& requirement : wanted) {
        const InstalledWheel* wheel = wheel_of(installed, requirement.name);
        const std::string extras =
            requirement.extras.empty() ? "" : "[" + joined(requirement.extras, ",") + "]";
        if (wheel)
            fitting += meets_pin(*wheel, requirement) ? 1 : 0;
        else
            trace.traced_for->absent_packages.push_back(requirement.name + extras + requirement.specifier);
    }
    const std::size_t here = wanted.size() - trace.traced_for->absent_packages.size();
    trace.traced_for->all_packages_absent = !wanted.empty() && here == 0;
    trace.traced_for->packages_of_others = here > 0 && here < wanted.size() && fitting * 2 < here;
}

// Libraries of sets, and whether one is of another release.
bool members_differ(const Facts& facts, LoadTrace& trace, std::vector<LoadedFile*>& members) {
    bool differ = false;
    for (LoadedFile& library : trace.libraries) {
        for (const LibrarySet& set : library_sets(facts))
            if (set.id != "cudnn" && library.taken && contains(set.libraries, library.library))
                members.push_back(&library);
        if (!members.empty() && library.cuda && members.front()->cuda)
            differ = differ || !same_release(*library.cuda, *members.front()->cuda);
    }
    return differ;
}

// Of the libraries that are checked as sets, those that are installed exactly as pinned. Not needed if all
// are of one release.
void mark_pinned(const Host& host, const Facts& facts, const Expectation& framework, LoadTrace& trace) {
    std::vector<LoadedFile*> members;
    if (!members_differ(facts, trace, members) || framework.site.empty()) return;
    const std::vector<WheelRequirement> pins =
        pins_of(host, framework.site, framework.package, {"", "and-cuda"});
    LibraryFacts libraries(host, facts);
    for (LoadedFile* library : members) {
        // A variable may make it load the library of another environment.
        const PackageOwner owner = libraries.owner(*library->taken);
        const std::string package = canonical_package(owner.package);
        for (const WheelRequirement& pin : pins)
            if (owner.version && pin.name == package && begins_as(*owner.version, *pin.pinned()))
                library->pinned = true;
    }
}

// Half an update, or a file that was copied over: its record is of another release than the file itself.
void compare_with_records(const Host& host, const Facts& facts, LoadTrace& trace) {
    LibraryFacts libraries(host, facts);
    for (LoadedFile& library : trace.libraries) {
        if (!library.taken || !library.version || library.stub || library.library.empty()) continue;
        const PackageOwner owner = libraries.owner(*library.taken);
        if (owner.lister.empty() || !owner.lists || same_release(*owner.lists, *library.version)) continue;
        library.recorder = canonical_package(owner.lister);
        library.recorded = owner.lists;
    }
}

}  // namespace

void compare_with_packages(const Host& host, const Facts& facts, const Expectation& framework,
                           const std::vector<PackageFiles>& files, LoadTrace& trace,
                           const std::vector<std::string>& other_sites) {
    add_absent_packages(host, facts, framework, other_sites, trace);
    add_half_removed(host, framework, files, trace);
    mark_pinned(host, facts, framework, trace);
    compare_with_records(host, facts, trace);
}

}  // namespace ptxguard
