// One place -> at most one Triton.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/triton/triton.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/wheels.hpp"

namespace ptxguard::triton {

namespace {

const std::vector<std::string> k_packages = {"triton",         "triton-windows",      "pytorch-triton",
                                             "triton-nightly", "pytorch-triton-rocm", "pytorch-triton-xpu"};

// The record has the more exact version (3.3.0.post19, 3.2.0+git...); one of another release is stale.
void add_record(const Host& host, const SitePlace& place, Expectation& expectation) {
    for (const InstalledWheel& wheel : installed_wheels(host, place.folder, k_packages)) {
        const auto version = parse_version(wheel.metadata.version);
        if (!version || (expectation.version && !same_release(*version, *expectation.version))) continue;
        const Origin origin = Origin::from_file(wheel.path, wheel.metadata.version_line);
        expectation.version = {*version, origin};
        expectation.trouble.clear();
        if (wheel.installer == "conda") expectation.how = Installation::conda;
        if (ends_with(wheel.metadata.name, "-rocm")) set_vendor(expectation, Vendor::rocm, origin);
        if (ends_with(wheel.metadata.name, "-xpu")) set_vendor(expectation, Vendor::xpu, origin);
        if (wheel.metadata.name != "triton-windows") return;
        expectation.build_package = wheel.metadata.name;
        expectation.build_version = expectation.version;
        return;
    }
}

// With its NVIDIA backend it is a CUDA build; its CUDA is that of the ptxas for most GPUs.
void add_cuda(const Host& host, const std::string& folder, Expectation& expectation) {
    for (const BundledTool& tool : expectation.tools) {
        if (tool.tool != "ptxas" || !tool.version) continue;
        expectation.cuda = tool.version;
        expectation.cuda.origin.text = "its own ptxas, " + tool.path;
        break;
    }
    const std::string backend = join_path(folder, "backends/nvidia");
    if (expectation.vendor || (!expectation.cuda && !is_folder(host, backend))) return;
    set_vendor(expectation, Vendor::cuda,
               expectation.cuda ? expectation.cuda.origin : Origin::from_file(backend));
}

}  // namespace

void add_tools(const Host& host, const std::string& folder, Expectation& expectation) {
    const std::string nvidia = join_path(folder, "backends/nvidia/bin"),
                      old = join_path(folder, "third_party/cuda/bin");
    const std::string blackwell = join_path(nvidia, executable_name("ptxas-blackwell", host.system()));
    const std::string ptxas = executable_name("ptxas", host.system());
    const bool two = is_file(host, blackwell);
    add_tool(host, join_path(nvidia, ptxas), "ptxas",
             two ? "Triton, compute capability below 10.0" : "Triton", expectation);
    add_tool(host, blackwell, "ptxas-blackwell", "Triton, compute capability 10.0 and above", expectation);
    add_tool(host, join_path(old, ptxas), "ptxas", "Triton", expectation);
}

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, "triton");
    if (!is_file(host, join_path(folder, "__init__.py"))) return {};
    // Other packages are called triton too (a client for an inference server).
    const bool compiler =
        is_folder(host, join_path(folder, "compiler")) || is_file(host, join_path(folder, "compiler.py")) ||
        is_folder(host, join_path(folder, "backends")) || is_folder(host, join_path(folder, "_C"));
    if (!compiler) return {};
    Expectation expectation = found_expectation("Triton", "triton", place, folder);
    read_dunder_version(host, join_path(folder, "__init__.py"), expectation);
    if (!place.editable) add_record(host, place, expectation);
    add_tools(host, folder, expectation);
    add_cuda(host, folder, expectation);
    return {expectation};
}

// triton==3.2.0: the tables list the ptxas in each release's wheel.
Expectation declared(const Facts& facts, System system, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("Triton", "triton", build);
    if (expectation.vendor && *expectation.vendor != Vendor::cuda) return expectation;
    const bool windows = system == System::windows || build.name == "triton-windows";
    if (windows) {
        expectation.build_package = "triton-windows";
        expectation.build_version = expectation.version;
    }
    const FrameworkRelease* release =
        build.version ? facts.framework_release(windows ? "triton-windows" : "triton", *build.version)
                      : nullptr;
    if (!release) return expectation;
    const bool two = release->tools.count("ptxas-blackwell") != 0;
    for (const auto& [tool, version] : release->tools) {
        const char* used_for = tool == "ptxas-blackwell" ? "Triton, compute capability 10.0 and above"
                               : two                     ? "Triton, compute capability below 10.0"
                                                         : "Triton";
        expectation.tools.push_back({"", tool, {version, release->origin}, used_for});
        if (tool != "ptxas") continue;
        expectation.cuda = {version, release->origin};
        set_vendor(expectation, Vendor::cuda, release->origin);
    }
    return expectation;
}

FrameworkReader reader() {
    return {"Triton", "triton", {"triton", "triton-windows", "pytorch-triton"}, {},
            read,     declared, {"triton", "triton-windows", "pytorch-triton*"}};
}

}  // namespace ptxguard::triton
