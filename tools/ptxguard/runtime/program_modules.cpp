// SPDX-License-Identifier: Apache-2.0
#include "runtime/program_modules.hpp"

#include <algorithm>
#include <cstdint>
#include <set>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "load/load.hpp"
#include "load/opened_names.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "runtime/module_kinds.hpp"
#include "runtime/module_needs.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_files_beside{2000, "files beside a program", "later ones"};
constexpr Limit k_most_folders_below{500, "folders below a program", "later ones"};
constexpr std::uint64_t k_most_of_program = 64u << 20;

bool is_library_file(const std::string& name, System system) {
    if (system == System::windows) return ends_with(lower(name), ".dll");
    return ends_with(name, ".so") || name.find(".so.") != std::string::npos;
}

// Its own folder, and those of .NET for this system: "runtimes/win-x64/native".
std::vector<std::string> folders_of(const Host& host, const std::string& folder) {
    std::vector<std::string> folders = {folder};
    const std::string runtimes = join_path(folder, "runtimes");
    const char* system = host.system() == System::windows ? "win" : "linux";
    for (const DirectoryEntry& one : entries_in(host, runtimes))
        if (starts_with(one.name, system))
            folders.push_back(join_path(runtimes, join_path(one.name, "native")));
    return folders;
}

// Others' folders: an environment of Python, packages of Node, .NET's own.
bool is_of_others(const Host& host, const std::string& folder) {
    static const std::set<std::string> k_names{"runtimes", "site-packages", "node_modules", "system32"};
    const std::string name = lower(file_name(folder));
    if (starts_with(name, ".") || k_names.count(name) != 0) return true;
    for (const char* mark : {"pyvenv.cfg", "python.exe", "bin/python3", "conda-meta"})
        if (host.status(join_path(folder, mark)).type != FileType::missing) return true;
    return false;
}

// Those below its own, nearest first: a program names such a file by its path.
std::vector<std::string> folders_below(const Host& host, const std::string& program_folder) {
    constexpr int k_deepest = 4;
    std::vector<std::string> folders;
    if (is_of_others(host, program_folder)) return folders;
    std::vector<std::string> level{program_folder};
    for (int depth = 0; depth < k_deepest && !level.empty(); ++depth) {
        std::vector<std::string> next;
        for (const std::string& folder : level)
            for (const DirectoryEntry& one : entries_in(host, folder)) {
                const std::string path = join_path(folder, one.name);
                if (one.type != FileType::directory || is_of_others(host, path)) continue;
                if (host.exceeds(k_most_folders_below, folders.size() + 1, program_folder)) return folders;
                folders.push_back(path);
                next.push_back(path);
            }
        level = std::move(next);
    }
    return folders;
}

// The files of the process without those that only a file needs that is opened later: that one lacks its
// libraries itself, unless it is NVIDIA's.
std::set<std::string> loaded_with(const LoadTrace& trace) {
    std::set<std::string> files{trace.path};
    for (const LoadedFile& file : trace.shown())
        if (file.taken && files.count(file.needed_by) != 0 &&
            (!file.library.empty() || file.how == LoadHow::needed))
            files.insert(*file.taken);
    return files;
}

void add_libraries(const LoadTrace& trace, NativeModule& module) {
    const std::set<std::string> files = loaded_with(trace);
    for (const LoadedFile& library : trace.libraries) {
        if (!is_needed_to_compute(library.library) || library.how == LoadHow::text ||
            files.count(library.needed_by) == 0)
            continue;
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
    options.all_libraries = true;
    const auto trace = trace_file(host, facts, path, options);
    if (!trace) return module;
    add_libraries(*trace, module);
    add_opened(host, facts, module);
    if (!scenario.drivers.empty()) add_runtime(facts, *trace, module);
    if (!scenario.gpus.empty() && holds_device_code(host, path)) set_code(host, facts, {path}, module);
    return module;
}

namespace {

// The names of files in a program's text, in its own letters or in UTF-16.
class ProgramText {
public:
    ProgramText(const Host& host, const std::string& program) {
        const auto source = is_file(host, program) ? host.open(program) : Result<Source>(Trouble{});
        if (source) m_bytes = read_bytes(*source, 0, std::min(source->size, k_most_of_program));
    }
    bool names(const std::string& file) const {
        std::string wide;
        for (const char c : file) wide += {c, '\0'};
        return m_bytes.find(file) != std::string::npos || m_bytes.find(wide) != std::string::npos;
    }

private:
    std::string m_bytes;
};

class ProgramCheck {
public:
    ProgramCheck(const Host& host, const Facts& facts, const std::string& program, const Scenario& scenario)
        : m_host(host), m_facts(facts), m_program(program), m_scenario(scenario) {}

    std::vector<NativeModule> run() {
        const std::string own = is_file(m_host, m_program) ? parent_path(m_program) : m_program;
        for (const std::string& folder : folders_of(m_host, own)) add(folder, true);
        const std::set<std::string> beside = m_names;
        const std::vector<std::string> below = folders_below(m_host, own);
        const ProgramText text(m_host, below.empty() ? "" : m_program);
        for (const std::string& folder : below) add_below(folder, text, beside);
        keep_variants_that_load(m_found);
        return std::move(m_found);
    }

private:
    // Named by the program: as good as beside it. Otherwise it may never be loaded.
    void add_below(const std::string& folder, const ProgramText& text, const std::set<std::string>& beside) {
        const Entries entries = entries_in(m_host, folder);
        const bool named = any_of(entries, [&](const DirectoryEntry& one) {
            return is_library_file(one.name, m_host.system()) && text.names(one.name);
        });
        m_left_out = &beside;
        add(folder, named);
    }

    void add(const std::string& folder, bool essential) {
        for (const DirectoryEntry& one : entries_in(m_host, folder)) {
            if (!is_library_file(one.name, m_host.system()) || library_by_file_name(m_facts, one.name) ||
                one.name.find("tensorrt") != std::string::npos ||
                (m_left_out && m_left_out->count(one.name) != 0))
                continue;
            if (m_host.exceeds(k_most_files_beside, ++m_files, folder)) return;
            NativeModule module =
                named_library(m_host, m_facts, join_path(folder, one.name), m_program, m_scenario);
            module.of_program = true;
            module.essential = essential;
            m_names.insert(one.name);
            if (module.uses_cuda()) m_found.push_back(std::move(module));
        }
    }

    const Host& m_host;
    const Facts& m_facts;
    const std::string& m_program;
    const Scenario& m_scenario;
    std::size_t m_files = 0;
    std::set<std::string> m_names;                      // of the libraries so far
    const std::set<std::string>* m_left_out = nullptr;  // below: those beside the program
    std::vector<NativeModule> m_found;
};

}  // namespace

void keep_variants_that_load(std::vector<NativeModule>& modules) {
    std::set<std::string> whole;
    for (const NativeModule& module : modules)
        if (module.missing.empty()) whole.insert(lower(file_of(module.path)));
    erase_if(modules, [&](const NativeModule& module) {
        return !module.missing.empty() && whole.count(lower(file_of(module.path))) != 0;
    });
}

std::vector<NativeModule> modules_of_program(const Host& host, const Facts& facts, const std::string& program,
                                             const Scenario& scenario) {
    return ProgramCheck(host, facts, program, scenario).run();
}

}  // namespace ptxguard
