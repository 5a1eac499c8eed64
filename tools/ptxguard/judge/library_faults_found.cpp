// SPDX-License-Identifier: Apache-2.0
#include "judge/library_faults.hpp"

#include <algorithm>

#include "facts/libraries.hpp"
#include "judge/library_words.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

using Kind = LibraryFaultKind;
using Family = LibraryFamily;

constexpr std::size_t k_release = 2, k_patch = 3;

// 12.4.5 and 12.4.5.8 are the same version: compares only the numbers that both have.
int compare_known(const Version& a, const Version& b, std::size_t numbers) {
    numbers = std::min({numbers, a.numbers.size(), b.numbers.size()});
    for (std::size_t i = 0; i < numbers; ++i)
        if (a.at(i) != b.at(i)) return a.at(i) - b.at(i);
    return 0;
}

bool is_cublas(const LoadedFile& library) {
    return library.library == "cublas" || library.library == "cublasLt";
}

// The major of that library in the name of a file; 0 = none.
int major_of_name(const std::string& path, const std::string& library, const Facts& facts) {
    const auto name = library_by_file_name(facts, file_of(path));
    return name && name->number && name->library == library ? name->number->major() : 0;
}

void add_renamed(const Process& process, Faults& faults) {
    const CudnnInUse& cudnn = process.cudnn;
    for (const LoadedFile& library : process.trace.libraries) {
        const bool of_cudnn = &library == cudnn.asked;
        if (!is_taken(library) || (!of_cudnn && !is_cublas(library))) continue;
        const int wanted = of_cudnn ? major_asked(library, process.framework, process.facts)
                                    : major_of_name(library.name, library.library, process.facts);
        int real = major_of_name(library.real_path, library.library, process.facts);
        if (!real && !of_cudnn && library.version) real = library.version->major();
        if (!wanted || !real || wanted == real) continue;
        LibraryFault& fault =
            add_fault(process, Kind::renamed, of_cudnn ? Family::cudnn : Family::cublas, {library}, faults);
        fault.wanted = {version_of_major(wanted), Origin{}};
        fault.major = real;
    }
}

// How `other` compares with `library`: below 0 = older release; nothing = not known.
std::optional<int> difference(const LoadedFile& library, const LoadedFile& other, const LibrarySet& set) {
    if (set.id == "cudnn") {
        if (!library.version || !other.version) return std::nullopt;
        return compare_known(*other.version, *library.version, k_patch);
    }
    if (library.cuda && other.cuda) return compare_known(*other.cuda, *library.cuda, k_release);
    if (set.rule == LibrarySet::Rule::same_version && library.version && other.version)
        return compare_known(*other.version, *library.version, k_release);
    return std::nullopt;
}

// cuDNN libraries of one release in one folder are reported together: they have one cause.
bool joins(const LibraryFault& fault, const LoadedFile& library, const LoadedFile& other) {
    if (fault.kind != Kind::mixed || fault.family != Family::cudnn || fault.open) return false;
    if (fault.library().taken != library.taken) return false;
    const LoadedFile& first = fault.others.front();
    return folder_of(*first.taken) == folder_of(*other.taken) &&
           text_of(first.version) == text_of(other.version);
}

// A variable selects a cuDNN component from another folder, and the release of one of the two is not known.
bool is_open(const LoadedFile& library, const LoadedFile& other, const LibrarySet& set) {
    return set.id == "cudnn" && folder_of(*library.taken) != folder_of(*other.taken) &&
           (!deciding_variable(library.rule).empty() || !deciding_variable(other.rule).empty());
}

// The releases do not show it.
void add_open(const Process& process, const LoadedFile& library, const LoadedFile& other, Faults& faults) {
    auto* same = first_where(faults, [&](const LibraryFault& fault) {
        return fault.open && fault.trace == &process.trace &&
               folder_of(*fault.others.front().taken) == folder_of(*other.taken);
    });
    LibraryFault& fault = same ? *same : add_fault(process, Kind::mixed, Family::cudnn, {library}, faults);
    fault.others.push_back(other);
    fault.open = true;
}

// Whether the two may be used together although their releases differ by `difference`.
bool may_differ(const LoadedFile& library, const LoadedFile& other, const LibrarySet& set, int difference) {
    if (difference == 0 || (library.pinned && other.pinned)) return true;
    // Its symbol names contain the release that added them, so counting the undefined ones is proof.
    return set.rule == LibrarySet::Rule::other_not_older && (difference > 0 || library.undefined);
}

