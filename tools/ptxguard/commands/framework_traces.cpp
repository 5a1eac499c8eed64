// Which of a framework's files is traced stands in facts/loading.json. What its metadata requires and nobody
// has installed explains why something is missing.
// SPDX-License-Identifier: Apache-2.0
#include "commands/framework_traces.hpp"

#include <algorithm>
#include <functional>

#include "commands/framework_code.hpp"
#include "expect/filling.hpp"
#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/library_facts.hpp"
#include "load/load.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

// A file without any library in its list was not read: it is cut off, or only its beginning is here.
bool tells_something(const LoadTrace& trace) {
    return trace.trouble.empty() && trace.missing_package.empty() && !trace.libraries.empty();
}

// Of a framework of many small modules all come into one process.
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

std::optional<LoadTrace> first_readable(const Host& host, const Facts& facts, const std::string& host_folder,
                                        const Expectation& framework) {
    LoadOptions options;
    options.host_folder = host_folder;
    if (!framework.site.empty()) options.site_packages = {framework.site};
    // One that needs nothing at all is a part of a file: its search list is missing, too. On Windows no
    // search list stands in a file.
    const auto in_part = [&](const std::string& path) {
        return host.system() == System::linux_ && needed_by(host, path).empty();
    };
    std::vector<std::string> files = files_with(facts, framework, FrameworkFile::traced, host);
    files.erase(std::remove_if(files.begin(), files.end(), in_part), files.end());
    add_companions(host, facts, framework, files, options);
    for (const std::string& path : files) {
        auto trace = trace_file(host, facts, path, options);
        if (trace && tells_something(*trace)) return std::move(*trace);
    }
    return std::nullopt;
}

bool is_nvidias(const Requirement& requirement) {
    return starts_with(requirement.package, "nvidia-") || requirement.package == "cuda-toolkit";
}

// Those that are always required; of a package that leaves them to extras (JAX's plugin, ONNX Runtime) these.
std::vector<Requirement> wanted_packages(const InstalledWheel& wheel, System judged) {
    const char* system = judged == System::windows ? "Windows" : "Linux";
    for (const bool with_extras : {false, true}) {
        std::vector<Requirement> wanted;
        for (const Requirement& requirement : wheel.metadata.requirements) {
            bool applies = requirement.applies(system);
            for (const char* extra : {"with-cuda", "with_cuda", "and-cuda", "cuda", "cudnn"})
                applies = applies || (with_extras && requirement.applies(system, extra));
            if (is_nvidias(requirement) && applies) wanted.push_back(requirement);
        }
        if (!wanted.empty()) return wanted;
    }
    return {};
}

bool lists_what_is_gone(const Host& host, const std::string& site, const std::string& record,
                        const std::vector<std::string>& missing) {
    for (const std::string& name : missing)
        for (std::size_t at = record.find("/" + name + ","); at != std::string::npos;
             at = record.find("/" + name + ",", at + 1)) {
            const std::size_t start = record.rfind('\n', at) + 1;  // npos + 1 = 0
            if (!is_file(host, join_path(site, record.substr(start, at - start) + "/" + name))) return true;
        }
    return false;
}

// Packages of NVIDIA's that pip holds for installed, so that asking for them again changes nothing.
void add_half_removed(const Host& host, const Expectation& framework, LoadTrace& trace) {
    constexpr std::size_t k_most = 16u << 20;
    std::vector<std::string> missing;
    for (const LoadedFile& library : trace.libraries)
        if (!library.taken && !library.undecided && !library.library.empty())
            missing.push_back(file_name(library.name));
    if (missing.empty() || framework.site.empty()) return;
    for (const InstalledWheel& wheel : installed_wheels(host, framework.site, {"nvidia-*"})) {
        const auto record = host.read(join_path(parent_path(wheel.path), "RECORD"), k_most);
        if (record && lists_what_is_gone(host, framework.site, *record, missing))
            trace.half_removed.push_back(canonical_package(wheel.metadata.name) +
                                         "==" + wheel.metadata.version);
    }
}

// 12.5.1.3 fulfils ==12.5.1.3 and ==12.5.1.*
bool begins_as(const Version& version, const Version& pin) {
    for (std::size_t i = 0; i < pin.numbers.size(); ++i)
        if (version.at(i) != pin.at(i)) return false;
    return true;
}

using Wheels = std::vector<InstalledWheel>;

const InstalledWheel* wheel_of(const Wheels& wheels, const std::string& package) {
    for (const InstalledWheel& wheel : wheels)
        if (canonical_package(wheel.metadata.name) == package) return &wheel;
    return nullptr;
}

bool meets_pin(const InstalledWheel& wheel, const Requirement& requirement) {
    const auto version = parse_version(wheel.metadata.version);
    const auto pin = requirement.pinned();
    return !pin || (version && begins_as(*version, *pin));
}

void add_absent_packages(const Host& host, const Expectation& framework, LoadTrace& trace) {
    if (framework.site.empty()) return;
    const auto wheels = installed_wheels(host, framework.site, {part_with_cuda(framework)});
    if (wheels.empty()) return;
    const std::vector<Requirement> wanted = wanted_packages(wheels.front(), host.system());
    std::vector<std::string> names;
    for (const Requirement& requirement : wanted) names.push_back(requirement.package);
    const auto installed = installed_wheels(host, framework.site, names);
    std::size_t fitting = 0;
    for (const Requirement& requirement : wanted) {
        const InstalledWheel* wheel = wheel_of(installed, requirement.package);
        const std::string extras = requirement.extras.empty() ? "" : "[" + requirement.extras + "]";
        if (wheel)
            fitting += meets_pin(*wheel, requirement) ? 1 : 0;
        else
            trace.absent_packages.push_back(requirement.package + extras + requirement.specifier);
    }
    const std::size_t here = wanted.size() - trace.absent_packages.size();
    trace.all_packages_absent = !wanted.empty() && here == 0;
    trace.packages_of_others = here > 0 && here < wanted.size() && fitting * 2 < here;
}

