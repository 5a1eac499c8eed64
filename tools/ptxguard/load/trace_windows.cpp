// Follows a file as Windows loads it: its imports, their imports, and what is opened later, each with the
// search order of the call that loads it. The first file of a base name is used by the whole process.
// SPDX-License-Identifier: Apache-2.0
#include "load/load.hpp"

#include <algorithm>
#include <deque>
#include <set>

#include "formats/cli.hpp"
#include "formats/library_text.hpp"
#include "host/paths.hpp"
#include "load/dotnet.hpp"
#include "load/library_facts.hpp"
#include "load/opened_names.hpp"
#include "load/trace_windows_parts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {

namespace {

constexpr std::size_t k_most_libraries = 2000;  // a Windows process has a few hundred
constexpr Limit k_most_dll_requests{200000, "requests for DLLs", "later ones"};
constexpr std::size_t k_itself = static_cast<std::size_t>(-1);  // the checked file, not a row of the trace

// name="..." of each dependentAssembly.
std::vector<std::string> assemblies_of(const std::string& manifest) {
    std::vector<std::string> names;
    for (std::size_t at = manifest.find("<dependentAssembly"); at != std::string::npos;
         at = manifest.find("<dependentAssembly", at + 1)) {
        const std::size_t end = std::min(manifest.find("</dependentAssembly", at), manifest.size());
        const std::size_t name = manifest.find("name=", at);
        if (name == std::string::npos || name + 6 >= end) continue;
        const std::size_t close = manifest.find(manifest[name + 5], name + 6);
        if (close == std::string::npos || close > end) continue;
        names.push_back(manifest.substr(name + 6, close - name - 6));
    }
    return names;
}

using Search = std::shared_ptr<const DllSearch>;
Search shared(DllSearch search) { return std::make_shared<const DllSearch>(std::move(search)); }

class Tracer {
public:
    Tracer(const Host& host, const Facts& facts, const std::string& path, const LoadOptions& options,
           bool with_fallbacks)
        : m_with_fallbacks(with_fallbacks),
          m_host(host),
          m_facts(facts),
          m_options(options),
          m_path(normal_path(path, System::windows)),
          m_libraries(host, facts),
          m_folders(host) {}

    LoadTrace run();
    bool has_fallbacks() const { return m_process.has_fallbacks; }

private:
    void ask_together(const std::vector<std::string>& files, bool optional);
    Search begin(DllSearch first, const std::string& machine);
    void start(const DllImage& image, const std::vector<PeImport>& imports);
    void follow();
    void ask(const std::string& name, const std::string& by, LoadHow how, bool optional, const Search& search,
             const std::vector<std::string>& assemblies = {});
    void take(const DllRequest& request);
    void ask_imports(const std::string& file, const DllImage& image, bool optional, const Search& search);
    void ask_opened(const std::string& file, bool of_nvidia, bool optional,
                    const std::optional<Version>& version);
    void ask_composed();
    void ask_text(const DllImage& image);
    LoadTrace run_managed(const CliFile& cli);
    void read_places();
    std::vector<PeImport> imports_of(const std::string& file, const DllImage& image);