void compare_pair(const Process& process, const LoadedFile& library, const LoadedFile& other,
                  const LibrarySet& set, Faults& faults) {
    const bool proven = !names_asked_of(library.undefined_names, other).empty();
    const auto stands = difference(library, other, set);
    if (!proven && !stands && is_open(library, other, set)) return add_open(process, library, other, faults);
    if (!proven && may_differ(library, other, set, stands.value_or(0))) return;
    const Family family = set.id == "cudnn"    ? Family::cudnn
                          : set.id == "cublas" ? Family::cublas
                                               : Family::other;
    auto* group = first_where(faults, [&](const LibraryFault& fault) {
        return family == Family::cudnn && fault.trace == &process.trace && joins(fault, library, other);
    });
    LibraryFault& fault = group ? *group : add_fault(process, Kind::mixed, family, {library}, faults);
    fault.others.push_back(other);
    fault.proven = proven || *stands < 0;
}

// The libraries of the process, including the checked file.
std::vector<LoadedFile> members_of(const LoadTrace& trace) {
    std::vector<LoadedFile> members;
    for (const LoadedFile& library : trace.libraries)
        if (is_taken(library) && !library.library.empty()) members.push_back(library);
    if (trace.itself.library.empty()) return members;
    LoadedFile itself = trace.itself;
    itself.name = file_of(itself.name);
    itself.undefined = trace.undefined;
    itself.undefined_names = trace.undefined_names;
    members.push_back(itself);
    return members;
}

// How well a library of a set fits one that uses it: same release, same CUDA major, or another. Nothing:
// NVRTC never opens it, as it opens its builtins by a name that ends in its own release.
std::optional<int> fit_of(const LoadedFile& library, const LoadedFile& user, const LibrarySet& set,
                          const Facts& facts) {
    const auto stands = difference(user, library, set);
    if (stands && *stands == 0) return 2;
    if (stands && set.rule == LibrarySet::Rule::same_cuda_release) {
        const auto name = library_by_file_name(facts, file_of(library.name));
        if (name && name->number && name->number->numbers.size() >= k_release) return std::nullopt;
    }
    return library.cuda_major && library.cuda_major == user.cuda_major ? 1 : 0;
}

// The first library of that name; if a process has several, the one that best fits the library that uses it.
const LoadedFile* member_of(const std::vector<LoadedFile>& members, const std::string& name,
                            const LoadedFile* user, const LibrarySet& set, const Facts& facts) {
    const LoadedFile* best = nullptr;
    int best_fit = -1;
    for (const LoadedFile& library : members) {
        if (library.library != name) continue;
        if (!user) return &library;
        const auto fit = fit_of(library, *user, set, facts);
        if (!fit || *fit <= best_fit) continue;
        best = &library;
        best_fit = *fit;
    }
    return best;
}

// Whether all libraries of cuDNN but one that only forwards to them are known to be of one release.
bool agree_behind(const std::vector<LoadedFile>& members, const LibrarySet& set) {
    const auto is_in_set = [&](const LoadedFile& library) {
        return contains(set.libraries, library.library);
    };
    const auto* graph = first_where(members, [&](const LoadedFile& library) {
        return is_in_set(library) && library.library == "cudnn_graph";
    });
    return graph && all_of(members, [&](const LoadedFile& one) {
               return !is_in_set(one) || only_forwards(one, *graph) || difference(*graph, one, set) == 0;
           });
}

// The first library of a set is the one that the others depend on (nvJitLink), or that depends on them
// (cuBLAS).
void add_mixed(const Process& process, Faults& faults) {
    const std::vector<LoadedFile> members = members_of(process.trace);
    for (const LibrarySet& set : library_sets(process.facts)) {
        if (agree_behind(members, set)) continue;
        const bool first_serves = set.rule == LibrarySet::Rule::other_not_older;
        const LoadedFile* first = member_of(members, set.libraries.front(), nullptr, set, process.facts);
        for (std::size_t i = 1; i < set.libraries.size(); ++i) {
            const LoadedFile* next = member_of(members, set.libraries[i], first, set, process.facts);
            if (next && first)
                compare_pair(process, first_serves ? *next : *first, first_serves ? *first : *next, set,
                             faults);
            else if (next && !first_serves)
                first = next;
        }
    }
}

bool lacks_names(const LoadTrace& trace, const LoadedFile& library) {
    if (!names_asked_of(trace.undefined_names, library).empty()) return true;
    return any_of(trace.libraries, [&](const LoadedFile& asker) {
        return !names_asked_of(asker.undefined_names, library).empty();
    });
}

// The copy that belongs to the file. Linux: the first one found by a search list inside a file. Windows: next
// to the file that needs it, or next to the checked file.
const LoadLoser* own_copy(const Process& process, const LoadedFile& library) {
    if (process.scenario.system == System::linux_) {
        for (const LoadLoser& loser : library.losers)
            if (loser.lost == LoadLost::later && loser.rule.step == LoadStep::runpath) return &loser;
        return nullptr;
    }
    const auto is_own = [&](const std::string& path) {
        return same_windows_folder(path, library.needed_by) || same_windows_folder(path, process.trace.path);
    };
    if (is_own(*library.taken)) return nullptr;
    for (const LoadLoser& loser : library.losers)
        if ((loser.lost == LoadLost::later || loser.lost == LoadLost::not_searched) && is_own(loser.path))
            return &loser;
    return nullptr;
}

