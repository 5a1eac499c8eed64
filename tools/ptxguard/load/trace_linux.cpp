// What glibc's loader resolves for one file, computed from files only.
// SPDX-License-Identifier: Apache-2.0
#include "load/load.hpp"

#include <optional>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/library_text.hpp"
#include "host/paths.hpp"
#include "host/together.hpp"
#include "load/library_facts.hpp"
#include "load/opened_names.hpp"
#include "load/trace_linux_process.hpp"
#include "load/trace_linux_start.hpp"
#include "model/text.hpp"

namespace ptxguard {

namespace {

// The checked file, open.
struct TracedFile {
    Source source;
    ElfFile elf;
    ElfDynamic dynamic;
};

Result<TracedFile> read_file(const Host& host, const std::string& path) {
    TracedFile file;
    const auto source = host.open(path);
    if (!source) return source.trouble();
    auto elf = read_elf(*source);
    if (!elf) return elf.trouble();
    auto dynamic = read_elf_dynamic(*source, *elf);
    if (!dynamic) return dynamic.trouble();
    return TracedFile{*source, std::move(*elf), std::move(*dynamic)};
}

// A file that is truncated within its headers only looks like a static program without dependencies.
std::string why_not_whole(const TracedFile& file) {
    if (!file.dynamic.is_dynamic && !file.elf.trouble.empty()) return file.elf.trouble;
    return file.elf.end_of_load() > file.source.size ? "the file is shorter than its segments" : "";
}

bool is_of_nvidia(const Facts& facts, const LoadedFile& file) {
    return library_by_file_name(facts, file_name(file.name)) ||
           (file.taken && library_by_file_name(facts, file_name(file.real_path)));
}

// Follows what each object opens later, and what those need and open in turn.
class LaterOpener {
public:
    LaterOpener(const Facts& facts, LibraryFacts& libraries, bool by_file, LinuxProcess& process)
        : m_facts(facts), m_libraries(libraries), m_by_file(by_file), m_process(process) {}

    void follow_all() {
        for (; m_next < m_process.objects.size(); ++m_next) follow(m_next);
    }
    void open(const std::string& name, std::size_t opener, LoadHow how, bool optional,
              const std::string& without = {}) {
        const std::size_t first = m_process.objects.size();
        m_process.open(name, opener, how, optional, without);
        m_process.open_needed(first);
    }

private:
    void follow(std::size_t object) {
        const std::string path = m_process.objects[object].path;
        const auto entry = m_process.objects[object].entry;
        std::optional<Version> version;
        int cuda = 0;
        if (entry && is_of_nvidia(m_facts, m_process.files[*entry])) {
            m_libraries.identify(m_process.files[*entry]);
            version = m_process.files[*entry].version.value;
            if (const auto& release = m_process.files[*entry].cuda) cuda = release->major();
        }
        const bool opened =
            entry && m_process.files[*entry].optional && m_process.files[*entry].how == LoadHow::dlopen;
        const bool done_without = opened || (entry && m_process.done_without.count(*entry));
        for (const OpensLater& later : opens_later(m_facts, file_name(path), System::linux_, version,
                                                   file_name(parent_path(path)), cuda)) {
            if (later.by_file && !m_by_file) continue;
            const auto there = [&](const std::string& name) { return m_process.would_find(name, object); };
            const auto* exact = first_where(later.tried_first, there);
            open(exact ? *exact : later.name, object, LoadHow::dlopen,
                 later.optional || (later.as_opener && done_without), later.without);
        }
    }

