// One place -> at most one TensorFlow. build_info.py decides; the rest comes from cuda_config.h and METADATA.
// SPDX-License-Identifier: Apache-2.0

#include "expect/filling.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "formats/header_defines.hpp"
#include "host/paths.hpp"
#include "model/ranges.hpp"
#include "packages/reading.hpp"

namespace ptxguard::tensorflow {

namespace {

const std::vector<std::string> k_packages = {"tensorflow",       "tensorflow-gpu",  "tensorflow-cpu",
                                             "tensorflow-intel", "tensorflow-rocm", "tf-nightly",
                                             "tf-nightly-gpu",   "tf-nightly-cpu",  "intel-tensorflow"};

bool is_cpu_package(const std::string& name) {
    return name == "tensorflow-cpu" || name == "tf-nightly-cpu" || name == "tensorflow-intel" ||
           name == "intel-tensorflow";
}

bool of_several_versions(const std::vector<InstalledWheel>& wheels) {
    return any_of(wheels, [&](const InstalledWheel& wheel) {
        return wheel.metadata.version != wheels.front().metadata.version;
    });
}

// Since 2.x the wheel `tensorflow` on Windows only requires tensorflow-intel, so the first record may
// describe an empty package: equal versions are one TensorFlow, different ones are reported as a doubt.
void add_wheels(const Host& host, const std::string& site, Expectation& expectation) {
    const auto wheels = installed_wheels(host, site, k_packages);
    if (of_several_versions(wheels) && laid_over_one_another(wheels).empty())
        add_version_header(host, expectation.path, expectation);
    const bool by_header = expectation.version.value.has_value();
    for (const InstalledWheel& wheel : wheels) {
        const auto version = parse_version(wheel.metadata.version);
        const Origin origin = Origin::from_file(wheel.path, wheel.metadata.version_line);
        if (!version) continue;
        if (by_header && *expectation.version != *version) continue;  // a stale record
        if (expectation.version && *expectation.version != *version) {
            expectation.version = {};
            expectation.version.origin = origin;
            expectation.version.origin.text =
                "several TensorFlow packages of different versions are installed in " + site;
            return;
        }
        if (!expectation.version) expectation.version = {*version, origin};
        if (is_cpu_package(wheel.metadata.name) && !expectation.vendor && expectation.trouble.empty()) {
            expectation.vendor = {Vendor::cpu, origin};
            expectation.cpu_only = {true, origin};
        }
        // [and-cuda] pins the cuDNN that this build was tested with; build_info.py contains only its major.
        const auto pinned = cudnn_of_pins(wheel, host.system(), "and-cuda");
        const bool finer = pinned && expectation.cudnn && pinned->major() == expectation.cudnn->major() &&
                           expectation.cudnn->numbers.size() == 1;
        if (finer) expectation.cudnn = pinned;
    }
}

void add_abi(const Host& host, const std::string& folder, Expectation& expectation) {
    for (const char* name :
         {"libtensorflow_framework.so.2", "libtensorflow_framework.so.1", "libtensorflow_framework.so"}) {
        expectation.cxx_abi = abi_of_library(host, join_path(folder, name), "10tensorflow");
        if (expectation.cxx_abi) return;
    }
}

bool has_conda_record(const Host& host, const std::string& site) {
    return !conda_packages(host, prefix_of_site(site),
                           {"tensorflow-base", "tensorflow", "libtensorflow_cc", "libtensorflow"})
                .empty();
}

Expectation read_package(const Host& host, const SitePlace& place, const std::string& folder) {
    Expectation expectation = found_expectation("TensorFlow", "tensorflow", place, folder);
    if (!place.editable && has_conda_record(host, place.folder)) expectation.how = Installation::conda;
    const std::string path = join_path(folder, "python/platform/build_info.py");
    if (host.status(path).type != FileType::missing) read_file_into(host, path, read_build_info, expectation);
    add_wheels(host, place.folder, expectation);
    if (!expectation.version && expectation.version.origin.text.empty())
        add_version_header(host, folder, expectation);
    if (!expectation.trouble.empty()) return expectation;
    add_config(host, folder, expectation);
    if (expectation.cuda && !expectation.vendor) {
        expectation.vendor = {Vendor::cuda, expectation.cuda.origin};
        expectation.cpu_only = {false, expectation.cuda.origin};
    }
    add_abi(host, folder, expectation);
    return expectation;
}

}  // namespace

// TF_MAJOR_VERSION and the like, for installations without a package record.
void add_version_header(const Host& host, const std::string& folder, Expectation& expectation) {
    for (const char* name : {"release_version.h", "version.h"}) {
        const std::string path = join_path(folder, std::string("include/tensorflow/core/public/") + name);
        const auto text = read_text(host, path);
        if (!text) continue;
        std::string numbers[3];
        int line = 0;
        for (const HeaderDefine& define : read_header_defines(*text)) {
            if (define.name == "TF_MAJOR_VERSION") numbers[0] = define.value, line = define.line;
            if (define.name == "TF_MINOR_VERSION") numbers[1] = define.value;
            if (define.name == "TF_PATCH_VERSION") numbers[2] = define.value;
        }
        const auto version = parse_version(numbers[0] + "." + numbers[1] + "." + numbers[2]);
        if (!version) continue;
        expectation.version = {*version, Origin::from_file(path, line)};
        return;
    }
}

void add_config(const Host& host, const std::string& folder, Expectation& expectation) {
    if (expectation.vendor && *expectation.vendor != Vendor::cuda) return;
    for (const char* name : {"include/external/local_config_cuda/cuda/cuda/cuda_config.h",
                             "include/third_party/gpus/cuda/cuda_config.h",
                             "include/tensorflow/third_party/gpus/cuda/cuda_config.h"}) {
        const std::string path = join_path(folder, name);
        if (const auto text = read_text(host, path)) read_cuda_config(*text, path, expectation);
    }
}

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    // 1.15 and 2.0 have their code in tensorflow_core, behind an empty `tensorflow`.
    for (const char* name : {"tensorflow", "tensorflow_core"}) {
        const std::string folder = join_path(place.folder, name);
        const bool here =
            host.status(join_path(folder, "python/platform/build_info.py")).type != FileType::missing ||
            is_folder(host, join_path(folder, "python/platform"));
        if (here) return {read_package(host, place, folder)};
    }
    return read_libtensorflow(host, place.folder);
}

