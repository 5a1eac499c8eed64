// SPDX-License-Identifier: Apache-2.0
#include "judge/cudnn_questions.hpp"

#include <algorithm>

#include "facts/libraries.hpp"
#include "facts/pypi.hpp"
#include "judge/fixes.hpp"
#include "judge/library_faults.hpp"
#include "judge/ptx_questions.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"
#include "python/specifier.hpp"

namespace ptxguard {
namespace {

// cudnnGetVersion is in the graph library for cuDNN 9, in the first opened library for cuDNN 8.
const LoadedFile* version_library_of(const LoadTrace& trace) {
    for (const char* name : {"cudnn_graph", "cudnn_ops_infer", "cudnn_ops", "cudnn"}) {
        const LoadedFile* library = trace.library(name);
        if (library && is_taken(*library) && library->version) return library;
    }
    return nullptr;
}

bool same_release_of_cudnn(const Version& a, const Version& b) {
    for (std::size_t i = 0; i < std::min({a.numbers.size(), b.numbers.size(), std::size_t{3}}); ++i)
        if (a.at(i) != b.at(i)) return false;
    return true;
}

// libcudnn itself, else the first of its libraries.
const LoadedFile* asked_for(const LoadTrace& trace) {
    const LoadedFile* named = trace.library("cudnn");
    return named ? named : first_where(trace.libraries, is_cudnn);
}

}  // namespace

bool only_forwards(const LoadedFile& library, const LoadedFile& graph) {
    if (library.library != "cudnn" || graph.library != "cudnn_graph" || !library.version || !graph.version)
        return false;
    // An older one only calls what later releases keep; from 9.9 a newer one does without what older ones
    // lack.
    const bool is_older = !(*graph.version < *library.version);
    const Version first_measured = *parse_version(is_older ? "9.1" : "9.9");
    return *library.version >= first_measured && *graph.version >= first_measured;
}

CudnnInUse cudnn_of(const Scenario& scenario, const LoadTrace& trace) {
    CudnnInUse cudnn;
    cudnn.trace = &trace;
    cudnn.framework = scenario.framework_of(trace);
    cudnn.asked = asked_for(trace);
    cudnn.version_library = version_library_of(trace);
    if (cudnn.version_library) {
        cudnn.version = cudnn.version_library->version;
        cudnn.cuda = cudnn.version_library->cuda;
    }
    for (const LoadedFile& library : trace.libraries) {
        if (!is_cudnn(library) || !is_taken(library)) continue;
        if (library.cuda && !cudnn.cuda) cudnn.cuda = library.cuda;
        const bool forwards = cudnn.version_library && only_forwards(library, *cudnn.version_library);
        if (library.version && cudnn.version && !forwards &&
            !same_release_of_cudnn(*library.version, *cudnn.version))
            cudnn.mixed = true;
    }
    return cudnn;
}

std::vector<CudnnInUse> cudnns_in_use(const Scenario& scenario) {
    std::vector<CudnnInUse> all;
    for (const LoadTrace& trace : scenario.traces) {
        CudnnInUse cudnn = cudnn_of(scenario, trace);
        if (cudnn.asked) all.push_back(cudnn);
    }
    return all;
}

int major_asked(const LoadedFile& cudnn, const Expectation* framework, const Facts& facts) {
    const auto known = library_by_file_name(facts, file_of(cudnn.name));
    if (known && known->number) return known->number->major();
    return framework && framework->cudnn ? framework->cudnn->major() : 0;
}

namespace {

// Whether PyPI has a release of cuDNN for that CUDA in that range: of 8 for CUDA 13 it has none.
bool is_published(const std::string& package, const std::string& range, const Facts& facts) {
    const PypiPackage* table = pypi_package(facts, package);
    return table &&
           any_of(table->releases, [&](const PypiRelease& one) { return accepts(range, one.version); });
}

}  // namespace

Fix get_cudnn_fix(const Expectation* framework, const Version& wanted, const Facts& facts, int cuda_major) {
    if (!cuda_major && framework && framework->cuda) cuda_major = framework->cuda->major();
    const std::string release = wanted.numbers.size() > 1 ? wanted.release() : std::to_string(wanted.major());
    const std::string package = SAY("nvidia-cudnn-cu{}", cuda_major),
                      range = SAY(">={},<{}", release, wanted.major() + 1);
    if (framework && framework->how != Installation::conda && framework->how != Installation::libtorch &&
        is_published(package, range, facts))
        return {FixKind::command, SAY("{}'{}{}'", k_pip_install, package, range)};
    const std::string cuda = cuda_major ? SAY(" for CUDA {}", cuda_major) : std::string();
    return by_hand(wanted.numbers.size() > 1 ? SAY("install cuDNN {} or newer{}", release, cuda)
                                             : SAY("install cuDNN {}{}", release, cuda));
}

}  // namespace ptxguard
