// SPDX-License-Identifier: Apache-2.0
#include "judge/library_words.hpp"

#include <algorithm>

#include "facts/framework_traits.hpp"
#include "facts/libraries.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/fixes.hpp"
#include "judge/framework_questions.hpp"
#include "judge/module_questions.hpp"
#include "judge/severity.hpp"
#include "judge/steps.hpp"
#include "judge/toolkit_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// cuDNN has its own version numbers: one release is built for several CUDAs.
std::string release_name(const LoadedFile& library) {
    if (is_cudnn(library) && library.version) return SAY("cuDNN {}", library.version->text);
    if (library.cuda && !is_cudnn(library)) return SAY("CUDA {}", library.cuda->text);
    return library.version ? library.version->text : "";
}

// The redistributable package of Visual C++ 2015 and later.
bool is_current_vc_runtime(const std::string& name) {
    for (const char* start :
         {"vcruntime140", "msvcp140", "concrt140", "vcomp140", "vccorlib140", "mfc140", "vcamp140"})
        if (starts_with(name, start)) return true;
    return false;
}

// What brings DLLs: a release of CUDA or cuDNN, and wheels.
struct DllSource {
    std::string product;
    std::vector<std::string> names, packages;
};

void add_source(const std::string& name, const Facts& facts, std::vector<DllSource>& all) {
    const std::vector<LibrarySource> sources = library_sources(facts, name, System::windows);
    if (sources.empty()) return;
    const auto known = library_by_file_name(facts, name);
    // Its name has cuDNN's major, and each release is built for several CUDAs.
    const bool cudnn = known && starts_with(known->library, "cudnn");
    const std::string product = cudnn ? SAY("cuDNN {}", known->number ? known->number->text : "")
                                      : SAY("CUDA {}", sources.front().cuda);
    auto one =
        std::find_if(all.begin(), all.end(), [&](const DllSource& it) { return it.product == product; });
    if (one == all.end()) one = all.insert(all.end(), {product, {}, {}});
    add_once(one->names, name);
    const auto* wheel =
        first_where(sources, [](const LibrarySource& source) { return !source.package.empty(); });
    if (wheel && !cudnn) add_once(one->packages, wheel->package);
}

enum class Wheels { offered, left_out };

std::vector<Fix> fixes_of(const DllSource& source, Wheels wheels) {
    constexpr std::size_t k_named = 3;
    std::vector<Fix> fixes{by_hand(SAY("install {}, which brings {}, and add its bin folder to PATH",
                                       source.product, some_of(source.names, k_named)))};
    if (source.packages.empty() || wheels == Wheels::left_out) return fixes;
    std::string words;
    for (const std::string& package : source.packages) words += SAY(" {}", package);
    const bool one = source.packages.size() == 1;
    fixes.push_back(by_hand(
        SAY("pip install{}, and add {} to PATH", words, one ? "its bin folder" : "their bin folders")));
    return fixes;
}

std::vector<Fix> fixes_of(const std::vector<DllSource>& sources, Wheels wheels = Wheels::offered) {
    std::vector<Fix> fixes;
    for (const DllSource& source : sources) append(fixes, fixes_of(source, wheels));
    return fixes;
}

// DLLs that are of no release of CUDA or cuDNN.
std::optional<Fix> get_other_dll_fix(const std::string& name, const std::string& machine) {
    const std::string key = lower(name);
    if (is_current_vc_runtime(key)) {
        const std::string id = machine == "x86" ? "x86" : machine == "aarch64" ? "arm64" : "x64";
        return Fix{FixKind::command, SAY("winget install Microsoft.VCRedist.2015+.{}", id)};
    }
    if (key != "zlibwapi.dll") return std::nullopt;
    return by_hand("put the 64-bit zlibwapi.dll named in cuDNN's installation guide into a folder on PATH");
}

}  // namespace

std::string title_of(const LoadedFile& library) { return with_release(library.name, library.version); }

std::string names_of(const std::vector<LoadedFile>& libraries, std::size_t shown) {
    std::vector<std::string> names;
    for (const LoadedFile& library : libraries) names.push_back(library.name);
    return some_of(std::move(names), shown);
}

std::string titles_of(const std::vector<LoadedFile>& libraries) {
    constexpr std::size_t k_shown = 3;
    const bool all = libraries.size() <= k_shown + 1;
    const Known<Version>& version = libraries.front().version;
    return names_of(libraries, all ? libraries.size() : k_shown) +
           (version ? (libraries.size() > k_shown ? " of " : " ") + version->text : "");
}

const LoadLoser* damaged_file(const LoadedFile& library) {
    for (const LoadLoser& loser : library.losers)
        if (loser.lost == LoadLost::unreadable && !library.taken) return &loser;
    return nullptr;
}

const LoadLoser* damaged_file(const LibraryFault& fault) {
    for (const LoadedFile& library : fault.libraries)
        if (const LoadLoser* file = damaged_file(library)) return file;
    return nullptr;
}

