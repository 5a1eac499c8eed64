// CC409 driver_in_wheel: a wheel contains a library of NVIDIA's driver, which must be the machine's own.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "facts/libraries.hpp"
#include "model/file_names.hpp"

namespace ptxguard {
namespace {

// The wheel or conda package that contains a member; null for other archives and for a separate file.
const BinaryFile* package_around(const Scenario& scenario, const BinaryFile& file) {
    for (const BinaryFile& other : scenario.binaries)
        if (other.path == file.container)
            return other.archive == ArchiveKind::wheel || other.archive == ArchiveKind::conda
                       ? &other
                       : package_around(scenario, other);
    return nullptr;
}

}  // namespace

PTXGUARD_RULE(CC409) {
    for (const BinaryFile& file : scenario.binaries) {
        const std::string name = file_of(file.member);
        const auto library = file.member.empty() ? std::nullopt : library_by_file_name(facts, name);
        if (!library || !library->driver) continue;
        const BinaryFile* const package = package_around(scenario, file);
        if (!package) continue;
        add(findings, "CC409", Level::error, file.path,
            SAY("{} contains {}, a library of NVIDIA's driver", package->path, name))
            .found("library", file.member, file.origin)
            .expected(name, "the one of the machine", {})
            .because(
                "the loader takes this copy instead of the machine's, and a copy of another release than the "
                "kernel module's fails with CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803) or finds no GPU")
            .by_hand(SAY("leave it out: auditwheel repair --exclude '{}.so*' ...",
                         name.substr(0, name.find_first_of("-."))));
    }
}

}  // namespace ptxguard
