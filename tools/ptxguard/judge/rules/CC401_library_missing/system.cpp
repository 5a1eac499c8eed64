// Libraries of the system that a package needs besides NVIDIA's: FFmpeg of TorchCodec.
// SPDX-License-Identifier: Apache-2.0

#include "facts/system_libraries.hpp"
#include "judge/framework_questions.hpp"
#include "judge/library_words.hpp"
#include "judge/module_questions.hpp"
#include "judge/rules/CC401_library_missing/parts.hpp"
#include "model/file_names.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

constexpr std::size_t k_shown = 3;

std::vector<Fix> system_fixes(const NativeModule& module, const Facts& facts) {
    std::vector<std::string> apt, conda;
    for (const std::string& file : module.system_missing)
        if (const SystemLibrary* row = system_library(facts, file)) {
            add_once(apt, row->apt);
            add_once(conda, row->conda);
        }
    if (apt.empty()) return {};
    return {{FixKind::command, SAY("apt-get install -y {}", joined(apt, " "))},
            by_hand(SAY("conda install -c conda-forge {}, in an environment of conda", joined(conda, " ")))};
}

}  // namespace

void judge_system_libraries(const Scenario& scenario, const Facts& facts, Findings& findings) {
    for (const NativeModule& module : scenario.modules) {
        if (module.system_missing.empty()) continue;
        const std::string file = file_of(module.path), names = some_of(module.system_missing, k_shown);
        std::vector<std::string> products;
        for (const std::string& one : module.system_missing)
            if (const SystemLibrary* row = system_library(facts, one)) add_once(products, row->name);
        add(findings, "CC401", Level::warning, module.path,
            SAY("{} does not load: {} {} not found ({})", name_of_package(module), names,
                are(module.system_missing.size()), list(products)))
            .of_package(module.package)
            .found("module", file, Origin::from_file(module.path))
            .because(SAY("{} needs them, no package of the environment brings them, and the system has none",
                         file))
            .fix(system_fixes(module, facts));
    }
}

}  // namespace ptxguard