// Its own copy, of another release, that is hidden. On Linux only where a variable hides it.
const LoadLoser* hidden_copy(const Process& process, const LoadedFile& library) {
    const bool windows = process.scenario.system == System::windows;
    if (!library.taken || !library.version || (windows ? library.library.empty() : library.stub))
        return nullptr;
    const LoadLoser* own = own_copy(process, library);
    if (!own || !own->version) return nullptr;
    if (windows) return *library.version == *own->version ? nullptr : own;
    const bool same = compare_known(*library.version, *own->version, k_patch) == 0;
    return same || deciding_variable(library.rule).empty() ? nullptr : own;
}

// One folder in a variable usually shadows several libraries: one finding, one fix.
void add_shadowed(const Process& process, Faults& faults) {
    const bool windows = process.scenario.system == System::windows;
    for (const LoadedFile& library : process.trace.libraries) {
        const LoadLoser* own = hidden_copy(process, library);
        if (!own) continue;
        const bool proven = !windows && lacks_names(process.trace, library);
        const auto same = [&](const LibraryFault& fault) {
            return !windows && fault.kind == Kind::shadowed && fault.trace == &process.trace &&
                   fault.proven == proven &&
                   deciding_variable(fault.library().rule) == deciding_variable(library.rule) &&
                   folder_of(*fault.library().taken) == folder_of(*library.taken) &&
                   compare_known(*fault.library().version, *library.version, k_patch) == 0 &&
                   compare_known(*fault.near.front().version, *own->version, k_patch) == 0;
        };
        auto* group = first_where(faults, same);
        LibraryFault& fault = group ? *group : add_fault(process, Kind::shadowed, Family::other, {}, faults);
        fault.libraries.push_back(library);
        fault.near.push_back(*own);
        fault.proven = proven;
    }
}

// The library of the process that should define the symbol: its file, by "@" and its name; otherwise by what
// NVIDIA calls its functions. Null = another one, or it was not read.
const LoadedFile* provider_of(const Process& process, const std::string& symbol) {
    const auto at = symbol.rfind('@');
    const std::string library = at == npos ? library_of_function(process.facts, symbol) : "";
    if (at == npos && library.empty()) return nullptr;
    for (const LoadedFile& one : process.trace.libraries) {
        const bool is_it = library.empty() ? one.name == symbol.substr(at + 1)
                                           : one.library == library && one.undefined.has_value();
        if (is_it && is_taken(one)) return &one;
    }
    return nullptr;
}

// Other symbols may come from the program and are not checked; a mixed set explains its missing symbols.
void add_lacking(const Process& process, LoadedFile asker, Faults& faults) {
    std::vector<std::string> lacking = asker.missing_versions;
    std::vector<LoadedFile> providers;
    const auto explained = [&](const LoadedFile& provider) {
        return any_of(faults, [&](const LibraryFault& fault) {
            return fault.kind == Kind::mixed && fault.trace == &process.trace &&
                   fault.library().taken == asker.taken &&
                   any_of(fault.others, [&](const LoadedFile& other) { return other.name == provider.name; });
        });
    };
    for (const std::string& version : asker.missing_versions)
        for (const LoadedFile& one : process.trace.libraries)
            if (ends_with(version, SAY(" of {}", one.name)) && is_taken(one)) {
                if (providers.empty() || providers.back().name != one.name) providers.push_back(one);
                break;
            }
    for (const std::string& name : asker.undefined_names) {
        const LoadedFile* provider = provider_of(process, name);
        if (!provider || explained(*provider)) continue;
        lacking.push_back(SAY("{} of {}", name.substr(0, name.rfind('@')), provider->name));
        if (none_of(providers, [&](const LoadedFile& other) { return other.name == provider->name; }))
            providers.push_back(*provider);
    }
    if (lacking.empty()) return;
    LibraryFault& fault = add_fault(process, Kind::lacks_symbols, Family::other, {std::move(asker)}, faults);
    fault.others = std::move(providers);
    fault.symbols = std::move(lacking);
}

void add_lacking(const Process& process, Faults& faults) {
    LoadedFile itself;
    itself.name = file_of(process.trace.path);
    itself.taken = process.trace.path;
    itself.undefined_names = process.trace.undefined_names;
    itself.missing_versions = process.trace.missing_versions;
    add_lacking(process, itself, faults);
    for (const LoadedFile& library : process.trace.libraries)
        if (library.taken) add_lacking(process, library, faults);
}

