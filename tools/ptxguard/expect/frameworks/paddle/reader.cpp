// One place -> at most one Paddle. Its version file decides; for releases before 2.2 the rest comes from the
// record of the installed package.
// SPDX-License-Identifier: Apache-2.0
#include "expect/companions.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/paddle/paddle.hpp"
#include "host/paths.hpp"

namespace ptxguard::paddle {

namespace {

const std::vector<std::string> k_packages = {"paddlepaddle-gpu", "paddlepaddle", "paddlepaddle-rocm",
                                             "paddlepaddle-xpu"};

bool belongs(const InstalledWheel& wheel, const Known<Version>& version) {
    const auto other = parse_version(wheel.metadata.version);
    return other && version && *other == *version;
}

void add_pins(const Host& host, const InstalledWheel& wheel, Expectation& expectation) {
    if (expectation.vendor && *expectation.vendor != Vendor::cuda) return;
    if (!expectation.cuda) expectation.cuda = cuda_of_pins(wheel, host.system());
    if (!expectation.cudnn) expectation.cudnn = cudnn_of_pins(wheel, host.system());
}

void add_record(const Host& host, const InstalledWheel& wheel, Expectation& expectation) {
    const std::string& name = wheel.metadata.name;
    const Origin origin = Origin::from_file(wheel.path, wheel.metadata.version_line);
    const auto version = parse_version(wheel.metadata.version);
    expectation.package = name;
    if (!expectation.vendor) {
        const Vendor vendor = name == "paddlepaddle"        ? Vendor::cpu
                              : name == "paddlepaddle-rocm" ? Vendor::rocm
                              : name == "paddlepaddle-xpu"  ? Vendor::xpu
                                                            : Vendor::cuda;
        set_vendor(expectation, vendor, origin);
    }
    if (*expectation.vendor == Vendor::cuda) {
        const PostSuffix post = read_post_suffix(*version);
        if (!expectation.cuda && post.cuda) expectation.cuda = {*post.cuda, origin};
        if (!expectation.cudnn && post.cudnn) expectation.cudnn = {*post.cudnn, origin};
    }
    add_pins(host, wheel, expectation);
    // "2.4.2.post117" is more exact than full_version's "2.4.2".
    expectation.version = {*version, origin};
}

void add_records(const Host& host, const std::string& site, Expectation& expectation) {
    auto wheels = installed_wheels(host, site, k_packages);
    if (add_mixed_builds(host, "PaddlePaddle", site, PlainName::of_cpu_build, wheels, expectation)) return;
    for (const InstalledWheel& wheel : wheels) {
        if (!belongs(wheel, expectation.version)) continue;
        add_record(host, wheel, expectation);
        return;
    }
}

void add_abi(const Host& host, const std::string& folder, Expectation& expectation) {
    for (const char* name :
         {"base/libpaddle.so", "fluid/libpaddle.so", "fluid/core_avx.so", "libs/libphi.so"}) {
        expectation.cxx_abi = abi_of_library(host, join_path(folder, name), "paddle");
        if (expectation.cxx_abi) return;
    }
}

}  // namespace

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, "paddle");
    for (const char* name : {"version/__init__.py", "version.py"}) {
        const std::string path = join_path(folder, name);
        if (host.status(path).type == FileType::missing) continue;
        Expectation expectation = found_expectation("PaddlePaddle", "paddlepaddle-gpu", place, folder);
        read_file_into(host, path, read_version_file, expectation);
        if (expectation.trouble.empty() && !place.editable) add_records(host, place.folder, expectation);
        if (expectation.trouble.empty()) add_abi(host, folder, expectation);
        return {std::move(expectation)};
    }
    return {};
}

// paddlepaddle-gpu==2.6.2: the CUDA of the package index's build is in the tables; a post suffix names that
// of the other builds.
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("PaddlePaddle", "paddlepaddle-gpu", build);
    if (!build.version || expectation.vendor) return expectation;
    const Origin origin = option_origin(build);
    const PostSuffix post = read_post_suffix(*build.version);
    if (post.cuda) {
        expectation.cuda = {*post.cuda, origin};
        set_vendor(expectation, Vendor::cuda, origin);
    }
    if (post.cudnn) expectation.cudnn = {*post.cudnn, origin};
    if (starts_with(build.version->suffix, ".post")) return expectation;
    const FrameworkRelease* release = facts.framework_release("paddlepaddle-gpu", *build.version);
    if (release) apply_common_release(*release, system, expectation);
    return expectation;
}

FrameworkReader reader() {
    return {"PaddlePaddle",
            "paddlepaddle-gpu",
            {"paddlepaddle-gpu", "paddle", "paddle-gpu"},
            {"paddlepaddle"},
            read,
            declared,
            {"paddlepaddle-gpu", "paddlepaddle", "paddlepaddle-rocm", "paddlepaddle-xpu"}};
}

}  // namespace ptxguard::paddle
