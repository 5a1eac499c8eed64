// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"

#include "expect/cuda_names.hpp"
#include "facts/libraries.hpp"
#include "formats/elf.hpp"
#include "formats/library_text.hpp"
#include "formats/pe.hpp"
#include "formats/sections.hpp"
#include "formats/version_text.hpp"
#include "host/questions.hpp"
#include "model/ranges.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"

namespace ptxguard {

namespace {

constexpr std::size_t k_names_at_once = 1u << 20, k_most_names = 128u << 20;  // bytes; libtorch has 20 MB

void apply_tag(const DeclaredBuild& build, Expectation& expectation) {
    const Origin origin = option_origin(build);
    if (const auto cuda = cuda_of_tag(build.build)) {
        expectation.cuda = {*cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    } else if (build.build == "cpu" || starts_with(build.build, "cpu.")) {
        set_vendor(expectation, Vendor::cpu, origin);
    } else if (starts_with(build.build, "rocm")) {
        set_vendor(expectation, Vendor::rocm, origin);
    }
}

}  // namespace

void set_vendor(Expectation& expectation, Vendor vendor, const Origin& origin) {
    expectation.vendor = {vendor, origin};
    expectation.cpu_only = {vendor == Vendor::cpu, origin};
}

Origin option_origin(const DeclaredBuild& build) {
    return Origin::from_option("--framework").shown_as("--framework " + build.text);
}

Expectation found_expectation(const char* framework, const char* package, const SitePlace& place,
                              const std::string& folder) {
    Expectation expectation;
    expectation.framework = framework;
    expectation.package = package;
    expectation.path = folder;
    expectation.how = place.editable ? Installation::editable : Installation::wheel;
    return expectation;
}

Expectation declared_expectation(const char* framework, const std::string& package,
                                 const DeclaredBuild& build) {
    Expectation expectation;
    expectation.framework = framework;
    expectation.package = package;
    expectation.how = Installation::declared;
    expectation.declared = true;
    if (build.version) expectation.version = {*build.version, option_origin(build)};
    apply_tag(build, expectation);
    return expectation;
}

void apply_release(const FrameworkRelease& release, System system, Expectation& expectation) {
    const bool windows = system == System::windows;
    const auto& cuda = windows ? release.cuda_windows : release.cuda;
    const auto& cudnn = windows ? release.cudnn_windows : release.cudnn;
    if (cuda && !expectation.cuda) {
        expectation.cuda = {*cuda, release.origin};
        if (!expectation.vendor) set_vendor(expectation, Vendor::cuda, release.origin);
    }
    if (cudnn && !expectation.cudnn) expectation.cudnn = {*cudnn, release.origin};
    if (cuda && !windows && !release.archs.empty()) expectation.archs = {release.archs, release.origin};
    if (!windows && release.cxx_abi) expectation.cxx_abi = {*release.cxx_abi, release.origin};
    if (release.cxx_standard) expectation.cxx_standard = {*release.cxx_standard, release.origin};
}

void apply_common_release(const FrameworkRelease& release, System system, Expectation& expectation) {
    apply_release(release, release.cuda_windows ? system : System::linux_, expectation);
}

std::string laid_over_one_another(const std::vector<InstalledWheel>& wheels) {
    std::string all;
    for (const InstalledWheel& wheel : wheels)
        all += (all.empty() ? "" : ", ") + wheel.metadata.name + " " + wheel.metadata.version;
    const bool several = any_of(wheels, [&](const InstalledWheel& wheel) {
        return wheel.metadata.name != wheels.front().metadata.name;
    });
    return several ? all : std::string();
}

void distrust(Expectation& expectation, const std::string& trouble) {
    expectation.trouble = trouble;
    expectation.vendor = {};
    expectation.cpu_only = {};
    expectation.cuda = expectation.cudnn = {};
    expectation.archs = {};
    expectation.cxx_abi = expectation.cxx_standard = {};
}

void read_file_into(const Host& host, const std::string& path,
                    void (*read)(std::string_view text, const std::string& path, Expectation& into),
                    Expectation& expectation) {
    if (const auto text = read_text(host, path))
        read(*text, path, expectation);
    else
        expectation.trouble = text.trouble().text();
}

Known<Version> assigned_version(const PythonValue* value, const std::string& path, const char* name,
                                std::optional<Version> (*parse)(std::string_view text),
                                std::string& trouble) {
    if (!value || value->is_none() || (value->is_text() && value->text.empty())) return {};
    const auto version = value->is_text() ? parse(value->text) : std::nullopt;
    if (version && plausible(*version)) return {*version, Origin::from_file(path, value->line)};
    trouble = std::string("gives ") + name + " a value that is not a version" +
              (value->text.empty() ? "" : " ('" + value->text.substr(0, 60) + "')");
    return {};
}

Known<int> abi_of_library(const Host& host, const std::string& path, std::string_view scope) {
    if (host.system() != System::linux_) return {};
    const auto library = host.open(path);
    const auto names = library ? section_range(*library, ".dynstr") : std::nullopt;
    if (!names || names->end - names->begin > k_most_names) return {};
    std::optional<int> abi;
    // One symbol with the new ABI decides, and one comes early; a truncated one does not matter among
    // thousands.
    visit_pieces(*library, *names, k_names_at_once, 0, [&](std::string_view piece) {
        if (const auto found = string_abi(piece, scope)) abi = found;
        return abi.value_or(0) == 0;
    });
    if (!abi) return {};
    Origin origin =
        Origin::from_library(path, "std::string in the names that " + path + " exports", Certainty::read);
    return {*abi, origin};
}

std::vector<std::string> nvidia_packages(const InstalledWheel& wheel, System system,
                                         const std::vector<std::string>& extras) {
    std::vector<std::string> packages;
    for (const WheelRequirement& requirement : wheel.metadata.requirements) {
        if (nvidia_component(requirement.name).empty()) continue;
        const bool applies = requirement.applies(system) || any_of(extras, [&](const std::string& extra) {
                                 return requirement.applies(system, extra);
                             });
        if (applies) packages.push_back(requirement.name + requirement.specifier);
    }
    return packages;
}

std::vector<std::string> needed_by(const Host& host, const std::string& path) {
    std::vector<std::string> names;
    const auto file = host.open(path);
    if (!file) return names;
    if (host.system() == System::windows) {
        const auto pe = read_pe(*file);
        const auto imports = pe ? read_pe_imports(*file, *pe) : Result<std::vector<PeImport>>(Trouble{});
        if (imports)
            for (const PeImport& import : *imports) names.push_back(import.dll);
        return names;
    }
    const auto dynamic = read_elf_dynamic(*file);
    return dynamic ? dynamic->needed : names;
}

void add_tool(const Host& host, const std::string& path, const char* tool, const char* used_for,
              Expectation& expectation) {
    if (!is_file(host, path)) return;
    BundledTool bundled{path, tool, {}, used_for};
    Origin origin = Origin::from_library(path, "the version banner inside " + path, Certainty::read);
    const auto program = host.open(path);
    if (const auto version = program ? banner_version(*program) : std::nullopt)
        bundled.version = {*version, origin};
    expectation.tools.push_back(std::move(bundled));
}

Known<Version> dunder_version(std::string_view text, const std::string& path) {
    Known<Version> found;
    for (const PythonAssignment& assignment : read_python_assignments(text)) {
        if (assignment.name != "__version__" || !assignment.value.is_text()) continue;
        if (const auto version = parse_version(assignment.value.text))
            found = {*version, Origin::from_file(path, assignment.line)};
    }
    return found;
}

void read_dunder_version(const Host& host, const std::string& path, Expectation& expectation) {
    const auto text = read_text(host, path);
    if (text) expectation.version = dunder_version(*text, path);
    if (!text)
        expectation.trouble = text.trouble().text();
    else if (!expectation.version)
        expectation.trouble = path + " contains no version";
}

void add_conda_record(const Host& host, const std::string& prefix, const std::vector<std::string>& names,
                      Expectation& expectation) {
    for (const CondaPackage& package : conda_packages(host, prefix, names)) {
        const auto version = parse_version(package.version);
        if (!version || (expectation.version && *version != *expectation.version)) continue;
        expectation.how = Installation::conda;
        if (!expectation.version) expectation.version = {*version, Origin::from_file(package.path)};
        if (!expectation.cuda) expectation.cuda = cuda_of_conda(package);
        if (!expectation.cudnn) expectation.cudnn = cudnn_of_conda(package);
    }
}

// A pin shows what a framework was built with: its own wheels require exactly that release.

namespace {

Origin origin_of(const InstalledWheel& wheel, const WheelRequirement& requirement) {
    return Origin::from_file(wheel.path, requirement.line)
        .shown_as(wheel.metadata.name + " " + wheel.metadata.version + " requires " + requirement.name +
                  requirement.specifier);
}

Origin origin_of(const CondaPackage& package, const std::string& what) {
    return Origin::from_file(package.path)
        .shown_as("conda package " + package.name + " " + package.version + ": " + what);
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
    for (const WheelRequirement& requirement : wheel.metadata.requirements) {
        const std::string component = nvidia_component(requirement.name);
        const bool names_cuda = component == "cuda-toolkit" || component == "cuda-runtime";
        if (!names_cuda || !requirement.applies(system, extra)) continue;
        if (const auto version = release_of(requirement.pinned()))
            return {*version, origin_of(wheel, requirement)};
    }
    return {};
}

Known<Version> cudnn_of_pins(const InstalledWheel& wheel, System system, std::string_view extra) {
    for (const WheelRequirement& requirement : wheel.metadata.requirements) {
        if (nvidia_component(requirement.name) != "cudnn" || !requirement.applies(system, extra)) continue;
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
