// What a recipe (Dockerfile, requirements file, workflow ...) requests, as the tools that it calls read it.
// Facts that a machine has too (toolkits, frameworks, architectures) are in the scenario's other members.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/fields.hpp"
#include "model/origin.hpp"
#include "model/ranges.hpp"
#include "model/recipe_place.hpp"
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
    Known<Version> cudnn;   // may be only the major
    bool mirrored = false;  // in a registry of its own, which may keep what others delete
    Origin origin;

    PTXGUARD_MEMBERS_SET(name, tag, flavour, system, cuda, cudnn, mirrored, origin)
};

// A package that a recipe requests.
struct RecipePin {
    std::string package;     // canonical: lower case, "-" between words
    std::string by;          // "pip", "uv", "poetry", "pdm", "pipenv", "lock", "conda", "apt"
    std::string specifier;   // "==2.5.1+cu121", ">=2,<3"; empty = any release
    Known<Version> version;  // the version that it pins
    std::string build;       // conda's build string
    std::string channel;     // conda: the only one that may have it; empty = all
    std::vector<std::string> extras;
    std::string marker;        // text after ";"; pins whose marker excludes the environment are not listed
    std::string unreadable;    // why its tool rejects the line
    bool ignored = false;      // its tool goes on without it instead
    std::string wheel;         // the file that its URL or path names
    int group = 0;             // pins of one command or file have the same number
    int command = 0;           // that of the command, where an index of its own makes `group` another
    bool no_deps = false;      // its tool does not install the package's requirements
    bool pre = false;          // pre-releases are allowed
    bool first_index = false;  // uv: only the first index that has the package counts
    bool upgrade = false;      // --upgrade: what is installed does not count
    bool source = false;       // built from the repository: no wheel of it is installed
    bool open = false;         // requirements or constraints of its command are not known
    Origin origin;

    // 11.8 of conda's build "py3.9_cuda11.8_cudnn8.7.0_0", 12.6 of "cuda126py312h...".
    std::optional<Version> cuda_of_build() const;
    bool by_pip() const { return by == "pip" || by == "uv"; }
    int group_of_command() const { return command > 0 ? command : group; }
    // Resolved from indexes of Python's packages, not from a channel or a lock file.
    bool is_from_pypi() const { return by_pip() || by == "poetry" || by == "pdm" || by == "pipenv"; }

    PTXGUARD_MEMBERS((package),
                     (specifier, version, by, build, channel, extras, marker, unreadable, ignored, wheel,
                      group, command, no_deps, pre, first_index, upgrade, source, open, origin))
};

// Where pip searches for the pins of the same group.
enum class IndexUse { only, extra, links };
const char* to_string(IndexUse use);
struct RecipeIndex {
    std::string url;
    IndexUse use = IndexUse::only;  // --index-url, --extra-index-url, --find-links
    std::string build;              // of all its packages: "cu121", "cpu"; empty = several, or not known
    std::string package;            // an ignored one: that of uv's source
    int group = 0;
    Origin origin;

    // PyPI, a mirror of it (".../simple"), or NVIDIA's, which is beside it. Others have builds of their own:
    // "https://pypi.jetson-ai-lab.io/jp6/cu126".
    bool is_pypi() const {
        return url.find("//pypi.org") != std::string::npos || url.find("/simple") != std::string::npos ||
               url.find("nvidia.com") != std::string::npos;
    }

    PTXGUARD_MEMBERS((url, use), (build, package, group, origin))
};

// A step that compiles device code.
struct CompileStep {
    std::string what;            // "nvcc kernel.cu", "pip install flash-attn"
    std::string package;         // canonical name; empty = a project of the recipe's own
    bool isolated = false;       // pip builds it in an isolated environment
    bool imports_torch = false;  // while it is built: an isolated environment has none
    bool own_archs = false;      // it does not read TORCH_CUDA_ARCH_LIST
    bool brings_torch = false;   // an isolated environment has the newest torch
    bool by_torch = false;       // torch's builder compiles it
    bool after_others = false;   // an earlier command may install anything
    bool isolates = false;       // any pip isolates it, not only newer ones
    bool needs_nvcc = false;     // without nvcc it fails; others are built for CPUs
    bool may_be_alone = false;   // a project of CMake, which need not use a framework that is there
    int group = 0;               // of the command, as in RecipePin; 0 = of no installer
    Origin origin;

