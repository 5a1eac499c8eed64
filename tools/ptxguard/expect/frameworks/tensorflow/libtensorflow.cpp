// TensorFlow's C package: include/tensorflow/c/c_api.h and lib/libtensorflow.so.2.15.0. It does not contain
// its CUDA release; device code in it shows that it is a CUDA build.
// SPDX-License-Identifier: Apache-2.0
#include "expect/filling.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "expect/native_places.hpp"
#include "formats/sections.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard::tensorflow {
namespace {

constexpr const char* k_header = "include/tensorflow/c/c_api.h";
constexpr const char* k_stem = "libtensorflow.so.";

Origin by_library(const std::string& path, const std::string& text) {
    Origin origin = Origin::from_library(path, text, Certainty::read);
    return origin;
}

// libtensorflow.so.2.15.0, to which libtensorflow.so.2 and libtensorflow.so are links.
void read_version(const Host& host, const std::string& folder, Expectation& expectation) {
    for (const DirectoryEntry& entry : entries_in(host, folder)) {
        if (!starts_with(entry.name, k_stem)) continue;
        const auto version = parse_version(entry.name.substr(std::string(k_stem).size()));
        if (!version || version->numbers.size() < 3) continue;
        const std::string path = join_path(folder, entry.name);
        expectation.version = {*version, by_library(path, "the library's name, " + path)};
    }
}

std::string library_of(const Host& host, const std::string& root) {
    const std::vector<const char*> names =
        host.system() == System::windows
            ? std::vector<const char*>{"lib/tensorflow.dll", "bin/tensorflow.dll"}
            : std::vector<const char*>{"lib/libtensorflow.so.2", "lib/libtensorflow.so",
                                       "lib/libtensorflow.so.1"};
    for (const char* name : names)
        if (is_file(host, join_path(root, name))) return join_path(root, name);
    return {};
}

void read_vendor(const Host& host, const std::string& path, Expectation& expectation) {
    const auto library = host.open(path);
    if (!library || !section_range(*library, ".text")) return;  // truncated: no section headers
    const bool cuda = section_range(*library, ".nv_fatbin") || section_range(*library, ".nv_fatb");
    set_vendor(expectation, cuda ? Vendor::cuda : Vendor::cpu,
               by_library(path, path + (cuda ? " holds" : " holds no") + std::string(" CUDA device code")));
}

}  // namespace

std::string libtensorflow_root(const Host& host, const std::string& prefix) {
    return is_file(host, join_path(prefix, k_header)) && !library_of(host, prefix).empty() ? prefix : "";
}

std::vector<Expectation> read_libtensorflow(const Host& host, const std::string& root) {
    if (libtensorflow_root(host, root).empty()) return {};
    Expectation expectation;
    expectation.framework = "TensorFlow";
    expectation.package = "tensorflow";
    expectation.path = root;
    expectation.how = Installation::libtensorflow;
    read_version(host, join_path(root, "lib"), expectation);
    if (!expectation.version) add_version_header(host, root, expectation);
    add_conda_record(host, conda_prefix_of(root), {"libtensorflow", "libtensorflow_cc"}, expectation);
    if (expectation.cuda && !expectation.vendor)
        set_vendor(expectation, Vendor::cuda, expectation.cuda.origin);
    if (!expectation.vendor) read_vendor(host, library_of(host, root), expectation);
    add_config(host, root, expectation);
    return {std::move(expectation)};
}

}  // namespace ptxguard::tensorflow
