// CC409 driver_in_wheel: a wheel brings a library of NVIDIA's driver, which has to be the machine's own.
// SPDX-License-Identifier: Apache-2.0
#include "judge/rule.hpp"
#include "facts/libraries.hpp"

namespace ptxguard {
namespace {

// "x.whl(pkg/libcuda.so.1)" -> "pkg/libcuda.so.1"
std::string member_of(const std::string& path) {
    const std::size_t open = path.find(".whl(");
    return open == std::string::npos ? "" : path.substr(open + 5, path.size() - open - 6);
}

}  // namespace

PTXGUARD_RULE(CC409) {
    for (const BinaryFile& file : scenario.binaries) {
        const std::string member = member_of(file.path);
        const std::string name = member.substr(member.rfind('/') + 1);
        const auto library = member.empty() ? std::nullopt : library_by_file_name(facts, name);
        if (!library || !library->driver) continue;
        const std::string wheel = file.path.substr(0, file.path.find(".whl(") + 4);
        Finding& finding = add(findings, "CC409", Level::error, file.path,
                               wheel + " contains " + name + ", a library of NVIDIA's driver");
        finding.found = {{"library", member, file.origin}};
        finding.expected = {{name, "the one of the machine", {}}};
        finding.because =
            "the loader takes this copy instead of the machine's, and a copy of another release than the "
            "kernel "
            "module's ends with CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803) or finds no GPU";
        finding.fix = {{FixKind::manual, "leave it out: auditwheel repair --exclude '" +
                                             name.substr(0, name.find_first_of("-.")) + ".so*' ..."}};
    }
}

}  // namespace ptxguard