std::vector<Fix> damaged_fix(const LibraryFault& fault, const std::string& component) {
    const std::vector<Fix> fixes = reinstall_fix(*fault.trace, component);
    if (!fixes.empty()) return fixes;
    return {by_hand(SAY("replace {} with a whole copy of it", damaged_file(fault)->path))};
}

const char* are(std::size_t count) { return count == 1 ? "is" : "are"; }

std::string is_not_there(const std::vector<LoadedFile>& libraries) {
    if (const LoadLoser* file = damaged_file(libraries.front()))
        if (all_of(libraries, [](const LoadedFile& one) { return damaged_file(one) != nullptr; }))
            return SAY("{} cannot be loaded: {}", names_of(libraries), file->why);
    return SAY("{} {} not found", names_of(libraries), are(libraries.size()));
}

std::string subject_of(const LibraryFault& fault) {
    const LoadTrace& trace = *fault.trace;
    const std::string names = names_of(fault.libraries);
    return trace.traced_for ? SAY("{} of {}, {}", names, trace.framework(), trace.path)
                            : SAY("{} of {}", names, trace.path);
}

std::string process_name(const LoadTrace& trace, const Expectation* framework) {
    return framework ? name_of(*framework) : !trace.traced_for ? trace.path : trace.framework();
}

Version version_of_major(int major) {
    Version version;
    version.numbers = {major};
    version.text = std::to_string(major);
    return version;
}

Evidence evidence_of(const LoadedFile& library) {
    Origin origin = library.version.origin;
    const std::string path = library.taken.value_or(library.name);
    if (origin.kind == OriginKind::none) origin = Origin::from_file(path);
    origin.text = library.rule.empty() ? path : SAY("{}, by {}", path, library.rule.text);
    return {library.name, library.version ? library.version->text : "unknown release", origin};
}

Evidence evidence_of(const LoadLoser& loser) {
    return {file_of(loser.path), loser.version ? loser.version->text : "found",
            Origin::from_file(loser.path)};
}

Evidence missing_evidence(const LoadedFile& library) {
    Evidence evidence{library.name, damaged_file(library) ? "damaged" : "no such file", Origin{}};
    evidence.origin.text = library.because;
    return evidence;
}

Evidence wanted_evidence(const LibraryFault& fault, const LoadedFile& library) {
    Evidence evidence{library.name, "a file that the loader finds", Origin::from_file(library.needed_by)};
    evidence.origin.text = library.how == LoadHow::dlopen ? SAY("opened by {}", library.needed_by)
                                                          : SAY("needed by {}", library.needed_by);
    if (!fault.trace->machine.empty()) evidence.value = SAY("for {}", fault.trace->machine);
    return evidence;
}

std::vector<std::string> names_asked_of(const std::vector<std::string>& undefined_names,
                                        const LoadedFile& other) {
    std::vector<std::string> names;
    for (const std::string& name : undefined_names) {
        const auto at = name.rfind('@');
        if (at == npos) continue;
        const std::string file = name.substr(at + 1);
        if (file == other.name || (other.taken && file == file_of(*other.taken)))
            names.push_back(name.substr(0, at));
    }
    return names;
}

bool same_windows_folder(const std::string& a, const std::string& b) {
    std::string one = lower(folder_of(a)), other = lower(folder_of(b));
    std::replace(one.begin(), one.end(), '\\', '/');
    std::replace(other.begin(), other.end(), '\\', '/');
    return !one.empty() && one == other;
}

std::vector<Fix> variable_fix(const LoadedFile& library, System system) {
    const std::string variable = deciding_variable(library.rule);
    if (variable.empty() || !library.taken) return {};
    return {replace_list_entry(variable, entry_in_variable(library), "", system)};
}

std::string entry_of(const LoadedFile& library) {
    const std::string variable = deciding_variable(library.rule);
    return variable.empty() || !library.taken ? "" : SAY("{} {}", variable, entry_in_variable(library));
}

std::string entry_of(const LoadedFile& library, const LoadedFile& other) {
    const std::string entry = entry_of(other);
    return entry.empty() ? entry_of(library) : entry;
}

