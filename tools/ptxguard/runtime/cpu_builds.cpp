// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_builds.hpp"

#include "facts/cpu_builds.hpp"
#include "host/together.hpp"
#include "load/module_symbols.hpp"
#include "model/ranges.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

constexpr std::uint64_t k_most_of_file = 192u << 20;  // a build without kernels is smaller

bool is_of(const Host& host, const CpuBuildRow& row, const PackageFiles& package) {
    if (!row.packages.empty()) return contains(row.packages, package.package);
    return any_of(package.modules, [&](const std::string& path) {
        return any_of(module_head(host, path).needed,
                      [&](const std::string& name) { return contains(row.links, name); });
    });
}

// The frameworks themselves say it in their packages.
bool is_framework(const Scenario& scenario, const PackageFiles& package) {
    return any_of(scenario.expectations,
                  [&](const Expectation& one) { return one.package == package.package; });
}

std::optional<CpuBuild> build_of(const Host& host, const CpuBuildRow& row, const PackageFiles& package) {
    if (!is_of(host, row, package)) return std::nullopt;
    if (any_of(package.modules, [&](const std::string& path) { return holds_device_code(host, path); }))
        return std::nullopt;
    for (const std::string& path : package.modules) {
        const std::string text = text_held(host, path, row.texts, k_most_of_file);
        if (text.empty()) continue;
        return CpuBuild{package.package,
                        installed_version(host, package.site, {package.package}),
                        text,
                        path,
                        row.extends,
                        row.level,
                        row.effect,
                        row.instead};
    }
    return std::nullopt;
}

}  // namespace

void find_cpu_builds(const Host& host, const Facts& facts, const std::vector<PackageFiles>& packages,
                     Scenario& scenario) {
    const std::vector<CpuBuildRow>& rows = cpu_build_rows(facts);
    std::vector<std::optional<CpuBuild>> found(packages.size());
    run_for_each(packages.size(), [&](std::size_t i) {
        for (const CpuBuildRow& row : rows)
            if (!found[i]) found[i] = build_of(host, row, packages[i]);
    });
    for (std::size_t i = 0; i < packages.size(); ++i)
        if (found[i] && !is_framework(scenario, packages[i]))
            scenario.python.cpu_builds.push_back(std::move(*found[i]));
}

}  // namespace ptxguard
