// SPDX-License-Identifier: Apache-2.0
#include "runtime/code.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "facts/lto_ir.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "inspect/inspect.hpp"
#include "model/ranges.hpp"
#include "runtime/module_files.hpp"

namespace ptxguard {
namespace {

// One library per family (cuBLAS, cuDNN) whose device code is read for all.
bool is_representative(const LoadedFile& library) {
    return library.library == "cublas" || library.library == "cudnn_ops" ||
           library.library == "cudnn_ops_infer";
}

bool by_table(const Known<std::vector<Target>>& archs) { return archs.origin.kind == OriginKind::table; }

void take_archs(std::vector<Target> targets, const std::string& path, Expectation& framework) {
    const Origin origin = Origin::from_library(path, "device code in " + path);
    if (framework.archs && words_of(*framework.archs) != words_of(targets))
        framework.disagreements.push_back(
            {"architectures", words_of(targets), words_of(*framework.archs), origin, framework.archs.origin});
    framework.archs = {std::move(targets), origin};
    framework.archs.origin.certainty = Certainty::read;
}

// The CUDA major that made the file's code at least: by the ABI of its cubins, and by its PTX, which nvcc
// writes in the newest version of its release. 0 = not known.
int cuda_of_code(const Facts& facts, const BinaryFile& file) {
    std::optional<int> of_cubins;
    for (const DeviceEntry& entry : file.entries) {
        if (entry.kind != EntryKind::cubin || !entry.is_run()) continue;
        const int first = first_cuda_of_cubin(entry.abi, entry.arch.number);
        of_cubins = std::min(of_cubins.value_or(first), first);
    }
    int major = of_cubins.value_or(0);
    for (const EntryGroup& group : file.summary) {
        if (group.kind != EntryKind::ptx || !group.ptx) continue;
        const auto release = facts.newest_cuda_for_ptx(*group.ptx);
        const CudaRelease* row = release ? facts.cuda(*release) : nullptr;
        if (row && row->ptx_max == group.ptx) major = std::max(major, release->major());
    }
    return major;
}

// Fatbins with code for one GPU only (sm_90a): kernels beside those for all GPUs. By architecture.
std::map<Arch, std::size_t> fatbins_for_one(const BinaryFile& file) {
    std::map<std::uint32_t, std::set<Arch>> of_fatbin;
    for (const DeviceEntry& entry : file.entries)
        if (!entry.empty) of_fatbin[entry.fatbin].insert(entry.arch);
    std::map<Arch, std::size_t> counts;
    std::size_t general = 0;
    for (const auto& [fatbin, archs] : of_fatbin)
        if (archs.size() == 1 && archs.begin()->suffix != 0)
            ++counts[*archs.begin()];
        else
            ++general;
    return general > 0 ? counts : std::map<Arch, std::size_t>();
}

// The relocatable fatbins of a file that has others: the objects of one device link (NCCL's), whose result is
// one of the others. By what they contain, how many do.
struct LinkedObjects {
    std::set<std::uint32_t> fatbins;
    std::map<std::pair<EntryKind, Arch>, std::set<std::uint32_t>> with;
};
LinkedObjects linked_objects(const BinaryFile& file) {
    LinkedObjects objects;
    std::set<std::uint32_t> others;
    for (const DeviceEntry& entry : file.entries) {
        if (!entry.is_run()) continue;
        (entry.relocatable ? objects.fatbins : others).insert(entry.fatbin);
        if (entry.relocatable) objects.with[{entry.kind, entry.arch}].insert(entry.fatbin);
    }
    return others.size() > 1 ? objects : LinkedObjects{};
}

// The architectures of most kernels of a file: extra ones of single modules (sm_90a for a few) do not cover
// the rest.
std::vector<Target> targets_of_most(const BinaryFile& file) {
    std::vector<Target> targets;
    std::set<std::uint32_t> empty;
    for (const DeviceEntry& entry : file.entries)
        if (entry.empty) empty.insert(entry.fatbin);
    std::size_t fatbins = file.fatbins - std::min(file.fatbins, empty.size());
    const std::map<Arch, std::size_t> for_one = fatbins_for_one(file);
    for (const auto& [arch, count] : for_one) fatbins -= std::min(fatbins, count);
    const LinkedObjects objects = linked_objects(file);
    fatbins -= std::min(fatbins, objects.fatbins.size());
    for (const EntryGroup& group : file.summary) {
        const bool code = group.kind == EntryKind::cubin || group.kind == EntryKind::ptx;
        const auto extra = for_one.find(group.arch);
        const auto linked = objects.with.find({group.kind, group.arch});
        const std::size_t not_shared = (extra == for_one.end() ? 0 : extra->second) +
                                       (linked == objects.with.end() ? 0 : linked->second.size());
        const std::size_t shared = group.fatbins - std::min(group.fatbins, not_shared);
        if (shared == 0) continue;
        if (!code || group.arch.number == 0 || shared * 2 < fatbins) continue;
        auto known = std::find_if(targets.begin(), targets.end(),
                                  [&](const Target& target) { return target.arch == group.arch; });
        if (known == targets.end()) known = targets.insert(targets.end(), Target{group.arch, false, false});
        (group.kind == EntryKind::cubin ? known->real : known->ptx) = true;
    }
    std::sort(targets.begin(), targets.end(),
              [](const Target& a, const Target& b) { return a.arch < b.arch; });
    return targets;
}

void take_ptx_versions(const BinaryFile& file, Known<PtxVersion>& newest, Known<PtxVersion>& oldest) {
    const Origin where = Origin::from_library(file.path, "device code in " + file.path);
    for (const EntryGroup& group : file.summary) {
        if (group.kind != EntryKind::ptx || !group.ptx) continue;
        if (!newest || *newest < *group.ptx) newest = {*group.ptx, where};
        if (!oldest || *group.ptx < *oldest) oldest = {*group.ptx, where};
    }
}

}  // namespace

CodeOfFiles code_of_all(const Host& host, const Facts& facts, const std::vector<std::string>& paths) {
    Scenario alone;
    inspect(host, facts, paths, {}, alone);
    std::vector<Target> targets;
    std::string first;
    Known<PtxVersion> ptx, oldest;
    std::optional<int> cuda;
    for (const BinaryFile& file : alone.binaries) {
        if (!file.trouble.empty()) return {};
        if (!file.entries.empty()) {
            const int major = cuda_of_code(facts, file);
            cuda = std::min(cuda.value_or(major), major);
        }
        take_ptx_versions(file, ptx, oldest);
        for (const Target& target : targets_of_most(file)) {
            if (first.empty()) first = file.path;
            auto known = std::find_if(targets.begin(), targets.end(),
                                      [&](const Target& one) { return one.arch == target.arch; });
            if (known == targets.end()) known = targets.insert(targets.end(), target);
            known->real = known->real || target.real;
            known->ptx = known->ptx || target.ptx;
        }
    }
    if (targets.empty()) return {};
    std::sort(targets.begin(), targets.end(),
              [](const Target& a, const Target& b) { return a.arch < b.arch; });
    const Origin origin = Origin::from_library(first, "device code in " + first);
    CodeOfFiles code{{std::move(targets), origin}, ptx, oldest, {}};
    if (cuda.value_or(0) != 0) code.cuda = {*parse_version(std::to_string(*cuda)), origin};
    return code;
}

const std::string& part_with_cuda(const Expectation& framework) {
    return framework.build_package.empty() ? framework.package : framework.build_package;
}

bool uses_cuda(const Expectation& framework) {
    return !framework.declared && !framework.path.empty() && framework.may_use_cuda();
}

std::vector<std::string> existing_files(const Host& host, const Expectation& framework,
                                        const std::vector<std::string>& patterns) {
    const std::string site = "{site}/";
    std::vector<std::string> files;
    for (const std::string& file : patterns) {
        const bool beside = starts_with(file, site);
        const std::string path =
            beside ? join_path(framework.site, file.substr(site.size())) : join_path(framework.path, file);
        for (std::string& found : paths_matching(host, path)) files.push_back(std::move(found));
    }
    return files;
}

std::vector<std::string> files_with(const Facts& facts, const Expectation& framework, FrameworkFile kind,
                                    const Host& host) {
    return existing_files(host, framework,
                          framework_files(facts, part_with_cuda(framework), host.system(), kind));
}

namespace {

// nvcc writes PTX of its own release; the name of a library that the framework opens has only the major.
void refine_cuda(const Facts& facts, const BinaryFile& file, Expectation& framework) {
    if (!framework.cuda || framework.cuda->numbers.size() > 1) return;
    std::optional<PtxVersion> newest;
    for (const EntryGroup& group : file.summary)
        if (group.kind == EntryKind::ptx && group.ptx && (!newest || *newest < *group.ptx))
            newest = group.ptx;
    const auto release = newest ? facts.newest_cuda_for_ptx(*newest) : std::nullopt;
    const CudaRelease* row = release ? facts.cuda(*release) : nullptr;
    if (!row || row->ptx_max != newest || release->major() != framework.cuda->major()) return;
    const std::string said = "PTX " + newest->text() + " in " + file.path;
    framework.cuda = {*release, Origin::from_library(file.path, said, Certainty::read)};
}

}  // namespace

void read_code(const Host& host, const Facts& facts, Expectation& framework) {
    if (!uses_cuda(framework) || (framework.archs && !by_table(framework.archs))) return;
    for (const std::string& path : files_with(facts, framework, FrameworkFile::kernels, host)) {
        Scenario alone;
        inspect(host, facts, {path}, {}, alone);
        const bool whole = !alone.binaries.empty() && alone.binaries.front().trouble.empty();
        auto targets = whole ? targets_of_most(alone.binaries.front()) : std::vector<Target>();
        if (targets.empty()) continue;
        if (opens_by_its_files(facts, part_with_cuda(framework), host.system()))
            refine_cuda(facts, alone.binaries.front(), framework);
        return take_archs(std::move(targets), path, framework);
    }
}

void inspect_their_libraries(const Host& host, const Facts& facts, Scenario& scenario) {
    if (scenario.gpus.empty()) return;
    std::vector<std::string> paths;
    for (const LoadTrace& trace : scenario.traces)
        for (const LoadedFile& library : trace.libraries)
            if (is_representative(library) && library.taken) {
                // Frameworks name the same file by different paths.
                const std::string& path = library.real_path.empty() ? *library.taken : library.real_path;
                if (!contains(paths, path)) paths.push_back(path);
            }
    // Use a separate scenario: the user did not name this file, so a read error is not reported.
    Scenario alone;
    inspect(host, facts, paths, {}, alone);
    // An incomplete file is no evidence, and the user did not name it.
    for (BinaryFile& file : alone.binaries)
        if (file.trouble.empty()) scenario.binaries.push_back(std::move(file));
}

}  // namespace ptxguard
