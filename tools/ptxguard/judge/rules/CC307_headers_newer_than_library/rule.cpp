// CC307 headers_newer_than_library: a build includes the headers of another cuDNN or NCCL than it links.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "judge/ptx_questions.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

struct HeadersAndLibrary {
    const char *name, *file, *required;  // as people write it, as the linker searches it, as --require does
    PartKind headers, library;
};
constexpr HeadersAndLibrary k_pairs[] = {
    {"cuDNN", "libcudnn.so", "cudnn", PartKind::cudnn_headers, PartKind::cudnn},
    {"NCCL", "libnccl.so", "nccl", PartKind::nccl_headers, PartKind::nccl},
};

// Within a major a newer library runs what was compiled for an older one.
bool goes_with(const Version& headers, const Version& library) {
    return headers.major() == library.major() && headers.minor() <= library.minor();
}

void judge_pair(const Scenario& scenario, const Toolkit& toolkit, const HeadersAndLibrary& pair,
                Findings& findings) {
    const Part *headers = toolkit.part(pair.headers), *library = toolkit.part(pair.library);
    if (!headers || !library || !headers->version || !library->version) return;
    if (file_of(library->path) != pair.file) return;  // the linker accepts no other name
    if (goes_with(*headers->version, *library->version)) return;
    const std::string name = pair.name, wanted = headers->version->release();
    Finding& finding =
        add(findings, "CC307", scenario.requires_(pair.required) ? Level::error : Level::warning,
            name + " of this build",
            "this build includes the headers of " + name + " " + headers->version->text + " but links " +
                name + " " + library->version->text);
    finding.found = {evidence_of(*headers), evidence_of(*library)};
    finding.expected = {{to_string(pair.library), wanted + " or newer", headers->version.origin}};
    finding.because =
        "the library lacks functions that these headers declare, and programs that compare the two versions "
        "stop when they start";
    finding.fix = {
        {FixKind::manual, "install " + name + " " + wanted + " or newer in place of " + library->path},
        {FixKind::manual, "install the headers of " + name + " " + library->version->release() +
                              " in place of " + headers->path}};
}

}  // namespace

PTXGUARD_RULE(CC307) {
    const Toolkit* toolkit = scenario.project.wanted ? toolkit_of_build(scenario) : nullptr;
    if (!toolkit) return;
    for (const HeadersAndLibrary& pair : k_pairs) judge_pair(scenario, *toolkit, pair, findings);
}

}  // namespace ptxguard
