// Toolkits and search paths, for the rules CC101 ... CC113.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "judge/rule.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Components without which `nvcc -c` fails, in the order in which nvcc needs them.
const std::vector<PartKind>& parts_to_compile();
std::vector<PartKind> missing_parts(const Toolkit& toolkit);  // among those
// Components of another release than nvcc's. Those of the runtime count if their major differs; with
// `with_runtime_minor` (only they can explain a failed compile) also if their minor does.
std::vector<const Part*> parts_that_differ(const Toolkit& toolkit, const Version& nvcc,
                                           bool with_runtime_minor);
// The headers of a library that the build includes, and the library that it links. Within a major a newer
// library runs what was compiled for an older one.
struct HeadersAndLibrary {
    const char *name, *required;  // as people write it, and as --require does
    const Part *headers = nullptr, *library = nullptr;
    bool fit = true;
};
// Those of which both releases are known.
std::vector<HeadersAndLibrary> headers_and_libraries(const Toolkit& toolkit);

// Whether the build's nvcc accepts its host compiler: by a compile, otherwise by the limits of its release.
struct HostCompilerAnswer {
    Outcome outcome = Outcome::unknown;
    Certainty basis = Certainty::predicted;
    const ProbeResult* refusal = nullptr;        // the compile that it ended
    const HostCompilerLimits* limits = nullptr;  // null = not in a table
    bool is_unchecked = false;                   // outside of the limits, with -allow-unsupported-compiler
    bool fails_unchecked = false;                // outside of them, and that option does not help
};
HostCompilerAnswer ask_host_compiler(const Scenario& scenario, const Facts& facts, const Toolkit& toolkit);

// Whether CC104, CC105, CC108, CC116, CC201 or CC203 reports this failed compile.
bool has_a_rule_of_its_own(const Toolkit& toolkit, const ProbeResult& probe);
// The measured compile that failed: PTX, assembling, whole object, in that order; null = none failed or none
// was run.
const ProbeResult* failed_compile(const Scenario& scenario, const std::string& toolkit);
// A whole object was really compiled: the components work, even if they look wrong.
bool compiled(const Scenario& scenario, const std::string& toolkit);
// Whether this build links the shared CUDA runtime: nvcc and CMake link the static one by default, PyTorch's
// extension builder the shared one.
bool links_shared_runtime(const Project& project);
// Whether it reports that the host compiler (CC108, host_config.h), the C library's headers (CC116), the
// architecture (CC203), the PTX version (CC201) or the CUDA runtime (CC105) is refused or missing.
bool names_its_cause(const ProbeResult& probe);

std::string name_and_root(
    const Toolkit& toolkit);  // "CUDA 13.0.88 at /usr/local/cuda"; "toolkit at ..." without a version
std::string nvcc_below(const std::string& root, System system);  // ROOT/bin/nvcc

// Whether a selector has a value: a variable set to the empty string counts as not set.
bool is_set(const Selector& selector);
// Words for a selector's or entry's problem: "is missing", "is a file" ...
std::string problem_words(PathProblem problem);
// The entry of a search path is wrong as it is written; a folder that was meant may be known.
bool can_be_mended(PathProblem problem);

// CMake's own variable names the compiler, so that no search decides.
bool is_named_by_cmake(const Scenario& scenario);
// Changes one entry of a PATH-like variable, as written there, and keeps the others. An empty `to` removes
// the entry.
Fix replace_list_entry(const std::string& variable, const std::string& from, const std::string& to,
                       System system);
// Replaces a folder that does not exist by the nearest existing one.
Fix misspelt_entry_fix(const EnvironmentEntry& entry, System system);
Fix prepend_list_entry(const std::string& variable, const std::string& entry, System system);
// The folder is on the PATH of every program that Windows starts from now on.
std::optional<Fix> later_path_fix(const Scenario& scenario, const std::string& folder);

}  // namespace ptxguard
