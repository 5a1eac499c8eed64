// SPDX-License-Identifier: Apache-2.0
#include "load/opened_names.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "host/paths.hpp"
#include "load/elsewhere.hpp"
#include "load/later_names.hpp"
#include "load/load.hpp"

namespace ptxguard {
namespace {

// What a program that computes on GPUs does not do without, once it opens it. Not NCCL: one GPU needs none.
bool is_needed_to_compute(const std::string& library) {
    static const std::set<std::string> k_libraries = {"cudart",      "cublas",   "cublasLt",   "cufft",
                                                      "curand",      "cusolver", "cusparse",   "cudnn",
                                                      "cudnn_graph", "nvrtc",    "cusparseLt", "nvJitLink"};
    return k_libraries.count(library) != 0;
}

// By library: the names in its constants, if it calls dlopen.
std::map<std::string, std::vector<std::string>> names_in(const Host& host, const Facts& facts,
                                                         const std::string& path) {
    std::map<std::string, std::vector<std::string>> names;
    const auto source = host.open(path);
    const auto file = source ? read_elf(*source) : Result<ElfFile>(Trouble{});
    const auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
    if (!symbols || std::none_of(symbols->undefined.begin(), symbols->undefined.end(),
                                 [](const ElfSymbol& symbol) { return symbol.name == "dlopen"; }))
        return names;
    for (const std::string& name : library_names_in_text(*source, *file))
        if (const auto library = library_by_file_name(facts, name);
            library && library->number && is_needed_to_compute(library->library))
            names[library->library].push_back(name);
    return names;
}

}  // namespace

std::vector<LoadedFile> opened_and_missing(const Host& host, const Facts& facts, const std::string& path,
                                           const std::string& site,
                                           const std::vector<std::string>& site_packages) {
    std::vector<LoadedFile> missing;
    const auto names = names_in(host, facts, path);
    if (names.empty()) return missing;
    LoadOptions options;
    options.site_packages = site_packages;
    const auto trace = trace_file(host, facts, path, options);
    if (!trace) return missing;
    for (const auto& [library, asked] : names) {
        const LoadedFile* found = nullptr;
        LoadTrace one;
        for (const LoadedFile& file : trace->libraries) {
            if (file.library != library) continue;
            if (file.taken || file.undecided) found = &file;
            if (std::find(asked.begin(), asked.end(), file.name) == asked.end()) continue;
            one.libraries.push_back(file);
            one.libraries.back().how = LoadHow::dlopen;  // the file calls it
        }
        if (found || one.libraries.empty()) continue;
        find_elsewhere(host, facts, site, one);
        const auto is_here = [](const LoadedFile& file) {
            return std::any_of(file.losers.begin(), file.losers.end(),
                               [](const LoadLoser& loser) { return loser.lost == LoadLost::not_searched; });
        };
        // The package's own code may open the copy of the environment.
        if (std::none_of(one.libraries.begin(), one.libraries.end(), is_here))
            missing.push_back(one.libraries.back());
    }
    return missing;
}

}  // namespace ptxguard
