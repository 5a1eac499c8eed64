// numba-cuda, NVIDIA's CUDA target for Numba. Its CUDA is that of cuda-bindings, which it imports: they
// decide which NVRTC, libNVVM and nvJitLink it loads. It has no C++ interface and no cuDNN.
// SPDX-License-Identifier: Apache-2.0
#include "expect/expect.hpp"
#include "expect/filling.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"
#include "packages/reading.hpp"
#include "packages/wheels.hpp"

namespace ptxguard::numba {

namespace {

// Its own file decides; for a release without one the record does.
void add_version(const Host& host, const std::string& site, Expectation& expectation) {
    const std::string file = join_path(expectation.path, "VERSION");
    if (host.status(file).type == FileType::missing) {
        expectation.version = installed_version(host, site, {"numba-cuda"});
    } else if (const auto text = read_text(host, file)) {
        if (const auto version = parse_version(trim(*text)))
            expectation.version = {*version, Origin::from_file(file, 1)};
    }
    if (!expectation.version) expectation.trouble = expectation.path + " has no version";
}

// 13.1.0 of cuda-bindings is for all of CUDA 13.
void add_cuda(const Host& host, const std::string& site, Expectation& expectation) {
    const Known<Version> bindings = installed_version(host, site, {"cuda-bindings"});
    if (!bindings) return;
    const std::string major = std::to_string(bindings->major());
    expectation.cuda = {*parse_version(major), bindings.origin};
    expectation.cuda.origin.text = "cuda-bindings " + bindings->text + ", " + bindings.origin.path;
}

// From 0.16 on it links its kernels with nvJitLink, for exactly the GPU at hand.
void add_linker(const Host& host, const std::string& site, Expectation& expectation) {
    if (*expectation.version < *parse_version("0.16") || !expectation.cuda) return;
    const std::string package = expectation.cuda->major() < 13 ? "nvidia-nvjitlink-cu12" : "nvidia-nvjitlink";
    const Known<Version> version = installed_version(host, site, {package});
    if (version) expectation.tools.push_back({"", "nvJitLink", version, "the link of each kernel"});
}

std::vector<Expectation> read(const Host& host, const SitePlace& place) {
    const std::string folder = join_path(place.folder, "numba_cuda");
    if (!is_file(host, join_path(folder, "__init__.py"))) return {};
    Expectation expectation = found_expectation("Numba", "numba-cuda", place, folder);
    add_version(host, place.folder, expectation);
    if (!expectation.version) return {std::move(expectation)};
    set_vendor(expectation, Vendor::cuda, Origin::from_file(folder));
    add_cuda(host, place.folder, expectation);
    add_linker(host, place.folder, expectation);
    return {std::move(expectation)};
}

// numba-cuda[cu13]==0.30.4: the extra installs the libraries of that CUDA.
Expectation declared(const Facts&, System, const DeclaredBuild& build) {
    Expectation expectation = declared_expectation("Numba", "numba-cuda", build);
    set_vendor(expectation, Vendor::cuda, option_origin(build));
    for (const char* major : {"12", "13"})
        if (build.extras == std::string("cu") + major)
            expectation.cuda = {*parse_version(major), option_origin(build)};
    return expectation;
}

}  // namespace

FrameworkReader reader() {
    return {"Numba", "numba-cuda", {"numba-cuda"}, {}, read, declared, {"numba-cuda"}};
}

}  // namespace ptxguard::numba
