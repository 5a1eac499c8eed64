// One place -> at most one PyTorch. version.py decides; METADATA, conda's records and the libraries add what
// it does not contain.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/pytorch/pytorch.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "packages/reading.hpp"

namespace ptxguard::pytorch {
namespace {

constexpr const char* k_config = "share/cmake/Torch/TorchConfig.cmake";

void add_config(const Host& host, const std::string& folder, Expectation& expectation) {
    const std::string path = join_path(folder, k_config);
    if (const auto text = read_text(host, path)) read_cmake_config(*text, path, host.system(), expectation);
}

// The record of this torch: the same version except for the local part (PyPI's METADATA has 2.0.0, version.py
// 2.0.0+cu117). A stale one does not describe this torch.
bool belongs(const WheelMetadata& metadata, const Known<Version>& version) {
    const auto other = parse_version(metadata.version);
    return version && other && *other == *version;
}

void add_wheel(const Host& host, const std::string& site, Expectation& expectation) {
    for (const InstalledWheel& wheel : installed_wheels(host, site, {"torch"})) {
        const bool systems = expectation.how == Installation::system && wheel.installer != "pip";
        if (wheel.installer == "conda" || systems || !belongs(wheel.metadata, expectation.version)) continue;
        expectation.how = Installation::wheel;
        const bool other_vendor = expectation.vendor && *expectation.vendor != Vendor::cuda;
        if (other_vendor) return;
        if (!expectation.cuda) expectation.cuda = cuda_of_pins(wheel, host.system());
        if (!expectation.cudnn) expectation.cudnn = cudnn_of_pins(wheel, host.system());
        return;
    }
}

// Debian's own package: neither pip's nor conda's.
bool is_system_folder(const std::string& site) {
    return lower(file_name(site)) == "dist-packages" && site.find("/local/") == std::string::npos;
}

Expectation read_package(const Host& host, const SitePlace& place, const std::string& folder) {
    Expectation expectation = blank(folder, place.editable                   ? Installation::editable
                                            : is_system_folder(place.folder) ? Installation::system
                                                                             : Installation::wheel);
    read_file_into(host, join_path(folder, "version.py"), read_version_file, expectation);
    if (!expectation.trouble.empty()) return expectation;
    if (!place.editable) {
        expectation.how = is_system_folder(place.folder) ? Installation::system : Installation::unknown;
        add_wheel(host, place.folder, expectation);
        add_conda(host, prefix_of_site(place.folder), expectation);
        if (expectation.how == Installation::system) add_debian(host, folder, expectation);
        if (expectation.how == Installation::unknown) expectation.how = Installation::wheel;
    }
    add_config(host, folder, expectation);
    read_libraries(host, join_path(folder, "lib"), expectation);
    add_tools(host, place.folder, folder, expectation);
    return expectation;
}

}  // namespace

void add_conda(const Host& host, const std::string& prefix, Expectation& expectation) {
    for (const CondaPackage& package :
         conda_packages(host, prefix, {"pytorch", "libtorch", "pytorch-cpu", "pytorch-gpu"})) {
        const auto version = parse_version(package.version);
        if (!version || (expectation.version && *version != *expectation.version)) continue;
        if (expectation.how != Installation::wheel &&
            (expectation.how != Installation::libtorch || package.name == "libtorch"))
            expectation.how = Installation::conda;
        if (expectation.how != Installation::conda) return;
        if (!expectation.version) expectation.version = {*version, Origin::from_file(package.path)};
        if (expectation.vendor && *expectation.vendor != Vendor::cuda) continue;
        if (!expectation.cuda) expectation.cuda = cuda_of_conda(package);
        if (!expectation.cudnn) expectation.cudnn = cudnn_of_conda(package);
    }
}

Expectation blank(const std::string& folder, Installation how) {
    Expectation expectation;
    expectation.framework = "PyTorch";
    expectation.package = "torch";
    expectation.path = folder;
    expectation.how = how;
    return expectation;
}

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, "torch");
    const bool package = host.status(join_path(folder, "version.py")).type != FileType::missing ||
                         is_file(host, join_path(folder, "__init__.py"));
    if (package) return {read_package(host, place, folder)};
    return read_libtorch(host, place.folder);
}

FrameworkReader reader() {
    return {"PyTorch", "torch",  {"torch", "pytorch", "libtorch"}, {"pytorch-cpu", "torch-cpu"}, read,
            declared,  {"torch"}};
}

}  // namespace ptxguard::pytorch
