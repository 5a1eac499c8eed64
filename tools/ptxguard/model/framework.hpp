// What a framework expects of the toolchain that builds for it. Filled from an installed framework (read
// without importing it), from a lock file, or from a name and version on the command line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/arch.hpp"
#include "model/origin.hpp"
#include "model/version.hpp"

namespace ptxguard {

// A tool that the framework brings and will use ("triton/backends/nvidia/bin/ptxas").
struct BundledTool {
    std::string path;
    std::string tool;  // "ptxas", "ptxas-blackwell"
    Known<Version> version;
    std::string used_for;  // "Triton, capability < 10.0"
};

// What the framework's own files and the tables say differently; the files count.
struct Disagreement {
    std::string what;         // "CUDA", "cuDNN"
    std::string used, other;  // "12.8", "12.9"
    Origin used_origin, other_origin;
};

// Packages that belong to one framework and do not fit together as they are installed.
struct Misfit {
    std::string package, other;  // "jax-cuda12-plugin 0.6.0", "jaxlib 0.6.1"
    Origin package_origin, other_origin;
    std::string message;  // "does not fit jaxlib 0.6.1"
    std::string effect;   // what then happens
    // "import": it cannot be imported; "gpu": it does without the GPU; "later": nothing yet
    std::string harm;
    std::string wanted;  // version of `package` that fits; empty = it should not be there
    std::string fix;     // command
};

struct Expectation {
    std::string framework;       // "PyTorch", "TensorFlow" ...: the CMake component's spelling
    std::string package;         // "torch", "tensorflow"
    Known<Version> version;      // 2.5.1+cu121
    std::string path;            // package folder or libtorch root; empty where only declared
    std::string site;            // folder that its packages lie in (site-packages); empty where there is none
    std::string how;             // wheel, conda, libtorch, editable, system, declared
    std::string python;          // interpreter or site-packages folder that led to it
    std::string python_because;  // "--python", "VIRTUAL_ENV", "CONDA_PREFIX", "PATH"
    bool declared = false;
    bool required = false;  // a COMPONENT or --framework: it must be decided

    Known<bool> cpu_only;
    Known<std::string> vendor;  // "cuda", "rocm", "xpu", "cpu"
    Known<Version> cuda;        // built with
    Known<Version> cudnn;       // may hold the major alone
    Known<std::string>
        cudnn_from;  // "bundled", "wheels", "conda", "system": how it gets cuDNN; "none": it needs none
    Known<std::vector<Target>> archs;
    Known<int> cxx_abi;       // _GLIBCXX_USE_CXX11_ABI: 0 or 1
    Known<int> cxx_standard;  // 14, 17, 20
    std::vector<BundledTool> tools;
    // The package that holds its CUDA part, where that is another one: "jax-cuda12-plugin".
    std::string build_package;
    Known<Version> build_version;
    // NVIDIA's packages that its metadata asks for, extras included: "nvidia-cudnn-cu12<10.0,>=9.8".
    std::vector<std::string> asks_for;
    std::vector<Misfit> misfits;
    std::vector<Disagreement> disagreements;

    // For a declared build (torch==2.0.0+cu121): was it ever published? Known only where the table lists the
    // release.
    Known<bool> published;
    std::vector<std::string> published_variants;  // "cu117", "cu118", "cpu"
    // Of a release that never was: the package that was named ("tensorflow-gpu") where `package` is another,
    // releases of it that were, and packages that hold this very release.
    std::string named_package;
    std::vector<std::string> near_releases, other_packages;
    std::string successor;  // package that holds what the named one held
    std::string trouble;    // what could not be read
};

}  // namespace ptxguard
