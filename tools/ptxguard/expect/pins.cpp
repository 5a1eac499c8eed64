// A pin shows what a framework was built with: its own wheels require exactly that release.
// SPDX-License-Identifier: Apache-2.0
#include "expect/pins.hpp"

#include "expect/cuda_names.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"

namespace ptxguard {
namespace {

const char* platform_system(System system) { return system == System::windows ? "Windows" : "Linux"; }

Origin origin_of(const InstalledWheel& wheel, const Requirement& requirement) {
    Origin origin = Origin::from_file(wheel.path, requirement.line);
    origin.text = wheel.metadata.name + " " + wheel.metadata.version + " requires " + requirement.package +
                  requirement.specifier;
    return origin;
}

Origin origin_of(const CondaPackage& package, const std::string& what) {
    Origin origin = Origin::from_file(package.path);
    origin.text = "conda package " + package.name + " " + package.version + ": " + what;
    return origin;
}

std::optional<Version> release_of(const std::optional<Version>& version) {
    return version && version->numbers.size() > 1 ? parse_version(version->release()) : std::nullopt;
}

Known<Version> of_build(const CondaPackage& package, const std::string& word) {
    const std::size_t at = package.build.find(word);
    if (at == std::string::npos) return {};
    const auto version = find_version(std::string_view(package.build).substr(at), word);
    if (!version || version->numbers.size() < 2) return {};
    return {*version, origin_of(package, "build " + package.build)};
}

// The lower bound of "NAME >=A,<B", which conda's run exports derive from the build; or the exact "NAME
// A.B.*".
Known<Version> of_dependency(const CondaPackage& package, const std::string& name) {
    for (const std::string& dependency : package.depends) {
        const auto words = split(dependency, " ");
        if (words.size() < 2 || words[0] != name) continue;
        std::string text = words[1].substr(0, words[1].find(','));
        if (starts_with(text, ">=")) text.erase(0, 2);
        if (ends_with(text, ".*")) text.resize(text.size() - 2);
        if (const auto version = parse_version(text))
            return {*version, origin_of(package, "depends on " + dependency)};
    }
    return {};
}

}  // namespace

Known<Version> cuda_of_pins(const InstalledWheel& wheel, System system, std::string_view extra) {
    for (const Requirement& requirement : wheel.metadata.requirements) {
        const std::string component = nvidia_component(requirement.package);
        const bool names_cuda = component == "cuda-toolkit" || component == "cuda-runtime";
        if (!names_cuda || !requirement.applies(platform_system(system), extra)) continue;
        if (const auto version = release_of(requirement.pinned()))
            return {*version, origin_of(wheel, requirement)};
    }
    return {};
}

Known<Version> cudnn_of_pins(const InstalledWheel& wheel, System system, std::string_view extra) {
    for (const Requirement& requirement : wheel.metadata.requirements) {
        if (nvidia_component(requirement.package) != "cudnn" ||
            !requirement.applies(platform_system(system), extra))
            continue;
        if (const auto version = requirement.pinned()) return {*version, origin_of(wheel, requirement)};
    }
    return {};
}

Known<Version> cuda_of_conda(const CondaPackage& package) {
    // cuda118py310h2c5c1d4_0, gpu_cuda112py39...
    const std::size_t at = package.build.find("cuda1");
    if (at != std::string::npos)
        if (const auto cuda = cuda_of_tag("cu" + package.build.substr(at + 4, 3)))
            return {*cuda, origin_of(package, "build " + package.build)};
    if (auto version = of_build(package, "cuda")) return version;
    return of_dependency(package, "cuda-version");
}

Known<Version> cudnn_of_conda(const CondaPackage& package) {
    if (auto version = of_build(package, "cudnn")) return version;
    return of_dependency(package, "cudnn");
}

}  // namespace ptxguard
