// One place -> at most one ONNX Runtime. The build's own files decide; if they have no version (Linux before
// 1.21), the majors come from the NVIDIA libraries that the provider library needs.
// SPDX-License-Identifier: Apache-2.0

#include "expect/companions.hpp"
#include "expect/cuda_names.hpp"
#include "expect/filling.hpp"
#include "expect/frameworks/onnxruntime/onnxruntime.hpp"
#include "facts/libraries.hpp"
#include "formats/python_assignments.hpp"
#include "host/paths.hpp"
#include "model/named_cuda.hpp"
#include "model/ranges.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard::onnxruntime {

namespace {

const std::vector<std::string> k_packages = {"onnxruntime-gpu", "onnxruntime-training", "onnxruntime",
                                             "onnxruntime-*",   "ort-nightly-gpu",      "ort-nightly"};

// The vendor in a package's name; for other packages it comes from the files.
std::optional<Vendor> vendor_of_name(const std::string& package) {
    if (package == "onnxruntime" || package == "ort-nightly") return Vendor::cpu;
    if (ends_with(package, "-rocm") || ends_with(package, "-migraphx")) return Vendor::rocm;
    if (ends_with(package, "-directml") || ends_with(package, "-openvino") || ends_with(package, "-qnn"))
        return Vendor::cpu;
    return std::nullopt;
}

void add_version(const Host& host, const std::string& folder, Expectation& expectation) {
    const std::string path = join_path(folder, "__init__.py");
    if (const auto text = read_text(host, path)) expectation.version = dunder_version(*text, path);
}

std::string provider_of(const Host& host, const std::string& folder) {
    return join_path(folder, host.system() == System::windows ? "capi/onnxruntime_providers_cuda.dll"
                                                              : "capi/libonnxruntime_providers_cuda.so");
}

void add_provider(const Host& host, const std::string& folder, Expectation& expectation) {
    const std::string path = provider_of(host, folder);
    if (!is_file(host, path)) return;
    Origin origin = Origin::from_library(path, path, Certainty::read);
    if (!expectation.vendor) set_vendor(expectation, Vendor::cuda, origin);
    if (expectation.cuda && expectation.cudnn) return;
    for (const std::string& name : needed_by(host, path)) {
        origin.text = path + " needs " + name;
        const auto cuda = cuda_of_library(name), cudnn = cudnn_of_library(name);
        if (cuda && plausible(*cuda) && !expectation.cuda) expectation.cuda = {*cuda, origin};
        if (cudnn && plausible(*cudnn) && !expectation.cudnn) expectation.cudnn = {*cudnn, origin};
    }
}

// nvidia-cudnn-cu12~=9.0 in the extra [cudnn]: any cuDNN 9.
void add_asked_cudnn(const InstalledWheel& wheel, System system, Expectation& expectation) {
    for (const WheelRequirement& requirement : wheel.metadata.requirements) {
        if (nvidia_component(requirement.name) != "cudnn" || !starts_with(requirement.specifier, "~=") ||
            !requirement.applies(system, "cudnn"))
            continue;
        const auto version = parse_version(trim(requirement.specifier.substr(2)));
        if (!version || expectation.cudnn) continue;
        expectation.cudnn = {*parse_version(std::to_string(version->major())),
                             Origin::from_file(wheel.path, requirement.line)};
    }
}

constexpr const char* k_module = "onnxruntime/capi/onnxruntime_pybind11_state";

bool owns_module(const Host& host, const std::string& site, const InstalledWheel& wheel) {
    for (const RecordedFile& file : recorded_files(host, wheel)) {
        if (!starts_with(file.path, k_module)) continue;
        const FileStatus status = host.status(join_path(site, file.path));
        if (status.type == FileType::regular && file.size == std::to_string(status.size)) return true;
    }
    return false;
}

// onnxruntime and onnxruntime-gpu install the same folder. pip silently installs both, and the last one
// overwrites the files. RECORD has the size of each package's own extension module. "" if that does not
// decide.
std::string owner_of_files(const Host& host, const std::string& site,
                           const std::vector<InstalledWheel>& wheels) {
    std::string owner;
    for (const InstalledWheel& wheel : wheels) {
        if (!owns_module(host, site, wheel)) continue;
        if (!owner.empty()) return "";
        owner = wheel.metadata.name;
    }
    return owner;
}

void add_both(const std::string& owner, const InstalledWheel& gpu, const InstalledWheel& cpu,
              Expectation& expectation) {
    expectation.shared_files.push_back(shared_file(k_module, gpu, cpu, owner));
    if (owner != cpu.metadata.name) return;
    Origin origin = Origin::from_file(expectation.path);
    origin.text = "the files in " + expectation.path + " are of " + owner + " " + cpu.metadata.version;
    set_vendor(expectation, *vendor_of_name(owner), origin);
    expectation.cuda = expectation.cudnn = {};
}

void add_records(const Host& host, const SitePlace& place, Expectation& expectation) {
    const auto wheels = installed_wheels(host, place.folder, k_packages);
    if (wheels.empty()) return;
    const auto named = [&](const std::string& name) {
        return first_where(wheels, [&](const InstalledWheel& wheel) { return wheel.metadata.name == name; });
    };
    const std::string owner =
        wheels.size() > 1 ? owner_of_files(host, place.folder, wheels) : wheels.front().metadata.name;
    const auto* own = named(owner);
    const InstalledWheel& wheel = own ? *own : wheels.front();
    expectation.package = wheel.metadata.name;
    const Known<Version> version = wheel.version();
    if (version && (!expectation.version || *version == *expectation.version)) expectation.version = version;
    if (wheel.installer == "conda") expectation.how = Installation::conda;
    if (const auto vendor = vendor_of_name(wheel.metadata.name); vendor && !expectation.vendor)
        set_vendor(expectation, *vendor, Origin::from_file(wheel.path));
    expectation.asks_for = nvidia_packages(wheel, host.system(), {"cuda", "cudnn"});
    if (!expectation.cudnn && expectation.is_of(Vendor::cuda))
        add_asked_cudnn(wheel, host.system(), expectation);
    const auto* gpu =
        first_where(wheels, [](const InstalledWheel& one) { return is_named_for_gpus(one.metadata.name); });
    for (const InstalledWheel& other : wheels)
        if (gpu && vendor_of_name(other.metadata.name)) add_both(owner, *gpu, other, expectation);
}

}  // namespace

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, "onnxruntime");
    if (!is_folder(host, join_path(folder, "capi"))) return {};
    Expectation expectation = found_expectation("ONNXRuntime", "onnxruntime-gpu", place, folder);
    add_version(host, folder, expectation);
    // The Windows library has the more exact CUDA release.
    for (const char* name : {"capi/version_info.py", "capi/build_and_package_info.py"}) {
        const std::string path = join_path(folder, name);
        if (host.status(path).type == FileType::missing || !expectation.trouble.empty()) continue;
        read_file_into(host, path, read_build_file, expectation);
    }
    if (expectation.trouble.empty()) add_provider(host, folder, expectation);
    if (!place.editable) add_records(host, place, expectation);
    if (!expectation.version && expectation.trouble.empty()) expectation.trouble = folder + " has no version";
    return {expectation};
}

