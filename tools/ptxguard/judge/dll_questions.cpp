// SPDX-License-Identifier: Apache-2.0
#include "judge/dll_questions.hpp"

#include <algorithm>

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/library_questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

const LoadLoser* culprit(const LoadedFile& library, DllFault fault) {
    switch (fault) {
        case DllFault::not_searched:
            return loser_of(library, LoadLost::not_searched);
        case DllFault::wrong_machine: {
            const LoadLoser* other = loser_of(library, LoadLost::other_machine);
            return other ? other : loser_of(library, LoadLost::unreadable);
        }
        case DllFault::other_name:
            return loser_of(library, LoadLost::other_name);
        case DllFault::missing:
        case DllFault::none:
            break;
    }
    return nullptr;
}

// The redistributable package of Visual C++ 2015 and later.
bool is_current_vc_runtime(const std::string& name) {
    for (const char* start :
         {"vcruntime140", "msvcp140", "concrt140", "vcomp140", "vccorlib140", "mfc140", "vcamp140"})
        if (starts_with(name, start)) return true;
    return false;
}

bool is_needed(const LoadedFile& library) {
    return !library.taken && !library.optional && !library.undecided && library.how != LoadHow::text;
}

// Files spell one DLL's name in different letter case.
bool names(const std::vector<DllCase>& group, const std::string& name) {
    return std::any_of(group.begin(), group.end(),
                       [&](const DllCase& dll) { return lower(dll.library->name) == lower(name); });
}

}  // namespace

DllFault fault_of(const LoadedFile& library) {
    if (!is_needed(library)) return DllFault::none;
    for (DllFault fault : {DllFault::not_searched, DllFault::wrong_machine, DllFault::other_name})
        if (culprit(library, fault)) return fault;
    return DllFault::missing;
}

std::vector<DllCase> dll_cases(const Scenario& scenario, DllFault fault) {
    std::vector<DllCase> cases;
    if (scenario.system != System::windows) return cases;
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (fault_of(library) == fault) cases.push_back({&trace, &library, culprit(library, fault)});
    return cases;
}

std::vector<std::vector<DllCase>> grouped(const std::vector<DllCase>& cases) {
    std::vector<std::vector<DllCase>> groups;
    const auto folder = [](const DllCase& dll) { return dll.loser ? folder_of(dll.loser->path) : ""; };
    for (const DllCase& dll : cases) {
        const auto same = [&](const std::vector<DllCase>& group) {
            return group.front().trace == dll.trace && folder(group.front()) == folder(dll);
        };
        const auto group = std::find_if(groups.begin(), groups.end(), same);
        if (dll.trace->framework.empty() || group == groups.end())
            groups.push_back({dll});
        else if (!names(*group, dll.library->name))
            group->push_back(dll);
    }
    return groups;
}

std::vector<std::string> names_of(const std::vector<DllCase>& group) {
    std::vector<std::string> names;
    for (const DllCase& dll : group) names.push_back(dll.library->name);
    return names;
}

std::string subject_of(const DllCase& dll) { return dll.library->name + " of " + dll.trace->path; }

std::string subject_of(const std::vector<DllCase>& group) {
    const LoadTrace& trace = *group.front().trace;
    if (trace.framework.empty()) return subject_of(group.front());
    return list(names_of(group)) + " of " + trace.framework + ", " + trace.path;
}

// If what a framework opens when it looks for GPUs is missing, it continues on the CPU.
std::string consequence_of(const std::vector<DllCase>& group, const Scenario& scenario, const Facts& facts) {
    const LoadTrace& trace = *group.front().trace;
    if (trace.framework.empty()) return consequence_of(group.front());
    const bool needed = std::any_of(group.begin(), group.end(), [&](const DllCase& dll) {
        return dll.library->how == LoadHow::needed && dll.library->needed_by == trace.path;
    });
    const FrameworkTraits& traits = framework_traits(facts, trace.framework);
    const Expectation* framework = scenario.framework_of(trace);
    const bool at_use = traits.needs_at_use_from && framework && framework->version &&
                        *framework->version >= *traits.needs_at_use_from;
    if (at_use) return trace.framework + " is imported and fails at first use";
    return trace.framework + (needed ? " cannot be imported" : " cannot use a GPU");
}

Level level_of(const DllCase& dll, const Scenario& scenario, const Facts& facts) {
    const Expectation* framework = scenario.framework_of(*dll.trace);
    if (!framework || framework->required || !framework_traits(facts, dll.trace->framework).cuda_is_plugin)
        return Level::error;
    return is_meant_for_gpu(scenario) ? Level::warning : Level::note;
}

std::string consequence_of(const DllCase& dll) {
    if (dll.library->how == LoadHow::dlopen)
        return dll.trace->path + " fails when " + dll.library->name + " is opened";
    return dll.trace->path + " does not load";
}

Evidence loser_evidence(const LoadLoser& loser) {
    return {file_of(loser.path), loser.version ? loser.version->text : "is there",
            Origin::from_file(loser.path)};
}

