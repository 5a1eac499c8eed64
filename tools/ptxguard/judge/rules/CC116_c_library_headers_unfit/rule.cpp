// CC116 c_library_headers_unfit: glibc declares functions (cospi, rsqrt ...) that CUDA's crt headers also
// declare, with another exception specification, so no CUDA file compiles.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/severity.hpp"
#include "judge/toolkit_questions.hpp"

namespace ptxguard {
namespace {

// crt/math_functions.h of the wheels: cospi and sinpi agree with glibc 2.41 from 13.0, rsqrt with 2.42 from
// 13.2.
constexpr int k_with_glibc_2_41[] = {13, 0};
constexpr int k_with_glibc_2_42[] = {13, 2};

bool older(const Version& version, const int (&release)[2]) {
    return version.major() < release[0] || (version.major() == release[0] && version.minor() < release[1]);
}

bool is_predicted(const Scenario& scenario, const Toolkit& toolkit) {
    return scenario.project.wanted && toolkit.id == scenario.project.toolkit &&
           !scenario.project.host_compiler.contradicted.empty() && !compiled(scenario, toolkit.id) &&
           !failed_compile(scenario, toolkit.id);
}

Evidence evidence_of(const Toolkit& toolkit, const ProbeResult* refusal, const HostCompiler& compiler) {
    if (refusal) return {"test compile", refusal->first_error, refusal->origin()};
    const Part* headers = toolkit.part(PartKind::crt_headers);
    return {"without noexcept", some_of(compiler.contradicted, 3),
            headers ? Origin::from_file(headers->path) : Origin{}};
}

}  // namespace

PTXGUARD_RULE(CC116) {
    for (const Toolkit& toolkit : scenario.toolkits) {
        const AllAbout about(findings, {id_of(scenario, toolkit)});
        const ProbeResult* refusal = failed_compile(scenario, toolkit.id);
        const Part* nvcc = toolkit.part(PartKind::nvcc);
        if (!nvcc || !nvcc->version) continue;
        const bool refused = refusal && refusal->failure == Failure::c_library;
        if (!refused && !is_predicted(scenario, toolkit)) continue;
        if (!parts_that_differ(toolkit, *nvcc->version, true).empty()) continue;  // CC104
        const Version& version = *nvcc->version;
        const bool lacks_both = older(version, k_with_glibc_2_41);
        const bool lacks_one = older(version, k_with_glibc_2_42);
        Composed finding =
            add(findings, "CC116", refused ? Level::error : level_by(Certainty::predicted, scenario),
                toolkit.root,
                SAY("the headers of CUDA {} at {} contradict those of this system's C library", version.text,
                    toolkit.root));
        finding.found(evidence_of(*nvcc))
            .found(evidence_of(toolkit, refusal, scenario.project.host_compiler))
            .expected("CUDA's headers", "declare what glibc declares in the same way", {})
            .because(
                SAY("glibc 2.41 and newer declare cospi and sinpi, 2.42 and newer also rsqrt, with noexcept; "
                    "every file that nvcc compiles fails. A reinstalled CUDA {} has the same headers",
                    version.release()));
        if (lacks_one)
            finding.by_hand(
                lacks_both ? "build with CUDA 13.2 or newer; with glibc 2.41, CUDA 13.0 and 13.1 compile too"
                           : "build with CUDA 13.2 or newer");
        finding.by_hand(SAY("build on a system (an image) with glibc {}{}",
                            lacks_both  ? "2.40"
                            : lacks_one ? "2.41"
                                        : "of this CUDA's time",
                            lacks_one ? " or older; the program also runs here" : ""));
    }
}

}  // namespace ptxguard