// The runtime or cuBLAS that the same file needs at start, and its CUDA.
const LoadedFile* beside(const LoadTrace& trace, const std::string& needed_by, const std::string& name) {
    for (const LoadedFile& library : trace.libraries)
        if (library.library == name && is_taken(library) && is_needed_to_start(library) &&
            library.cuda_major && library.needed_by == needed_by)
            return &library;
    return nullptr;
}

void add_cublas_of_other_cuda(const Process& process, Faults& faults) {
    for (const LoadedFile& library : process.trace.libraries) {
        if (!is_cublas(library) || !is_taken(library) || !is_needed_to_start(library)) continue;
        const LoadedFile* runtime = beside(process.trace, library.needed_by, "cudart");
        if (!runtime || !library.cuda_major || library.cuda_major == runtime->cuda_major) continue;
        LibraryFault& fault = add_fault(process, Kind::other_cuda, Family::cublas, {library}, faults);
        fault.others = {*runtime};
        fault.wanted = {version_of_major(runtime->cuda_major), evidence_of(*runtime).origin};
    }
}

// The library of the process whose CUDA a library has to be of: the runtime that the same file needs, or the
// library of CUDA that needs it. Null = not known.
const LoadedFile* fellow_of(const LoadTrace& trace, const LoadedFile& library) {
    for (const LoadedFile& user : trace.libraries)
        if (is_taken(user) && !is_cudnn(user) && user.cuda && user.taken == library.needed_by) return &user;
    const LoadedFile* runtime = beside(trace, library.needed_by, "cudart");
    return runtime && runtime->cuda ? runtime : nullptr;
}

// Two CUDA majors have cuSPARSE, cuRAND and cuFile under one name, so the loader takes either.
void add_shared_name_of_other_cuda(const Process& process, Faults& faults) {
    const auto reported = [&](const LoadedFile& library) {
        return any_of(faults, [&](const LibraryFault& fault) {
            const auto is_it = [&](const LoadedFile& one) { return one.taken == library.taken; };
            return fault.trace == &process.trace &&
                   (any_of(fault.libraries, is_it) || any_of(fault.others, is_it));
        });
    };
    for (const LoadedFile& library : process.trace.libraries) {
        if (library.cuda_major || !library.cuda || !is_taken(library) || !is_needed_to_start(library) ||
            is_cudnn(library))
            continue;
        const LoadedFile* fellow = fellow_of(process.trace, library);
        if (!fellow || fellow->cuda->major() == library.cuda->major() || reported(library)) continue;
        LibraryFault& fault = add_fault(process, Kind::other_cuda, Family::other, {*fellow}, faults);
        fault.others = {library};
        fault.wanted = {version_of_major(fellow->cuda->major()), evidence_of(*fellow).origin};
    }
}

// The CUDA for which a process needs its cuDNN: what the framework was built with; for other files, the
// runtime or the cuBLAS that they link.
Known<Version> cuda_of_process(const Process& process) {
    if (process.framework) return process.framework->cuda;
    for (const char* name : {"cudart", "cublas"})
        if (const LoadedFile* library = beside(process.trace, process.cudnn.asked->needed_by, name))
            return {version_of_major(library->cuda_major), evidence_of(*library).origin};
    return {};
}

void add_cudnn_for_other_cuda(const Process& process, Faults& faults) {
    if (!process.cudnn.asked || process.cudnn.mixed) return;
    // A framework without the rest of its CUDA never comes to its cuDNN.
    for (const char* name : {"cudart", "cublas"})
        if (const LoadedFile* library = process.trace.library(name);
            process.framework && library && is_absent(*library))
            return;
    const Known<Version> wanted = cuda_of_process(process);
    const auto is_other = [&](const LoadedFile& library) {
        return is_cudnn(library) && is_taken(library) && library.cuda &&
               library.cuda->major() != wanted->major();
    };
    if (!wanted) return;
    if (const LoadedFile* library = first_where(process.trace.libraries, is_other))
        add_fault(process, Kind::other_cuda, Family::cudnn, {*library}, faults).wanted = wanted;
}

}  // namespace

void add_faults_of_found(const Process& process, Faults& faults) {
    for (const LoadedFile& library : process.trace.libraries)
        if (library.stub && library.taken) add_fault(process, Kind::stub, Family::other, {library}, faults);
    add_renamed(process, faults);
    add_mixed(process, faults);
    add_shadowed(process, faults);
    add_lacking(process, faults);
    add_cublas_of_other_cuda(process, faults);
    add_cudnn_for_other_cuda(process, faults);
    add_shared_name_of_other_cuda(process, faults);
}

}  // namespace ptxguard
