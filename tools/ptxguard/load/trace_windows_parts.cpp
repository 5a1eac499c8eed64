// Finds a DLL as Windows does: the first file of that name for the machine type of the process. Windows 10
// skips a file for another machine and continues the search (STATUS_IMAGE_MACHINE_TYPE_MISMATCH; wine's
// loader does the same); if nothing else is found it fails with error 193, ERROR_BAD_EXE_FORMAT. A file that
// is not an image ends the search.
// SPDX-License-Identifier: Apache-2.0
#include "load/trace_windows_parts.hpp"

#include "host/paths.hpp"
#include "load/library_facts.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_most_losing_dlls = 64;

bool is_nvidia(const Facts& facts, const std::string& name) {
    return library_by_file_name(facts, name).has_value();
}

std::string why_not_searched(const DllStep& step, const DllProcess& process) {
    if (process.packaged && (step.rule.step == LoadStep::path || step.rule.step == LoadStep::current_folder))
        return "Python of the Microsoft Store is a packaged app, for which Windows does not look in PATH";
    if (step.rule.step == LoadStep::path && !process.searches_path()) {
        const std::string which =
            process.python ? "Python " + process.python->text : std::string("Python 3.8 and newer");
        return which + " does not look in PATH for what an extension module needs";
    }
    if (step.rule.step == LoadStep::current_folder || step.rule.step == LoadStep::path)
        return "not in the searched folders";
    return "nothing adds this folder to the search";
}

// The part before the first digit: "cublas" of cublas64_12.dll.
std::string stem_of(const std::string& name) {
    return lower(name.substr(0, name.find_first_of("0123456789")));
}

struct Losers {
    const DllFinder& finder;
    LoadedFile& file;
    bool with_version;

    bool taken_or_listed(const std::string& path) const {
        const std::string key = folder_key(path);
        if (file.taken && folder_key(*file.taken) == key) return true;
        return any_of(file.losers, [&](const LoadLoser& loser) { return folder_key(loser.path) == key; });
    }
    void add(const std::string& path, const DllStep& step, LoadLost lost, const std::string& why) const {
        if (file.losers.size() >= k_most_losing_dlls || taken_or_listed(path)) return;
        LoadLoser loser{path, step.rule, lost, why, {}};
        if (with_version && lost != LoadLost::other_machine && lost != LoadLost::unreadable)
            loser.version = finder.libraries.version(path);
        file.losers.push_back(loser);
    }
    void add_found(const std::string& path, const DllStep& step, LoadLost lost,
                   const std::string& why) const {
        const DllImage image = open_image(finder.host, path);
        if (image.machine.empty()) {
            add(path, step, LoadLost::unreadable, "is not a library that Windows can read: " + image.trouble);
        } else if (image.machine != finder.machine) {
            add(path, step, LoadLost::other_machine, "for another machine (" + image.machine + ")");
        } else {
            add(path, step, lost, why);
        }
    }
    void add_other_names(const DllStep& step) const {
        const std::string wanted = lower(file.name), stem = stem_of(file.name);
        for (const auto& [small, spelt] : finder.folders.files(step.folder)) {
            if (small == wanted || !starts_with(small, stem) || !ends_with(small, ".dll")) continue;
            if (stem_of(small) != stem || small.size() == stem.size() + 4) continue;
            add(join_path(step.folder, spelt), step, LoadLost::other_name, "has another name: " + spelt);
        }
    }
};

// Not a file search: DLLs that Windows or the running Python has already loaded.
bool take_provided(const DllFinder& finder, const DllRequest& request, LoadedFile& file) {
    const bool own = is_windows_own(request.name);
    const std::string& system32 = finder.places.system32.front().folder;
    const std::string in_system32 = join_path(system32, request.name);
    const bool known = finder.places.is_known(request.name) &&
                       (is_known_dll(request.name) || finder.folders.find(system32, request.name));
    if (is_api_set(request.name) || known || (own && !finder.places.system32_is_here)) {
        file.rule = is_api_set(request.name) ? "API set" : known ? "known DLL" : "System32";
        file.taken = file.real_path = finder.folders.find(system32, request.name).value_or(in_system32);
        if (!finder.places.system32_is_here) file.rule_detail = "part of every Windows";
        return true;
    }
    const std::string small = lower(request.name);
    const bool of_python =
        is_python_library(small) || small == "vcruntime140.dll" || small == "vcruntime140_1.dll";
    if (!finder.process.is_python || !of_python) return false;
    const auto beside = finder.folders.find(finder.process.application_folder, request.name);
    file.rule = "already loaded by python.exe";
    file.taken = beside.value_or(request.name);
    file.real_path = beside.value_or("");
    return true;
}

