// A torch without Python. Its build is in `build-version` in pytorch.org's archives; otherwise it comes from
// CMake's files and the libraries as far as possible.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/pytorch/pytorch.hpp"
#include "expect/native_places.hpp"
#include "formats/cmake_commands.hpp"
#include "formats/text_lines.hpp"
#include "host/paths.hpp"
#include "model/text.hpp"
#include "packages/dpkg.hpp"
#include "packages/reading.hpp"

namespace ptxguard::pytorch {
namespace {

// Folders of CMake's files and the libraries below a root: pytorch.org and conda, installed builds, Debian.
struct Layout {
    const char* cmake;
    const char* libraries;
};
constexpr Layout k_layouts[] = {{"share/cmake", "lib"},
                                {"lib/cmake", "lib"},
                                {"lib64/cmake", "lib64"},
                                {"lib/x86_64-linux-gnu/cmake", "lib/x86_64-linux-gnu"},
                                {"lib/aarch64-linux-gnu/cmake", "lib/aarch64-linux-gnu"}};

const Layout* layout_of(const Host& host, const std::string& root) {
    for (const Layout& layout : k_layouts)
        if (is_file(host, join_path(join_path(root, layout.cmake), "Torch/TorchConfig.cmake")))
            return &layout;
    return nullptr;
}

// Conda for Windows keeps DLLs in Library/bin, and only import libraries in Library/lib.
std::string library_folder(const Host& host, const std::string& root, const Layout& layout) {
    const std::string bin = join_path(root, "bin");
    const bool in_bin = host.system() == System::windows && is_file(host, join_path(bin, "torch_cpu.dll"));
    return in_bin ? bin : join_path(root, layout.libraries);
}

// 2.0.0+cu117
void read_build_version(const Host& host, const std::string& root, Expectation& expectation) {
    const std::string path = join_path(root, "build-version");
    if (host.status(path).type == FileType::missing) return;
    const auto text = read_text(host, path, 4096);
    const auto version = text ? parse_version(trimmed(without_mark(*text))) : std::nullopt;
    if (!version) {
        expectation.trouble = text ? path + " contains no version" : text.trouble().text();
        return;
    }
    const Origin origin = Origin::from_file(path, 1);
    expectation.version = {*version, origin};
    const std::string tag = version->local();
    if (const auto cuda = cuda_of_tag(tag)) expectation.cuda = {*cuda, origin};
    const std::optional<Vendor> vendor = expectation.cuda           ? Vendor::cuda
                                         : starts_with(tag, "rocm") ? Vendor::rocm
                                                                    : from_word<Vendor>(tag);
    if (vendor) set_vendor(expectation, *vendor, origin);
}

// set(NAME VALUE) of a CMake file.
Known<std::string> set_in(const Host& host, const std::string& path, const char* name) {
    const auto text = read_text(host, path);
    if (!text) return {};
    for (const CMakeCommand& command : read_cmake_commands(*text))
        if (command.name == "set" && command.arguments.size() == 2 && command.arguments[0] == name)
            return {command.arguments[1], Origin::from_file(path, command.line)};
    return {};
}

void add_cmake_files(const Host& host, const std::string& cmake, Expectation& expectation) {
    const std::string config = join_path(cmake, "Torch/TorchConfig.cmake");
    if (const auto text = read_text(host, config))
        read_cmake_config(*text, config, host.system(), expectation);
    if (!expectation.version) {
        const auto text = set_in(host, join_path(cmake, "Torch/TorchConfigVersion.cmake"), "PACKAGE_VERSION");
        const auto version = text ? parse_version(*text) : std::nullopt;
        if (version) expectation.version = {*version, text.origin};
    }
    // OFF may mean a CPU build or a ROCm build.
    const auto cuda = set_in(host, join_path(cmake, "Caffe2/Caffe2Config.cmake"), "CAFFE2_USE_CUDA");
    if (cuda && *cuda == "ON" && !expectation.vendor) set_vendor(expectation, Vendor::cuda, cuda.origin);
}

// dpkg has the release, while the build may call itself 1.13.0a0; the file's value is kept as a disagreement.
void add_dpkg_version(const Host& host, const char* package, Expectation& expectation) {
    const Known<Version> version = dpkg_version(host, package);
    if (!version) return;
    if (expectation.version && *expectation.version != *version)
        expectation.disagreements.push_back({"version", version->text, expectation.version->text,
                                             version.origin, expectation.version.origin});
    expectation.version = version;
}

}  // namespace

std::string libtorch_root(const Host& host, const std::string& prefix) {
    if (layout_of(host, prefix)) return prefix;
    for (std::string root = parent_path(prefix); root.size() > 1; root = parent_path(root)) {
        for (const Layout& layout : k_layouts) {
            const std::string cmake = join_path(root, layout.cmake), torch = join_path(cmake, "Torch");
            if ((prefix == cmake || prefix == torch) && is_file(host, join_path(torch, "TorchConfig.cmake")))
                return root;
        }
        if (parent_path(root) == root) break;
    }
    return {};
}

std::vector<Expectation> read_libtorch(const Host& host, const std::string& root) {
    const Layout* layout = layout_of(host, root);
    if (!layout) return {};
    Expectation expectation =
        blank(root, starts_with(layout->cmake, "lib/") && root == "/usr" ? Installation::system
                                                                         : Installation::libtorch);
    read_build_version(host, root, expectation);
    if (!expectation.trouble.empty()) return {std::move(expectation)};
    if (expectation.how == Installation::system) add_dpkg_version(host, "libtorch-dev", expectation);
    add_conda(host, conda_prefix_of(root), expectation);
    add_cmake_files(host, join_path(root, layout->cmake), expectation);
    read_libraries(host, library_folder(host, root, *layout), expectation);
    return {std::move(expectation)};
}

void add_debian(const Host& host, const std::string& folder, Expectation& expectation) {
    add_dpkg_version(host, "python3-torch", expectation);
    // torch/lib contains links to libtorch's libraries, next to which libtorch-dev has CMake's files.
    const auto library = host.real_path(join_path(folder, "lib/libc10.so"));
    if (library) add_cmake_files(host, join_path(parent_path(*library), "cmake"), expectation);
}

}  // namespace ptxguard::pytorch