    PTXGUARD_MEMBERS((what), (package, isolated, imports_torch, own_archs, brings_torch, by_torch,
                              after_others, isolates, needs_nvcc, may_be_alone, group, origin))
};

// One of several places that name architectures.
struct RecipeArchs {
    std::string name;  // "TORCH_CUDA_ARCH_LIST", "-gencode"
    ArchList archs;
    bool by_installer = false;  // which may bring a CMake of its own
    Origin origin;

    PTXGUARD_MEMBERS((name), (archs, by_installer, origin))
};

// The C++ standard that CMake or nvcc is to compile device code with.
struct StandardRequest {
    std::string name;       // "CMAKE_CUDA_STANDARD", "cuda_std_20", "-std=c++20"
    int standard = 0;       // 17
    bool required = false;  // without it the build ends with an error; otherwise CMake takes an older one
    bool by_cmake = false;  // CMake has to have it too
    Origin origin;

    PTXGUARD_MEMBERS((name, standard), (required, by_cmake, origin))
};

// A library of the toolkit that a build links, or what it needs of CMake itself.
struct PartRequest {
    std::string part;       // "nvToolsExt", "CUDAToolkit", "FindCUDA"
    std::string by;         // as written: "CUDA::nvToolsExt", "-lnvToolsExt"
    bool of_cmake = false;  // CMake has to have it
    Origin origin;

    PTXGUARD_MEMBERS((part, by), (of_cmake, origin))
};

// An architecture that a build script requests for some releases of CUDA only, by its conditions.
struct ArchGate {
    Arch arch;
    Known<Version> from, to;  // the first release after one without it, the last before one without it
    Origin origin;

    PTXGUARD_MEMBERS((arch), (from, to, origin))
};

// A release of the toolkit that an installer is asked for.
struct ToolkitRequest {
    std::string by;                       // "jimver/cuda-toolkit", "apt"
    Known<Version> installer;             // v0.2.19 of the action
    std::string wanted;                   // "12.8.0", as written
    std::vector<std::string> components;  // of its installer for Windows, that it selects; empty = all
    std::string repository;  // NVIDIA's, that has to have it: "ubuntu2404"; empty = not known, or none
    Origin origin;           // of `wanted`
    Origin system;           // of the text that decides the repository

    PTXGUARD_MEMBERS((by, wanted), (installer, components, repository, origin, system))
};

// A package that none of the system's sources of packages has.
struct UnservedPackage {
    std::string package;
    std::string components;  // of Debian, which would have it; empty = only NVIDIA's repository has it
    Origin origin;
    Origin system;  // of the text that names the image

    PTXGUARD_MEMBERS((package), (components, origin, system))
};

// Programs that the image gets from a stage, which compiles them in an image of its own.
struct CopiedPrograms {
    std::string stage;    // "build"
    std::string image;    // "nvidia/cuda:12.4.1-devel-ubuntu22.04"
    Known<Version> cuda;  // of that image
    Origin origin;

    PTXGUARD_MEMBERS((stage), (image, cuda, origin))
};

// A call of nvcc and the file that it writes.
struct NvccCall {
    std::string output;  // "kernel.ptx"
    std::string mode;    // "-ptx", "-cubin", "-c"; empty = it links a program
    Origin origin;

    PTXGUARD_MEMBERS((output), (mode, origin))
};

// A package that a command puts into the environment: recipes/resolution/resolution.hpp decides its release.
struct Installed {
    std::string package;      // canonical, as on PyPI
    Known<Version> version;   // its origin: the pin, or the table's row
    std::string build;        // "cu121", "cpu"; empty = the default build
    Known<Version> cuda;      // of that build
    bool newest = false;      // no pin determines it: the newest that the tables list
    bool of_image = false;    // the image has it
    std::string required_by;  // "vllm 0.33.0"; empty = the command requests it
    int group = 0;            // of the command, as in RecipePin
    Origin asked;             // the text of the command that puts it there

