// What the installed frameworks require of a toolchain, read from their files without importing Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "facts/facts.hpp"
#include "host/host.hpp"
#include "model/request.hpp"
#include "model/scenario.hpp"

namespace ptxguard {

// Fills scenario.expectations: frameworks named in the request (installed or declared), else all in
// scenario.python and CMake's own places.
void expect(const Host& host, const Facts& facts, const Request& request, Scenario& scenario);

// The components of torch==2.5.1+cu121.
struct DeclaredBuild {
    std::optional<Version> version;  // 2.5.1+cu121; nothing for "torch+cu121"
    std::string build;               // "cu121", "cpu", "rocm6.0"; empty = the default build
    std::string name;                // canonical: "torch", "cupy-cuda12x"
    std::string extras;              // "cuda12" in jax[cuda12]
    std::string text;                // as written
};

// One framework's reader; each is in expect/frameworks/<name>/ and listed in expect/frameworks/table.cpp.
struct FrameworkReader {
    const char* component;                 // "PyTorch": CMake component and Expectation::framework
    const char* package;                   // "torch"
    std::vector<const char*> aliases;      // accepted in --framework, lower case: "pytorch", "cupy-cuda*"
    std::vector<const char*> cpu_aliases;  // for a build without CUDA: "tensorflow-cpu"
    // Reads one place. Nothing if it does not contain the framework.
    std::vector<Expectation> (*read)(const Host& host, const SitePlace& place);
    // What the tables list for a build that is only named.
    Expectation (*declared)(const Facts& facts, System system, const DeclaredBuild& build);
    // Canonical names of its packages ("cupy-cuda*" = all that start with it).
    std::vector<std::string> distributions = {};
    // In a recipe, what counts is the release that the whole resolution leaves: other packages bring it.
    bool follows_resolution = false;
};

// The frameworks that can be read; a new one is a folder next to this file and a row in table.cpp.
const std::vector<FrameworkReader>& framework_readers();

}  // namespace ptxguard
