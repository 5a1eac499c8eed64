// SPDX-License-Identifier: Apache-2.0
#include "runtime/opened_stubs.hpp"

#include <optional>

#include "load/opened_names.hpp"
#include "model/text.hpp"
#include "runtime/module_packages.hpp"

namespace ptxguard {
namespace {

// NVIDIA's own bindings open the number too.
bool is_of_nvidia(const PackageFiles& files) { return starts_with_any(files.package, {"nvidia-", "cuda-"}); }

std::optional<NativeModule> module_with_stub(const Host& host, const Facts& facts,
                                             const PackageFiles& package) {
    for (const std::string& path : package.modules) {
        auto stub = opened_stub(host, facts, path);
        if (!stub) continue;
        NativeModule module;
        module.path = path;
        module.package = package.package;
        module.use = ModuleUse::when_used;
        module.stubs.push_back(std::move(*stub));
        describe_package(host, package, module);
        return module;
    }
    return std::nullopt;
}

}  // namespace

std::vector<NativeModule> modules_with_stubs(const Host& host, const Facts& facts,
                                             const std::vector<PackageFiles>& files) {
    std::vector<NativeModule> found;
    if (!may_open_stubs(host)) return found;
    for (const PackageFiles& package : files)
        if (!is_of_nvidia(package))
            if (auto module = module_with_stub(host, facts, package)) found.push_back(std::move(*module));
    return found;
}

}  // namespace ptxguard
