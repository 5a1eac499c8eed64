// One place -> at most one CuPy. .data/_wheel.json decides; the rest comes from the name of the installed
// package, conda's record and the libraries that its modules need (a build from source has no such file).
// SPDX-License-Identifier: Apache-2.0
#include "expect/companions.hpp"
#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/cupy/cupy.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard::cupy {

namespace {

const std::vector<std::string> k_packages = {"cupy", "cupy-cuda*", "cupy-rocm*"};

// The record of this CuPy: the one with its version, if there are several.
const InstalledWheel* own_record(const std::vector<InstalledWheel>& wheels, const Known<Version>& version) {
    for (const InstalledWheel& wheel : wheels) {
        const auto other = parse_version(wheel.metadata.version);
        if (wheel.installer != "conda" && other && (!version || *other == *version)) return &wheel;
    }
    return nullptr;
}

void add_record(const InstalledWheel& wheel, Expectation& expectation) {
    const Origin origin = Origin::from_file(wheel.path, wheel.metadata.version_line);
    expectation.how = Installation::wheel;
    expectation.package = wheel.metadata.name;
    if (!expectation.version) expectation.version = {*parse_version(wheel.metadata.version), origin};
    if (expectation.cuda) return;
    if (const auto cuda = cuda_of_package(wheel.metadata.name)) {
        expectation.cuda = {*cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    } else if (starts_with(wheel.metadata.name, "cupy-rocm")) {
        set_vendor(expectation, Vendor::rocm, origin);
    }
}

// Modules of CuPy up to 11 need NVRTC, those of later ones cuBLAS; their file names contain the release or
// the major.
void add_needed(const Host& host, const std::string& site, Expectation& expectation) {
    const std::string folder = join_path(site, "cupy_backends/cuda/libs");
    for (const char* module : {"nvrtc.", "cublas."}) {
        for (const DirectoryEntry& entry : entries_in(host, folder)) {
            const std::string path = join_path(folder, entry.name);
            if (!starts_with(entry.name, module) || ends_with(entry.name, ".pxd")) continue;
            for (const std::string& name : needed_by(host, path)) {
                const auto cuda = cuda_of_name(name);
                if (!cuda) continue;
                Origin origin = Origin::from_library(path, path + " needs " + name, Certainty::read);
                expectation.cuda = {*cuda, origin};
                set_vendor(expectation, Vendor::cuda, origin);
                return;
            }
        }
    }
}

// CuPy 7 contains cuDNN and has no wheel data.
void add_bundled_cudnn(const Host& host, const std::string& folder, Expectation& expectation) {
    const std::string libraries = join_path(folder, ".data/lib");
    if (expectation.cudnn) return;
    for (const DirectoryEntry& entry : entries_in(host, libraries)) {
        const auto cudnn = cudnn_of_library(entry.name);
        if (!cudnn || !plausible(*cudnn)) continue;
        const std::string path = join_path(libraries, entry.name);
        Origin origin = Origin::from_library(path, "the library's name, " + path, Certainty::read);
        expectation.cudnn = {*cudnn, origin};
    }
}

Expectation read_package(const Host& host, const SitePlace& place, const std::string& folder) {
    Expectation expectation = found_expectation("CuPy", "cupy", place, folder);
    if (const std::string file = join_path(folder, "_version.py");
        host.status(file).type != FileType::missing)
        read_dunder_version(host, file, expectation);
    if (!expectation.trouble.empty()) return expectation;
    const std::string data = join_path(folder, ".data/_wheel.json");
    if (host.status(data).type != FileType::missing) {
        read_file_into(host, data, read_wheel_data, expectation);
        if (!expectation.trouble.empty()) return expectation;
    }
    auto wheels =
        place.editable ? std::vector<InstalledWheel>{} : installed_wheels(host, place.folder, k_packages);
    if (add_mixed_builds(host, "CuPy", place.folder, PlainName::of_any_build, wheels, expectation))
        return expectation;
    if (const InstalledWheel* wheel = own_record(wheels, expectation.version))
        add_record(*wheel, expectation);
    else if (!place.editable)
        add_conda_record(host, prefix_of_site(place.folder), {"cupy-core", "cupy"}, expectation);
    add_bundled_cudnn(host, folder, expectation);
    if (!expectation.cuda && !expectation.vendor) add_needed(host, place.folder, expectation);
    if (expectation.cuda && !expectation.vendor)
        set_vendor(expectation, Vendor::cuda, expectation.cuda.origin);
    return expectation;
}

}  // namespace

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, "cupy");
    const bool here = host.status(join_path(folder, ".data/_wheel.json")).type != FileType::missing ||
                      (host.status(join_path(folder, "_version.py")).type != FileType::missing &&
                       host.status(join_path(folder, "_environment.py")).type != FileType::missing) ||
                      is_file(host, join_path(folder, "__init__.py"));
    if (!here) return {};
    Expectation expectation = read_package(host, place, folder);
    if (!expectation.version && expectation.trouble.empty()) expectation.trouble = folder + " has no version";
    return {std::move(expectation)};
}

// cupy-cuda12x==13.6.0: CUDA is in the package's name, cuDNN in the tables. `cupy` is compiled where it is
// installed.
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    const std::string package = starts_with(build.name, "cupy-") ? build.name : "cupy";
    Expectation expectation = declared_expectation("CuPy", package, build);
    const Origin origin = option_origin(build);
    if (const auto cuda = cuda_of_package(package)) {
        expectation.cuda = {*cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    } else if (starts_with(package, "cupy-rocm")) {
        set_vendor(expectation, Vendor::rocm, origin);
    }
    if (const FrameworkRelease* release =
            build.version ? facts.framework_release(package, *build.version) : nullptr)
        apply_common_release(*release, system, expectation);
    return expectation;
}

FrameworkReader reader() {
    return {"CuPy",
            "cupy",
            {"cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x", "cupy-*"},
            {},
            read,
            declared,
            {"cupy", "cupy-cuda*", "cupy-rocm*"}};
}

}  // namespace ptxguard::cupy