// onnxruntime-gpu==1.20.1: one build per system. Some releases were withdrawn from PyPI, so the tables lack
// them; those of one minor are built alike.

namespace {

// The release itself, otherwise the newest before it (or the oldest after it) of its minor.
const FrameworkRelease* nearest(const Facts& facts, const Version& version) {
    const char* package = "onnxruntime-gpu";
    if (const FrameworkRelease* release = facts.framework_release(package, version)) return release;
    const FrameworkRelease* found = nullptr;
    for (const Version& other : facts.framework_releases(package)) {
        if (!same_release(other, version)) continue;
        if (!found || other < version) found = facts.framework_release(package, other);
    }
    return found;
}

Known<Version> known(const std::optional<Version>& version, const FrameworkRelease& release, const char* of) {
    if (!version) return {};
    Origin origin = release.origin;
    origin.text += of;
    return {*version, origin};
}

}  // namespace

Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("ONNXRuntime", "onnxruntime-gpu", build);
    if (build.build == "cpu" || build.name == "onnxruntime") {
        expectation.package = "onnxruntime";
        if (!expectation.vendor) set_vendor(expectation, Vendor::cpu, option_origin(build));
    }
    const FrameworkRelease* release = build.version ? nearest(facts, *build.version) : nullptr;
    if (!release || (expectation.vendor && *expectation.vendor != Vendor::cuda)) return expectation;
    // Of this system's build, else of the other one.
    const bool windows = system == System::windows;
    for (const bool of_windows : {windows, !windows}) {
        const char* whose = of_windows == windows ? ""
                            : windows             ? ", of the Linux build"
                                                  : ", of the Windows build";
        const auto& cuda = of_windows ? release->cuda_windows : release->cuda;
        const auto& cudnn = of_windows ? release->cudnn_windows : release->cudnn;
        if (!expectation.cuda) expectation.cuda = known(cuda, *release, whose);
        if (!expectation.cudnn) expectation.cudnn = known(cudnn, *release, whose);
    }
    if (expectation.cuda && !expectation.vendor)
        set_vendor(expectation, Vendor::cuda, expectation.cuda.origin);
    return expectation;
}

// The two small Python files that ONNX Runtime's build writes: assignments of plain values.

void read_build_file(std::string_view text, const std::string& path, Expectation& expectation) {
    const auto assignments = read_python_assignments(text);
    std::string trouble;
    const auto version_at = [&](const char* name) {
        return assigned_version(value_of(assignments, name), path, name, parse_version, trouble);
    };
    const auto cuda = version_at("cuda_version"), cudnn = version_at("cudnn_version");
    const PythonValue* version = value_of(assignments, "__version__");
    const PythonValue* use_cuda = value_of(assignments, "use_cuda");
    if (!trouble.empty()) return distrust(expectation, path + " " + trouble);
    if (version && version->is_text() && !expectation.version)
        if (const auto number = parse_version(version->text))
            expectation.version = {*number, Origin::from_file(path, version->line)};
    if (!expectation.cuda) expectation.cuda = cuda;
    if (!expectation.cudnn) expectation.cudnn = cudnn;
    if (expectation.vendor) return;
    if (cuda)
        set_vendor(expectation, Vendor::cuda, cuda.origin);
    else if (use_cuda && use_cuda->kind == PythonValue::Kind::boolean && use_cuda->truth)
        set_vendor(expectation, Vendor::cuda, Origin::from_file(path, use_cuda->line));
}

FrameworkReader reader() {
    return {"ONNXRuntime",
            "onnxruntime-gpu",
            {"onnxruntime-gpu", "onnxruntime", "ort", "ort-nightly-gpu"},
            {},
            read,
            declared,
            {"onnxruntime-gpu", "onnxruntime", "onnxruntime-*", "ort-nightly*"}};
}

}  // namespace ptxguard::onnxruntime
