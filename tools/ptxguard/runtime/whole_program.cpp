// SPDX-License-Identifier: Apache-2.0
#include "runtime/whole_program.hpp"

#include "host/paths.hpp"
#include "host/questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "runtime/module_kinds.hpp"
#include "runtime/program_modules.hpp"

namespace ptxguard {
namespace {

constexpr Limit k_most_own_folders{200, "folders of a program's libraries", "later ones"};

class OwnFolders {
public:
    explicit OwnFolders(const Host& host) : m_host(host) {}

    void add(const std::string& folder) {
        if (m_host.status(folder).type == FileType::directory && !m_full)
            m_full = m_host.exceeds(k_most_own_folders, found.size() + 1, folder);
        if (m_host.status(folder).type == FileType::directory && !m_full) add_once(found, folder);
    }
    void add_those_in(const std::string& folder) {
        for (const DirectoryEntry& one : entries_in(m_host, folder)) add(join_path(folder, one.name));
    }

    std::vector<std::string> found;

private:
    const Host& m_host;
    bool m_full = false;
};

// "/usr/local/lib/ollama" of "/usr/local/bin/ollama", and those in it.
void add_own_library_folder(const std::string& program, System system, OwnFolders& folders) {
    const std::string bin = parent_path(program);
    if (system != System::linux_ || file_name(bin) != "bin") return;
    const std::string own = join_path(join_path(parent_path(bin), "lib"), file_name(program));
    folders.add(own);
    folders.add_those_in(own);
}

void add_folders_of_dotnet(const Host& host, const std::string& folder, OwnFolders& folders) {
    const char* system = host.system() == System::windows ? "win" : "linux";
    const std::string runtimes = join_path(folder, "runtimes");
    for (const DirectoryEntry& one : entries_in(host, runtimes)) {
        const std::string path = join_path(runtimes, one.name);
        if (starts_with(one.name, system)) {
            folders.add_those_in(join_path(path, "native"));
            continue;
        }
        for (const DirectoryEntry& inner : entries_in(host, path))
            if (starts_with(inner.name, system)) folders.add(join_path(path, inner.name));
    }
}

}  // namespace

std::vector<NativeModule> whole_program(const Host& host, const Facts& facts, const std::string& program,
                                        const Scenario& scenario) {
    const bool is_a_file = is_file(host, program);
    std::vector<NativeModule> modules = modules_of_program(host, facts, program, scenario);
    OwnFolders folders(host);
    if (is_a_file) add_own_library_folder(program, host.system(), folders);
    add_folders_of_dotnet(host, is_a_file ? parent_path(program) : program, folders);
    for (const std::string& folder : folders.found)
        for (NativeModule& one : modules_of_program(host, facts, folder, scenario))
            if (none_of(modules, [&](const NativeModule& known) { return known.path == one.path; }))
                modules.push_back(std::move(one));
    keep_variants_that_load(modules);
    NativeModule itself;
    itself.path = program;
    if (is_a_file) itself = named_library(host, facts, program, program, scenario);
    itself.named = itself.of_program = true;
    if (is_a_file && !scenario.gpus.empty() && !itself.archs) add_texts(host, {program}, itself);
    if (itself.uses_cuda() || modules.empty()) modules.insert(modules.begin(), std::move(itself));
    return modules;
}

}  // namespace ptxguard
