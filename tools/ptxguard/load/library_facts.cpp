// Combines the content of a library file, its real name and its package, in this order.
// SPDX-License-Identifier: Apache-2.0
#include "load/library_facts.hpp"

#include <map>

#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard {
namespace {

// The number in the real file's name if it is a whole version: libcublas.so.12.8.4.1. NVRTC's builtins have
// only the release.
Known<Version> version_by_name(const LibraryName& real, const std::string& path) {
    const std::size_t enough = real.library == "nvrtc-builtins" ? 2 : 3;
    // cupti64_2025.2.1.dll is numbered by year, not by CUDA release.
    constexpr int k_a_year = 2000;
    if (!real.number || real.number->numbers.size() < enough || real.number->major() >= k_a_year) return {};
    return {*real.number, Origin::from_file(path).shown_as("file name " + path)};
}

// cuDNN's components come in its package, cuBLASLt in cuBLAS': their names all contain the library's first
// word.
std::vector<std::string> package_words(const LibraryName& name) {
    const std::string word = lower(name.library).substr(0, name.library.find_first_of("_-"));
    for (const char* family : {"cublas", "cusolver", "cufft"})
        if (starts_with(word, family)) return {family};
    return {word};
}

bool begins_with(const Version& longer, const Version& shorter) {
    if (longer.numbers.size() <= shorter.numbers.size()) return false;
    for (std::size_t i = 0; i < shorter.numbers.size(); ++i)
        if (longer.at(i) != shorter.at(i)) return false;
    return true;
}

}  // namespace

const LibraryFacts::Identity* LibraryFacts::identity_of(const std::string& asked_name,
                                                        const std::string& path) {
    const std::string real_path = real_or_same(m_host, path);
    const auto real_name = library_by_file_name(m_facts, file_name(real_path));
    auto name = library_by_file_name(m_facts, file_name(asked_name));
    if (!name) name = real_name ? real_name : library_by_file_name(m_facts, file_name(path));
    if (!name) return nullptr;
    auto& known = m_identities[{real_path, file_name(asked_name)}];
    if (known) return &*known;
    known.emplace();
    known->name = *name;
    if (const auto source = m_host.open(real_path)) known->words = own_words(*source, *name, path);
    const auto by_name = real_name ? version_by_name(*real_name, real_path) : Known<Version>{};
    known->version = known->words.version;
    // The name may have more digits: 12.8.4.1 where the file has 12.8.4.
    if (!known->version || (by_name && begins_with(*by_name, *known->version)))
        known->version = by_name ? by_name : known->version;
    if (!known->version && !known->words.stub && !name->driver) {
        const PackageOwner owner = m_owners.owner(path, package_words(*name));
        known->version = owner.version;
        if (owner.version) known->package = owner.package;
    }
    return &*known;
}

void LibraryFacts::identify(LoadedFile& library) {
    if (!library.taken) {
        if (const auto name = library_by_file_name(m_facts, file_name(library.name))) {
            library.library = name->library;
            library.cuda_major = name->cuda_major;
        }
        return;
    }
    const Identity* found = identity_of(library.name, *library.taken);
    if (!found) return;
    library.library = found->name.library;
    library.cuda_major = found->name.cuda_major;
    library.stub = found->words.stub;
    library.version = found->version;
    library.package = found->package;
    library.cuda =
        found->words.cuda ? found->words.cuda : cuda_of_library(m_facts, library.library, library.version);
    if (library.machine.empty()) library.machine = found->words.machine;
}

Known<Version> LibraryFacts::version(const std::string& path) {
    const Identity* found = identity_of(path, path);
    return found ? found->version : Known<Version>{};
}

PackageOwner LibraryFacts::owner(const std::string& path) {
    const auto name = library_by_file_name(m_facts, file_name(real_or_same(m_host, path)));
    return name ? m_owners.owner(path, package_words(*name)) : PackageOwner{};
}

}  // namespace ptxguard
