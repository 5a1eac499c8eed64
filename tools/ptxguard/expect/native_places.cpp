// SPDX-License-Identifier: Apache-2.0
#include "expect/native_places.hpp"

#include "expect/frameworks/pytorch/pytorch.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "host/paths.hpp"
#include "host/questions.hpp"

namespace ptxguard {
namespace {

struct NativeForm {
    const char* package;
    std::vector<const char*> variables;
    std::string (*root)(const Host& host, const std::string& prefix);
};

const NativeForm* form_of(const FrameworkReader& reader) {
    static const std::vector<NativeForm> forms = {
        {"torch", {"Torch_ROOT", "Torch_DIR", "CMAKE_PREFIX_PATH", "LIBTORCH"}, pytorch::libtorch_root},
        {"tensorflow",
         {"TensorFlow_ROOT", "TENSORFLOW_ROOT", "TensorFlow_DIR", "TENSORFLOW_DIR", "CMAKE_PREFIX_PATH"},
         tensorflow::libtensorflow_root},
    };
    for (const NativeForm& form : forms)
        if (std::string(form.package) == reader.package) return &form;
    return nullptr;
}

void add_place(const Host& host, const NativeForm& form, const std::string& prefix,
               const std::string& because, std::vector<NativePlace>& places) {
    const std::string root = form.root(host, normal_path(prefix, host.system()));
    if (root.empty()) return;
    const bool wheel =
        file_name(root) == "torch" && host.status(join_path(root, "version.py")).type != FileType::missing;
    places.push_back({root, wheel ? parent_path(root) : root, because});
}

// CMake treats PREFIX/bin on PATH as a prefix, so an active conda environment is found, on Windows by its
// Library/bin. The system's own prefixes come last.
std::vector<std::string> prefixes_on_path(const Host& host) {
    std::vector<std::string> prefixes;
    for (const PathFolder& entry : path_folders(host)) {
        if (!is_absolute(entry.folder, host.system())) continue;
        const std::string folder = normal_path(entry.folder, host.system()), prefix = parent_path(folder);
        const std::string name = lower(file_name(folder));
        const bool systems = prefix == "/" || prefix == "/usr" || prefix == "/usr/local";
        if ((name == "bin" || name == "sbin") && !systems) prefixes.push_back(prefix);
    }
    return prefixes;
}

}  // namespace

std::string conda_prefix_of(const std::string& root) {
    return lower(file_name(root)) == "library" ? parent_path(root) : root;
}

std::vector<NativePlace> native_places(const Host& host, const FrameworkReader& reader) {
    std::vector<NativePlace> places;
    const NativeForm* form = form_of(reader);
    if (!form) return places;
    for (const char* variable : form->variables) {
        for (const std::string& entry : split_list(host.env(variable).value_or(""), host.system())) {
            if (is_absolute(entry, host.system())) add_place(host, *form, entry, variable, places);
        }
    }
    for (const std::string& prefix : prefixes_on_path(host)) add_place(host, *form, prefix, "PATH", places);
    if (const std::string conda = host.env("CONDA_PREFIX").value_or(""); !conda.empty())
        add_place(host, *form, host.system() == System::windows ? join_path(conda, "Library") : conda,
                  "CONDA_PREFIX", places);
    return places;
}

std::vector<NativePlace> system_places(const Host& host, const FrameworkReader& reader) {
    std::vector<NativePlace> places;
    const NativeForm* form = form_of(reader);
    if (!form || host.system() != System::linux_) return places;
    for (const char* prefix : {"/usr/local", "/usr"})
        if (!form->root(host, prefix).empty()) places.push_back({prefix, prefix, "CMake's own search"});
    return places;
}

}  // namespace ptxguard
