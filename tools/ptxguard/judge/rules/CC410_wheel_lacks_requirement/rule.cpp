// CC410 wheel_lacks_requirement: modules of a wheel need NVIDIA libraries that it neither contains nor
// requires.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"

#include <cstdlib>
#include <set>

#include "facts/libraries.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

// Packages whose import or search provides NVIDIA's libraries.
bool brings_libraries(const std::string& package) {
    for (const char* const name : {"torch", "tensorflow", "jax", "cupy", "paddlepaddle", "mxnet",
                                   "cuda-toolkit", "cuda-pathfinder", "cuda-python", "cuda-bindings"})
        if (starts_with(package, name)) return true;
    return false;
}

// The CUDA major in the names of the libraries that the wheel's members need; 0 = in none, or not the same.
int major_of(const Facts& facts, const Scenario& scenario, const BinaryFile& wheel) {
    std::set<int> majors;
    for (const BinaryFile& member : scenario.binaries)
        if (member.container == wheel.path)
            for (const std::string& name : member.needed)
                if (const auto library = library_by_file_name(facts, name); library && !library->driver)
                    majors.insert(library->cuda_major);
    majors.erase(0);
    return majors.size() == 1 ? *majors.begin() : 0;
}

// That of the wheel's CUDA: libcurand.so.10 is in those of CUDA 11, 12 and 13.
const LibrarySource* source_for(const std::vector<LibrarySource>& sources, int major) {
    const LibrarySource* first = nullptr;
    for (const LibrarySource& source : sources) {
        if (source.package.empty()) continue;
        if (major != 0 && std::atoi(source.cuda.c_str()) == major) return &source;
        if (!first) first = &source;
    }
    return first;
}

// The libraries that a table assigns to packages, if the wheel requires none of these, with those packages.
void add_missing(const Facts& facts, const BinaryFile& wheel, const BinaryFile& member, int major,
                 std::vector<std::string>& libraries, std::vector<std::string>& packages) {
    const System system = member.format == FileFormat::pe ? System::windows : System::linux_;
    for (const std::string& name : member.needed) {
        const auto library = library_by_file_name(facts, name);
        if (!library || library->driver || contains(wheel.bundled, library->library)) continue;
        const bool by_cudnn = contains(wheel.requires_dist, SAY("nvidia-cudnn-cu{}", library->cuda_major));
        // cuDNN's packages require cuBLAS's.
        if (by_cudnn && (library->library == "cublas" || library->library == "cublasLt")) continue;
        const std::vector<LibrarySource> sources = library_sources(facts, name, system);
        const bool required = any_of(sources, [&](const LibrarySource& source) {
            return contains(wheel.requires_dist, source.package);
        });
        const LibrarySource* const source = source_for(sources, major);
        if (!source || required) continue;
        add_once(libraries, name);
        add_once(packages, source->package);
    }
}

}  // namespace

PTXGUARD_RULE(CC410) {
    for (const BinaryFile& wheel : scenario.binaries) {
        const std::vector<std::string>& required = wheel.requires_dist;
        if (wheel.archive != ArchiveKind::wheel || any_of(required, brings_libraries)) continue;
        std::vector<std::string> libraries, packages;
        const int major = major_of(facts, scenario, wheel);
        for (const BinaryFile& member : scenario.binaries)
            if (member.container == wheel.path) add_missing(facts, wheel, member, major, libraries, packages);
        if (libraries.empty()) continue;
        add(findings, "CC410", Level::note, wheel.path,
            SAY("{} needs {} and requires no package that has {}", wheel.path, list(libraries),
                libraries.size() == 1 ? "it" : "them"))
            .found("libraries", list(libraries), wheel.origin)
            .expected("Requires-Dist", list(packages), {})
            .because(
                "pip installs it into an environment in which its import fails, unless CUDA is installed "
                "there")
            .by_hand(SAY("add to the project's dependencies, or to an extra: {}", list(packages)));
    }
}

}  // namespace ptxguard
