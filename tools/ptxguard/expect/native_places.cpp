// SPDX-License-Identifier: Apache-2.0
#include "expect/native_places.hpp"

#include "expect/frameworks/pytorch/pytorch.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "host/paths.hpp"

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

}  // namespace

std::vector<NativePlace> native_places(const Host& host, const FrameworkReader& reader) {
    std::vector<NativePlace> places;
    const NativeForm* form = form_of(reader);
    if (!form) return places;
    for (const char* variable : form->variables) {
        for (const std::string& entry : split_list(host.env(variable).value_or(""), host.system())) {
            if (!is_absolute(entry, host.system())) continue;
            const std::string root = form->root(host, normal_path(entry, host.system()));
            if (root.empty()) continue;
            const bool wheel = file_name(root) == "torch" &&
                               host.status(join_path(root, "version.py")).type != FileType::missing;
            places.push_back({root, wheel ? parent_path(root) : root, variable});
        }
    }
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
