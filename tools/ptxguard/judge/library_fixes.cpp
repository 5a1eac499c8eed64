// How to get a missing library on Linux: NVIDIA's packages for the CUDA of the file that needs it.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "judge/library_words.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// The wheel with a library of that name, for that CUDA; 0: the only one.
std::optional<LibrarySource> wheel_with(const std::string& name, int cuda_major, const Facts& facts) {
    std::optional<LibrarySource> only;
    for (const LibrarySource& source : library_sources(facts, name, System::linux_)) {
        if (source.package.empty()) continue;
        if (source.cuda == std::to_string(cuda_major)) return source;
        if (cuda_major == 0 && only) return std::nullopt;
        only = source;
    }
    return cuda_major ? std::nullopt : only;
}

// "nvidia-cudnn-cu12>=9,<10": another release of the package, installed or later, may have another soname.
std::string bounded(const std::string& package, const std::string& name) {
    const std::size_t at = name.find(".so.");
    const auto number = at == npos ? std::nullopt : parse_version(name.substr(at + 4));
    const bool is_numbered = starts_with(package, "nvidia-cudnn") || starts_with(package, "nvidia-nccl");
    if (!number || !is_numbered) return package;
    const bool older = starts_with(package, "nvidia-cudnn") && number->major() > 8;
    return SAY("'{}{}{}'", package, older ? SAY(">={},<", number->major()) : "<", number->major() + 1);
}

// `names`: those of one or more libraries, of which one is `known`.
Fix install_fix(const std::string& names, const std::optional<LibraryName>& known) {
    const std::string of = known && known->cuda_major ? SAY(" of CUDA {}", known->cuda_major) : "";
    return by_hand(SAY("install {}{} in a folder that the loader searches", names, of));
}

}  // namespace

std::vector<Fix> get_library_fix(const std::string& name, const Facts& facts, int cuda_major) {
    const auto known = library_by_file_name(facts, name);
    std::vector<Fix> fixes{install_fix(name, known)};
    if (known && known->cuda_major) cuda_major = known->cuda_major;
    const std::vector<LibrarySource> sources = library_sources(facts, name, System::linux_);
    const LibrarySource* wheel = nullptr;
    std::string others;  // of an older CUDA, where nothing decides between the two
    for (const LibrarySource& source : sources) {
        if (source.package.empty() || (cuda_major && source.cuda != std::to_string(cuda_major))) continue;
        if (wheel)
            others += SAY("{}for CUDA {}: {}", others.empty() ? "" : ", ", wheel->cuda, wheel->package);
        wheel = &source;
    }
    if (wheel)
        fixes.push_back(by_hand(
            SAY("pip install {}{}, and add its {} to LD_LIBRARY_PATH if the file does not search it",
                bounded(wheel->package, name), others.empty() ? "" : SAY(" ({})", others), wheel->folder)));
    return fixes;
}

std::optional<Fix> get_wheels_fix(const std::vector<LoadedFile>& libraries, int cuda_major,
                                  const Facts& facts) {
    std::vector<std::string> packages, folders;
    // A name without CUDA's major (NCCL): of the CUDA of the others.
    for (const LoadedFile& library : libraries)
        if (const auto name = library_by_file_name(facts, library.name); !cuda_major && name)
            cuda_major = name->cuda_major;
    for (const LoadedFile& library : libraries)
        if (!cuda_major && library.cuda) cuda_major = library.cuda->major();
    for (const LoadedFile& library : libraries) {
        const auto name = library_by_file_name(facts, library.name);
        const int major = name && name->cuda_major ? name->cuda_major : cuda_major;
        const auto wheel = wheel_with(library.name, major, facts);
        if (!wheel) continue;
        add_once(packages, bounded(wheel->package, library.name));
        add_once(folders, wheel->folder);
    }
    if (packages.empty()) return std::nullopt;
    return by_hand(
        SAY("pip install {}, and add {} in site-packages to LD_LIBRARY_PATH if the file does not search it",
            joined(packages, " "), list(folders)));
}

std::vector<Fix> get_libraries_fix(const std::vector<LoadedFile>& libraries, int cuda_major,
                                   const Facts& facts) {
    const auto wheels = get_wheels_fix(libraries, cuda_major, facts);
    const std::string& first = libraries.front().name;
    std::vector<Fix> others = get_library_fix(first, facts, cuda_major);
    if (libraries.size() > 1)
        others.front() = install_fix(names_of(libraries), library_by_file_name(facts, first));
    return wheels ? std::vector<Fix>{*wheels, others.front()} : others;
}

}  // namespace ptxguard
