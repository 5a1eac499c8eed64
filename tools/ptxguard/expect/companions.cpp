// The framework that a companion was built for is in its record (torch==2.3.1), in its version.py
// (0.18.1+cu118) and in its modules (libcudart.so.11.0, symbols with the old std::string); the first
// contradiction is reported.
// SPDX-License-Identifier: Apache-2.0
#include "expect/companions.hpp"

#include <algorithm>

#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "facts/libraries.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard {
namespace {

struct Installed {
    const Companion& row;
    const InstalledWheel& wheel;
    std::vector<std::string> modules;  // those of row.libraries that exist
};

std::string plain(const Version& version) { return version.text.substr(0, version.text.find('+')); }

Misfit between(const Installed& companion, const Expectation& framework) {
    Misfit misfit;
    misfit.package = companion.wheel.metadata.name + " " + companion.wheel.metadata.version;
    misfit.package_origin = Origin::from_file(companion.wheel.path, companion.wheel.metadata.version_line);
    misfit.other = framework.package + " " + framework.version->text;
    misfit.other_origin = framework.version.origin;
    misfit.harm = companion.row.harm;
    misfit.effect = companion.row.effect;
    return misfit;
}

// pip then installs the companion's release for this framework.
std::string install_both(const Installed& companion, const Version& framework) {
    if (companion.row.same_number)
        return "python3 -m pip install '" + companion.wheel.metadata.name + "==" + plain(framework) + "'";
    return "python3 -m pip install '" + companion.row.of + "==" + plain(framework) + "' " +
           companion.wheel.metadata.name;
}

// 2.1.2+pt21cu121 is built for torch 2.1; PyTorch Geometric numbers its builds this way.
std::optional<Version> release_in_tag(const std::string& local) {
    std::size_t end = 2;
    while (end < local.size() && local[end] >= '0' && local[end] <= '9') ++end;
    if (!starts_with(local, "pt") || end < 4) return std::nullopt;
    return parse_version(local.substr(2, 1) + "." + local.substr(3, end - 3));
}

// The framework release in a companion's record, with its line.
Known<Version> built_for(const Installed& companion, System system) {
    const char* platform = system == System::windows ? "Windows" : "Linux";
    const WheelMetadata& metadata = companion.wheel.metadata;
    const auto own = parse_version(metadata.version);
    if (const auto tagged = own ? release_in_tag(own->local()) : std::nullopt)
        return {*tagged, Origin::from_file(companion.wheel.path, metadata.version_line)};
    for (const Requirement& requirement : metadata.requirements) {
        if (requirement.package != companion.row.of || !requirement.applies(platform)) continue;
        const auto pinned = requirement.pinned();
        if (pinned && pinned->numbers.size() > 1)
            return {*pinned, Origin::from_file(companion.wheel.path, requirement.line)};
    }
    return {};
}

// Frameworks keep their binary interface within a minor release.
bool add_other_release(const Installed& companion, System system, Expectation& framework) {
    const Known<Version> wanted = built_for(companion, system);
    if (!wanted || same_release(*wanted, *framework.version)) return false;
    Misfit misfit = between(companion, framework);
    misfit.package_origin = wanted.origin;
    misfit.message =
        "is built for " + companion.row.of + " " + plain(*wanted) + ", not for " + framework.version->text;
    misfit.fix = install_both(companion, *framework.version);
    framework.misfits.push_back(std::move(misfit));
    return true;
}

// The CUDA of a build: "cu118" of 0.18.1+cu118, otherwise the runtime that a module needs. `cpu` = built
// without CUDA.
struct Build {
    Known<Version> cuda;
    bool cpu = false;
};

Build build_of(const Host& host, const std::string& site, const Installed& companion) {
    Build build;
    const std::string& module = companion.row.libraries.front();
    const std::string path = join_path(site, module.substr(0, module.find('/')) + "/version.py");
    const auto text = is_file(host, path) ? read_text(host, path) : Result<std::string>(Trouble{});
    const Known<Version> version = text ? dunder_version(*text, path) : Known<Version>{};
    if (version) build.cpu = version->local() == "cpu";
    const auto tag = version ? cuda_of_tag(version->local()) : std::nullopt;
    if (tag) build.cuda = {*tag, version.origin};
    for (const std::string& one : companion.modules)
        for (const std::string& needed : needed_by(host, one))
            if (const auto cuda = cuda_of_library(needed); cuda && !build.cuda)
                build.cuda = {*cuda, Origin::from_library(one, one + " needs " + needed)};
    return build;
}

// Since CUDA 11 the releases of a major share their library names.
bool fits(const Version& a, const Version& b, bool minor_counts) {
    const bool both_tell = a.numbers.size() > 1 && b.numbers.size() > 1;
    const bool minor = minor_counts || a.major() < 11;
    return a.major() == b.major() && (!minor || !both_tell || a.minor() == b.minor());
}

std::string words_of_cuda(const Version& cuda) {
    return "CUDA " + (cuda.numbers.size() > 1 ? cuda.release() : std::to_string(cuda.major()));
}

// The same release again: without --force-reinstall pip would keep the installed one.
std::string install_again(const Installed& companion, const Expectation& framework) {
    const std::string& name = companion.wheel.metadata.name;
    const auto own = parse_version(companion.wheel.metadata.version);
    const std::string again = "python3 -m pip install --force-reinstall --no-deps ";
    if (companion.row.index.empty() || !own || framework.version->local().empty())
        return again + "--no-build-isolation --no-binary " + name + " " + name;
    const std::string index = companion.row.index + framework.version->local();
    // A companion may have stopped while the framework continues: torchaudio 2.11.0 works with torch 2.11 and
    // newer.
    const bool number_of_framework = companion.row.same_number && *framework.version < *own;
    return again + "'" + name + "==" + plain(number_of_framework ? *framework.version : *own) +
           "' --index-url " + index;
}

bool add_other_cuda(const Host& host, const Installed& companion, Expectation& framework) {
    const bool without = framework.cpu_only && *framework.cpu_only;
    if (!framework.cuda && !without) return false;
    const Build build = build_of(host, framework.site, companion);
    if (!build.cuda && !(build.cpu && framework.cuda)) return false;
    if (build.cuda && framework.cuda && fits(*build.cuda, *framework.cuda, companion.row.compares_minor))
        return false;
    Misfit misfit = between(companion, framework);
    if (build.cuda) misfit.package_origin = build.cuda.origin;
    misfit.message = (build.cuda ? "is built for " + words_of_cuda(*build.cuda) : "is built without CUDA") +
                     ", " + framework.package + " " + framework.version->text +
                     (without ? " without it" : " for " + words_of_cuda(*framework.cuda));
    if (!build.cuda) {
        misfit.harm = Harm::gpu;
        misfit.effect = "its operators refuse tensors that lie on the GPU";
    }
    misfit.fix = install_again(companion, framework);
    framework.misfits.push_back(std::move(misfit));
    return true;
}

bool add_other_abi(const Host& host, const Installed& companion, Expectation& framework) {
    if (!framework.cxx_abi) return false;
    for (const std::string& module : companion.modules) {
        const Known<int> abi = abi_of_library(host, module, "3c10");
        if (!abi || *abi == *framework.cxx_abi) continue;
        Misfit misfit = between(companion, framework);
        misfit.package_origin = abi.origin;
        misfit.message = std::string("is built with the ") + (*abi ? "new" : "old") +
                         " std::string (_GLIBCXX_USE_CXX11_ABI=" + std::to_string(*abi) + "), " +
                         framework.package + " " + framework.version->text + " with the other";
        misfit.fix = install_again(companion, framework);
        framework.misfits.push_back(std::move(misfit));
        return true;
    }
    return false;
}

}  // namespace

void find_companions(const Host& host, const Facts& facts, Expectation& expectation) {
    if (expectation.site.empty() || !expectation.version || !expectation.trouble.empty()) return;
    const auto rows = companions_of(facts, expectation.package);
    std::vector<std::string> names;
    for (const Companion& row : rows) names.push_back(row.package);
    if (names.empty()) return;
    for (const InstalledWheel& wheel : installed_wheels(host, expectation.site, names)) {
        const std::string name = canonical_package(wheel.metadata.name);
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const Companion& one) { return one.package == name; });
        if (row == rows.end()) continue;
        Installed companion{*row, wheel, {}};
        for (const std::string& pattern : row->libraries)
            for (std::string& path : paths_matching(host, join_path(expectation.site, pattern)))
                companion.modules.push_back(std::move(path));
        if (add_other_release(companion, host.system(), expectation)) continue;
        if (add_other_cuda(host, companion, expectation)) continue;
        add_other_abi(host, companion, expectation);
    }
}

}  // namespace ptxguard
