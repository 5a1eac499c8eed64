// CC301 cudnn_major_mismatch: a process needs one major of cuDNN and another one is installed, under its own
// name or behind a link with the required name.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "judge/cudnn_questions.hpp"
#include "judge/dll_questions.hpp"
#include "judge/library_questions.hpp"

namespace ptxguard {
namespace {

constexpr const char* k_because =
    "cuDNN 8 and 9 have other functions and other parts; the number in the name is the major, and nothing "
    "built "
    "with one runs with the other";

// The copy of another major that was probably intended; null if the required major is installed too.
const CudnnCopy* other_major(const Scenario& scenario, int wanted) {
    const CudnnCopy* other = nullptr;
    for (const CudnnCopy& copy : scenario.cudnns) {
        if (copy.major == wanted) return nullptr;
        if (!other) other = &copy;
    }
    return other;
}

Evidence evidence_of_copy(const CudnnCopy& copy) {
    Origin origin = copy.version.origin;
    origin.text = copy.folder + (copy.source.empty() ? "" : ", of the " + copy.source);
    if (origin.kind == OriginKind::none) origin = Origin::from_file(copy.folder);
    return {"cuDNN here", copy.version ? copy.version->text : std::to_string(copy.major), origin};
}

Version version_of_major(int major) {
    Version version;
    version.numbers = {major};
    version.text = std::to_string(major);
    return version;
}

void complete(const CudnnInUse& cudnn, int wanted, Finding& finding) {
    Origin asker = Origin::from_file(cudnn.asked->needed_by);
    asker.text = "asked for by " + cudnn.asked->needed_by;
    finding.expected = {{cudnn.asked->name, "cuDNN " + std::to_string(wanted), asker}};
    finding.because = k_because;
    const int cuda = cudnn.framework && cudnn.framework->cuda ? cudnn.framework->cuda->major() : 0;
    finding.fix.push_back(get_cudnn_fix(cudnn, version_of_major(wanted), cuda));
}

void judge_missing(const Scenario& scenario, const Facts& facts, const CudnnInUse& cudnn,
                   Findings& findings) {
    const int wanted = major_asked(cudnn, facts);
    const CudnnCopy* other = wanted ? other_major(scenario, wanted) : nullptr;
    if (!other || !is_absent(*cudnn.asked) || !only_cudnn_is_missing(*cudnn.trace, facts)) return;
    const bool harms = is_meant_for_gpu(scenario, facts, cudnn);
    Finding& finding =
        add(findings, "CC301", harms ? Level::error : Level::note, name_of(cudnn) + ", " + cudnn.trace->path,
            name_of(cudnn) + " needs cuDNN " + std::to_string(wanted) + " (" + cudnn.asked->name +
                "), and cuDNN " + std::to_string(other->major) + " is here");
    finding.found = {evidence_of_copy(*other)};
    complete(cudnn, wanted, finding);
}

// A link or copy under the name of another major: libcudnn.so.8 -> libcudnn.so.9.1.0.
void judge_renamed(const Facts& facts, const CudnnInUse& cudnn, Findings& findings) {
    const int wanted = major_asked(cudnn, facts);
    const std::string& real = cudnn.asked->real_path;
    const auto name = library_by_file_name(facts, real.substr(real.find_last_of("/\\") + 1));
    if (!name || !name->number || !wanted || name->library != cudnn.asked->library) return;
    if (name->number->major() == wanted) return;
    Finding& finding = add(findings, "CC301", Level::error, cudnn.asked->name + " of " + cudnn.trace->path,
                           cudnn.asked->name + " of " + name_of(cudnn) + " is in truth cuDNN " +
                               std::to_string(name->number->major()));
    finding.found = {evidence_of(*cudnn.asked)};
    finding.found.front().origin.text += ", in truth " + real;
    complete(cudnn, wanted, finding);
    finding.fix.insert(finding.fix.begin(),
                       {FixKind::manual, "remove the link or copy " + cudnn.asked->taken.value_or("")});
}

// On Windows the finding names the DLL that exists.
void judge_dll(const Scenario& scenario, const Facts& facts, const CudnnInUse& cudnn, Findings& findings) {
    for (const DllCase& dll : dll_cases(scenario, DllFault::other_name)) {
        if (dll.library != cudnn.asked) continue;
        const int wanted = major_asked(cudnn, facts);
        Finding& finding = add(findings, "CC301", level_of(dll, scenario, facts), subject_of(dll),
                               name_of(cudnn) + " needs cuDNN " + std::to_string(wanted) + " (" +
                                   cudnn.asked->name + "), and " + file_of(dll.loser->path) + " is here");
        finding.found = {loser_evidence(*dll.loser)};
        complete(cudnn, wanted, finding);
    }
}

}  // namespace

PTXGUARD_RULE(CC301) {
    for (const CudnnInUse& cudnn : cudnns_in_use(scenario)) {
        if (is_taken(*cudnn.asked))
            judge_renamed(facts, cudnn, findings);
        else if (scenario.system == System::windows)
            judge_dll(scenario, facts, cudnn, findings);
        else if (!cudnn.trace->framework.empty())
            judge_missing(scenario, facts, cudnn, findings);
    }
}

}  // namespace ptxguard
