// What a recipe (Dockerfile, requirements file, workflow ...) requests, as the tools that it calls read it.
// Facts that a machine has too (toolkits, frameworks, architectures) are in the scenario's other members.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

// Flavour of nvidia/cuda and similarly named images: base has only the driver's interface, runtime also the
// libraries, devel also nvcc.
enum class ImageFlavour { base, runtime, devel, unknown };
const char* to_string(ImageFlavour flavour);

struct RecipeImage {
    std::string name, tag;  // "nvidia/cuda", "12.1.1-cudnn8-devel-ubuntu22.04"
    ImageFlavour flavour = ImageFlavour::unknown;
    std::string system;  // "ubuntu22.04"
    Known<Version> cuda;
    Known<Version> cudnn;  // may be only the major
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, name, tag, flavour, system, cuda, cudnn, origin);
    }
};

// A package that a recipe requests.
struct RecipePin {
    std::string package;     // canonical: lower case, "-" between words
    std::string by;          // "pip", "uv", "poetry", "lock", "conda", "apt"
    std::string specifier;   // "==2.5.1+cu121", ">=2,<3"; empty = any release
    Known<Version> version;  // the version that it pins
    std::string build;       // conda's build string
    std::vector<std::string> extras;
    std::string only_on;       // system that its marker names: "darwin", "win32", "!darwin"; empty = none
    std::string unreadable;    // why its tool rejects the line
    int group = 0;             // pins of one command or file have the same number
    bool no_deps = false;      // its tool does not install the package's requirements
    bool pre = false;          // pre-releases are allowed
    bool first_index = false;  // uv: only the first index that has the package counts
    Origin origin;

    // 11.8 of conda's build "py3.9_cuda11.8_cudnn8.7.0_0", 12.6 of "cuda126py312h...".
    std::optional<Version> cuda_of_build() const;
    bool by_pip() const { return by == "pip" || by == "uv"; }
    bool on_linux() const {
        return only_on.empty() || only_on == "linux" || (only_on[0] == '!' && only_on != "!linux");
    }

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, package);
        PTXGUARD_FIELDS(v, specifier, version, by, build, extras, only_on, unreadable, group, no_deps, pre,
                        first_index, origin);
    }
};

// Where pip searches for the pins of the same group.
enum class IndexUse { only, extra, links };
const char* to_string(IndexUse use);
struct RecipeIndex {
    std::string url;
    IndexUse use = IndexUse::only;  // --index-url, --extra-index-url, --find-links
    std::string build;              // of all its packages: "cu121", "cpu"; empty = several, or not known
    int group = 0;
    Origin origin;

    // PyPI, or a mirror of it (".../simple").
    bool is_pypi() const {
        return url.find("pypi") != std::string::npos || url.find("/simple") != std::string::npos;
    }

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, url, use);
        PTXGUARD_FIELDS(v, build, group, origin);
    }
};

// A step that compiles device code.
struct CompileStep {
    std::string what;       // "nvcc kernel.cu", "pip install flash-attn"
    std::string package;    // canonical name; empty = a project of the recipe's own
    bool isolated = false;  // pip builds it in an isolated environment
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, what);
        PTXGUARD_FIELDS(v, package, isolated, origin);
    }
};

// One of several places that name architectures.
struct RecipeArchs {
    std::string name;  // "TORCH_CUDA_ARCH_LIST", "-gencode"
    ArchList archs;
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, name);
        PTXGUARD_FIELDS(v, archs, origin);
    }
};

// A call of nvcc and the file that it writes.
struct NvccCall {
    std::string output;  // "kernel.ptx"
    std::string mode;    // "-ptx", "-cubin", "-c"; empty = it links a program
    Origin origin;

    template <class V>
    void fields(V& v) {
        PTXGUARD_ALWAYS(v, output);
        PTXGUARD_FIELDS(v, mode, origin);
    }
};

struct RecipeFacts {
    std::string kind;     // "Dockerfile", "requirements file"
    std::string machine;  // "arm64", if the recipe names it
    RecipeImage image;
    std::vector<RecipePin> pins;
    std::vector<RecipeIndex> indexes;
    std::vector<CompileStep> compiles;
    std::vector<RecipeArchs> arch_lists;
    std::vector<NvccCall> nvcc_calls;
    // Libraries for programs that contain none: from the image, apt, conda or modules.
    Known<Version> libraries_cuda;
    Known<Version> libraries_cudnn;            // may be only the major
    std::vector<std::string> library_users;    // packages of the frameworks that load those libraries
    bool libraries_complete = false;           // it is known that there are no others
    bool no_nvcc = false;                      // it is known that nothing installs nvcc
    std::vector<RecipeIndex> ignored_indexes;  // written after a requirement, where pip ignores them
    Known<std::string> driver_gate;            // NVIDIA_REQUIRE_CUDA, as written

    bool empty() const {
        return image.name.empty() && pins.empty() && indexes.empty() && compiles.empty() &&
               arch_lists.empty() && nvcc_calls.empty() && !libraries_cuda && !libraries_cudnn;
    }

    template <class V>
    void fields(V& v) {
        PTXGUARD_FIELDS(v, kind, machine, image, pins, indexes, compiles, arch_lists, nvcc_calls,
                        libraries_cuda, libraries_cudnn, library_users, libraries_complete, no_nvcc,
                        ignored_indexes, driver_gate);
    }
};

}  // namespace ptxguard