// tensorflow==2.4.1: one build per platform; the tables list the CUDA that it was built with.
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("TensorFlow", "tensorflow", build);
    if (!build.build.empty() || !build.version) return expectation;
    // Up to 2.0 the CUDA builds were separate packages.
    const FrameworkRelease* release =
        build.name == "tensorflow-gpu" ? facts.framework_release("tensorflow-gpu", *build.version) : nullptr;
    if (!release) release = facts.framework_release("tensorflow", *build.version);
    // Candidates for a release are built as it is: 2.16.0rc0.
    const std::size_t candidate = build.version->text.find("rc");
    const auto of = candidate == std::string::npos
                        ? std::nullopt
                        : parse_version(std::string_view(build.version->text).substr(0, candidate));
    if (!release && of)
        for (const Version& other : facts.framework_releases("tensorflow"))  // there is no 2.16.0
            if (!release && same_release(other, *of)) release = facts.framework_release("tensorflow", other);
    if (!release) return expectation;
    apply_release(*release, system, expectation);
    const bool cpu_only = system == System::windows ? release->cpu_only_windows : release->cpu_only;
    if (!expectation.cuda && cpu_only) set_vendor(expectation, Vendor::cpu, release->origin);
    return expectation;
}

FrameworkReader reader() {
    return {"TensorFlow",
            "tensorflow",
            {"tensorflow", "tf", "tensorflow-gpu", "tf-nightly"},
            {"tensorflow-cpu", "tensorflow-intel", "tf-nightly-cpu"},
            read,
            declared,
            {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-rocm",
             "tf-nightly", "tf-nightly-gpu", "tf-nightly-cpu", "intel-tensorflow"}};
}

}  // namespace ptxguard::tensorflow