bool take_assembly(const DllFinder& finder, const DllRequest& request, LoadedFile& file) {
    if (request.assemblies.empty() || !is_vc_runtime(request.name)) return false;
    const std::string store = join_path(parent_path(finder.places.system32.front().folder), "WinSxS");
    for (const std::string& assembly : request.assemblies) {
        for (const std::string& folder : matching_folders(finder.folders, store, "*_" + assembly + "_*")) {
            const auto path = finder.folders.find(folder, request.name);
            if (!path || open_image(finder.host, *path).machine != finder.machine) continue;
            file.taken = *path;
            file.rule = "side-by-side assembly";
            file.rule_detail = assembly;
            return true;
        }
    }
    return false;
}

std::string where_looked(const DllSearch& search) {
    std::string text;
    for (const DllStep& step : search)
        text += (text.empty() ? "not in " : ", ") + step.folder + " (" + step.rule.text + ")";
    return text.empty() ? "no folder is searched" : text;
}

// Could a searched folder that is not available contain this name?
std::string cannot_be_seen(const DllFinder& finder, const DllRequest& request, bool& path_unknown) {
    const auto nvidia = library_by_file_name(finder.facts, request.name);
    // System32 never contains NVIDIA's run-time libraries or their dependencies; it may contain anything
    // else.
    const bool of_toolkit =
        (nvidia && !nvidia->driver) ||
        (!nvidia && !is_vc_runtime(request.name) && is_nvidia(finder.facts, file_name(request.needed_by)));
    if (!finder.places.system32_is_here && !of_toolkit) return "the tree has no System32, where it would be";
    if (!request.assemblies.empty() && is_vc_runtime(request.name))
        return "it comes from the side-by-side assembly " + request.assemblies.front();
    const bool searches_path =
        any_of(*request.search, [](const DllStep& step) { return step.rule.step == LoadStep::windows; });
    // What the whole tree does not have is missing, wherever PATH leads.
    path_unknown = searches_path && !finder.places.path_is_known &&
                   (!nvidia || finder.folders.may_be_in_tree(request.name));
    return path_unknown ? "PATH of the checked system is not known" : "";
}

}  // namespace

DllImage open_image(const Host& host, const std::string& path) {
    DllImage image;
    auto source = host.open(path);
    if (!source) {
        image.trouble = source.trouble().text();
        return image;
    }
    image.source = *source;
    auto pe = read_pe(image.source);
    if (!pe) {
        const Trouble& trouble = pe.trouble();  // without its subject, which is the file
        image.trouble = trouble.what + (trouble.cause.empty() ? "" : ": " + trouble.cause);
        return image;
    }
    image.pe = *pe;
    image.machine = pe_machine(pe->machine);
    if (image.machine.empty()) image.machine = "machine " + std::to_string(pe->machine);
    return image;
}

LoadedFile DllFinder::find(const DllRequest& request, DllImage& image) const {
    LoadedFile file;
    file.name = request.name;
    file.needed_by = request.needed_by;
    file.how = request.how;
    file.optional = request.optional;
    if (take_provided(*this, request, file)) return file;
    const bool nvidia = is_nvidia(facts, request.name);
    const Losers losers{*this, file, nvidia};
    bool stopped = take_assembly(*this, request, file);
    for (const DllStep& step : *request.search) {
        const auto path = folders.find(step.folder, request.name);
        if (!path) continue;
        if (stopped) {
            if (nvidia) losers.add_found(*path, step, LoadLost::later, "later in the search");
            continue;
        }
        DllImage found = open_image(host, *path);
        if (found.machine == machine) {
            file.taken = *path;
            file.rule = step.rule;
            file.rule_detail = step.detail;
            file.machine = found.machine;
            image = std::move(found);
        } else {
            losers.add_found(*path, step, LoadLost::later, "");
        }
        stopped = found.machine.empty() || file.taken;
    }
    if (file.taken && !nvidia) return file;
    const DllSearch others = other_folders(*request.search, request.needed_by, process, places);
    for (const DllStep& step : others)
        if (const auto path = folders.find(step.folder, request.name))
            losers.add_found(*path, step, LoadLost::not_searched, why_not_searched(step, process));
    if (file.taken) return file;
    for (const DllSearch& list : {*request.search, others})
        for (const DllStep& step : list)
            if (nvidia) losers.add_other_names(step);
    file.because = where_looked(*request.search);
    const std::string unseen = cannot_be_seen(*this, request, file.path_unknown);
    file.undecided = !unseen.empty();
    if (file.undecided) file.because = unseen;
    return file;
}

}  // namespace ptxguard
