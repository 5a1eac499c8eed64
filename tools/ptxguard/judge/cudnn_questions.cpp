// SPDX-License-Identifier: Apache-2.0
#include "judge/cudnn_questions.hpp"

#include <algorithm>

#include "facts/framework_traits.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_questions.hpp"
#include "judge/ptx_questions.hpp"
#include "model/text.hpp"

namespace ptxguard {
namespace {

std::string folder_of_path(const std::string& path) {
    const auto end = path.find_last_of("/\\");
    return end == std::string::npos ? std::string() : path.substr(0, end);
}

// cudnnGetVersion of cuDNN 9 is in the graph library, of 8 in the first library that is opened.
const LoadedFile* speaker_of(const LoadTrace& trace) {
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

CudnnInUse cudnn_of(const Scenario& scenario, const LoadTrace& trace) {
    CudnnInUse cudnn;
    cudnn.trace = &trace;
    cudnn.framework = scenario.framework_of(trace);
    cudnn.asked = trace.library("cudnn");
    cudnn.speaker = speaker_of(trace);
    for (const LoadedFile& library : trace.libraries)
        if (!cudnn.asked && is_cudnn(library)) cudnn.asked = &library;
    if (cudnn.speaker) cudnn.version = cudnn.speaker->version;
    if (cudnn.speaker) cudnn.cuda = cudnn.speaker->cuda;
    for (const LoadedFile& library : trace.libraries) {
        if (!is_cudnn(library) || !is_taken(library)) continue;
        if (library.cuda && !cudnn.cuda) cudnn.cuda = library.cuda;
        if (library.version && cudnn.version && !same_release_of_cudnn(*library.version, *cudnn.version))
            cudnn.mixed = true;
    }
    return cudnn;
}

}  // namespace

bool is_cudnn(const LoadedFile& library) {
    return library.library == "cudnn" || starts_with(library.library, "cudnn_");
}

bool is_absent(const LoadedFile& library) {
    return !library.taken && !library.undecided && !library.optional && library.how != LoadHow::text;
}

std::vector<CudnnInUse> cudnns_in_use(const Scenario& scenario) {
    std::vector<CudnnInUse> all;
    for (const LoadTrace& trace : scenario.traces) {
        CudnnInUse cudnn = cudnn_of(scenario, trace);
        if (cudnn.asked) all.push_back(cudnn);
    }
    return all;
}

std::string name_of(const CudnnInUse& cudnn) {
    if (cudnn.framework) return name_of(*cudnn.framework);
    return cudnn.trace->framework.empty() ? cudnn.trace->path : cudnn.trace->framework;
}

int major_asked(const CudnnInUse& cudnn, const Facts& facts) {
    const std::string& name = cudnn.asked->name;
    const auto known = library_by_file_name(facts, name.substr(name.find_last_of("/\\") + 1));
    if (known && known->number) return known->number->major();
    return cudnn.framework && cudnn.framework->cudnn ? cudnn.framework->cudnn->major() : 0;
}

std::vector<const LoadedFile*> missing_libraries(const LoadTrace& trace, const Facts& facts) {
    std::vector<const LoadedFile*> needed, later;
    for (const LoadedFile& library : trace.libraries) {
        if (!is_absent(library) || is_of_driver(library, facts) || library.library == "nvrtc-builtins")
            continue;
        (is_needed_to_start(library) ? needed : later).push_back(&library);
    }
    return needed.empty() ? later : needed;
}

bool only_cudnn_is_missing(const LoadTrace& trace, const Facts& facts) {
    const auto missing = missing_libraries(trace, facts);
    return !missing.empty() && std::all_of(missing.begin(), missing.end(),
                                           [](const LoadedFile* library) { return is_cudnn(*library); });
}

bool names_a_gpu(const Scenario& scenario) {
    return std::any_of(scenario.gpus.begin(), scenario.gpus.end(),
                       [](const Gpu& gpu) { return gpu.declared; });
}

bool is_meant_for_gpu(const Scenario& scenario) {
    if (!scenario.gpus.empty() || scenario.requires_("gpu") || scenario.requires_("driver")) return true;
    return std::any_of(scenario.drivers.begin(), scenario.drivers.end(),
                       [](const Driver& driver) { return has_level(driver); });
}

bool is_meant_for_gpu(const Scenario& scenario, const Facts& facts, const CudnnInUse& cudnn) {
    const bool plugin = framework_traits(facts, cudnn.trace->framework).cuda_is_plugin;
    if (is_needed_to_start(*cudnn.asked) && !plugin) return true;
    if (cudnn.framework && cudnn.framework->required) return true;
    return !cudnn.trace->packages_of_others && is_meant_for_gpu(scenario);
}

Fix get_cudnn_fix(const CudnnInUse& cudnn, const Version& wanted, int cuda_major) {
    const std::string release = wanted.numbers.size() > 1 ? wanted.release() : std::to_string(wanted.major());
    const bool by_pip = cudnn.framework && cudnn.framework->how != "conda" &&
                        cudnn.framework->how != "libtorch" && cuda_major >= 11;
    if (by_pip)
        return {FixKind::command, "python3 -m pip install 'nvidia-cudnn-cu" + std::to_string(cuda_major) +
                                      ">=" + release + ",<" + std::to_string(wanted.major() + 1) + "'"};
    const std::string cuda = cuda_major ? " for CUDA " + std::to_string(cuda_major) : std::string();
    return {FixKind::manual,
            "install cuDNN " + release + (wanted.numbers.size() > 1 ? " or newer" : "") + cuda};
}

std::vector<Fix> variable_fix(const LoadedFile& library) {
    const std::string variable = deciding_variable(library);
    if (variable.empty() || !library.taken) return {};
    return {{FixKind::setting, "take " + folder_of_path(*library.taken) + " out of " + variable}};
}

}  // namespace ptxguard