    const bool m_with_fallbacks;
    const Host& m_host;
    const Facts& m_facts;
    const LoadOptions& m_options;
    const std::string m_path;
    LibraryFacts m_libraries;
    DllFolders m_folders;
    DllPlaces m_places;
    DllProcess m_process;
    std::unique_ptr<DllFinder> m_finder;
    Search m_standard;
    bool m_is_managed = false;
    LoadTrace m_trace;
    std::deque<DllRequest> m_requests;
    std::size_t m_asked = 0;
    std::map<std::string, std::size_t> m_loaded;  // lower-case name -> index in the trace
    std::set<std::pair<std::string, const DllSearch*>> m_missing;
};

std::vector<PeImport> Tracer::imports_of(const std::string& file, const DllImage& image) {
    auto imports = read_pe_imports(image.source, image.pe);
    if (imports) return *imports;
    const std::string text = file_name(file) + ": what it needs cannot be read: " + imports.trouble().text();
    if (file == m_path) {
        m_trace.trouble = text;
    } else {
        m_trace.remarks.push_back(text);
    }
    return {};
}

void Tracer::ask(const std::string& name, const std::string& by, LoadHow how, bool optional,
                 const Search& search, const std::vector<std::string>& assemblies) {
    if (name.empty() || m_host.exceeds(k_most_dll_requests, ++m_asked, by)) return;
    std::string full = file_name(normal_path(name, System::windows));
    if (full.find('.') == std::string::npos) full += ".dll";
    m_requests.push_back({full, by, how, optional, search, assemblies});
}

void Tracer::ask_imports(const std::string& file, const DllImage& image, bool optional,
                         const Search& search) {
    std::vector<std::string> assemblies;
    if (const auto manifest = read_pe_manifest(image.source, image.pe)) assemblies = assemblies_of(*manifest);
    for (const std::string& assembly : assemblies)
        m_trace.remarks.push_back(file_name(file) + " names the side-by-side assembly " + assembly);
    for (const PeImport& import : imports_of(file, image)) {
        // A delay-loaded DLL is requested by its bare name at its first call.
        if (import.delayed) {
            ask(import.dll, file, LoadHow::delay_load, true, m_standard, assemblies);
        } else {
            ask(import.dll, file, LoadHow::needed, optional, search, assemblies);
        }
    }
}

void Tracer::ask_opened(const std::string& file, bool of_nvidia, bool optional,
                        const std::optional<Version>& version) {
    if (!m_options.opened_later) return;
    Search beside;
    for (const OpensLater& later : opens_later(m_facts, file_name(file), System::windows, version)) {
        if (later.if_present && !m_folders.find(parent_path(file), later.name)) continue;
        const bool next_to_it = of_nvidia || !library_by_file_name(m_facts, later.name);
        if (next_to_it && !beside) beside = shared(beside_search(file, m_process, m_places));
        ask(later.name, file, LoadHow::dlopen, optional || later.optional, next_to_it ? beside : m_standard);
    }
}

// TensorFlow's library names, from the header in its package.
void Tracer::ask_composed() {
    if (!m_options.opened_later || m_process.site_packages.empty()) return;
    LoadOptions options = m_options;
    options.site_packages = {m_process.site_packages};
    for (const std::string& name : composed_libraries(m_host, m_facts, m_path, options).names)
        ask(name, m_path, LoadHow::dlopen, false, m_standard);
}

// Names that look like NVIDIA's; whether and when the file opens them is not known.
void Tracer::ask_text(const DllImage& image) {
    if (!m_options.opened_later) return;
    for (const std::string& name : dll_names_in_text(image.source, image.pe))
        if (lower(name) != lower(file_name(m_path)) && library_by_file_name(m_facts, name))
            ask(name, m_path, LoadHow::text, true, m_standard);
}

void Tracer::take(const DllRequest& request) {
    const std::string key = lower(request.name);
    const auto known = m_loaded.find(key);
    if (known != m_loaded.end()) {
        if (known->second == k_itself) return;
        LoadedFile& file = m_trace.libraries[known->second];
        file.optional = file.optional && request.optional;
        return;
    }
    if (!m_missing.insert({key, request.search.get()}).second) return;
    DllImage image;
    LoadedFile file = m_finder->find(request, image);
    if (file.taken) {
        m_loaded[key] = m_trace.libraries.size();
        if (file.real_path.empty())
            if (const auto real = m_host.real_path(*file.taken)) file.real_path = *real;
    }
    m_libraries.identify(file);
    m_trace.libraries.push_back(file);
    if (image.machine.empty()) return;
    // .NET loads the file of a [DllImport] by its path.
    const bool by_path = m_is_managed && request.needed_by == m_path;
    ask_imports(*file.taken, image, file.optional,
                by_path ? shared(altered_search(*file.taken, m_process, m_places)) : request.search);
    ask_opened(*file.taken, !file.library.empty(), file.optional, file.version.value);
}

void Tracer::follow() {
    while (!m_requests.empty()) {
        if (m_trace.libraries.size() >= k_most_libraries) {
            m_trace.trouble = "more than " + std::to_string(k_most_libraries) + " libraries";
            return;
        }
        const DllRequest request = m_requests.front();
        m_requests.pop_front();
        take(request);
    }
}

// The process and its places are known.
Search Tracer::begin(DllSearch first, const std::string& machine) {
    m_standard = shared(standard_search(m_process, m_places));
    m_finder.reset(new DllFinder{m_host, m_facts, m_libraries, m_folders, m_places, m_process, machine});
    for (const DllStep& step : first) {
        m_trace.searches_path = m_trace.searches_path || step.rule.step == LoadStep::path;
        m_trace.searched.push_back(step.folder + " (" + step.rule.text + ")");
    }
    m_loaded[lower(file_name(m_path))] = k_itself;
    return shared(std::move(first));
}

void Tracer::start(const DllImage& image, const std::vector<PeImport>& imports) {
    m_process = dll_process(m_folders, m_facts, m_path, imports, m_options, m_with_fallbacks);
    const Search search = begin(first_search(m_path, m_trace.is_program, m_process, m_places), image.machine);
    if (m_process.is_python) m_trace.host = m_process.packaged ? DllHost::store_python : DllHost::python;
    if (!m_process.remark.empty()) m_trace.remarks.push_back(m_process.remark);
    if (m_process.is_python)
        m_trace.remarks.push_back(m_process.python
                                      ? "loaded by Python " +
                                            std::string(m_process.packaged ? "of the Microsoft Store " : "") +
                                            m_process.python->text + " (" + m_process.python_because + ")"
                                      : "loaded by a Python of unknown version: assumed to be 3.8 or newer");
    // The package's own preloads come before its modules.
    std::map<std::string, Search> searches;
    for (const auto& [file, package] : m_process.preloads) {
        Search& search_of = searches[folder_key(parent_path(file))];
        if (!search_of) {
            DllSearch steps = preload_search(file, m_process, m_places);
            const bool by_import = is_absolute(package, System::windows);
            steps.front().rule = by_import ? LoadRule{LoadStep::preload, file_name(package)}
                                           : LoadRule{LoadStep::finder, package};
            search_of = shared(std::move(steps));
        }
        ask(file_name(file), package, LoadHow::preload, true, search_of);
    }
    follow();
    ask_imports(m_path, image, false, search);
    ask_together(m_options.together, false);
    ask_together(m_options.optional, true);
    const Search& opening = m_options.opens_by_python ? search : m_standard;
    for (const std::string& name : m_options.opens) ask(name, m_path, LoadHow::dlopen, false, opening);
    for (const std::string& name : m_options.opens_optional)
        ask(name, m_path, LoadHow::dlopen, true, opening);
}

// More modules of the same package, each loaded by its own path.
void Tracer::ask_together(const std::vector<std::string>& files, bool optional) {
    for (const std::string& file : files) {
        const std::string path = normal_path(file, System::windows);
        const DllImage image = open_image(m_host, path);
        if (image.machine.empty()) continue;
        ask_imports(path, image, optional, shared(first_search(path, false, m_process, m_places)));
    }
}

void Tracer::read_places() {
    m_places = dll_places(m_folders);
    if (m_places.current_is_early)
        m_trace.remarks.push_back(
            "SafeDllSearchMode is 0 in the registry: the current folder is searched before System32");
    if (!m_places.unread_registry.empty())
        m_trace.remarks.push_back(
            "the registry in " + m_places.unread_registry +
            " was not read: SafeDllSearchMode and KnownDLLs are assumed to have their defaults");
}

// An assembly imports only the loader of .NET, or nothing; its code names native DLLs in [DllImport], with or
// without ".dll".
LoadTrace Tracer::run_managed(const CliFile& cli) {
    m_trace.machine = cli.needs_32_bit ? "x86" : "x86_64";
    m_trace.is_program = ends_with(lower(m_path), ".exe");
    m_process = dll_process(m_folders, m_facts, m_path, {}, m_options, m_with_fallbacks);
    if (m_options.host_folder.empty()) {
        const DotnetHost host = host_of_assembly(m_folders, m_path);
        m_process.application_folder = host.folder;
        m_process.application = host.program;
        m_process.remark = host.remark;
    }
    m_is_managed = true;
    m_process.is_python = m_process.packaged = false;
    m_trace.remarks.push_back(
        "managed assembly, run by " + m_process.application +
        (m_process.application_folder.empty() ? std::string() : " in " + m_process.application_folder));
    if (!m_process.remark.empty()) m_trace.remarks.push_back(m_process.remark);
    read_places();
    const Search search = begin(dll_import_search(m_folders, m_path, m_process, m_places), m_trace.machine);
    if (cli.beyond) m_host.add_limit(cli.beyond->trouble(m_path));
    for (const std::string& name : cli.names) {
        const std::string dll = ends_with(lower(name), ".dll") ? name : name + ".dll";
        if (library_by_file_name(m_facts, dll)) ask(dll, m_path, LoadHow::dlopen, false, search);
    }
    follow();
    return m_trace;
}

LoadTrace Tracer::run() {
    m_trace.path = m_path;
    m_trace.origin = Origin::from_file(m_path);
    const DllImage image = open_image(m_host, m_path);
    m_trace.machine = image.machine;
    if (image.machine.empty()) {
        m_trace.trouble = image.trouble;
        return m_trace;
    }
    if (const auto cli = read_cli(image.source, image.pe); cli && cli->only_managed) return run_managed(*cli);
    m_trace.is_program = !image.pe.is_dll && !ends_with(lower(m_path), ".pyd");
    read_places();
    std::vector<PeImport> imports;
    if (auto read = read_pe_imports(image.source, image.pe)) imports = *read;
    start(image, imports);
    follow();
    const bool of_nvidia = library_by_file_name(m_facts, file_name(m_path)).has_value();
    ask_opened(m_path, of_nvidia, false, m_libraries.version(m_path).value);
    ask_composed();
    if (m_requests.empty() && !of_nvidia) ask_text(image);
    follow();
    return m_trace;
}

}  // namespace

LoadTrace trace_windows(const Host& host, const Facts& facts, const std::string& path,
                        const LoadOptions& options) {
    Tracer tracer(host, facts, path, options, false);
    LoadTrace trace = tracer.run();
    const bool lacks = any_of(trace.libraries, [](const LoadedFile& file) {
        return !file.taken && !file.optional && !file.library.empty();
    });
    return lacks && tracer.has_fallbacks() ? Tracer(host, facts, path, options, true).run() : trace;
}

}  // namespace ptxguard
