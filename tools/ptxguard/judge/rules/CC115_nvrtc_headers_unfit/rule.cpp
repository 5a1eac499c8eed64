// CC115 nvrtc_headers_unfit: a package passes CUDA headers to NVRTC that this release of NVRTC does not compile.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "facts/tool_search.hpp"
#include "judge/rule.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// The NVRTC in the process of the package: from its own trace, otherwise from that of the framework that it
// extends.
const LoadedFile* nvrtc_of(const Scenario& scenario, const Pick& pick) {
    const LoadedFile* found = nullptr;
    for (const LoadTrace& trace : scenario.traces) {
        const Expectation* framework = scenario.framework_of(trace);
        if (!framework) continue;
        const bool own = framework->package == pick.search->package;
        for (const LoadedFile& library : trace.libraries) {
            if (library.library != "nvrtc" || !library.taken || !library.version) continue;
            if (framework->cuda && library.cuda_major != framework->cuda->major()) continue;
            if (own) return &library;
            // Two frameworks with different ones: which one the package gets is not decided here.
            if (found && !(*found->version == *library.version)) return nullptr;
            found = &library;
        }
        if (own) return nullptr;
    }
    return found;
}

const HeaderClash* clash_of(const Facts& facts, const Pick& pick, const Version& nvrtc) {
    for (const ToolSearch& search : facts.tool_searches()) {
        if (search.package != pick.search->package || search.tool != pick.tool) continue;
        if (!search.is_for(*pick.search->release)) continue;
        for (const HeaderClash& clash : search.clashes)
            if (is_within(nvrtc, clash.nvrtc_from, clash.nvrtc_below) &&
                is_within(*pick.version, clash.headers_from, clash.headers_below))
                return &clash;
    }
    return nullptr;
}

std::string pinned(const char* name, const Version& release) {
    const std::string suffix = release.major() < 13 ? "-cu" + std::to_string(release.major()) : "";
    return std::string("nvidia-cuda-") + name + suffix + "==" + release.release() + ".*";
}

// A wheel's headers override all variables; without a wheel, installing a package that contains them is
// enough.
std::vector<Fix> fixes_of(const Pick& pick, const Version& nvrtc) {
    const bool of_a_wheel = pick.path.find("/site-packages/nvidia/") != std::string::npos;
    if (of_a_wheel && nvrtc.major() != pick.version->major()) {
        const std::string major = std::to_string(nvrtc.major());
        return {{FixKind::manual, "install " + pick.consumer + " in an environment whose packages are for CUDA " +
                                      major + ", or its build for CUDA " +
                                      std::to_string(pick.version->major())}};
    }
    // A framework may pin the installed one, so both directions are given.
    std::vector<Fix> fixes{{FixKind::command, "pip install \"" + pinned("runtime", nvrtc) + "\""}};
    if (of_a_wheel)
        fixes.push_back({FixKind::command, "pip install \"" + pinned("nvrtc", *pick.version) + "\""});
    return fixes;
}

}  // namespace

PTXGUARD_RULE(CC115) {
    for (const Pick& pick : scenario.picks) {
        if (pick.tool != k_cuda_headers || !pick.version || !pick.search || !pick.search->release) continue;
        const LoadedFile* nvrtc = nvrtc_of(scenario, pick);
        const HeaderClash* clash = nvrtc ? clash_of(facts, pick, *nvrtc->version) : nullptr;
        if (!clash) continue;
        Finding& finding =
            add(findings, "CC115", clash->level, pick.consumer,
                pick.consumer + " compiles CUDA headers " + pick.version->text + " with NVRTC " +
                    nvrtc->version->text + ", which does not accept them");
        finding.package = pick.search->package;
        Evidence headers{k_cuda_headers, pick.version->text, pick.version.origin};
        headers.origin.text = pick.path + ", by " + pick.because;
        Evidence library{"NVRTC", nvrtc->version->text, nvrtc->version.origin};
        library.origin.text = *nvrtc->taken;
        finding.found = {headers, library};
        finding.expected = {{k_cuda_headers, nvrtc->version->release(), pick.search->table}};
        finding.because = clash->effect;
        finding.fix = fixes_of(pick, *nvrtc->version);
    }
}

}  // namespace ptxguard