namespace {

// A package of the system owns it, and other programs use it.
bool is_of_system(const std::string& path) {
    return any_of(std::initializer_list<const char*>{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"},
                  [&](const char* start) { return starts_with(path, start); });
}

}  // namespace

std::vector<Fix> same_release_fix(const LoadedFile& wrong, const LoadedFile& right, System system,
                                  const Facts& facts) {
    std::vector<Fix> fixes = variable_fix(wrong, system);
    // This wheel contains the file, but it is not the wheel's own.
    if (starts_with(right.package, "nvidia-") &&
        folder_of(wrong.taken.value_or("")) == folder_of(right.taken.value_or("")))
        fixes.push_back(pip_again_fix(SAY("{}=={}", right.package, right.version->text)));
    // A part that not all releases have, and that this one lacks.
    const std::string folder = folder_of(right.taken.value_or(""));
    const bool ships =
        folder_of(wrong.taken.value_or("")) == folder ||
        any_of(wrong.losers, [&](const LoadLoser& one) { return folder_of(one.path) == folder; });
    if (!ships && wrong.optional && starts_with(wrong.library, "cudnn_") && wrong.version && right.version &&
        *right.version < *wrong.version) {
        if (!is_of_system(*wrong.taken))
            fixes.push_back(
                by_hand(SAY("remove {}, of which {} has none, from the folders that the loader searches",
                            *wrong.taken, title_of(right))));
        fixes.push_back(starts_with(right.package, "nvidia-cudnn")
                            ? pip_fix(SAY("'{}>={}'", right.package, wrong.version->release()))
                            : get_cudnn_fix(nullptr, *wrong.version, facts, right.cuda_major));
        return fixes;
    }
    const std::string release = release_name(right);
    if (!release.empty() && is_of_system(wrong.taken.value_or("")) && starts_with(right.package, "nvidia-"))
        fixes.push_back(pip_again_fix(SAY("{}=={}", right.package, right.version->text)));
    else if (!release.empty())
        fixes.push_back(by_hand(SAY("replace {} with {} of {}", *wrong.taken, wrong.name, release)));
    return fixes;
}

std::vector<Fix> reinstall_fix(const LoadTrace& trace, const std::string& component) {
    if (!trace.traced_for) return {};
    std::vector<std::string> packages;
    for (const std::string& package : trace.traced_for->half_removed)
        if (component.empty() || nvidia_component(package) == component) packages.push_back(package);
    if (packages.empty()) return {};
    return {pip_again_fix(SAY("'{}'", joined(packages, "' '")))};
}

std::vector<Fix> get_dlls_fix(const LibraryFault& fault, const Facts& facts) {
    const Expectation* framework = fault.framework;
    std::vector<Fix> fixes;
    std::vector<DllSource> sources;
    const auto add = [&](const Fix& fix) {
        const auto same = [&](const Fix& other) { return other.text == fix.text; };
        if (none_of(fixes, same)) fixes.push_back(fix);
    };
    for (const LoadedFile& dll : fault.libraries) {
        const auto name = library_by_file_name(facts, dll.name);
        const bool cudnn = name && starts_with(name->library, "cudnn");
        if (name && !cudnn && framework && framework->cuda)
            add(by_hand(SAY("install {}, with which {} is built, and add its bin folder to PATH",
                            words_of_cuda(*framework->cuda), name_of(*framework))));
        else if (const auto fix = get_other_dll_fix(dll.name, fault.trace->machine))
            add(*fix);
        else
            add_source(dll.name, facts, sources);
    }
    append(fixes, fixes_of(sources));
    return fixes;
}

std::vector<Fix> get_dlls_fix(const std::vector<LoadedFile>& libraries, const Facts& facts, bool has_python) {
    std::vector<DllSource> sources;
    for (const LoadedFile& dll : libraries) add_source(dll.name, facts, sources);
    return fixes_of(sources, has_python ? Wheels::offered : Wheels::left_out);
}

bool needs_cuda_at_use(const LoadTrace& trace, const Expectation* framework, const Facts& facts) {
    const FrameworkTraits& traits = framework_traits(facts, trace.framework());
    return traits.needs_at_use_from && framework && framework->version &&
           *framework->version >= *traits.needs_at_use_from;
}

// If a library that a framework opens to look for GPUs is missing, the framework continues on the CPU.
std::string consequence_of(const LibraryFault& fault, const Facts& facts) {
    const LoadTrace& trace = *fault.trace;
    if (!trace.traced_for)
        return fault.library().how == LoadHow::dlopen
                   ? SAY("{} fails when {} is opened", trace.path, fault.library().name)
                   : SAY("{} does not load", trace.path);
    if (needs_cuda_at_use(trace, fault.framework, facts))
        return SAY("{} can be imported but fails at first use", trace.framework());
    const bool needed = any_of(fault.libraries, [&](const LoadedFile& dll) {
        return dll.how == LoadHow::needed && dll.needed_by == trace.path;
    });
    return needed ? SAY("{} cannot be imported", trace.framework())
                  : SAY("{} cannot use a GPU", trace.framework());
}

bool starts_without(const LibraryFault& fault, const Facts& facts) {
    return !is_needed_to_start(fault.library()) ||
           framework_traits(facts, fault.trace->framework()).cuda_is_plugin;
}

Level level_of_cudnn(const LibraryFault& fault, const Scenario& scenario, const Facts& facts) {
    const bool asked = fault.framework && fault.framework->required;
    const auto& traced = fault.trace->traced_for;
    const bool meant = !(traced && traced->packages_of_others) && is_meant_for_gpu(scenario);
    return !starts_without(fault, facts) || asked || meant ? Level::error : Level::note;
}

Level level_of_dlls(const LibraryFault& fault, const Scenario& scenario, const Facts& facts) {
    if (!fault.framework || fault.framework->required ||
        !framework_traits(facts, fault.trace->framework()).cuda_is_plugin)
        return Level::error;
    return is_meant_for_gpu(scenario) ? level_without_gpu(fault.framework->package, scenario, facts)
                                      : Level::note;
}

}  // namespace ptxguard