void add_pins(const InstalledWheel& wheel, const char* system, const std::string& extra,
              std::vector<Requirement>& pins) {
    for (const Requirement& requirement : wheel.metadata.requirements)
        if (is_nvidias(requirement) && requirement.pinned() && requirement.applies(system, extra) &&
            (extra.empty() || !requirement.applies(system)))
            pins.push_back(requirement);
}

// What the framework's metadata pins, and what the cuda-toolkit that it pins does.
std::vector<Requirement> pins_of(const Host& host, const Expectation& framework) {
    const char* system = host.system() == System::windows ? "Windows" : "Linux";
    std::vector<Requirement> pins;
    const Wheels own = installed_wheels(host, framework.site, {framework.package});
    if (own.empty()) return pins;
    for (const char* extra : {"", "and-cuda"}) add_pins(own.front(), system, extra, pins);
    const Wheels toolkit = installed_wheels(host, framework.site, {"cuda-toolkit"});
    for (std::size_t i = 0; i < pins.size() && !toolkit.empty(); ++i)
        if (pins[i].package == "cuda-toolkit")
            for (const std::string& extra : split(std::string(pins[i].extras), ", "))
                add_pins(toolkit.front(), system, extra, pins);
    return pins;
}

// Of the libraries that are judged as sets those that are installed exactly as pinned. Nobody asks where all
// are of one release.
void mark_pinned(const Host& host, const Facts& facts, const Expectation& framework, LoadTrace& trace) {
    std::vector<LoadedFile*> members;
    bool differ = false;
    for (LoadedFile& library : trace.libraries) {
        for (const LibrarySet& set : library_sets(facts))
            if (set.id != "cudnn" && library.taken &&
                std::find(set.libraries.begin(), set.libraries.end(), library.library) != set.libraries.end())
                members.push_back(&library);
        if (!members.empty() && library.cuda && members.front()->cuda)
            differ = differ || !same_release(*library.cuda, *members.front()->cuda);
    }
    if (!differ || framework.site.empty()) return;
    const std::vector<Requirement> pins = pins_of(host, framework);
    std::vector<std::string> names;
    for (const Requirement& pin : pins) names.push_back(pin.package);
    const Wheels installed = installed_wheels(host, framework.site, names);
    LibraryFacts libraries(host, facts);
    for (LoadedFile* library : members) {
        const std::string package = canonical_package(libraries.owner(*library->taken).package);
        const InstalledWheel* wheel = wheel_of(installed, package);
        const auto version = wheel ? parse_version(wheel->metadata.version) : std::nullopt;
        for (const Requirement& pin : pins)
            if (version && pin.package == package && begins_as(*version, *pin.pinned()))
                library->pinned = true;
    }
}

// Which major of cuDNN a release of JAX opens the tables of its libraries do not tell, its build does: with
// that one it does not do without.
void settle_cudnn(const Expectation& framework, LoadTrace& trace) {
    for (LoadedFile& library : trace.libraries) {
        if (library.library != "cudnn" || !library.optional || library.taken || !framework.cudnn) continue;
        const std::string wanted = ".so." + std::to_string(framework.cudnn->major());
        if (framework.framework == "JAX" && ends_with(library.name, wanted)) library.optional = false;
    }
}

// A framework whose CUDA part is a plugin starts without CUDA's DLLs; where nobody asked for it that is
// nobody's trouble. On Linux the plugin is what is traced, and the rules tell of it.
bool does_without(const Host& host, const Facts& facts, const Expectation& framework,
                  const LoadTrace& trace) {
    if (framework.required || host.system() != System::windows ||
        !framework_traits(facts, framework.framework).cuda_is_plugin)
        return false;
    return std::any_of(trace.libraries.begin(), trace.libraries.end(),
                       [](const LoadedFile& library) { return !library.taken && !library.optional; });
}

std::optional<LoadTrace> trace_of(const Host& host, const Facts& facts, const std::string& host_folder,
                                  const Expectation& framework) {
    if (!uses_cuda(framework)) return std::nullopt;
    auto trace = first_readable(host, facts, host_folder, framework);
    if (!trace) return trace;
    trace->framework = framework.framework;
    if (does_without(host, facts, framework, *trace)) return std::nullopt;
    add_absent_packages(host, framework, *trace);
    settle_cudnn(framework, *trace);
    add_half_removed(host, framework, *trace);
    mark_pinned(host, facts, framework, *trace);
    return trace;
}

}  // namespace

void trace_frameworks(const Host& host, const Facts& facts, const std::string& host_folder,
                      Scenario& scenario) {
    const std::vector<Expectation>& frameworks = scenario.expectations;
    std::vector<std::optional<LoadTrace>> traces(frameworks.size());
    std::vector<std::function<void()>> tasks;
    for (std::size_t i = 0; i < frameworks.size(); ++i)
        tasks.push_back([&, i] { traces[i] = trace_of(host, facts, host_folder, frameworks[i]); });
    run_together(tasks);
    for (auto& trace : traces)
        if (trace) scenario.traces.push_back(std::move(*trace));
}

}  // namespace ptxguard