Evidence wanted_evidence(const DllCase& dll) {
    Origin origin = Origin::from_file(dll.library->needed_by);
    origin.text =
        (dll.library->how == LoadHow::dlopen ? "opened by " : "needed by ") + dll.library->needed_by;
    const std::string& machine = dll.trace->machine;
    return {dll.library->name, machine.empty() ? "one that is found" : "for " + machine, origin};
}

bool loaded_by_python(const LoadTrace& trace) {
    return std::any_of(trace.remarks.begin(), trace.remarks.end(), [](const std::string& remark) {
        return remark.compare(0, 16, "loaded by Python") == 0;
    });
}

bool searches_path(const LoadTrace& trace) {
    return std::any_of(trace.searched.begin(), trace.searched.end(),
                       [](const std::string& folder) { return folder.find("(PATH") != std::string::npos; });
}

bool comes_with_driver(const LoadedFile& library, const Facts& facts) {
    const auto name = library_by_file_name(facts, library.name);
    return name && name->driver;
}

Fix search_folder_fix(const DllCase& dll, const std::string& folder) {
    const LoadTrace& trace = *dll.trace;
    // LoadLibrary of a bare name searches PATH, but not the folders of os.add_dll_directory.
    const bool packaged = std::any_of(
        trace.remarks.begin(), trace.remarks.end(),
        [](const std::string& remark) { return remark.find("of the Microsoft Store") != std::string::npos; });
    if (packaged)
        return {FixKind::manual,
                "install Python from python.org instead of the Microsoft Store's, and the packages into it"};
    const bool by_bare_name = dll.library->how == LoadHow::dlopen || dll.library->how == LoadHow::delay_load;
    if (loaded_by_python(trace) && !searches_path(trace) && !by_bare_name)
        return {FixKind::edit, "os.add_dll_directory(r'" + folder + "')"};
    if (searches_path(trace) || by_bare_name)
        return {FixKind::command,
                "$env:PATH = " + shell_word(folder + ";", System::windows) + " + $env:PATH"};
    return {FixKind::manual,
            "copy the DLLs of " + folder + " to the folder of the program that loads " + trace.path};
}

std::vector<Fix> get_dll_fix(const std::string& name, const std::string& machine, const Facts& facts) {
    const std::string key = lower(name);
    if (is_current_vc_runtime(key)) {
        const std::string id = machine == "x86" ? "x86" : machine == "aarch64" ? "arm64" : "x64";
        return {{FixKind::command, "winget install Microsoft.VCRedist.2015+." + id}};
    }
    if (key == "zlibwapi.dll")
        return {{FixKind::manual,
                 "put the 64-bit zlibwapi.dll that cuDNN's installation guide names into a folder on PATH"}};
    const std::vector<LibrarySource> sources = library_sources(facts, name, System::windows);
    if (sources.empty()) return {};
    const auto known = library_by_file_name(facts, name);
    // Its name has cuDNN's major, and each release is built for several CUDAs.
    const bool cudnn = known && starts_with(known->library, "cudnn");
    const std::string product = cudnn ? "cuDNN " + (known->number ? known->number->text : std::string())
                                      : "CUDA " + sources.front().cuda;
    std::vector<Fix> fixes{
        {FixKind::manual, "install " + product + ", which brings " + name + ", with its bin folder on PATH"}};
    for (const LibrarySource& source : sources) {
        if (source.package.empty() || cudnn) continue;
        fixes.push_back({FixKind::manual, "pip install " + source.package + ", with its bin folder on PATH"});
        break;
    }
    return fixes;
}

std::vector<Fix> get_dlls_fix(const std::vector<DllCase>& group, const Scenario& scenario,
                              const Facts& facts) {
    const LoadTrace& trace = *group.front().trace;
    if (trace.framework.empty()) return get_dll_fix(group.front().library->name, trace.machine, facts);
    const Expectation* framework = scenario.framework_of(trace);
    std::vector<Fix> fixes;
    const auto add_once = [&](const Fix& fix) {
        const auto same = [&](const Fix& other) { return other.text == fix.text; };
        if (std::none_of(fixes.begin(), fixes.end(), same)) fixes.push_back(fix);
    };
    for (const DllCase& dll : group) {
        const auto name = library_by_file_name(facts, dll.library->name);
        const bool cudnn = name && starts_with(name->library, "cudnn");
        if (name && !cudnn && framework && framework->cuda)
            add_once({FixKind::manual,
                      "install CUDA " +
                          (framework->cuda->numbers.size() > 1 ? framework->cuda->release()
                                                               : std::to_string(framework->cuda->major())) +
                          ", with which " + trace.framework +
                          (framework->version ? " " + framework->version->text : "") +
                          " is built, with its bin folder on PATH"});
        else
            for (const Fix& fix : get_dll_fix(dll.library->name, trace.machine, facts)) add_once(fix);
    }
    return fixes;
}

}  // namespace ptxguard
