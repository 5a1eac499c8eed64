// CC214 run_time_ptx_newer_than_driver: a package compiles to PTX while it runs, with a libNVVM or an NVRTC
// that is newer than the driver. CUDA error 222 at the first kernel.
// SPDX-License-Identifier: Apache-2.0
#include "facts/libraries.hpp"
#include "facts/tool_search.hpp"
#include "judge/fixes.hpp"
#include "judge/ptx_questions.hpp"
#include "judge/severity.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// Whether it is a file of the environment, outside of its packages of Python: conda's. Named is the
// interpreter, the environment or its site-packages.
bool is_condas(const RunTimePtx& made, const PythonEnvironment& python) {
    std::string prefix = python.path;
    for (const char* below : {"/lib/python", "/bin/python"}) prefix = prefix.substr(0, prefix.find(below));
    if (prefix.empty() || starts_with(prefix, "/usr") ||
        made.path.find("/site-packages/") != std::string::npos)
        return false;
    for (const char* folder : {"/lib/", "/nvvm/", "/targets/"})
        if (starts_with(made.path, prefix + folder)) return true;
    return false;
}

// A wheel's library is replaced by pip, a conda environment's by conda; another one is selected by a variable
// or by its toolkit.
Fix older_compiler_fix(const Scenario& scenario, const RunTimePtx& made, const Version& release,
                       const Facts& facts) {
    if (is_condas(made, scenario.python))
        return {FixKind::command, SAY("conda install -c conda-forge 'cuda-version<={}'", release.release())};
    for (const LibrarySource& source : library_sources(facts, file_of(made.path), System::linux_))
        if (ends_with(folder_of(made.path), "/" + source.folder) && !source.package.empty() &&
            starts_with(source.cuda, std::to_string(made.version->major()))) {
            const int minor = release.numbers.size() > 1 ? release.numbers[1] : 0;
            return {FixKind::command,
                    SAY("{}'{}<{}.{}'", k_pip_install, source.package, release.major(), minor + 1)};
        }
    if (!made.setting.empty())
        return by_hand(SAY("set {} to a CUDA toolkit {} or older", made.setting, release.release()));
    return by_hand(
        SAY("use an {} of CUDA {} or older in place of {}", made.tool, release.release(), made.path));
}

// A package with NVRTC may use it for a part only, if it has device code besides. That was read if there are
// GPUs.
bool makes_all_its_code(const RunTimePtx& made, const Scenario& scenario) {
    return made.tool == k_libnvvm || (!scenario.gpus.empty() && !made.package.empty() &&
                                      none_of(scenario.modules, [&](const NativeModule& module) {
                                          return module.package == made.package && module.archs;
                                      }));
}

void say_refused(const Scenario& scenario, const Facts& facts, const RunTimePtx& made, const Driver& driver,
                 const DriverAnswer& answer, Findings& findings) {
    const std::string limit = answer.newest ? SAY(", which reads up to {}", answer.newest->text()) : "";
    const std::string found_by = SAY("{}, by {}", made.path, made.because);
    const Level level = makes_all_its_code(made, scenario) ? level_without_gpu(made.package, scenario, facts)
                                                           : Level::warning;
    Composed finding =
        add(findings, "CC214", level, name_of(driver),
            SAY("{} passes PTX {} to {}{}", made.consumer, made.ptx.text(), name_of(driver), limit));
    finding.about(made.id)
        .about(scenario, driver)
        .of_package(made.package)
        .found(made.tool, made.version->text, made.version.origin.shown_as(found_by))
        .because(SAY("{} writes the newest PTX of its release, and a driver refuses PTX that is newer than "
                     "its own: the first kernel fails with CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222)",
                     made.tool));
    if (answer.newest) finding.expected("PTX ISA", "<= " + answer.newest->text(), answer.newest.origin);
    if (answer.newest)
        if (const auto release = facts.newest_cuda_for_ptx(*answer.newest))
            finding.fix(older_compiler_fix(scenario, made, *release, facts));
    add_driver_for_ptx(scenario, facts, made.ptx, finding);
}

}  // namespace

PTXGUARD_RULE(CC214) {
    for (const RunTimePtx& made : run_time_ptx(scenario, facts))
        for (const Driver* driver : drivers_concerned(scenario)) {
            if (made.linked) continue;
            const DriverAnswer answer = ask_driver(scenario, facts, *driver, made.ptx);
            if (answer.reads && !*answer.reads) say_refused(scenario, facts, made, *driver, answer, findings);
        }
}

}  // namespace ptxguard
