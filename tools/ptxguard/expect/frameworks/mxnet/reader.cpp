// One place -> at most one MXNet. The release is in libinfo.py; CUDA is in the name of the installed package,
// because some packages' summaries lack it.
// SPDX-License-Identifier: Apache-2.0
#include "expect/companions.hpp"
#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/mxnet/mxnet.hpp"
#include "host/paths.hpp"

namespace ptxguard::mxnet {

namespace {

const std::vector<std::string> k_packages = {"mxnet", "mxnet-*"};

bool is_package(const std::string& name) {
    return cuda_of_package(name) || name == "mxnet" || name == "mxnet-mkl" || name == "mxnet-native";
}

void add_records(const Host& host, const std::string& site, Expectation& expectation) {
    std::vector<InstalledWheel> wheels;
    for (InstalledWheel& wheel : installed_wheels(host, site, k_packages))
        if (is_package(wheel.metadata.name)) wheels.push_back(std::move(wheel));
    if (add_mixed_builds(host, "MXNet", site, PlainName::of_cpu_build, wheels, expectation)) return;
    for (const InstalledWheel& wheel : wheels) {
        const auto version = parse_version(wheel.metadata.version);
        if (!version || *version != *expectation.version) continue;
        const Origin origin = Origin::from_file(wheel.path, wheel.metadata.version_line);
        const auto cuda = cuda_of_package(wheel.metadata.name);
        expectation.package = wheel.metadata.name;
        if (cuda) expectation.cuda = {*cuda, origin};
        set_vendor(expectation, cuda ? Vendor::cuda : Vendor::cpu, origin);
        return;
    }
}

// It links CUDA's runtime and cuDNN, whose names contain a release or a major.
void read_needed(const Host& host, const std::string& path, Expectation& expectation) {
    if (expectation.vendor && *expectation.vendor != Vendor::cuda) return;
    for (const std::string& name : needed_by(host, path)) {
        Origin origin = Origin::from_library(path, path + " needs " + name, Certainty::read);
        const auto cuda = cuda_of_library(name), cudnn = cudnn_of_library(name);
        if (cuda && plausible(*cuda) && !expectation.cuda) expectation.cuda = {*cuda, origin};
        if (cudnn && plausible(*cudnn) && !expectation.cudnn) expectation.cudnn = {*cudnn, origin};
    }
    if (expectation.cuda && !expectation.vendor)
        set_vendor(expectation, Vendor::cuda, expectation.cuda.origin);
}

}  // namespace

std::optional<Version> cuda_of_package(std::string_view package) {
    if (!starts_with(package, "mxnet-")) return std::nullopt;
    package.remove_prefix(6);
    if (ends_with(package, "mkl")) package.remove_suffix(3);
    return cuda_of_tag(package);
}

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, "mxnet");
    if (host.status(join_path(folder, "libinfo.py")).type == FileType::missing) return {};
    Expectation expectation = found_expectation("MXNet", "mxnet", place, folder);
    read_dunder_version(host, join_path(folder, "libinfo.py"), expectation);
    if (expectation.trouble.empty() && !place.editable) add_records(host, place.folder, expectation);
    if (expectation.trouble.empty()) {
        const bool windows = host.system() == System::windows;
        const std::string library = join_path(folder, windows ? "libmxnet.dll" : "libmxnet.so");
        read_needed(host, library, expectation);
        expectation.cxx_abi = abi_of_library(host, library, "5mxnet");
    }
    return {std::move(expectation)};
}

// mxnet-cu112==1.9.1: the package's name contains CUDA; `mxnet` has none.
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    const std::string package = starts_with(build.name, "mxnet-") ? build.name : "mxnet";
    Expectation expectation = declared_expectation("MXNet", package, build);
    const Origin origin = option_origin(build);
    const auto cuda = cuda_of_package(package);
    if (cuda) {
        expectation.cuda = {*cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    } else if (!expectation.vendor && build.version) {
        set_vendor(expectation, Vendor::cpu, origin);
    }
    if (const FrameworkRelease* release =
            build.version ? facts.framework_release(package, *build.version) : nullptr)
        apply_common_release(*release, system, expectation);
    return expectation;
}

FrameworkReader reader() {
    return {"MXNet", "mxnet", {"mxnet", "mxnet-*"}, {}, read, declared, {"mxnet", "mxnet-cu*", "mxnet-mkl"}};
}

}  // namespace ptxguard::mxnet
