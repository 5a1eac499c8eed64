// SPDX-License-Identifier: Apache-2.0
#include "load/called_functions.hpp"

#include <set>

#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// The names that a library defines; nothing = it cannot be read, or has no symbols.
std::set<std::string> defined_in(const Host& host, const std::string& path) {
    std::set<std::string> names;
    const auto source = host.open(path);
    const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
    auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
    if (!symbols || add_defined(*symbols)) return names;
    for (const ElfSymbol& symbol : symbols->defined) names.emplace(symbol.name);
    return names;
}

// Functions that are called in the library of that name and that neither `path` nor another library of the
// process defines.
std::vector<std::string> lacking_in(const Host& host, const std::string& path, const std::string& name,
                                    const Callers& callers) {
    std::vector<std::string> lacking;
    const auto asks = [&](const FunctionCalled& function) { return function.library.name == name; };
    if (none_of(callers.functions, asks)) return lacking;
    const std::set<std::string> defined = defined_in(host, path);
    for (const FunctionCalled& function : callers.functions)
        if (asks(function) && !defined.empty() && defined.count(function.name) == 0 &&
            !contains(lacking, function.name))
            lacking.push_back(function.name);
    for (const LoadedFile& other : callers.libraries) {
        if (lacking.empty() || other.name == name) continue;
        const std::set<std::string> there = defined_in(host, *other.taken);
        erase_if(lacking, [&](const std::string& function) { return there.count(function) != 0; });
    }
    return lacking;
}

}  // namespace

Callers callers_of(const Host& host, const Facts& facts, const LinuxProcess& process) {
    Callers callers;
    for (const LoadedFile& file : process.files)
        if (const auto name = library_by_file_name(facts, file.name); file.taken && name && !name->driver) {
            callers.libraries.push_back(file);
            callers.libraries.back().library = name->library;
        }
    for (const LinuxObject& object : process.objects) {
        const auto source = object.path.empty() ? Result<Source>(Trouble{}) : host.open(object.path);
        const auto file = source ? read_elf_segments(*source) : Result<ElfFile>(Trouble{});
        const auto symbols = file ? read_elf_symbols(*source, *file) : Result<ElfSymbols>(Trouble{});
        if (!symbols) continue;
        for (const ElfSymbol& symbol : symbols->undefined) {
            if (symbol.weak || !symbol.version_file.empty()) continue;
            const std::string library = library_of_function(facts, std::string(symbol.name));
            if (library.empty()) continue;
            for (const LoadedFile& one : callers.libraries)
                if (one.library == library) callers.functions.push_back({std::string(symbol.name), one});
        }
    }
    return callers;
}

void add_lacking(const Host& host, const std::string& path, const LoadedFile& library, const Callers& callers,
                 const std::string& framework, std::vector<LackingLibrary>& found) {
    LackingLibrary one;
    one.name = library.name;
    one.path = path;
    one.functions = lacking_in(host, path, library.name, callers);
    one.framework = framework;
    if (!framework.empty()) one.other = *library.taken;
    if (!one.functions.empty()) found.push_back(std::move(one));
}

}  // namespace ptxguard
