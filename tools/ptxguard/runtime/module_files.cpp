// SPDX-License-Identifier: Apache-2.0
#include "runtime/module_files.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "expect/expect.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "host/together.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/conda.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_record_limit = 16u << 20;
constexpr Limit k_most_folders{4096, "folders of one package", "later ones"};
constexpr Limit k_most_levels{8, "folders in folders of a package", "deeper ones"};

// The content of one record.
struct Record {
    PackageFiles files;
    std::set<std::string> top_level;  // first parts of all paths
};

// A file that a process loads: of Linux "libx.so.2", of Windows "x.dll" and Python's "x.pyd".
bool is_module_file(std::string_view name, System system) {
    if (system == System::linux_) return is_shared_library(name);
    const std::string end = lower(name.size() < 4 ? name : name.substr(name.size() - 4));
    return end == ".dll" || end == ".pyd";
}

std::string_view first_part(std::string_view path) { return path.substr(0, path.find('/')); }

// "torch/lib/libc10.so,sha256=...,1234" -> 1234
std::uint64_t number_at_end(std::string_view line) {
    std::uint64_t number = 0;
    for (const char c : line.substr(line.rfind(',') + 1)) {
        if (c < '0' || c > '9') break;
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return number;
}

// The text before `end`, or all of it. A record has thousands of lines, and memchr compares 32 letters at a
// time.
std::string_view up_to(std::string_view text, char end) {
    const void* at = text.empty() ? nullptr : std::memchr(text.data(), end, text.size());
    return at ? text.substr(0, static_cast<std::size_t>(static_cast<const char*>(at) - text.data())) : text;
}

// Lines of a package's folder follow each other.
bool is_below(std::string_view path, const std::string& top) {
    return !top.empty() && path.size() > top.size() && path[top.size()] == '/' &&
           std::memcmp(path.data(), top.data(), top.size()) == 0;
}

// By its last letter, whether a path may be one of "__init__.py", "x.ptx", "x.fatbin" and a module: most are
// not.
bool may_matter(char last, System system) {
    const bool of_module = system == System::windows
                               ? last == 'l' || last == 'd' || last == 'L' || last == 'D'
                               : last == 'o' || last == '.' || is_digit(last);
    return of_module || last == 'y' || last == 'x' || last == 'n';
}

// "torch/lib/libc10.so,sha256=...,1234"
void read_line(std::string_view line, System system, Record& record, std::string& last_top) {
    const std::string_view path = up_to(line, ',');
    if (!is_below(path, last_top)) {
        last_top = std::string(first_part(path));
        record.top_level.insert(last_top);
    }
    if (path.empty() || !may_matter(path.back(), system)) return;
    constexpr std::string_view init = "/__init__.py";
    if (path.size() == last_top.size() + init.size() && ends_with(path, init))
        record.files.top_level.push_back(last_top);
    if (path.back() == 'y' || starts_with(path, "..")) return;
    const bool is_used = path.find("/tests/") == std::string_view::npos;
    if (is_used && ends_with(path, ".ptx")) record.files.ptx.push_back(join_path(record.files.site, path));
    if (is_used && ends_with(path, ".fatbin"))
        record.files.fatbins.push_back(join_path(record.files.site, path));
    if (!is_module_file(path.substr(path.rfind('/') + 1), system)) return;
    record.files.modules.push_back(join_path(record.files.site, path));
    record.files.sizes.push_back(number_at_end(line));
}

void read_record(const Host& host, Record& record) {
    auto read = host.read(join_path(record.files.record, "RECORD"), k_record_limit);
    if (!read) return;
    const std::string text = plain_record(std::move(*read));
    std::string last_top;
    for (std::string_view rest = text; !rest.empty();) {
        const std::string_view line = up_to(rest, '\n');
        read_line(line, host.system(), record, last_top);
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
}

class Walk {
public:
    Walk(const Host& host, PackageFiles& files) : m_host(host), m_files(files) {}

    void folder(const std::string& path, std::size_t level) {
        if (m_host.exceeds(k_most_levels, level, path) || m_host.exceeds(k_most_folders, ++m_folders, path))
            return;
        for (const DirectoryEntry& entry : entries_in(m_host, path)) {
            if (starts_with(entry.name, ".") || entry.name == "__pycache__") continue;
            if (entry.type == FileType::directory) folder(join_path(path, entry.name), level + 1);
            if (entry.type == FileType::regular && is_module_file(entry.name, m_host.system()))
                m_files.modules.push_back(join_path(path, entry.name));
        }
    }

private:
    const Host& m_host;
    PackageFiles& m_files;
    std::size_t m_folders = 0;
};

// Each top-level folder or module that no record lists is a separate package.
void add_unlisted(const Host& host, const std::string& site, const std::set<std::string>& listed,
                  std::vector<PackageFiles>& found) {
    for (const DirectoryEntry& entry : entries_in(host, site)) {
        const std::string& name = entry.name;
        if (starts_with(name, ".") || listed.count(name) || !package_of_record(name).empty()) continue;
        PackageFiles files;
        files.site = site;
        const std::string path = join_path(site, name);
        if (entry.type == FileType::regular && is_module_file(name, host.system()))
            files.modules.push_back(path);
        // A folder that is not a package contains other things: a source tree, an environment.
        if (entry.type == FileType::directory && is_file(host, join_path(path, "__init__.py"))) {
            files.top_level = {name};
            Walk(host, files).folder(path, 0);
        }
        if (!files.modules.empty()) found.push_back(std::move(files));
    }
}

// conda's packages of NVIDIA's libraries, and what a package that uses them depends on.
bool is_condas_cuda(std::string_view package) {
    for (const char* start :
         {"cuda-", "libcu", "libnv", "libnpp", "cudnn", "nccl", "cudatoolkit", "cutensor"})
        if (starts_with(package, start)) return true;
    return false;
}

// The libraries of OpenMM, MAGMA ...: no record of Python lists them.
void add_conda_packages(const Host& host, const std::string& prefix, std::vector<PackageFiles>& found) {
    const std::vector<CondaRecord> records = conda_records(host, prefix);
    std::vector<PackageFiles> read(records.size());
    run_for_each(records.size(), [&](std::size_t i) {
        if (is_condas_cuda(records[i].package)) return;
        const auto package = read_conda_package(host, records[i].path);
        if (!package || none_of(package->depends, is_condas_cuda)) return;
        read[i].package = package->name;
        read[i].site = prefix;
        read[i].of_prefix = true;
        for (const std::string& file : package->files)
            if (starts_with(file, "lib/") && file.find("/site-packages/") == std::string::npos &&
                is_shared_library(file_of(file)))
                read[i].modules.push_back(join_path(prefix, file));
    });
    for (PackageFiles& one : read)
        if (!one.modules.empty()) found.push_back(std::move(one));
}

}  // namespace

std::vector<PackageFiles> module_files(const Host& host, const PythonEnvironment& python) {
    std::vector<Record> records;
    for (const SitePlace& place : python.places) {
        for (const DirectoryEntry& entry : entries_in(host, place.folder)) {
            const std::string package = package_of_record(entry.name);
            if (package.empty() || entry.type != FileType::directory) continue;
            records.push_back(
                {{join_path(place.folder, entry.name), package, place.folder, {}, {}, {}, {}, {}}, {}});
        }
    }
    run_for_each(records.size(), [&](std::size_t i) { read_record(host, records[i]); });
    std::vector<PackageFiles> found;
    for (const SitePlace& place : python.places) {
        std::set<std::string> listed;
        for (const Record& record : records)
            if (record.files.site == place.folder)
                listed.insert(record.top_level.begin(), record.top_level.end());
        add_unlisted(host, place.folder, listed, found);
    }
    for (Record& record : records)
        if (!record.files.modules.empty() || !record.files.ptx.empty())
            found.push_back(std::move(record.files));
    if (host.system() == System::windows) return found;
    std::set<std::string> prefixes;
    for (const SitePlace& place : python.places)
        if (const std::string prefix = prefix_of_site(place.folder); !prefix.empty()) prefixes.insert(prefix);
    for (const std::string& prefix : prefixes) add_conda_packages(host, prefix, found);
    return found;
}

OverwrittenFiles::OverwrittenFiles(const Host& host, const std::vector<PackageFiles>& packages,
                                   std::size_t listed) {
    std::map<std::string, std::size_t> listed_by;
    for (std::size_t i = 0; i < listed; ++i)
        for (std::size_t at = 0; at < packages[i].modules.size(); ++at) {
            const std::string& path = packages[i].modules[at];
            const auto [first, is_new] = listed_by.emplace(path, i);
            if (is_new || packages[first->second].package == packages[i].package) continue;
            const bool own = at < packages[i].sizes.size() && packages[i].sizes[at] == host.status(path).size;
            m_lost[path] = own ? first->second : i;
        }
}

bool OverwrittenFiles::has(const std::string& path, std::size_t package) const {
    const auto lost = m_lost.find(path);
    return lost != m_lost.end() && lost->second == package;
}

bool is_python_module(const std::string& path) {
    const std::string name = file_name(path);
    return name.find(".cpython-") != std::string::npos || name.find(".abi3.") != std::string::npos;
}

bool is_for_other_python(const std::string& path, const std::string& version) {
    const std::string name = file_name(path), tag = ".cpython-";
    const std::size_t at = name.find(tag);
    if (at == std::string::npos || version.empty()) return false;
    std::string digits = version;
    digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
    return name.compare(at + tag.size(), digits.size() + 1, digits + "-") != 0;
}

std::string interpreter_of(const Host& host, const PythonEnvironment& python) {
    if (is_file(host, python.path)) return python.path;
    for (const char* name : {"bin/python3", "bin/python"})
        if (const std::string own = join_path(python.prefix, name);
            !python.prefix.empty() && is_file(host, own))
            return own;
    return {};
}

std::string folder_of_interpreter(const Host& host, const PythonEnvironment& python) {
    if (const std::string program = interpreter_of(host, python); !program.empty())
        return parent_path(real_or_same(host, program));
    return is_conda_prefix(host, python.prefix) ? join_path(python.prefix, "bin") : std::string();
}

namespace {
constexpr std::size_t k_python_limit = 1u << 20;
}

bool is_of_any_framework(const std::string& package) {
    return any_of(framework_readers(), [&](const FrameworkReader& reader) {
        return names_package(reader.distributions, package);
    });
}

namespace {

// A second package of a framework that is there: cupy-cuda12x beside cupy-cuda13x, or beside conda's cupy.
bool is_of_framework_here(const std::string& package, const Scenario& scenario) {
    return any_of(framework_readers(), [&](const FrameworkReader& reader) {
        return names_package(reader.distributions, package) &&
               any_of(scenario.expectations,
                      [&](const Expectation& one) { return one.framework == reader.component; });
    });
}

}  // namespace

namespace {

bool is_of_nvidia(const std::string& package) {
    return !nvidia_component(package).empty() || package == "cuda-bindings" || package == "cuda-core" ||
           package == "cuda-python";
}

}  // namespace

bool has_own_code(const PackageFiles& package, const Scenario& scenario) {
    if (is_of_nvidia(package.package)) return any_of(package.modules, is_python_module);
    return !is_left_out(package, scenario);
}

bool is_left_out(const PackageFiles& package, const Scenario& scenario) {
    if (is_of_nvidia(package.package)) return true;
    if (package.package.empty()) return false;
    return is_of_framework_here(package.package, scenario) ||
           any_of(scenario.expectations, [&](const Expectation& framework) {
               return package.package == framework.package || package.package == framework.build_package;
           });
}

bool opens_by_its_files(const Facts& facts, const std::string& package, System system) {
    return framework_files(facts, package, system, FrameworkFile::traced).empty() &&
           !framework_files(facts, package, system, FrameworkFile::kernels).empty();
}

bool opens_by_path(const Host& host, const PackageFiles& package) {
    for (const std::string& top : package.top_level)
        for (const std::string& path :
             paths_matching(host, join_path(join_path(package.site, top), "*.py"))) {
            const auto text = host.read(path, k_python_limit);
            for (const char* word : {"CDLL", "load_nvidia_dynamic_lib", "preload"})
                if (text && text->find(word) != std::string::npos) return true;
        }
    return false;
}

void describe_package(const Host& host, const PackageFiles& package, NativeModule& module) {
    if (package.record.empty()) return;
    for (const InstalledWheel& wheel : installed_wheels(host, package.site, {package.package})) {
        module.version = wheel.version();
        for (const WheelRequirement& requirement : wheel.metadata.requirements)
            if (const auto pin = requirement.pinned(); pin && requirement.name == module.framework)
                module.built_for = {*pin, Origin::from_file(wheel.path, requirement.line)};
    }
}

PackageLibraries libraries_of(const Host& host, const PackageFiles& package) {
    PackageLibraries libraries;
    libraries.package = package.package;
    if (!package.record.empty()) libraries.version = installed_version(host, package.site, {package.package});
    return libraries;
}

void add_found(const Host& host, const PackageFiles& package, std::size_t found,
               std::vector<PackageLibraries>& libraries) {
    if (package.package.empty()) return;
    auto* its =
        first_where(libraries, [&](const PackageLibraries& one) { return one.package == package.package; });
    if (!its) its = &libraries.emplace_back(libraries_of(host, package));
    its->found = std::max(its->found, found);
}

NativeModule module_of(const Host& host, const PackageFiles& package, const std::string& path,
                       ModuleUse use) {
    NativeModule module;
    module.path = path;
    module.package = package.package;
    module.use = use;
    describe_package(host, package, module);
    return module;
}

LoadedFile other_machine(const Host& host, const std::string& path) {
    LoadedFile file;
    file.name = file_name(path);
    file.how = LoadHow::program;
    file.machine = machine_of_file(host, path);
    file.because = "for another machine (" + file.machine + ")";
    return file;
}

bool has_other_machine(const std::vector<NativeModule>& modules, const std::string& package) {
    return any_of(modules, [&](const NativeModule& one) {
        return one.package == package && !one.missing.empty() && !one.missing.front().machine.empty() &&
               one.missing.front().how == LoadHow::program;
    });
}

std::uint16_t machine_of_environment(const Host& host, const PythonEnvironment& python,
                                     const std::vector<HeadOfPackage>& heads) {
    if (const ModuleHead program = module_head(host, interpreter_of(host, python)); program.read)
        return program.machine;
    std::map<std::uint16_t, std::set<std::size_t>> packages;
    for (const HeadOfPackage& one : heads)
        if (one.head.read) packages[one.head.machine].insert(one.package);
    std::size_t most = 0;
    std::uint16_t machine = 0;
    for (const auto& [number, of_it] : packages) {
        if (of_it.size() == most) machine = 0;
        if (of_it.size() > most) most = of_it.size(), machine = number;
    }
    return machine;
}

}  // namespace ptxguard
