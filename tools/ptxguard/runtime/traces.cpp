// facts/loading.json lists which of a framework's files is traced.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/traces.hpp"

#include <algorithm>
#include <functional>

#include "expect/filling.hpp"
#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "load/elsewhere.hpp"
#include "load/load.hpp"
#include "model/ranges.hpp"
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
    std::string host_folder;  // of a program that hosts Python
    std::string program_folder;
    std::vector<std::string> sites;  // folders that this Python imports from
};

std::optional<LoadTrace> first_readable(const Host& host, const Facts& facts, const Loading& loading,
                                        const Expectation& framework) {
    LoadOptions options;
    options.host_folder = loading.host_folder;
    options.program_folder = loading.program_folder;
    options.count_nvidias = true;
    if (!framework.site.empty()) options.site_packages = {framework.site};
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
    if (host.system() == System::linux_) find_elsewhere(host, facts, framework.site, *trace, others);
    return trace;
}

}  // namespace

void read_frameworks(const Host& host, const Facts& facts, const std::string& host_folder,
                     const std::vector<PackageFiles>& files, Scenario& scenario) {
    std::vector<Expectation>& frameworks = scenario.expectations;
    std::vector<std::optional<LoadTrace>> traces(frameworks.size());
    Loading loading{host_folder, folder_of_interpreter(host, scenario.python), {}};
    for (const SitePlace& place : scenario.python.places) loading.sites.push_back(place.folder);
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

}  // namespace ptxguard
