// From an interpreter or a prefix to its site-packages folders, as site.py would compute them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/host.hpp"

namespace ptxguard {

struct PythonLayout {
    std::string prefix;                 // folder above bin/ or Scripts/; a virtual environment has its own
    std::vector<std::string> versions;  // "3.11"; several if it is not known which; newest first
    bool is_virtual = false;
    bool sees_system = true;  // the base's packages and the user's are visible
    std::string base;         // prefix of the Python that a virtual environment was made from
};

// The real Python of a `python` on PATH: pyenv's shims and plain wrapper scripts are followed.
std::string follow_wrappers(const Host& host, const std::string& interpreter);
std::optional<PythonLayout> layout_of_interpreter(const Host& host, const std::string& interpreter);
// A virtual environment, a conda environment or an installation; nothing if the folder is none of them.
std::optional<PythonLayout> layout_of_prefix(const Host& host, const std::string& prefix);
// In a build that pip isolates, PYTHONPATH names BUILD/site, whose sitecustomize.py adds BUILD/overlay and
// BUILD/normal and removes the environment's own packages. The BUILD folder; empty outside.
std::string isolated_build(const Host& host);
// Existing folders only: PYTHONPATH, the user's, the environment's own, the system's.
std::vector<std::string> site_folders(const Host& host, const PythonLayout& layout);

}  // namespace ptxguard