    PTXGUARD_MEMBERS((package), (version, build, cuda, newest, of_image, required_by, group, asked))
};

// A later command installs another release over it.
struct Replaced {
    Installed before, after;
    // Where a requirement of `before` excludes a pin of the command: "sympy==1.13.1", and the pin.
    std::string wanted, pinned;
    Origin pinned_at;

    PTXGUARD_MEMBERS((before, after), (wanted, pinned, pinned_at))
};

// A later command installs a release over the one that a package pins; pip only prints that.
struct BrokenPin {
    Installed package, other;
    std::string wanted;  // "triton==2.3.1"
    Origin row;

    PTXGUARD_MEMBERS((package, other, wanted), (row))
};

// A variable or CMake option that turns CUDA on, and that what is built does not read.
struct UnreadOption {
    std::string option;   // "LLAMA_CUBLAS"
    std::string built;    // "llama-cpp-python 0.2.85", "the default branch of llama.cpp"
    std::string instead;  // "GGML_CUDA"
    bool stops = false;   // the build ends with an error; otherwise it is for CPUs only
    bool pinned = false;  // the recipe determines the release
    Origin origin, row;

    PTXGUARD_MEMBERS((option, built, instead), (stops, pinned, origin, row))
};

// A marker that names a value as another system spells it, so that this system gets a build for CPUs.
struct MarkerSlip {
    std::string package;         // "torch"
    std::string system;          // "Windows"
    std::string written, meant;  // "x86_64", "AMD64"
    std::string build;           // that it would get: "cu128"
    Origin origin;

    PTXGUARD_MEMBERS((package, system, written, meant, build), (origin))
};

// Why a command ends with an error, before any later one runs.
enum class Refusal {
    no_release,   // no such release exists
    no_build,     // the only index has no such release for its CUDA
    no_local,     // no index has that local version: `wanted` is how the build is named, or what exists
    no_python,    // it has no file for this Python
    no_platform,  // it has no file for this system or machine
    no_package,   // PyPI has no such package
    placeholder,  // the package exists only to say that another one is meant
    other_name,   // the name is that of another project: nothing fails, something else is installed
    no_project,   // the project that it installs requires another Python
    no_set,       // a package of the same command requires another release
    parts,        // extras or groups of a project exclude each other: `pinned` and `by`
    no_lock,      // the project admits a Python, `by`, that the package excludes: uv and poetry find no set
    no_newest,    // a Python that the project admits has no wheel: installing it there fails
    old_glibc,    // an installer or a wheel needs a newer C library than the system's
    conda_base,   // conda's base environment has another Python, which conda keeps
    old_python    // a script, `pinned`, needs a newer Python than `by`
};
const char* to_string(Refusal refusal);
struct RefusedPin {
    Refusal why = Refusal::no_release;
    std::string package, pinned;  // "torch", "torch==2.8.0"
    // no_set: "vllm 0.9.1"; no_build: the index; no_python, no_project, no_lock, no_newest, conda_base:
    // "3.13"; no_platform: "Linux on ARM"; old_glibc: "glibc 2.27"
    std::string by;
    // no_set: "torch==2.7.0"; no_project, no_lock: ">=3.11"; parts: "--no-group pypi", if that is all; else
    // what exists, or the intended name
    std::string wanted;
    // no_platform: "jax 0.4.33", which the command requests; empty = `package`; no_lock: "uv"
    std::string required_by;
    int group = 0;
    Origin origin, by_origin, wanted_origin;

    PTXGUARD_MEMBERS((why, package, pinned),
                     (by, wanted, required_by, group, origin, by_origin, wanted_origin))
};