    const Facts& m_facts;
    LibraryFacts& m_libraries;
    const bool m_by_file;
    LinuxProcess& m_process;
    std::size_t m_next = 0;
};

// Names in its constants, and those that it builds at run time.
struct LaterNames {
    std::vector<std::string> text, composed, opened, optional;
    std::size_t composed_by = 0;  // the object whose search list applies to `composed`
    bool instead = false;         // replaces what is known about its file
};

void open_later(const Facts& facts, LibraryFacts& libraries, const LaterNames& names, std::size_t object,
                LinuxProcess& process) {
    LaterOpener opener(facts, libraries, !names.instead, process);
    opener.follow_all();
    for (const std::string& name : names.composed)
        opener.open(name, names.composed_by, LoadHow::dlopen, false);
    for (const std::string& name : names.opened) opener.open(name, object, LoadHow::dlopen, false);
    for (const std::string& name : names.optional) opener.open(name, object, LoadHow::dlopen, true);
    for (const std::string& name : names.text) {
        if (library_by_file_name(facts, file_name(name))) opener.open(name, object, LoadHow::text, true);
    }
    opener.follow_all();
}

// The first object, starting with the checked file, that defines a function; that file if none does.
std::size_t defining_object(const Host& host, const std::string& function, std::size_t object,
                            const LinuxProcess& process) {
    for (std::size_t i = object; !function.empty() && i < process.objects.size(); ++i) {
        const auto source = host.open(process.objects[i].path);
        const auto elf = source ? read_elf(*source) : Result<ElfFile>(Trouble{});
        if (elf && find_elf_symbol(*source, *elf, function)) return i;
    }
    return object;
}

void describe(const Facts& facts, LibraryFacts& libraries, bool all, LinuxProcess& process) {
    for (std::size_t entry = 0; entry < process.files.size(); ++entry) {
        LoadedFile& file = process.files[entry];
        const bool of_nvidia = is_of_nvidia(facts, file);
        if (of_nvidia && file.library.empty()) libraries.identify(file);
        if (of_nvidia || all) process.find_losers(entry);
        // A tree without a loader has no C library either, nor anything that comes with it.
        if (!of_nvidia && !file.taken && process.foreign() && process.system.loader.empty())
            file.undecided = true;
        if (!of_nvidia) continue;
        for (LoadLoser& loser : file.losers) loser.version = libraries.version(loser.path);
    }
}

// A missing library may already be in the process, loaded by a package that is not installed here.
void leave_open(LoadTrace& trace) {
    for (LoadedFile& file : trace.libraries) {
        if (file.taken || file.optional) continue;
        file.undecided = true;
        file.because = trace.missing_package + ", which is imported first, may load it";
    }
}

LoadTrace trace_file(const Host& host, const Facts& facts, const LoadOptions& options, const TracedFile& file,
                     const LinuxSystem& system, LoadTrace trace) {
    std::size_t object = 0;
    std::optional<LinuxProcess> started;
    LaterNames names;
    // Megabytes of constants are searched in the meantime.
    run_together({[&] { started.emplace(start_as_imported(host, facts, system, options, trace, object)); },
                  [&] {
                      if (options.opened_later)
                          names.text = library_names_in_text(file.source, file.elf, true);
                  }});
    LinuxProcess& process = *started;
    LibraryFacts libraries(host, facts);
    if (options.opened_later) {
        const auto composed = composed_libraries(host, facts, trace.path, options);
        names.composed = composed.names;
        names.composed_by = defining_object(host, composed.asks_by, object, process);
        names.opened = options.opens;
        names.optional = options.opens_optional;
        names.instead = !options.opens.empty();
        open_later(facts, libraries, names, object, process);
    }
    describe(facts, libraries, options.all_libraries, process);
    trace.searched = process.searched_for(object);
    trace.executable_stacks = process.refused_stacks();
    trace.libraries = std::move(process.files);
    trace.trouble = process.trouble;
    if (!trace.missing_package.empty()) leave_open(trace);
    return trace;
}

}  // namespace

LoadTrace trace_linux(const Host& host, const Facts& facts, const std::string& path,
                      const LoadOptions& options) {
    LoadTrace trace;
    trace.path = path;
    trace.origin = Origin::from_file(path);
    const Result<TracedFile> file = read_file(host, path);
    if (!file) {
        const Trouble& trouble = file.trouble();
        trace.trouble = trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
        return trace;
    }
    constexpr std::uint16_t k_object_file = 1, k_program = 2;
    trace.is_program = !file->dynamic.interpreter.empty() || file->elf.type == k_program;
    trace.machine = elf_machine(read_bytes(file->source, 0, 64));
    if (file->elf.type == k_object_file) {
        trace.trouble = "it is an object file, which no loader loads";
        return trace;
    }
    trace.trouble = why_not_whole(*file);
    if (!file->dynamic.is_dynamic || !trace.trouble.empty()) return trace;
    LinuxSystem system = linux_system(host, file->elf.machine, file->dynamic.interpreter);
    for (const std::string& needed : file->dynamic.needed) {
        if (starts_with(needed, "libc.musl-"))
            system.trouble = "it is built for musl, and only the rules of glibc's loader are implemented";
    }
    trace.of_other_machine = system.of_other_machine;
    if (!system.trouble.empty()) {
        trace.trouble = system.trouble;
        return trace;
    }
    return trace_file(host, facts, options, *file, system, std::move(trace));
}

}  // namespace ptxguard