struct RecipeFacts {
    std::string kind;  // "Dockerfile", "requirements file"
    RecipePlace place;
    Known<std::string> vendor;    // "rocm": in the name of the file or of its image
    std::string machine;          // "arm64", if the recipe names it
    Known<std::string> platform;  // "Linux on ARM", "macOS": one that is not Linux on x86-64
    Known<std::string> python;    // "3.11": the one that pip installs for
    Known<std::string> gpu;  // what gives its container a GPU: "runtime: nvidia", "docker run --gpus all"
    RecipeImage image;
    std::vector<RecipePin> pins;
    std::vector<RecipePin> constraints;      // -c, UV_CONSTRAINT: releases that may be installed
    std::vector<RecipePin> pins_for_macos;   // those that markers select there, and not here
    std::vector<RecipePin> removed;          // `pip uninstall`: what commands up to its group have installed
    std::vector<Installed> installed;        // at the end
    std::vector<std::string> kept_of_image;  // its packages of unknown releases that no command replaces
    std::vector<Replaced> replaced;
    std::vector<BrokenPin> broken;  // at the end
    std::vector<RefusedPin> refused;
    std::vector<RecipeIndex> indexes;
    std::vector<CompileStep> compiles;
    std::vector<RecipeArchs> arch_lists;
    std::vector<RecipeArchs> unread_lists;  // for images that start from this one: nothing here compiles
    std::vector<ArchGate> arch_gates;
    Known<Version> cmake;          // that configures a project, if it is known which one the commands find
    Known<Version> cmake_minimum;  // the oldest one that the files of a project admit
    std::vector<StandardRequest> standards;
    std::vector<PartRequest> parts;
    std::vector<std::string> own_parts;  // libraries of the same names that the project makes
    std::vector<ToolkitRequest> toolkit_requests;
    std::vector<UnservedPackage> unserved;
    std::vector<CopiedPrograms> copied_programs;
    std::vector<RecipeImage> named_images;  // in commands and variables, for another program
    std::vector<NvccCall> nvcc_calls;
    std::vector<UnreadOption> unread_options;
    std::vector<MarkerSlip> marker_slips;
    bool builds_others = false;  // it compiles or copies programs, which may use CUDA
    // Libraries for programs that contain none: from the image, apt, conda or modules.
    Known<Version> libraries_cuda;
    Known<Version> libraries_cudnn;            // may be only the major
    std::vector<std::string> library_users;    // packages of the frameworks that load those libraries
    bool libraries_complete = false;           // it is known that there are no others
    bool no_nvcc = false;                      // it is known that nothing installs nvcc
    bool starts_bare = false;                  // no package is there before the first command
    std::vector<RecipeIndex> ignored_indexes;  // written after a requirement, where pip ignores them
    Known<std::string> driver_gate;            // NVIDIA_REQUIRE_CUDA, as written
    bool by_switch = false;                    // read with a switch of the file on that is off by default
    bool alternative = false;  // requirements of an extra that excludes others: for some machines only
    bool is_started = false;   // its image is that of a container, whose driver is compared at the start
    // One of several environments that the file's markers tell apart: the lines that none before it has. Only
    // findings about these are reported; empty = all.
    std::vector<Origin> own_lines;

    // pip prefers an index's build for ROCm to PyPI's, and it requires other packages.
    bool takes_rocm(const RecipePin& pin) const {
        return any_of(indexes, [&](const RecipeIndex& index) {
            return index.group == pin.group && index.build.rfind("rocm", 0) == 0;
        });
    }
    bool empty() const {
        const auto all_empty = [](const auto&... lists) { return (lists.empty() && ...); };
        return all_empty(image.name, pins, indexes, compiles, arch_lists, unread_lists, arch_gates, standards,
                         parts, toolkit_requests, unserved, copied_programs, named_images, nvcc_calls,
                         unread_options, marker_slips) &&
               !cmake && !libraries_cuda && !libraries_cudnn;
    }

    PTXGUARD_MEMBERS_SET(kind, vendor, machine, platform, python, gpu, image, pins, constraints,
                         pins_for_macos, removed, installed, replaced, broken, refused, indexes, compiles,
                         arch_lists, unread_lists, arch_gates, cmake, cmake_minimum, standards, parts,
                         own_parts, toolkit_requests, unserved, copied_programs, named_images, nvcc_calls,
                         unread_options, marker_slips, builds_others, libraries_cuda, libraries_cudnn,
                         library_users, libraries_complete, no_nvcc, starts_bare, ignored_indexes,
                         driver_gate, kept_of_image, by_switch, alternative, is_started, own_lines)
};

}  // namespace ptxguard
